"""The pages that learners get back, and those on which a teacher marks by hand. As long as a gradebook's."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from gradebooks import FILE, NAME, Class, exported, formgrader
from homeworks import CHECK, FIRST, cell
from teach.homework import gradebook, make


@pytest.mark.release
def test_feedback_shows_points_that_a_teacher_has_given_by_hand(course: Class) -> None:
    course.hands_in("ada", "timesAsFast = 7.0;")
    course("autograde", NAME)
    course("generate_feedback", NAME, "--checks-from=2020-01-01")

    def by_hand(points: float) -> None:
        there = f'"sqlite:///{course.home / "gradebook.db"}", "virtual-threads"'
        grades = f'book.find_grade("{CHECK}", "{NAME}", "{NAME}", "ada").manual_score = {points}'
        code = f"from nbgrader.api import Gradebook\nwith Gradebook({there}) as book:\n    {grades}"
        assert gradebook.isolated("-c", f"{code}\n    book.db.commit()").returncode == 0

    by_hand(1.5)
    course("generate_feedback", NAME, "--checks-from=2020-01-01")
    page = course.page("ada")
    assert "Score: 3.5 / 4.0" in page and 'lang="en"' in page
    assert not re.search(r"<script|<link|(?:src|href)=.(?:https?:)?//", page), "it loads nothing"
    course("autograde", NAME, "--force")
    row = course.marks()["ada"]
    assert row["mark"] == "3.5" and "by hand: exercise 1" in row["why"], "it stays, and is named"
    assert exported(course)["ada"]["score"] == "3.5"
    course("db", "assignment", "add", NAME, "--duedate=2026-03-02 12:00:00 UTC")
    (course.folder("ada") / "timestamp.txt").write_text("2026-03-02 13:00:00 UTC")
    course("autograde", NAME, "--late=10")
    assert course.marks()["ada"]["penalty"] == "0.35"
    by_hand(2)
    assert "run autograde" in course.marks()["ada"]["why"], "the penalty is a share of the old points"
    assert "points by hand have changed" in course("autograde", NAME)
    row = course.marks()["ada"]
    assert (row["mark"], row["penalty"]) == ("3.6", "0.4") and "run autograde" not in row["why"]


@pytest.mark.release
def test_feedback_shows_no_check_until_the_deadline_or_a_date_of_the_teacher(course: Class) -> None:
    hidden = ("BEGIN HIDDEN TESTS", ".expect(", "7.0 is wrong", "0.3 is right")
    course.hands_in("ada", "timesAsFast = 7.0;")
    later = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%d %H:%M:%S UTC")
    course("db", "assignment", "add", NAME, f"--duedate={later}")
    course("autograde", NAME)
    course("generate_feedback", NAME)
    page = re.sub("<[^>]+>", "", course.page("ada"))
    assert not [word for word in hidden if word in page]
    assert "✘ not right: why is shown after" in page and "✔ right" in page and "Score: 2.0 / 4.0" in page
    course("generate_feedback", NAME, "--checks-from=2026-01-01 12:00 UTC")
    page = re.sub("<[^>]+>", "", course.page("ada"))
    assert "7.0 is wrong" in page and "expect" in page
    course("db", "assignment", "add", NAME, "--duedate=2026-01-01 12:00:00 UTC")
    course("generate_feedback", NAME, f"--checks-from={later}")
    course("generate_feedback", NAME)
    assert "7.0 is wrong" not in course.page("ada"), "the date holds until another one is given"


def test_questions_in_words_wait_for_a_teacher_and_the_rubric_follows_the_date(
    course: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = tmp_path / "bank"
    bank.mkdir()
    made = nbformat.v4.new_notebook()
    made.cells = [
        nbformat.v4.new_markdown_cell("Why two rounds?", id="rounds", metadata={"tags": ["question"]}),
        nbformat.v4.new_markdown_cell("- **3 points**: half of 50.", id="rounds-rubric"),
    ]
    made.cells[1].metadata = {"tags": ["rubric"], "threadlab": {"points": 3}}
    nbformat.write(made, bank / FILE)
    (course.home / "course.toml").write_text(f'banks = ["{bank}"]', encoding="utf-8")
    monkeypatch.setattr(make, "HOMEWORK", course.home)
    make.write([FIRST])
    course("generate_assignment", NAME, "--force")
    released = nbformat.read(course.home / "release" / NAME / FILE, 4)
    assert cell(released, "rounds-answer").source == "*Your answer, in words.*"
    course.hands_in("bob", "timesAsFast = 2.0;")
    course.hands_in("ada", "timesAsFast = 2.0;")
    sent = nbformat.read(course.folder("ada") / FILE, 4)
    cell(sent, "rounds-answer").source = "25 and 25 <script>alert(1)</script>"
    nbformat.write(sent, course.folder("ada") / FILE)
    course("autograde", NAME)
    found = course.marks()
    assert (found["ada"]["mark"], found["ada"]["of"]) == ("4", "7")
    assert "to be marked by hand: rounds-answer" in found["ada"]["why"]
    assert found["bob"]["why"] == "", "who has not answered needs no teacher"
    graded = nbformat.read(course.home / "autograded" / "ada" / NAME / FILE, 4)
    assert any("half of 50" in each.source for each in graded.cells), "the rubric stands beside the answer"
    with formgrader(course.home) as ask:
        sent = {each["student"]: each["id"] for each in ask(f"api/submitted_notebooks/{NAME}/{NAME}")}
        page = ask(f"submissions/{sent['ada']}/")
        assert "half of 50" in page and "&lt;script&gt;alert(1)" in page and "<script>alert(1)" not in page
        [open_] = [
            each for each in ask(f"api/grades?submission_id={sent['ada']}") if each["needs_manual_grade"]
        ]
        ask(f"api/grade/{open_['id']}", {"manual_score": 2, "extra_credit": 0})
    assert course.marks()["ada"]["mark"] == "6"
    made = nbformat.read(course.folder("ada") / FILE, 4)
    cell(made, "rounds-answer").source = "50, of course"
    nbformat.write(made, course.folder("ada") / FILE)
    assert "ada: rounds-answer: has changed since it was marked by hand" in course("autograde", NAME)
    course("generate_feedback", NAME, "--checks-from=2100-01-01")
    assert "half of 50" not in course.page("ada") and "50, of course" in course.page("ada")
    course("generate_feedback", NAME, "--checks-from=2020-01-01")
    assert "half of 50" in course.page("ada") and "<script>alert(1)" not in course.page("ada")
