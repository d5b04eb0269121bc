"""What each Java changed, a card for each wait and each claim: the page versions.md of the site.

A card has an address of its own. A figure was measured by this course; what was only read says so, with its
source.
"""

import csv
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from bootstrap.places import ROOT
from notebooks.runs import code_cells, read

RECORDED = ROOT / "data/recorded"
BY_JAVA = RECORDED / "claims-by-java.csv"
HEAD = """# What changed, by Java version

**From 21 to 25 to 27: what became free, what became slow, and what stayed?** Each card says what was measured, on which versions, and where it changed. *This card alone* leads to its own page, whose address shows its figures where you share it. [One table](notebooks/decide.md#from-21-to-25-to-27) has the rows that matter when you move.

"""  # noqa: E501
WAITS = """## What holds a carrier

Six virtual threads wait on two carriers; after 100 ms a newcomer starts. If the wait holds the carriers, the newcomer waits, too: 400 ms. [Move it](try/carriers.md).

"""  # noqa: E501
LEAD = "While six threads wait so on two carriers, a newcomer waits for a carrier."
CLAIMS = """## The claims of the lessons

Each lesson on one CPU with the heap of 2 GB and the small sizes, on Java {versions}. The first cards are those whose result differs.

"""  # noqa: E501

Row = dict[str, str]


def rows(file: Path) -> list[Row]:
    with file.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


class Tile(NamedTuple):
    """What was measured on one version, for the picture of a card."""

    java: str
    value: str
    below: tuple[str, ...]
    held: bool | None = None


class Card(NamedTuple):
    """A heading with an address that is used once, and what stands below it."""

    address: str
    heading: str
    table: str
    texts: list[str]
    tiles: list[Tile]
    lead: str

    def markdown(self) -> str:
        # a link that Sphinx does not check: the page is written after those of Sphinx
        alone = f'<a class="alone" href="versions/{self.address}.html">This card alone</a>'
        head = f"({self.address})=\n### {self.heading}"
        return "\n\n".join([head, self.table, *self.texts, alone]) + "\n\n"

    def plain(self) -> str:
        return self.heading.replace("`", "")

    def words(self) -> str:
        """What was measured on each version, in a sentence."""
        each = (f"Java {one.java}: {', '.join((one.value, *one.below))}" for one in self.tiles)
        return f"{self.lead} Measured on {'; '.join(each)}.".strip()


def address(heading: str, known: set[str]) -> str:
    """A part of an address; it begins with a letter, as an id must."""
    made = re.sub(r"[^a-z0-9]+", "-", heading.lower()).lstrip("-0123456789")[:60].strip("-") or "card"
    while made in known:
        made += "-2"
    known.add(made)
    return made


def table(head: str, versions: list[str], lines: dict[str, list[str]]) -> str:
    columns = [head, *(f"Java {version}" for version in versions)]
    parts = [columns, ["---"] * len(columns), *([name, *cells] for name, cells in lines.items())]
    return "\n".join(f"| {' | '.join(part)} |" for part in parts)


def waits(known: set[str]) -> list[Card]:
    """A card for each kind of wait; the source of a change is a document that was read."""
    measured: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows(RECORDED / "07-newcomers.csv"):
        if row["kind"] == "virtual":
            measured[row["what"]][row["java"]] = row["newcomer waits (ms)"]
    versions = sorted({java for one in measured.values() for java in one}, key=int)
    holds: dict[str, list[Row]] = defaultdict(list)
    for row in rows(ROOT / "data/pinning/holds-a-carrier.csv"):
        holds[row["what"]].append(row)
    words = {"held": "held", "compensated": "held, and another one added"}
    cards = []
    # those that changed come first
    for what, found in sorted(
        measured.items(), key=lambda item: not any(row["until"] for row in holds[item[0]])
    ):
        if not holds[what]:
            continue
        said = [f"{float(found[java]):.0f} ms" if java in found else "–" for java in versions]
        changes = []
        for row in holds[what]:
            if row["from"] != "21":
                changes.append(f"{words[row['carrier']]} since Java {row['from']} ({row['source']})")
            elif row["until"]:
                until, source = int(row["until"]) + 1, row["source"]
                changes.append(f"{words[row['carrier']]} on Java 21, no longer since Java {until} ({source})")
        carrier = f"The carrier is {words[holds[what][0]['carrier']]}"
        flips = f"The carrier is {', '.join(changes)}." if changes else f"{carrier} on each version."
        flips += " The waits were *measured*; the versions between them were *read*, in the source named."
        cure = f"What to do: {holds[what][-1]['cure']}."
        heading = f"`{what}`: {holds[what][0]['in words']}"
        tiles = [
            Tile(java, waited, (), float(found[java]) < 100)
            for java, waited in zip(versions, said, strict=True)
            if java in found
        ]
        rows_of = table("", versions, {"a newcomer waits": said})
        cards.append(Card(address(heading, known), heading, rows_of, [flips, cure], tiles, LEAD))
    return cards


def cell(lesson: str, claim: str) -> str:
    """The cell that judges a claim; the lesson, where the cell makes its words from parts."""
    path = next(ROOT.glob(f"notebooks/**/{lesson}.ipynb"))
    words = claim[:40].rpartition(" ")[0]
    found = next((f"#cell-id={one.id}" for one in code_cells(read(path)) if words in one.source), "")
    return path.relative_to(ROOT).as_posix() + found


def claims(known: set[str]) -> list[Card]:
    """A card for each claim that was judged on more than one version."""
    found: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in rows(BY_JAVA):
        if row["claim"] != "Run All (s)" and not row["claim"].startswith("exercise "):
            found[row["lesson"], row["claim"]][row["java"]] = row
    versions = sorted({java for one in found.values() for java in one}, key=int)

    def differs(item: tuple[tuple[str, str], dict[str, Row]]) -> bool:
        return len({broke(one) for one in item[1].values()}) > 1

    cards = []
    several = (item for item in found.items() if len(item[1]) > 1)
    for (lesson, claim), judged in sorted(several, key=lambda item: not differs(item)):
        # what is predicted may depend on the machine or on another figure of the same run
        bounds = {row["bound"] for row in judged.values()}
        lines: dict[str, list[str]] = {"predicted": []} if len(bounds) > 1 else {}
        lines |= {"measured": [], "spread, of the margin": [], "held, of the runs": []}
        tiles = []
        for java in versions:
            if not (row := judged.get(java)):
                for column in lines.values():
                    column.append("–")
                continue
            measured = f"{float(row['measured']):g}" if row["measured"] else "–"
            spread = f"{float(row['spread']):g} %" if row["spread"] and row["runs"] != "1" else "–"
            held = f"{row['held']} of {int(row['runs']) - int(row['unjudged'])}"
            if row["unjudged"] != "0":
                held += f", {row['unjudged']} not judged"
            below = {"predicted": row["bound"], "spread, of the margin": spread, "held, of the runs": held}
            for name, column in lines.items():
                column.append(measured if name == "measured" else below[name])
            words = [f"predicted: {row['bound']}"] if len(bounds) > 1 else []
            words += [f"held in {held}", *([f"spread {spread} of the margin"] if spread != "–" else [])]
            tiles.append(Tile(java, measured, tuple(words), not broke(row)))
        broken = [tile.java for tile in tiles if not tile.held]
        lead = f"Predicted: {next(iter(bounds))}." if len(bounds) == 1 else ""
        flips = (
            f"It did not hold in each run on Java {', '.join(broken)}."
            if broken
            else "It held on each version."
        )
        text = f"{lead} *Measured* by [{lesson}]({cell(lesson, claim)}). {flips}".strip()
        heading = claim[0].upper() + claim[1:].replace("|", "/")
        cards.append(Card(address(heading, known), heading, table("", versions, lines), [text], tiles, lead))
    return cards


def broke(row: Row) -> bool:
    """Whether a run was judged and did not hold; while other programs use the CPUs, none is judged."""
    return int(row["held"]) + int(row["unjudged"]) < int(row["runs"])


def groups() -> tuple[list[Card], list[Card]]:
    """The cards of the waits and those of the claims."""
    known: set[str] = set()
    return waits(known), claims(known) if BY_JAVA.is_file() else []


def all_cards() -> list[Card]:
    return [card for group in groups() for card in group]


def page() -> str:
    """The page, as Markdown."""
    of_waits, of_claims = groups()
    text = HEAD + WAITS + "".join(card.markdown() for card in of_waits)
    if of_claims:
        versions = sorted({tile.java for card in of_claims for tile in card.tiles}, key=int)
        text += CLAIMS.format(versions=", ".join(versions)) + "".join(card.markdown() for card in of_claims)
    return text
