"""Runs notebooks at their usual sizes; says how often each claim broke and how much of its margin it used.

Runs inside the environment: make claims N=5, or make claims N=20 NB=05 for one notebook. The judged claims,
also those of make test-all, are kept in build/claims.csv and count while the notebook is unchanged. The time
of Run All is kept in data/recorded/run-all.csv, for the minutes that a lesson states.
"""

import argparse
import csv
import hashlib
import os
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import nbformat
from notebooks.form import RUN_ALL, lesson
from notebooks.runs import DIVES, NOTEBOOKS, ROOT, Run, Session, errors, load, numbered, read, short

KEPT = ROOT / "build/claims.csv"
EXECUTED = ROOT / "build/executed"
TIGHT = "tight"  # the note that Claims.table() gives a claim that another run may break
LOOSE, UNUSED = 10, 1  # % of what a claim allows
NEAR, FAR = 1.5, 100  # times the measured value: a bound that a run may reach, and one that no run will
ENOUGH = 5  # runs that show how much a figure varies


class Judged(NamedTuple):
    """A claim as one run judged it.

    `margin` is the share of the allowed margin that the measurement used, in %; infinite if there is none.
    """

    when: str
    notebook: str
    text: str
    claim: str
    held: bool
    value: str
    bound: str
    margin: float
    note: str

    @property
    def distance(self) -> float:
        """The ratio of bound and measured value, the larger to the smaller; 1 if one of them is 0."""
        found = re.match(r"at (most|least) (-?[\d.]+(?:E-?\d+)?)", self.bound.replace(",", ""))
        if not found:
            return 1
        bound, value = float(found[2]), float(self.value)
        larger, smaller = (bound, value) if found[1] == "most" else (value, bound)
        return larger / smaller if smaller > 0 else 1


def could_fail(rows: list[Judged]) -> bool:
    """Whether these runs of a claim came near its bound, so that it is informative.

    They did if they used 1 % of its margin, or if 1.5 times as much (or as little) would have broken it. A
    figure that is the same in every run needs no margin. "At least 1" only asks whether there is any.
    """
    near = any(row.margin >= UNUSED or row.distance <= NEAR for row in rows)
    if near or rows[0].bound == "at least 1":
        return True
    varies = len({row.value for row in rows}) > 1
    return min(row.distance for row in rows) <= FAR and not (varies and len(rows) >= ENOUGH)


def fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def measure(path: Path, then: Callable[[Session], object] = lambda _: None) -> tuple[Run, list[Judged]]:
    """Runs a notebook once in a kernel of its own, then whatever else the kernel should do."""
    session = Session(path)
    when = time.strftime("%Y-%m-%dT%H:%M:%S")
    with session.kernel():
        run = session.run_all()
        judged = []
        for row in session.claims():
            held, margin = row["held"] == "✔", float(row["margin used (%)"] or "inf")
            figures = row["claim"], held, row["value"], row["bound"], margin, row["note"]
            judged.append(Judged(when, path.stem, fingerprint(path), *figures))
        # the page of a notebook's results names the machine
        run.notebook.metadata["threadlab"] = {"when": when, "machine": session.machine()}
        then(session)
    return run, judged


def keep(path: Path, run: Run) -> None:
    """Keeps a notebook with its outputs."""
    EXECUTED.mkdir(parents=True, exist_ok=True)
    nbformat.write(run.notebook, EXECUTED / path.name)


def stored() -> list[dict[str, str]]:
    """The rows of the file; none if it still has the columns of an earlier version."""
    rows = load(KEPT)
    return rows if rows and tuple(rows[0]) == Judged._fields else []


def append(judged: list[Judged]) -> None:
    """Adds claims to the kept ones."""
    KEPT.parent.mkdir(exist_ok=True)
    new = not stored()
    with KEPT.open("w" if new else "a", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        if new:
            rows.writerow(Judged._fields)
        rows.writerows(judged)


def executed(path: Path, run: bool = True) -> nbformat.NotebookNode:
    """A notebook with its outputs; a changed one first runs alone, if `run` allows it."""
    kept = EXECUTED / path.name
    if kept.is_file():
        notebook = read(kept)
        same = [cell.source for cell in notebook.cells] == [cell.source for cell in read(path).cells]
        if (same and "threadlab" in notebook.metadata) or not run:
            if not same:
                print(f"{path.name} has changed since it was executed: the older results are shown.")
            return notebook
    if not run:
        sys.exit(f"{path.name} has not been executed: run make site without EXECUTED=1.")
    print(f"Running {path.stem} …", flush=True)
    ran, judged = measure(path)
    append(judged)
    keep(path, ran)
    if failed := errors(ran.notebook):
        sys.exit(f"{path.name} did not run to the end: {failed[0]}")
    return ran.notebook


def kept() -> list[Judged]:
    """The kept claims of the notebooks' current versions."""
    now = {path.stem: fingerprint(path) for path in [*NOTEBOOKS, *DIVES]}
    rows = (
        Judged(**row | {"held": row["held"] == "True", "margin": float(row["margin"])}) for row in stored()
    )
    return [row for row in rows if now.get(row.notebook) == row.text]


def table(judged: list[Judged]) -> str:
    """For each claim how often it broke and its smallest and largest margin; those to check are marked."""
    claims: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for row in judged:
        claims[row.notebook, row.claim].append(row)
    lines = ["broke   of  margin, %      claim (bound)"]
    for (notebook, claim), rows in sorted(claims.items()):
        margins = [row.margin for row in rows]
        broke = sum(not row.held for row in rows)
        tight = TIGHT if any(row.note == TIGHT for row in rows) else ""
        mark = "✘" if broke else tight or ("loose" if max(margins) < LOOSE else "")
        exact = all(margin == 0 for margin in margins)
        lines.append(
            f"{broke:5} {len(rows):4}  {min(margins):4.0f} – {max(margins):<4.0f} {'' if exact else mark:6}"
            f"{short(notebook)} {claim} ({rows[-1].bound})"
        )
    runs = max(len(rows) for rows in claims.values()) if claims else 0
    broke = sum(not row.held for row in judged)
    lines.append(f"{len(claims)} claims, up to {runs} runs: broken in {broke} of {len(judged)} judgements")
    return "\n".join(lines)


def record_seconds(seconds: dict[Path, list[float]]) -> None:
    """Records the median time of Run All of each notebook that ran."""
    rows = {row["lesson"]: row for row in load(RUN_ALL)}
    for path, took in seconds.items():
        told = {"seconds": f"{statistics.median(took):.0f}", "CPUs": f"{os.cpu_count()}"}
        rows[lesson(path)] = {"lesson": lesson(path)} | told
    with RUN_ALL.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["lesson", "seconds", "CPUs"], lineterminator="\n")
        table.writeheader()
        table.writerows(row for _, row in sorted(rows.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="?", type=int, default=5, help="how often; 0 shows what is kept")
    parser.add_argument("--notebook", default="", help="the number of one notebook, such as 05")
    asked = parser.parse_args()
    if not 0 <= asked.runs <= 1_000:
        parser.exit(2, f"{asked.runs} runs are out of range: N must be from 0 to 1000\n")
    paths = [numbered(asked.notebook)] if asked.notebook else [*NOTEBOOKS, *DIVES]
    seconds: dict[Path, list[float]] = defaultdict(list)
    for number in range(1, asked.runs + 1):
        for path in paths:
            run, judged = measure(path)
            append(judged)
            keep(path, run)
            seconds[path].append(run.total)
            broke = [claim.claim for claim in judged if not claim.held]
            done = f"run {number} of {asked.runs}, {short(path.stem)}: {run.told()}"
            print(done, *broke, sep="\n   ✘ ", flush=True)
            for error in errors(run.notebook):
                print(error)
    record_seconds(seconds)
    print(table([row for row in kept() if row.notebook in {path.stem for path in paths}]))


if __name__ == "__main__":
    main()
