"""Every notebook at its usual sizes, alone on the machine: here the claims are judged.

Costs about a minute for each notebook. build/claims.csv keeps what was judged, build/executed the notebooks.
"""

from pathlib import Path

import nbformat
import pytest
from claims import TIGHT, Judged, append, keep, measure
from course import NOTEBOOKS, errors

pytestmark = pytest.mark.alone
RUN_ALL_SECONDS = 180  # a bound for a slow machine; the aim is 60 to 90
OUT_OF_REACH = 1_000  # far below it the table of make claims says "loose"

broken: dict[Path, set[str]] = {}


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def measured(request: pytest.FixtureRequest) -> tuple[Path, nbformat.NotebookNode, list[Judged], float]:
    path: Path = request.param
    run, judged = measure(path)
    append(judged)
    keep(path, run)
    broken[path] = {claim.claim for claim in judged if not claim.held}
    print(run.told())
    return path, run.notebook, judged, run.total


def test_run_all_reaches_the_end_in_the_time_a_reader_waits(measured, record_property) -> None:
    path, notebook, judged, seconds = measured
    tight = [f"{claim.claim} ({claim.margin:.0f} %)" for claim in judged if claim.margin > TIGHT]
    record_property(
        "told",
        f"{path.name[:2]} at its usual sizes: {seconds:.1f} s" + "".join(f"\n   tight: {c}" for c in tight),
    )
    assert errors(notebook) == []
    assert seconds < RUN_ALL_SECONDS


def test_every_claim_could_fail(measured) -> None:
    """A bound that is many times what was measured says nothing."""
    _, _, judged, _ = measured
    assert judged
    far = [claim for claim in judged if claim.distance > OUT_OF_REACH]
    assert not far


def test_a_claim_that_broke_holds_when_its_notebook_runs_once_more() -> None:
    """A machine that is busy for a moment may break a claim; a wrong claim breaks twice."""
    for path, claims in broken.items():
        if claims:
            _, judged = measure(path)
            append(judged)
            assert not claims & {claim.claim for claim in judged if not claim.held}, path.stem
