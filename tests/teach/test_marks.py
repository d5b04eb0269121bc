"""What honest learners hand in, and the lists of a class. Takes three seconds."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from homeworks import ANSWER, FIRST, written
from teach.homework import jobs, kept, marks, platforms, submission

RIGHT = "double timesAsFast = 2;   // my answer"
HELPER = "double mine() { return 2; }"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> jobs.Homework:
    return written(tmp_path_factory.mktemp("homework"))


def read(here: jobs.Homework, tmp_path: Path, made: "bytes | dict") -> submission.Submission:
    folder = tmp_path / "submitted" / "ada" / FIRST.stem
    folder.mkdir(parents=True)
    made = made if isinstance(made, bytes) else json.dumps(made).encode()
    (folder / FIRST.name).write_bytes(made)
    return submission.read(folder, here.file, here.released)


def handed_in(here: jobs.Homework, java: str = RIGHT) -> dict:
    made = json.loads(nbformat.writes(here.released))
    found = next(each for each in made["cells"] if each["id"] == ANSWER)
    found["source"] = java
    return made


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_reason_to_refuse(here: jobs.Homework, tmp_path: Path, encoding: str) -> None:
    java = RIGHT + " für 50 Seiten"
    sent = read(here, tmp_path, json.dumps(handed_in(here, java), ensure_ascii=False).encode(encoding))
    assert sent.answers[ANSWER] == java and not sent.notes


def no_ids(made: dict) -> None:
    made["nbformat_minor"] = 4
    for each in made["cells"]:
        del each["id"]


def no_metadata(made: dict) -> None:
    for each in made["cells"]:
        each["metadata"] = {}


def neither(made: dict) -> None:
    no_ids(made)
    no_metadata(made)


@pytest.mark.parametrize("lose", [no_ids, no_metadata, neither])
def test_cells_that_an_editor_has_written_without_ids_or_names_are_read(
    here: jobs.Homework, tmp_path: Path, lose: Callable[[dict], None]
) -> None:
    made = handed_in(here)
    lose(made)
    sent = read(here, tmp_path, made)
    assert sent.answers[ANSWER] == RIGHT and len(sent.answers) == 2
    assert not sent.notes and not any(sent.own.values()), "no released cell is taken for a helper"


def test_a_nameless_answer_that_is_there_twice_is_not_guessed(here: jobs.Homework, tmp_path: Path) -> None:
    made = handed_in(here)
    neither(made)
    made["cells"].append({"cell_type": "code", "metadata": {}, "source": "double timesAsFast = 7;"})
    assert ANSWER in read(here, tmp_path, made).by_hand


def added(made: dict, source: str, before: str) -> None:
    at = next(i for i, each in enumerate(made["cells"]) if each["id"] == before)
    made["cells"].insert(at, {"cell_type": "code", "id": "mine", "metadata": {}, "source": source})


def test_a_helper_runs_before_the_answer_below_it_and_again_in_a_new_kernel(
    here: jobs.Homework, tmp_path: Path
) -> None:
    made = handed_in(here)
    added(made, HELPER, before="pages")
    sent = read(here, tmp_path, made)
    assert sent.own[ANSWER] == [HELPER] and not sent.notes
    steps = here.answering(sent, 7)["steps"]
    names = [step["name"] for step in steps]
    at = names.index(ANSWER)
    assert steps[at - 1]["source"] == HELPER
    assert steps[at - 1]["given"] and steps[at - 1]["begins"] and not steps[at]["begins"]


def test_a_helper_above_a_refused_answer_runs_before_the_next(here: jobs.Homework, tmp_path: Path) -> None:
    made = handed_in(here, RIGHT + "\nclass Check {}")
    added(made, HELPER, before=ANSWER)
    assert read(here, tmp_path, made).own["fetch-stub"] == [HELPER], "the next answer may rely on it"


def test_a_helper_may_not_do_what_an_answer_may_not(here: jobs.Homework, tmp_path: Path) -> None:
    made = handed_in(here)
    for source in (HELPER, "class threadlab {}", "cache = null;", "Runtime.getRuntime().exit(1);"):
        added(made, source, before=ANSWER)
    for _ in range(30):
        added(made, "int i = 1;", before="fetch-stub")
    sent = read(here, tmp_path, made)
    assert sent.own[ANSWER] == [HELPER, "Runtime.getRuntime().exit(1);"]
    assert sum(map(len, sent.own.values())) == submission.MOST_OWN
    told = " ".join(sent.notes)
    for word in ("redeclares threadlab", "replaces cache", "uses Runtime, getRuntime", "at most 20"):
        assert word in told


# --- the class list ---


def listed(tmp_path: Path, text: "str | bytes", *there: str) -> list[marks.Learner]:
    file = tmp_path / "class.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return marks.class_list(file, set(there))


@pytest.mark.parametrize(
    "text",
    [
        "student\nada\nbob\n",
        "id,first_name,last_name\nada,Ada,L\nbob,Bob,M\n",
        "First name;Surname;ID number;Email address\nAda;L;ada;a@b.c\nBob;M;18;bob\n",
        "\ufeffFirst name\tLast name\tUsername\nAda\tL\tada\nBob\tM\tbob\n",
        "Matrikel;Nachname\nada;L\nbob;M\n",
        'Student,ID,SIS Login ID,Section\n    Points Possible,,,\n"L, Ada",17,ada,A\n"M, Bob",bob,x,A\n'
        '"Student, Test",9,zz,A\n',
    ],
)
def test_a_class_list_of_moodle_canvas_nbgrader_or_by_hand_finds_each_folder(
    tmp_path: Path, text: str
) -> None:
    found = listed(tmp_path, text, "ada", "bob", "eve")
    assert [each.name for each in found] == ["ada", "bob"]
    before = listed(tmp_path, text)
    assert [each.key for each in before] == [each.key for each in found], "who hands in keeps the pseudonym"


@pytest.mark.parametrize(
    "name", ["o'hara", "d’arc", "mu\u0308ller", "m\u00fcller", "\u0418\u0432\u0430\u043d", "\u674e\u96f7"]
)
def test_a_folder_and_a_list_may_write_a_name_in_any_script_with_its_accents(
    here: jobs.Homework, tmp_path: Path, name: str
) -> None:
    for way in ("NFC", "NFD"):
        folder = tmp_path / "submitted" / unicodedata.normalize(way, name)
        (folder / FIRST.stem).mkdir(parents=True, exist_ok=True)
        (folder / FIRST.stem / FIRST.name).write_text(json.dumps(handed_in(here)), encoding="utf-8")
        [(found, sent)] = kept.received(tmp_path, here, folder.name)
        assert not isinstance(sent, str), sent
        [learner] = listed(tmp_path, f"student\n{name}\n", found)
        assert learner.name == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("id number,email\n17,ada\n18,ada\n", "fits two lines"),
        ("id number,email\nada,bob\n", "two folders"),
        ("id number,name\n,Ada\n", "without an id .Ada"),
        ("colour\n", "names no learner"),
        ("student\nJos\u00e9\n".encode("latin-1"), "not text in UTF-8"),
    ],
)
def test_a_class_list_that_is_not_clear_is_refused(tmp_path: Path, text: "str | bytes", why: str) -> None:
    with pytest.raises(SystemExit, match=why):
        listed(tmp_path, text, "ada", "bob")


def rows(people: list[marks.Learner], *points: float) -> list[marks.Row]:
    return [
        marks.Row("hw", who, marks.Status.GRADED, mark, 6, decided=True)
        for who, mark in zip(people, points, strict=True)
    ]


WORKSHEET = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
WORKSHEET += "Last modified (submission),Last modified (grade),Feedback comments\n"
WORKSHEET += 'Participant 11,"M, A",a@x,Submitted,"2,00","6,00",Yes,"Monday, 2 March 2026, 11:59 PM",-,\n'


def test_moodle_s_worksheet_comes_back_as_it_was_with_marks_and_remarks(tmp_path: Path) -> None:
    first, line = platforms.for_moodle(rows(listed(tmp_path, "\ufeff" + WORKSHEET, "a@x"), 4.5))
    assert first == WORKSHEET.splitlines()[0].split(",")
    kept = ["Yes", "Monday, 2 March 2026, 11:59 PM", "-"]
    assert line == ["Participant 11", "M, A", "a@x", "Submitted", "4.5", "6,00", *kept, "4.5 of 6."]


def test_a_worksheet_of_an_assignment_with_other_points_is_refused(tmp_path: Path) -> None:
    found = rows(listed(tmp_path, WORKSHEET.replace("6,00", "100,00"), "a@x"), 4.5)
    with pytest.raises(SystemExit, match="gives 100 points, and the homework has 6"):
        platforms.for_moodle(found)


def test_whoever_comes_from_another_list_keeps_the_numbers_of_the_class_list(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("username,email address\nada,a@x\n", encoding="utf-8")
    (tmp_path / "submitted/a@x/hw").mkdir(parents=True)
    other = tmp_path / "worksheet.csv"
    other.write_text(WORKSHEET, encoding="utf-8")
    nobody = kept.Book(students=[], homework={})
    one, same = (marks.people(tmp_path, nobody, file) for file in (tmp_path / "class.csv", other))
    assert marks.aliases(tmp_path, one) == marks.aliases(tmp_path, same)


def test_canvas_gets_all_columns_about_a_learner_as_its_own_export_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "LastName;FirstName;ID;SIS User ID;SIS Login ID;Integration ID;Root Account;Section;Note;hw (77)\n"
    text += ";;;;;;;;;Manual Posting\n    Points Possible;;;;;;;;;10,00\n"
    text += "Müller-Lüdenscheidt;Ada;900;s1;ada;i;school.org;A and B;x;3,50\nStudent;Test;1;;t;;;A;;\n"
    people = listed(tmp_path, text, "ada")
    columns, possible, line = platforms.for_canvas(rows(people, 4.5), tmp_path / "class.csv")
    assert columns == [*text.split(";Note")[0].split(";"), "hw (77)"]
    assert possible == ["    Points Possible", *[""] * 7, "6"]
    assert line == ["Müller-Lüdenscheidt", "Ada", "900", "s1", "ada", "i", "school.org", "A and B", "4.5"]
    assert "Canvas gives 10 points for hw, and the homework has 6" in capsys.readouterr().err


def test_a_homework_without_its_source_keeps_its_marks(tmp_path: Path) -> None:
    sent: kept.SentIn = {"score": 3, "penalty": 1, "late": 7_200, "due": "", "graded": True}
    sent |= {"failed": [], "by hand": [], "open": [], "given": 0}
    book = kept.Book(students=[], homework={"old": {"due": "", "of": 4, "sent": {"ada": sent}}})
    (tmp_path / "submitted/ada/old").mkdir(parents=True)
    (tmp_path / "submitted/bob/old").mkdir(parents=True)
    first, second = marks.rows(tmp_path, book, None)
    assert (first.status, first.mark, first.why) == ("late", 2, "2 hours late")
    assert second.status == "not graded yet" and "make homework" in second.why


@pytest.mark.parametrize(
    ("stamp", "counts"),
    [
        ("2026-03-01 12:00:00 UTC", True),
        ("\ufeff2026-03-01 12:00:00.5 CET", True),
        ("2026-03-01T12:00:00+01:00", True),
        ("tomorrow", False),
        ("9" * 40, False),
        ("2026-03-01 12:00:00 <b>", False),
        ("", False),
    ],
)
def test_a_time_is_taken_over_only_if_nbgrader_can_read_it(
    here: jobs.Homework, tmp_path: Path, stamp: str, counts: bool
) -> None:
    read(here, tmp_path, handed_in(here))
    (tmp_path / "submitted" / "ada" / FIRST.stem / "timestamp.txt").write_text(stamp, encoding="utf-8")
    assert bool(kept.Records(tmp_path, here).timestamp("ada")) == counts
