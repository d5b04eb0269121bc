"""Writes homework for nbgrader from the exercises of the notebooks, into homework/.

make homework writes a folder for each notebook, with all its exercises, NB=05 only that of one notebook. In
this course of nbgrader's, `source/` holds the teacher's version, with answers and checks, and
`for-the-class/` the notebooks without exercises and answers. teaching/homework.md has the next steps.
"""

import argparse
import re
import shutil
from pathlib import Path
from textwrap import dedent

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from bootstrap import files
from notebooks.java import blank, declared, statements, used
from notebooks.runs import NOTEBOOKS, ROOT, measures_time, numbered, opened, read, tagged, title

HOMEWORK = ROOT / "homework"
# Answers of 15 are figures of a service in the learner's own kernel, so they cannot be judged elsewhere.
GRADED = [path for path in NOTEBOOKS if not path.name.startswith("15-")]
TAGS = ("exercise", "check", "solution")
POINTS = 2  # for each exercise
CONFIG_FILE = "nbgrader_config.py"
CONFIG = """\
# Written by make homework; teaching/homework.md says what each setting is for.
from math import ceil
from pathlib import Path

from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Int

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "virtual-threads"
# the folder of this file, wherever it lies: in a container it has another name
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.ClearSolutions.code_stub = {"java": "// or assign it here, in as many lines as you like"}


class OnlyInContainers(NbGraderPreprocessor):
    # nbgrader's own autograde and formgrader would run a submission with the rights of whoever grades it
    def preprocess(self, nb, resources):
        raise RuntimeError("submissions are graded by tools/teach/grade.py autograde, in containers")


c.Autograde.sanitize_preprocessors = [OnlyInContainers]


class PerDay(LateSubmissionPlugin):
    percent = Int(0, help="of the points reached, for each day begun").tag(config=True)

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        if not self.percent:
            return super().late_submission_penalty(student_id, score, total_seconds_late)
        return round(score * min(1, ceil(total_seconds_late / 86_400) * self.percent / 100), 2)


c.AssignLatePenalties.plugin_class = PerDay
"""
# what a text says about the check and the solution below it, which homework lacks
BELOW = re.compile(r" Replace `Check\.OPEN`.*?is the solution\.")
# threadlab's packages in the jar that %libraries servers adds
SERVERS = ("threadlab.cases", "threadlab.server")


def imported(cells: list[NotebookNode], wanted: set[str]) -> tuple[list[str], bool]:
    """The imports among `cells` that `wanted` may need, and whether the server libraries must be loaded."""
    found, foreign, whole = [], False, []
    for line in (line for cell in cells for line in cell.source.splitlines()):
        if (match := re.match(r"import (?:static )?([\w.]+)\.(\w+|\*);", line)) and line not in found:
            known = match[1].startswith(("java.", "javax.", "jdk.", "threadlab.", "whatwaits."))
            if match[2] in wanted or (match[2] == "*" and known):
                found.append(line)
                own = ("java", "jdk.", "com.sun.", "threadlab", "whatwaits")
                foreign |= not match[1].startswith(own) or match[1].startswith(SERVERS)
            elif match[2] == "*":
                whole.append(line)
    # the names in a package of another library are not known here
    return found + (whole if foreign else []), foreign


def needed(cells: list[NotebookNode], words: str, always: set[str]) -> list[NotebookNode]:
    """The code cells among `cells` that declare what `words` use, what those use, and so on; in order.

    Cells with an id in `always` are included. The imports come first, in a cell of their own.
    """
    own = {cell.id: declared(cell.source) for cell in cells}
    wanted, kept = used(words), set()
    for cell in reversed(cells):
        if own[cell.id] & wanted or cell.id in always:
            kept.add(cell.id)
            wanted |= used(cell.source)
    lines, foreign = imported([cell for cell in cells if cell.id not in kept], wanted)
    first = [cell for cell in cells if foreign and cell.source.startswith("%libraries")]
    if lines and kept:
        first.append(new_code_cell("\n".join(lines), id=f"imports-{min(kept)}"))
    return first + [cell for cell in cells if cell.id in kept and cell not in first]


def answered(stub: str, solution: str) -> str:
    """The stub followed by the answer, between the markers that nbgrader removes with it."""
    inside = opened(solution)
    if re.search(r"\bclass \w", blank(stub)):
        inside = dedent(inside)
    elif inside != solution:
        name = re.search(r"(\w+)\s*(?:=|\()", blank(stub))[1]
        # up to the line with the answer: the code after it measures, and grading should take only seconds
        end = next(end for start, end in statements(inside) if name in declared(inside[start:end]))
        line = inside.find("\n", end)
        answer = inside[: line if line >= 0 else len(inside)].strip("\n")
        inside = "{\n" + re.sub(rf"^(\s*)\S+ {name} =", rf"\1{name} =", answer, flags=re.MULTILINE) + "\n}"
    return f"{stub.rstrip()}\n// BEGIN SOLUTION\n{inside.strip()}\n// END SOLUTION"


def taken(stub: str, check: NotebookNode) -> tuple[str, str]:
    """The type and name of the value that a check takes: the answer, unless the check names another."""
    named = check.metadata.get("threadlab", {}).get("taken")
    return tuple((named or re.search(r"(\w+ \w+) =", blank(stub))[1]).split())


def judged(stub: str, check: NotebookNode) -> str:
    """The check, hidden from the learner, with the line at which grading divides it.

    Above the line TAKEN it runs beside the answer and gives one value; below, a JVM judges that which has
    never seen the answer. A number DRAWN is new for each submission, but the same in both parts.
    """
    kind, name = taken(stub, check)
    drawn = check.metadata.get("threadlab", {}).get("drawn", "")
    parts = [check.source[start:end].strip() for start, end in statements(check.source)]
    found = [part for part in parts if drawn not in declared(part)]
    at = next((i for i, part in enumerate(found) if re.search(rf"[\w\]>] {name} =", part)), -1) + 1
    *below, verdict = found[at:]
    state, text = "graded.state()", "graded.text()"
    if "repair" in check.metadata.tags:
        state, text = '(graded.verdict().mark().equals("✔") ? "RIGHT" : "WRONG")', "graded.detail()"
    beside = [f"// DRAWN: int {drawn}", *found[:at]] if drawn else found[:at]
    lines = ["// Your answer is checked here when it is graded: it must be right, and compile."]
    lines += ["// BEGIN HIDDEN TESTS", *beside, f"// TAKEN: {kind} {name}", *below]
    lines += [f"var graded = {verdict};", f'{state} + "\\n" + {text}', "// END HIDDEN TESTS"]
    return "\n".join(lines)


def marked(cell: NotebookNode, name: str, **settings: object) -> NotebookNode:
    """The cell with nbgrader's own metadata."""
    own = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    cell.id = name
    cell.metadata = NotebookNode(nbgrader=NotebookNode(own | {"grade_id": name} | settings))
    if cell.metadata.nbgrader.locked:
        cell.metadata.deletable = False
    return cell


def exercises(notebook: NotebookNode) -> list[tuple[NotebookNode, NotebookNode, NotebookNode]]:
    """Stub, check and solution of each exercise, except for those whose check measures time."""
    parts = (tagged(notebook, tag) for tag in TAGS)
    return [each for each in zip(*parts, strict=True) if not measures_time(each[1])]


def homework(path: Path) -> NotebookNode:
    """The exercises of a notebook, each with only the cells above that it needs."""
    stored = read(path)
    made = new_notebook(metadata=stored.metadata)
    head = (
        f"# Homework · {title(path)}\n\nThe exercises of the notebook `{path.name}`: work through it first."
        " Replace each placeholder with your answer, run the cells from the top, and save. Change only"
        " the cells with an answer."
    )
    made.cells.append(new_markdown_cell(head, id="homework"))
    there: set[str] = set()
    for stub, check, solution in exercises(stored):
        at = next(i for i, cell in enumerate(stored.cells) if cell.id == stub.id)
        begin = max(i for i in range(at) if stored.cells[i].cell_type == "markdown")
        text, between = stored.cells[begin], {cell.id for cell in stored.cells[begin + 1 : at]}
        code = [cell for cell in stored.cells[:at] if cell.cell_type == "code"]
        above = [cell for cell in code if not {*TAGS} & set(cell.metadata.get("tags", []))]
        answer = answered(stub.source, solution.source)
        if text.id not in there:  # two exercises may share it
            there.add(text.id)
            made.cells.append(marked(new_markdown_cell(BELOW.sub("", text.source)), text.id))
        for cell in needed(above, "\n".join((answer, check.source)), between):
            if cell.id not in there:
                there.add(cell.id)
                made.cells.append(marked(new_code_cell(cell.source), cell.id))
        made.cells.append(marked(new_code_cell(answer), stub.id, solution=True, locked=False))
        hidden = new_code_cell(judged(stub.source, check))
        made.cells.append(marked(hidden, check.id, grade=True, points=POINTS))
    nbformat.validate(made)
    return made


def without_answers(path: Path) -> NotebookNode:
    """A notebook for a class that gets its exercises as homework."""
    stored = read(path)
    gone = {cell.id for each in exercises(stored) for cell in each}
    stored.cells = [cell for cell in stored.cells if cell.id not in gone]
    for cell in stored.cells:
        cell.source = BELOW.sub("", cell.source)
    return stored


def write(paths: list[Path]) -> None:
    """Writes the course for nbgrader; submissions and their marks are kept."""
    (HOMEWORK / "source").mkdir(parents=True, exist_ok=True)
    # nbgrader executes this file, so it is always rewritten, whatever its content was
    files.write(HOMEWORK / CONFIG_FILE, CONFIG)
    for path in paths:
        folder = HOMEWORK / "source" / path.stem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        made = homework(path)
        nbformat.write(made, folder / path.name)
        # a program that a cell starts lies beside the notebook, as in the course
        for name in sorted({n for cell in made.cells for n in re.findall(r'"(\w+\.java)"', cell.source)}):
            (folder / "programs").mkdir(exist_ok=True)
            shutil.copy2(path.parent / "programs" / name, folder / "programs")
        (HOMEWORK / "for-the-class").mkdir(exist_ok=True)
        nbformat.write(without_answers(path), HOMEWORK / "for-the-class" / path.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notebook", default="")
    number = parser.parse_args().notebook
    paths = [numbered(number)] if number else GRADED
    if not set(paths) <= set(GRADED):
        raise SystemExit(
            "The exercises of 15 cannot be graded: an answer is measured in the learner's own kernel."
            " Go through them in class; make homework writes those of the other notebooks."
        )
    write(paths)
    print(f"Wrote {len(paths)} notebooks to {HOMEWORK}; teaching/homework.md has the next steps.")


if __name__ == "__main__":
    main()
