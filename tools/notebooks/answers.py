"""Answers the exercises of a notebook in its kernel, rightly and wrongly, as a reader might."""

from collections.abc import Iterator

from nbformat import NotebookNode
from notebooks.runs import Session, opened, tagged


def measures_time(check: NotebookNode) -> bool:
    """Whether a busy machine could change the verdict of an exercise; the record of claims judges those."""
    return check.metadata.get("threadlab", {}).get("in_class", False)


def answers(session: Session, timed: bool) -> Iterator[tuple[str, str, str, str]]:
    """Each check, either those that measure time or the others: the mark to expect, the answer, its text."""
    for check, solution in zip(
        tagged(session.stored, "check"), tagged(session.stored, "solution"), strict=True
    ):
        if measures_time(check) == timed:
            session.run(opened(solution.source))
            yield check.id, "✔", "the solution", session.run(check.source)
            for wrong in check.metadata.threadlab.wrong_answers:
                session.run(wrong)
                yield check.id, "✘", wrong, session.run(check.source)
