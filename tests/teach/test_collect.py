"""From a platform's archive to folders, and the clone for a class. Takes two seconds."""

import re
import shutil
import subprocess
import unicodedata
import zipfile
from pathlib import Path

import pytest
from homeworks import written
from notebooks.runs import ROOT, numbered, read, tagged
from teach import fork
from teach.exercises import exercises
from teach.homework import collect, kept, make, marks, platforms

MOODLE = "First name,Last name,ID number,Email address\nAda,Lovelace,17,ada@x.org\nAda,Byron,18,byron@x.org\n"
MOODLE += "Max,Born,19,max@x.org\nMax,Born,20,born@x.org\nÉva,O'Hara-Ruiz,21,eva@x.org\n"
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"
CANVAS += '"Lovelace, Ada",900,s1,ada,A\n"Born, Max",901,s2,max,A\n'
NAME = "00-start-here"


def collected(folder: Path, people: str, files: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    archive, class_list = folder / "sent.zip", folder / "class.csv"
    class_list.write_text(people, encoding="utf-8")
    with zipfile.ZipFile(archive, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    told = collect.collect(folder, archive, NAME, class_list)
    places = folder.glob(f"submitted/*/{NAME}/{NAME}.ipynb")
    return {path.parent.parent.name: path.read_text() for path in places}, told


def has(told: list[str], words: str) -> bool:
    return any(re.search(words, line) for line in told)


def test_moodle_s_archive_is_sorted_by_full_name_and_nobody_is_guessed(tmp_path: Path) -> None:
    at = "_4711_assignsubmission_file"
    sent = {
        f"Ada Lovelace{at}/{NAME}.ipynb": "ada",
        f"Éva OHara-Ruiz{at}_/mine (2).ipynb": "eva",
        f"Ada Byron{at}_{NAME}.ipynb": "byron",
        f"Max Born{at}/{NAME}.ipynb": "which?",
        f"Ada Lovelace{at}/second.ipynb": "second",
        f"Fay Stranger{at}/{NAME}.ipynb": "stranger",
        f"Ada Lovelace{at}/notes.txt": "no notebook",
        f"../../{NAME}.ipynb": "outside",
        f"Ada Byron{at}/Éva OHara-Ruiz{at}/x.ipynb": "Byron's own folder",
    }
    found, told = collected(tmp_path, MOODLE, sent)
    by_id = {"19": "", "20": ""}
    assert {name: text for name, text in found.items() if name not in by_id} == {
        "ada@x.org": "ada", "byron@x.org": "byron", "eva@x.org": "eva",
    }  # fmt: skip
    for words in (
        "Max Born.*two learners",
        "second.*a second notebook",
        "Stranger.*not on",
        "neither Moodle",
    ):
        assert has(told, words), (words, told)
    assert told[-1].startswith("3 new or changed") and "5 files left out" in told[-1]
    assert collected(tmp_path, MOODLE, sent)[1][-1].startswith("0 new or changed"), (
        "collecting again is harmless"
    )


def test_canvas_archive_is_sorted_by_the_number_of_its_gradebook(tmp_path: Path) -> None:
    sent = {
        "lovelaceada_900_5001_00-start-here-1.ipynb": "ada",
        "bornmax_LATE_901_5002_00-start-here.ipynb": "max",
        "studenttest_1_5003_00-start-here.ipynb": "test",
        "anon_Ab3xY_5004_00-start-here.ipynb": "whose?",
    }
    found, told = collected(tmp_path, CANVAS, sent)
    assert sorted(found.values()) == ["ada", "max"] and "2 files left out" in told[-1]
    for words in ("studenttest.*not on the class list", "anon.*Canvas hides its author", "max was late"):
        assert has(told, words), (words, told)
    (tmp_path / "submitted" / "max" / NAME / "timestamp.txt").write_text("2026-03-03 09:30:00 UTC")
    assert not has(collected(tmp_path, CANVAS, sent)[1], "was late"), "its time is written down"
    again = "bornmax_901_5009_00-start-here-1.ipynb"
    assert has(collected(tmp_path, CANVAS, {again: "again"})[1], "max has handed in again.*time of before")
    assert has(
        collected(tmp_path, CANVAS, {again.replace("_901", "_LATE_901"): "and again"})[1], "max was late"
    )


def test_names_of_any_language_and_order_are_found_as_moodle_writes_them(tmp_path: Path) -> None:
    people = "First name,Last name,Email address\nJürgen,Groß-Ñandú,1@x\n太郎,山田,2@x\nAnna_Lena,D'Arc,3@x\n"
    at = "_4711_assignsubmission_file"
    sent = {
        unicodedata.normalize("NFD", f"Jürgen Groß-Ñandú{at}/{NAME}.ipynb"): "umlauts",
        f"山田 太郎{at}/{NAME}.ipynb": "family name first",
        f"Anna Lena DArc{at}/{NAME}.ipynb": "signs",
    }
    found, told = collected(tmp_path, people, sent)
    assert found == {"1@x": "umlauts", "2@x": "family name first", "3@x": "signs"}, told


def test_moodle_s_worksheet_finds_by_number_whom_no_name_tells_apart_and_says_who_was_late(
    tmp_path: Path,
) -> None:
    late = "Submitted for grading - 2 hours 5 mins late"
    people = "Identifier,Full name,Email address,Status,Grade\n"
    people += (
        f"Participant 11,Max Born,1@x,Submitted for grading - Graded,\nParticipant 12,Max Born,2@x,{late},\n"
    )
    people += "Participant 13,No Mail,,No submission,\n"
    sent = {f"Max Born_{n}_assignsubmission_file/{NAME}.ipynb": f"{n}" for n in (11, 12)}
    sent[f"Participant_13_assignsubmission_file/{NAME}.ipynb"] = "anonymous"
    found, told = collected(tmp_path, people, sent)
    assert found == {"1@x": "11", "2@x": "12", "13": "anonymous"}
    assert has(told, "^2@x was late") and not has(told, "^1@x")


def test_of_several_notebooks_only_the_one_that_is_named_as_the_homework_is_taken(tmp_path: Path) -> None:
    sent = {
        "lovelaceada_900_5001_01-other.ipynb": "other",
        "lovelaceada_900_5002_00-start-here-2.ipynb": "handed in again",
        "bornmax_901_5003_00-start-here.ipynb": "first",
        "bornmax_901_5004_00-start-here-1.ipynb": "or this",
    }
    found, told = collected(tmp_path, CANVAS, sent)
    assert found == {"ada": "handed in again"}
    assert has(told, "01-other.*a second notebook") and has(told, "one of 2 notebooks of max")
    written(tmp_path, numbered("00"))
    nobody = kept.Book(students=[], homework={NAME: {"due": "2020-01-01", "of": 4, "sent": {}}})
    rows = {row.learner.name: row for row in marks.rows(tmp_path, nobody, tmp_path / "class.csv")}
    assert rows["max"].status == "not readable" and not rows["max"].decided, "no 0 is imported for it"


def test_feedback_goes_back_under_the_names_by_which_each_platform_takes_it(tmp_path: Path) -> None:
    names = "First name,Last name,Email address\nAda,Lovelace,ada@x.org\nBob,M,bob@x.org\n"
    moodle, canvas = "Ada Lovelace_4711_assign{}_file", f"lovelaceada_LATE_900_5001_{NAME}-1"
    sent = moodle.format("submission") + f"/{NAME}.ipynb", canvas + ".ipynb"
    taken_back = moodle.format("feedback") + f"_{NAME}.html", canvas + ".html"
    for people, name, back in zip((names, CANVAS), sent, taken_back, strict=True):
        [(folder, _)] = collected(tmp_path, people, {name: "ada"})[0].items()
        for learner in (folder, "by-hand"):
            page = tmp_path / "feedback" / learner / NAME / f"{NAME}.html"
            page.parent.mkdir(parents=True)
            page.write_text(f"for {learner}")
        file, count, left = platforms.pack(tmp_path, NAME)
        with zipfile.ZipFile(file) as packed:
            assert {each: packed.read(each).decode() for each in packed.namelist()} == {back: f"for {folder}"}
        assert (count, left) == (1, ["by-hand"])
        for gone in ("feedback", "submitted", "graded"):
            shutil.rmtree(tmp_path / gone)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone")
def test_the_clone_for_a_class_has_no_answer_and_no_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make, "HOMEWORK", tmp_path / "no choice of this clone's teacher")
    fork.make(tmp_path)
    for path in make.GRADED:
        there = read(tmp_path / path.relative_to(ROOT))
        gone = {cell.id for each in exercises(read(path).cells) for cell in each.cells}
        assert gone and not gone & {cell.id for cell in there.cells}, path.stem
    lines = {
        line.strip()
        for path in make.GRADED
        for each in exercises(read(path).cells)
        for line in each.answer.splitlines()
        if "//" in line and len(line.strip()) > 40
    }
    texts = [
        file.read_text(encoding="utf-8", errors="ignore") for file in tmp_path.rglob("*") if file.is_file()
    ]
    assert len(lines) > 20 and not [line for line in lines if any(line in text for text in texts)]
    assert not (tmp_path / "tests").exists() and not (tmp_path / ".git/refs/remotes").exists()

    def commits() -> int:
        return len(subprocess.check_output(["git", "-C", tmp_path, "log", "--oneline"]).splitlines())

    assert commits() == 1
    fork.make(tmp_path)
    assert commits() == 1, "nothing has changed"
    (tmp_path / "left-over").write_text("of an older version")
    subprocess.check_call(["git", "-C", tmp_path, "add", "left-over"])
    fork.git("-c", "user.name=A", "-c", "user.email=a@x.org", "commit", "--message=older", into=tmp_path)
    fork.make(tmp_path)
    assert commits() == 3 and not (tmp_path / "left-over").exists(), "learners can pull it"
    assert len(tagged(read(tmp_path / "notebooks/15-diagnose-a-service.ipynb"), "solution")) == 3, (
        "done in class"
    )
