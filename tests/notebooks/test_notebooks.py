"""Every lesson and every dive, run once from top to bottom at a scale that only proves that its cells work.

Several run in parallel, so nothing here judges a time or a claim; tests/notebooks/test_usual_sizes.py does.
tests/notebooks/test_small.py tests a second run in the same kernel and what it leaves behind.
"""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import notebook_tests
from cells import cpu
from notebooks.runs import DIVES, NOTEBOOKS, Session

LESSONS_AND_DIVES = [
    *(pytest.param(path, id=path.stem) for path in NOTEBOOKS),
    *(pytest.param(path, id=path.stem, marks=pytest.mark.deep) for path in DIVES),
]


@pytest.fixture(scope="module", params=LESSONS_AND_DIVES)
def ran(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SimpleNamespace]:
    path: Path = request.param
    session = Session(path, tmp_path_factory.mktemp("temporary"), cpu(), scale="tiny")
    with session.kernel():
        run = session.run_all()
        claims = session.claims()
        yield SimpleNamespace(path=path, run=run, notebook=run.notebook, claims=claims)


def test_run_all_reaches_the_end(ran: SimpleNamespace, record_property) -> None:
    record_property("seconds", f"{ran.run.told()}")
    notebook_tests.no_cell_fails(ran.notebook)
    notebook_tests.no_cell_uses_a_name_before_it_is_declared(ran.notebook)
    notebook_tests.nothing_is_written_to_standard_error(ran.notebook)


def test_its_charts_tables_and_claims_look_as_they_should(ran: SimpleNamespace) -> None:
    notebook_tests.charts_are_sharp_with_both_colours_and_a_text(
        ran.notebook, ran.path in NOTEBOOKS, measured=False
    )
    notebook_tests.tables_are_html_and_claims_have_a_colour(ran.notebook)
    notebook_tests.every_claim_is_judged_and_listed(ran.notebook, ran.claims)
    notebook_tests.figures_as_printed_show_what_is_claimed(ran.notebook)


def test_its_exercises_are_open_until_they_are_answered(ran: SimpleNamespace) -> None:
    notebook_tests.exercises_are_open_until_they_are_answered(ran.notebook, timed=False)
