"""What the last cell of a homework says before it is handed in. Ten seconds."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from homeworks import answer, cell, written
from notebooks.runs import Session
from teach.homework import course, make, pseudonyms
from variants import LESSON, TOML

LIMITED, WORDS = "limited-stub", "why-question-answer"
Edit = Callable[[NotebookNode], object]


def twice(made: NotebookNode) -> None:
    made.cells.append(new_code_cell("UnaryOperator<Callable<Void>> limited = call -> call;"))


def pasted(made: NotebookNode) -> None:
    made.cells.append(new_code_cell("\n" + cell(made, LIMITED).source))


def source(name: str, text: str) -> Edit:
    return lambda made: cell(made, name).update(source=text)


# what was done to a homework in which all was answered and run, and what its author then reads
EDITS: dict[str, tuple[Edit, str]] = {
    "nothing": (lambda made: None, "✔ Hand in this file: all 4 answers are there."),
    "pasted twice": (pasted, "✔ Hand in this file"),
    "two answers": (twice, "exercise 1: 2 cells declare limited: keep one"),
    "no answer": (
        lambda made: made.cells.remove(cell(made, LIMITED)),
        "exercise 1: no cell declares limited",
    ),
    "edited": (source("switch-stub", "Set<String> faster = Set.of();"), "faster has not run as it is saved"),
    "no words": (source(WORDS, "*Your answer, in words.*"), "exercise 4: it has no answer yet"),
    "no pseudonym": (source(pseudonyms.CELL, 'String pseudonym = "abcdefgh";'), "no pseudonym"),
}


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    home = tmp_path_factory.mktemp("homework")
    (home / course.FILE).write_text(TOML, encoding="utf-8")
    here = written(home, LESSON)
    made, solved = deepcopy(here.released), here.source
    for name in (each.answer for each in here.exercises):
        cell(made, name).source = cell(made, name).source.strip() + "\n" + answer(cell(solved, name).source)
    cell(made, WORDS).source = "Because all of its threads wait."
    cell(made, pseudonyms.CELL).source = f'String pseudonym = "{pseudonyms.pseudonym(home, "ada")}";'
    file = home / "handed-in" / LESSON.name
    file.parent.mkdir()
    nbformat.write(made, file)
    session = Session(file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JPY_SESSION_NAME", str(file))  # as Jupyter's server starts a kernel
        # so the folder alone would not tell which one is meant
        nbformat.write(made, file.with_name("another.ipynb"))
        with session.kernel():
            assert not [out for each in session.run_all().notebook.cells for out in failures(each)]
            yield session


def failures(ran: NotebookNode) -> list[NotebookNode]:
    return [out for out in ran.get("outputs", []) if out.output_type == "error"]


def told(session: Session, made: NotebookNode) -> str:
    nbformat.write(made, session.path)
    return session.run(cell(made, make.HAND_IN).source)


@pytest.mark.parametrize("done", EDITS)
def test_whoever_hands_in_reads_what_is_missing(answered: Session, done: str) -> None:
    edit, expected = EDITS[done]
    made = deepcopy(answered.stored)
    edit(made)
    assert expected in (said := told(answered, made)) and said.count("•") == (not said.startswith("✔"))


def test_a_cell_that_fails_and_one_that_is_open_are_named(answered: Session) -> None:
    made = deepcopy(answered.stored)
    cell(made, "switch-stub").source = "Set<String> faster = Set.of(1);"
    with pytest.raises(AssertionError):
        answered.run(cell(made, "switch-stub").source)
    assert "exercise 2: the cell of faster does not compile, or fails" in told(answered, made)
    cell(made, "switch-stub").source = "Set<String> faster = Set.of();"
    answered.run(cell(made, "switch-stub").source)
    assert "exercise 2: faster has no answer yet" in told(answered, made)


def test_elsewhere_than_in_jupyterlab_the_only_homework_beside_the_kernel_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    here = written(tmp_path)
    file = tmp_path / "handed-in" / here.file
    file.parent.mkdir()
    nbformat.write(here.released, file)
    session = Session(file)
    with session.kernel():
        assert "timesAsFast has not run as it is saved" in told(session, here.released)
        nbformat.write(here.released, file.with_name("another.ipynb"))
        assert "was not found from here" in told(session, here.released)
