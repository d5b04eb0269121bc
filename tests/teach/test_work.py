"""Whatever learners do to the cells of a notebook, their work is found or a person looks at it."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from homeworks import ANSWER, CHECK, FIRST, answer, cell, written
from notebooks.runs import NOTEBOOKS
from teach.homework import isolation, jobs, submission, work
from teach.homework.grading import Batch
from teach.homework.judge import Judge
from teach.homework.kept import Records, Verdict

LESSONS = [path for path in NOTEBOOKS if path.name[:2] in ("00", "02", "08")]
Cells = list[dict]


def texts(cells: Cells, i: int, source: str, **other: object) -> dict:
    return {"cell_type": "code", "id": f"new{len(cells)}-{i}", "metadata": {}, "source": source, **other}


def split(cells: Cells, i: int, dice: random.Random) -> None:
    lines = cells[i]["source"].splitlines(keepends=True)
    at = dice.randrange(len(lines) + 1)
    second = deepcopy(cells[i]) | {"id": f"half{len(cells)}", "source": "".join(lines[at:])}
    if dice.random() < 0.5:
        second["metadata"] = {}
    cells[i]["source"] = "".join(lines[:at]).rstrip("\n")
    cells.insert(i + 1, second)


def merge(cells: Cells, i: int, dice: random.Random) -> None:
    if i + 1 < len(cells):
        kept = cells[i + dice.randrange(2)]
        kept["source"] = cells[i]["source"] + "\n" + cells[i + 1]["source"]
        cells[i : i + 2] = [kept]


def move(cells: Cells, i: int, dice: random.Random) -> None:
    cells.insert(dice.randrange(len(cells)), cells.pop(i))


def paste(cells: Cells, i: int, dice: random.Random) -> None:
    twin = deepcopy(cells[i]) | {"id": f"twin{len(cells)}"}
    cells.insert(dice.randrange(len(cells) + 1), twin)


def below(cells: Cells, i: int, dice: random.Random) -> None:
    """The answer is cut out of its cell, and pasted into a new one."""
    cells.insert(i + dice.randrange(1, 3), texts(cells, i, cells[i]["source"]))
    cells[i]["source"] = cells[i].get("stub", "")


def scratch(cells: Cells, i: int, dice: random.Random) -> None:
    cells.insert(i + dice.randrange(2), texts(cells, i, dice.choice(["1 + 1", "", "int mine = 7;"])))


def as_text(cells: Cells, i: int, dice: random.Random) -> None:
    cells[i]["cell_type"] = "markdown"


def nameless(cells: Cells, i: int, dice: random.Random) -> None:
    cells[i]["metadata"] = {}
    if dice.random() < 0.5:
        cells[i].pop("id", None)


def spaced(cells: Cells, i: int, dice: random.Random) -> None:
    cells[i]["source"] = "\n" + cells[i]["source"] + "\n\n"


def all_twice(cells: Cells, i: int, dice: random.Random) -> None:
    if len(cells) < 60:
        cells += deepcopy(cells)


EDITS: list[Callable[[Cells, int, random.Random], None]] = [
    *(split, merge, move, paste, below, scratch, as_text, nameless, spaced, all_twice),
]


def squeezed(java: str) -> str:
    return "".join(java.split())


@pytest.fixture(scope="module", params=LESSONS, ids=lambda path: path.name[:2])
def here(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> jobs.Homework:
    return written(tmp_path_factory.mktemp("homework"), request.param)


def answered(here: jobs.Homework) -> tuple[Cells, dict[str, str]]:
    """The cells of a submission in which every exercise is answered, and these answers."""
    cells, answers = json.loads(nbformat.writes(here.released))["cells"], {}
    solutions = {submission.own_id(each): answer(each.source) for each in here.source.cells}
    for each in cells:
        each["source"] = work.text(each)
        name = submission.own_id(each)
        if name in {exercise.answer for exercise in here.exercises}:
            each["stub"] = each["source"]
            each["source"] += "\n" + solutions[name]
            answers[name] = each["source"]
    return cells, answers


@pytest.mark.parametrize("seed", range(167))
def test_an_answer_is_judged_as_it_was_or_seen_by_a_person(here: jobs.Homework, seed: int) -> None:
    dice = random.Random(seed)
    cells, answers = answered(here)
    done = []
    for _ in range(dice.randrange(1, 5)):
        edit = dice.choice(EDITS)
        # mostly near an answer
        near = [i for i, each in enumerate(cells) if "stub" in each] or [0]
        i = dice.choice(near) + dice.choice((-1, 0, 0, 0, 1))
        edit(cells, min(max(i, 0), len(cells) - 1), dice)
        done.append(edit.__name__)
    sent = submission.Submission()
    try:
        submission.take(sent, cells, here.released)
    except submission.Refused:
        return
    for name, source in answers.items():
        whole = squeezed(source) in squeezed(sent.answers.get(name, ""))
        assert name in sent.by_hand or name in sent.doubts or whole, done
        seen = [
            *sent.pieces[name],
            *sent.answers.values(),
            *(java for own in sent.own.values() for java in own),
        ]
        solution = max(source.partition("\n")[2].splitlines(), key=len).strip()
        assert "as_text" in done or any(solution in piece for piece in seen), (done, "the work is seen")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> jobs.Homework:
    return written(tmp_path_factory.mktemp("homework"))


OWN = "double half = 0.5;"
BELOW = "its cell has no answer, and what follows its check may be one"
CHANGED = "other cells of its task were changed"
MERGED = "{} stands in the cell of something else"


@pytest.mark.parametrize(
    ("java", "where", "what", "by_hand", "doubt"),
    [
        # a cell that a learner has added below one of the released cells
        ("", CHECK, OWN, BELOW, ""),
        ("timesAsFast = 2;", CHECK, OWN, "", ""),
        ("", CHECK, "timesAsFast = 2;", "", "it was put together from several cells"),
        ("timesAsFast = 2;", "fetch", OWN, "", ""),
        # a copy, or a piece, of a released cell
        ("timesAsFast = 2;", ANSWER, "unfair", "", ""),
        ("timesAsFast = 2;", ANSWER, "unfair piece", "", ""),
        # what has been written into a released cell
        ("timesAsFast = 2;", "unfair", "into " + OWN, "", CHANGED),
        ("timesAsFast = 2;", CHECK, "into " + OWN, "", CHANGED),
        ("timesAsFast = 2;", "hand-in", "into " + OWN, "", ""),
        ("", "unfair", "into timesAsFast = 2;", MERGED.format("timesAsFast"), ""),
        ("", "fetch", "into timesAsFast = 2;", MERGED.format("timesAsFast"), ""),
    ],
)
def test_what_stands_beside_an_answer_is_told_apart(
    first: jobs.Homework, java: str, where: str, what: str, by_hand: str, doubt: str
) -> None:
    made = deepcopy(first.released)
    cell(made, ANSWER).source += java
    at, there = made.cells.index(cell(made, where)), cell(made, "unfair").source
    if what.startswith("into "):
        made.cells[at].source += "\n" + what.removeprefix("into ")
    else:
        piece = next(line for line in there.splitlines() if len(line) > 40)
        source = {"unfair": there, "unfair piece": piece}.get(what, what)
        made.cells.insert(at + 1, nbformat.v4.new_code_cell(source))
    sent = submission.Submission()
    submission.take(sent, made.cells, first.released)
    assert sent.by_hand.get(ANSWER, "") == by_hand
    assert sent.doubts.get(ANSWER, "") == doubt
    assert by_hand or "timesAsFast = 2;" in sent.answers[ANSWER]
    assert not by_hand or any(what.removeprefix("into ") in piece for piece in sent.pieces[ANSWER])
    assert "fetch-stub" in sent.answers
    assert ("fetch-stub" in sent.doubts) == (where == "fetch" and what.startswith("into ")), "its own task"


def test_an_answer_in_two_cells_is_joined_and_a_wrong_one_is_seen_by_a_person(tmp_path: Path) -> None:
    here = written(tmp_path)
    exercise = next(each for each in here.exercises if each.check == CHECK)
    sent = deepcopy(here.released)
    at = sent.cells.index(cell(sent, ANSWER))
    sent.cells.insert(at + 1, nbformat.v4.new_code_cell("timesAsFast = 2;"))
    file = tmp_path / "submitted/ada" / FIRST.stem / FIRST.name
    file.parent.mkdir(parents=True)
    nbformat.write(sent, file)
    judge = Judge(here, None, isolation.Limits())
    [graded] = Batch(Records(tmp_path, here), judge).waiting("*", again=False)
    assert graded.sent.answers[ANSWER].endswith("timesAsFast = 2;") and ANSWER in graded.sent.doubts
    assert judge.explained(graded, CHECK, Verdict(1, "it is")) == Verdict(1, "it is")
    right, why, _ = judge.explained(graded, CHECK, Verdict(0, "7 is wrong"))
    assert right is None and "put together from several cells" in why and "7 is wrong" in why
    assert exercise.answer == ANSWER


def test_two_answers_in_one_cell_fail_only_in_the_eyes_of_a_person(tmp_path: Path) -> None:
    here = written(tmp_path)
    cells = json.loads(nbformat.writes(here.released))["cells"]
    names = [each.answer for each in here.exercises]
    first, second = (each for each in cells if submission.own_id(each) in names)
    both = [work.text(first), "timesAsFast = 2;", work.text(second), "fetchAll = () -> new;"]
    first["source"] = "\n".join(both)
    cells.remove(second)
    sent = submission.Submission()
    submission.take(sent, cells, here.released)
    assert {*sent.doubts, *sent.by_hand} == {*names}


def test_a_homework_made_anew_with_other_exercises_is_named_with_the_way_out(tmp_path: Path) -> None:
    written(tmp_path)
    file = tmp_path / "source" / FIRST.stem / FIRST.name
    made = nbformat.read(file, 4)
    made.cells.remove(cell(made, CHECK))
    nbformat.write(made, file)
    with pytest.raises(SystemExit, match=rf"after its release \({CHECK}\).* --force"):
        jobs.Homework(tmp_path, FIRST.stem, 60)
