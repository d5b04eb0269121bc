"""What a search of the site finds first: words that people type, in entries of Sphinx's own index.

site/words.csv names them by page and place, which is a cell of a lesson or a heading; the glossary has the
terms of the course in four languages. Sphinx's search passes over numbers, but not in its index.
"""

import csv
import re
from collections import defaultdict
from functools import partial

from bootstrap.places import ROOT

LIST = ROOT / "site/words.csv"
GLOSSARY = "glossary.md"
# a term, what it means, and what other languages say
TERM = re.compile(r"^## (.+)\n\n.+\n\n(.+ · .+)$", re.MULTILINE)


def listed() -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    with LIST.open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            found[row["page"], row["place"]] += [word.strip() for word in row["words"].split(";")]
    return found


def entry(words: list[str]) -> str:
    """An entry of the index; one that is marked as the main place comes before what the text has."""
    marked = ", ".join(f"! {word}" for word in dict.fromkeys(words))
    return f"```{{index}} {marked}\n```\n\n"


def in_cell(page: str, cell: str, text: str) -> str:
    """The text of a cell with its entries, below a heading with which it begins."""
    if not (words := listed().get((page, cell))):
        return text
    heading = re.match(r"(?:<div[^>]*></div>\n\n)?#.*\n\n", text)
    end = heading.end() if heading else 0
    return text[:end] + entry(words) + text[end:]


def below(words: list[str], heading: re.Match[str]) -> str:
    return f"{heading[0]}\n{entry(words)}"


def in_text(page: str, text: str) -> str:
    """A page of text with its entries below their headings."""
    for (own, heading), words in listed().items():
        if own == page:
            text = re.sub(
                rf"^## {re.escape(heading)}\n",
                partial(below, words),
                text,
                flags=re.M,
            )
    return TERM.sub(term, text) if page == GLOSSARY else text


def term(found: re.Match[str]) -> str:
    others = [re.sub(r" ?[(（].*?[)）]", "", one).strip() for one in found[2].split(" · ")]
    head, _, rest = found[0].partition("\n")
    return f"{head}\n\n{entry([found[1], *others])}{rest.lstrip()}"
