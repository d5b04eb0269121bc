"""Draws one chart of all learners' machines from the files that `Results.share("start-here")` wrote.

make class DIR=folder [NB=00]     the page with charts and tables: build/class/class.html

Each file is checked first: one that cannot be used is named with the reason. A value that only one file
contains, or that is far from all others, is not drawn.
"""

import argparse
import csv
import io
import math
import os
import re
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import nbformat
from bootstrap.files import write_rows
from notebooks.java import calls, said, strings
from notebooks.runs import ROOT, code_cells, numbered, read, title
from teach import questions
from teach.picture import picture
from teach.plans import image
from teach.questions import Line, Question, line

CLASS = ROOT / "build/class"
PAGE = ROOT / "teaching/class.ipynb"
COLUMNS = ["what", "name", "contender", "n", "figure", "value", "words", "held", "margin used (%)"]
BYTES = 200_000  # of a file; a real one has a few thousand
# A row, with tabs between its fields: no text begins like a spreadsheet formula or contains a control
# character.
TEXT = r"(?![=+@-])[^\x00-\x1f\x7f]{0,300}"
NUMBER = r"-?\d{1,20}(?:\.\d{1,20})?(?:E(?:-\d{1,2}|\d))?"
ROW = re.compile(
    rf"machine\t(?P<fact>{TEXT})\t\t\t\t\t(?P<words>{TEXT})\t\t"
    rf"|figure\t(?P<experiment>{TEXT})\t(?P<contender>{TEXT})\t(?P<n>[1-9]\d{{0,8}})\t(?P<figure>{TEXT})"
    rf"\t(?P<value>(?!-)(?:{NUMBER})?)\t\t\t"
    rf"|(?P<side>guess|measured)\t(?P<about>{TEXT})\t\t(?P<place>[1-9]\d{{0,8}})\t{TEXT}\t(?P<mark>{NUMBER})"
    rf"\t(?P<chosen>{TEXT})\t\t"
    rf"|claim\t(?P<claim>{TEXT})\t\t\t\t(?:{NUMBER})?\t{TEXT}\t(?P<held>[✔✘≈])\t(?P<margin>(?:{NUMBER})?)"
)
FACTS = {"CPUs": 4_096, "platform threads that fit": 2**22, "virtual threads that fit": 10**9}  # at most
KINDS = ("platform", "virtual")
GUESSES = (
    "The yellow band is the middle half of the class, and each grey line is one learner. Each ring is one"
    " machine, and the black line with diamonds their median."
)
FAR = 100  # times the median of all machines: no real one is so much slower or faster


class Unusable(Exception):
    """The reason why a file is left out, in a few words."""


class Key(NamedTuple):
    """The subject of a figure; `kind` is platform or virtual."""

    experiment: str
    figure: str
    contender: str
    kind: str
    n: int


class Machine(NamedTuple):
    """The content of one learner's file."""

    facts: dict[str, str]
    figures: dict[Key, float]
    claims: dict[str, tuple[str, float]]  # by statement: ✔, ✘ or ≈, and the margin used (%)
    guesses: dict[tuple[str, str], list[dict]]  # by guess or measured and what was asked: its parts

    def count(self, fact: str) -> int:
        """The first number of a fact such as "about 31,775"."""
        found = re.search(r"\d[\d,]*", self.facts.get(fact, ""))
        if not found or not 0 < (count := int(found[0].replace(",", ""))) <= FACTS[fact]:
            raise Unusable(f'it gives no valid number for "{fact}"')
        return count


class Known(NamedTuple):
    """The figures and claims of a notebook; anything else in a file does not come from it."""

    figures: list[tuple[str, str]]  # experiment, figure
    claims: list[re.Pattern[str]]

    @staticmethod
    def of(number: str) -> "Known":
        sources = [cell.source for cell in code_cells(read(numbered(number)))]
        trials, claims = (
            [call.arguments for source in sources for call in calls(source, name)]
            for name in (r"Trials\.of", r"Claim\.that")
        )
        words = [[text for each in given for text in strings(each)] for given in trials]
        stated = [said(given[0]) for given in claims]
        return Known(
            [(name, figure) for name, *figures in words for figure in [*figures, "seconds"]],
            [re.compile(re.sub(r"%[^a-zA-Z]*[a-zA-Z]", ".+", re.escape(claim))) for claim in stated],
        )


def rows(file: Path) -> Iterator[dict[str, str]]:
    """The rows of a file that `Results.share` can have written."""
    if file.is_symlink() or not file.is_file() or file.stat().st_size > BYTES:
        raise Unusable(f"it is not a file of at most {BYTES:,} bytes")
    try:
        text = file.read_bytes().decode("utf-8-sig")
        head, *table = list(csv.reader(io.StringIO(text, newline=""), strict=True)) or [[]]
    except (UnicodeDecodeError, csv.Error):
        raise Unusable("it is not CSV") from None
    if head != COLUMNS:
        raise Unusable("its columns are not those that Results.share writes")
    for place, row in enumerate(table, start=2):
        if len(row) != len(COLUMNS) or not (found := ROW.fullmatch("\t".join(row))):
            raise Unusable(f"row {place} is not a row that Results.share writes")
        yield found.groupdict("")


def machine(file: Path, known: Known) -> Machine:
    one = Machine({}, {}, {}, defaultdict(list))
    for row in rows(file):
        kind = row["contender"].partition(",")[0]
        if row["side"]:
            mark = {"n": int(row["place"]), "words": row["chosen"], "value": float(row["mark"])}
            one.guesses[row["side"], row["about"]].append(mark)
        elif row["fact"]:
            one.facts[row["fact"]] = row["words"]
        elif any(claim.fullmatch(row["claim"]) for claim in known.claims):
            one.claims[row["claim"]] = row["held"], float(row["margin"] or "nan")
        elif row["value"] and (row["experiment"], row["figure"]) in known.figures:
            if kind not in KINDS:
                raise Unusable(f'"{kind[:20]}" is neither platform nor virtual')
            key = Key(row["experiment"], row["figure"], row["contender"], kind, int(row["n"]))
            one.figures[key] = float(row["value"])
    for fact in FACTS:
        one.count(fact)
    if not one.figures and not one.claims:
        raise Unusable("it holds no result of this notebook")
    return one


def collect(folder: Path, known: Known) -> tuple[list[Machine], list[str]]:
    """The machines of the usable files, and a sentence for each of the others."""
    found, told = [], []
    seen: dict[bytes, str] = {}
    for file in sorted(folder.rglob("*.csv")):
        name = re.sub(r"[^\w.,/ -]", "?", file.relative_to(folder).as_posix())[:80]
        try:
            one = machine(file, known)
            if (first := seen.setdefault(file.read_bytes(), name)) != name:
                raise Unusable(f"it is the same as {first}")
            found.append(one)
        except (Unusable, OSError) as why:
            told.append(f"{name} is left out: {getattr(why, 'strerror', None) or why}.")
    return found, told


def drawn(machines: list[Machine], known: Known) -> list[tuple[int, Key, float]]:
    """Each machine's place and values for the notebook's first figure that most machines have.

    In a class of three or more, a contender or a size that only one machine has is left out, as is a
    value far from the median: the axes suit the class.
    """
    votes = Counter(name for one in machines for name in {key[:2] for key in one.figures})
    chosen = next((name for name in known.figures if votes[name] > max(votes.values(), default=0) / 2), None)
    values: dict[Key, list[float]] = defaultdict(list)
    for one in machines:
        for key, value in one.figures.items():
            values[key].append(value)
    medians = {key: statistics.median(all_) for key, all_ in values.items()}
    return [
        (place, key, value)
        for place, one in enumerate(machines, start=1)
        for key, value in one.figures.items()
        if key[:2] == chosen
        and (len(values[key]) > 1 or len(machines) < 3)
        and medians[key] / FAR <= value <= medians[key] * FAR
    ]


def write(machines: list[Machine], number: str, told: list[str]) -> None:
    """Writes the tables from which the page draws, in the columns of the course."""
    CLASS.mkdir(parents=True, exist_ok=True)

    def table(name: str, head: str, lines: list[list]) -> None:
        write_rows(CLASS / f"{name}.csv", [head.split("|"), *lines])

    lines = [[*key, place, value] for place, key, value in drawn(machines, Known.of(number))]
    table("results", "experiment|figure|contender|kind|n|trial|value", lines)
    fits, each = [], []
    judged: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for place, one in enumerate(machines, start=1):
        cpus, limits = one.count("CPUs"), [one.count(f"{kind} threads that fit") for kind in KINDS]
        fits += [[kind, kind, cpus, place, limit] for kind, limit in zip(KINDS, limits, strict=True)]
        broken = [claim for claim, (held, _) in one.claims.items() if held == "✘"]
        facts = [one.facts.get(fact, "") for fact in ("memory", "JDK")]
        each.append([place, cpus, *facts, limits[0], len(one.claims), len(broken), *(broken or [""])[:1]])
        for claim, verdict in one.claims.items():
            judged[claim].append(verdict)
    table("fits", "contender|kind|n|trial|threads that fit", fits)
    table("machines", "machine|CPUs|memory|JDK|platform threads that fit|claims|✘|first ✘", each)
    lines = []
    for claim, all_ in judged.items():
        held, margins = zip(*all_, strict=True)
        finite = [*filter(math.isfinite, margins)]
        used = [round(statistics.median_high(finite)), round(max(finite))] if finite else ["", ""]
        lines.append([claim, len(all_), held.count("✘"), held.count("≈"), *used])
    table("claims", "claim|machines|✘|≈|margin used, median (%)|margin used, most (%)", lines)
    about = {"notebook": title(numbered(number)), "machines": len(machines), "files left out": len(told)}
    table("about", "what|value", [[*each] for each in about.items()])


def pictures(machines: list[Machine], asked: list[Question]) -> Iterator[str]:
    """For each question that two learners have answered, the class's lines and a ring for each machine."""
    for question in asked:
        lines = [*kept(machines, "guess", question.spec)]
        measured = [*kept(machines, "measured", question.spec | {"low": 0, "high": math.inf})]
        places = sorted({n for line in measured for n in line})
        medians = {n: statistics.median_high(line[n] for line in measured if n in line) for n in places}
        if len(lines) > 1:
            found = question._replace(measured=medians)
            told = f"{found.told(lines)} {found.share(lines)}."
            svg = picture(found, lines, shown=True, machines=measured)
            alt = f"What the class believed, and what its machines measured: {question.spec['about']}"
            yield f"### {question.ask}\n\n{image(alt, svg.encode())}\n\n{told}"


def kept(machines: list[Machine], side: str, spec: dict) -> Iterator[Line]:
    for one in machines:
        with suppress(ValueError):  # nothing that is an answer
            yield line(spec, one.guesses[side, spec["about"]])


def draw(guesses: list[str]) -> Path:
    """Runs the page in the course's kernel, with the pictures of what the class believed."""
    page = read(PAGE)
    at = next(i for i, cell in enumerate(page.cells) if cell.id == "fits-text")
    if guesses:
        words = "\n\n".join(["## What the class believed", GUESSES, *guesses])
        page.cells.insert(at, nbformat.v4.new_markdown_cell(words))
    nbformat.write(page, own := CLASS / "class.ipynb")
    command = [sys.executable, "-m", "jupyter", "nbconvert", "--execute", "--no-input", "--to=html"]
    env = os.environ | {"THREADLAB_CLASS": str(CLASS)}
    ended = subprocess.run([*command, own], env=env, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"The page could not be drawn: {ended.stderr}")
    return CLASS / "class.html"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--notebook", default="")
    asked = parser.parse_args()
    folder, number = Path(asked.folder), asked.notebook or "00"
    if not asked.folder or not folder.is_dir():
        sys.exit(f'There is no folder "{asked.folder}": name the one with the files, make class DIR=folder.')
    machines, told = collect(folder, Known.of(number))
    for sentence in told:
        print(sentence)
    if not machines:
        share = f'Results.share("{numbered(number).stem[3:]}")'
        sys.exit(f'No file in "{folder}" can be used: a learner writes one with {share}.')
    write(machines, number, told)
    guesses = [*pictures(machines, questions.of_lesson(numbered(number)))]
    print(f"{len(machines)} machines and {len(guesses)} guesses on one page: {draw(guesses)}")


if __name__ == "__main__":
    main()
