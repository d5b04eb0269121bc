"""The faults of notebook 15: a reader who sees only the tools' output, not the source, finds each of them.

Takes half a minute a fault. make test-all tries one, and the release all ten, with nothing beside them:
a shop without CPU time reaches a limit other than its fault's.
"""

import os
from collections.abc import Iterator

import pytest
from notebooks.runs import ROOT, Session, code_cells, numbered

SEEDS = range(1, 11) if os.environ.get("THREADLAB_RELEASE") else [1]
READER = ROOT / "tests/support/ScriptedReader.java"
EXAMINE = """
    var shop = HiddenCase.seed({}).start();
    var seen = examine(shop, "examined");
    // as the notebook's table says, that is no fault of the service
    for (int again = 0; again < 2 && (seen.limits() + "").contains("met: the machine's CPUs"); again++) {{
        shop.start();
        seen = examine(shop, "examined");
    }}
    var found = ScriptedReader.read(
            seen.limits(), loads.last(1), seen.watched(), seen.dump(), seen.events());
"""
JUDGE, LINE, FIGURE = "shop.check(new Diagnosis(found.cause(), {}, {}, {}))", "found.line()", "found.figure()"
CELLS = ("libraries", "imports", "load", "recording", "recorded", "examine-method")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A kernel with the notebook's own tools at their small sizes, and the reader."""
    notebook = Session(numbered("15"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("THREADLAB_SCALE", "small")
        with notebook.kernel():
            for cell in code_cells(notebook.stored):
                if cell.id in CELLS:
                    notebook.run(cell.source)
            notebook.run(READER.read_text(encoding="utf-8"))
            yield notebook
            notebook.run("shop.close();")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_output_of_the_tools_leads_to_the_fault_and_its_repair_repairs(
    session: Session, seed: int
) -> None:
    session.run(EXAMINE.format(seed))
    if seed == 1:
        what_repairs_nothing_is_refused(session)
    said = session.run(JUDGE.format(LINE, FIGURE, "ScriptedReader.repair(found.cause())"))
    assert "✔" in said, "\n".join([said, *map(session.run, ("found", "seen.limits()", "seen.dump()"))])


def what_repairs_nothing_is_refused(session: Session) -> None:
    assert "does not fit" in session.run(JUDGE.format(LINE, FIGURE + " * 2", "Repair.NONE"))
    assert "It does not happen at" in session.run(JUDGE.format('"Shop.java:1"', FIGURE, "Repair.NONE"))
    assert "The evidence is right, but" in session.run(JUDGE.format(LINE, FIGURE, "Repair.NONE"))
