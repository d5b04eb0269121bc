"""The teacher's choice for a class, homework/course.toml: which exercises are homework, and further ones."""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from notebooks.java import declared
from notebooks.runs import ROOT, read
from teach import plans
from teach.exercises import Exercise, exercises, text_above

FILE = "course.toml"
TEMPLATE = Path(__file__).with_name(FILE).read_text(encoding="utf-8")


@dataclass
class Course:
    """The content of course.toml."""

    file: Path
    banks: list[Path] = field(default_factory=list)
    plan: "Path | None" = None
    chosen: dict[str, list[str]] = field(default_factory=dict)

    def cells(self, path: Path) -> list[NotebookNode]:
        """A lesson's cells with the exercises of the banks: one of the same id takes the lesson's place."""
        found = read(path).cells
        for bank in self.banks:
            if (file := bank / path.name).is_file():
                for block in blocks(read(file).cells):
                    found = placed(found, block, file)
        ids = [cell.id for cell in found]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            where = f"The cell id {twice[0]} stands in {path.name} and in a bank"
            raise SystemExit(f"{where}: rename that of the bank.")
        return found

    def homework(self, path: Path, cells: list[NotebookNode]) -> list[Exercise]:
        """The exercises that are homework: those chosen, else all, without those done in class."""
        found, in_class = exercises(cells), self.in_class(path)
        wanted = self.chosen.get(path.stem)
        if wanted is None:
            return [each for each in found if each.stub.id not in in_class]
        known = [each.stub.id for each in found]
        for name in wanted:
            if name not in known:
                there = f"it has {', '.join(known) or 'none'}"
                why = f"{path.stem} has no exercise {name} that can be homework; {there}"
            elif self.plan and name in in_class:
                why = f"{name} of {path.stem} is done in class by {self.plan.name}: remove it here, or its"
                why += " link there"
            else:
                continue
            raise SystemExit(f"{self.file}: {why}.")
        return [each for each in found if each.stub.id in wanted]

    def in_class(self, path: Path) -> set[str]:
        """The cells that the plan shows in class; its rows Homework discuss what was done at home."""
        rows = [row for meeting in plans.plan(self.plan) for row in meeting] if self.plan else []
        shown = [row for row in rows if not row.do.startswith("Homework")]
        return {cell for row in shown for notebook, cell in row.cells if notebook == path.name}


def blocks(cells: list[NotebookNode]) -> list[list[NotebookNode]]:
    """The cells of a bank, divided after each exercise."""
    found: list[list[NotebookNode]] = [[]]
    ends = {each.cells[-1].id for each in exercises(cells)}
    for cell in cells:
        found[-1].append(cell)
        if cell.id in ends:
            found.append([])
    return [block for block in found if ends & {cell.id for cell in block}]


def placed(cells: list[NotebookNode], block: list[NotebookNode], file: Path) -> list[NotebookNode]:
    """The cells with this exercise: in the place of the one with the same id, else at the end."""
    [new] = exercises(block)
    if problem := wrong(new, block):
        raise SystemExit(f"{file}: {new.stub.id} {problem}.")
    others = [cell.source for cell in cells if cell.cell_type == "code" and cell.id != new.stub.id]
    for name in sorted({*new.numbers} & {name for source in others for name in declared(source)}):
        where = f"{file}: {new.stub.id} has a number {name}"
        raise SystemExit(f"{where}, and so has a cell of the lesson: rename it.")
    there = exercises(cells)
    if not (old := next((each for each in there if each.stub.id == new.stub.id), None)):
        return cells + block
    at = text_above(cells, old.stub)
    gone = {cell.id for cell in old.cells}
    if all(each is old or text_above(cells, each.stub) != at for each in there):
        gone.add(cells[at].id)
    above, below = ([cell for cell in part if cell.id not in gone] for part in (cells[:at], cells[at:]))
    return above + block + below


def wrong(new: Exercise, block: list[NotebookNode]) -> str:
    """What an exercise of a bank lacks, in words."""
    about = new.check.metadata.get("threadlab", {})
    if new.in_words:
        points = about.get("points")
        return "" if isinstance(points, int) and points > 0 else "has a rubric without points in its metadata"
    if not about.get("wrong_answers"):
        return "has a check without wrong_answers in its metadata"
    text = new.text.source
    for name, choices in new.numbers.items():
        if not re.search(rf"\b{name} = {choices[0]:_}\b|\b{name} = {choices[0]}\b", new.stub.source):
            return f"does not declare {name} = {choices[0]}, the first of its numbers"
        if not re.search(number(choices[0]), text):
            return f"has a text without {name}'s number {choices[0]:,}"
    return ""


def number(plain: int) -> str:
    """The pattern of a number in a text, with or without a comma in its thousands."""
    return rf"(?<![\w.,]){plain:,}(?![\w]|[.,]\d)|(?<![\w.,]){plain}(?![\w]|[.,]\d)"


def load(root: Path) -> Course:
    """The choice for the class in this folder; without a file, all exercises of the lessons."""
    file = root / FILE
    if not file.is_file():
        return Course(file)
    try:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise SystemExit(f"{file} is not TOML: {e}.") from None
    if unknown := sorted({*said} - {"banks", "plan", "exercises"}):
        raise SystemExit(f"{file}: {unknown[0]} is no setting; there are banks, plan and exercises.")
    banks = [ROOT / name for name in said.get("banks", [])]
    plan = ROOT / said["plan"] if "plan" in said else None
    for place in [*banks, *([plan] if plan else [])]:
        if not place.exists():
            raise SystemExit(f"{file}: there is no {place}.")
    return Course(file, banks, plan, said.get("exercises", {}))
