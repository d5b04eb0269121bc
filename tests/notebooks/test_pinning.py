"""The programs of notebook 07, beyond its claims, which say what pins on which Java and what is seen of it.

Takes a second.
"""

import re

from bootstrap.places import ROOT
from notebooks.runs import code_cells, load, numbered, read

PROGRAMS = ROOT / "notebooks" / "programs"
HOLDS = ROOT / "data/pinning/holds-a-carrier.csv"
WAYS = re.findall(r'case "(.+?)" ->', (PROGRAMS / "Newcomer.java").read_text())


def test_the_table_knows_the_ways_of_the_program_and_no_others_and_the_notebook_measures_all() -> None:
    table = load(HOLDS)
    of_newcomer = {row["what"] for row in table if row["program"] == "Newcomer.java"}
    assert of_newcomer == set(WAYS) - {"sleep"}
    [cell] = [cell for cell in code_cells(read(numbered("07"))) if cell.id == "newcomer-ways"]
    assert set(WAYS) <= set(re.findall('"(.+?)"', cell.source))
    for row in table:
        assert all(row[column] for column in row if column != "until"), row
        assert (PROGRAMS / row["program"]).is_file()
        assert re.fullmatch(r"JEP \d{3}|JDK-\d{7}|measured", row["source"]), row
        assert not row["until"] or int(row["from"]) <= int(row["until"]), row


def test_the_recorded_run_met_what_the_table_says() -> None:
    held = [row for row in load(HOLDS) if row["carrier"] == "held"]
    for row in load(ROOT / "data/recorded/07-newcomers.csv"):
        said = any(
            row["kind"] == "virtual"
            and hold["what"] == row["what"]
            and int(hold["from"]) <= int(row["java"]) <= int(hold["until"] or 99)
            for hold in held
        )
        assert abs(int(row["newcomer waits (ms)"]) - 400 * said) <= 100, row
