"""Homework from the exercises: what learners get, and what a teacher's command does. Takes three seconds."""

import subprocess
import sys
from pathlib import Path

import pytest
from homeworks import FIRST, of_nbgrader
from notebooks.runs import numbered, read
from teach.exercises import exercises
from teach.homework import course, grade, isolation, jobs, make, submission


@pytest.mark.parametrize("path", make.GRADED, ids=lambda path: path.stem)
def test_homework_holds_each_exercise_once_and_little_else(path: Path) -> None:
    everything = course.Course(Path("course.toml"))
    stored, made, rest = read(path), make.homework(path), make.without_homework(path, everything)
    there = exercises(stored.cells)
    assert [cell.id for cell in of_nbgrader(made, "solution")] == [each.stub.id for each in there]
    assert [cell.id for cell in of_nbgrader(made, "grade")] == [each.check.id for each in there]
    ids = [cell.metadata.nbgrader.grade_id for cell in made.cells[1:]]
    assert len(set(ids)) == len(ids) and sum(cell.cell_type == "code" for cell in made.cells) <= 20
    assert "Trials.of" not in "".join(cell.source for cell in made.cells), "it measures, which takes a minute"
    assert all(cell.metadata.deletable is False for cell in made.cells[1:] if cell.metadata.nbgrader.locked)
    assert not rest.cells[0].metadata.get("tags")
    assert not [cell for cell in (*made.cells, *rest.cells) if "is the solution" in cell.source]
    left = {cell.id for cell in stored.cells} - {cell.id for each in there for cell in each.cells}
    assert {cell.id for cell in rest.cells} == left


def test_an_answer_replaces_no_name_on_which_its_check_relies() -> None:
    given = submission.given(make.homework(numbered("02")))
    assert "mdc" in given
    for java in ("mdc = new Mine();", "BasicMDCAdapter mdc = null;", "{ mdc = null; }"):
        assert "it replaces mdc" in submission.refusal(java, given), java
    of_its_own = "class A { A(int x) { this.mdc = x; } }"
    for java in ("{ var mdc = 1; }", "mdc.clear();", "if (mdc == null) { }", of_its_own):
        assert not submission.refusal(java, given), java


NUMBERS, RECORD = "Integer[]", "Design"


@pytest.mark.parametrize(
    "kind, value, java",
    [
        ("double", "-1.5E-7", 'Double.parseDouble("-1.5E-7")'),
        ("double", '0"); System.exit(0); ("', ""),
        ("double", "١", ""),
        ("int", "-3", "-3"),
        ("int", "3; f()", ""),
        ("String", 'a"\n\\é\u20ac', r'"a\"\n\\\u00e9\u20ac"'),
        ("String", "\\u0022); System.exit(0); //", r'"\\u0022); System.exit(0); //"'),
        (NUMBERS, "[1, null]", "{1, null}"),
        (NUMBERS, "null", "null"),
        (NUMBERS, "[f()]", ""),
        (RECORD, "Design[a=1, b=-2]", "new Design(1, -2)"),
        (RECORD, "null", "null"),
        (RECORD, "Design[a=f()]", ""),
        (RECORD, "Other[a=1]", ""),
    ],
)
def test_a_value_reaches_the_judge_as_a_literal_or_not_at_all(kind: str, value: str, java: str) -> None:
    told = jobs.Exercise("", "", kind, "x", "", "", "").literal(value)
    assert told == (f"{kind} x = {java};\n" if java else "")


def test_without_an_engine_nothing_runs_unless_the_teacher_trusts_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "source").mkdir()
    monkeypatch.setattr(grade, "HOMEWORK", tmp_path)
    monkeypatch.setattr(isolation, "engine", lambda: None)
    with pytest.raises(SystemExit, match=r"install Docker .* --trust-submissions"):
        grade.main(["autograde", FIRST.stem])
    with pytest.raises(SystemExit, match="has not been released"):
        grade.main(["autograde", FIRST.stem, "--trust-submissions"])
    with pytest.raises(SystemExit, match="validate would run"):
        grade.main(["validate", FIRST.stem])


def test_no_more_containers_run_at_once_than_find_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = tmp_path / "meminfo"
    said.write_text("MemTotal:       16000000 kB\nMemAvailable:    4096000 kB\nHugePages_Total:       0\n")
    assert isolation.memory_left(said) == 4_000 and isolation.memory_left(tmp_path / "none") is None
    monkeypatch.setattr(isolation, "memory_left", lambda: 4_000)
    monkeypatch.setattr(isolation.os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert isolation.at_once(isolation.Limits(memory=500)) == 8
    assert isolation.at_once(isolation.Limits(memory=1_500)) == 2
    assert "2 at a time, not 8: 4,000 MiB are free" in capsys.readouterr().out
    assert isolation.at_once(isolation.Limits(memory=1_500), 1) == 1
    assert isolation.at_once(isolation.Limits(memory=9_000), 4) == 1, "one must run"


def test_a_job_ends_when_its_time_is_over() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        with pytest.raises(isolation.Failed, match="more than"):
            isolation.wait(process, 0.1, [])
        process.kill()
