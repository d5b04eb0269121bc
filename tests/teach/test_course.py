"""A teacher's choice: exercises that are homework, those of a bank, numbers for each learner. Two seconds."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from homeworks import cell, written
from notebooks.runs import ROOT, numbered
from teach.homework import course, isolation, jobs, make, pseudonyms, staging, submission
from teach.homework.grading import Batch
from teach.homework.judge import Judge
from teach.homework.kept import Graded, Records, Verdict

LESSON = numbered("01")
PUBLIC = ROOT / "teaching/exercises"
BANKS = sorted(path for path in PUBLIC.glob("*.ipynb"))
NUMBERS = 'banks = ["teaching/exercises"]\n'
WORDS = "why-question-answer"


def chosen(root: Path, toml: str, path: Path = LESSON) -> jobs.Homework:
    (root / course.FILE).write_text(toml, encoding="utf-8")
    return written(root, path)


def ids(here: jobs.Homework) -> list[str]:
    return [each.answer for each in here.exercises] + here.words


def test_a_teacher_chooses_the_exercises_and_the_others_stay_in_the_lesson(tmp_path: Path) -> None:
    here = chosen(tmp_path, '[exercises]\n01-measure-littles-law = ["switch-stub"]')
    assert ids(here) == ["switch-stub"]
    left = {each.id for each in nbformat.read(tmp_path / "for-the-class" / LESSON.name, 4).cells}
    assert {"limited-stub", "limited-check", "limited-solution"} <= left
    assert not {"switch-stub", "switch-check", "switch-solution"} & left


def test_what_a_plan_does_in_class_is_no_homework_and_what_its_rows_of_homework_discuss_is(
    tmp_path: Path,
) -> None:
    plan = tmp_path / "plan.md"
    row = "| {} | {} | [01 x](../notebooks/01-measure-littles-law.ipynb#cell-id={}) | | |\n"
    plan.write_text(
        "| min | do | show | ask before it runs | expect, and say |\n|---|---|---|---|---|\n"
        + row.format("0–5", "Homework 01.", "switch-stub")
        + row.format("5–9", "**01 · 1** Do it.", "limited-stub"),
        encoding="utf-8",
    )
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert ids(chosen(tmp_path / "a", f'plan = "{plan}"')) == ["switch-stub"]
    with pytest.raises(SystemExit, match=r"limited-stub of 01-.* is done in class by plan.md"):
        chosen(tmp_path / "b", f'plan = "{plan}"\n[exercises]\n{LESSON.stem} = ["limited-stub"]')


@pytest.mark.parametrize(
    ("toml", "why"),
    [
        ("banks = [", "is not TOML"),
        ('bank = "mine"', "bank is no setting"),
        ('banks = ["nowhere"]', "there is no .*nowhere"),
        (
            f'[exercises]\n{LESSON.stem} = ["door"]',
            "has no exercise door .* it has limited-stub, switch-stub",
        ),
    ],
)
def test_a_choice_that_means_nothing_is_refused_with_what_there_is(
    tmp_path: Path, toml: str, why: str
) -> None:
    with pytest.raises(SystemExit, match=why):
        chosen(tmp_path, toml)


def test_an_exercise_of_a_bank_stands_where_the_lesson_s_stood_and_new_ones_below(tmp_path: Path) -> None:
    here = chosen(tmp_path, NUMBERS)
    assert ids(here) == ["limited-stub", "switch-stub", "rate-stub", WORDS]
    assert "`allowed` calls" in cell(here.source, "exercise-door").source
    assert not re.search(r"\b20\b", cell(here.source, "limited-check").source)


Change = Callable[[dict], object]


def its(made: dict, name: str) -> dict:
    return next(each for each in made["cells"] if each["id"] == name)


def rename(made: dict, name: str) -> None:
    stub = its(made, "rate-stub")
    stub["metadata"]["threadlab"]["numbers"] = {name: [300, 400]}
    stub["source"] = f"int {name} = 300;\ndouble inside = Check.OPEN;"


FAULTS: list[tuple[str, Change]] = [
    ("without wrong_answers", lambda it: its(it, "rate-check")["metadata"]["threadlab"].clear()),
    ("without points", lambda it: its(it, "why-rubric")["metadata"].update(threadlab={})),
    ("does not declare perSecond = 300", lambda it: its(it, "rate-stub").update(source="double inside = 1;")),
    ("a text without insideMs's number 40", lambda it: its(it, "rate-text").update(source="300 250")),
    ("has a number order, and so has a cell of the lesson", lambda it: rename(it, "order")),
    ("The cell id exercise-switch stands in", lambda it: its(it, "rate-text").update(id="exercise-switch")),
]


@pytest.mark.parametrize(("why", "change"), FAULTS)
def test_an_exercise_of_another_form_is_refused(tmp_path: Path, why: str, change: Change) -> None:
    made = json.loads((PUBLIC / LESSON.name).read_text(encoding="utf-8"))
    change(made)
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / LESSON.name).write_text(json.dumps(made), encoding="utf-8")
    with pytest.raises(SystemExit, match=why):
        chosen(tmp_path, f'banks = ["{tmp_path / "bank"}"]')


@pytest.mark.parametrize("path", BANKS, ids=lambda path: path.stem)
def test_a_text_names_each_number_that_a_learner_gets(tmp_path: Path, path: Path) -> None:
    here = chosen(tmp_path, NUMBERS, ROOT / "notebooks" / path.name)
    assert here.knows and any(each.numbers for each in here.exercises)
    text = "\n".join(each.source for each in here.source.cells if each.cell_type == "markdown")
    for each in here.exercises:
        for name in re.findall(r"int (\w+) =", each.numbers):
            assert f"`{name}`" in text
            assert not re.search(rf"\b{name}\b", cell(here.released, each.answer).source.partition("=")[0])


# --- what a learner hands in ---


def handed_in(here: jobs.Homework, root: Path, **cells: str) -> submission.Submission:
    made = nbformat.from_dict(json.loads(nbformat.writes(here.released)))
    for name, source in cells.items():
        cell(made, name.replace("_", "-")).source = source
    folder = root / "submitted" / "ada" / LESSON.stem
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, folder / LESSON.name)
    return submission.read(folder, here.file, here.released)


def test_a_learner_is_judged_by_numbers_that_follow_from_the_pseudonym_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = chosen(tmp_path, NUMBERS)
    aliases = {name: pseudonyms.pseudonym(tmp_path, name) for name in ("ada", "bob")}
    who = f'String pseudonym = "{aliases["bob"]}";   // mine'
    handed_in(here, tmp_path, pseudonym=who, rate_stub="double inside = 3.5;")
    judge = Judge(here, None, isolation.Limits())
    [graded] = Batch(Records(tmp_path, here, aliases=aliases), judge).waiting("*", again=False)
    assert "was worked with the numbers of bob" in capsys.readouterr().out
    steps = {step["name"]: step for step in here.answering(graded.sent, 7, aliases["ada"])["steps"]}
    assert steps["given pseudonym"]["source"] == f'String pseudonym = "{aliases["ada"]}";'
    assert not [step for step in steps.values() if aliases["bob"] in step["source"]]
    graded.steps = {
        name: {"status": "ok", "text": "", "value": "3.5"} for name in ("rate-stub", "rate-check")
    }
    rate = next(each for each in here.exercises if each.answer == "rate-stub")
    judged = judge.value(graded, rate)
    assert aliases["ada"] in judged and 'yours.number("perSecond", 300' in judged
    assert judged.index("yours = new Variant") < judged.index("perSecond") < judged.index("parseDouble")


def test_a_changed_class_key_changes_the_numbers_and_a_learner_s_pseudonym_has_its_check_digit(
    tmp_path: Path,
) -> None:
    first = pseudonyms.pseudonym(tmp_path, "ada"), pseudonyms.seed(tmp_path)
    assert first == (pseudonyms.pseudonym(tmp_path, "ada"), pseudonyms.seed(tmp_path))
    (tmp_path / "pseudonyms.key").unlink()
    assert first[0] != pseudonyms.pseudonym(tmp_path, "ada") and first[1] != pseudonyms.seed(tmp_path)
    assert re.fullmatch("[a-z2-7]{8}", first[0])
    assert (tmp_path / "pseudonyms.key").stat().st_mode & 0o077 == 0
    (tmp_path / "pseudonyms.key").write_text("")  # as a full disk or a killed run would have left it
    with pytest.raises(SystemExit, match="has 0 characters of 64: put back a copy"):
        pseudonyms.seed(tmp_path)


HOSTILE = (
    "<script>alert(1)</script>\n\n# Points: 4\n\n```\n![x](http://127.0.0.1/x) $\\href{javascript:1}{x}$"
)


def staged(here: jobs.Homework, root: Path, ran: "dict | None" = None, **cells: str) -> NotebookNode:
    sent = handed_in(here, root, **cells)
    verdicts = {each.check: Verdict(1, "") for each in here.exercises}
    graded = Graded("ada", sent, verdicts=verdicts, steps=ran or {})
    staging.stage(Records(root, here), graded, root / "staged")
    return nbformat.read(root / "staged" / "ada" / LESSON.stem / LESSON.name, 4)


def test_an_answer_in_words_reaches_the_teacher_as_text_beside_its_rubric(tmp_path: Path) -> None:
    here = chosen(tmp_path, NUMBERS)
    assert "1 point" not in cell(here.released, WORDS).source
    made = staged(here, tmp_path, why_question_answer=HOSTILE)
    at = made.cells.index(cell(made, WORDS))
    assert "1 point" in made.cells[at - 1].source and "nbgrader" not in made.cells[at - 1].metadata
    words = [line for line in made.cells[at].source.splitlines()[2:] if line]
    assert len(words) > 3 and all(line.startswith("    ") for line in words)
    html = markdown2html(made.cells[at].source)
    assert "&lt;script&gt;" in html and not re.search("<(script|h1|img|a) ?", html)
    assert html.count("<pre>") == 1, "all of it is one text, in which formulas are not drawn either"


def test_feedback_shows_which_numbers_a_learner_had(tmp_path: Path) -> None:
    here = chosen(tmp_path, NUMBERS)
    [name] = [step["name"] for step in here.job({})["steps"] if "perSecond = yours" in step["source"]]
    made = staged(here, tmp_path, {name: {"status": "ok", "text": "perSecond = 270", "value": ""}})
    assert cell(made, "rate-stub-numbers").outputs[0].text == "perSecond = 270"


OPEN = Verdict(0, "put it there", open=True)


def test_an_answer_whose_cell_failed_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = chosen(tmp_path, NUMBERS)
    judge = Judge(here, None, isolation.Limits())
    fine = isolation.Ran(status="ok", text="", value="NaN")
    steps = {name: fine for each in here.exercises for name in (each.answer, each.check)}
    why = "CompilationException: ';' expected"
    steps["rate-stub"] = isolation.Ran(status="error", text="", value=why)
    sent = handed_in(here, tmp_path)
    graded = Graded("ada", sent, steps=steps, alias=sent.pseudonym)
    monkeypatch.setattr(judge, "verdicts", lambda keys: [OPEN] * len(keys))
    with ThreadPoolExecutor(1) as pool:
        judge.judge([graded], pool)
    assert graded.verdicts["rate-check"] == Verdict(0, "Your cell does not compile: ';' expected")
    assert graded.verdicts["limited-check"] == OPEN


def test_nothing_gets_0_without_a_person_and_work_that_shows_no_value_does_not(tmp_path: Path) -> None:
    here = chosen(tmp_path, NUMBERS)
    judge = Judge(here, None, isolation.Limits())
    fine = isolation.Ran(status="ok", text="", value="NaN")
    steps = {name: fine for each in here.exercises for name in (each.answer, each.check)}
    empty, sent = submission.Submission(), deepcopy(here.released)
    submission.take(empty, sent.cells, here.released)
    cell(sent, "pseudonym").source = 'String pseudonym = "abcdefgh";'
    stub = cell(sent, "rate-stub")
    stub.source = "// inside = perSecond * (insideMs + longerMs) / 1e3;\n" + stub.source
    commented = submission.Submission()
    submission.take(commented, sent.cells, here.released)
    assert not commented.doubts, "to write one's pseudonym is no change to the cells of a task"
    for one, by_hand in ((empty, False), (commented, True)):
        graded = Graded("ada", one, steps=steps, alias="abcdefgh")
        verdict = judge.explained(graded, "rate-check", OPEN)
        assert (verdict.right is None) == by_hand and ("a comment or a text" in verdict.why) == by_hand


def test_a_question_without_an_answer_is_handed_in_as_it_was_released(tmp_path: Path) -> None:
    here = chosen(tmp_path, NUMBERS)
    made = staged(here, tmp_path)
    assert cell(made, WORDS).source == cell(here.released, WORDS).source


def test_the_homework_says_what_a_learner_runs_before_handing_in(tmp_path: Path) -> None:
    for path in make.GRADED[:4]:
        here = written(tmp_path / path.stem, path)
        for each in here.exercises:
            seen = cell(here.released, each.check).source
            assert "threadlab.homework.Received.answer(" in seen
            assert "expect" not in seen and "HIDDEN" not in seen
