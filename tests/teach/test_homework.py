"""Homework from its exercises to the marks: written, released, submitted, graded, returned.

Takes three minutes beside other tests: two kernels for each notebook's homework, nbgrader for three
submissions. The first run also installs nbgrader, in half a minute. Judges no time. test_hostile.py has other
submissions.
"""

import csv
import io
import shutil
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from notebooks.runs import NOTEBOOKS, ROOT, numbered, read, tagged
from teach import grade, grading, homework, isolation, jobs, submission

FIRST = NOTEBOOKS[0]
every_notebook = pytest.mark.parametrize("path", homework.GRADED, ids=lambda path: path.stem)


def of_nbgrader(notebook: NotebookNode, kind: str) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get(kind)]


@every_notebook
def test_homework_holds_each_exercise_once_and_little_else(path: Path) -> None:
    stored, made = read(path), homework.homework(path)
    exercises = homework.exercises(stored)
    assert [cell.id for cell in of_nbgrader(made, "solution")] == [stub.id for stub, _, _ in exercises]
    assert [cell.id for cell in of_nbgrader(made, "grade")] == [check.id for _, check, _ in exercises]
    ids = [cell.metadata.nbgrader.grade_id for cell in made.cells[1:]]
    assert len(set(ids)) == len(ids)
    assert sum(cell.cell_type == "code" for cell in made.cells) <= 20
    assert "Trials.of" not in "".join(cell.source for cell in made.cells), "it measures, which takes a minute"
    assert all(cell.metadata.deletable is False for cell in made.cells[1:] if cell.metadata.nbgrader.locked)
    assert not homework.without_answers(path).cells[0].metadata.get("tags")
    texts = [
        c.source for c in (*made.cells, *homework.without_answers(path).cells) if c.cell_type == "markdown"
    ]
    assert not [text for text in texts if "is the solution" in text]
    left = {cell.id for cell in homework.without_answers(path).cells}
    assert left == {cell.id for cell in stored.cells} - {cell.id for each in exercises for cell in each}


def test_a_source_is_taken_apart_where_its_statements_end() -> None:
    java = (
        'String text = "a; {b"; // no; end\n'
        "int[] a = {1, 2};\n"
        "record Pair<T>(T a, T b) {}\n"
        "<T> List<T> twice(T one) throws Exception { if (t) { x(); } else { y(); } return List.of(one); }\n"
        "for (int i = 0; i < 3; i++) { z(i); }\n"
        "final var last = a.length\n"
    )
    parts = [java[start:end].strip().split("\n")[-1] for start, end in homework.statements(java)]
    assert [part.split()[0] for part in parts] == ["String", "int[]", "record", "<T>", "for", "final"]
    assert homework.declared(java + ";") == {"text", "a", "Pair", "twice", "last"}
    assert homework.used("int b = twice(a.length); o.map(x -> x + b)") == {"int", "twice", "a", "o"}


def answer(source: str) -> str:
    """The answer in one of the teacher's cells."""
    return source.partition("// BEGIN SOLUTION\n")[2].partition("// END SOLUTION")[0]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which homework is written, with what nbgrader would release."""
    monkeypatch.setattr(homework, "HOMEWORK", tmp_path)
    monkeypatch.setenv("THREADLAB_SCALE", "small")
    return tmp_path


@pytest.mark.deep
@every_notebook
def test_the_judge_accepts_each_solution_and_refuses_each_wrong_answer(path: Path, written: Path) -> None:
    """As autograde does: all answers run in one kernel, and another sees only their values."""
    homework.write([path])
    shutil.copytree(written / "source", written / "release")
    here = jobs.Homework(written, path.stem, 90)
    stubs = {cell.id: cell.source for cell in of_nbgrader(here.source, "solution")}
    wrong = {cell.id: cell.metadata.threadlab.wrong_answers for cell in tagged(read(path), "check")}
    repairs = {cell.id for cell in tagged(read(path), "repair")}
    steps: dict[str, list[dict]] = {}
    given = submission.given(here.source)
    for each in here.exercises:
        assert not submission.refusal(stubs[each.answer], given)
        stub = stubs[each.answer].partition("// BEGIN SOLUTION")[0]
        # the stub first, because the answer of another exercise may have its name
        tried = ["", answer(stubs[each.answer]), *wrong[each.check]]
        for i, java in enumerate(tried):
            steps.setdefault(each.check, []).extend(
                here.step(f"{name} {each.check} {i}", source, 40_000)
                for name, source in (("answer", stub + java), ("value", each.asks(7)))
            )
    told = isolation.run(here.job(steps), None, isolation.Limits())
    assert not {name: step for name, step in told.items() if step["status"] != "ok"}
    batch = grading.Batch(written, here, None, isolation.Limits(), 1)
    keys = []
    for each in here.exercises:
        for i in range(2 + len(wrong[each.check])):
            ran, shown = (told[f"{name} {each.check} {i}"] for name in ("answer", "value"))
            sent = submission.Submission(answers={each.answer: ""})
            graded = grading.Graded("ada", sent, 7, {each.answer: ran, each.check: shown})
            found = batch.value(graded, each)
            assert isinstance(found, str), (each.check, i, shown, found)
            keys.append((each.check, found))
    verdicts = iter(batch.verdicts(keys))
    for each in here.exercises:
        for i in range(2 + len(wrong[each.check])):
            right, text = next(verdicts)
            assert right == (i == 1), (each.check, i, text)
            unanswered = i == 0 and each.check not in repairs
            assert text.startswith("not answered yet") == unanswered, (each.check, i, text)


def test_an_answer_replaces_no_name_on_which_its_check_relies() -> None:
    given = submission.given(homework.homework(numbered("02")))
    assert "mdc" in given
    for java in ("mdc = new Mine();", "BasicMDCAdapter mdc = null;", "{ mdc = null; }"):
        assert "it replaces mdc" in submission.refusal(java, given), java
    of_its_own = "class A { A(int x) { this.mdc = x; } }"
    for java in ("{ var mdc = 1; }", "mdc.clear();", "if (mdc == null) { }", of_its_own):
        assert not submission.refusal(java, given), java


@pytest.mark.parametrize(
    "kind, value, java",
    [
        ("double", "0.5", 'double x = Double.parseDouble("0.5");\n'),
        ("double", "-1.5E-7", 'double x = Double.parseDouble("-1.5E-7");\n'),
        ("double", '0"); System.exit(0); ("', ""),
        ("double", "١", ""),
        ("String", 'a"\n\\é\u20ac', 'String x = "a\\042\\012\\134\\351\\u20ac";\n'),
        ("Integer[]", "[1, null]", "Integer[] x = {1, null};\n"),
        ("Integer[]", "null", "Integer[] x = null;\n"),
        ("Integer[]", "[f()]", ""),
        ("Design", "Design[a=1, b=-2]", "Design x = new Design(1, -2);\n"),
        ("Design", "null", "Design x = null;\n"),
        ("Design", "Design[a=f()]", ""),
        ("Design", "Other[a=1]", ""),
    ],
)
def test_a_value_reaches_the_judge_as_a_literal_or_not_at_all(kind: str, value: str, java: str) -> None:
    assert jobs.Exercise("", "", kind, "x", "", "", "").literal(value) == java


def test_without_an_engine_nothing_runs_unless_the_teacher_trusts_all(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homework.write([FIRST])
    monkeypatch.setattr(grade, "HOMEWORK", written)
    monkeypatch.setattr(isolation, "engine", lambda: None)
    with pytest.raises(SystemExit, match=r"install Docker .* --trust-submissions"):
        grade.main(["autograde", FIRST.stem])
    with pytest.raises(SystemExit, match="has not been released"):
        grade.main(["autograde", FIRST.stem, "--trust-submissions"])
    with pytest.raises(SystemExit, match="validate would run"):
        grade.main(["validate", FIRST.stem])


def test_a_job_ends_when_its_time_is_over() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        with pytest.raises(isolation.Failed, match="more than"):
            isolation.wait(process, 0.1, [])
        process.kill()


def test_the_same_answers_run_once_and_count_for_each(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homework.write([FIRST])
    shutil.copytree(written / "source", written / "release")
    here = jobs.Homework(written, FIRST.stem, 60)
    ran = []
    monkeypatch.setattr(isolation, "run", lambda job, *_: ran.append(job) or {})
    batch = grading.Batch(written, here, None, isolation.Limits(), 1)
    sent = [(name, f"secondsInVirtualPool = {s};") for name, s in (("ada", 1), ("bob", 1), ("eve", 2))]
    answers = [(name, submission.Submission({"virtual-pool-stub": java})) for name, java in sent]
    monkeypatch.setattr(batch, "waiting", lambda *_: [grading.Graded(*each) for each in answers])
    assert batch.grade("*", False, written / "staged") == 3
    assert len([job for job in ran if "secondsInVirtualPool = " in str(job)]) == 2


class Class:
    """A class that submits its homework."""

    def __init__(self) -> None:
        name = FIRST.name
        self.released = nbformat.read(grade.HOMEWORK / "release" / FIRST.stem / name, 4)
        self.answers = {
            cell.id: answer(cell.source)
            for cell in of_nbgrader(
                nbformat.read(grade.HOMEWORK / "source" / FIRST.stem / name, 4), "solution"
            )
        }

    def send(self, student: str, *answers: str) -> None:
        """Submits right answers, except for the first ones if others are given."""
        sent = deepcopy(self.released)
        for cell in of_nbgrader(sent, "solution"):
            cell.source += "\n" + self.answers[cell.id]
        for cell, other in zip(of_nbgrader(sent, "solution"), answers, strict=False):
            cell.source = other
        folder = grade.HOMEWORK / "submitted" / student / FIRST.stem
        folder.mkdir(parents=True)
        nbformat.write(sent, folder / FIRST.name)


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools/teach/grade.py", *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, str]]]:
    """Each learner's marks, and nbgrader's last output in a row without a learner."""
    patch = pytest.MonkeyPatch()
    root = tmp_path_factory.mktemp("homework")
    patch.setattr(homework, "HOMEWORK", root)
    patch.setattr(grade, "HOMEWORK", root)
    patch.setenv("THREADLAB_HOMEWORK", str(root))
    homework.write([FIRST])
    made = tool("generate_assignment", FIRST.stem)
    assert made.returncode == 0, made.stderr
    learners = Class()
    pool, fetch = (cell.source for cell in of_nbgrader(learners.released, "solution"))
    learners.send("right")
    lies = '\nSystem.out.println("✔ All services were asked: 0.2");'
    learners.send("wrong-and-open", pool + "\nsecondsInVirtualPool = 1_000;", fetch + lies)
    learners.send("not-compiling", "double secondsInVirtualPool = half;")
    graded = tool("autograde", FIRST.stem, "--jobs=2", "--trust-submissions")
    again = tool("autograde", FIRST.stem, "--trust-submissions")
    assert tool("generate_feedback", FIRST.stem).returncode == 0
    told = tool("marks")
    assert told.returncode == 0, told.stderr
    yield {row["student"]: row for row in csv.DictReader(io.StringIO(told.stdout))} | {
        "": {"said": graded.stdout, "wrong": graded.stderr, "again": again.stdout}
    }
    patch.undo()


@pytest.mark.deep
@pytest.mark.parametrize(
    "student, mark",
    [
        ("right", 4),
        ("wrong-and-open", 0),
        ("not-compiling", 2),
    ],
)
def test_the_marks_are_those_that_a_teacher_would_give(marks: dict, student: str, mark: int) -> None:
    assert marks[student]["of"] == "4"
    assert marks[student]["mark"] == str(mark), marks


@pytest.mark.deep
def test_who_has_been_graded_is_not_graded_again(marks: dict) -> None:
    assert "3 of 3 graded" in marks[""]["said"], marks
    assert "0 of 3 graded" in marks[""]["again"]
    assert "3 had been graded before" in marks[""]["again"]
    here = jobs.Homework(grade.HOMEWORK, FIRST.stem, 60)
    batch = grading.Batch(grade.HOMEWORK, here, None, isolation.Limits(), 1)
    assert not list(batch.waiting("right", again=False))
    assert list(batch.waiting("right", again=True))
    (grade.HOMEWORK / "submitted/right" / FIRST.stem / FIRST.name).touch()
    assert list(batch.waiting("right", again=False)), "the notebook is newer"


@pytest.mark.deep
def test_nbgrader_itself_runs_no_submission(marks: dict) -> None:
    """The teacher's other tools call it with the settings in the folder."""
    settings = grade.HOMEWORK / "nbgrader_config.py"
    settings.write_text("c = get_config()")
    ended = grade.nbgrader("autograde", FIRST.stem, "--force", "--student=right")
    assert ended != 0
    assert settings.read_text(encoding="utf-8") == homework.CONFIG


@pytest.mark.deep
def test_the_feedback_tells_a_learner_what_was_wrong(marks: dict) -> None:
    page = grade.HOMEWORK / "feedback/wrong-and-open" / FIRST.stem / f"{FIRST.stem}.html"
    assert "That is one after the other" in page.read_text(encoding="utf-8")
