"""The record of claims, data/recorded/claims.csv: what quiet runs said of each claim, and what is wrong.

`make claims` writes it (claims.py). `make test` judges it and measures nothing: a claim about a time or a
rate is judged here and nowhere else, so that no busy machine turns a test red.
"""

import hashlib
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bootstrap.files import write_rows
from notebooks.runs import DIVES, NOTEBOOKS, ROOT, code_cells, load, read, records, short

RECORD = ROOT / "data/recorded/claims.csv"
KNOWN = ROOT / "data/recorded/known.csv"
PROGRAMS = ROOT / "notebooks/programs"
JUDGES = [
    ROOT / "threadlab/src/main/java/threadlab" / name for name in ("measure", "support", "claim", "load")
]

# the runs that a record needs, alone: at the usual sizes, and with what Binder gives (one CPU, the heap of
# 2 GB, small sizes)
SIZES = {"usual": 5, "binder": 3}
RUN_ALL = "Run All (s)"
SECONDS = {"usual": {"04": 90, "06": 90, "12": 120}, "binder": {"04": 90, "12": 90}}
LESSON_SECONDS, DIVE_SECONDS = 60, 75
MARGINS_OF_SPREAD = 5  # a bound farther than that from the largest deviation cannot fail
NEAR = 0.1  # unless it is that near to what theory gives: other timers and schedulers need as much


class Row(NamedTuple):
    """What the runs of one size say of a claim; data/README.md has the units of each column."""

    size: str
    lesson: str
    code: str
    library: str
    claim: str
    kind: str
    bound: str
    runs: int
    held: int
    unjudged: int
    value: float
    worst: float
    spread: float
    machine: str
    date: str

    @property
    def judged(self) -> int:
        return self.runs - self.unjudged

    @property
    def wrong(self) -> str:
        """What is wrong with the claim, in a word or two; '' for nothing."""
        broke = self.judged - self.held
        if self.kind == "time":
            return "slow" if self.value > most_seconds(self.size, self.lesson) else ""
        if broke and (self.kind == "exact" or 5 * broke > self.judged):
            return "breaks"
        enough = self.size == "usual" and self.judged >= SIZES["usual"]
        tight = self.kind == "exact" or (self.kind == "law" and slack(self.bound) <= NEAR)
        if enough and not tight and self.deviation + MARGINS_OF_SPREAD * self.spread < 100:
            return "cannot fail"
        return ""

    @property
    def deviation(self) -> float:
        """The largest deviation in % of the margin, on a scale on which equal steps of the figure are equal.

        The share of `atLeast(b)` without a prediction is b ÷ m, and a figure of 2 · b is a whole bound away.
        """
        down = re.match(r"at least (?!.*predicted)", self.bound)
        return 200 - 1e4 / self.worst if down and self.worst > 0 else self.worst

    def __str__(self) -> str:
        return f"{self.size}, {short(self.lesson)}: {self.claim}"


def seconds(lesson: str) -> float | None:
    """The recorded time of Run All at the usual sizes."""
    wanted = ("usual", lesson, RUN_ALL)
    return next((row.value for row in rows() if (row.size, row.lesson, row.claim) == wanted), None)


def most_seconds(size: str, lesson: str) -> float:
    """How long Run All may take."""
    dive = size == "usual" and not lesson[:2].isdigit()
    return SECONDS[size].get(lesson[:2], DIVE_SECONDS if dive else LESSON_SECONDS)


def numbers(bound: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?\d[\d,]*\.?\d*(?:E-?\d+)?", bound.replace(",", ""))]


def kind(bound: str) -> str:
    """`exact` allows one number, a `law` says what theory gives, a `ratio` has only a bound."""
    if bound.startswith("exactly "):
        return "exact"
    return "law" if bound.startswith("within ") or "predicted" in bound else "ratio"


def slack(bound: str) -> float:
    """How far a law's bound is from what theory gives, as a share of that."""
    first, theory = numbers(bound)
    if bound.startswith("within "):
        return first / 100
    return abs(first - theory) / abs(theory) if theory else math.inf


def position(value: float, bound: str) -> float:
    """Where a figure lies in % of what is allowed, with a sign, so that positions of several runs spread."""
    first, *rest = numbers(bound)
    if bound.startswith("within "):
        around = rest[-1]
        return 1e4 * (value - around) / (first * abs(around)) if around else 0.0
    start = rest[-1] if rest else 1.0 if "times as much" in bound else 0.0
    return 100 * (value - start) / (first - start) if first != start else 0.0


# --- what the record must still describe ---


@cache
def code(path: Path) -> str:
    """A fingerprint of a lesson's code and of the programs that it starts; words may change."""
    sources = [cell.source for cell in code_cells(read(path))]
    programs = {name for source in sources for name in re.findall(r"\b\w+\.java\b", source)}
    files = [PROGRAMS / name for name in sorted(programs) if (PROGRAMS / name).is_file()]
    texts = [*sources, *(file.read_text() for file in files)]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]


@cache
def library() -> str:
    """A fingerprint of what measures and judges: `measure`, `support`, `claim` and `load`."""
    files = sorted(file for folder in JUDGES for file in folder.rglob("*.java"))
    return hashlib.sha256(b"\n".join(file.read_bytes() for file in files)).hexdigest()[:12]


def rows(file: Path = RECORD) -> list[Row]:
    """The record."""
    return records(Row, file)


def write(record: Iterable[Row]) -> None:
    """Sorts and writes the whole record."""
    told: list[Sequence[object]] = [Row._fields]
    for row in sorted(record, key=lambda row: row[:2]):
        figures = (f"{figure:.4g}" for figure in (row.value, row.worst, row.spread))
        told.append([*row[:10], *figures, *row[13:]])
    write_rows(RECORD, told)


def due(record: list[Row]) -> Iterator[tuple[str, Path, str]]:
    """Which lessons are to be run again, at which size, and why."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in record:
        found[row.size, row.lesson].append(row)
    for size, wanted in SIZES.items():
        for path in [*NOTEBOOKS, *DIVES]:
            own = found[size, path.stem]
            if not own:
                yield size, path, "no run"
            elif any(row.code != code(path) for row in own):
                yield size, path, "older than its code"
            elif (fewest := min(row.judged for row in own)) < wanted:
                yield size, path, f"{fewest} of {wanted} runs"
            elif any(row.library != library() for row in own):
                yield size, path, "older than the library"


def changed() -> list[str]:
    """The lessons, except 00, whose code differs from the record."""
    known = {row.lesson: row.code for row in rows() if row.size == "usual"}
    return [short(path.stem) for path in [*NOTEBOOKS[1:], *DIVES] if known.get(path.stem) != code(path)]


def told(owed: Iterable[tuple[str, Path, str]]) -> list[str]:
    """What is due, a line for each size and reason."""
    lessons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for size, path, why in owed:
        lessons[size, why].append(short(path.stem))
    return [f"due, {size}, {why}: {', '.join(names)}" for (size, why), names in lessons.items()]


def refuse_if_due() -> None:
    """Ends the program where a release would go out whose claims are not on record."""
    if owed := told(due(rows())):
        raise SystemExit("\n".join([*owed, "A release waits while claims are due: make claims."]))


# --- what is wrong with it ---


def problems(record: list[Row], known: list[dict[str, str]]) -> list[str]:
    """What is wrong and not known, and what is known and no longer wrong: that list only shrinks."""
    wrong = {(row.size, row.lesson, row.claim): row for row in record if row.wrong}
    listed = {(one["size"], one["lesson"], one["claim"]): one["wrong"] for one in known}
    new = [
        f"{row}: {row.wrong} (held in {row.held} of {row.judged}, {row.value:.4g}, {row.bound})"
        for name, row in wrong.items()
        if listed.get(name) != row.wrong
    ]
    ended = [f"{', '.join(name)}: delete its row in {KNOWN.name}" for name in listed if name not in wrong]
    return new + ended


def main() -> None:
    refuse_if_due()
    sys.exit("\n".join(problems(rows(), load(KNOWN))) or None)


if __name__ == "__main__":
    main()
