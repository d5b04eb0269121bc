"""Measures notebook 00's sleepers on this machine and draws them: data/recorded/00-sleepers.*

Runs inside the environment: make record. With --draw it draws what is recorded: make picture.
"""

import base64
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "notebooks/00-start-here.ipynb"
RUN = ROOT / "data/recorded/00-sleepers"

# The notebook's own cells measure; these keep what they measured and draw it from what was kept.
KEEP = """
measured.write().csv("../data/recorded/00-sleepers.csv");
Machine.here().table().write().csv("../data/recorded/00-sleepers.machine.csv");
"""
DRAW = """
Plots.timings(Table.read().csv("../data/recorded/00-sleepers.csv").setName("n tasks that each sleep 1 s"))
"""


def main() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    if "--draw" in sys.argv:
        notebook.cells = []
    else:
        last = next(i for i, cell in enumerate(notebook.cells) if cell.id == "compare")
        notebook.cells = [*notebook.cells[: last + 1], nbformat.v4.new_code_cell(KEEP)]
    notebook.cells.append(nbformat.v4.new_code_cell(DRAW))
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(NOTEBOOK.parent)}})
    client.execute()
    png = notebook.cells[-1].outputs[-1].data["image/png"]
    RUN.with_suffix(".png").write_bytes(base64.b64decode(png))
    print(notebook.cells[-1].outputs[-1].data["text/plain"])


if __name__ == "__main__":
    main()
