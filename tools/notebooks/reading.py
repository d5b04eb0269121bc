"""What a reader of a lesson has to read, and how long that takes."""

import re
from typing import NamedTuple

from nbformat import NotebookNode

FINDING = "**Finding.** "
# what a reader may skip unread, unless it names a thread
PLUMBING = {"plumbing", "hide-input"}
THREADS = re.compile(
    r"\b(Thread|Executor\w*|\w*Lock|Semaphore|\w*Latch|\w*Future|synchronized|StructuredTaskScope|ScopedValue"
    r"|ThreadLocal)\b"
)


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
