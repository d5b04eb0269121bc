"""Puts all charts of the course on one page, build/contact-sheet.html, to look at each for three seconds.

Runs inside the environment: make contact-sheet, with NB=05 for the charts of one notebook. They are those of
the last make test-all or make claims; a notebook that has not been run since it was changed runs first.
"""

import argparse
import html
from pathlib import Path

import nbformat

from notebooks.claims import EXECUTED, keep, measure
from notebooks.runs import NOTEBOOKS, ROOT, code_cells, numbered, read

SHEET = ROOT / "build/contact-sheet.html"
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>All charts</title>
<style>
body {{ font: 14px sans-serif; display: grid; gap: 16px }}
body {{ grid-template-columns: repeat(auto-fill, minmax(420px, 1fr)) }}
h2 {{ grid-column: 1 / -1; margin: 8px 0 }}
figure {{ margin: 0 }}
img {{ width: 100%; border: 1px solid #ccc }}
</style>
{charts}
</html>
"""


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with its outputs, of a run since it was changed."""
    kept = EXECUTED / path.name
    sources = [cell.source for cell in read(path).cells]
    if not kept.is_file() or [cell.source for cell in read(kept).cells] != sources:
        print(f"Running {path.stem} …", flush=True)
        keep(path, measure(path)[0])
    return read(kept)


def figures(notebook: nbformat.NotebookNode) -> list[str]:
    """Each chart with the id of its cell."""
    found = []
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if png := output.get("data", {}).get("image/png"):
                alt = html.escape(output.metadata["image/png"]["alt"], quote=True)
                image = f'<img src="data:image/png;base64,{png}" alt="{alt}">'
                found.append(f"<figure>{image}<figcaption>{cell.id}</figcaption></figure>")
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--notebook", default="")
    number = parser.parse_args().notebook
    charts = []
    for path in [numbered(number)] if number else NOTEBOOKS:
        charts += [f"<h2>{path.stem}</h2>", *figures(executed(path))]
    SHEET.write_text(PAGE.format(charts="\n".join(charts)), encoding="utf-8")
    print(f"{sum(chart.startswith('<figure') for chart in charts)} charts: {SHEET}")


if __name__ == "__main__":
    main()
