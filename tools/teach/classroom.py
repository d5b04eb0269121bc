"""Draws one chart of everybody's machines, from the files that the learners' `Results.share("00")` wrote.

make class DIR=folder [NB=00]     the page with charts and tables: build/class/class.html

The files were written elsewhere, so each is checked first. One that cannot be used is named with its reason,
and the others are drawn all the same.
"""

import argparse
import csv
import hashlib
import io
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from notebooks.runs import ROOT, code_cells, numbered, read

CLASS = ROOT / "build/class"
PAGE = ROOT / "teaching/class.ipynb"
COLUMNS = ["what", "name", "contender", "n", "figure", "value", "words", "held", "margin used (%)"]
BYTES, ROWS, LETTERS, FILES = 200_000, 1_000, 300, 2_000
WORDS = ("virtual", "platform")


class Unusable(Exception):
    """Why a file is left out, in a few words."""


class Machine(NamedTuple):
    """What one learner's file says."""

    facts: dict[str, str]
    figures: list[tuple[str, str, int, str, float]]  # experiment, contender, n, figure, value
    claims: list[tuple[str, bool, float]]  # statement, held, margin used (%)

    def count(self, fact: str) -> int:
        """The first number of a fact such as "about 31,775"."""
        found = re.search(r"\d[\d,]*", self.facts.get(fact, ""))
        number = int(found[0].replace(",", "")) if found else 0
        if not 0 < number <= 10**12:
            raise Unusable(f'it does not say how many "{fact}"')
        return number


class Known(NamedTuple):
    """The experiments and the claims that a notebook states; anything else in a file is not its."""

    experiments: set[str]
    claims: list[re.Pattern[str]]

    @staticmethod
    def of(number: str) -> "Known":
        source = "\n".join(cell.source for cell in code_cells(read(numbered(number))))
        text = r'\(\s*"((?:\\.|[^"\\])*)"'
        stated = re.findall("Claim.that" + text, source)
        return Known(
            set(re.findall("Trials.of" + text, source)),
            [re.compile(re.sub(r"%[^a-zA-Z]*[a-zA-Z]", ".+", re.escape(claim))) for claim in stated],
        )

    def claim(self, statement: str) -> bool:
        return any(claim.fullmatch(statement) for claim in self.claims)


def number(text: str, least: float, most: float) -> float:
    """A number of a plausible size."""
    try:
        value = float(text)
    except ValueError:
        raise Unusable(f'"{text[:20]}" stands where a number should') from None
    if not math.isfinite(value) or not least <= value <= most:
        raise Unusable(f"{text[:20]} is no plausible number")
    return value


def rows(file: Path) -> Iterator[list[str]]:
    """The rows of a file, as far as they can be what `Results.share` writes."""
    if file.is_symlink() or not file.is_file():
        raise Unusable("it is no file")
    if file.stat().st_size > BYTES:
        raise Unusable(f"it has {file.stat().st_size:,} bytes, and a real one has a few thousand")
    try:
        text = file.read_bytes().decode("utf-8-sig")
        table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except UnicodeDecodeError:
        raise Unusable("it is no text") from None
    except csv.Error:
        raise Unusable("it is no CSV") from None
    if not table or table[0] != COLUMNS:
        raise Unusable("its columns are not those that Results.share writes")
    if len(table) > ROWS:
        raise Unusable(f"it has {len(table):,} rows")
    for place, row in enumerate(table[1:], start=2):
        if len(row) != len(COLUMNS):
            raise Unusable(f"row {place} has {len(row)} fields instead of {len(COLUMNS)}")
        for field in row:
            if len(field) > LETTERS or re.search(r"[\x00-\x1f\x7f]", field):
                raise Unusable(f"row {place} holds what no result can be")
            if field[:1] in tuple("=+@") or (
                field[:1] == "-" and not re.fullmatch(r"-[\d.]+(E-?\d+)?", field)
            ):
                raise Unusable(f'row {place} holds "{field[:12]}…", which a spreadsheet would calculate')
        yield row


def machine(file: Path, known: Known) -> Machine:
    read_ = Machine({}, [], [])
    for what, name, contender, n, figure, value, words, held, margin in rows(file):
        if what == "machine":
            read_.facts[name] = words
        elif what == "figure" and name in known.experiments and value:
            if not contender.startswith(WORDS):
                raise Unusable(f'"{contender[:20]}" is neither platform nor virtual')
            size = number(n, 1, 10**9)
            read_.figures.append((name, contender, int(size), figure, number(value, 0, 10**12)))
        elif what == "claim" and known.claim(name):
            if held not in ("✔", "✘"):
                raise Unusable(f'"{held[:20]}" stands where ✔ or ✘ should')
            read_.claims.append((name, held == "✔", number(margin, 0, 10**9) if margin else math.nan))
        elif what not in ("figure", "claim"):
            raise Unusable(f'"{what[:20]}" stands where machine, figure or claim should')
    for fact in ("CPUs", "platform threads that fit", "virtual threads that fit"):
        read_.count(fact)
    if not read_.figures and not read_.claims:
        raise Unusable("it holds no result of this notebook")
    return read_


def collect(folder: Path, known: Known) -> tuple[list[Machine], list[str]]:
    """The machines of the files that can be used, and a sentence for each of the others."""
    found, told, seen = [], [], {}
    files = sorted(folder.rglob("*.csv"))
    for file in files[:FILES]:
        name = re.sub(r"[^\w.,/ -]", "?", file.relative_to(folder).as_posix())[:80]
        try:
            one = machine(file, known)
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            if content in seen:
                raise Unusable(f"it is the same as {seen[content]}")
            seen[content] = name
            found.append(one)
        except Unusable as why:
            told.append(f"{name} is left out: {why}.")
        except OSError as error:
            told.append(f"{name} is left out: it cannot be read ({error.strerror}).")
    if len(files) > FILES:
        told.append(f"Only the first {FILES:,} of {len(files):,} files were read.")
    return found, told


def write(machines: list[Machine], number_: str, told: list[str]) -> None:
    """The tables that the page draws from, in the columns of the course."""
    CLASS.mkdir(parents=True, exist_ok=True)

    def table(name: str, head: list[str], lines: Iterator[list]) -> None:
        with (CLASS / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([head, *lines])

    def kind(contender: str) -> str:
        return next(word for word in WORDS if contender.startswith(word))

    table(
        "results",
        ["experiment", "figure", "contender", "kind", "n", "trial", "value"],
        (
            [experiment, figure, contender, kind(contender), n, place, value]
            for place, one in enumerate(machines, start=1)
            for experiment, contender, n, figure, value in one.figures
        ),
    )
    table(
        "fits",
        ["contender", "kind", "n", "trial", "threads that fit"],
        (
            [word, word, one.count("CPUs"), place, one.count(f"{word} threads that fit")]
            for place, one in enumerate(machines, start=1)
            for word in ("platform", "virtual")
        ),
    )
    table(
        "machines",
        ["machine", "CPUs", "memory", "JDK", "platform threads that fit", "claims", "✘", "first ✘"],
        (
            [
                place,
                one.count("CPUs"),
                one.facts.get("memory", ""),
                one.facts.get("JDK", ""),
                one.count("platform threads that fit"),
                len(one.claims),
                sum(not held for _, held, _ in one.claims),
                next((claim for claim, held, _ in one.claims if not held), ""),
            ]
            for place, one in enumerate(machines, start=1)
        ),
    )
    judged: dict[str, list[tuple[bool, float]]] = {}
    for one in machines:
        for claim, held, margin in one.claims:
            judged.setdefault(claim, []).append((held, margin))
    table(
        "claims",
        ["claim", "machines", "✘", "margin used, median (%)", "margin used, most (%)"],
        (
            [claim, len(all_), sum(not held for held, _ in all_), *middle_and_most([m for _, m in all_])]
            for claim, all_ in judged.items()
        ),
    )
    heading = read(numbered(number_)).cells[0].source.splitlines()[0].removeprefix("# ")
    table(
        "about",
        ["what", "value"],
        iter([["notebook", heading], ["machines", len(machines)], ["files left out", len(told)]]),
    )


def middle_and_most(margins: list[float]) -> list[str]:
    finite = sorted(margin for margin in margins if math.isfinite(margin))
    return [f"{finite[len(finite) // 2]:.0f}", f"{finite[-1]:.0f}"] if finite else ["", ""]


def draw() -> Path:
    """Runs the page in the course's kernel."""
    out = [f"--output-dir={CLASS}", "--output=class"]
    jupyter = [sys.executable, "-m", "jupyter", "nbconvert", *out, "--to"]
    for command in (
        [*jupyter, "notebook", "--execute", str(PAGE)],
        [*jupyter, "html", "--no-input", str(CLASS / "class.ipynb")],
    ):
        ended = subprocess.run(
            command, env=os.environ | {"THREADLAB_CLASS": str(CLASS)}, capture_output=True, text=True
        )
        if ended.returncode:
            sys.exit(
                f"The page could not be drawn: {(ended.stderr.strip() or 'no reason given').splitlines()[-1]}"
            )
    return CLASS / "class.html"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--notebook", default="")
    asked = parser.parse_args()
    folder = Path(asked.folder)
    if not asked.folder or not folder.is_dir():
        sys.exit(f'There is no folder "{asked.folder}": make class DIR=folder names the one with the files.')
    number_ = asked.notebook or "00"
    machines, told = collect(folder, Known.of(number_))
    for line in told:
        print(line)
    if not machines:
        sys.exit(f'No file in {folder} can be used: each learner\'s Results.share("{number_}") writes one.')
    write(machines, number_, told)
    print(f"{len(machines)} machines on one page: {draw()}")


if __name__ == "__main__":
    main()
