"""Tables: the statements of notebook 16, the experiments of the articles, what pins. Takes a second."""

import re

import pytest
from notebooks.runs import DIVES, NOTEBOOKS, ROOT, code_cells, load, numbered, read

CHOOSE = ROOT / "data/choose"


def rows(name: str) -> list[dict[str, str]]:
    return load(CHOOSE / name)


@pytest.mark.parametrize("row", rows("statements.csv"), ids=lambda row: f"{row['notebook']} {row['cell']}")
def test_a_row_names_the_cell_that_judges_its_claim(row: dict[str, str]) -> None:
    cells = {cell.id: cell.source for cell in read(ROOT / f"notebooks/{row['notebook']}.ipynb").cells}
    assert f'"{row["claim"]}"' in cells[row["cell"]]


def test_each_statement_links_to_the_cell_that_settles_it() -> None:
    [text] = [cell.source for cell in read(numbered("16")).cells if cell.id == "statements"]
    linked = re.findall(r"^(\d+)\. .*\((\d\d-[^)]+)\.ipynb#cell-id=([\w-]+)\)", text, re.MULTILINE)
    assert linked == [(row["number"], row["notebook"], row["cell"]) for row in rows("statements.csv")]
    assert len(linked) == 15


def test_each_defect_has_a_number_and_a_source_and_the_page_that_decides_names_the_table() -> None:
    table = load(ROOT / "data/defects/hangs.csv")
    for row in table:
        assert None not in row and row["in"] and row["what happens"], row
        number = r"JDK-\d{7}" if row["in"] == "Java" else r"[\w-]+#\d+"
        assert re.fullmatch(number, row["number"]), row
        assert re.fullmatch(r"https://github\.com/\S+( https://github\.com/\S+)*", row["source"]), row
        assert re.search(r": (not )?repaired|not checked|measured", row["read"]), row
    order = [(row["in"] != "Java", row["number"]) for row in table]
    assert order == sorted(set(order)), "Java first, each number once"
    assert "data/defects/hangs.csv" in (ROOT / "notebooks/decide.md").read_text()


def test_every_experiment_of_the_five_articles_has_its_cells() -> None:
    cells = {
        f"{re.sub(r'^[0-9]+-', '', path.stem)}#{cell.id}"
        for path in [*NOTEBOOKS, *DIVES]
        for cell in read(path).cells
    }
    experiments = load(ROOT / "data/published/experiments.csv")
    assert len({row["article"] for row in experiments}) == 5
    named = [(row["experiment"], cell) for row in experiments for cell in row["cells"].split()]
    assert [(experiment, cell) for experiment, cell in named if cell not in cells] == []


# --- what pins, beyond the claims of notebook 07 ---

PROGRAMS = ROOT / "notebooks" / "programs"
HOLDS = ROOT / "data/pinning/holds-a-carrier.csv"
WAYS = re.findall(r'case "(.+?)" ->', (PROGRAMS / "Newcomer.java").read_text())


def test_the_table_knows_the_ways_of_the_program_and_no_others_and_the_notebook_measures_all() -> None:
    table = load(HOLDS)
    of_newcomer = {row["what"] for row in table if row["program"] == "Newcomer.java"}
    assert of_newcomer == set(WAYS) - {"sleep"}
    groups = [cell.source for cell in code_cells(read(numbered("07"))) if "= behind(" in cell.source]
    assert set(WAYS) <= set(re.findall('"(.+?)"', " ".join(groups)))
    for row in table:
        assert all(row[column] for column in row if column != "until"), row
        assert (PROGRAMS / row["program"]).is_file()
        assert re.fullmatch(r"JEP \d{3}|JDK-\d{7}|measured", row["source"]), row
        assert not row["until"] or int(row["from"]) <= int(row["until"]), row


def test_the_recorded_run_met_what_the_table_says() -> None:
    held = [row for row in load(HOLDS) if row["carrier"] == "held"]
    for row in load(ROOT / "data/recorded/07-newcomers.csv"):
        of = [hold for hold in held if row["kind"] == "virtual" and hold["what"] == row["what"]]
        said = any(int(hold["from"]) <= int(row["java"]) <= int(hold["until"] or 99) for hold in of)
        assert abs(int(row["newcomer waits (ms)"]) - 400 * said) <= 100, row
