"""Hostile submissions, graded by the teacher's own command: each in containers, beside a correct one.

None gets a point for its wrong answer, harms another one or this machine, or stops the run; each is reported
to the teacher. Takes three to five minutes on two CPUs, once the image is built. Judges no time.
"""

import csv
import io
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
import containers
from hostile import ANSWER, FIRST, HOSTILE, Hostile, cell
from notebooks.runs import ROOT
from teach import grade, homework

FETCHED = """fetchAll = () -> {
    var calls = new ArrayList<Callable<Integer>>();
    for (int i = 0; i < 50; i++) { int service = i; calls.add(() -> fetch(service)); }
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
        return executor.invokeAll(calls).stream().map(Future::resultNow).toList();
    }
};"""


class Graded(NamedTuple):
    told: str
    marks: dict[str, dict[str, str]]
    home: Path
    called: bool


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools/teach/grade.py", *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    containers.build()
    patch = pytest.MonkeyPatch()
    home = tmp_path_factory.mktemp("homework")
    patch.setattr(homework, "HOMEWORK", home)
    patch.setattr(grade, "HOMEWORK", home)
    patch.setenv("THREADLAB_HOMEWORK", str(home))
    homework.write([FIRST])
    made = tool("generate_assignment", FIRST.stem)
    assert made.returncode == 0, made.stderr
    released = nbformat.read(home / "release" / FIRST.stem / FIRST.name, 4)
    for name, right in (("virtual-pool-stub", "secondsInVirtualPool = 2;"), ("fetch-stub", FETCHED)):
        cell(released, name).source += f"\n{right}"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        for student, hostile in {"right": Hostile("", lambda *_: None), **HOSTILE}.items():
            folder = home / "submitted" / student / FIRST.stem
            folder.mkdir(parents=True)
            sent = deepcopy(released)
            if isinstance(hostile.does, str):
                java = hostile.does.replace("HOME", str(home)).replace(
                    "PORT", str(listening.getsockname()[1])
                )
                cell(sent, ANSWER).source = java
            else:
                hostile.does(sent, folder, str(home))
            if folder.is_dir() and not folder.is_symlink() and not os.path.lexists(folder / FIRST.name):
                nbformat.write(sent, folder / FIRST.name)
        told = tool("autograde", FIRST.stem, "--jobs=2", "--seconds=15")
        listening.setblocking(False)
        try:
            called = bool(listening.accept())
        except BlockingIOError:
            called = False
    feedback = tool("generate_feedback", FIRST.stem, "--student=prints-html")
    assert feedback.returncode == 0, feedback.stderr
    marks = tool("marks")
    assert marks.returncode == 0, marks.stderr
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(marks.stdout))}
    yield Graded(told.stdout + told.stderr, rows, home, called)
    patch.undo()


pytestmark = pytest.mark.deep


@pytest.mark.parametrize("student", HOSTILE)
def test_a_hostile_submission_gets_what_it_deserves_and_is_named(graded: Graded, student: str) -> None:
    hostile = HOSTILE[student]
    if hostile.mark is None:
        assert student not in graded.marks
    else:
        assert graded.marks[student]["mark"] == str(hostile.mark), graded.told
    assert re.search(rf"^{re.escape(student)}: (?:.*: )?{hostile.named}", graded.told, re.MULTILINE), (
        graded.told
    )


def test_the_others_are_graded_and_the_run_reaches_its_end(graded: Graded) -> None:
    assert graded.marks["right"]["mark"] == "4"
    assert not re.search("^right:", graded.told, re.MULTILINE)
    refused = sum(hostile.mark is None for hostile in HOSTILE.values())
    assert f"{len(HOSTILE) + 1 - refused} of {len(HOSTILE) + 1} graded" in graded.told


def test_nothing_of_a_submission_ran_on_this_machine(graded: Graded) -> None:
    assert not (graded.home / "planted").exists()
    assert not graded.called
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert "sleep 100000" not in running
    left = subprocess.run(
        [*containers.image.runner(), "ps", "--all", "--format", "{{.Names}}"], capture_output=True, text=True
    )
    assert "threadlab-grade" not in left.stdout


def test_what_a_submission_prints_is_text_on_its_page(graded: Graded) -> None:
    page = graded.home / "feedback/prints-html" / FIRST.stem / f"{FIRST.stem}.html"
    html = page.read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in html
    assert "<script>alert(1)" not in html
    assert "<img src=x" not in html
