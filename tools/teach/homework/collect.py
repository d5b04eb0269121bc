"""Sorts the submissions that Moodle or Canvas has packed into submitted/LEARNER/HOMEWORK/.

A learner is found on the class list: by the number in the name of the file, if the list has it (Moodle's
grading worksheet, Canvas' gradebook), else by Moodle's full name. Who is not found is named, and nothing is
guessed. A file that is there already and differs is replaced, so collecting again is harmless.
"""

import json
import re
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bootstrap import files
from teach.homework import marks, platforms, submission

ANONYMOUS = re.compile(r"anon_(?:LATE_)?\w+?_\d+_")
MOST = 2_000_000  # bytes of a notebook, as in submission.py


def learners(listed: list[marks.Learner]) -> dict[str, set[str]]:
    """The folder of each learner, by number, or by full name in either order; a name of two leads to both."""
    found: dict[str, set[str]] = defaultdict(set)
    for learner in listed:
        for key in filter(None, (learner.number(), *map(platforms.plain, learner.full_names()))):
            found[key].add(learner.name)
    return found


@dataclass(frozen=True)
class Sent:
    """A notebook in the archive: whose, whether the platform calls it late, or why nobody gets it."""

    entry: zipfile.ZipInfo
    folder: str = ""
    late: bool = False
    why: str = ""


def sent(entry: zipfile.ZipInfo, known: dict[str, set[str]], by_number: bool) -> Sent:
    name = entry.filename
    moodle = platforms.MOODLE_FILE.fullmatch(name)
    if found := moodle or platforms.CANVAS_FILE.fullmatch(PurePosixPath(name).name):
        numbered = by_number or not moodle  # Canvas' names are shortened, so they never count
        folders = known.get(found["number"] if numbered else platforms.plain(found["who"]), set())
    if not found and ANONYMOUS.match(PurePosixPath(name).name):
        return Sent(entry, why="Canvas hides its author: let the assignment show names, and download again")
    if not found:
        return Sent(entry, why="its name is neither Moodle's nor Canvas'")
    if len(folders) != 1:
        two = "two learners of the class list have this name"
        return Sent(entry, why=two if folders else "not on the class list")
    folder = next(iter(folders))
    if not submission.STUDENT.fullmatch(folder):
        why = f"the id on the class list cannot name a folder: {submission.NAME_RULE}"
        return Sent(entry, why=f"{why}; add a column student with a name that can")
    if entry.file_size > MOST:
        return Sent(entry, why="larger than 2 MB")
    return Sent(entry, folder, not moodle and bool(found["late"]))


def sorted_out(packed: zipfile.ZipFile, homework: str, listed: list[marks.Learner]) -> list[Sent]:
    """The notebooks of an archive. Of a learner's several, the only one that is named as the homework counts.

    Platforms and browsers number a name that is there already: -1, (1).
    """
    known, by_number = learners(listed), any(learner.number() for learner in listed)
    mine: dict[str, list[Sent]] = defaultdict(list)
    found: list[Sent] = []
    for entry in sorted(packed.infolist(), key=lambda entry: entry.filename):
        if not entry.is_dir() and entry.filename.endswith(".ipynb"):
            one = sent(entry, known, by_number)
            (mine[one.folder] if one.folder else found).append(one)
    own = re.compile(rf"(?:^|.*[/_]){re.escape(homework)}(?:-\d+| ?\(\d+\))?\.ipynb", re.DOTALL)
    for folder, several in mine.items():
        named = [one for one in several if own.fullmatch(one.entry.filename)]
        if len(several) == 1 or len(named) == 1:
            [taken] = several if len(several) == 1 else named
            why = f"a second notebook beside {taken.entry.filename}"
            found += [one if one is taken else Sent(one.entry, why=why) for one in several]
        else:
            which = f"one of {len(several)} notebooks of {folder}: put the right one into its folder"
            found += [Sent(one.entry, folder, why=which) for one in several]
    return found


def collect(home: Path, archive: Path, homework: str, people: Path) -> list[str]:
    """Writes the notebooks, and says what was left and who was late, a line for each."""
    told, count, left, names = [], 0, 0, marks.collected(home, homework)
    listed = marks.class_list(people, {path.name for path in home.glob("submitted/*")})
    late = {learner.name for learner in listed if learner.late()}
    with zipfile.ZipFile(archive) as packed:
        for one in sorted_out(packed, homework, listed):
            if one.folder:
                names[one.folder] = one.entry.filename
            if one.why:
                shown = re.sub(r"[^\w.,()/ -]", "?", one.entry.filename)[:100]
                told.append(f"{shown} is left out: {one.why}.")
                left += 1
                continue
            target = home / "submitted" / one.folder / homework / f"{homework}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            content, stamp = packed.read(one.entry), target.with_name("timestamp.txt")
            new = not target.is_file() or target.read_bytes() != content
            if (one.late or one.folder in late) and (new or not stamp.exists()):
                told.append(f"{one.folder} was late, as the platform says: write its time into {stamp}.")
            elif new and stamp.exists():
                told.append(f"{one.folder} has handed in again, and {stamp} has the time of before.")
            if new:
                files.write(target, content)
                count += 1
    (home / "graded").mkdir(exist_ok=True)
    files.write(home / "graded" / f"{homework}.collected", json.dumps(names))
    return [*told, f"{count} new or changed submissions in {home / 'submitted'}, {left} files left out"]
