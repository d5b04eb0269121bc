"""Every lesson run a second time in one kernel: no error, and the same charts. Takes a quarter of an hour."""

from pathlib import Path

import pytest
import notebook_tests
from notebooks.runs import NOTEBOOKS, Session


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_run_all_reaches_the_end_also_a_second_time(path: Path, tmp_path: Path) -> None:
    session = Session(path, tmp_path, cpu=0)
    with session.kernel():
        first, again = session.run_all().notebook, session.run_all().notebook
        listed = session.claims()
    for notebook in (first, again):
        notebook_tests.no_cell_fails(notebook)
        notebook_tests.nothing_is_written_to_standard_error(notebook)
    assert notebook_tests.pictures(first).keys() == notebook_tests.pictures(again).keys()
    notebook_tests.every_claim_is_judged_and_listed(again, listed)
