"""Scores whatwaits on faults and on healthy services, and writes the table into its README: make score

Each call runs for some minutes what data/recorded/score.csv does not have yet, and says what is left; run it
again, on a quiet machine, until nothing is. Delete the file to begin anew.
"""

import argparse
import csv
import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from bootstrap.environment import choose_environment
from bootstrap.places import ROOT
from bootstrap.threadlab_build import maven
from bootstrap.train import with_servers

FILE = ROOT / "data/recorded/score.csv"
README = ROOT / "whatwaits/README.md"
BEGIN, END = "<!-- score -->", "<!-- end of score -->"
HEAD = """## Its score

One look of two seconds at each of these shops with a fault, whose seed came from the clock, and at
healthy services ([every row](../data/recorded/score.csv), [its columns](../data/README.md),
[the machine](../data/recorded/score.machine.csv)). Whoever made the tool made these faults: the score does
not know what it says of services that are not ours. *Without dumps* is the same look without its dump."""


def measure(minutes: int) -> None:
    """Runs the program, which lies with the tests: no notebook needs it."""
    subprocess.run([*maven(), "--quiet", "-pl", "whatwaits,threadlab", "test-compile"], cwd=ROOT, check=True)
    kernel = json.loads((choose_environment().kernel / "kernel.json").read_text(encoding="utf-8"))["argv"]
    # what is compiled here comes before what the last set-up has installed
    compiled = ["threadlab/target/test-classes", "threadlab/target/classes", "whatwaits/target/classes"]
    path = [*(str(ROOT / folder) for folder in compiled), with_servers(kernel[kernel.index("-cp") + 1])]
    command = [kernel[0], "-cp", os.pathsep.join(path), "threadlab.cases.Score", str(FILE), str(minutes)]
    subprocess.run(command, cwd=ROOT / "notebooks", check=True)


def share(rows: Iterable[dict[str, str]], column: str) -> str:
    """How many of them are right."""
    answers = [row[column] for row in rows]
    return f"{answers.count('yes')} of {len(answers)}"


def median(rows: Iterable[dict[str, str]], column: str) -> float:
    values = sorted(float(row[column]) for row in rows if row[column])
    return values[len(values) // 2] if values else float("nan")


def table(rows: list[dict[str, str]]) -> str:
    """The score as a table: a row for each fault, one for the healthy services, and what a look costs."""
    faults = [row for row in rows if row["what"] == "fault"]
    healthy = [row for row in rows if row["what"] == "healthy"]
    columns = ["found", "line right", "figure right", "without dumps: found", "without dumps: line right"]
    heads = ["found", "line right", "figure within 30 %", "found without dumps", "line without dumps"]
    lines = [f"| fault | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for name in sorted({row["name"] for row in faults}):
        of = [row for row in faults if row["name"] == name]
        lines.append(f"| {name} | {' | '.join(share(of, column) for column in columns)} |")
    lines.append(f"| all | {' | '.join(share(faults, column) for column in columns)} |")
    quiet, blind = share(healthy, "found"), share(healthy, "without dumps: found")
    idle = [row for row in healthy if row["name"] in ("idle", "consumers", "acceptors")]
    cost = median(idle, "CPU (ms)") - median(idle, "CPU without a look (ms)")
    lines += [
        "",
        f"Of the healthy services it accused nothing in {quiet}, without dumps in {blind}. Attaching took"
        f" {median(rows, 'attach (ms)'):.0f} ms (median), a look of 2 s took"
        f" {median(rows, 'look (ms)'):,.0f} ms, and cost an idle JVM {cost:.0f} ms of CPU"
        " time, with attaching (by `Jvm`, through management beans).",
    ]
    return "\n".join(lines)


def publish(file: Path, readme: Path) -> None:
    """Writes the score between its marks; nothing as long as nothing is recorded."""
    if not file.exists():
        return
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    head = HEAD.replace("\n", " ").replace("  ", "\n\n")
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    readme.write_text(f"{before}{BEGIN}\n\n{head}\n\n{table(rows)}\n\n{END}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=4, help="no case begins later than this")
    parser.add_argument("--table", action="store_true", help="run nothing, only write the table")
    asked = parser.parse_args()
    if not asked.table:
        measure(asked.minutes)
    publish(FILE, README)


if __name__ == "__main__":
    main()
