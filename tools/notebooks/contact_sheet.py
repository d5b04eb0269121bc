"""Puts all charts of the last make claims on one page, build/contact-sheet.html: make contact-sheet [NB=05]

A notebook that has changed since then is run first.
"""

import argparse

from nbconvert import HTMLExporter
from nbformat.v4 import new_markdown_cell, new_notebook
from notebooks.claims import executed
from notebooks.runs import DIVES, NOTEBOOKS, ROOT, code_cells, numbered

SHEET = ROOT / "build/contact-sheet.html"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--notebook", default="")
    number = parser.parse_args().notebook
    sheet, count = new_notebook(), 0
    for path in [numbered(number)] if number else [*NOTEBOOKS, *DIVES]:
        for cell in code_cells(executed(path)):
            cell.outputs = [output for output in cell.outputs if "image/png" in output.get("data", {})]
            count += len(cell.outputs)
            if cell.outputs:
                sheet.cells += [new_markdown_cell(f"{path.stem}: {cell.id}"), cell]
    page, _ = HTMLExporter(exclude_input=True).from_notebook_node(sheet)
    SHEET.write_text(page, encoding="utf-8")
    print(f"{count} charts: {SHEET}")


if __name__ == "__main__":
    main()
