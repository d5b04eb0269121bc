"""The notebooks as stored: the form that all of them share. Takes a second."""

import re
import statistics
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from notebooks import form
from notebooks.runs import DIVES, NOTEBOOKS, code_cells, read

every_notebook = pytest.mark.parametrize("path", [*NOTEBOOKS, *DIVES], ids=lambda path: path.stem)


@every_notebook
def test_the_stored_notebook_has_the_course_s_form(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "java"
    assert all(not cell.outputs and cell.execution_count is None for cell in code_cells(notebook))

    head, tail = notebook.cells[0].source, notebook.cells[-1].source
    place = "" if path in DIVES else f"{path.name[:2]} · "
    assert re.match(rf"# {place}[A-Z]\w+ ", head), "the title starts with the number and a verb"
    for part in ("What you'll do", "What you'll learn", "What you'll need", "Time"):
        assert f"**{part}" in head
    for part in ("Key points", "In practice", "Further reading"):
        assert f"## {part}" in tail
    for part in ("glossary.md#", "On your own" if path in NOTEBOOKS else ""):
        assert any(part in cell.source for cell in notebook.cells)
    assert code_cells(notebook)[-1].source == "Claims.table()", "the last code cell lists the claims"

    lines = [
        sum(1 for line in cell.source.splitlines() if line.strip())
        for cell in code_cells(notebook)
        if "solution" not in cell.metadata.get("tags", [])
    ]
    # each door of that dive is a class
    if path.stem != "compare-doors":
        assert statistics.median(lines) <= 6
        assert statistics.quantiles(lines, n=10)[-1] <= 15
    assert max(lines) <= 30
    wide = [line for cell in code_cells(notebook) for line in cell.source.splitlines() if len(line) > 100]
    assert not wide, "lines that need a scroll bar on the page"


@every_notebook
def test_a_lesson_has_the_form_of_an_evening(path: Path) -> None:
    assert list(form.problems(read(path), form.seconds(path), path.stem)) == []


@every_notebook
def test_what_is_to_repair_stands_in_sight_above_its_claim(path: Path) -> None:
    cells = read(path).cells
    for stub, check in pairwise(cells):
        repair = "repair" in form.tags(check) and "check" in form.tags(check)
        assert repair == ("Claim.repair(" in check.source), check.id
        if repair:
            assert form.tags(stub) == {"exercise", "repair"}, stub.id
            assert form.tags(check) == {"check", "repair"}, f"{check.id} hides the claim"


@pytest.mark.parametrize("path", DIVES, ids=lambda path: path.stem)
def test_the_lesson_that_a_dive_leads_back_to_leads_to_it(path: Path) -> None:
    [lesson, *_] = re.findall(r"\]\(\.\./([\w-]+\.ipynb)\)", read(path).cells[-1].source)
    text = "\n".join(cell.source for cell in read(path.parent.parent / lesson).cells)
    assert f"](deeper/{path.name})" in text


def test_a_lesson_of_two_sittings_says_what_the_first_found_and_how_to_begin_the_second() -> None:
    def cells(*sources: str) -> list[nbformat.NotebookNode]:
        return [nbformat.v4.new_markdown_cell(source) for source in sources]

    first, pause, second = "## 1 · A", f"## {form.PAUSE}\n\n- A point.", "## 2 · B"
    resume = "Choose *Run → Run All Above Selected Cell*."
    assert list(form.of_pause(cells(first, second))) == []
    assert list(form.of_pause(cells(first, pause, resume, second))) == []
    assert list(form.of_pause(cells(first, second, f"## {form.PAUSE}"))) == [
        f"{form.PAUSE}: no key points",
        f"{form.PAUSE}: it does not say how to go on in a new kernel",
        f"{form.PAUSE}: it does not stand between two parts",
    ]
