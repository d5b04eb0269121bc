"""The ledger of the redesign: nothing that the old course shows disappears unnoticed. Takes some seconds.

A row of ledger.csv is a claim of the notebooks, an item that must not be lost, or an experiment of one of the
five articles; `fate` says what becomes of it. A claim is found by its cell's id and its words, in any
notebook, and a lesson by the words of its file name, because numbers change. Run as a program, this prints
what is left to do.
"""

import csv
import io
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest
from notebooks.runs import ROOT, code_cells, read

LEDGER = Path(__file__).with_name("ledger.csv")
OLD = {"claim": 274, "keep": 24, "experiment": 34}  # what the sixteen notebooks had
GONE = ("merged", "dropped")  # their claims need not be in a notebook
FATES = ("kept", "moved", "sharpened", "new", *GONE)
FIRST_LITERAL = re.compile(r'Claim\.(?:that|printed)\(\s*"((?:[^"\\]|\\.)*)"')

SHARPENED = "Put its new words into `what`, sharpened into `fate`, its old words and why into `reason`"
LEFT = "Put merged or dropped into `fate`, and why into `reason`"


class Claim(NamedTuple):
    """A claim in a notebook; its words are the first literal in the cell."""

    notebook: str
    cell: str
    words: str


def words(stem: str) -> str:
    """The name of a lesson without its number."""
    return re.sub(r"^\d\d-", "", stem)


FOLDER = ROOT / "notebooks"
STEMS = {
    path.relative_to(FOLDER).with_suffix("").as_posix(): read(path)
    for path in sorted([*FOLDER.glob("*.ipynb"), *FOLDER.glob("deeper/*.ipynb")])
}
JUDGING = [  # a solution repeats the claim of its exercise
    (stem, cell)
    for stem, notebook in STEMS.items()
    for cell in code_cells(notebook)
    if "solution" not in cell.metadata.get("tags", [])
]
CLAIMS = [Claim(stem, cell.id, text) for stem, cell in JUDGING for text in FIRST_LITERAL.findall(cell.source)]
HOLDERS: dict[str, list[str]] = defaultdict(list)  # the notebooks that have a cell, by its id
for stem, notebook in STEMS.items():
    for cell in notebook.cells:
        HOLDERS[cell.id].append(words(stem))


class Row(NamedTuple):
    """A line of the ledger.

    `cell` has ids of cells, with `words-of-the-notebook#` before one that several notebooks have, and files.
    """

    line: int
    kind: str
    what: str
    cell: str
    old: str
    lesson: str
    place: str
    fate: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line} ({self.what})"

    def found(self) -> list[Claim]:
        """The course's claims that belong to this row."""
        notebook, _, cell = self.cell.rpartition("#")
        return [
            claim
            for claim in CLAIMS
            if claim[1:] == (cell, self.what) and notebook in ("", words(claim.notebook))
        ]


with LEDGER.open(encoding="utf-8", newline="") as file:
    table = csv.DictReader(file)
    ROWS = [Row(table.line_num, **row) for row in table]


def none_of(faults: list[str]) -> None:
    if faults:
        pytest.fail("\n".join([f"tests/notebooks/{LEDGER.name}", *faults]), pytrace=False)


def test_every_claim_of_the_notebooks_stands_in_the_ledger() -> None:
    faults = [
        f"{stem}, {cell.id}: each `Claim.that(` or `Claim.printed(` is followed by its words, in quotes"
        for stem, cell in JUDGING
        if len(re.findall(r"Claim\.(?:that|printed)\(", cell.source))
        != len(FIRST_LITERAL.findall(cell.source))
    ]
    known = {claim for row in ROWS if row.kind == "claim" for claim in row.found()}
    for claim in CLAIMS:
        if claim in known:
            continue
        faults.append(f"{claim.notebook}, {claim.cell}: “{claim.words}” has no row.")
        for row in ROWS:
            if row.kind == "claim" and row.what == claim.words:
                faults.append(f"  Is it {row}? Put {claim.cell} into its `cell`.")
            elif row.kind == "claim" and row.cell.rpartition("#")[2] == claim.cell and not row.found():
                faults.append(f"  Is it {row}? {SHARPENED}.")
        line = io.StringIO()
        csv.writer(line).writerow(["claim", claim.words, claim.cell, "", claim.notebook, "core", "new", ""])
        faults.append(f"  Is it new? Then add: {line.getvalue().strip()}")
    none_of(faults)


def test_what_the_ledger_keeps_is_in_the_notebooks() -> None:
    faults = []
    for row in ROWS:
        if row.fate in GONE:
            continue
        if row.kind == "claim":
            if not row.found():
                faults.append(f"{row} is in no notebook. Other words? {SHARPENED}. Given up? {LEFT}.")
            continue
        for place in row.cell.split():
            notebook, _, name = place.rpartition("#")
            holders = HOLDERS.get(name, [])
            if not (ROOT / place).exists() if re.search("[/.]", name) else not holders:
                faults.append(
                    f"{row}: there is no {place}. Name in `cell` what shows it now. Nothing? {LEFT}."
                )
            elif notebook and notebook not in holders:
                faults.append(f"{row}: {name} is in {' and '.join(holders)} now: write {holders[0]}#{name}.")
    none_of(faults)


def test_a_row_says_why_and_none_is_deleted() -> None:
    faults = [f"{row}: its `fate` is one of {', '.join(FATES)}" for row in ROWS if row.fate not in FATES]
    faults += [
        f"{row}: {row.fate} needs a reason"
        for row in ROWS
        if row.fate in ("sharpened", *GONE) and not row.reason
    ]
    faults += [
        f"{row}: its `place` is core, more or empty" for row in ROWS if row.place not in ("core", "more", "")
    ]
    names = {row.lesson[:2]: row.lesson for row in ROWS if row.lesson[:1].isdigit()}
    faults += [
        f"{row}: is its `lesson` {names.get(row.lesson[:2], 'one of deeper/')}?"
        for row in ROWS
        if row.lesson not in ("", names.get(row.lesson[:2])) and not row.lesson.startswith("deeper/")
    ]
    of_old = Counter(row.kind for row in ROWS if row.old or row.kind != "claim")
    faults += [
        f"{of_old[kind]} rows of kind {kind}, and the old course had {count}: a row stays. {LEFT}."
        for kind, count in OLD.items()
        if of_old[kind] != count
    ]
    none_of(faults)


def test_a_row_means_one_cell() -> None:
    faults = [
        f"{row} is in {' and '.join(claim.notebook for claim in row.found())}: give one of them other words"
        for row in ROWS
        if row.kind == "claim" and len(row.found()) > 1
    ]
    faults += [
        f"{row}: several notebooks have a cell {name}; write words-of-the-notebook#{name}"
        for row in ROWS
        if row.kind != "claim" and row.fate not in GONE
        for name in row.cell.split()
        if len(HOLDERS.get(name, [])) > 1
    ]
    twice = Counter(row[1:4] for row in ROWS)
    faults += [f"{row} stands there twice" for row in ROWS if twice[row[1:4]] > 1]
    none_of(faults)


if __name__ == "__main__":
    for row in ROWS:
        for claim in row.found() if row.kind == "claim" else []:
            if row.fate in GONE:
                print(f"{row}: {row.fate}, and still in {claim.notebook}")
            elif words(claim.notebook) != words(row.lesson):
                print(f"{row}: from {claim.notebook} to {row.lesson}")
        if row.reason.startswith("to sharpen"):
            print(f"{row}: {row.reason}")
