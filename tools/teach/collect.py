"""Sorts the submissions that Moodle or Canvas has packed into homework/submitted/LEARNER/HOMEWORK/.

python3 tools/setup.py -- python tools/teach/collect.py submissions.zip 00-start-here --class=class.csv

A learner is found on the class list, by Moodle's full name or Canvas' number; who is not found is named, and
nothing is guessed. A file that is there already and differs is replaced, so collecting again is harmless.
"""

import argparse
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from teach import marks
from teach.grade import HOMEWORK

# Ada Lovelace_4711_assignsubmission_file_/00-start-here.ipynb, or without a folder
MOODLE = re.compile(r"(?P<who>.+?)_\d+_assignsubmission_file(?:_?/|_)(?P<file>[^/]+)")
# lovelaceada_LATE_4711_12345_00-start-here-1.ipynb
CANVAS = re.compile(r"[^_/]+_(?:LATE_)?(?P<who>\d+)_\d+_(?P<file>[^/]+)")
MOST = 2_000_000  # bytes of a notebook, as in submission.py


def learners(people: Path) -> dict[str, set[str]]:
    """The folder of each learner, by full name and by Canvas' number; a name that two have leads to both."""
    found: dict[str, set[str]] = defaultdict(set)
    for learner in marks.class_list(people, {path.name for path in HOMEWORK.glob("submitted/*")}):
        for key in filter(None, (learner.full_name(), learner.line.get("ID"))):
            found[key.casefold()].add(learner.name)
    return found


def sorted_out(
    packed: zipfile.ZipFile, known: dict[str, set[str]]
) -> Iterator[tuple[str, str, zipfile.ZipInfo]]:
    """For each file the learner's folder, or '' and the reason why it is left."""
    taken: dict[str, str] = {}
    for entry in sorted(packed.infolist(), key=lambda entry: entry.filename):
        name = entry.filename
        if entry.is_dir() or not name.endswith(".ipynb"):
            continue
        found = MOODLE.search(name) or CANVAS.fullmatch(PurePosixPath(name).name)
        folders = known.get(found["who"].rpartition("/")[2].casefold(), set()) if found else set()
        if not found:
            yield "", "its name is neither Moodle's nor Canvas'", entry
        elif len(folders) != 1:
            yield (
                "",
                "two learners of the class list have this name" if folders else "not on the class list",
                entry,
            )
        elif not re.fullmatch(r"[\w@.+-]+", next(iter(folders))):
            yield "", "the id on the class list cannot name a folder", entry
        elif entry.file_size > MOST:
            yield "", "larger than 2 MB", entry
        elif (folder := next(iter(folders))) in taken:
            yield "", f"a second notebook beside {taken[folder]}", entry
        else:
            taken[folder] = name
            yield folder, "", entry


def collect(archive: Path, homework: str, people: Path) -> list[str]:
    """Writes the notebooks, and says what was left, a line for each."""
    told, count = [], 0
    with zipfile.ZipFile(archive) as packed:
        for folder, why, entry in sorted_out(packed, learners(people)):
            if why:
                shown = re.sub(r"[^\w.,/ -]", "?", entry.filename)[:100]
                told.append(f"{shown} is left out: {why}.")
                continue
            target = HOMEWORK / "submitted" / folder / homework / f"{homework}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            content = packed.read(entry)
            if not target.is_file() or target.read_bytes() != content:
                target.write_bytes(content)
                count += 1
    return [
        *told,
        f"{count} new or changed submissions in {HOMEWORK / 'submitted'}, {len(told)} files left out",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("homework")
    parser.add_argument("--class", dest="people", type=Path, default=HOMEWORK / "class.csv")
    asked = parser.parse_args()
    if not (HOMEWORK / "source" / asked.homework).is_dir():
        sys.exit(f'There is no homework "{asked.homework}": make homework writes it.')
    for file in (asked.archive, asked.people):
        if not file.is_file():
            sys.exit(f"There is no file {file}: name the archive, and the class list with --class=FILE.")
    print(*collect(asked.archive, asked.homework, asked.people), sep="\n")


if __name__ == "__main__":
    main()
