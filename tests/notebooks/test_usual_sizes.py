"""Every notebook at its usual sizes, alone on the machine: here the claims are judged.

Takes about a minute for each notebook. build/claims.csv keeps the judged claims, build/executed the
notebooks.
"""

from pathlib import Path

import nbformat
import pytest
import notebook_tests
from notebooks.claims import Judged, append, could_fail, keep, kept, measure
from notebooks.runs import NOTEBOOKS

pytestmark = pytest.mark.alone
RUN_ALL_SECONDS = 180  # a bound for a slow machine; the aim is 60 to 90

broken: dict[Path, set[str]] = {}
checks: dict[Path, list[tuple[str, str, str, str]]] = {}  # for the exercises that measure time


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def measured(request: pytest.FixtureRequest) -> tuple[Path, nbformat.NotebookNode, list[Judged], float]:
    path: Path = request.param
    checks[path] = []
    run, judged = measure(
        path, lambda session: checks[path].extend(notebook_tests.answers(session, timed=True))
    )
    append(judged)
    keep(path, run)
    broken[path] = {claim.claim for claim in judged if not claim.held}
    print(run.told())
    return path, run.notebook, judged, run.total


def test_run_all_reaches_the_end_in_the_time_a_reader_waits(measured, record_property) -> None:
    path, notebook, judged, seconds = measured
    noted = [f"{claim.note}: {claim.claim} ({claim.margin:.0f} %)" for claim in judged if claim.note]
    record_property(
        "told",
        f"{path.name[:2]} at its usual sizes: {seconds:.1f} s" + "".join(f"\n   {c}" for c in noted),
    )
    notebook_tests.no_cell_fails(notebook)
    assert seconds < RUN_ALL_SECONDS


def test_exercises_that_measure_time_accept_the_solution_and_explain_wrong_answers(measured) -> None:
    path, notebook, _, _ = measured
    notebook_tests.exercises_are_open_until_they_are_answered(notebook, timed=True)
    notebook_tests.solutions_are_right_and_wrong_answers_explained(checks[path])


def test_every_claim_could_fail(measured) -> None:
    """A bound that no run comes near says nothing; kept runs of the same text also count."""
    path, _, judged, _ = measured
    assert judged
    runs: dict[str, list[Judged]] = {claim.claim: [] for claim in judged}
    for row in kept():
        if row.notebook == path.stem and row.claim in runs:
            runs[row.claim].append(row)
    assert [rows[-1] for rows in runs.values() if not could_fail(rows)] == []


def test_a_claim_that_broke_holds_when_its_notebook_runs_once_more() -> None:
    """A briefly busy machine may break a claim; a wrong claim breaks twice."""
    for path, claims in broken.items():
        if claims:
            _, judged = measure(path)
            append(judged)
            again = [claim for claim in judged if claim.claim in claims and not claim.held]
            told = [f"{claim.claim}: {claim.value}, {claim.bound}, {claim.note}" for claim in again]
            assert not told, f"{path.name[:2]}: {'; '.join(told)}"
