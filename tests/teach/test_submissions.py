"""Submissions that deceive a reader: each is refused or gets what its value deserves. Three seconds."""

import json
import os
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
from nbformat import NotebookNode
from homeworks import ANSWER, CHECK, FIRST, cell, written
from teach.homework import isolation
from teach.homework.grading import Batch
from teach.homework.judge import Judge, verdict_of
from teach.homework.kept import Records, Verdict, remarks

WRONG = "double timesAsFast = 7;\n"


class Sent(NamedTuple):
    notebook: NotebookNode
    file: Path


def tags_the_answer_as_the_check(sent: Sent) -> None:
    sent.notebook.cells.remove(cell(sent.notebook, CHECK))
    about = cell(sent.notebook, ANSWER)
    about.source = "2.0"
    about.metadata.nbgrader |= {"grade_id": CHECK, "grade": True, "solution": False, "points": 1_000}


def doubles_the_answer(sent: Sent) -> None:
    twin = deepcopy(cell(sent.notebook, ANSWER))
    twin.id = "twin"
    sent.notebook.cells.append(twin)


def names_the_answer_by_letters_that_look_alike(sent: Sent) -> None:
    alike = ANSWER.replace("a", "\N{CYRILLIC SMALL LETTER A}")
    cell(sent.notebook, ANSWER).metadata.nbgrader.grade_id = alike


def makes_the_answer_a_text(sent: Sent) -> None:
    about = cell(sent.notebook, ANSWER)
    about.cell_type, about.source = "markdown", "<script>alert(1)</script>"
    del about["outputs"], about["execution_count"]


def rewrites_the_check_with_its_output(sent: Sent) -> None:
    check = cell(sent.notebook, CHECK)
    check.source = 'System.out.println("✔"); 2.0'
    check.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2.0"})]


def brings_a_module_and_a_link(sent: Sent) -> None:
    (sent.file.parent / "csv.py").write_text("exit()")
    (sent.file.parent / "notes").symlink_to("/etc/passwd")


def is_a_link_to_a_folder(sent: Sent) -> None:
    sent.file.parent.rmdir()
    sent.file.parent.symlink_to(sent.file.parents[3] / "source" / FIRST.stem, target_is_directory=True)


def is_huge(sent: Sent) -> None:
    sent.file.touch()
    os.truncate(sent.file, 3_000_000_000)


def is_of_other_shapes(sent: Sent) -> None:
    shapes = [None, 1, {"metadata": 1}, {"metadata": {"nbgrader": []}}]
    sent.file.write_text(json.dumps({"cells": [*shapes, {"metadata": {"nbgrader": {"grade_id": []}}}]}))


Change = Callable[[Sent], object]
REFUSED: dict[str, tuple[str, Change]] = {
    "link": ("not a file but a link", lambda sent: sent.file.symlink_to("/etc/passwd")),
    "link-to-folder": ("is a link", is_a_link_to_a_folder),
    "pipe": ("not a file", lambda sent: os.mkfifo(sent.file)),
    "huge": ("3,000,000,000 bytes", is_huge),
    "nested": ("not a notebook", lambda sent: sent.file.write_text("[" * 1_000_000)),
    "other-shapes": ("none of the cells", is_of_other_shapes),
    "<script>alert(3)": ("a name has letters", lambda sent: None),
}
# what the teacher is told, whether the answer still counts, and what was changed
CHANGED: list[tuple[str, bool, Change]] = [
    (f"{CHECK}: deleted", True, lambda it: it.notebook.cells.remove(cell(it.notebook, CHECK))),
    (f"{CHECK}: changed, and restored", True, rewrites_the_check_with_its_output),
    (f"{ANSWER}: present 2 times", True, doubles_the_answer),
    (f"{ANSWER}: deleted", False, tags_the_answer_as_the_check),
    (f"{ANSWER}: deleted", True, names_the_answer_by_letters_that_look_alike),
    (f"{ANSWER}: no longer a cell of the kind", False, makes_the_answer_a_text),
    ("files that are not read: csv.py, notes", True, brings_a_module_and_a_link),
]
NAMED = {
    "class threadlab { static class claim { static class Check {} } }": "by hand: it redeclares threadlab",
    "class java { static class lang { static class Double {} } }": "by hand: it redeclares java",
    "Object java = null;": "by hand: it redeclares java",
    r"\u0063lass \u0074hreadlab {}": "by hand: it redeclares threadlab",
    "class Check { static double OPEN = 7; }": "by hand: it redeclares Check",
    "//" + "x" * 100_000: "by hand: it declares no",
    "class thr\N{CYRILLIC SMALL LETTER IE}adlab {}": r"has letters of another script in names: U\+0435",
    r'String text = "2\"); System.exit(0); //\u000a";': "writes letters as Unicode escapes",
    'java.nio.file.Files.exists(java.nio.file.Path.of("../source"));': "uses .*Files",
    'new java.net.Socket("127.0.0.1", 80);': "uses .*Socket",
    "StackWalker.getInstance(); new Thread(() -> {}).start();": "uses StackWalker, new Thread",
    'new ProcessBuilder("sh").start();': "uses ProcessBuilder",
}
Grade = Callable[..., "tuple[str | None, str]"]


@pytest.fixture
def grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Grade:
    here = written(tmp_path)
    exercise = next(each for each in here.exercises if each.check == CHECK)

    def grade(java: str, change: Change = lambda _: None, student: str = "eve") -> "tuple[str | None, str]":
        """What the judge runs if the answer shows 7, '' if nothing, None if refused; and what is told."""
        file = tmp_path / "submitted" / student / FIRST.stem / FIRST.name
        file.parent.mkdir(parents=True)
        sent = Sent(deepcopy(here.released), file)
        cell(sent.notebook, ANSWER).source = java
        change(sent)
        if not file.parent.is_symlink() and not os.path.lexists(file):
            nbformat.write(sent.notebook, file)
        judge = Judge(here, None, isolation.Limits())
        if not (graded := next(Batch(Records(tmp_path, here), judge).waiting("*", again=False), None)):
            return None, capsys.readouterr().out
        graded.steps |= {name: {"status": "ok", "text": "", "value": "7.0"} for name in (ANSWER, CHECK)}
        found = judge.value(graded, exercise)
        return "" if isinstance(found, Verdict) else found, capsys.readouterr().out

    return grade


@pytest.mark.parametrize("student", REFUSED)
def test_what_is_no_submission_is_refused_and_named(grade: Grade, student: str) -> None:
    named, change = REFUSED[student]
    judged, told = grade(WRONG, change, student)
    assert judged is None and re.search(f"not graded: .*{named}", told)


@pytest.mark.parametrize(("named", "counts", "change"), CHANGED)
def test_a_changed_notebook_gets_only_what_its_released_cells_deserve(
    grade: Grade, named: str, counts: bool, change: Change
) -> None:
    judged, told = grade(WRONG, change)
    assert ('parseDouble("7.0")' in judged) == counts and f"eve: {named}" in told


@pytest.mark.parametrize("java", NAMED)
def test_what_no_answer_needs_is_named_and_a_library_s_name_is_not_replaced(grade: Grade, java: str) -> None:
    judged, told = grade(java + "\n" + WRONG)
    assert re.search(f"^eve: {ANSWER}: {NAMED[java]}", told, re.MULTILINE)
    assert ('parseDouble("7.0")' in judged) != ("by hand" in NAMED[java])


@pytest.mark.parametrize("text, named", [("<b>1</b>", "prints HTML"), ("RIGHT\n✔", "prints the marks of")])
def test_what_an_answer_prints_is_named_and_no_verdict(text: str, named: str) -> None:
    assert named in "".join(remarks({"status": "ok", "text": text, "value": ""}))
    told = isolation.Ran(status="ok", text="RIGHT\n" + text, value="WRONG\nThat is one after the other")
    assert verdict_of(told) == Verdict(0, "That is one after the other")
