"""What each Java changed, a card for each wait and each finding: the page versions.md of the site.

A card has an address of its own. A figure was measured by this course; what was only read says so, with its
source.
"""

import csv
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bootstrap.places import ROOT
from notebooks.reading import FINDING, quoted
from notebooks.recorded import RUN_ALL
from notebooks.runs import read

RECORDED = ROOT / "data/recorded"
BY_JAVA = RECORDED / "claims-by-java.csv"
HEAD = """# What changed, by Java version

**What changed in your Java, and what did not?** Each card answers in a sentence, with what this course measured. [One table](notebooks/decide.md#from-21-to-25-to-27) has what matters when you move.

<div id="versions-choice" class="explorable"></div>

## Waits, and who runs first

Six virtual threads wait on two carriers, the platform threads on which they run; after 100 ms a newcomer starts. If the wait holds the carriers, the newcomer waits, too: 400 ms. [Draw it](draw/newcomers.md), [move it](try/carriers.md).

"""  # noqa: E501
LEAD = "While six threads wait so on two carriers, a newcomer waits for a carrier."
ORDER_LEAD = "How many of 20 newcomers ran before a thread that had been woken."
CLAIMS = """## What the lessons measured

Each lesson ran on one CPU with the heap of 2 GB and the small sizes, on Java {versions}; a card for each finding.

"""  # noqa: E501
FOOT = """
<script src="_static/versions.js"></script>
"""
# what a card of a wait says, by the word for the wait in data/pinning
SENTENCES = ROOT / "site/sentences.csv"
OVERTAKEN = "Since Java 25, newcomers run before a thread that a timer has woken, if there is one carrier."

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
    lesson: str
    changed: list[int]

    def markdown(self) -> str:
        # a link that Sphinx does not check: the page is written after those of Sphinx
        javas, changed = (
            " ".join(map(str, each)) for each in ((one.java for one in self.tiles), self.changed)
        )
        about = f'data-lesson="{self.lesson}" data-java="{javas}" data-changed="{changed}"'
        alone = f'<a class="alone" {about} href="versions/{self.address}.html">This card alone</a>'
        head = f"({self.address})=\n### {self.heading}"
        return "\n\n".join([head, self.table, *self.texts, alone]) + "\n\n"

    def plain(self) -> str:
        return re.sub(r"`|\*|\$|\\\\(?=\w)", "", self.heading)

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
    said_of = {row["what"]: row["sentence"] for row in rows(SENTENCES)}
    cards = []
    # those that changed come first
    for what, found in sorted(
        measured.items(), key=lambda item: not any(row["until"] for row in holds[item[0]])
    ):
        if not holds[what]:
            continue
        said = [f"{float(found[java]):.0f} ms" if java in found else "–" for java in versions]
        starts = [int(row["from"]) for row in holds[what]]
        ends = [int(row["until"]) + 1 for row in holds[what] if row["until"]]
        changed = sorted({*starts, *ends} - {21})
        sources = " and ".join(dict.fromkeys(row["source"] for row in holds[what]))
        flips = f"*Measured* on the versions that are shown; those between were *read*, in {sources}."
        if sources == "measured":
            flips = "*Measured* on the versions that are shown."
        cure = f"What to do: {holds[what][-1]['cure']}."
        heading = said_of[what]
        tiles = [
            Tile(java, waited, (), float(found[java]) < 100)
            for java, waited in zip(versions, said, strict=True)
            if java in found
        ]
        rows_of = table("", versions, {"a newcomer waits": said})
        lesson = "07-find-what-pins"
        place = address(f"{what} {holds[what][0]['in words']}", known)
        cards.append(Card(place, heading, rows_of, [flips, cure], tiles, LEAD, lesson, changed))
    return [*cards, overtaken(known)]


def overtaken(known: set[str]) -> Card:
    """A card for who runs first on a lone carrier, after a timer has woken a thread."""
    before: dict[str, list[int]] = defaultdict(list)
    for row in rows(RECORDED / "14-overtaken.csv"):
        if row["what"] == "a timer":
            before[row["java"]].append(int(row["newcomers before it"]))
    said = {java: f"{median(each):.0f} of 20" for java, each in before.items()}
    tiles = [Tile(java, words, (), words.startswith("0 ")) for java, words in said.items()]
    lesson = "see-newcomers-overtake"
    texts = [
        "The median of five runs; Java 26 and 27 have the same loop (*read*). [Move it](try/overtake.md).",
        f"*Measured* by [the dive on newcomers](notebooks/deeper/{lesson}.ipynb).",
    ]
    rows_of = table("", [*said], {"newcomers that ran before it": [*said.values()]})
    return Card(address(OVERTAKEN, known), OVERTAKEN, rows_of, texts, tiles, ORDER_LEAD, lesson, [25])


def parts(lesson: str) -> list[tuple[str, str, str]]:
    """The code of each part of a lesson, as one text, the place of its finding, and that."""
    found, code = [], ""
    path = next(ROOT.glob(f"notebooks/**/{lesson}.ipynb"))
    for one in read(path).cells:
        if one.cell_type == "code":
            code += one.source
        elif FINDING in one.source:
            found.append((code, f"{path.relative_to(ROOT).as_posix()}#cell-id={one.id}", quoted(one)))
            code = ""
    return found


def claims(known: set[str]) -> list[Card]:
    """A card for each finding whose claims, in today's words, were judged on several versions."""
    judged: dict[str, dict[str, dict[str, Row]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows(BY_JAVA):
        if row["claim"] != RUN_ALL and not row["claim"].startswith("exercise "):
            judged[row["lesson"]][row["claim"]][row["java"]] = row
    cards = []
    for lesson, claimed in judged.items():
        for code, place, sentence in parts(lesson):
            own = {claim: each for claim, each in claimed.items() if len(each) > 1 and claim in code}
            if own:
                cards.append(of_part(lesson, place, sentence, own, known))
    return sorted(cards, key=lambda card: all(tile.held for tile in card.tiles))


def of_part(lesson: str, place: str, sentence: str, own: dict[str, dict[str, Row]], known: set[str]) -> Card:
    versions = sorted({java for each in own.values() for java in each}, key=int)
    lines, tiles = {}, []
    for claim, each in own.items():
        lines[claim[0].upper() + claim[1:].replace("|", "/")] = [
            measured(each[java]) if java in each else "–" for java in versions
        ]
    for java in versions:
        here = [each[java] for each in own.values() if java in each]
        held = sum(not broke(row) for row in here)
        words = f"{held} of {len(here)}"
        tiles.append(Tile(java, words, ("claims held",), held == len(here)))
    broken = [tile.java for tile in tiles if not tile.held]
    flips = "It held on each version."
    if broken:
        flips = f"On Java {', '.join(broken)} a claim did not hold in each run."
    text = f"{flips} *Measured* by [{lesson}]({place})."
    told = table("", versions, {"claims held": [tile.value for tile in tiles]})
    figures = table("what was measured", versions, lines)
    folded = f"<details><summary>Each claim, and its median</summary>\n\n{figures}\n\n</details>"
    return Card(address(sentence, known), sentence, told, [text, folded], tiles, "", lesson, [])


def measured(row: Row) -> str:
    return f"{float(row['measured']):g}{' ✘' if broke(row) else ''}" if row["measured"] else "–"


def lessons() -> set[str]:
    """Those that have a card."""
    return {card.lesson for card in all_cards()}


def broke(row: Row) -> bool:
    """Whether a run was judged and did not hold; while other programs use the CPUs, none is judged."""
    return int(row["held"]) + int(row["unjudged"]) < int(row["runs"])


def groups() -> tuple[list[Card], list[Card]]:
    """The cards of the waits and those of the claims."""
    known: set[str] = set()
    return waits(known), claims(known) if BY_JAVA.is_file() else []


@cache
def all_cards() -> list[Card]:
    return [card for group in groups() for card in group]


def page() -> str:
    """The page, as Markdown."""
    of_waits, of_claims = groups()
    text = HEAD + "".join(card.markdown() for card in of_waits)
    if of_claims:
        versions = sorted({tile.java for card in of_claims for tile in card.tiles}, key=int)
        text += CLAIMS.format(versions=", ".join(versions)) + "".join(card.markdown() for card in of_claims)
    return text + FOOT
