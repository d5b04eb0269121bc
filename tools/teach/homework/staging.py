"""Writes a graded homework for nbgrader to import: answers, and verdicts as outputs; all of it is text."""

import textwrap
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from teach.homework import submission
from teach.homework.isolation import Ran, printable
from teach.homework.jobs import added
from teach.homework.kept import WORDS, Graded, Records, Verdict, tell

BY_HAND = "✎ marked by hand"


def stage(records: Records, graded: Graded, staged: Path) -> None:
    """Writes the homework as graded: the teacher's cells, the learner's answers, and texts as outputs."""
    homework = records.homework
    made = deepcopy(homework.source)
    by_check = {each.check: each for each in homework.exercises}
    cells, made.cells = made.cells, []
    released = {submission.own_id(cell): cell for cell in homework.released.cells}
    for cell in cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in homework.labels:
            cell.metadata["threadlab"] = {"task": homework.label(name)}
        if name in homework.words:
            made.cells.append(rubric(cell))
            cell = in_words(released[name], graded.sent.words.get(name, ""))
            if name in records.book["sent"].get(graded.student, {}).get("by hand", []):
                look_again(records, graded.student, cell)
        elif name in by_check:
            cell.outputs = list(judged(graded.verdicts[name], cell.metadata.nbgrader.points))
        elif name in graded.sent.answers:
            cell.source = graded.sent.answers[name]
            cell.outputs = list(outputs(graded.steps.get(name)))
            for i, source in enumerate(graded.sent.own.get(name, [])):
                shows = list(outputs(graded.steps.get(added(name, i))))
                made.cells.append(new_code_cell(source, outputs=shows))
        elif ran := graded.steps.get(f"given {name}"):
            cell.outputs = list(outputs(ran))  # the learner's numbers
        elif name in graded.sent.by_hand:
            pieces = graded.sent.pieces[name] or ["// nothing was found that may be the answer"]
            cell.source, *more = pieces
            made.cells += [cell, *map(new_code_cell, more)]
            continue
        made.cells.append(cell)
    folder = staged / graded.student / homework.name
    folder.mkdir(parents=True)
    nbformat.write(made, folder / homework.file)
    if stamp := records.timestamp(graded.student):
        (folder / "timestamp.txt").write_text(stamp)


def look_again(records: Records, student: str, cell: NotebookNode) -> None:
    """Says if an answer has changed since a teacher has marked it by hand: that mark stays."""
    with suppress(OSError, ValueError):
        was = nbformat.read(records.imported(student), 4)
        if cell.source not in [each.source for each in was.cells]:
            tell(
                student,
                f"{submission.own_id(cell)}: has changed since it was marked by hand, so mark it again",
            )


def rubric(cell: NotebookNode) -> NotebookNode:
    """The rubric of a question, for whoever marks the answer, and later for the learner."""
    text = cell.source.partition("BEGIN SOLUTION\n")[2].partition("\nEND SOLUTION")[0]
    return new_markdown_cell(f"**Rubric**\n\n{text}", metadata={"threadlab": {"rubric": True}})


def in_words(released: NotebookNode, said: str) -> NotebookNode:
    """A learner's words, as text: they must be no program in the pages that a teacher opens."""
    cell = deepcopy(released)
    if said and said != released.source.strip():
        lines = [part for line in said.split("\n") for part in textwrap.wrap(line, 96) or [""]]
        # an indented block, which nothing in it can end
        cell.source = "The answer:\n\n" + "\n".join("    " + line for line in lines)
    return cell


def judged(verdict: Verdict, of: float) -> Iterator[NotebookNode]:
    """A verdict, as nbgrader takes it: an error for no points, a number for some."""
    right, text = verdict.right, verdict.why
    if right is None:
        yield shown(f"{BY_HAND}: {text}")
    elif not right:
        yield wrong("AssertionError", text)
    elif right == 1:
        yield shown("✔ " + text)
    else:
        yield shown(f"◐ {right * of:g} of {of:g} points: {text}")
        yield new_output("execute_result", {"text/plain": f"{right * of:g}"})


def shown(text: str) -> NotebookNode:
    return new_output("stream", name="stdout", text=printable(text))


def wrong(name: str, text: str) -> NotebookNode:
    return new_output("error", ename=name, evalue=printable(text), traceback=[printable(text)])


def outputs(step: Ran | None) -> Iterator[NotebookNode]:
    if step and step["text"]:
        yield shown(step["text"])
    if step and step["status"] == "error":
        yield wrong("Error", step["value"])
    elif step and step["status"] in WORDS:
        yield wrong("Ended", f"This cell {WORDS[step['status']]}.")
