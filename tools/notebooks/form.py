"""Checks the form of a lesson: its time, words, parts, findings, and what a reader may skip.

The form is judged from the stored notebook and the time of its recorded run. CONTRIBUTING.md, *Writing a
notebook*, has the rules; python -m notebooks.form 05 says, inside the environment, which of them a lesson
breaks.
"""

import argparse
import math
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from nbformat import NotebookNode
from notebooks import recorded
from notebooks.java import SKIPPED, declared, used
from notebooks.runs import numbered, read

MINUTES, LINES, CLAIMS, PLUMBING_LINES = 45, 250, 14, 60
CORE_WORDS, WORDS, WORDS_BEFORE_CODE = 2_000, 2_500, 120
# beyond one of the caps above; this list only shrinks, and is empty since all lessons and dives keep them
TOO_LONG: set[str] = set()
# what a reader may skip unread, unless it names a thread
PLUMBING = {"plumbing", "hide-input"}
THREADS = re.compile(
    r"\b(Thread|Executor\w*|\w*Lock|Semaphore|\w*Latch|\w*Future|synchronized|StructuredTaskScope|ScopedValue"
    r"|ThreadLocal)\b"
)
FINDING = "**Finding.** "
COLLAPSED = "jp-MarkdownHeadingCollapsed"
TAIL = ["What held on this machine", "Key points", "In practice", "Further reading"]
# divides a lesson that takes two evenings
PAUSE = "End of the first sitting"


def seconds(path: Path) -> float | None:
    """The recorded time of Run All at the usual sizes."""
    wanted = ("usual", path.stem, recorded.RUN_ALL)
    return next((row.value for row in recorded.rows() if (row.size, row.lesson, row.claim) == wanted), None)


# --- cells ---


def tags(cell: NotebookNode) -> set[str]:
    return set(cell.metadata.get("tags", []))


def heading(cell: NotebookNode) -> tuple[int, str]:
    """The level and words of the heading with which a cell begins; without one, the lowest level."""
    found = re.match(r"(#+) (.*)", cell.source) if cell.cell_type == "markdown" else None
    return (len(found[1]), found[2]) if found else (9, "")


def is_more(cell: NotebookNode) -> bool:
    return heading(cell)[1].startswith("More · ")


def divided(notebook: NotebookNode) -> tuple[list[NotebookNode], list[NotebookNode]]:
    """The cells of the core, and those below a heading *More*, up to the next one of its level or above."""
    core, more, within = [], [], 0
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
    return re.search(r"\bClaims?\.", cell.source) is not None


def shown(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The code cells that are neither exercise, check nor solution, nor plumbing."""
    kept = [cell for cell in code(cells) if not tags(cell) & {"exercise", "check", "solution"}]
    return [cell for cell in kept if not tags(cell) & PLUMBING or THREADS.search(cell.source)]


def to_read(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The code cells that are neither claim, check nor solution."""
    open_cells = [cell for cell in code(cells) if not tags(cell) & {"check", "solution"}]
    return [cell for cell in open_cells if not is_claim(cell)]


def lines(cells: list[NotebookNode]) -> int:
    return sum(bool(line.strip()) for cell in cells for line in cell.source.splitlines())


# --- words and time ---


def prose(cells: list[NotebookNode]) -> str:
    """The text to read, without blocks of code and addresses of links."""
    texts = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.sub(r"```.*?```|(?<=\])\([^)]*\)", "", texts, flags=re.DOTALL)


def count(text: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def words_in_code(cells: list[NotebookNode]) -> int:
    """The words in comments, and in strings that are sentences (four words or more)."""
    found = [text for cell in to_read(cells) for text in SKIPPED.findall(cell.source)]
    return sum(count(text) for text in found if text.startswith("/") or count(text) > 3)


def words(cells: list[NotebookNode]) -> int:
    return count(prose(cells)) + words_in_code(cells)


def clock(notebook: NotebookNode, run: float) -> float:
    """The minutes that a lesson takes without *More*, including `run` seconds for its cells."""
    core, _ = divided(notebook)
    cells = shown(core)
    claims = [cell for cell in cells if is_claim(cell)]
    read = lines([cell for cell in cells if not is_claim(cell)]) / 15 + lines(claims) / 30
    exercises = sum("exercise" in tags(cell) for cell in core)
    predictions = sum(cell.source.count("**Predict.**") for cell in core)
    return count(prose(core)) / 200 + read + predictions / 2 + 4 * exercises + run / 60


# --- the rules ---


def problems(notebook: NotebookNode, run: float | None, name: str) -> Iterator[str]:
    """The rules that the lesson breaks, each in a sentence."""
    core, more = divided(notebook)
    yield from of_time(notebook, run)
    beyond = list(of_length(core, notebook, run))
    if name not in TOO_LONG:
        yield from beyond
    elif not beyond:
        yield f"{name} keeps the caps now: take it from TOO_LONG"
    for part, cells, most in (("core", core, CORE_WORDS), ("core and More", notebook.cells, WORDS)):
        if (found := words(cells)) > most:
            yield f"{part}: {found:,} words, and at most {most:,} are allowed"
    before = count(prose(list(takewhile(lambda cell: cell.cell_type == "markdown", notebook.cells))))
    if before > WORDS_BEFORE_CODE:
        yield f"{before} words before the first code cell, and at most {WORDS_BEFORE_CODE} are allowed"
    yield from of_parts(core)
    yield from of_pause(core)
    yield from of_more(core, more)
    yield from of_parentheses(prose(notebook.cells))
    yield from of_printed(code(notebook.cells))


def of_time(notebook: NotebookNode, run: float | None) -> Iterator[str]:
    if run is None:
        yield "no run is recorded: measure it with make claims NB=…"
        return
    minutes = math.ceil(clock(notebook, run))
    if not re.search(rf"^\*\*Time\.\*\* {minutes} minutes\b", notebook.cells[0].source, re.MULTILINE):
        yield f"the first cell must say **Time.** {minutes} minutes"


def of_length(core: list[NotebookNode], notebook: NotebookNode, run: float | None) -> Iterator[str]:
    cells = shown(core)
    claims = [cell for cell in cells if re.search(r"\bClaim\.", cell.source)]
    code_lines = lines([cell for cell in cells if not is_claim(cell)])
    for what, found, most in (
        ("minutes", math.ceil(clock(notebook, run or 0)), MINUTES),
        ("lines of code", code_lines, LINES),
        ("claims", len(claims), CLAIMS),
        (
            "lines of plumbing",
            lines([cell for cell in code(core) if "plumbing" in tags(cell)]),
            PLUMBING_LINES,
        ),
    ):
        if found > most:
            yield f"{found} {what}, and at most {most} are allowed"


def of_parts(core: list[NotebookNode]) -> Iterator[str]:
    headings = [line for cell in core for line in re.findall(r"^## (.*)", prose([cell]), re.MULTILINE)]
    parts = [title for title in headings if re.match(r"\d+ · ", title)]
    if not 3 <= len(parts) <= 8:
        yield f"{len(parts)} parts instead of three to eight"
    for title in headings:
        if title not in [*parts, *TAIL, PAUSE]:
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


def of_pause(core: list[NotebookNode]) -> Iterator[str]:
    """A pause has key points of its own, stands between two parts, and says how to go on in a new kernel."""
    begin = next((i for i, cell in enumerate(core) if heading(cell) == (2, PAUSE)), None)
    if begin is None:
        return
    cells = [core[begin], *takewhile(lambda cell: heading(cell)[0] > 2, core[begin + 1 :])]
    if not re.search(r"^- ", cells[0].source, re.MULTILINE):
        yield f"{PAUSE}: no key points"
    if "Run All Above Selected Cell" not in prose(cells):
        yield f"{PAUSE}: it does not say how to go on in a new kernel"
    around = [core[:begin], core[begin:]]
    if not all(any(re.match(r"\d+ · ", heading(cell)[1]) for cell in side) for side in around):
        yield f"{PAUSE}: it does not stand between two parts"


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
    notebook, run = read(path), seconds(path)
    core, _ = divided(notebook)
    print(f"{path.stem}: {words(core):,} words in the core, {words(notebook.cells):,} with More")
    print(f"{clock(notebook, run or 0):.1f} minutes, of which the cells run for {run or 0:.0f} seconds")
    print(*problems(notebook, run, path.stem), sep="\n")


if __name__ == "__main__":
    main()
