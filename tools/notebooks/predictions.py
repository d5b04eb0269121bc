"""Checks that a lesson gives no prediction away before its result, and has a place for each guess."""

import math
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from nbformat import NotebookNode
from notebooks.java import blank, calls, choices, skipped
from notebooks.java import said as spoken
from notebooks.reading import PLUMBING, code, heading, is_claim, prose, tags

PROMPT = re.compile(r"^> \*\*Predict\.\*\*.*(?:\n>.*)*", re.MULTILINE)
ANSWER = re.compile(r"\*\*(?:Look|Explain|Finding)\.\*\*")
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


class Broken(NamedTuple):
    """A rule of not_yet.toml that a lesson breaks, where, and a sentence about it."""

    rule: str
    where: str
    said: str


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


def of_prompts(cells: list[NotebookNode]) -> Iterator[Broken]:
    """Prompts without a place for a guess, and what gives the answer away before the result."""
    for asked in prompts(cells):
        name = asked.cell.id
        if not any("Guess." in cell.source for cell in code(asked.between)[:1]):
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
