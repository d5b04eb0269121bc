"""Finds a learner's work in a notebook whose cells were split, merged, moved, pasted or added.

Whatever stands between the text of a task and its check belongs to the answer, in whatever cells. What is
not clear is given to a person, with every piece that may be meant: nothing is guessed, and nothing is lost.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from nbformat import NotebookNode
from notebooks.java import assigned, broken, declared
from teach.homework import pseudonyms

MOST = 20_000  # characters of a cell in which declarations are looked for


@dataclass
class Task:
    """What a submission has for one answer: the code cells added above it, and the pieces of the answer.

    `by_hand` is the reason why it is not run, and `doubt` why it gets no 0 if it is wrong; else they are
    empty.
    """

    above: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    answer: str = ""
    doubt: str = ""
    by_hand: str = ""


def text(cell: dict) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source.replace("\r\n", "\n") if isinstance(source, str) else ""


def own_id(cell: dict) -> str:
    about = cell.get("metadata")
    about = about.get("nbgrader") if isinstance(about, dict) else None
    found = about.get("grade_id") if isinstance(about, dict) else None
    return found if isinstance(found, str) else ""


def in_words(cell: NotebookNode) -> bool:
    """Whether a released cell is for an answer that a teacher reads."""
    about = cell.metadata.get("nbgrader", {})
    return bool(about.get("solution") and about.get("grade"))


def names(there: list[dict], known: dict[str, NotebookNode]) -> list[str]:
    """The name of each cell.

    Some editors drop nbgrader's metadata, and older formats have no ids. A cell without a name is then known
    by its id, a locked one by its text, and an answer by the names that it declares.
    """
    found = [own_id(cell) for cell in there]
    for name, released in known.items():
        if name in found:
            continue
        nameless = [i for i, each in enumerate(found) if not each]
        same = [i for i in nameless if there[i].get("id") == name]
        if not same and released.metadata.nbgrader.solution and not in_words(released):
            wanted = declared(released.source)
            code = [i for i in nameless if there[i].get("cell_type") == "code"]
            same = [i for i in code if wanted and wanted <= declared(text(there[i])[:MOST])]
        elif not same:
            same = [i for i in nameless if text(there[i]).strip() == released.source.strip()][:1]
        for i in same:
            found[i] = name
    return found


def tasks(known: dict[str, NotebookNode]) -> dict[str, str]:
    """For each released cell the answer to whose task it belongs; those below the last check to none."""
    found: dict[str, str] = {}
    open_: list[str] = []
    answer = ""
    for name, cell in known.items():
        about = cell.metadata.nbgrader
        if about.solution and not answer:
            answer = name
            found |= dict.fromkeys([*open_, name], name)
            open_ = []
        elif answer:
            found[name] = answer
        else:
            open_.append(name)
        if about.grade:
            answer = ""
    return found


def find(named: list[tuple[str, dict]], known: dict[str, NotebookNode]) -> dict[str, Task]:
    """The work on each task, by the name of its answer, in the order of the released cells."""
    of = tasks(known)
    locked = [c.source.strip() for c in known.values() if not c.metadata.nbgrader.solution]
    found = {name: Task() for name in known if of.get(name) == name}
    there: dict[str, list[dict]] = {name: [] for name in found}
    aside: dict[str, list[str]] = {name: [] for name in found}  # its name, in the cell of something else
    changed: dict[str, list[str]] = {name: [] for name in found}  # the other cells of its task
    waiting: list[dict] = []  # added cells between two tasks
    at = before = ""

    def closes() -> None:
        """Whoever has left the cell for an answer untouched may have answered below its check."""
        if before and waiting:
            stub = known[before].source.strip()
            if all(text(each).strip() == stub for each in there[before]):
                found[before].by_hand = "its cell has no answer, and what follows its check may be one"
                changed[before] += map(text, waiting)

    for name, cell in named:
        if name not in known:
            source = text(cell).strip()
            copied = source in locked or (len(source) > 40 and any(source in each for each in locked))
            if not source or copied:  # it is a released cell again, or a piece of one
                continue
            for other in found:
                if other != at and (at or other != before) and mine(cell, known[other]):
                    aside[other].append(text(cell))
            if not at and before and mine(cell, known[before]):
                there[before].append(cell)
            elif not at:
                waiting.append(cell)
            elif there[at] or in_words(known[at]) or mine(cell, known[at]):
                there[at].append(cell)
            elif code(cell):
                found[at].above.append(text(cell))
            continue
        at = of.get(name, "")
        if at:
            closes()
            found[at].above += [text(each) for each in waiting if code(each)]
            waiting = []
        if name == at:
            there[at].append(cell)
        elif name != pseudonyms.CELL and (rest := without(text(cell), locked)):
            if at and code(cell):
                changed[at].append(rest)
            for other in found:
                if mine({"cell_type": "code", "source": rest}, known[other]):
                    aside[other].append(rest)
        if known[name].metadata.nbgrader.grade:
            before, at = at, ""
    closes()
    added = any(name not in known and code(cell) for name, cell in named) or any(changed.values())
    for name, task in found.items():
        for other in found:
            if other != name and not declared(known[name].source) & declared(known[other].source):
                merged = [text(each) for each in there[other] if mine(each, known[name])]
                aside[name] += merged
                if merged:  # an error in one of them fails both
                    found[other].doubt = found[other].doubt or "its cell has the answer to another task, too"
        decide(task, known[name], there[name], aside[name], changed[name], locked)
        if added and broken(task.answer):
            task.doubt = task.doubt or "it is not whole, and other cells may have the rest"
    return found


def code(cell: dict) -> bool:
    return cell.get("cell_type") == "code"


def mine(cell: dict, released: NotebookNode) -> bool:
    """Whether a code cell declares or assigns what an answer declares."""
    if in_words(released) or not code(cell):
        return False
    wanted, source = declared(released.source), text(cell)[:MOST]
    return bool(wanted & (declared(source) | assigned(source)))


def without(source: str, locked: list[str]) -> str:
    """A cell's text without the released cells that were merged into it."""
    for each in sorted(locked, key=len, reverse=True):
        source = source.replace(each, "") if each else source
    return source.strip("\n")


def different(pieces: Iterator[str]) -> list[str]:
    """The pieces without those that say the same in other lines and spaces."""
    return list({" ".join(piece.split()): piece for piece in pieces if piece.strip()}.values())


def decide(
    task: Task,
    released: NotebookNode,
    there: list[dict],
    aside: list[str],
    changed: list[str],
    locked: list[str],
) -> None:
    """Whether one answer can be made of these cells, or a person must choose."""
    stub = released.source.strip()
    pieces = [(without(text(cell), locked), code(cell)) for cell in there]
    work = different(piece for piece, _ in pieces if piece.strip() != stub)
    task.pieces = work + different(iter(aside))
    if in_words(released):
        return
    wanted = declared(stub)
    coded = different(piece for piece, is_code in pieces if is_code and piece.strip() != stub)
    claims = [piece for piece in coded if wanted & declared(piece[:MOST])]
    declares = bool(wanted & declared("\n".join(coded)[:MOST]))
    name = ", ".join(sorted(wanted))
    if task.by_hand:
        pass
    elif aside:
        task.by_hand = f"{name} stands in the cell of something else"
    elif len(claims) > 1:
        task.by_hand = f"{len(claims)} cells claim to be the answer"
    elif work and not coded:
        task.by_hand = "it is a text and no code"
    elif not there:
        task.by_hand = "its cell is not there"
    elif coded and not declares and all(piece.strip() != stub for piece, _ in pieces):
        task.by_hand = f"it declares no {name}"
    else:
        # the stub goes if an answer takes its place; here its cell is there
        parts = coded if declares else [stub, *coded]
        task.answer = "\n".join(parts)
        if len(parts) > 1 or len(there) > 1:
            task.doubt = "it was put together from several cells"
        elif changed:
            task.doubt = "other cells of its task were changed"
    if task.by_hand:
        task.pieces += [each for each in different(iter(changed)) if each not in task.pieces]
