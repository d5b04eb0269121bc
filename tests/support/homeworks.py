"""The homework of a lesson as a class gets it: the teacher's version, and a release without its answers."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from notebooks.runs import NOTEBOOKS
from teach.homework import grade, jobs, make

FIRST = NOTEBOOKS[0]
ANSWER, CHECK = "fair-stub", "fair-check"
HIDDEN = re.compile(r"(?:// )?BEGIN (SOLUTION|HIDDEN TESTS)\n.*?END \1", re.DOTALL)


def of_nbgrader(notebook: NotebookNode, kind: str) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get(kind)]


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name)


def answer(source: str) -> str:
    """The answer in one of the teacher's cells."""
    return source.partition("// BEGIN SOLUTION\n")[2].partition("// END SOLUTION")[0]


def graded(*words: str, code: int = 0) -> str:
    """What a command of grade.py says, as a teacher starts it."""
    ended = subprocess.run([sys.executable, grade.__file__, *words], capture_output=True, text=True)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def written(root: Path, path: Path = FIRST, seconds: int = 60) -> jobs.Homework:
    """Writes a lesson's homework into a folder, and releases it as nbgrader does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(make, "HOMEWORK", root)
        make.write([path])
    released = nbformat.read(root / "source" / path.stem / path.name, 4)
    for each in released.cells:
        each.source = HIDDEN.sub("", each.source)
    (root / "release" / path.stem).mkdir(parents=True)
    nbformat.write(released, root / "release" / path.stem / path.name)
    return jobs.Homework(root, path.stem, seconds)
