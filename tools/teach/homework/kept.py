"""What is kept of each submission: graded/LEARNER/HOMEWORK.json, with fingerprints of what it came from.

So content decides what is graded again, not the time of a file, and a killed run goes on where it was.
"""

import json
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypedDict

from dateutil import parser
from bootstrap import files
from teach.homework import pseudonyms, submission
from teach.homework.isolation import Ran, printable
from teach.homework.jobs import Exercise, Homework, added, fingerprint, sources
from teach.homework.submission import Refused, Submission

# what book.py says of one learner's homework; checks and tasks by their names
SentIn = TypedDict(
    "SentIn",
    {
        "score": float,
        "penalty": float,
        "late": float,  # seconds
        "due": str,
        "graded": bool,
        "failed": list[str],
        "given": float,  # points by hand
        "by hand": list[str],
        "open": list[str],
    },
    total=False,
)


class InBook(TypedDict):
    """What nbgrader's gradebook has of a homework."""

    due: str
    of: float
    sent: dict[str, SentIn]


class Book(TypedDict):
    students: list[tuple[str, str | None, str | None]]  # folder, first and last name
    homework: dict[str, InBook]


WORDS = {
    "time": "exceeded the time limit of a cell and was ended",
    "ended": "ended its kernel",
    "flood": "printed without end and was ended",
}


class Verdict(NamedTuple):
    """The share of an answer that is right, None if a person must say it, and why; `open` is a stub."""

    right: float | None
    why: str
    open: bool = False


@dataclass
class Graded:
    """A submission being graded: the results of its steps, and the verdict on each check.

    `keys` are fingerprints of what these results depend on, and `why` says which of them has changed.
    """

    student: str
    sent: Submission
    drawn: int = field(default_factory=lambda: secrets.randbelow(1_000_000))
    steps: dict[str, Ran] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    why: str = ""
    alias: str = pseudonyms.NOBODY

    def by_hand(self) -> dict[str, str]:
        """The checks that a person must mark, and why."""
        return {check: verdict.why for check, verdict in self.verdicts.items() if verdict.right is None}

    def doubt(self, each: Exercise) -> str:
        """Why no 0 is given to an answer that the judge finds wrong; empty if it is one."""
        if doubt := self.sent.doubts.get(each.answer):
            return doubt
        if each.numbers and self.sent.pseudonym != self.alias and self.changed(each):
            return f"it was worked with other numbers, those of {self.sent.pseudonym or 'nobody'}"
        return ""

    def changed(self, each: Exercise) -> bool:
        """Whether anything but the stub was handed in."""
        return bool(self.sent.pieces.get(each.answer, each.answer))


def tell(student: str, text: str) -> None:
    """Prints a note for the teacher as soon as it arises."""
    print(f"{printable(student)}: {printable(text)}".replace("\n", " ")[:400], flush=True)


@dataclass
class Records:
    """What is kept of the submissions to a homework, and what the gradebook, `book`, has of them.

    `options` of nbgrader and the deadlines in the gradebook decide on a late penalty. `aliases` are the
    learners' pseudonyms, from which their numbers follow.
    """

    root: Path
    homework: Homework
    options: tuple[str, ...] = ()
    book: InBook = field(default_factory=lambda: InBook(due="", of=0, sent={}))
    aliases: dict[str, str] = field(default_factory=dict)

    def alias(self, student: str) -> str:
        return self.aliases.get(student, pseudonyms.NOBODY)

    def foreign(self, student: str, sent: Submission) -> Iterator[str]:
        """What a teacher should know about the numbers with which a learner has worked."""
        if self.homework.knows and sent.pseudonym != self.alias(student):
            whose = next((name for name, alias in self.aliases.items() if alias == sent.pseudonym), "nobody")
            said = f"was worked with the numbers of {whose} ({sent.pseudonym})"
            yield f"{said if sent.pseudonym else 'has no pseudonym'}, and is judged by its own numbers"

    def keys(self, student: str, sent: Submission) -> dict[str, str]:
        """Fingerprints: of the answers, of what runs them, of the checks, of what decides on a penalty."""
        words = [sent.words] if sent.words else []
        about = [sent.answers, sent.by_hand, sent.doubts, sent.pieces, sent.own, sent.pseudonym, *words]
        there = self.book["sent"].get(student, SentIn(due=self.book["due"]))
        # theirs may have an extension; and a penalty is a share of all points, also of those given by hand
        by_hand = [there["given"]] if there.get("late") and there["given"] else []
        terms = [self.timestamp(student), self.options, there["due"], *by_hand]
        return {
            "sent": fingerprint(about),
            "ran": sources(self.homework.answering(sent, 0, self.alias(student))),
            "checks": self.homework.fingerprint(),
            "terms": fingerprint(terms),
        }

    def file(self, student: str) -> Path:
        return self.root / "graded" / student / f"{self.homework.name}.json"

    def kept(self, student: str) -> dict:
        with suppress(OSError, ValueError):
            return json.loads(self.file(student).read_text(encoding="utf-8"))
        return {}

    def keep(self, graded: Graded, taken: bool = False) -> None:
        """Keeps a result, and whether it is in the gradebook."""
        # what is in the gradebook stays known as such until the new result replaces it
        there = graded.keys if taken else self.kept(graded.student).get("taken", {})
        told = {"drawn": graded.drawn, "steps": graded.steps, "verdicts": graded.verdicts}
        told |= {"keys": graded.keys, "taken": there, "by hand": graded.by_hand()}
        file = self.file(graded.student)
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write(file, json.dumps(told))

    def taken(self, done: list[Graded]) -> None:
        """Notes what has reached the gradebook, and removes the feedback with the points before."""
        for graded in done:
            self.keep(graded, taken=True)
            shutil.rmtree(self.root / "feedback" / graded.student / self.homework.name, ignore_errors=True)

    def there(self, student: str) -> dict[str, str]:
        """The keys of what the gradebook has of a learner, if it has it whole."""
        has = self.imported(student).is_file() and self.book["sent"].get(student, {}).get("graded")
        return self.kept(student).get("taken", {}) if has else {}

    def imported(self, student: str) -> Path:
        """What nbgrader has imported of a learner."""
        return self.root / "autograded" / student / self.homework.name / self.homework.file

    def current(self, student: str, sent: Submission) -> bool:
        """Whether the gradebook has the mark of this very submission."""
        return self.there(student) == self.keys(student, sent)

    def stamp(self, student: str) -> Path:
        return self.root / "submitted" / student / self.homework.name / "timestamp.txt"

    def timestamp(self, student: str) -> str:
        """When a submission was handed in, as nbgrader reads it; empty if nobody has written it down."""
        try:
            stamp = submission.regular(self.stamp(student), 100).strip()
            parts = stamp.split(" ")
            if stamp:  # nbgrader reads the third part as a time zone, and would end at any other text
                parser.parse(" ".join(parts[:2]) if len(parts) == 3 else stamp)
            return stamp if re.fullmatch(r"[\w :.+/-]*", stamp, re.A) else ""
        except (Refused, ValueError, OverflowError):
            return ""

    def notes(self, student: str, sent: Submission) -> list[str]:
        """All that `autograde` has said about a submission, without what is marked by hand."""
        steps = self.kept(student).get("steps")
        return [*sent.notes, *self.foreign(student, sent), *(ran(sent, steps) if steps else [])]


def received(root: Path, homework: Homework, only: str = "*") -> Iterator[tuple[str, "Submission | str"]]:
    """Each submission to a homework, or the reason why it cannot be read."""
    for folder in sorted(root.glob(f"submitted/{only}/{homework.name}")):
        student = folder.parent.name
        try:
            if not submission.STUDENT.fullmatch(student):
                raise Refused(f"{submission.NAME_RULE}; rename the folder")
            if not folder.is_dir():
                raise Refused(f"{homework.name} is not a folder; put the notebook into a folder of this name")
            yield student, submission.read(folder, homework.file, homework.released)
        except Refused as e:
            yield student, str(e)
        except OSError as e:
            yield student, f"it cannot be opened: {e.strerror}"


def ran(sent: Submission, steps: dict[str, Ran]) -> Iterator[str]:
    """What a teacher should know of how answers ran."""
    for answer in sent.answers:
        own = [added(answer, i) for i in range(len(sent.own.get(answer, [])))]
        for name in (*own, answer):
            yield from (f"{name}: {note}" for note in remarks(steps.get(name)))


def remarks(step: Ran | None) -> Iterator[str]:
    if step is None:
        yield "not run: no kernel could start after an earlier answer"
        return
    if step["status"] != "ok":
        yield WORDS.get(step["status"], "failed: " + step["value"].partition("\n")[0][:200])
    if re.search(r"<\s*/?\s*[a-zA-Z!]", step["text"] + step["value"]):
        yield "prints HTML, which the feedback shows as text"
    if re.search("[✔✘✎]", step["text"]):
        yield "prints the marks of a check"
