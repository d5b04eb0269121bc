"""What Moodle and Canvas call files and columns: their archives of submissions, their imports of marks.

As their sources have it: mod/assign (downloader.php, gradingtable.php, feedback/offline, feedback/file) and
grade/import of Moodle; content_zipper.rb, gradebook_exporter.rb and gradebook_importer.rb of Canvas.
"""

import re
import sys
import unicodedata
import zipfile
from pathlib import Path, PurePosixPath

from teach.homework.isolation import printable
from teach.homework.marks import Row, Status, collected, of_canvas, points, table_of

# Ada Lovelace_4711_assignsubmission_file/00-start-here.ipynb, until 4.0 with a _ before the /, or no folder;
# the first that fits, because a learner may name folders, too
MOODLE_FILE = re.compile(r"(?:.*?/)??(?P<who>[^/]+?)_(?P<number>\d+)_assignsubmission_file(?:_?/|_)(.+)")
# lovelaceada_LATE_4711_12345_00-start-here-1.ipynb; a name may have a _, but none around a number
CANVAS_FILE = re.compile(r"(?P<who>.+?)_(?P<late>LATE_)?(?P<number>\d+)_\d+_(.+)")
MOODLE = ("First name", "Last name", "Surname", "Username", "ID number", "Email address")
MOODLE_BY = ("Username", "ID number", "Email address")
# those that Moodle's worksheet for marking an assignment elsewhere needs, and the one for a remark
WORKSHEET = ("Identifier", "Grade", "Last modified (grade)")
REMARK = "Feedback comments"
CANVAS: tuple[str, ...] = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID")
CANVAS += ("Integration ID", "Root Account", "Section")


def plain(name: str) -> str:
    """A name as in that of a file: Moodle leaves out the signs that a file's name cannot have."""
    name = unicodedata.normalize("NFC", name).replace("_", " ")
    return " ".join(re.sub(r"[\x00-\x1f\x7f&<>\"'`|:\\/]", "", name).casefold().split())


def pack(root: Path, homework: str) -> tuple[Path, int, list[str]]:
    """Packs the feedback pages under the names by which Moodle or Canvas gives each learner their own."""
    names, left = collected(root, homework), []
    target, count = root / "feedback" / f"{homework}.zip", 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for page in sorted(root.glob(f"feedback/*/{homework}/{homework}.html")):
            if not (name := names.get(page.parent.parent.name)):
                left.append(page.parent.parent.name)
                continue
            if found := MOODLE_FILE.fullmatch(name):
                name = f"{found['who']}_{found['number']}_assignfeedback_file_{homework}.html"
            else:
                name = PurePosixPath(name).with_suffix(".html").name
            packed.write(page, name)
            count += 1
    return target, count, left


def remark(row: Row) -> str:
    """What the learner reads beside the mark."""
    if row.status is Status.MISSING:
        return "Not handed in."
    said = [f"{points(row.mark)} of {points(row.of)}."]
    if row.penalty:
        said.append(f"{points(row.penalty)} taken off, because it was late.")
    if row.failed:
        said.append(f"Points are missing for {', '.join(row.failed)}.")
    return " ".join(said)


def given(found: list[Row], system: str) -> list[Row]:
    """The rows that a learning platform gets: those decided, of learners whom it has."""
    kept = []
    for row in found:
        if row.learner.listed and row.decided:
            kept.append(row)
        else:
            why = printable("; ".join(filter(None, (row.status, row.why))))
            print(f"{printable(row.learner.name)}: left out for {system}: {why}", file=sys.stderr)
    return kept


def for_moodle(found: list[Row]) -> list[list[str]]:
    """What Moodle imports as grades from CSV: the columns of its own export, a grade and feedback to it."""
    kept = given(found, "Moodle")
    lines = [row.learner.line for row in kept]
    if lines and set(WORKSHEET) <= set(lines[0]):
        return worksheet(kept)
    columns = [name for name in MOODLE if any(name in line for line in lines)]
    if lines and not set(columns) & set(MOODLE_BY):
        raise SystemExit(
            f"Moodle finds a learner by one of the columns {', '.join(MOODLE_BY)}, and the class list has"
            " none: export the course's grades from Moodle as plain text and give that file with --class=."
        )
    name = found[0].homework
    made = [[*row.learner.fields(columns), points(row.mark), remark(row)] for row in kept]
    return [[*columns, f"{name} (Real)", f"{name} (Feedback)"], *made]


def worksheet(kept: list[Row]) -> list[list[str]]:
    """Moodle's own worksheet for an assignment, with the grades and remarks filled in."""
    columns, of = list(kept[0].learner.line), kept[0].of
    for row in kept:
        most = decimal({key.lower(): text for key, text in row.learner.line.items()}.get("maximum grade", ""))
        if most not in (None, of):
            raise SystemExit(
                f"Moodle's assignment gives {points(most)} points, and the homework has {points(of)}:"
                " set its maximum grade, and download the worksheet again."
            )
    filled = [row.learner.line | {"Grade": points(row.mark), REMARK: remark(row)} for row in kept]
    return [columns, *([line[name] for name in columns] for line in filled)]


def decimal(text: str) -> "float | None":
    """A number as platforms write it, with a decimal point or comma."""
    return float(text.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d+)?", text) else None


def for_canvas(found: list[Row], people: Path) -> list[list[str]]:
    """What Canvas imports into its gradebook: its own columns, and the homework with its possible points."""
    kept = given(found, "Canvas")
    lines = [row.learner.line for row in kept]
    columns = [name for name in CANVAS if any(name in line for line in lines)]
    if lines and not (of_canvas(lines[0]) and {"Student", "LastName"} & set(columns)):
        raise SystemExit(
            "Canvas needs the columns Student, ID and Section, which the class list lacks: export the"
            " gradebook from Canvas and give that file with --class=."
        )
    # a column of the export that is already about this homework has Canvas' number behind its name
    name = found[0].homework
    titles = {key for line in lines for key in line if key == name or key.startswith(f"{name} (")}
    for line in table_of(people):
        there = decimal(line.get(min(titles, default=name), ""))
        if "Points Possible" in "".join(line.values()) and there not in (None, found[0].of):
            told = f"Canvas gives {points(there)} points for {name}, and the homework has"
            told += f" {points(found[0].of)}: change that in Canvas' assignment."
            print(told, file=sys.stderr)
    possible = ["    Points Possible", *[""] * (len(columns) - 1), points(found[0].of)]
    made = [[*row.learner.fields(columns), points(row.mark)] for row in kept]
    return [[*columns, min(titles, default=name)], possible, *made]
