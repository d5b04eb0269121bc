"""What each Java changed, a card for each wait and each claim: the page versions.md of the site.

A card has an address of its own. A figure was measured by this course; what was only read says so, with its
source.
"""

import csv
import re
from collections import defaultdict
from pathlib import Path

from bootstrap.places import ROOT
from notebooks.runs import code_cells, read

RECORDED = ROOT / "data/recorded"
BY_JAVA = RECORDED / "claims-by-java.csv"
HEAD = """# What changed, by Java version

**From 21 to 25 to 27: what became free, what became slow, and what stayed?** Each card says what was measured, on which versions, and where it changed. A card's heading is its address: hover over it, and copy the link. [One table](notebooks/decide.md#from-21-to-25-to-27) has the rows that matter when you move.

"""  # noqa: E501
WAITS = """## What holds a carrier

Six virtual threads wait on two carriers; after 100 ms a newcomer starts. If the wait holds the carriers, the newcomer waits, too: 400 ms. [Move it](try/carriers.md).

"""  # noqa: E501
CLAIMS = """## The claims of the lessons

Each lesson on one CPU with the heap of 2 GB and the small sizes, on Java {versions}. The first cards are those whose result differs.

"""  # noqa: E501

Row = dict[str, str]


def rows(file: Path) -> list[Row]:
    with file.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def card(heading: str, known: set[str], *parts: str) -> str:
    """A heading with an address that is used once, and what stands below it."""
    address = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")[:60].strip("-") or "card"
    while address in known:
        address += "-2"
    known.add(address)
    return "\n\n".join([f"({address})=\n### {heading}", *parts]) + "\n\n"


def table(head: str, versions: list[str], lines: dict[str, list[str]]) -> str:
    columns = [head, *(f"Java {version}" for version in versions)]
    parts = [columns, ["---"] * len(columns), *([name, *cells] for name, cells in lines.items())]
    return "\n".join(f"| {' | '.join(part)} |" for part in parts)


def waits(known: set[str]) -> str:
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
        cards.append(card(heading, known, table("", versions, {"a newcomer waits": said}), flips, cure))
    return WAITS + "".join(cards)


def cell(lesson: str, claim: str) -> str:
    """The cell that judges a claim; the lesson, where the cell makes its words from parts."""
    path = next(ROOT.glob(f"notebooks/**/{lesson}.ipynb"))
    words = claim[:40].rpartition(" ")[0]
    found = next((f"#cell-id={one.id}" for one in code_cells(read(path)) if words in one.source), "")
    return path.relative_to(ROOT).as_posix() + found


def claims(known: set[str]) -> str:
    """A card for each claim that was judged on more than one version."""
    found: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in rows(BY_JAVA):
        if row["claim"] != "Run All (s)" and not row["claim"].startswith("exercise "):
            found[row["lesson"], row["claim"]][row["java"]] = row
    versions = sorted({java for one in found.values() for java in one}, key=int)

    def differs(item: tuple[tuple[str, str], dict[str, Row]]) -> bool:
        return len({one["held"] == one["runs"] for one in item[1].values()}) > 1

    cards = []
    several = (item for item in found.items() if len(item[1]) > 1)
    for (lesson, claim), judged in sorted(several, key=lambda item: not differs(item)):
        measured, held, spread = [], [], []
        for java in versions:
            row = judged.get(java)
            measured.append(f"{float(row['measured']):g}" if row and row["measured"] else "–")
            held.append(f"{row['held']} of {row['runs']}" if row else "–")
            spread.append(
                f"{float(row['spread']):g} %" if row and row["spread"] and row["runs"] != "1" else "–"
            )
        broken = [
            java for java in versions if java in judged and judged[java]["held"] != judged[java]["runs"]
        ]
        bound = next(iter(judged.values()))["bound"]
        predicted = f"Predicted: {bound}. *Measured* by [{lesson}]({cell(lesson, claim)})."
        flips = (
            f"It did not hold in each run on Java {', '.join(broken)}."
            if broken
            else "It held on each version."
        )
        heading = claim[0].upper() + claim[1:].replace("|", "/")
        lines = {"measured": measured, "spread, of the margin": spread, "held, of the runs": held}
        cards.append(card(heading, known, table("", versions, lines), f"{predicted} {flips}"))
    return CLAIMS.format(versions=", ".join(versions)) + "".join(cards) if cards else ""


def page() -> str:
    """The page, as Markdown."""
    known: set[str] = set()
    return HEAD + waits(known) + (claims(known) if BY_JAVA.is_file() else "")
