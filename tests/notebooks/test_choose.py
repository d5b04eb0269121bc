"""What notebook 16 decides by: each row names a cell that judges just that claim. Costs a second."""

import csv
import re

import pytest
from notebooks.runs import ROOT, numbered, read

CHOOSE = ROOT / "data/choose"


def rows(name: str) -> list[dict[str, str]]:
    with (CHOOSE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    "row", rows("decisions.csv") + rows("statements.csv"), ids=lambda row: f"{row['notebook']} {row['cell']}"
)
def test_a_row_names_the_cell_that_judges_its_claim(row: dict[str, str]) -> None:
    cells = {cell.id: cell.source for cell in read(ROOT / f"notebooks/{row['notebook']}.ipynb").cells}
    assert f'"{row["claim"]}"' in cells[row["cell"]]


def test_each_statement_links_to_the_cell_that_settles_it() -> None:
    [text] = [cell.source for cell in read(numbered("16")).cells if cell.id == "statements"]
    linked = re.findall(r"^(\d+)\. .*\((\d\d-[^)]+)\.ipynb#cell-id=([\w-]+)\)", text, re.MULTILINE)
    assert linked == [(row["number"], row["notebook"], row["cell"]) for row in rows("statements.csv")]
    assert len(linked) == 15
