"""Honest, wrong and hostile submissions, graded in containers by the teacher's commands. Six minutes."""

import csv
import io
import json
import re
import select
import socket
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
import containers
from homeworks import ANSWER, CHECK, FIRST, answer, cell
from homeworks import graded as told_by
from teach.homework import grade, make

WRONG = "double timesAsFast = 7;\n"
RESULT = json.dumps(json.dumps({CHECK: {"status": "ok", "text": "", "value": "2"}}))
# gives the right answer if it can do anything that it must not
REACHES_OUT = """
for (var reached : List.<Callable<Boolean>>of(
        () -> Files.exists(Path.of("HOME/source")),
        () -> Files.exists(Path.of("../source")),
        () -> Files.exists(Path.of("HOME/submitted/right/00-start-here")),
        () -> !Files.list(Path.of("/opt/course/notebooks")).toList().isEmpty(),
        () -> Files.find(Path.of("/opt/course"), 4, (p, a) -> (p + "").endsWith(".ipynb")).count() > 0,
        () -> Files.write(Path.of("HOME/gradebook.db"), new byte[1]) != null,
        () -> Files.write(Path.of("/opt/course/.venv/bin/python"), new byte[1]) != null,
        () -> new java.net.Socket("127.0.0.1", PORT).isConnected(),
        () -> StackWalker.getInstance().walk(s -> s.anyMatch(f -> f.toString().contains("Check"))))) {
    try { if (reached.call()) timesAsFast = 2; } catch (Exception e) { System.out.println(e); }
}"""
MEMORY = "while True: x.append(bytearray(1 << 24))"
GROWS = "while (true) all.add(new byte[1 << 24]);"
SLEEPS = "\nThread.sleep(1_000_000);"
DISK = 'var file = Files.newOutputStream(Path.of("/tmp/x"));\nwhile (true) file.write(new byte[1 << 20]);'
HTML = 'System.out.println("<script>alert(1)</script>"); throw new RuntimeException("<img src=x onerror=1>");'
HOSTILE = {  # what it does beside its wrong answer, and what the teacher reads
    "exits": ("System.exit(0);", "ended its kernel"),
    "halts": ("Runtime.getRuntime().halt(0);", "ended its kernel"),
    "leaves-threads": ("new Thread(() -> { while (true) Thread.onSpinWait(); }).start();", "uses new Thread"),
    "leaves-children": ('sh("setsid sleep 100000 & sleep 100000");', "uses ProcessBuilder"),
    "forks": ('sh("f() { f | f & }; f");' + SLEEPS, "uses ProcessBuilder"),
    "kills-the-runner": ('sh("kill -9 1; kill -9 -1");' + SLEEPS, "uses ProcessBuilder"),
    "takes-memory": ("var all = new ArrayList<>();\n" + GROWS, "(failed|ended)"),
    "takes-memory-outside": (f"sh(\"python -c 'x = []\\n{MEMORY}'\");" + SLEEPS, "(failed|ended|exceeded)"),
    "prints-without-end": ('while (true) System.out.println("✔ ".repeat(1_000));', "printed without end"),
    "fills-the-disk": (DISK, "(failed|ended|exceeded)"),
    "never-ends": ("while (true) Thread.onSpinWait();", "exceeded"),
    "waits": (SLEEPS, "exceeded"),
    "reaches-out": (REACHES_OUT, "uses .*Files, .*Socket, StackWalker"),
    "writes-the-result": (f'Files.writeString(Path.of("/proc/1/fd/1"), {RESULT});', "uses Files"),
    "prints-html": (HTML, "prints HTML"),
}
MARKS = {"right": "4", "wrong": "0", "not-compiling": "2", "value-without-end": "2"}


def hostile(java: str, **places: str) -> str:
    """The source of an answer: full names for files, a shell where it wants one."""
    for name, full in places.items():
        java = java.replace(name, full)
    java = re.sub(r"\b(Files|Path)\.", r"java.nio.file.\1.", java)
    return WRONG + re.sub(r"^sh\((.*)\);", r'new ProcessBuilder("sh", "-c", \1).inheritIO().start();', java)


class Graded(NamedTuple):
    told: str
    marks: dict[str, str]
    home: Path
    called: bool


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    containers.build()
    home = tmp_path_factory.mktemp("homework")
    with pytest.MonkeyPatch.context() as patch, socket.create_server(("127.0.0.1", 0)) as listening:
        for module in (make, grade):
            patch.setattr(module, "HOMEWORK", home)
        patch.setenv("THREADLAB_HOMEWORK", str(home))
        make.write([FIRST])
        told_by("generate_assignment", FIRST.stem)
        source = nbformat.read(home / "source" / FIRST.stem / FIRST.name, 4)
        right = nbformat.read(home / "release" / FIRST.stem / FIRST.name, 4)
        open_answer, open_fetch = (cell(right, name).source for name in (ANSWER, "fetch-stub"))
        for name in (ANSWER, "fetch-stub"):
            cell(right, name).source += "\n" + answer(cell(source, name).source)
        lies = open_fetch + '\nSystem.out.println("✔ All services were asked: 0.2");'
        places = {"HOME": str(home), "PORT": str(listening.getsockname()[1])}
        sent = {name: {ANSWER: hostile(java, **places)} for name, (java, _) in HOSTILE.items()}
        sent |= {
            "right": {},
            "wrong": {ANSWER: open_answer + "\ntimesAsFast = 1_000;", "fetch-stub": lies},
            "not-compiling": {ANSWER: "double timesAsFast = half;"},
            "value-without-end": {ANSWER: 'String timesAsFast = "0".repeat(100_000_000);'},
        }
        for student, answers in sent.items():
            made = deepcopy(right)
            for name, java in answers.items():
                cell(made, name).source = java
            (home / "submitted" / student / FIRST.stem).mkdir(parents=True)
            nbformat.write(made, home / "submitted" / student / FIRST.stem / FIRST.name)
        (home / "class.csv").write_text("\n".join(["student", *sent]), encoding="utf-8")
        told = told_by("autograde", FIRST.stem, "--jobs=2", "--seconds=15")
        called = bool(select.select([listening], [], [], 0)[0])
        told_by("generate_feedback", FIRST.stem, "--checks-from=2020-01-01")
        marks = {row["student"]: row["mark"] for row in csv.DictReader(io.StringIO(told_by("marks")))}
        yield Graded(told, marks, home, called)


@pytest.mark.parametrize("student", HOSTILE)
def test_a_hostile_submission_gets_nothing_for_its_answer_and_is_named(graded: Graded, student: str) -> None:
    assert graded.marks[student] == "2", graded.told
    assert re.search(f"^{student}: {ANSWER}: {HOSTILE[student][1]}", graded.told, re.MULTILINE), graded.told


def test_the_others_get_their_marks_and_the_run_reaches_its_end(graded: Graded) -> None:
    assert MARKS.items() <= graded.marks.items()
    assert not re.search("^right:", graded.told, re.MULTILINE)
    assert f"{len(graded.marks)} of {len(HOSTILE | MARKS)} graded" in graded.told


def test_nothing_of_a_submission_ran_on_this_machine(graded: Graded) -> None:
    assert not graded.called
    listed = [*containers.image.runner(), "ps", "--all", "--format", "{{.Names}}"]
    for command, gone in ((["ps", "-eo", "args"], "sleep 100000"), (listed, "threadlab-grade")):
        assert gone not in subprocess.check_output(command, text=True)


def test_the_feedback_says_what_was_wrong_and_shows_what_was_printed_as_text(graded: Graded) -> None:
    def page(student: str) -> str:
        return (graded.home / "feedback" / student / FIRST.stem / f"{FIRST.stem}.html").read_text("utf-8")

    assert "The pool had loaded every page" in page("wrong")
    html = page("prints-html")
    assert "&lt;script&gt;alert(1)" in html
    assert "<script>alert(1)" not in html and "<img src=x" not in html


def test_nbgrader_itself_runs_no_submission(graded: Graded) -> None:
    """The teacher's other tools call it with the settings in the folder."""
    (graded.home / "nbgrader_config.py").write_text("c = get_config()")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grade, "HOMEWORK", graded.home)
        assert grade.nbgrader("autograde", FIRST.stem, "--force", "--student=right") != 0
    assert (graded.home / "nbgrader_config.py").read_text(encoding="utf-8") == make.CONFIG
