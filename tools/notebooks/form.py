"""Checks the form of a lesson: its time, words, parts, findings, and what a reader may skip.

The form is judged from the stored notebook. .github/WRITING.md has the rules; python -m
notebooks.form 05 says, inside the environment, which of them a lesson breaks. not_yet.toml lists what was
there before a rule, and only shrinks.
"""

import argparse
import re
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from nbformat import NotebookNode
from notebooks.java import declared, used
from notebooks.predictions import Broken, of_prompts
from notebooks.reading import (
    FINDING,
    clock,
    code,
    count,
    divided,
    explained,
    heading,
    is_claim,
    is_more,
    lines,
    prose,
    shown,
    tags,
)
from notebooks.runs import numbered, read

MOST = {
    "minutes to read and run": 35,
    "minutes to practise": 27,
    "lines of code": 200,
    "claims": 10,
    "words": 1_800,
    "cells": 90,
    "lines of plumbing": 60,
}
WORDS_BEFORE_CODE = 120
# by lesson and rule, what was there before the rule: only shrinks
NOT_YET = tomllib.loads(Path(__file__).with_name("not_yet.toml").read_text(encoding="utf-8"))
COLLAPSED = "jp-MarkdownHeadingCollapsed"
TAIL = ["What held on this machine", "Key points", "In practice", "Further reading"]


def time(notebook: NotebookNode) -> str:
    """What the first cell says of the clock, before it says for how long the cells run."""
    to_read, to_practise = clock(notebook)
    practise = f" {to_practise} to practise," if to_practise else ""
    return f"**Time.** {to_read:.0f} minutes to read,{practise} about"


def problems(notebook: NotebookNode, name: str) -> Iterator[str]:
    """The rules that the lesson breaks, each in a sentence."""
    core, more = divided(notebook)
    if not re.search(rf"^{re.escape(time(notebook))} \d+ seconds to run\.$", notebook.cells[0].source, re.M):
        yield f"the first cell must say {time(notebook)} … seconds to run."
    yield from of_listed([*of_length(notebook), *of_prompts(notebook.cells)], NOT_YET.get(name, {}))
    before = count(prose(list(takewhile(lambda cell: cell.cell_type == "markdown", notebook.cells))))
    if before > WORDS_BEFORE_CODE:
        yield f"{before} words before the first code cell, and at most {WORDS_BEFORE_CODE} are allowed"
    yield from of_parts(core)
    yield from of_more(core, more)
    yield from of_parentheses(prose(notebook.cells))
    yield from of_printed(code(notebook.cells))


def of_listed(found: list[Broken], not_yet: dict[str, list[str]]) -> Iterator[str]:
    """What is broken and not listed, and what is listed and no longer broken."""
    listed = {(rule, where) for rule, places in not_yet.items() for where in places}
    for rule, where, said in found:
        if (rule, where) not in listed:
            yield said
    for rule, where in sorted(listed - {(rule, where) for rule, where, _ in found}):
        yield f"{where} keeps the rule now: take it from {rule} in not_yet.toml"


def figures(notebook: NotebookNode) -> dict[str, float]:
    """What has a cap, in the order of MOST."""
    core, _ = divided(notebook)
    found = [
        *clock(notebook),
        lines(explained(core)),
        sum(is_claim(cell) for cell in shown(core)),
        count(prose(core)),
        len(notebook.cells),
        lines([cell for cell in code(core) if "plumbing" in tags(cell)]),
    ]
    return dict(zip(MOST, found, strict=True))


def of_length(notebook: NotebookNode) -> Iterator[Broken]:
    for what, found in figures(notebook).items():
        if found > MOST[what]:
            yield Broken("too_long", what, f"{found:,.4g} {what}, and at most {MOST[what]:,} are allowed")


def of_parts(core: list[NotebookNode]) -> Iterator[str]:
    headings = [line for cell in core for line in re.findall(r"^## (.*)", prose([cell]), re.MULTILINE)]
    parts = [title for title in headings if re.match(r"\d+ · ", title)]
    if not 3 <= len(parts) <= 8:
        yield f"{len(parts)} parts instead of three to eight"
    for title in headings:
        if title not in [*parts, *TAIL]:
            yield f"## {title} is neither a part (## 1 · …) nor a heading of the tail"
    for number, title in enumerate(parts, 1):
        if not title.startswith(f"{number} · "):
            yield f"## {title} must have the number {number}"
        begin = next((i for i, cell in enumerate(core) if heading(cell) == (2, title)), None)
        if begin is None:
            yield f"## {title} does not begin its cell"
        else:
            rest = takewhile(lambda cell: heading(cell)[0] > 2, core[begin + 1 :])
            yield from of_findings(title, [core[begin], *rest])


def of_findings(title: str, part: list[NotebookNode]) -> Iterator[str]:
    lesson = list(takewhile(lambda cell: not heading(cell)[1].startswith("On your own · "), part))
    lines = prose(part).count(FINDING)
    last = lesson[-1].source.splitlines()[-1] if lesson[-1].cell_type == "markdown" else ""
    if lines != 1 or not last.startswith(FINDING):
        yield f"## {title} does not end with one line {FINDING}… before its exercises"


def of_more(core: list[NotebookNode], more: list[NotebookNode]) -> Iterator[str]:
    for cell in filter(is_more, more):
        if cell.metadata.get(COLLAPSED) is not True:
            yield f"{cell.id}: its metadata have no {COLLAPSED}"
        if len(re.findall(r"[.!?](?:\s|$)", cell.source)) > 1:
            yield f"{cell.id}: more than one sentence stays visible when it is collapsed"
    own = {name for cell in code(core) for name in declared(cell.source)}
    skipped = {name for cell in code(more) for name in declared(cell.source)} - own
    for cell in code(core):
        if needs := used(cell.source) & skipped:
            yield f"{cell.id} needs {', '.join(sorted(needs))}, declared only in More"


def of_parentheses(text: str) -> Iterator[str]:
    """Only a parenthesis of two words or more counts."""
    text = re.sub(r"`[^`]*`|\$[^$]*\$|^\|.*$", "x", text, flags=re.MULTILINE)
    found = [inside for inside in re.findall(r"\(([^()]*)\)", text) if count(inside) > 1]
    sentences = len(re.findall(r"[.!?](?=[\s*)_]|$)", text))
    if 10 * len(found) > sentences:
        yield (
            f"{len(found)} parentheses in {sentences} sentences, and at most one in ten sentences may have"
            f" one: {'; '.join(found)}"
        )


def of_printed(cells: list[NotebookNode]) -> Iterator[str]:
    """Figures of articles were not measured here, so they are not claims of *What held on this machine*."""
    sources = [cell.source for cell in cells if re.search(r"\bPublished\.|published\.csv", cell.source)]
    printed = {name for source in sources for name in declared(source)}
    for cell in cells:
        if "Claim.that(" in cell.source and (names := used(cell.source) & printed):
            yield f"{cell.id} claims an article's figures ({', '.join(sorted(names))}): use Claim.printed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lesson", help="its number, such as 05, or the name of a dive")
    path = numbered(parser.parse_args().lesson)
    notebook = read(path)
    print(f"{path.stem}: " + ", ".join(f"{found:,.4g} {what}" for what, found in figures(notebook).items()))
    print(*problems(notebook, path.stem), sep="\n")


if __name__ == "__main__":
    main()
