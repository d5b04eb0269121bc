"""A teacher's commands with nbgrader's real gradebook; only the kernels are played. A minute and a
half, and as long again for those of a release.

nbgrader is installed once, from the network, into build/nbgrader.
"""

import json
import multiprocessing
import os
import re
import shutil
import signal
import zipfile
from pathlib import Path

import nbformat
import pytest
from gradebooks import FILE, NAME, Class, exported, played
from homeworks import ANSWER, cell
from teach.homework import grade, isolation

ZERO = "--LateSubmissionPlugin.penalty_method=zero"


def test_marks_have_a_row_for_each_learner_of_the_class_and_agree_with_nbgrader_s_gradebook(
    course: Class,
) -> None:
    course("db", "assignment", "add", NAME, "--duedate=2026-03-02 12:00:00 UTC")
    course.hands_in("ada", "timesAsFast = 2.0;", "2026-03-01 12:00:00 UTC")
    course.hands_in("bob", "timesAsFast = 7.0;")
    course.hands_in("eve", "timesAsFast = 2.0;", "2026-03-03 12:00:00 UTC")
    course.folder("dan").mkdir(parents=True)
    (course.folder("dan") / FILE).write_text("{}")
    people = ["ada", "bob", "dan", "eve", "fay"]
    (course.home / "class.csv").write_text("\ufeffstudent\n" + "\n".join(people) + "\n", encoding="utf-8")
    course("autograde", NAME, ZERO, code=1)
    Path("people.csv").write_text("id,first_name\nfay,Fay\n")
    course("db", "student", "import", "people.csv")

    found = course.marks()
    assert list(found) == people
    told = {name: (row["status"], row["mark"], row["penalty"]) for name, row in found.items()}
    assert told == {
        "ada": ("graded", "4", "0"),
        "bob": ("graded", "2", "0"),
        "dan": ("not readable", "0", "0"),
        "eve": ("late", "0", "4"),
        "fay": ("not handed in", "0", "0"),
    }
    assert "not a notebook" in found["dan"]["why"] and "24 hours" in found["eve"]["why"]
    assert found["bob"]["failed exercises"] == "exercise 1"
    theirs = exported(course)
    assert {name: float(row["score"]) for name, row in theirs.items()} == {
        name: float(found[name]["mark"]) for name in theirs
    }
    assert {name: float(theirs[name]["late_submission_penalty"]) for name in ("ada", "eve")} == {
        "ada": 0,
        "eve": 4,
    }
    course("export", "--to=term.csv")
    assert Path("term.csv").read_text() == Path("grades.csv").read_text(), "files stay where the teacher is"


def test_a_penalty_and_its_options_hold_when_more_is_graded_and_a_new_deadline_changes_it(
    course: Class,
) -> None:
    course("db", "assignment", "add", NAME, "--duedate=2026-03-02 12:00:00 UTC")
    course.hands_in("eve", "timesAsFast = 2.0;", "2026-03-03 13:00:00 UTC")
    course("autograde", NAME, "--late=25")
    assert course.marks()["eve"]["mark"] == "2", "25 % for each of two days begun"
    course.hands_in("ada", "timesAsFast = 2.0;", "2026-03-01 12:00:00 UTC")
    said = course("autograde", NAME)
    assert "1 of 2 graded" in said and "--late=25" in said
    assert course.marks()["eve"]["mark"] == "2"
    course("db", "assignment", "add", NAME, "--duedate=2026-03-03 12:00:00 UTC")
    assert re.search(r"^eve: 2 → 3: .*deadline", course("autograde", NAME), re.MULTILINE)
    assert re.search(r"^eve: 3 → 4: .*penalty", course("autograde", NAME, "--late=0"), re.MULTILINE)


def test_a_corrected_submission_with_an_older_time_counts_and_its_feedback_follows(course: Class) -> None:
    course.hands_in("ada", "timesAsFast = 7.0;")
    course("autograde", NAME)
    course("generate_feedback", NAME, "--checks-from=2020-01-01")
    assert "7.0 is wrong" in course.page("ada")
    course.hands_in("ada", "timesAsFast = 2.0;")
    os.utime(course.folder("ada") / FILE, (0, 0))
    assert "has changed since" in course.marks()["ada"]["why"]
    said = course("autograde", NAME)
    assert re.search(r"^ada: 2 → 4: its answers have changed", said, re.MULTILINE)
    assert not (course.home / "feedback" / "ada" / NAME).exists(), "no page with the old points is handed out"
    course("generate_feedback", NAME, "--checks-from=2020-01-01")
    assert "2.0 is right" in course.page("ada") and "7.0 is wrong" not in course.page("ada")
    said = course("autograde", NAME)
    assert "0 of 1 graded" in said and "1 had been graded before" in said


@pytest.mark.release
def test_an_answer_that_two_cells_claim_waits_for_a_person_and_nothing_is_shown_without_a_deadline(
    course: Class,
) -> None:
    course.hands_in("ada", "timesAsFast = 2.0;")
    course.hands_in("bob", "timesAsFast = 7.0;")
    sent = nbformat.read(course.folder("bob") / FILE, 4)
    twin = nbformat.v4.new_code_cell("double timesAsFast = 2.0;")
    sent.cells.insert(sent.cells.index(cell(sent, ANSWER)) + 1, twin)
    nbformat.write(sent, course.folder("bob") / FILE)
    said = course("autograde", NAME)
    assert "These 1 need your eyes" in said and "bob: exercise 1: 2 cells claim to be the answer" in said
    assert "to be marked by hand: exercise 1" in course.marks()["bob"]["why"]
    seen = (course.home / "autograded/bob" / NAME / FILE).read_text("utf-8")
    assert "timesAsFast = 7.0;" in seen and "double timesAsFast = 2.0;" in seen
    assert "no deadline is known" in course("generate_feedback", NAME)
    assert "BEGIN HIDDEN TESTS" not in course.page("ada") and "✎ marked by hand" in course.page("bob")


def test_one_command_goes_from_an_archive_to_packed_feedback_and_names_who_needs_a_person(
    course: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for student, java in (("Ada L", "timesAsFast = 2.0;"), ("Bob M", ""), ("Eve N", "timesAsFast = 7.0;")):
        course.hands_in(student, java)
    twice = nbformat.read(course.folder("Bob M") / FILE, 4)
    for value in (2, 7):
        at = twice.cells.index(cell(twice, ANSWER))
        twice.cells.insert(at + 1, nbformat.v4.new_code_cell(f"double timesAsFast = {value};"))
    nbformat.write(twice, course.folder("Bob M") / FILE)
    archive = tmp_path / "submissions.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for number, name in enumerate(("Ada L", "Bob M", "Eve N")):
            packed.write(course.folder(name) / FILE, f"{name}_{number}_assignsubmission_file/{FILE}")
    shutil.rmtree(course.home / "submitted")
    listed = "student,first name,last name\nada,Ada,L\nbob,Bob,M\neve,Eve,N\no'hara,Fay,O\n"
    (course.home / "class.csv").write_text(listed, encoding="utf-8")
    said = course(str(archive), NAME)
    assert "  bob: graded: to be marked by hand: exercise 1 (2 cells claim to be the answer)" in said
    assert "3 of 4 need nothing more from you.\nThese 1 need your eyes:" in said
    assert (course.home / "feedback" / f"{NAME}.zip").is_file()


def test_a_tightened_check_regrades_all_and_says_each_mark_before_and_after(
    course: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.hands_in("ada", "timesAsFast = 2.0;")
    course.hands_in("bob", "timesAsFast = 2.3;")
    course("autograde", NAME)
    course.check(".expect(2, 0.4", ".expect(2, 0.1")
    assert "has changed since" in course.marks()["bob"]["why"]
    jobs: list[dict] = []

    def noted(job: dict, *more: object) -> dict[str, dict[str, str]]:
        jobs.append(job)
        return played(job, *more)

    monkeypatch.setattr(isolation, "run", noted)
    said = course("autograde", NAME)
    assert len(jobs) == 1 and "parseDouble" in json.dumps(jobs), "no answer runs again, only the judge"
    assert re.search(r"^bob: 4 → 2: the checks have changed", said, re.MULTILINE)
    assert "2 graded again because the checks have changed; 1 mark has changed" in said
    assert {name: row["mark"] for name, row in course.marks().items()} == {"ada": "4", "bob": "2"}


@pytest.mark.release
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child must begin with the played kernels")
def test_a_killed_run_loses_no_mark_and_the_next_one_goes_on(
    course: Class, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    course.hands_in("ada", "timesAsFast = 7.0;")
    course("autograde", NAME)
    for student, value in (("ada", "2.0"), ("bob", "1.9"), ("eve", "1.8")):
        course.hands_in(student, f"timesAsFast = {value};")
    ran, real = tmp_path / "ran.txt", grade.nbgrader

    def dies(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def counted(job: dict, *more: object) -> dict[str, dict[str, str]]:
        with open(ran, "a", encoding="utf-8") as file:
            file.write("judge " if "parseDouble" in json.dumps(job) else "answers ")
        return played(job, *more)

    def imports_one(*words: str) -> None:
        staged = Path(next(word for word in words if "submitted_directory" in word).partition("=")[2])
        for student in ("bob", "eve"):
            shutil.rmtree(staged / student)
        real(*words)
        dies()

    def killed(**played_by: object) -> dict[str, dict[str, str]]:
        with monkeypatch.context() as patch:
            patch.setattr(isolation, "run", played_by.get("run", counted))
            patch.setattr(grade, "nbgrader", played_by.get("nbgrader", real))
            child = multiprocessing.get_context("fork").Process(
                target=grade.main, args=(["autograde", NAME],)
            )
            child.start()
            child.join()
        assert child.exitcode == -signal.SIGKILL
        return course.marks()

    row = killed(run=lambda job, *more: dies() if "parseDouble" in json.dumps(job) else counted(job))["ada"]
    assert row["mark"] == "2" and "has changed since" in row["why"]
    assert ran.read_text() == "answers answers answers "
    found = killed(nbgrader=imports_one)
    assert ran.read_text() == "answers answers answers judge ", "what had been run was kept"
    assert found["bob"]["status"] == "not graded yet"
    monkeypatch.setattr(isolation, "run", counted)
    course("autograde", NAME)
    assert ran.read_text().count("judge") == 1, "what had been judged was kept"
    found = course.marks()
    assert {(row["mark"], row["why"]) for row in found.values()} == {("4", "")} and len(found) == 3


def test_a_helper_in_a_cell_of_its_own_is_run_and_a_time_that_is_none_stops_nobody_s_marks(
    course: Class,
) -> None:
    course.hands_in("ada", "timesAsFast = mine();", before="double mine() { return 2.0; }")
    course.hands_in("bob", "timesAsFast = 2.0;", "tomorrow at noon")
    said = course("autograde", NAME)
    assert re.search("^bob: timestamp.txt holds no time", said, re.MULTILINE)
    assert {name: row["mark"] for name, row in course.marks().items()} == {"ada": "4", "bob": "4"}, said
    course("generate_feedback", NAME, "--checks-from=2020-01-01")
    assert "double mine() { return 2.0; }" in re.sub("<[^>]+>", "", course.page("ada"))
