"""From a platform's archive to folders, and the clone for a class. Takes two seconds."""

import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from notebooks.runs import ROOT, read, tagged
from teach import collect, course, fork, homework

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
    told = collect.collect(archive, NAME, class_list)
    places = folder.glob(f"submitted/*/{NAME}/{NAME}.ipynb")
    return {path.parent.parent.name: path.read_text() for path in places}, told


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(collect, "HOMEWORK", tmp_path)
    return tmp_path


def test_moodle_s_archive_is_sorted_by_full_name_and_nobody_is_guessed(place: Path) -> None:
    at = "_4711_assignsubmission_file"
    sent = {
        f"Ada Lovelace{at}/{NAME}.ipynb": "ada",
        f"Éva O'Hara-Ruiz{at}_/mine (2).ipynb": "eva",
        f"Ada Byron{at}_{NAME}.ipynb": "byron",
        f"Max Born{at}/{NAME}.ipynb": "which?",
        f"Ada Lovelace{at}/second.ipynb": "second",
        f"Fay Stranger{at}/{NAME}.ipynb": "stranger",
        f"Ada Lovelace{at}/notes.txt": "no notebook",
        f"../../{NAME}.ipynb": "outside",
    }
    found, told = collected(place, MOODLE, sent)
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
        assert any(re.search(words, line) for line in told), (words, told)
    assert told[-1].startswith("3 new or changed") and "4 files left out" in told[-1]
    assert collected(place, MOODLE, sent)[1][-1].startswith("0 new or changed"), (
        "collecting again is harmless"
    )


def test_canvas_archive_is_sorted_by_the_number_of_its_gradebook(place: Path) -> None:
    sent = {
        "lovelaceada_900_5001_00-start-here-1.ipynb": "ada",
        "bornmax_LATE_901_5002_00-start-here.ipynb": "max",
        "studenttest_1_5003_00-start-here.ipynb": "test",
    }
    found, told = collected(place, CANVAS, sent)
    assert sorted(found.values()) == ["ada", "max"] and len(told) == 2 and "not on the class list" in told[0]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone")
def test_the_clone_for_a_class_has_no_answer_and_no_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homework, "HOMEWORK", tmp_path / "no choice of this clone's teacher")
    fork.make(tmp_path)
    for path in homework.GRADED:
        there = read(tmp_path / path.relative_to(ROOT))
        gone = {cell.id for each in course.exercises(read(path).cells) for cell in each.cells}
        assert gone and not gone & {cell.id for cell in there.cells}, path.stem
    lines = {
        line.strip()
        for path in homework.GRADED
        for each in course.exercises(read(path).cells)
        for line in each.solution.source.splitlines()
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
