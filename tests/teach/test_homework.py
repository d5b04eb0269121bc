"""Homework from its exercises to the marks: written, released, sent in by seven learners, graded, given back.

Costs four minutes beside others: a kernel for each notebook's homework, and nbgrader for seven submissions.
The first run also installs nbgrader, half a minute. Judges no time.
"""

import csv
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from nbformat import NotebookNode

from cells import cpu, run
from notebooks.runs import NOTEBOOKS, ROOT, Specs, own_ports, read, tagged
from teach import grade, homework

FIRST = NOTEBOOKS[0]
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
# the check of 14 loads a shop, which meets another limit where it gets no CPU
each_with_its_kernel = pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.paired if path.stem.startswith("14") else pytest.mark.deep)
        for path in NOTEBOOKS
    ],
    ids=lambda path: path.stem,
)
# the line of an answer that measures which finds it: without it, the cell compiles and asks nobody
UNFOUND = re.compile(r"\n *\w+ = find\w+\.call\(\);")


def of_nbgrader(notebook: NotebookNode, kind: str) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get(kind)]


def said(reply: dict) -> str:
    """What went wrong in a cell."""
    return f"{reply.get('ename')}: {reply.get('evalue')}"


@every_notebook
def test_homework_holds_each_exercise_once_and_little_else(path: Path) -> None:
    stored, made = read(path), homework.homework(path)
    assert [cell.id for cell in of_nbgrader(made, "solution")] == [c.id for c in tagged(stored, "exercise")]
    assert [cell.id for cell in of_nbgrader(made, "grade")] == [c.id for c in tagged(stored, "check")]
    ids = [cell.metadata.nbgrader.grade_id for cell in made.cells[1:]]
    assert len(set(ids)) == len(ids)
    assert sum(cell.cell_type == "code" for cell in made.cells) <= 20
    assert "Trials.of" not in "".join(cell.source for cell in made.cells), "it measures, which takes a minute"
    assert all(cell.metadata.deletable is False for cell in made.cells[1:] if cell.metadata.nbgrader.locked)
    assert not homework.without_answers(path).cells[0].metadata.get("tags")
    left = homework.without_answers(path)
    assert not [tag for tag in ("exercise", "check", "solution") if tagged(left, tag)]


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


@each_with_its_kernel
def test_the_hidden_check_throws_unless_the_answer_is_right(path: Path, tmp_path: Path) -> None:
    """Of the answers that measure, the first is found; of the others make test shows that they are right."""
    made, stored = homework.homework(path), read(path)
    found = unfound = False
    manager = KernelManager(kernel_name="java", kernel_spec_manager=Specs(tmp_path, cpu()), **own_ports())
    manager.start_kernel(cwd=path.parent)
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=150)
        wrong = {cell.id: cell.metadata.threadlab.wrong_answers for cell in tagged(stored, "check")}
        for cell in made.cells:
            about = cell.metadata.get("nbgrader", {})
            if about.get("grade"):
                reply, _ = run(client, cell.source)
                if unfound:
                    assert "not answered yet" in said(reply), f"{cell.id}: {said(reply)}"
                else:
                    assert reply["status"] == "ok", f"{cell.id} refuses its solution: {said(reply)}"
                for answer in wrong[cell.id]:
                    assert run(client, answer)[0]["status"] == "ok", answer
                    reply, published = run(client, cell.source)
                    assert reply["status"] == "error", f"{cell.id} accepts {answer}"
                    assert "AssertionError" in str(reply) + str(published)
            elif cell.cell_type == "code":
                if about.get("solution"):
                    stub = cell.source.partition("// BEGIN SOLUTION")[0]
                    assert run(client, stub)[0]["status"] == "ok", f"the stub of {cell.id} does not compile"
                source = cell.source
                if about.get("solution"):
                    measures = UNFOUND.search(source) is not None
                    unfound = measures and found
                    found = found or measures
                    source = UNFOUND.sub("", source) if unfound else source
                reply, _ = run(client, source)
                assert reply["status"] == "ok", f"{cell.id} needs more than it gets: {said(reply)}"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


class Class:
    """A class that sends its homework in."""

    def __init__(self) -> None:
        name = FIRST.name
        self.released = nbformat.read(grade.HOMEWORK / "release" / FIRST.stem / name, 4)
        self.answers = {
            cell.id: cell.source.partition("// BEGIN SOLUTION\n")[2].partition("// END SOLUTION")[0]
            for cell in of_nbgrader(
                nbformat.read(grade.HOMEWORK / "source" / FIRST.stem / name, 4), "solution"
            )
        }

    def send(self, student: str, *answers: str, deletes: int = 0, overwrites: int = 0) -> None:
        """All answers right, but for the first ones if others are given; perhaps without a check."""
        sent = deepcopy(self.released)
        for cell in of_nbgrader(sent, "solution"):
            cell.source += "\n" + self.answers[cell.id]
        for cell, answer in zip(of_nbgrader(sent, "solution"), answers, strict=False):
            cell.source = answer
        checks = of_nbgrader(sent, "grade")
        if overwrites:
            checks[overwrites - 1].source = 'System.out.println("✔"); 2'
        if deletes:
            sent.cells.remove(checks[deletes - 1])
        folder = grade.HOMEWORK / "submitted" / student / FIRST.stem
        folder.mkdir(parents=True)
        nbformat.write(sent, folder / FIRST.name)


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools/teach/grade.py", *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, str]]]:
    """What each learner gets, and nbgrader's last words in the row of nobody."""
    patch = pytest.MonkeyPatch()
    root = tmp_path_factory.mktemp("homework")
    patch.setattr(homework, "HOMEWORK", root)
    patch.setattr(grade, "HOMEWORK", root)
    patch.setenv("THREADLAB_HOMEWORK", str(root))
    homework.write([FIRST])
    made = tool("generate_assignment", FIRST.stem)
    assert made.returncode == 0, made.stderr
    learners = Class()
    half, pool, _ = (cell.source for cell in of_nbgrader(learners.released, "solution"))
    learners.send("right")
    learners.send("wrong-and-open", half + "\nhalfASecond = 1_000;", pool)
    lies = '\nSystem.out.println("✔ Two seconds: 2");'
    learners.send("not-compiling-and-prints", "double halfASecond = half;", pool + lies)
    learners.send("endless", half + "\nwhile (true) Thread.onSpinWait();")
    learners.send("own-check", "class Check { static double OPEN = 7; }\ndouble halfASecond = 7;")
    right = half + "\nhalfASecond = 0.5;"
    learners.send("deletes-and-overwrites", right, pool, deletes=1, overwrites=2)
    learners.send("exits", half + "\nSystem.exit(0);")
    graded = tool("autograde", FIRST.stem, "--jobs=2", "--Execute.timeout=8")
    assert tool("generate_feedback", FIRST.stem).returncode == 0
    told = tool("marks")
    assert told.returncode == 0, told.stderr
    yield {row["student"]: row for row in csv.DictReader(io.StringIO(told.stdout))} | {
        "": {"said": graded.stdout, "wrong": graded.stderr}
    }
    patch.undo()


@pytest.mark.deep
@pytest.mark.parametrize(
    "student, mark",
    [
        ("right", 6),
        ("wrong-and-open", 2),
        ("not-compiling-and-prints", 2),
        ("endless", 4),
        ("own-check", 4),
        ("deletes-and-overwrites", 2),
    ],
)
def test_the_marks_are_those_that_a_teacher_would_give(marks: dict, student: str, mark: int) -> None:
    assert marks[student]["of"] == "6"
    assert marks[student]["mark"] == str(mark), marks


@pytest.mark.deep
def test_one_who_ends_the_kernel_is_named_and_the_others_are_graded(marks: dict) -> None:
    assert "exits: not graded" in marks[""]["said"]
    assert "6 of 7 graded" in marks[""]["said"]


@pytest.mark.deep
def test_the_feedback_tells_a_learner_what_was_wrong(marks: dict) -> None:
    page = grade.HOMEWORK / "feedback/wrong-and-open" / FIRST.stem / f"{FIRST.stem}.html"
    assert "That is one after the other" in page.read_text(encoding="utf-8")
