"""Runs notebooks on this machine and keeps what they measured: data/recorded/NAME.csv and NAME.machine.csv

Runs inside the environment: make record, or make record RUN=04 for one notebook. Where there is a Go, it
also runs as many goroutines, beside 04. With --draw it draws the chart of the README from what is recorded:
make picture.
"""

import argparse
import base64
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
RECORDED = ROOT / "data/recorded"
PICTURE = RECORDED / "00-sleepers.png"
GOROUTINES = ROOT / "tools/goroutines.go"
SIZES, TRIALS = (10_000, 100_000, 1_000_000), 5
DRAW = """
Plots.timings(Table.read().csv("../data/recorded/00-sleepers.csv").setName("n tasks that each sleep 1 s"))
"""
KEEP = """
{variable}.write().csv("../data/recorded/{name}.csv");
Machine.here().table().write().csv("../data/recorded/{name}.machine.csv");
"""


class Run(NamedTuple):
    """A notebook, the scale to run it at, and the tables to keep of it: name in data/recorded → variable."""

    notebook: str
    scale: str
    tables: dict[str, str]


RUNS = [
    Run("00-start-here", "", {"00-sleepers": "measured"}),
    Run("04-scale-to-a-million", "full", {"04-sleepers": "trials", "04-cold": "cold", "04-memory": "memory"}),
    # on the Javas of this machine: name 26 and 27 in THREADLAB_JAVA
    Run("05-find-what-pins", "", {"05-newcomers": "newcomers"}),
]


def execute(cells: list[nbformat.NotebookNode], scale: str = "") -> None:
    notebook = nbformat.v4.new_notebook(cells=cells)
    os.environ["THREADLAB_SCALE"] = scale
    folder = {"metadata": {"path": str(NOTEBOOKS)}}
    NotebookClient(notebook, kernel_name="java", timeout=1_200, resources=folder).execute()
    cells[:] = notebook.cells


def record(run: Run) -> None:
    """Executes the notebook's own cells up to the last one that measures a table to keep."""
    print(f"Recording {run.notebook} …", flush=True)
    cells = nbformat.read(NOTEBOOKS / f"{run.notebook}.ipynb", as_version=4).cells
    measuring = re.compile(rf"^(var|Table) ({'|'.join(run.tables.values())}) =", re.MULTILINE)
    last = max(
        i for i, cell in enumerate(cells) if cell.cell_type == "code" and measuring.search(cell.source)
    )
    keep = "".join(KEEP.format(name=name, variable=variable) for name, variable in run.tables.items())
    execute([*cells[: last + 1], nbformat.v4.new_code_cell(keep)], run.scale)


def goroutines() -> None:
    """Runs the Go program at the sizes of 04 that both reach, on the same machine right after it."""
    go = shutil.which("go")
    if go is None:
        print("There is no Go here, so the goroutines in data/recorded stay as they are.")
        return
    print("Recording goroutines …", flush=True)
    rows: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "goroutines")
        subprocess.run([go, "build", "-o", program, GOROUTINES], check=True)
        for n in SIZES:
            run = subprocess.run([program, str(n), str(TRIALS)], check=True, capture_output=True, text=True)
            header, *trials = run.stdout.splitlines()
            rows += trials
    (RECORDED / "04-goroutines.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")


def draw() -> None:
    cells = [nbformat.v4.new_code_cell(DRAW)]
    execute(cells)
    picture = cells[0].outputs[-1].data
    PICTURE.write_bytes(base64.b64decode(picture["image/png"]))
    print(picture["text/plain"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "run", nargs="?", default="", help="the number of the one notebook to record, such as 04"
    )
    parser.add_argument("--draw", action="store_true", help="only draw the chart of the README")
    arguments = parser.parse_args()
    if not arguments.draw:
        chosen = [run for run in RUNS if run.notebook.startswith(arguments.run)]
        if not chosen:
            numbers = ", ".join(run.notebook[:2] for run in RUNS)
            parser.exit(2, f'no run begins with "{arguments.run}": choose one of {numbers}\n')
        for run in chosen:
            record(run)
            if run.notebook.startswith("04"):
                goroutines()
    draw()


if __name__ == "__main__":
    main()
