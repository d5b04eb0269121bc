"""The notebooks as stored: the form that all of them share. Takes a second."""

import re
import statistics
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from notebooks import claims, form
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
def test_a_lesson_has_the_form_of_forty_minutes(path: Path) -> None:
    assert list(form.problems(read(path), form.seconds(path), path in DIVES)) == []


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


# --- the clock and the rules, on made-up lessons ---


def java(source: str, *tags: str) -> NotebookNode:
    return new_code_cell(source, metadata={"tags": list(tags)})


def text(source: str, **metadata: bool) -> NotebookNode:
    return new_markdown_cell(source, metadata=metadata)


def more(title: str = "## More · Colours") -> NotebookNode:
    return text(title, **{form.COLLAPSED: True})


def lesson(*inside: NotebookNode, minutes: int = 1) -> NotebookNode:
    """A lesson of three parts in the right form, with further cells in its first part."""
    finding = "**Finding.** It holds."
    parts = [[text("## 1 · One"), *inside, text(finding)]]
    parts += [[text(f"## {title}\n\n{finding}")] for title in ("2 · Two", "3 · Three")]
    head = text(f"# 01 · Run it\n\n**Time.** {minutes} minutes.")
    return new_notebook(cells=[head, *(cell for part in parts for cell in part), text("## Key points")])


def problems(*inside: NotebookNode, minutes: int = 1, run: float | None = 0) -> str:
    return "\n".join(form.problems(lesson(*inside, minutes=minutes), run))


def test_the_clock_counts_words_cells_exercises_and_the_run() -> None:
    alone = form.clock(lesson(), 0)
    assert alone == form.count(form.prose(lesson().cells)) / 200
    for minutes, cells in [
        (1, [text("word " * 200)]),
        (0, [text("```java\n" + "word " * 200 + "```")]),
        (0.5, [java("run()")]),
        (0, [java('Claim.that("it holds", 1).atMost(2)'), java("Claims.table()")]),
        (4.5, [java("double x;", "exercise"), java("check(x)", "check"), java("{ x = 1; }", "solution")]),
        (4.5, [java("class A {}", "exercise", "repair"), java('Claim.repair("a", 1)', "check", "repair")]),
    ]:
        assert form.clock(lesson(*cells), 0) == pytest.approx(alone + minutes), cells
    assert form.clock(lesson(), 90) == pytest.approx(alone + 1.5)


def test_the_run_is_the_median_of_those_last_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (claims, form):
        monkeypatch.setattr(module, "RUN_ALL", tmp_path / "run-all.csv")
    first, second = NOTEBOOKS[:2]
    claims.record_seconds({first: [50, 70, 300], second: [40]})
    claims.record_seconds({second: [61.4]})
    assert [form.seconds(path) for path in NOTEBOOKS[:3]] == [70, 61, None]


def test_the_clock_leaves_more_out_up_to_the_next_heading_of_its_level() -> None:
    skipped = [more("### More · Colours"), text("word " * 200), text("#### Red"), java("run()")]
    back = [text("### Back"), java("run()")]
    assert form.clock(lesson(*skipped, *back), 0) == form.clock(lesson(*back), 0)


def test_a_lesson_with_the_form_has_no_problems() -> None:
    assert problems() == ""
    assert problems(java("var a = 1;"), more("### More · B"), java("var b = a;"), text("### On")) == ""


def test_the_first_cell_says_the_time_as_computed() -> None:
    slow = text("word " * 600)  # a little over three minutes, rounded up
    assert problems(java("a();"), slow, minutes=4) == ""
    assert problems(java("a();"), slow, minutes=3) == ("the first cell must say **Time.** 4 minutes")
    assert problems(minutes=42, run=41.5 * 60) == "it takes 42 minutes, and at most 40 are allowed"
    assert "no run is recorded" in problems(run=None)
    dive = list(form.problems(lesson(minutes=26), 25.5 * 60, dive=True))
    assert dive == ["it takes 26 minutes, and at most 25 are allowed"]


@pytest.mark.parametrize(
    ("found", "cells"),
    [
        ("core: 2,0", [java("a();"), text("word " * 1_990)]),
        (
            "core: 2,0",
            [java("a();"), text("word " * 1_500), *(java("// " + "word " * 100) for _ in range(5))],
        ),
        ("core and More: 2,5", [java("a();"), more("### More · B"), text("word " * 2_490)]),
        ("words before the first code cell", [text("word " * 120), java("a();")]),
        ("9 parts instead of three to eight", [text("## 4 · Four") for _ in range(6)]),
        ("## On your own is neither", [text("## On your own")]),
        ("## 4 · Four must have the number 2", [text("**Finding.** A.\n\n## 4 · Four")]),
        ("## 1 · One does not end with", [text("**Finding.** Twice.")]),
        ("## 1 · One does not end with", [text("**Finding.** A."), text("### On your own · A")]),
        ("have no jp-Markdown", [text("### More · B")]),
        ("more than one sentence", [more("### More · B\n\nOne. Two.")]),
        ("needs b, declared only in More", [java("int a = b;"), more("### More · B"), java("int b = 1;")]),
        ("parentheses in", [text("One (in brackets, too). " * 3)]),
        ("Claim.printed", [java("var p = Published.of(t);"), java('Claim.that("it", p.at(1)).atMost(2)')]),
    ],
)
def test_what_a_lesson_misses_is_said(found: str, cells: list[NotebookNode]) -> None:
    assert found in problems(*cells)


def test_short_parentheses_links_code_and_formulas_are_none() -> None:
    assert problems(text("A (p99) [link, two](b.md) `f(a, b)` $f(x + y)$ here.")) == ""
