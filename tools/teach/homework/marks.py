"""The marks of a class: a row for each learner, and the files that Moodle and Canvas import."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from teach.homework.isolation import printable
from teach.homework.jobs import Homework
from teach.homework.kept import Book, InBook, Records, SentIn, received
from teach.homework.pseudonyms import pseudonym
from teach.homework.submission import Submission

# the columns by which a folder of submitted/ is recognised, as Moodle, Canvas and nbgrader name them
NAMED_BY: tuple[str, ...] = ("student", "username", "sis login id", "email address", "id number")
NAMED_BY += ("sis user id", "id", "email", "lms_user_id", "identifier")
COLUMNS: tuple[str, ...] = ("assignment", "student", "name", "pseudonym", "status", "mark", "of")
COLUMNS += ("penalty", "failed exercises", "why")


@dataclass(frozen=True)
class Learner:
    """Somebody of the class: the name of their folder in submitted/, and their line of the class list.

    `key` gives the pseudonym: the first id in that line, which stays when a folder of another name comes.
    """

    name: str
    key: str
    line: dict[str, str]
    listed: bool = True

    def full_names(self) -> list[str]:
        """The name; in two orders if its parts are known: a platform's language decides which comes first."""
        if whole := self.line.get("Student" if of_canvas(self.line) else "Full name"):
            return [whole]
        line = {re.sub("[ _]", "", key).lower(): value for key, value in self.line.items()}
        parts = [line.get("firstname", ""), line.get("lastname") or line.get("surname", "")]
        return [" ".join(parts).strip(), " ".join(reversed(parts)).strip()]

    def fields(self, columns: list[str]) -> list[str]:
        return [self.line.get(name, "") for name in columns]

    def number(self) -> str:
        """What a platform's archive calls the learner: Canvas' ID, the digits in Moodle's identifier."""
        if of_canvas(self.line):
            return self.line["ID"]
        return number(self.line.get("Identifier", ""))

    def late(self) -> bool:
        """Whether Moodle's worksheet says so, in English: *Submitted for grading - 2 hours late - Graded*."""
        return any(part.endswith(" late") for part in self.line.get("Status", "").split(" - "))


class Status(StrEnum):
    GRADED = "graded"
    LATE = "late"
    CHANGED = "not graded yet"
    UNREADABLE = "not readable"
    MISSING = "not handed in"
    OPEN = "not handed in yet"


@dataclass(frozen=True)
class Row:
    """The mark of one learner for one homework. It is nbgrader's; only what is `decided` goes elsewhere."""

    homework: str
    learner: Learner
    status: Status
    mark: float
    of: float
    penalty: float = 0
    failed: tuple[str, ...] = ()
    why: str = ""
    decided: bool = False
    words: str = ""  # what alone must still be marked: answers in words


def table_of(file: Path) -> list[dict[str, str]]:
    """The lines of a CSV file, with the separator and the byte-order mark that its author's program wrote."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError:
        why = f"There is no class list {file}: name one, such as --class=participants.csv."
        raise SystemExit(why) from None
    except ValueError:
        raise SystemExit(f"{file} is not text in UTF-8: save it as CSV in UTF-8.") from None
    separator = max(",;\t", key=text.partition("\n")[0].count)
    lines = csv.DictReader(io.StringIO(text), delimiter=separator)
    return [
        {(key or "").strip(): (value or "").strip() for key, value in line.items() if key} for line in lines
    ]


def composed(name: str) -> str:
    """A name with its accents as macOS, Windows and platforms may each write them, in one way."""
    return unicodedata.normalize("NFC", name)


def number(text: str) -> str:
    return text[len(text.rstrip("0123456789")) :]


def of_canvas(line: dict[str, str]) -> bool:
    return "ID" in line and "Section" in line


def nobody(line: dict[str, str]) -> bool:
    """Whether it is a line of Canvas about the homework, or its test student."""
    first = line.get("Student", "") or line.get("LastName", "")
    test = first == "Student, Test" or (first, line.get("FirstName")) == ("Student", "Test")
    return "Points Possible" in first or test or not (first or line["ID"])


def class_list(file: Path, there: set[str]) -> list[Learner]:
    """Everybody of a class list, each with the folder among `there` that one of their columns names."""
    taken: dict[str, Learner] = {}
    known = {composed(name): name for name in there}
    lines = table_of(file)
    columns = [key for key in NAMED_BY if any(key == name.lower() for line in lines for name in line)]
    columns = columns or other_column(lines, known)
    for line in lines:
        canvas = of_canvas(line)
        if canvas and nobody(line):
            continue
        fields = {key.lower(): value for key, value in line.items()}
        if canvas:
            fields.pop("student", "")  # here it is a name
        if "identifier" in fields:
            fields["identifier"] = number(fields["identifier"])
        ids = [fields[key] for key in columns if fields.get(key)]
        if not ids:
            if any(line.values()):
                raise SystemExit(
                    f"{file} has a line without an id ({', '.join(filter(None, line.values()))[:80]}): it"
                    f" needs one of the columns {', '.join(NAMED_BY)}."
                )
            continue
        folders = [known[composed(name)] for name in ids if composed(name) in known]
        name = folders[0] if folders else ids[0]
        if len(set(folders)) > 1 or name in taken:
            other = taken[name].line if name in taken else line
            raise SystemExit(
                f"The folder {name} in submitted/ fits two lines of {file}, or this line two folders:"
                f" {line} and {other}; add a column student with the name of each learner's folder."
            )
        taken[name] = Learner(name, ids[0], line)
    if not taken:
        raise SystemExit(f"{file} names no learner: it needs one of the columns {', '.join(NAMED_BY)}.")
    return [*taken.values()]


def other_column(lines: list[dict[str, str]], known: dict[str, str]) -> list[str]:
    """The column of a list of one's own that tells learners apart, in lower case: best by their folders."""
    values = {name: [line[name] for line in lines] for name in (lines[0] if lines else {})}
    named = [name for name, all_ in values.items() if {*map(composed, all_)} & {*known}]
    apart = [name for name, all_ in values.items() if len({*filter(None, all_)}) == len(all_)]
    return [name.lower() for name in (named or apart)[:1]]


def people(root: Path, book: Book, listed: "Path | None") -> list[Learner]:
    """Everybody of the class list, the gradebook and the submissions."""
    parts = ("first name", "last name")
    names = {who: dict(zip(parts, (a or "", b or ""), strict=True)) for who, a, b in book["students"]}
    there = {*names, *(path.parent.name for path in root.glob("submitted/*/*"))}
    learners = class_list(listed, there) if listed else []
    if listed and (kept := root / "class.csv").is_file() and kept != listed:
        # a platform's list may have other columns, and a learner keeps the numbers
        keys = {learner.name: learner.key for learner in class_list(kept, there)}
        learners = [replace(each, key=keys.get(each.name, each.key)) for each in learners]
    known = {learner.name for learner in learners}
    return learners + [Learner(name, name, names.get(name, {}), False) for name in sorted(there - known)]


def aliases(root: Path, learners: list[Learner]) -> dict[str, str]:
    """The pseudonyms of learners, by the names of their folders."""
    return {learner.name: pseudonym(root, learner.key) for learner in learners}


def rows(root: Path, book: Book, listed: "Path | None", only: str = "") -> list[Row]:
    """A row for each homework and learner."""
    learners = people(root, book, listed)
    chosen = [(name, about) for name, about in sorted(book["homework"].items()) if only in ("", name)]
    return [row for one in chosen for row in of_homework(root, *one, learners, bool(listed))]


def of_homework(
    root: Path, name: str, about: InBook, learners: list[Learner], class_known: bool
) -> Iterator[Row]:
    homework: Homework | None = None
    kept: Records | None = None
    sent: dict[str, Submission | str] = {}
    with suppress(SystemExit):  # it is no longer in source/, and its marks are those of the gradebook
        homework = Homework(root, name, 60)
        kept = Records(root, homework, options(root, name), about, aliases(root, learners))
        sent = dict(received(root, homework))
    archived, label = collected(root, name), homework.label if homework else str
    for learner in learners:
        student, of = learner.name, about["of"]
        there, handed_in = about["sent"].get(student, SentIn()), sent.get(student)
        whys = ["not on the class list"] if class_known and not learner.listed else []
        if not there.get("graded"):
            due = there.get("due") or about["due"]
            if isinstance(handed_in, str):
                status, why = Status.UNREADABLE, handed_in
            elif handed_in:
                status, why = Status.CHANGED, "run autograde"
            elif student in archived and homework:
                status = Status.UNREADABLE
                why = f"collect left out {archived[student]}: put the right notebook into its folder"
            elif not homework and (root / "submitted" / student / name).exists():
                status, why = Status.CHANGED, f"there is no source/{name}: run make homework"
            elif due and datetime.fromisoformat(due).replace(tzinfo=UTC) < datetime.now(UTC):
                status, why = Status.MISSING, ""
            else:
                status, why = Status.OPEN, "" if due else no_deadline(name)
            why = "; ".join(filter(None, [*whys, why]))
            yield Row(name, learner, status, 0, of, why=why, decided=status is Status.MISSING)
            continue
        status, decided = Status.LATE if there["late"] else Status.GRADED, True
        if isinstance(handed_in, str):
            status, decided = Status.UNREADABLE, False
            whys.append(f"{handed_in}; the mark is that of the submission before")
        elif handed_in and kept and not kept.current(student, handed_in):
            decided = False
            whys.append("has changed since it was graded: run autograde")
        words = ""
        if there["open"]:
            reasons = kept.kept(student).get("by hand", {}) if kept else {}
            in_words = homework.words if homework else []
            if decided and not {*there["open"]} - {*in_words}:
                words = ", ".join(map(label, there["open"]))
            asked = [label(one) + (f" ({reasons[one]})" if one in reasons else "") for one in there["open"]]
            whys.append(f"to be marked by hand: {', '.join(asked)}")
            decided = False
        if kept and handed_in and not isinstance(handed_in, str):
            whys += kept.notes(student, handed_in)
        if there["late"]:
            whys.append(f"{there['late'] / 3600:.0f} hours late")
        if there["by hand"]:
            whys.append(f"by hand: {', '.join(map(label, there['by hand']))}")
        failed = tuple(sorted(map(label, there["failed"])))
        figures = mark(there), of, there["penalty"], failed
        yield Row(name, learner, status, *figures, "; ".join(whys), decided, words)


def no_deadline(name: str) -> str:
    return (
        f"no deadline is known, so nothing is exported as 0 and no check is shown: grade db assignment add"
        f' {name} --duedate="2026-03-02 12:00:00 UTC" sets one'
    )


def mark(sent: SentIn) -> float:
    """A mark as nbgrader's own export has it."""
    return max(0.0, sent["score"] - sent["penalty"])


def options(root: Path, name: str) -> tuple[str, ...]:
    """The options of nbgrader that were given when a homework was last graded."""
    try:
        return tuple((root / "graded" / f"{name}.options").read_text(encoding="utf-8").splitlines())
    except OSError:
        return ()


def collected(root: Path, homework: str) -> dict[str, str]:
    """The name that each learner's file had in the archive, by which its platform takes feedback back."""
    try:
        return json.loads((root / "graded" / f"{homework}.collected").read_text(encoding="utf-8"))
    except OSError:
        return {}


# --- what is printed ---


def pseudonyms(root: Path, learners: list[Learner]) -> list[list[str]]:
    """What a teacher gives to each learner: the columns of the class list, and the pseudonym."""
    columns = list(dict.fromkeys(name for learner in learners for name in learner.line))
    lines = [["folder", *columns, "pseudonym"]]
    for one in learners:
        lines.append([*map(safe, (one.name, *one.fields(columns), pseudonym(root, one.key)))])
    return lines


def table(root: Path, found: list[Row], hidden: bool) -> list[list[str]]:
    """All rows. With pseudonyms only, in their order, which is not that of the class list."""
    lines = []
    for row in found:
        name, alias = row.learner.name, pseudonym(root, row.learner.key)
        who = [alias] if hidden else [name, row.learner.full_names()[0], alias]
        figures = map(points, (row.mark, row.of, row.penalty))
        why = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", alias, row.why) if hidden else row.why
        lines.append([row.homework, *who, row.status, *figures, ", ".join(row.failed), why])
    lines = sorted(lines, key=lambda line: line[:2]) if hidden else lines
    columns = [name for name in COLUMNS if not hidden or name not in ("student", "name")]
    return [columns, *([safe(field) for field in line] for line in lines)]


def points(number: float) -> str:
    return f"{number:.10g}"


def safe(text: str) -> str:
    """The text, which a spreadsheet must not take for a formula; some leave out spaces before it."""
    text = printable(text)
    return "'" + text if text.lstrip()[:1] in tuple("=+-@") else text
