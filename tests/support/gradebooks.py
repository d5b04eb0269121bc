"""A class with nbgrader's real gradebook, for tests; only the kernels are played.

nbgrader is installed once, from the network, into build/nbgrader.
"""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat
import pytest
from homeworks import ANSWER, CHECK, FIRST, cell
from notebooks.runs import until
from teach.homework import grade

NAME, FILE = FIRST.stem, FIRST.name
ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)/")
OK = {"status": "ok", "text": "", "value": ""}


def played(job: dict, *_: object) -> dict[str, dict[str, str]]:
    """What the kernels of 00's homework would show: numbers are read, nothing is run."""
    told, known = {}, ""
    for step in job["steps"]:
        name, source = step["name"], step["source"]
        told[name] = OK
        if "Double.parseDouble" in source:  # the judge
            value = float(re.findall(r'parseDouble\("([^"]+)"\)', source)[0])
            [(wanted, off)] = re.findall(r"\.expect\(([\d.]+), ([\d.]+)", source)
            right = abs(value - float(wanted)) <= float(off)
            told[name] = OK | {"value": f"RIGHT\n{value} is right" if right else f"WRONG\n{value} is wrong"}
        elif "fair" in name or "fetch" in name:
            known += source
            found = re.findall(r"(?:timesAsFast|seconds) = ([\d.]+);", known)
            if "mine()" in source and "double mine() { return" not in known:
                told[name] = {"status": "error", "text": "", "value": "REJECTED: mine() is not declared"}
            elif name == CHECK:
                helped = re.search(r"mine\(\) { return ([\d.]+)", known)
                told[name] = OK | {"value": helped[1] if helped else found[-1] if found else "NaN"}
            elif name == "fetch-check":
                told[name] = OK | {"value": "0.3"}
    return told


class Class:
    """A teacher's folder, commands and what they say."""

    def __init__(self, home: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.home, self.capture = home, capture

    def __call__(self, *words: str, code: int = 0) -> str:
        self.capture.readouterr()
        assert grade.main(list(words)) == code, self.capture.readouterr()
        said = self.capture.readouterr()
        assert "loading config" not in said.err, said.err  # nbgrader would go on without its guard
        return said.out if words[0] == "marks" else said.out + said.err

    def folder(self, student: str) -> Path:
        return self.home / "submitted" / student / NAME

    def hands_in(self, student: str, java: str, at: "str | None" = None, before: str = "") -> None:
        made = nbformat.read(self.home / "release" / NAME / FILE, 4)
        cell(made, ANSWER).source += "\n" + java
        if before:
            made.cells.insert(1, nbformat.v4.new_code_cell(before))
        self.folder(student).mkdir(parents=True, exist_ok=True)
        nbformat.write(made, self.folder(student) / FILE)
        if at:
            (self.folder(student) / "timestamp.txt").write_text(at)

    def check(self, old: str, new: str) -> None:
        """The teacher edits a check."""
        file = self.home / "source" / NAME / FILE
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")

    def marks(self, *words: str) -> dict[str, dict[str, str]]:
        return {row["student"]: row for row in csv.DictReader(io.StringIO(self("marks", *words)))}

    def page(self, student: str) -> str:
        return (self.home / "feedback" / student / NAME / f"{NAME}.html").read_text("utf-8")


def answers(ask: Callable) -> bool:
    with suppress(urllib.error.URLError):
        return bool(ask("api/assignments"))
    return False


@contextmanager
def formgrader(home: Path) -> Iterator[Callable]:
    """nbgrader's own pages as `grade.py formgrader` opens them, and what asks for one of them."""
    options = ["--IdentityProvider.token=t", "--no-browser", "--allow-root"]
    command = [sys.executable, grade.__file__, "formgrader", *options]
    env = os.environ | {"THREADLAB_HOMEWORK": str(home)}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, start_new_session=True) as server:

        def ask(path: str, data: "dict | None" = None) -> "str | list | dict":
            request = urllib.request.Request(
                f"{address}/formgrader/{path}",
                json.dumps(data).encode() if data else None,
                {"Authorization": "token t"},
                method="PUT" if data else "GET",
            )
            with urllib.request.urlopen(request, timeout=20) as told:
                text = told.read().decode()
            return json.loads(text) if path.startswith("api/") else text

        assert server.stderr
        try:
            address = next(found[1] for line in server.stderr if (found := ADDRESS.search(line.decode())))
            until("nbgrader's pages are served", lambda: answers(ask))  # it prints its address before that
            yield ask
        finally:
            os.killpg(server.pid, signal.SIGKILL)  # at once: it may not yet listen to any other
            server.stderr.close()


def exported(course: Class) -> dict[str, dict[str, str]]:
    course("export")
    with open("grades.csv", encoding="utf-8") as file:
        return {row["student_id"]: row for row in csv.DictReader(file)}
