"""A class of submissions that all differ, graded in containers: a killed run goes on, and each mark is right.

THREADLAB_CLASS=300 grades a class of 300. Two minutes for the 12 of a release.
"""

import csv
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import containers
import variants
from homeworks import graded
from notebooks.runs import until
from teach.homework import course, grade, jobs, make

SIZE = int(os.environ.get("THREADLAB_CLASS", "12"))
NAME = variants.LESSON.stem
TOOL = [sys.executable, grade.__file__]


def test_a_killed_run_over_a_class_goes_on_and_each_mark_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    containers.build()
    monkeypatch.setattr(make, "HOMEWORK", tmp_path)
    monkeypatch.setenv("THREADLAB_HOMEWORK", str(tmp_path))
    (tmp_path / course.FILE).write_text(variants.TOML, encoding="utf-8")
    make.write([variants.LESSON])
    graded("generate_assignment", NAME)
    expected = variants.hand_in(tmp_path, SIZE)
    run = ["autograde", NAME, "--seconds=15"]

    def kept() -> list[Path]:
        return sorted(tmp_path.glob(f"graded/*/{NAME}.json"))

    begun = time.monotonic()
    with subprocess.Popen([*TOOL, *run], stdout=subprocess.PIPE) as killed:
        until("some answers have run", lambda: len(kept()) >= SIZE // 3, 3_600)
        killed.send_signal(signal.SIGKILL)
    before = {path: path.read_text() for path in kept()}
    said = graded(*run)
    print(f"{SIZE} submissions in {time.monotonic() - begun:.0f} s, killed once\n{said}")
    drawn = [
        (text.partition('"steps"')[0], path.read_text().partition('"steps"')[0])
        for path, text in before.items()
    ]
    assert all(old == new for old, new in drawn), "what had been run was not run again"
    assert f"{SIZE} of {SIZE} graded" in said
    found = {row["student"]: row for row in csv.DictReader(io.StringIO(graded("marks")))}
    label = jobs.Homework(tmp_path, NAME, 60).label
    answer = label("why-question-answer")
    told = {student: {*filter(None, row["failed exercises"].split(", "))} for student, row in found.items()}
    assert told == {student: {*map(label, failed)} for student, failed in expected.items()}
    assert all(f"to be marked by hand: {answer}" in row["why"] for row in found.values())
    marks = {student: float(row["mark"]) for student, row in found.items()}
    # in each wrong answer to that task with parts, one part is wrong
    of = {student: 2 * (3 - len(wrong)) + ("switch-check" in wrong) for student, wrong in expected.items()}
    assert marks == of
    assert "jplag.jar" in graded("compare", NAME)
