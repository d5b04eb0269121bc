"""teaching/, compared with the notebooks: plans, sheets, the settings for hubs. Takes a second."""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import yaml
from nbformat import NotebookNode
from notebooks import reading
from notebooks.runs import DIVES, NOTEBOOKS, numbered, read, tagged
from teach import handouts, plans
from teach.exercises import exercises, text_above
from teach.homework import make
from teach.plans import BEGIN, LESSON, PLANS, TEACHING, Row, plan
from teach.questions import Question, asks

every_plan = pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)


def taught(path: Path) -> dict[str, list[tuple[range, Row]]]:
    """The lines of a plan that teach a lesson, each with the parts that it names."""
    found = defaultdict(list)
    for row in (row for meeting in plan(path) for row in meeting):
        if label := LESSON.match(row.do):
            found[label[1]].append((range(int(label[2]), int(label[3] or label[2]) + 1), row))
    return found


def left(path: Path) -> set[tuple[str, int]]:
    """The lesson and number of each part that a plan, or the plan with which it begins, leaves for home."""
    text = path.read_text(encoding="utf-8")
    line = re.search(r"^\*\*Left for home\.\*\* (.*)", text, re.MULTILINE)[1]
    begun = BEGIN.search(text)
    before = left(path.with_name(begun[1])) if begun else set()
    return before | {(lesson, int(part)) for lesson, part in re.findall(r"(\d\d) · (\d)", line)}


def parts(lesson: str) -> dict[int, list[NotebookNode]]:
    """The cells of a lesson's core by the number of their part; 0 means before or after the parts."""
    found, part = defaultdict(list), 0
    for cell in reading.divided(read(numbered(lesson)))[0]:
        level, words = reading.heading(cell)
        if level == 2:
            part = int(words.split()[0]) if " · " in words else 0
        found[part].append(cell)
    return found


def minutes(cells: list[NotebookNode], rows: list[Row]) -> float:
    """The clock's minutes for these cells, without the run and the exercises that no line shows."""
    shown = {cell for row in rows for _, cell in row.cells}
    kept = [cell for cell in cells if "exercise" not in reading.tags(cell) or cell.id in shown]
    return sum(reading.clock(NotebookNode(cells=kept))) - 1


@every_plan
def test_a_plan_has_no_gap_says_what_to_show_and_ask_and_keeps_its_time(path: Path) -> None:
    promise = r"^\*\*Time\.\*\* (?:(\d+) × )?(\d+) minutes: (\d+) for the lessons, (\d+) for .*discussion"
    found = re.search(promise, path.read_text(encoding="utf-8"), re.MULTILINE)
    times, length, lessons, rest = (int(number or 1) for number in found.groups())
    spent: Counter[bool] = Counter()
    assert [meeting[-1].end for meeting in plan(path)] == times * [length]
    for meeting in plan(path):
        assert [0, *(row.end for row in meeting[:-1])] == [row.begin for row in meeting]
        assert all(row.end > row.begin and row.do and row.cells for row in meeting)
        assert sum(bool(row.ask) for row in meeting) >= len(meeting) / 2
        for row in meeting:
            spent[bool(LESSON.match(row.do))] += row.end - row.begin
    assert (spent[True], spent[False]) == (lessons, rest)


@every_plan
def test_each_part_is_shown_or_left_for_home_in_the_minutes_of_its_clock(path: Path) -> None:
    at_home = left(path)
    for lesson, lines in taught(path).items():
        cells, rows = parts(lesson), [row for _, row in lines]
        place = {cell.id: part for part, inside in cells.items() for cell in inside}
        for named, row in lines:
            assert {name for name, _ in row.cells} == {numbered(lesson).name}, row.do
            assert {place.get(cell) for _, cell in row.cells} == set(named), row.do
            needed = minutes([cell for part in named for cell in cells[part]], [row])
            assert row.end - row.begin >= needed, f"{row.do} takes {needed:.1f} minutes"
        inside = [0, *(part for named, _ in lines for part in named)]
        out = {part for number, part in at_home if number == lesson}
        assert sorted([*inside, *out]) == sorted(cells), f"{lesson}: a part is missing or there twice"
        kept = [cell for part in inside for cell in cells[part]]
        needed = minutes(kept, rows) + 1
        given = sum(row.end - row.begin for row in rows)
        assert given >= needed, f"{lesson} has {given} minutes and takes {needed:.1f}"


@pytest.mark.parametrize(
    "name, lessons", [("90-minutes", 2), ("hall", 2), ("one-day", 8), ("term", len(NOTEBOOKS))]
)
def test_a_plan_teaches_its_lessons_from_the_first_one_on(name: str, lessons: int) -> None:
    path = TEACHING / f"plan-{name}.md"
    first = NOTEBOOKS[:lessons]
    assert plans.shown(path)[:lessons] == first
    assert list(taught(path)) == [lesson.name[:2] for lesson in first]


@every_plan
def test_each_question_of_a_plan_names_its_widget(path: Path) -> None:
    """Where a part of the lesson lets its reader guess, the line that asks shows one of these guesses."""
    for lesson, lines in taught(path).items():
        cells = parts(lesson)
        for named, row in lines:
            guesses = [cell.id for part in named for cell in cells[part] if asks(cell)]
            links = ", ".join(
                f"[{lesson} {guess}]({numbered(lesson).name}#cell-id={guess})" for guess in guesses
            )
            assert not row.ask or not guesses or {*guesses} & {cell for _, cell in row.cells}, (
                f"name one: {links}"
            )


def test_votes_for_moodle_have_a_range_for_a_number_and_replies_for_each_answer() -> None:
    spec = {"kind": "figures", "figure": "seconds", "unit": " s", "sizes": [1, 100], "line": True}
    number = Question("00", "a", "{How} long = ~?\n\n| a |", spec, {1: 1.0, 100: 1.5})
    vote = Question(
        "00", "b", "Which?", {"kind": "choice", "options": ["1", "2: two"]}, {1: 2.0}, ("No.", "Yes.")
    )
    first, second = handouts.gift([number, vote]).split("\n\n")
    assert first.splitlines() == [
        r"::00 a::[markdown]\{How\} long \= \~?\n\n| a | At 100 {",
        "#0.75..3",
        "####1.5 s",
        "}",
    ]
    assert second.strip().splitlines()[1:] == ["~1#No.", r"=2\: two#Yes.", "}"]


# --- sheets and settings ---


def test_the_sheet_asks_every_prediction_of_its_notebooks() -> None:
    paths = [*NOTEBOOKS, *DIVES]
    sheet = handouts.sheet({path.stem: handouts.predictions(path) for path in paths})
    asked = sum(cell.source.count("**Predict.**") for path in paths for cell in read(path).cells)
    assert sheet.count('<td class="line"></td><td class="line"></td>') == asked > 100
    assert "$" not in sheet


@pytest.mark.parametrize("name", ["90-minutes", "hall"])
def test_a_question_of_the_sheet_can_be_answered_by_whoever_reads_nothing_else(name: str) -> None:
    asked = [ask for found in handouts.of_plan(TEACHING / f"plan-{name}.md").values() for _, ask in found]
    elsewhere = re.compile(
        r"\b(above|below|these|this|those|the chart|the cell|the same|in each row)\b", re.I
    )
    unexplained = re.compile(r"λ|p99|\bceiling\b|\bcarrier|\bpool\b|\bloop\b")
    assert len(asked) == 8 and all(ask.count("?") >= 1 and len(ask.split()) > 12 for ask in asked)
    assert not [ask for ask in asked if elsewhere.search(ask) or unexplained.search(ask)]


def test_the_plan_for_a_hall_has_a_break_and_names_its_cuts() -> None:
    text = (TEACHING / "plan-hall.md").read_text(encoding="utf-8")
    [meeting] = plan(TEACHING / "plan-hall.md")
    [rest] = [row for row in meeting if row.do.startswith("Break")]
    assert rest.end - rest.begin >= 5 and 35 <= rest.begin <= 55
    cuts = re.search(r"^If you run late, cut in this order: (.*?)\. ", text, re.MULTILINE)[1]
    named = re.findall(r"(\d\d) · (\d) \((\d+)\)", cuts)
    assert named, "a cut has its minutes"
    for lesson, part, minutes in named:
        [row] = [row for row in meeting if row.do.startswith(f"**{lesson} · {part}**")]
        assert row.end - row.begin == int(minutes), row.do


def test_formulas_become_words_and_code_keeps_its_dollars() -> None:
    said = plans.plain(
        "$L = \\lambda \\cdot W$, $\\sqrt{\\lambda W}$; `A$B$C`\n\n```\nShop$$Lambda$1\n```\n$x$"
    )
    assert said == "L = λ · W, √(λ W); `A$B$C`\n\n```\nShop$$Lambda$1\n```\n*x*"


def test_a_drawing_is_inside_the_page_and_a_link_to_a_lesson_is_not() -> None:
    page = plans.page_text("![A shop](drawings/shop.svg) See [05](05-find.ipynb).")
    assert 'alt="A shop" src="data:image/svg+xml;base64,' in page and "See 05." in page


def test_the_wrong_answers_are_those_that_the_checks_explain_by_exercise_and_in_words() -> None:
    checks = [cell for path in NOTEBOOKS for cell in tagged(read(path), "check")]
    explained = sum(check.source.count(".mistake(") + check.source.count("Claim.repair(") for check in checks)
    found = [one for path in NOTEBOOKS for one in exercises(read(path).cells, timed=True)]
    assert sum(len(one.mistakes) for one in found) == explained and len(found) == len(checks)
    assert all(check.metadata.get("deletable") is False for check in checks), "a reader may delete a check"
    said = [handouts.answer(one, condition) for one in found for condition, _ in one.mistakes]
    said = [answer for answer in said if answer]
    assert len(said) > 60 and not [answer for answer in said if re.search(r"[=<>*_(]|->|Math", answer)]
    [pages] = [one for one in found if one.title == "Make a comparison fairer"]
    told = [handouts.answer(pages, condition) for condition, _ in pages.mistakes]
    assert told == ["more than 10", "less than 0.6", "about 1"]
    page = handouts.answers(NOTEBOOKS[:1])
    assert "They are fetched one after another" in page and "<h3>Fetch at the same time</h3>" in page


def told(page: str, question: str, check: str) -> list[str]:
    """The lines of a page with an answer of a check and two of the figures of its question."""
    figures = re.compile(r"\d[\d,_]*(?:\.\d+)?")

    def of(text: str) -> set[float]:
        return {float(found.replace(",", "").replace("_", "")) for found in figures.findall(text)}

    answers = {float(x.replace("_", "")) for x in re.findall(r"\.expect\(([\d._]+)[,)]", check)}
    answers -= {0, 1}
    asked = of(question) - answers
    return [line for line in page.splitlines() if answers & of(line) and len(asked & of(line)) >= 2]


def test_one_handout_prints_no_answer_that_is_marked_and_the_other_all() -> None:
    # without the lessons' numbers
    page = re.sub(r"\[[\d, ]+\]", "", (TEACHING / "handout.md").read_text(encoding="utf-8"))
    both = handouts.handout(), handouts.handout(NOTEBOOKS[:2])
    solution = "permits.acquire();"
    assert [solution in each for each in both] == [False, True]
    for path in make.GRADED:
        for each in exercises(cells := read(path).cells):
            question = cells[text_above(cells, each.stub)].source
            assert not told(page, question, each.check.source), (path.stem, each.stub.id)
    # as it once did
    law = "How many connections are needed for 300 requests per second, each of which holds one for 40 ms?"
    assert told(page, law, ".expect(12, 0.01,")


def test_the_handout_uses_the_words_of_the_notebooks() -> None:
    lessons = " ".join(cell.source for path in NOTEBOOKS for cell in read(path).cells).lower()
    terms = re.findall(r"\| \*\*([^*]+)\*\* \|", (TEACHING / "handout.md").read_text(encoding="utf-8"))
    assert len(terms) > 8
    assert [term for term in terms if f"**{term}" not in lessons] == []


def test_the_hub_s_settings_use_keys_that_the_chart_knows() -> None:
    values = yaml.safe_load((TEACHING / "hub/values.yaml").read_text(encoding="utf-8"))
    kept = json.loads((TEACHING / "hub/keys.json").read_text(encoding="utf-8"))
    types: dict[str, type | tuple[type, ...]] = {
        "object": dict,
        "integer": int,
        "number": (int, float),
        "string": str,
        "boolean": bool,
    }

    def leaves(value: object, path: str) -> None:
        if isinstance(value, dict) and path not in kept["keys"]:
            for key, below in value.items():
                leaves(below, f"{path}.{key}".lstrip("."))
            return
        known = kept["keys"][path]
        known = known if isinstance(known, list) else [known]
        fits = value in known or any(isinstance(value, types[name]) for name in known if name in types)
        assert fits, f"{path}: {value} is none of {known}"

    leaves(values, "")
    page = (TEACHING / "hub/README.md").read_text(encoding="utf-8")
    assert f"--version {kept['chart']}" in page
    # JupyterHub does not start with a password of fewer than 8 characters; each class gets its own
    assert len(values["hub"]["config"]["SharedPasswordAuthenticator"]["user_password"]) < 8
    # a learner can fill only their own share of memory and disk
    assert values["singleuser"]["memory"]["limit"] and values["singleuser"]["storage"]["capacity"]
