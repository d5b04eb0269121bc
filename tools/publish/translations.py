"""Writes README, the site's first page and lesson 00 by notebooks/*/messages.po: make translations

First it updates each catalogue from the English: new messages get an empty string, and changed ones are
marked "fuzzy": correct the translation, then remove the mark. Until then the pages show the English text.
Code, commands and figures are not messages. Needs Babel, which comes with JupyterLab.
"""

import os
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import nbformat
from babel.messages import pofile
from babel.messages.catalog import Catalog
from nbformat import NotebookNode
from bootstrap.places import FIRST, ROOT
from notebooks.reading import FINDING
from notebooks.runs import read

LANGUAGES = {"ko": "한국어", "ja": "日本語", "zh": "简体中文"}
INDEX = "site/index.md"
LESSON = ROOT / FIRST
TOCTREE = "```{toctree}"
PLACE = re.compile(r"(<!--links:[\w-]+-->)(.*?)<!--/links-->", re.DOTALL)
# a message that matches this has no word to translate
NO_WORDS = re.compile(r"`[^`]*`|<[^>]*>|\]\([^)]*\)|&\w+;|\{[^}]*\}|\b(?:min|s)\b")
COMMENT = r"(?<=# ).+"
# how a line begins, and its messages: cells of a table, the words of a picture, a paragraph or an item
KINDS = (
    (r"\|", r"(?<=\| )[^|]+(?= \|)"),
    (
        r"\s*<(?!!--)",
        r'(?<=alt=")[^"]+|(?<=-about=")[^"]+|(?<=-figure=")[^"]+|(?<=-names=")[^"]+|(?<=-note=")[^"]+'
        r"|(?<=<noscript>).+(?=</noscript>)|(?<=<figcaption>).+(?=</figcaption>)",
    ),
    ("", r"(?:^|(?<=[#>-] ))[^#>\s-].*"),
)
LINK = re.compile(r'(\]\(|(?:src|srcset|href)=")(?!https?:|mailto:|#|\{)([^)"#]+)')

Say = Callable[[str], str]


def walked(text: str, say: Say) -> str:
    """The text with its messages replaced by `say`; in the parts that `make links` wrote, only the words."""
    written: dict[str, str] = {}

    def put(found: re.Match[str]) -> str:
        return say(found[0]) if re.search("[A-Za-z]{2}", NO_WORDS.sub("", found[0])) else found[0]

    def keep(found: re.Match[str]) -> str:
        written[found[1]] = re.sub(r"\b(?:the site|results|run)\b(?=[] ]|$)", put, found[2])
        return found[1]

    lines, code = PLACE.sub(keep, text).split("\n"), False
    for number, line in enumerate(lines):
        code ^= line.startswith("```")
        inside = COMMENT if code else next(inside for begins, inside in KINDS if re.match(begins, line))
        lines[number] = line if line.startswith("```") else re.sub(inside, put, line)
    return re.sub("<!--links:[^>]+-->", lambda it: it[0] + written[it[0]] + "<!--/links-->", "\n".join(lines))


def source(name: str) -> str:
    text = (ROOT / name).read_text(encoding="utf-8")
    return text.partition(TOCTREE)[0] if name == INDEX else text


def english() -> Catalog:
    """All messages, in the order of the pages."""
    found = Catalog()

    def collect(place: str) -> Say:
        def say(message: str) -> str:
            found.add(message, locations=[(place, 0)])
            return message

        return say

    for name in ("README.md", INDEX):
        walked(source(name), collect(name))
    for cell in read(LESSON).cells:
        if cell.cell_type == "markdown":
            walked(cell.source, collect(f"{FIRST}:{cell.id}"))
    return found


def catalogue(language: str) -> Catalog:
    """The translations of a language, compared with the current English text."""
    file = ROOT / f"notebooks/{language}/messages.po"
    with file.open("rb") as stored:
        found = pofile.read_po(stored, locale=language)
    found.update(english(), update_creation_date=False)
    return found


def speaker(language: str) -> Say:
    strings: dict[str, str] = {}
    for one in catalogue(language):
        if isinstance(one.id, str) and isinstance(one.string, str) and one.string and not one.fuzzy:
            strings[one.id] = one.string
    return lambda message: strings.get(message, message)


def finding(language: str, words: str) -> str:
    """A finding of lesson 00 in a language."""
    return speaker(language)(FINDING + words).partition("** ")[2]


def moved(text: str, language: str, here: str) -> str:
    """Adjusts the links of a page in the folder `here` to the folder of a language."""
    for page in ("README", "index"):
        own = f"[{LANGUAGES[language]}](notebooks/{language}/{page}.md)"
        text = text.replace(own, f"[English]({page}.md)")

    def led(found: re.Match[str]) -> str:
        there, folder = os.path.normpath(os.path.join(here, found[2])), f"notebooks/{language}"
        if Path(there).with_suffix("") == Path(FIRST).with_suffix(""):
            return found[1] + Path(there).name
        return found[1] + Path(os.path.relpath(there, folder)).as_posix()

    return LINK.sub(led, text)


def page(language: str, name: str) -> str:
    return moved(walked(source(name), speaker(language)), language, "")


def lesson(language: str, notebook: NotebookNode) -> NotebookNode:
    """Lesson 00 in a language; an executed one keeps its results."""
    notebook, say = deepcopy(notebook), speaker(language)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = moved(walked(cell.source, say), language, "notebooks")
    return notebook


def pages(language: str) -> dict[Path, str]:
    """The files stored for a language."""
    folder, stored = ROOT / "notebooks" / language, nbformat.writes(lesson(language, read(LESSON)))
    return {folder / "README.md": page(language, "README.md"), folder / LESSON.name: stored + "\n"}


def main() -> None:
    for language in LANGUAGES:
        known = catalogue(language)
        with (ROOT / f"notebooks/{language}/messages.po").open("wb") as file:
            pofile.write_po(file, known, width=0, include_lineno=False, ignore_obsolete=True)
        for path, text in pages(language).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        left = sum(1 for one in known if one.id and (one.fuzzy or not one.string))
        print(f"notebooks/{language}/messages.po: {left} of {len(known)} messages to translate")


if __name__ == "__main__":
    main()
