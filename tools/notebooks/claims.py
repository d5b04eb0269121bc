"""Runs lessons on a quiet machine, and records what each said of its claims: data/recorded/claims.csv.

Runs inside the environment: make claims N=5, or make claims N=5 NB=05 SIZE=usual for one lesson at one size.
Each lesson runs alone, N times at its usual sizes and three times with what Binder gives. A run whose claims
could not all be judged, because something else used the CPUs, is repeated. What ran is kept in
build/claims.csv, so a stopped recording goes on where it was.
"""

import argparse
import csv
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import nbformat
from notebooks import recorded
from notebooks.recorded import RUN_ALL, SIZES, Row, code, kind, library, position
from notebooks.runs import (
    DIVES,
    NOTEBOOKS,
    ROOT,
    Run,
    Session,
    answers,
    code_cells,
    errors,
    load,
    numbered,
    read,
    records,
    short,
)

KEPT = ROOT / "build/claims.csv"
EXECUTED = ROOT / "build/executed"
SMALL = ROOT / "build/executed-small"  # by make test-all
AGAIN = 2  # how many runs more, if the claims of some could not be judged


class Judged(NamedTuple):
    """A claim as one run judged it; `margin` is the share that it used, in %, infinite if there is none."""

    when: str
    size: str
    lesson: str
    code: str
    library: str
    machine: str
    claim: str
    held: str
    value: float
    bound: str
    margin: float


def stamp(session: Session, run: Run) -> dict:
    """Notes in a notebook what its page says of its results: when, on which machine, with which code."""
    when, own = time.strftime("%Y-%m-%dT%H:%M:%S"), {"code": code(session.path), "library": library()}
    run.notebook.metadata["threadlab"] = {"when": when, "machine": session.machine(), **own}
    return run.notebook.metadata["threadlab"]


def judged(session: Session, run: Run, size: str) -> list[Judged]:
    """What a kernel has said of its claims, and how long Run All took."""
    stamped = stamp(session, run)
    of = {row["what"]: row["value"] for row in stamped["machine"]}
    about = f"{of['CPUs']}, {of['memory']}, Java {of['JDK'].split()[-1]}"
    begin = (stamped["when"], size, session.path.stem, stamped["code"], stamped["library"], about)
    found = [Judged(*begin, RUN_ALL, "✔", run.total, "", 0)]
    for row in session.claims():
        figures = float(row["measured"] or "nan"), row["bound"], float(row["margin used (%)"] or "inf")
        found.append(Judged(*begin, row["claim"], row["held"], *figures))
    return found


def measure(path: Path, size: str) -> tuple[Run, list[Judged]]:
    """Runs a lesson alone in a kernel of its own, then answers the exercises whose checks measure time."""
    session = Session(path, cpu=0 if size == "binder" else None)
    with session.kernel():
        run = session.run_all()
        found = judged(session, run, size)
        begin = found[0][:6]
        for check, mark, answer, shown in answers(session, timed=True):
            right = mark in shown
            claim = f"exercise {check}: {'its solution holds' if mark == '✔' else 'refused: ' + answer}"
            held, value, margin = ("✔", 1.0, 0.0) if right else ("✘", 0.0, float("inf"))
            found.append(Judged(*begin, claim, held, value, "exactly 1", margin))
    return run, found


def append(found: Iterable[Judged]) -> None:
    """Adds what a run said; two workers may write side by side, each in one piece."""
    KEPT.parent.mkdir(exist_ok=True)
    if not KEPT.exists():
        KEPT.write_text(",".join(Judged._fields) + "\n")
    with KEPT.open("a", encoding="utf-8", newline="", buffering=1 << 20) as file:
        csv.writer(file).writerows(found)


def kept(path: Path, size: str) -> list[list[Judged]]:
    """The kept runs of a lesson's present code, judged by the present library."""
    runs: dict[str, list[Judged]] = defaultdict(list)
    for one in records(Judged, KEPT):
        if one[1:5] == (size, path.stem, code(path), library()):
            runs[one.when].append(one)
    return list(runs.values())


def keep(path: Path, run: Run, folder: Path = EXECUTED) -> None:
    """Keeps a notebook with its outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(run.notebook, folder / path.name)


def fresh(path: Path) -> nbformat.NotebookNode | None:
    """The stored notebook with the outputs that are kept, if its code and the library are still the same.

    New words cost no run, nor does a file that is newer but says the same.
    """
    file = EXECUTED / path.name
    if not file.is_file():
        return None
    ran = read(file)
    stamp = ran.metadata.get("threadlab", {})
    if (stamp.get("code"), stamp.get("library")) != (code(path), library()):
        return None
    stored, cells = read(path), {cell.id: cell for cell in code_cells(ran)}
    for cell in code_cells(stored):
        cell.outputs, cell.execution_count = cells[cell.id].outputs, cells[cell.id].execution_count
    stored.metadata = ran.metadata
    return stored


def executed(path: Path, run: bool = True) -> nbformat.NotebookNode:
    """A notebook with its outputs; one whose code has changed first runs alone.

    Unless `run`: then it is as it was when it last ran, or, if it never did, as it is stored.
    """
    if kept := fresh(path):
        return kept
    if not run:
        return read(file if (file := EXECUTED / path.name).is_file() else path)
    print(f"Running {path.stem} …", flush=True)
    ran, found = measure(path, "usual")
    append(found)
    if failed := errors(ran.notebook):
        sys.exit(f"{path.name} did not run to the end: {failed[0]}")
    keep(path, ran)
    return ran.notebook


# --- the record ---


def unjudged(run: list[Judged]) -> bool:
    return any(one.held == "≈" for one in run)


def rows(runs: list[list[Judged]]) -> list[Row]:
    """The rows of the record for the runs of one lesson at one size."""
    claims: dict[str, list[Judged]] = defaultdict(list)
    for one in (one for run in runs for one in run):
        claims[one.claim].append(one)
    return [row(found) for found in claims.values()]


def row(found: list[Judged]) -> Row:
    *_, last = found
    good = [one for one in found if one.held != "≈"] or found
    places = [position(one.value, one.bound) for one in good if one.bound]
    spread = max(places) - min(places) if places and last.margin != float("inf") else 0
    return Row(
        *(last.size, last.lesson, last.code, last.library, last.claim),
        *(kind(last.bound) if last.bound else "time", last.bound, len(found)),
        held=sum(one.held == "✔" for one in found),
        unjudged=sum(one.held == "≈" for one in found),
        value=statistics.median(one.value for one in good),
        worst=max(one.margin for one in good),
        spread=spread,
        machine=last.machine,
        date=last.when,
    )


def put(new: list[Row]) -> None:
    """Puts the rows of one lesson at one size into the record, in place of what it had."""
    recorded.write([*(one for one in recorded.rows() if one[:2] != new[0][:2]), *new])


def confirmed(old: list[Row], run: list[Judged]) -> bool:
    """Whether a run under a changed library says what the record says; then it names that library."""
    held = {one.claim for one in run if one.held == "✔"}
    if not all(row.held == 0 or row.claim in held for row in old):
        return False
    rest = [row for row in recorded.rows() if row[:2] != old[0][:2]]
    recorded.write([*rest, *(row._replace(library=library(), date=run[0].when) for row in old)])
    return True


def record(path: Path, size: str, wanted: int, measure: Callable = measure) -> None:
    """Runs a lesson as often as its record still needs, and puts each run into the record."""
    old = [row for row in recorded.rows() if row[:2] == (size, path.stem)]
    runs = kept(path, size)
    fresh = bool(old) and all(row.code == code(path) for row in old)
    if fresh and all(row.library == library() and row.judged >= wanted for row in old):
        return
    confirms = fresh and not runs and min(row.judged for row in old) >= wanted
    while sum(not unjudged(run) for run in runs) < wanted and len(runs) < wanted + AGAIN:
        ran, found = measure(path, size)
        append(found)
        runs.append(found)
        if size == "usual":
            keep(path, ran)
        broke = [one.claim for one in found if one.held == "✘"]
        print(f"{size}, {short(path.stem)}, run {len(runs)}: {ran.told()}", *broke, sep="\n   ✘ ", flush=True)
        for error in errors(ran.notebook):
            print(error)
        if confirms and len(runs) == 1 and confirmed(old, found):
            return
        put(rows(runs))
    if runs:
        put(rows(runs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="?", type=int, default=SIZES["usual"], help="how often")
    parser.add_argument("--notebook", default="", help="the number of one lesson, such as 05")
    parser.add_argument("--size", default="", choices=["", *SIZES])
    asked = parser.parse_args()
    if not 0 <= asked.runs <= 100:
        parser.exit(2, f"{asked.runs} runs are out of range: N must be from 0 to 100\n")
    paths = [numbered(asked.notebook)] if asked.notebook else [*NOTEBOOKS, *DIVES]
    for path in paths:
        for size, most in SIZES.items():
            if asked.size in ("", size):
                record(path, size, min(asked.runs, most))
    found = recorded.rows()
    print(*recorded.told(recorded.due(found)), *recorded.problems(found, load(recorded.KNOWN)), sep="\n")


if __name__ == "__main__":
    main()
