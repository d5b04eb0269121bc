"""The notebooks as stored: the form that all of them share. Takes a second."""

import re
import statistics
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from notebooks import form, predictions
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
    # each limit of that dive is a class
    if path.stem != "compare-limits":
        assert statistics.median(lines) <= 6
        assert statistics.quantiles(lines, n=10)[-1] <= 15
    assert max(lines) <= 30
    wide = [line for cell in code_cells(notebook) for line in cell.source.splitlines() if len(line) > 100]
    assert not wide, "lines that need a scroll bar on the page"


@every_notebook
def test_a_lesson_has_the_form_of_an_evening(path: Path) -> None:
    assert list(form.problems(read(path), path.stem)) == []


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


def cells(*sources: str) -> list[nbformat.NotebookNode]:
    """Cells of a notebook, named 0, 1, …; those that begin with a dot are code."""
    kinds = [
        nbformat.v4.new_code_cell if source[0] == "." else nbformat.v4.new_markdown_cell for source in sources
    ]
    return [
        kind(source.removeprefix("."), id=str(i))
        for i, (kind, source) in enumerate(zip(kinds, sources, strict=True))
    ]


# --- the clock and the list of what is not yet right ---


def test_the_clock_counts_words_lines_claims_predictions_exercises_and_the_run() -> None:
    exercise = nbformat.v4.new_code_cell("int x = Check.OPEN;", metadata={"tags": ["exercise"]})
    plumbing = nbformat.v4.new_code_cell("int hidden = 1;", metadata={"tags": ["plumbing"]})
    text = "A [link](page.md#of-three-words) · `code`. " * 40
    made = cells(
        f"## 1 · A\n\n{text}\n\n> **Predict.** How?",
        "." + "int a;\n\n" * 15,
        '.Claim.that("a",\n    a).atMost(1)',
        ".Claims.table()",
        "## More · B\n\n" + "no word counts " * 100,
        ".int more;",
        "## 2 · C",
    )
    clock = form.clock(nbformat.v4.new_notebook(cells=[*made, exercise, plumbing]))
    # 8 words, and 5 in each of the 40 sentences: · and . count, the address does not
    assert clock == pytest.approx((208 / 200 + 15 / 15 + 2 / 30 + 1 + 1, 9))


def test_what_was_there_before_a_rule_is_no_problem_but_nothing_new_is_and_the_list_only_shrinks() -> None:
    broken = form.Broken("title", "chart", "chart: a sentence")
    assert list(form.of_listed([broken], {})) == ["chart: a sentence"]
    assert list(form.of_listed([broken], {"number": ["chart"]})) == [
        "chart: a sentence",
        "chart keeps the rule now: take it from number in not_yet.toml",
    ]
    assert list(form.of_listed([broken], {"title": ["chart"]})) == []
    assert list(form.of_listed([], {"title": ["chart"]})) == [
        "chart keeps the rule now: take it from title in not_yet.toml"
    ]
    assert {*form.NOT_YET} <= {path.stem for path in [*NOTEBOOKS, *DIVES]}


# --- nothing gives a prediction away ---

SETTING = "## 1 · Sleepers\n\nEight threads sleep for 50 ms."
PROMPT = "> **Predict.** How many sleeps per second do\n> ten of them manage?"
GUESS = '.var guess = Guess.number("sleeps", "sleeps/s").between(1, 400);\nguess'
RUN = ".var trials = run(10);"
CHART = '.Plots.titled("Sleeps per second over the number of threads", Plots.bySize(trials, "sleeps/s"))'
LOOK = "**Look.** All 200 are there.\n\n**Finding.** It is 200."
CLAIM = '.Claim.that("200 sleeps per second", perSecond)\n        .within(0.1).of(10 / 0.05)'


def given_away(*sources: str) -> list[tuple[str, str]]:
    return [(rule, where) for rule, where, _ in form.of_prompts(cells(*sources))]


def test_a_prompt_with_its_guess_before_a_neutral_chart_gives_nothing_away() -> None:
    assert given_away(SETTING, PROMPT, GUESS, RUN, CHART, LOOK, CLAIM) == []
    assert given_away(f"{SETTING}\n\n{PROMPT}", GUESS, "It takes a second.", RUN, CLAIM, LOOK) == []


def test_a_prompt_is_followed_by_the_place_for_its_guess() -> None:
    assert given_away(SETTING, PROMPT, RUN, GUESS, CHART, LOOK, CLAIM) == [("no_guess", "1")]
    asked_twice = [SETTING, PROMPT, GUESS, RUN, PROMPT, RUN, LOOK, CLAIM]
    assert given_away(*asked_twice) == [("no_guess", "4")]
    assert given_away(SETTING, PROMPT, LOOK, GUESS) == [("no_guess", "1")]


@pytest.mark.parametrize(
    "told",
    [
        "It will be 200.",
        '.System.out.println("measured, where 200 is predicted");',
        ".run(10);   // about 200",
        '.var chart = Plots.onPrediction(trials, "sleeps/s", "200", n -> 200);',
        '.Claim.that("200 sleeps per second", run(10)).within(0.1).of(10 / 0.05)',
        '.Plots.level(chart, "theory", 200);',
    ],
)
def test_no_text_and_no_cell_tells_the_number_of_the_theory_before_the_result(told: str) -> None:
    rest = [LOOK] if "Claim" in told else [RUN, LOOK, CLAIM]
    assert given_away(SETTING, PROMPT, GUESS, told, *rest) == [("number", "3")]
    assert given_away(SETTING, PROMPT, GUESS, RUN, LOOK, told, *rest[1:]) == []
    assert given_away(f"{SETTING} The limit is 200.", PROMPT, GUESS, told, *rest) == []


def test_a_line_of_the_chart_is_theory_too_and_a_claim_belongs_to_the_prompt_before_it() -> None:
    level = '.Plots.level(chart, "theory", 300);'
    assert given_away(SETTING, PROMPT, GUESS, RUN, level, LOOK) == [("number", "4")]
    other = ".run(10);   // about 200"
    assert given_away(SETTING, PROMPT, GUESS, other, PROMPT, GUESS, RUN, LOOK, CLAIM) == []


def test_a_number_that_the_question_gives_in_digits_words_or_another_unit_tells_nothing() -> None:
    claim = '.Claim.that("as given", took).within(0.1).of(n -> 8 * 0.05 / 10)'
    text = "All 8 begin, each for 50 ms or 0.05 s, and 10 end."
    assert given_away(SETTING, PROMPT, GUESS, text, RUN, LOOK, claim) == []
    hidden = cells(SETTING, PROMPT, GUESS, ".run(10);   // 200", RUN, LOOK, CLAIM)
    hidden[3].metadata.tags = ["plumbing", "hide-input"]
    assert list(form.of_prompts(hidden)) == []
    assert given_away(SETTING, PROMPT, GUESS, ".var t = call(200, 20);", RUN, LOOK, CLAIM) == []


@pytest.mark.parametrize(
    "call",
    [
        'Plots.titled("Ten threads sleep at once", Plots.bySize(trials, "sleeps over time"))',
        'chart.setTitle("The time rises by a second");',
        'trials.live(it -> Plots.titled(\n    "Only virtual threads " + "sleep over it", Plots.timings(it)))',
        'lanes.lane("a", 1, 2).chart("A second is lost")',
        'Plots.titled(unix ? "Time by threads" : "Threads wait", Plots.bySize(trials, "s"))',
    ],
)
def test_a_title_before_the_result_says_what_is_plotted_against_what(call: str) -> None:
    assert given_away(SETTING, PROMPT, GUESS, RUN, f".{call}", LOOK, CLAIM) == [("title", "4")]
    assert given_away(SETTING, RUN, f".{call}", PROMPT, GUESS, RUN, LOOK, f".{call}", CLAIM) == []


@pytest.mark.parametrize(
    "title",
    [
        "Wall time against the number of tasks, each of 1 s",
        "Requests inside over time, while the database stands still",
        "Threads begun, of eight, by kind of wait and Java version",
        "p99 against load: arrivals at random and evenly spaced",
    ],
)
def test_a_noun_phrase_is_a_neutral_title(title: str) -> None:
    assert predictions.is_neutral(title)
