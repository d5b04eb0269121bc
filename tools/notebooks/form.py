"""Checks the form of a lesson: its time, words, parts, findings, and what a reader may skip.

The form is judged from the stored notebook. .github/WRITING.md has the rules; python -m
notebooks.form 05 says, inside the environment, which of them a lesson breaks. not_yet.toml lists what was
there before a rule, and only shrinks.
"""

import argparse
import math
import re
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode
from notebooks.java import blank, calls, choices, declared, skipped, used
from notebooks.java import said as spoken
from notebooks.runs import DIVES, numbered, read

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
# what a reader may skip unread, unless it names a thread
PLUMBING = {"plumbing", "hide-input"}
THREADS = re.compile(
    r"\b(Thread|Executor\w*|\w*Lock|Semaphore|\w*Latch|\w*Future|synchronized|StructuredTaskScope|ScopedValue"
    r"|ThreadLocal)\b"
)
FINDING = "**Finding.** "
PROMPT = re.compile(r"^> \*\*Predict\.\*\*.*(?:\n>.*)*", re.MULTILINE)
ANSWER = re.compile(r"\*\*(?:Look|Explain|Finding)\.\*\*")
COLLAPSED = "jp-MarkdownHeadingCollapsed"
TAIL = ["What held on this machine", "Key points", "In practice", "Further reading"]


# --- cells ---


def tags(cell: NotebookNode) -> set[str]:
    return set(cell.metadata.get("tags", []))


def heading(cell: NotebookNode) -> tuple[int, str]:
    """The level and words of the heading with which a cell begins; without one, the lowest level."""
    found = re.match(r"(#+) (.*)", cell.source) if cell.cell_type == "markdown" else None
    return (len(found[1]), found[2]) if found else (9, "")


def is_more(cell: NotebookNode) -> bool:
    return heading(cell)[1].startswith("More · ")


def finding(notebook: NotebookNode, cell: str) -> str:
    """The finding with which a part ends: the title of its chart wherever nobody guesses."""
    return quoted(next(one for one in notebook.cells if one.id == cell))


def quoted(cell: NotebookNode) -> str:
    """The finding of a cell, for a page elsewhere: without the lesson's own links."""
    [found] = re.findall(rf"^{re.escape(FINDING)}(.*)", cell.source, re.MULTILINE)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r" \(\[\d+\]\([^)]*\)\)", "", found))


def divided(notebook: NotebookNode) -> tuple[list[NotebookNode], list[NotebookNode]]:
    """The cells of the core, and those below a heading *More*, up to the next one of its level or above."""
    core: list[NotebookNode] = []
    more: list[NotebookNode] = []
    within = 0
    for cell in notebook.cells:
        level = heading(cell)[0]
        if level <= within:
            within = 0
        if is_more(cell):
            within = within or level
        (more if within else core).append(cell)
    return core, more


def code(cells: list[NotebookNode]) -> list[NotebookNode]:
    return [cell for cell in cells if cell.cell_type == "code"]


def is_claim(cell: NotebookNode) -> bool:
    return re.search(r"\bClaim\.", cell.source) is not None


def shown(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The code cells that are neither exercise, check nor solution, nor plumbing."""
    kept = [cell for cell in code(cells) if not tags(cell) & {"exercise", "check", "solution"}]
    return [cell for cell in kept if not tags(cell) & PLUMBING or THREADS.search(cell.source)]


def explained(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The code cells to read that neither claim nor list claims."""
    return [cell for cell in shown(cells) if not re.search(r"\bClaims?\.", cell.source)]


def lines(cells: list[NotebookNode]) -> int:
    return sum(bool(line.strip()) for cell in cells for line in cell.source.splitlines())


# --- words and time ---


def prose(cells: list[NotebookNode]) -> str:
    """The text to read, without blocks of code and addresses of links."""
    texts = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.sub(r"```.*?```|\]\([^)]*\)", " ", texts, flags=re.DOTALL)


def count(text: str) -> int:
    """The words; signs of formulas are words, those of Markdown are not."""
    return len(re.sub(r"[|*`#>$-]", " ", text).split())


class Clock(NamedTuple):
    """The minutes that a lesson takes without *More*: to read it and run it, and to do its exercises."""

    to_read: float
    to_practise: float


def clock(notebook: NotebookNode) -> Clock:
    core, _ = divided(notebook)
    claims = [cell for cell in shown(core) if is_claim(cell)]
    predictions = sum(cell.source.count("**Predict.**") for cell in core)
    # the last minute is for the run
    to_read = count(prose(core)) / 200 + lines(explained(core)) / 15 + lines(claims) / 30 + predictions + 1
    return Clock(to_read, 9 * sum("exercise" in tags(cell) for cell in code(core)))


def time(notebook: NotebookNode) -> str:
    """What the first cell says of the clock, before it says for how long the cells run."""
    to_read, to_practise = clock(notebook)
    practise = f" {to_practise} to practise," if to_practise else ""
    return f"**Time.** {to_read:.0f} minutes to read,{practise} about"


# --- the rules ---


class Broken(NamedTuple):
    """A rule of not_yet.toml that a lesson breaks, where, and a sentence about it."""

    rule: str
    where: str
    said: str


def problems(notebook: NotebookNode, name: str) -> Iterator[str]:
    """The rules that the lesson breaks, each in a sentence."""
    core, more = divided(notebook)
    if not re.search(rf"^{re.escape(time(notebook))} \d+ seconds to run\.$", notebook.cells[0].source, re.M):
        yield f"the first cell must say {time(notebook)} … seconds to run."
    dive = name in [path.stem for path in DIVES]
    yield from of_listed([*of_length(notebook), *of_prompts(notebook.cells, dive)], NOT_YET.get(name, {}))
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


# --- nothing gives a prediction away ---

AMOUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
AMOUNTS |= {"eleven": 11, "twelve": 12, "twenty": 20, "hundred": 100, "thousand": 1_000}
UNITS = (1, 1e-6, 1e-3, 1e-2, 1e2, 1e3, 1e6)  # ms and s, %, kB and MB
NUMBER = re.compile(r"(?<![\w.])\d[\d,_]*(?:\.\d+)?(?:e\d+)?(?![\w.]*\w)")
# what a reader sees on a chart or in print
SHOWN = r"(?:\bPlots\.\w+|\bTrials\.of|\.(?:setTitle|chart|lane|print\w*))"
TITLE = r"(?:\bPlots\.titled|\.(?:setTitle|chart))"
# words with which a title says what came out
OUTCOME = re.compile(
    r"\b(is|are|was|were|has|have|do|does|takes?|stays?|keeps?|rises?|falls?|grows?|lifts?|reach(es)?|stops?"
    r"|frees?|fills?|adds?|needs?|serves?|goes|go|follows?|than|only|hardly|never|always|no|more|less|fewer"
    r"|longer|shorter|faster|slower|better|worse)\b",
    re.IGNORECASE,
)


def numbers(text: str) -> set[float]:
    plain = re.sub(r"%[-,+.\d]*[a-z%]", " ", text.replace("{,}", ","))
    return {float(re.sub("[,_]", "", found)) for found in NUMBER.findall(plain)}


def theory(java: str) -> set[float]:
    """The numbers with which claims compare, those of a chart's lines, and their product or quotient."""
    found: set[float] = set()
    for call in calls(java, r"\.predicted|\)\s*\.of|\bPlots\.level"):
        formula = call.inside
        found |= numbers(" ".join(map(blank, call.arguments)))
        if re.fullmatch(r"[\d_.\s]+(?:[*/][\d_.\s]+)+", formula):
            value = 1.0
            for sign, factor in re.findall(r"([*/]?)\s*([\d_.]+)", formula):
                value = value / float(factor) if sign == "/" else value * float(factor)
            found.add(value)
    return found - {0, 1}


class Asked(NamedTuple):
    """A prompt, what its part says up to it, the cells up to its result, and those up to the next prompt."""

    cell: NotebookNode
    given: str
    between: list[NotebookNode]
    rest: list[NotebookNode]


def prompts(cells: list[NotebookNode]) -> Iterator[Asked]:
    part = 0
    for at, cell in enumerate(cells):
        part = at if heading(cell)[0] <= 2 else part
        *_, asked = [None, *PROMPT.finditer(cell.source)] if cell.cell_type == "markdown" else [None]
        if asked is None:
            continue
        given = "\n".join([*(one.source for one in cells[part:at]), cell.source[: asked.end()]])
        after = NotebookNode(cell, source=cell.source[asked.end() :])
        below = takewhile(lambda it: heading(it)[0] > 2 and not PROMPT.search(it.source), cells[at + 1 :])
        rest = [it for it in below if not tags(it) & {"exercise", "check", "solution"}]
        yield Asked(cell, given, [after, *up_to_result(rest)], rest)


def up_to_result(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The cells up to the last one that runs before a claim, a heading, or what to see in the result."""
    found: list[NotebookNode] = []
    for cell in cells:
        # a claim with no measuring cell before it measures for itself
        measured = any("Guess." not in one.source for one in code(found))
        text = cell.cell_type == "markdown"
        if (heading(cell)[0] < 9 or ANSWER.search(cell.source)) if text else measured and is_claim(cell):
            break
        found.append(cell)
    return found[: max((i for i, cell in enumerate(found, 1) if cell.cell_type == "code"), default=0)]


def told(cell: NotebookNode) -> str:
    """What a cell tells before it runs: a text, or the comments, sentences and charts of code in sight."""
    if cell.cell_type == "markdown":
        return re.sub(r"\[\d\d\b", " ", prose([cell]))  # the number of a lesson
    if tags(cell) & PLUMBING:
        return ""
    sentences = [text for text in skipped(cell.source) if text.startswith("/") or len(text.split()) > 2]
    return "\n".join([*sentences, *(call.inside for call in calls(cell.source, SHOWN))])


def titles(java: str) -> Iterator[str]:
    """The titles that a cell gives to charts; of a choice, each."""
    for call in calls(java, TITLE):
        yield from filter(None, map(spoken, choices(call.arguments[0])))


def is_neutral(title: str) -> bool:
    """Whether a title says what is plotted against what: a noun phrase, and no sentence of what came out."""
    return re.search(r" (?:against|by|over) ", title) is not None and not OUTCOME.search(title)


def of_prompts(cells: list[NotebookNode], dive: bool) -> Iterator[Broken]:
    """Prompts without a place for a guess, and what gives the answer away before the result."""
    for asked in prompts(cells):
        name = asked.cell.id
        if not dive and not any("Guess." in cell.source for cell in code(asked.between)[:1]):
            yield Broken("no_guess", name, f"{name}: the first code cell after the prompt has no Guess")
        words = re.findall("[a-z]+", asked.given.lower())
        given = numbers(asked.given) | {AMOUNTS[word] for word in words if word in AMOUNTS}
        known = [number * unit for number in given for unit in UNITS]
        answers = {answer for cell in code(asked.rest) for answer in theory(cell.source)}
        answers = {answer for answer in answers if not any(math.isclose(answer, it) for it in known)}
        for cell in asked.between:
            if said := sorted(answers & numbers(told(cell))):
                figures = ", ".join(f"{it:,g}" for it in said)
                yield Broken("number", cell.id, f"{cell.id} tells {figures} before the result of {name}")
        for cell in code(asked.between):
            for title in titles(cell.source):
                if not is_neutral(title):
                    yield Broken(
                        "title", cell.id, f'{cell.id}: "{title}" is not what is plotted against what'
                    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lesson", help="its number, such as 05, or the name of a dive")
    path = numbered(parser.parse_args().lesson)
    notebook = read(path)
    print(f"{path.stem}: " + ", ".join(f"{found:,.4g} {what}" for what, found in figures(notebook).items()))
    print(*problems(notebook, path.stem), sep="\n")


if __name__ == "__main__":
    main()
