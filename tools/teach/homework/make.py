"""Writes homework for nbgrader from the exercises of the notebooks, into homework/.

make homework writes a folder for each notebook, NB=05 only that of one notebook. In this course of
nbgrader's, `source/` holds the teacher's version, with answers and checks, `for-the-class/` the notebooks
without these exercises, and `course.toml` the teacher's choice. teaching/homework.md has the next steps.
"""

import argparse
import json
import re
import shutil
from pathlib import Path
from textwrap import dedent

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from bootstrap import files
from notebooks.java import assigned, declared, imports, replaced, statements, strings, top, types, used
from notebooks.runs import NOTEBOOKS, ROOT, numbered, opened, read, title
from teach.exercises import BELOW, TAGS, Exercise, exercises, text_above
from teach.homework import course, pseudonyms
from teach.homework.course import Course

HOMEWORK = ROOT / "homework"
# Answers of 15 are figures of a service in the learner's own kernel, so they cannot be judged elsewhere.
GRADED = [path for path in NOTEBOOKS if not path.name.startswith("15-")]
POINTS = 2  # for each exercise
HAND_IN = "hand-in"  # the cell that looks at the notebook before it is handed in
NUMBERS, ANSWER = "-numbers", "-answer"  # what the ids of the cells for numbers, and for words, end with
CONFIG_FILE = "nbgrader_config.py"
CONFIG = Path(__file__).with_name(CONFIG_FILE).read_text(encoding="utf-8")
YOURS = 'import threadlab.homework.Variant;\nvar yours = new Variant("%s", pseudonym);'
# threadlab's packages in the jar that %libraries servers adds
SERVERS = ("threadlab.cases", "threadlab.server")


def imported(cells: list[NotebookNode], wanted: set[str]) -> tuple[list[str], bool]:
    """The imports among `cells` that `wanted` may need, and whether the server libraries must be loaded."""
    found, foreign, whole = [], False, []
    for line, package, name in (each for cell in cells for each in imports(cell.source)):
        known = package.startswith(("java.", "javax.", "jdk.", "threadlab.", "whatwaits."))
        if name in wanted or (name == "*" and known):
            found.append(line)
            own = ("java", "jdk.", "com.sun.", "threadlab", "whatwaits")
            foreign |= not package.startswith(own) or package.startswith(SERVERS)
        elif name == "*":
            whole.append(line)
    # the names in a package of another library are not known here
    return [*dict.fromkeys(found), *(whole if foreign else [])], foreign


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
    if types(stub):
        inside = dedent(inside)
    elif inside != solution:
        name, _ = next(top(stub))
        # up to the line with the answer: the code after it measures, and grading should take only seconds
        end = next(end for start, end in statements(inside) if name in declared(inside[start:end]))
        line = inside.find("\n", end)
        answer = inside[: line if line >= 0 else len(inside)].strip("\n")
        inside = "{\n" + replaced(answer, name, "") + "\n}"
    return f"{stub.rstrip()}\n// BEGIN SOLUTION\n{inside.strip()}\n// END SOLUTION"


def taken(stub: str, check: NotebookNode) -> tuple[str, str]:
    """The type and name of the value that a check takes: the answer, unless the check names another."""
    named = check.metadata.get("threadlab", {}).get("taken")
    return tuple(named.split()) if named else next(top(stub))[::-1]


def judged(stub: str, check: NotebookNode) -> str:
    """The check, hidden from the learner, with the line at which grading divides it.

    Above the line TAKEN it runs beside the answer and gives one value; below, a JVM judges that which has
    never seen the answer. A number DRAWN is new for each submission, but the same in both parts. The
    `share` of a task with parts says which share of the points an answer gets that is not right in all.
    """
    kind, name = taken(stub, check)
    about = check.metadata.get("threadlab", {})
    drawn = about.get("drawn", "")
    parts = [check.source[start:end].strip() for start, end in statements(check.source)]
    seen = about.get("public") or public(stub)
    found = [part for part in parts if drawn not in declared(part)]
    # up to the last statement that gives the value
    gives = [i for i, part in enumerate(found) if dict(top(part)).get(name) or name in assigned(part)]
    at = max(gives, default=-1) + 1
    *below, verdict = found[at:]
    state, text = "graded.state()", "graded.text()"
    if "repair" in check.metadata.tags:
        state, text = '(graded.verdict().mark().equals("✔") ? "RIGHT" : "WRONG")', "graded.detail()"
    if share := about.get("share"):
        state = f'("WRONG".equals("" + {state}) && {share} > 0.01 ? "PARTLY " + ({share}) : "" + {state})'
    beside = [f"// DRAWN: int {drawn}", *found[:at]] if drawn else found[:at]
    lines = ["// Run this before you hand in. When it is graded, your answer must be right, and compile."]
    lines += [f"threadlab.homework.Received.answer({seen})"]
    lines += ["// BEGIN HIDDEN TESTS", *beside, f"// TAKEN: {kind} {name}", *below]
    lines += [f"var graded = {verdict};", f'{state} + "\\n" + {text}', "// END HIDDEN TESTS"]
    return "\n".join(lines)


def public(stub: str) -> str:
    """What a learner's own check looks at: the answer, or the class to repair."""
    name, _ = next(top(stub))  # a method has no value: its check names a call
    return f"{name}.class" if types(stub) else name


def marked(cell: NotebookNode, name: str, **settings: object) -> NotebookNode:
    """The cell with nbgrader's own metadata."""
    own = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    cell.id = name
    cell.metadata = NotebookNode(nbgrader=NotebookNode(own | {"grade_id": name} | settings))
    if cell.metadata.nbgrader.locked:
        cell.metadata.deletable = False
    return cell


def own_numbers(each: Exercise) -> NotebookNode:
    """The cell that gives each learner the numbers of an exercise, in place of the stub's."""
    lines = [
        f'int {name} = yours.number("{name}", {", ".join(map(str, choices))});'
        for name, choices in each.numbers.items()
    ]
    shown = "\\n".join(f"{name} = %,d" for name in each.numbers)
    lines.append(f'System.out.println("{shown}".formatted({", ".join(each.numbers)}));')
    return new_code_cell("\n".join(lines), id=each.stub.id + NUMBERS)


def without_numbers(each: Exercise) -> str:
    """The stub without the lines that declare its plain numbers."""
    stub = each.stub.source
    for start, end in reversed(list(statements(stub))):
        if declared(stub[start:end]) & {*each.numbers}:
            line = stub.find("\n", end)
            stub = stub[:start] + ("" if line < 0 else stub[line + 1 :])
    return stub.strip("\n")


def with_names(text: str, numbers: dict[str, list[int]]) -> str:
    """The text of an exercise with the names of the learner's numbers in place of the plain ones."""
    for name, choices in numbers.items():
        text = re.sub(course.number(choices[0]), f"`{name}`", text)
    if numbers:
        text += "\n\nRun the next cell: it shows your numbers."
    return text


def homework(path: Path, choice: "Course | None" = None) -> NotebookNode:
    """The exercises of a notebook, each with only the cells above that it needs."""
    choice = choice or Course(HOMEWORK / course.FILE)
    cells = choice.cells(path)
    chosen = choice.homework(path, cells)
    made = new_notebook(metadata=read(path).metadata)
    head = (
        f"# Homework · {title(path)}\n\nThe exercises of the notebook `{path.name}`: work through it first."
        " Replace each placeholder with your answer, run the cells from the top, and save. Change only"
        " the cells with an answer. Before you hand in, restart the kernel, run all cells, save, and run the"
        " last cell again: it says what is missing."
    )
    made.cells.append(new_markdown_cell(head, id="homework"))
    there: set[str] = set()

    def gives(cell: NotebookNode) -> None:
        """A locked cell, which two exercises may share."""
        if cell.id not in there:
            there.add(cell.id)
            made.cells.append(marked(cell, cell.id))

    if any(each.numbers for each in chosen):
        who = 'String pseudonym = "";   // yours in this class: your exercises have numbers of their own'
        made.cells.append(marked(new_code_cell(who), pseudonyms.CELL, locked=False))
        made.cells.append(marked(new_code_cell(YOURS % pseudonyms.seed(HOMEWORK)), "yours"))
    for each in chosen:
        at = cells.index(each.stub)
        if each.in_words:
            made.cells += in_words(each)
            continue
        text, begin = each.text, cells.index(each.text)
        between = {cell.id for cell in cells[begin + 1 : at]}
        code = [cell for cell in cells[:at] if cell.cell_type == "code"]
        above = [cell for cell in code if not {*TAGS} & set(cell.metadata.get("tags", []))]
        stub = without_numbers(each)
        answer = answered(stub, each.answer)
        gives(new_markdown_cell(with_names(BELOW.sub("", text.source), each.numbers), id=text.id))
        for cell in needed(above, "\n".join((answer, each.check.source)), between):
            gives(new_code_cell(cell.source, id=cell.id))
        if each.numbers:
            made.cells.append(marked(own_numbers(each), each.stub.id + NUMBERS))
        made.cells.append(marked(new_code_cell(answer), each.stub.id, solution=True, locked=False))
        hidden = new_code_cell(judged(stub, each.check))
        made.cells.append(marked(hidden, each.check.id, grade=True, points=POINTS))
    made.cells.append(hand_in(made.cells, chosen))
    nbformat.validate(made)
    return made


def labels(cells: list[NotebookNode]) -> dict[str, str]:
    """What a learner calls the task of an answer or check: the number or the heading of its text."""
    found, numbers, label, heading = {}, [], "", ""
    for cell in cells:
        about = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown" and not about.get("solution"):
            numbers = re.findall(r"^(?:#+ .*?|\*\*)\b(\d+)[.:]? ?", cell.source, re.MULTILINE)
            heading = "".join(re.findall(r"^#+ (?:.* · )?(.+)$", cell.source, re.MULTILINE)[:1])
        elif about.get("solution"):
            label = f"exercise {numbers.pop(0)}" if numbers else heading or cell.id
        if about.get("solution") or about.get("grade"):
            found[cell.id] = label
    return found


def hand_in(cells: list[NotebookNode], chosen: list[Exercise]) -> NotebookNode:
    """The last cell, which looks at the saved notebook before it is handed in."""
    called, tasks = labels(cells), []
    for each in chosen:
        cell, name = each.stub.id, next(top(without_numbers(each)))[0] if not each.in_words else ""
        tasks.append(f"{called[cell]}: {name}" if name else f"{called[cell + ANSWER]}: {cell}{ANSWER}")
    lines = ",\n        ".join(json.dumps(task, ensure_ascii=False) for task in tasks)
    code = (
        f"// Save, then run this: it says what is missing.\nthreadlab.kernel.HandIn.check(\n        {lines})"
    )
    return marked(new_code_cell(code), HAND_IN)


def in_words(each: Exercise) -> list[NotebookNode]:
    """A question, and the cell for its answer, which holds the rubric until the homework is released."""
    rubric = f"BEGIN SOLUTION\n{each.check.source}\nEND SOLUTION"
    about = {"grade": True, "solution": True, "locked": False, "points": each.check.metadata.threadlab.points}
    return [
        marked(new_markdown_cell(each.stub.source), each.stub.id),
        marked(new_markdown_cell(rubric), each.stub.id + ANSWER, **about),
    ]


def without_homework(path: Path, choice: Course) -> NotebookNode:
    """A notebook for a class: what is homework is no longer in it, what is done in class still is."""
    stored = read(path)
    chosen = {each.stub.id for each in choice.homework(path, choice.cells(path))}
    there = exercises(stored.cells)
    gone = {cell.id for each in there for cell in each.cells if each.stub.id in chosen}
    kept = {text_above(stored.cells, each.stub) for each in there if each.stub.id not in chosen}
    for i, cell in enumerate(stored.cells):
        if i not in kept:
            cell.source = BELOW.sub("", cell.source)
    stored.cells = [cell for cell in stored.cells if cell.id not in gone]
    return stored


def write(paths: list[Path]) -> None:
    """Writes the course for nbgrader; submissions and their marks are kept."""
    (HOMEWORK / "source").mkdir(parents=True, exist_ok=True)
    if not (HOMEWORK / course.FILE).exists():
        files.write(HOMEWORK / course.FILE, course.TEMPLATE)
    choice = course.load(HOMEWORK)
    # nbgrader executes this file, so it is always rewritten, whatever its content was
    files.write(HOMEWORK / CONFIG_FILE, CONFIG)
    for path in paths:
        folder = HOMEWORK / "source" / path.stem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        made = homework(path, choice)
        nbformat.write(made, folder / path.name)
        # a program that a cell starts lies beside the notebook, as in the course
        for name in {text for cell in made.cells for text in strings(cell.source)}:
            if re.fullmatch(r"\w+\.java", name):
                (folder / "programs").mkdir(exist_ok=True)
                shutil.copy2(path.parent / "programs" / name, folder / "programs")
        (HOMEWORK / "for-the-class").mkdir(exist_ok=True)
        nbformat.write(without_homework(path, choice), HOMEWORK / "for-the-class" / path.name)


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
