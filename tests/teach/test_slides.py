"""Slides from the stored notebooks, without a browser: what stands on them, and what runs again. A second."""

import re
from pathlib import Path

import nbformat
import pytest
from notebooks import claims, recorded
from notebooks.runs import NOTEBOOKS, code_cells, numbered, read, tagged
from teach import slides
from teach.plans import PLANS


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
