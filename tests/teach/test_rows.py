"""A row for each learner, and what spreadsheets and platforms get of it. Three seconds."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from homeworks import ANSWER, CHECK, FIRST, cell, written
from teach.homework import marks, platforms, submission
from teach.homework.kept import Book, Graded, InBook, Records, SentIn, Verdict
from teach.homework.marks import Status

NAME, FILE = FIRST.stem, FIRST.name
PAST = "2026-03-02 12:00:00"
FUTURE = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%d %H:%M:%S")


def in_book(score: float = 4, more: SentIn | None = None) -> SentIn:
    plain: SentIn = {"score": score, "penalty": 0, "late": 0, "due": "", "graded": True, "failed": []}
    plain |= {"given": 0, "by hand": [], "open": []}
    return plain | (more or SentIn())


class Class:
    """A folder with 00's homework, what learners have sent, and what the gradebook has of them."""

    def __init__(self, root: Path) -> None:
        self.root, self.homework = root, written(root)
        self.book = InBook(due=PAST, of=4, sent={})

    def sends(self, student: str, java: str = "double timesAsFast = 2;") -> None:
        made = nbformat.from_dict(nbformat.reads(nbformat.writes(self.homework.released), 4))
        cell(made, ANSWER).source = java
        folder = self.root / "submitted" / student / NAME
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, folder / FILE)

    def graded(self, student: str, about: SentIn, by_hand: str = "", **java: str) -> None:
        """As after a run of autograde."""
        self.sends(student, **java)
        self.book["sent"][student] = about
        learners = marks.people(self.root, self.all_(), None)
        aliases = marks.aliases(self.root, learners)
        records = Records(self.root, self.homework, (), self.book, aliases)
        folder = self.root / "submitted" / student / NAME
        sent = submission.read(folder, FILE, self.homework.released)
        verdicts = {CHECK: Verdict(None, by_hand)} if by_hand else {}
        graded = Graded(student, sent, verdicts=verdicts, keys=records.keys(student, sent))
        records.keep(graded, taken=True)
        records.imported(student).parent.mkdir(parents=True)
        records.imported(student).touch()

    def all_(self) -> Book:
        return Book(students=[], homework={NAME: self.book})

    def rows(self, *listed: str) -> dict[str, marks.Row]:
        people = self.root / "class.csv"
        people.write_text("\n".join(["student", *listed]), encoding="utf-8")
        found = marks.rows(self.root, self.all_(), people if listed else None)
        return {row.learner.name: row for row in found}


@pytest.fixture
def course(tmp_path: Path) -> Class:
    return Class(tmp_path)


def test_what_is_in_the_gradebook_is_a_mark_and_what_is_open_or_changed_is_not_decided(
    course: Class,
) -> None:
    course.graded("ada", in_book())
    course.graded("bob", in_book(2, {"failed": [CHECK]}))
    course.graded("eve", in_book(4, {"late": 90_000, "penalty": 5}))
    course.graded("dan", in_book(2, {"open": [CHECK]}), by_hand="2 cells claim to be the answer")
    course.graded("fay", in_book(3.5, {"by hand": [CHECK], "given": 1.5}))
    course.graded("gil", in_book(), java="double timesAsFast = 2;\nProcessHandle.current();")
    course.graded("hal", in_book())
    course.sends("hal", "double timesAsFast = 3;")
    course.graded("ida", in_book())
    (course.root / "submitted/ida" / NAME / FILE).write_text("{}")
    found = course.rows()
    told = {name: (row.status.value, row.mark, row.decided) for name, row in found.items()}
    assert told == {
        "ada": ("graded", 4, True),
        "bob": ("graded", 2, True),
        "dan": ("graded", 2, False),
        "eve": ("late", 0, True),
        "fay": ("graded", 3.5, True),
        "gil": ("graded", 4, True),
        "hal": ("graded", 4, False),
        "ida": ("not readable", 4, False),
    }
    assert (found["ada"].of, found["ada"].why, found["ada"].failed) == (4, "", ())
    assert found["bob"].failed == ("exercise 1",)
    assert found["dan"].why == "to be marked by hand: exercise 1 (2 cells claim to be the answer)"
    assert (found["eve"].why, found["eve"].penalty) == ("25 hours late", 5)
    assert found["fay"].why == "by hand: exercise 1"
    assert found["gil"].why == f"{ANSWER}: uses ProcessHandle"
    assert found["hal"].why == "has changed since it was graded: run autograde"
    assert found["ida"].why.endswith("; the mark is that of the submission before")


def test_whoever_has_no_mark_has_a_status_and_only_a_missed_deadline_is_decided(course: Class) -> None:
    course.sends("sent")
    course.sends("stranger")
    (course.root / "submitted/broken" / NAME).mkdir(parents=True)
    (course.root / "submitted/broken" / NAME / FILE).write_text("{}")
    course.book["sent"]["extended"] = SentIn(due=FUTURE)
    (course.root / "graded").mkdir()
    (course.root / "graded" / f"{NAME}.collected").write_text('{"left": "a.ipynb"}')
    found = course.rows("sent", "broken", "extended", "left", "missing")
    told = {name: (row.status.value, row.decided) for name, row in found.items()}
    assert told == {
        "sent": ("not graded yet", False),
        "broken": ("not readable", False),
        "extended": ("not handed in yet", False),
        "left": ("not readable", False),
        "missing": ("not handed in", True),
        "stranger": ("not graded yet", False),
    }
    assert {row.mark for row in found.values()} == {0} and {row.of for row in found.values()} == {4}
    assert found["sent"].why == "run autograde" and found["missing"].why == ""
    assert found["stranger"].why == "not on the class list; run autograde"
    assert "collect left out a.ipynb" in found["left"].why
    course.book["due"] = ""
    without = course.rows("missing")["missing"]
    assert without.status is Status.OPEN and not without.decided
    assert "no deadline is known" in without.why and NAME in without.why


def test_a_table_with_pseudonyms_names_nobody_and_no_field_is_a_formula(course: Class) -> None:
    course.graded("zoe", in_book(2.5, {"failed": [CHECK]}))
    course.graded("ada", in_book())
    course.sends("zoe", "double timesAsFast = zoe;")
    rows = list(course.rows("=1+1", "zoe", "ada").values())
    head, *lines = marks.table(course.root, rows, hidden=False)
    assert head == list(marks.COLUMNS)
    [zoe] = [dict(zip(head, line, strict=True)) for line in lines if "zoe" in line]
    assert (zoe["status"], zoe["mark"], zoe["of"], zoe["penalty"]) == ("graded", "2.5", "4", "0")
    assert zoe["failed exercises"] == "exercise 1" and "has changed" in zoe["why"]
    assert "'=1+1" in [line[1] for line in lines]
    hidden, *others = marks.table(course.root, rows, hidden=True)
    assert hidden == [name for name in head if name not in ("student", "name")]
    assert not re.search(r"\b(zoe|ada)\b", str(others))
    assert [line[1] for line in others] == sorted(line[head.index("pseudonym")] for line in lines)
    for text in ("=1", "+1", "-1", "@x", "\t=1", "\n=1"):
        assert marks.safe(text) == "'" + text
    assert marks.safe("a=1\x1b[0m") == "a=1�[0m"


def test_each_learner_is_told_a_pseudonym_beside_the_columns_of_the_class_list(course: Class) -> None:
    people = course.root / "class.csv"
    people.write_text("student,group\nada,A\nbob,B\n", encoding="utf-8")
    course.sends("stranger")
    learners = marks.people(course.root, course.all_(), people)
    head, *lines = marks.pseudonyms(course.root, learners)
    aliases = marks.aliases(course.root, learners)
    assert head == ["folder", "student", "group", "pseudonym"]
    assert lines == [
        ["ada", "ada", "A", aliases["ada"]],
        ["bob", "bob", "B", aliases["bob"]],
        ["stranger", "", "", aliases["stranger"]],
    ]


def test_moodle_and_canvas_get_each_mark_that_is_decided(
    course: Class, capsys: pytest.CaptureFixture[str]
) -> None:
    course.book["due"] = FUTURE
    course.graded("ada", in_book())
    course.graded("17", in_book(2, {"failed": [CHECK]}))
    course.graded("stranger", in_book())
    people = course.root / "participants.csv"
    people.write_text(
        "First name,Last name,ID number,Email address\nAda,L,17,a@b.c\nBob,M,18,ada\nFay,N,19,f@b.c\n"
    )
    found = marks.rows(course.root, course.all_(), people)
    assert platforms.for_moodle(found) == [
        ["First name", "Last name", "ID number", "Email address", f"{NAME} (Real)", f"{NAME} (Feedback)"],
        ["Ada", "L", "17", "a@b.c", "2", "2 of 4. Points are missing for exercise 1."],
        ["Bob", "M", "18", "ada", "4", "4 of 4."],
    ]
    told = capsys.readouterr().err
    assert "f@b.c: left out for Moodle: not handed in yet" in told and "stranger: left out for Moodle" in told
    people.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Total\n    Points Possible,,,,,(read only)\n"
        '"L, Ada",900,s1,ada,A,\n"M, Bob",17,s2,bob,A,\n"Student, Test",1,,x,A,\n'
    )
    assert platforms.for_canvas(marks.rows(course.root, course.all_(), people), people) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", NAME],
        ["    Points Possible", "", "", "", "", "4"],
        ["L, Ada", "900", "s1", "ada", "A", "4"],
        ["M, Bob", "17", "s2", "bob", "A", "2"],
    ]


def test_points_by_hand_change_what_a_late_learner_loses_and_nobody_else(course: Class) -> None:
    course.sends("eve")
    folder = course.root / "submitted/eve" / NAME
    sent = submission.read(folder, FILE, course.homework.released)

    def terms(**about: float) -> str:
        course.book["sent"]["eve"] = in_book(4, SentIn(late=about["late"], given=about["given"]))
        return Records(course.root, course.homework, (), course.book).keys("eve", sent)["terms"]

    assert terms(late=0, given=1) == terms(late=0, given=2)
    assert terms(late=9, given=1) != terms(late=9, given=2)
    assert terms(late=9, given=0) == terms(late=0, given=0), "a penalty alone is nbgrader's"


def test_names_come_from_the_gradebook_or_a_list_of_one_s_own(course: Class) -> None:
    book = Book(students=[("ada", "Ada", "L"), ("bob", None, None)], homework={})
    assert [each.full_names() for each in marks.people(course.root, book, None)] == [
        ["Ada L", "L Ada"],
        ["", ""],
    ]
    people = course.root / "class.csv"
    for text, names in (("Matrikel\nada\n", ["ada"]), ("ID,Name\n17,Ada\n18,Bob\n", ["17", "18"])):
        people.write_text(text, encoding="utf-8")
        assert [each.name for each in marks.class_list(people, {"ada"})] == names
