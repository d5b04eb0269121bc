"""teaching/, compared with the notebooks: plans, sheets, the settings for hubs. Takes a second."""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import yaml
from nbformat import NotebookNode
from notebooks import form
from notebooks.runs import NOTEBOOKS, numbered, read, tagged
from teach import handouts, homework
from teach.handouts import BEGIN, PLANS, TEACHING, Row, plan

LESSON = re.compile(r"\*\*(\d\d) · (\d)(?:–(\d))?\*\* ")  # how a line that teaches parts of a lesson begins
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
    for cell in form.divided(read(numbered(lesson)))[0]:
        level, words = form.heading(cell)
        if level == 2:
            part = int(words.split()[0]) if " · " in words else 0
        found[part].append(cell)
    return found


def minutes(cells: list[NotebookNode], rows: list[Row], run: float = 0) -> float:
    """The clock's minutes for these cells, without the exercises that no line shows."""
    shown = {cell for row in rows for _, cell in row.cells}
    kept = [cell for cell in cells if "exercise" not in form.tags(cell) or cell.id in shown]
    return form.clock(NotebookNode(cells=kept), run)


@every_plan
def test_a_plan_has_no_gap_says_what_to_show_and_ask_and_keeps_its_time(path: Path) -> None:
    promise = r"^\*\*Time\.\*\* (?:(\d+) × )?(\d+) minutes: (\d+) for the lessons, (\d+) for .*discussion"
    found = re.search(promise, path.read_text(encoding="utf-8"), re.MULTILINE)
    times, length, lessons, rest = (int(number or 1) for number in found.groups())
    spent = Counter()
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
        needed = minutes(kept, rows, form.seconds(numbered(lesson)))
        given = sum(row.end - row.begin for row in rows)
        assert given >= needed, f"{lesson} has {given} minutes and takes {needed:.1f}"


@pytest.mark.parametrize("name, lessons", [("90-minutes", 2), ("one-day", 8), ("term", len(NOTEBOOKS))])
def test_a_plan_teaches_its_lessons_from_the_first_one_on(name: str, lessons: int) -> None:
    path = TEACHING / f"plan-{name}.md"
    first = NOTEBOOKS[:lessons]
    assert handouts.shown(path)[:lessons] == first
    assert list(taught(path)) == [lesson.name[:2] for lesson in first]


# --- sheets and settings ---


def test_the_sheet_asks_every_prediction_of_its_notebooks() -> None:
    sheet = handouts.sheet(NOTEBOOKS)
    asked = sum(cell.source.count("**Predict.**") for path in NOTEBOOKS for cell in read(path).cells)
    assert sheet.count('<td class="line"><td class="line">') == asked > 100
    assert "$" not in sheet


def test_the_wrong_answers_are_those_that_the_checks_explain() -> None:
    checks = [cell for path in NOTEBOOKS for cell in tagged(read(path), "check")]
    explained = sum(check.source.count(".mistake(") + check.source.count("Claim.repair(") for check in checks)
    assert sum(len(handouts.mistakes(check.source)) for check in checks) == explained
    assert all(check.metadata.get("deletable") is False for check in checks), "a reader may delete a check"
    assert "They are fetched one after another" in handouts.answers(NOTEBOOKS[:1])


def told(page: str, question: str, check: str) -> list[str]:
    """The lines of a page with an answer of a check and two of the figures of its question."""
    figures = re.compile(r"\d[\d,_]*(?:\.\d+)?")

    def of(text: str) -> set[float]:
        return {float(found.replace(",", "").replace("_", "")) for found in figures.findall(text)}

    answers = {float(x.replace("_", "")) for x in re.findall(r"\.expect\(([\d._]+)[,)]", check)}
    answers -= {0, 1}
    asked = of(question) - answers
    return [line for line in page.splitlines() if answers & of(line) and len(asked & of(line)) >= 2]


def test_the_handout_prints_no_answer_that_is_marked() -> None:
    # without the lessons' numbers
    page = re.sub(r"\[[\d, ]+\]", "", (TEACHING / "handout.md").read_text(encoding="utf-8"))
    for path in homework.GRADED:
        for stub, check, _ in homework.exercises(stored := read(path)):
            at = next(i for i, cell in enumerate(stored.cells) if cell.id == stub.id)
            question = next(c.source for c in reversed(stored.cells[:at]) if c.cell_type == "markdown")
            assert not told(page, question, check.source), (path.stem, stub.id)
    # as it once did
    law = "How many connections are needed for 300 requests per second, each of which holds one for 40 ms?"
    assert told(page, law, ".expect(12, 0.01,")


def test_the_handout_uses_the_words_of_the_notebooks() -> None:
    course = " ".join(cell.source for path in NOTEBOOKS for cell in read(path).cells).lower()
    terms = re.findall(r"\| \*\*([^*]+)\*\* \|", (TEACHING / "handout.md").read_text(encoding="utf-8"))
    assert len(terms) > 8
    assert [term for term in terms if f"**{term}" not in course] == []


def test_the_hub_s_settings_use_keys_that_the_chart_knows() -> None:
    values = yaml.safe_load((TEACHING / "hub/values.yaml").read_text(encoding="utf-8"))
    kept = json.loads((TEACHING / "hub/keys.json").read_text(encoding="utf-8"))
    types = {"object": dict, "integer": int, "number": (int, float), "string": str, "boolean": bool}

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
