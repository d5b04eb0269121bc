"""Slides from the stored notebooks, without a browser: what stands on them, and what runs again. A second."""

import json
import re
from html import escape
from pathlib import Path

import nbformat
import pytest
from notebooks import claims, recorded
from notebooks.runs import NOTEBOOKS, code_cells, numbered, read, tagged
from teach import slides
from teach.plans import PLANS, TEACHING


@pytest.fixture(autouse=True)
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slides, "executed", read)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_each_slide_has_notes_and_no_slide_more_code_than_fits(path: Path) -> None:
    made = [*slides.of_plan(path)]
    assert not [slide.heading for slide in made if len(slide.notes.split()) < 3]
    code = [re.sub("<[^>]+>", "", slide.body) for slide in made if slide.kind == "code"]
    assert code and max(text.count("\n") for text in code) <= slides.CODE + 1
    assert not [text for text in code if "Plots." in text or ".setTitle(" in text or ".live(" in text]
    assert not [slide.heading for slide in made if slide.kind == "result" and "<th>" in slide.body]


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_an_exercise_stands_below_its_question_and_its_answer_is_in_the_notes(path: Path) -> None:
    made = [*slides.of_plan(path)]
    stubs = {cell.id: cell.source for lesson in NOTEBOOKS for cell in tagged(read(lesson), "exercise")}
    shown = re.findall(r"cell-id=([\w-]+)", path.read_text(encoding="utf-8"))
    exercises = [slide for slide in made if slide.kind == "exercise"]
    assert len(exercises) >= len([cell for cell in shown if cell in stubs]) > 0
    for slide in exercises:
        question = re.sub("<[^>]+>", " ", slide.body.partition('<div class=" highlight')[0])
        assert len(question.split()) > 7, slide
        assert "Check.OPEN`" not in slide.body and "The answer:" in slide.notes


def test_code_that_draws_is_hidden_and_what_measures_stays() -> None:
    cells = {cell.id: cell.source for cell in code_cells(read(numbered("01")))}
    run = slides.experiment(cells["closed-run"])
    assert ".platform(n ->" in run and ".run();" in run and "Plots" not in run and ".live" not in run
    assert slides.experiment(cells["open-run"]) == "var samples = ordersInside(2_500, 3);"
    assert slides.experiment(cells["pool-chart"]) == slides.experiment(cells["pool-claim"]) == ""
    title = (
        'var words = "%d of %d".formatted(1, 2);\nvar chart = Plots.bars(t);\nchart.setTitle(words);\nchart'
    )
    assert slides.experiment("int n = 3;\n" + title) == "int n = 3;\nchart"


def test_a_part_without_a_chart_gets_one_of_its_claims() -> None:
    def said(text: str) -> nbformat.NotebookNode:
        mark, words, figures = text.split("|")
        page = f'<div style="x"><strong>{mark} {words}</strong><br>{figures}; 4 % of the margin used</div>'
        output = nbformat.v4.new_output("display_data", {"text/html": page, "text/plain": ""})
        return nbformat.v4.new_code_cell("Claim.that(…)", outputs=[output])

    part = [
        said("✔|a ratio|2.838, allowed: at least 1.5 (predicted 3)"),
        said("✘|a law|virtual at 30: 94.62 (93.34 to 95.16 in 3 trials), allowed: within 10 % of 100"),
    ]
    [slide] = slides.figure(part, "Part", "notes")
    lanes = re.findall(r"left:([\d.]+)%(?:;width:([\d.]+)%)?", slide.body)
    assert slide.kind == "claims" and "2.838" in slide.body and "✘ a law" in slide.body
    end = 1.15 * 110
    assert [float(x) for x in lanes[2] if x] == pytest.approx([90 / end * 100, 20 / end * 100], abs=0.1)
    assert float(lanes[3][0]) == pytest.approx(94.62 / end * 100, abs=0.1)


def with_figures(number: str, cell_id: str) -> nbformat.NotebookNode:
    """A lesson in which one guess has been compared."""
    lesson = read(numbered(number))
    [cell] = [cell for cell in lesson.cells if cell.id == cell_id]
    spec: dict = {
        "kind": "figures",
        "about": "n tasks",
        "figure": "seconds",
        "unit": " s",
        "line": True,
        "log": True,
    }
    spec |= {"sizes": [1_000, 100_000], "low": 0.1, "high": 1_000.0}
    marks = [{"n": n, "words": "", "value": 1.5} for n in spec["sizes"]]
    page = f'<div data-guess="{escape(json.dumps({"spec": spec, "measured": marks}))}">…</div>'
    cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": page})]
    return lesson


def test_a_question_has_empty_axes_a_vote_its_answers_and_no_slide_says_what_the_lecturer_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran = with_figures("00", "hundred-guess")
    monkeypatch.setattr(slides, "executed", lambda path: ran if path.name.startswith("00") else read(path))
    drawn = {("00", "hundred-guess"): [{1_000: 1.0, 100_000: 2.0}, {1_000: 9.0, 100_000: 99.0}]}
    monkeypatch.setattr(slides, "exported", lambda: drawn)
    made = [*slides.of_plan(TEACHING / "plan-hall.md")]
    axes, answer = [slide for slide in made if slide.kind == "axes"]
    assert axes.heading.startswith("100,000 virtual threads are started") and "1.5 s" not in axes.body
    assert "2 answers" in answer.body and "1.5 s" in answer.body and "50 % of you" in answer.body
    [vote] = [slide for slide in made if slide.heading == "Switch or not?"]
    assert vote.body.count("<li>") == 4 and "Check.OPEN" not in "".join(slide.body for slide in made)
    directions = re.compile(
        r"[Hh]and out|[Ss]how the code|[Ll]eave the chart|Run the (next|two) cells?|upload"
    )
    assert not [slide for slide in made if directions.search(re.sub("<[^>]+>", " ", slide.body))]
    assert any("hand out the sheet" in slide.notes for slide in made)
    lesson = [slide.body for slide in slides.of_lesson(numbered("00"))]
    assert not [body for body in lesson if "draw a line" in body] and any("<svg" in body for body in lesson)


def test_a_claim_that_a_busy_machine_could_not_judge_is_shown_as_the_record_has_it() -> None:
    row = next(row for row in recorded.rows() if row.size == "usual" and row.judged and row.held)
    tail = "1.5, allowed: at most 2. Not judged: other programs used the CPUs."
    page = f"<strong>≈ {escape(row.claim)}</strong><br>{tail}"
    output = nbformat.v4.new_output("display_data", {"text/html": page, "text/plain": ""})
    [slide] = slides.results(nbformat.v4.new_code_cell("", outputs=[output]), "Part", "notes")
    assert "Not judged" not in slide.body and f"✔ {escape(row.claim)}" in slide.body
    assert row.date[:10] in slide.body and escape(row.machine) in slide.body


def test_a_chart_of_a_busy_machine_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = read(numbered("00"))
    cells = {cell.id: cell for cell in ran.cells}
    picture = {"metadata": {"image/png": {"width": 700, "height": 400}}}
    cells["hundred"].outputs = [nbformat.v4.new_output("display_data", {"image/png": ""}, **picture)]
    cells["compare"].outputs = cells["hundred"].outputs
    page = "<strong>≈ something new</strong><br>1.5, allowed: at most 2. Not judged: other programs."
    cells["hundred-claim"].outputs = [nbformat.v4.new_output("display_data", {"text/html": page})]
    monkeypatch.setattr(slides, "executed", lambda path: ran if path.name.startswith("00") else read(path))
    charts = [slide for slide in slides.of_plan(TEACHING / "plan-hall.md") if slide.kind == "chart"]
    assert [slides.BUSY in slide.body for slide in charts] == [True, False, False, False]


def test_new_words_run_no_lesson_again_and_new_code_or_a_new_library_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, path = read(numbered("00")), tmp_path / "00-words.ipynb"
    ran = read(numbered("00"))
    for cell in code_cells(ran):
        cell.outputs = [nbformat.v4.new_output("stream", text=f"of {cell.id}")]
    nbformat.write(stored, path)
    stamp = {"code": recorded.code(path), "library": recorded.library()}
    ran.metadata["threadlab"] = stamp
    monkeypatch.setattr(claims, "EXECUTED", tmp_path / "ran")
    assert claims.fresh(path) is None
    (tmp_path / "ran").mkdir()
    nbformat.write(ran, tmp_path / "ran" / path.name)

    stored.cells[0].source = "# New words"
    stored.cells.insert(1, nbformat.v4.new_markdown_cell("More words."))
    nbformat.write(stored, path)
    recorded.code.cache_clear()
    kept = claims.fresh(path)
    assert kept.cells[0].source == "# New words" and kept.cells[1].source == "More words."
    assert all(cell.outputs[0].text == f"of {cell.id}" for cell in code_cells(kept))
    monkeypatch.setattr(claims, "library", lambda: "another")
    assert claims.fresh(path) is None
    monkeypatch.undo()
    monkeypatch.setattr(claims, "EXECUTED", tmp_path / "ran")
    code_cells(stored)[0].source += " "
    nbformat.write(stored, path)
    recorded.code.cache_clear()
    assert claims.fresh(path) is None
