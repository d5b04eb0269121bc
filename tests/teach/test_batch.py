"""A run over all submissions to a homework: what runs, in which isolation, and what is kept. Two seconds."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from homeworks import ANSWER, CHECK, FIRST, written
from teach.homework import grade, gradebook, isolation, jobs
from teach.homework.grading import CHANGES, TERMS, Batch, Graded, changed
from teach.homework.isolation import Failed, Job, Limits, Ran
from teach.homework.judge import Judge
from teach.homework.kept import Records
from teach.homework.submission import Submission

ENGINE, LIMITS = ["engine"], Limits(seconds=7)
ALIASES = {"ada": "adaalias", "bob": "bobalias"}


class Played:
    """Containers that only note what runs in them: every answer shows 2, which is right."""

    def __init__(self, root: Path, here: jobs.Homework) -> None:
        self.root, self.here = root, here
        self.ran: list[Job] = []
        self.fails: Callable[[Job], bool] = lambda job: False
        self.text = ""  # what each step prints

    def __call__(self, job: Job, engine: list[str] | None, limits: Limits) -> dict[str, Ran]:
        assert (engine, limits) == (ENGINE, LIMITS), "all runs in isolation, answers and judge"
        if self.fails(job):
            raise Failed("it took more than 7 s")
        self.ran.append(job)
        judges = not self.answers(job)
        return {
            step["name"]: Ran(status="ok", text=self.text, value="RIGHT\nyes" if judges else "2.0")
            for step in job["steps"]
        }

    @staticmethod
    def answers(job: Job) -> bool:
        return any(step["name"] == ANSWER for step in job["steps"])

    def hands_in(self, student: str, number: int) -> None:
        sent = (self.root / "release" / FIRST.stem / FIRST.name).read_text(encoding="utf-8")
        folder = self.root / "submitted" / student / FIRST.stem
        folder.mkdir(parents=True, exist_ok=True)
        stub = "double timesAsFast = "
        (folder / FIRST.name).write_text(sent.replace(stub, f"{stub}{number} + "), encoding="utf-8")
        os.utime(folder / FIRST.name, (0, 0))

    def records(self) -> Records:
        return Records(self.root, self.here, aliases=ALIASES)

    def grade(self, again: bool = False, only: str = "*") -> list[Graded]:
        staged = self.root / "staged"
        shutil.rmtree(staged, ignore_errors=True)
        self.ran.clear()
        return Batch(self.records(), Judge(self.here, ENGINE, LIMITS)).grade(only, again, staged)

    def kinds(self) -> list[str]:
        return ["answers" if self.answers(job) else "judge" for job in self.ran]


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    made = Played(tmp_path, written(tmp_path))
    monkeypatch.setattr(isolation, "run", made)
    return made


def test_all_runs_in_isolation_with_the_learner_s_pseudonym_and_one_drawn_number(
    batch: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, str]] = []
    real = batch.here.answering

    def answering(sent: Submission, drawn: int, pseudonym: str) -> Job:
        given.append((drawn, pseudonym))
        return real(sent, drawn, pseudonym)

    monkeypatch.setattr(batch.here, "answering", answering)
    batch.hands_in("ada", 1)
    [graded] = batch.grade()
    assert {pseudonym for _, pseudonym in given} == {"adaalias"}
    assert graded.drawn in [drawn for drawn, _ in given] and graded.alias == "adaalias"
    assert batch.kinds() == ["answers", "judge"]


def test_what_has_run_is_kept_and_only_what_has_not_runs(batch: Played) -> None:
    batch.hands_in("ada", 1)
    batch.hands_in("bob", 1)
    batch.fails = lambda job: not batch.answers(job)
    assert batch.grade() == [] and batch.kinds() == ["answers"], "two learners sent the same text"
    batch.fails = lambda job: False
    assert [graded.student for graded in batch.grade()] == ["ada", "bob"]
    assert batch.kinds() == ["judge"], "the answers had run"
    assert len(batch.grade()) == 2 and batch.kinds() == [], "the judge had judged"
    kept = json.loads((batch.root / "graded/ada" / f"{FIRST.stem}.json").read_text(encoding="utf-8"))
    assert kept["verdicts"][CHECK] == [1.0, "yes", False]
    assert len(batch.grade(again=True)) == 2 and batch.kinds() == ["answers", "judge"]
    assert [graded.student for graded in batch.grade(only="bob")] == ["bob"]


def test_an_answer_without_a_result_is_named_and_costs_nobody_else_a_mark(
    batch: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    batch.hands_in("ada", 1)
    batch.hands_in("bob", 2)
    batch.fails = lambda job: any("timesAsFast = 1" in step["source"] for step in job["steps"])
    assert [graded.student for graded in batch.grade()] == ["bob"]
    assert "ada: not graded: it took more than 7 s\n" in capsys.readouterr().out


def test_what_is_said_of_a_run_is_said_again_with_the_marks_and_of_strange_numbers_whose_they_are(
    batch: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    batch.hands_in("ada", 1)
    batch.text = "✔ mine"
    [graded] = batch.grade()
    said = [f"{name}: prints the marks of a check" for name in (ANSWER, "fetch-stub")]
    assert capsys.readouterr().out.splitlines() == [f"ada: {note}" for note in said]
    assert batch.records().notes("ada", graded.sent) == said
    batch.here.knows = "var yours;"
    for pseudonym, words in (
        ("bobalias", "was worked with the numbers of bob (bobalias)"),
        ("else", "was worked with the numbers of nobody (else)"),
        ("", "has no pseudonym"),
    ):
        sent = Submission(pseudonym=pseudonym)
        assert batch.records().notes("eve", sent) == [f"{words}, and is judged by its own numbers"]
    assert batch.records().notes("ada", Submission(pseudonym="adaalias")) == []


def test_every_fifty_texts_the_teacher_reads_how_far_it_is(
    batch: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(51):
        batch.hands_in(f"learner{number}", number)
    assert len(batch.grade()) == 51
    told = [line for line in capsys.readouterr().out.splitlines() if "have run" in line]
    assert told == ["The answers of 50 of 51 have run"]


def test_the_first_reason_that_counts_says_why_it_is_graded_again() -> None:
    keys = dict.fromkeys([*CHANGES, "terms"], "same")
    assert changed(keys, keys) == ""
    for name, why in CHANGES.items():
        assert changed(keys, keys | {name: "new"}) == why
    assert changed(keys, keys | {"sent": "new", "ran": "new"}) == CHANGES["sent"]
    assert changed(keys, keys | {"checks": "new", "terms": "new"}) == f"{CHANGES['checks']}; {TERMS}"


def test_a_new_submission_is_graded_again_and_what_the_gradebook_has_is_not(
    batch: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    for student, number in (("ada", 1), ("bob", 1), ("eve", 2)):
        batch.hands_in(student, number)
    done = batch.grade()
    kept = batch.records()
    kept.taken(done)

    def waiting(again: bool = False) -> tuple[dict[str, str], int, int]:
        """Who is graded and why, how many have handed in, and how many had been graded before."""
        one = Batch(kept, Judge(batch.here, ENGINE, LIMITS))
        found = {graded.student: graded.why for graded in one.waiting("*", again=again)}
        return found, one.sent, one.before

    assert waiting() == ({"ada": "", "bob": "", "eve": ""}, 3, 0), "nbgrader has none of them"
    shutil.copytree(batch.root / "staged", batch.root / "autograded")
    kept.book["sent"] = {each.student: {"due": "", "graded": True} for each in done}
    assert waiting() == ({}, 3, 3)
    assert waiting(again=True)[0] == dict.fromkeys(("ada", "bob", "eve"), "--force was given")
    batch.hands_in("eve", 3)
    assert waiting() == ({"eve": CHANGES["sent"]}, 3, 2), "its time is as old as before"
    folder = batch.root / "submitted" / "bob" / FIRST.stem
    (folder / FIRST.name).write_text("{}")
    for student, time in (("ada", "2026-03-01 12:00:00 UTC"), ("eve", "tomorrow")):
        (folder.parents[1] / student / FIRST.stem / "timestamp.txt").write_text(time)
    capsys.readouterr()
    assert waiting() == ({"ada": TERMS, "eve": f"{CHANGES['sent']}"}, 3, 0)
    told = capsys.readouterr().out
    assert told.startswith("bob: not graded: 00-start-here.ipynb is not a notebook")
    assert told.splitlines()[1:] == [
        "eve: timestamp.txt holds no time, so it counts as handed in without one"
    ]


def test_without_a_submission_the_teacher_reads_where_to_put_them(batch: Played) -> None:
    with pytest.raises(
        SystemExit, match=f"There is no submission to {FIRST.stem}: put each into .*/submitted"
    ):
        batch.grade()


KILLED = """
import sys
from teach.homework import grade, gradebook
gradebook.environment = lambda: sys.executable
with grade.one_at_a_time(), grade.staging() as staged:
    staged.mkdir()
    gradebook.isolated("-c", '''import time
print("imports", flush=True)
time.sleep(2)
print("has imported")''')
"""


@pytest.mark.skipif(os.name == "nt", reason="what has begun there does not inherit the lock")
def test_the_run_after_a_killed_one_waits_for_its_nbgrader_and_removes_what_it_had_staged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nbgrader, which goes on, could import older answers over the newer ones."""
    monkeypatch.setattr(grade, "HOMEWORK", tmp_path)
    env = os.environ | {"THREADLAB_HOMEWORK": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout and killed.stdout.readline() == "imports\n"
        killed.kill()
        with grade.one_at_a_time():
            os.set_blocking(killed.stdout.fileno(), False)
            assert killed.stdout.read() == "has imported\n"
    assert (tmp_path / ".staged").is_dir()
    with grade.staging() as staged:
        assert not staged.exists()


def test_where_the_disk_is_full_it_is_named_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda home: SimpleNamespace(free=12_000))
    told = f"{tmp_path} has 12 kB free, and it needs 1,000: make room there, and give the command again; what"
    assert told in gradebook.not_accepted(tmp_path)
    monkeypatch.undo()
    assert "see its messages above" in gradebook.not_accepted(tmp_path)
