"""The exercises of a notebook: what each asks, what is answered wrongly, and what is right."""

import re
from dataclasses import dataclass

from nbformat import NotebookNode
from notebooks.java import calls, said, strings, top
from notebooks.runs import measures_time

TAGS = ("exercise", "check", "solution")
# what a text says about the check and the solution below it
BELOW = re.compile(r" ?Replace `Check\.OPEN`.*")


@dataclass(frozen=True)
class Exercise:
    """The cells of an exercise. A question in words has a rubric as its check, and no solution."""

    text: NotebookNode
    stub: NotebookNode
    check: NotebookNode
    solution: "NotebookNode | None" = None

    @property
    def in_words(self) -> bool:
        return self.solution is None

    @property
    def answer(self) -> str:
        """The code of the solution; a question in words has none."""
        return self.solution.source if self.solution else ""

    @property
    def cells(self) -> list[NotebookNode]:
        return [cell for cell in (self.stub, self.check, self.solution) if cell]

    @property
    def numbers(self) -> dict[str, list[int]]:
        """The numbers that each learner may get, by name; outside a class the first one holds."""
        return self.stub.metadata.get("threadlab", {}).get("numbers", {})

    @property
    def title(self) -> str:
        heading = re.match(r"#+ (?:On your own · )?(.*)", self.text.source)
        return heading[1] if heading else "An exercise"

    @property
    def question(self) -> str:
        return re.sub(r"^#+ .*\n?", "", BELOW.sub("", self.text.source)).strip()

    @property
    def of_a_number(self) -> bool:
        """Whether the answer is a number that stands in the stub."""
        given = [call.arguments[0] for call in calls(self.check.source, r"Check\.answer")]
        return dict(top(self.stub.source)).get("".join(given[:1])) in ("int", "double", "long")

    @property
    def mistakes(self) -> list[tuple[str, str]]:
        """The wrong answers that a check explains: the condition, as in the code, and the explanation.

        For a cell to repair: the cell as it is, and what must hold.
        """
        for repair in calls(self.check.source, r"Claim\.repair"):
            return [("as it stands", f"It breaks the claim: {said(repair.arguments[0])}.")]
        made = [call.arguments for call in calls(self.check.source, r"\.mistake")]
        return [(re.sub(r"\s+", " ", when.partition("->")[2]).strip(), said(why)) for when, why in made]

    @property
    def options(self) -> list[tuple[str, str]]:
        """The right answer and three wrong ones, each with what the check says to it; none without three."""
        [(name, _)] = [*top(self.stub.source)][:1] or [("", "")]
        given = [call.arguments[0] for call in calls(self.check.source, r"\.expect")]
        if not self.of_a_number:
            given = re.findall(rf"\b{name} = ([^;]+);", self.answer)
        wrong = self.check.metadata.get("threadlab", {}).get("wrong_answers", [])
        found: dict[str, str] = {}  # by reply: the first answer that gets it
        for place, answer in enumerate(wrong):
            java = answer.partition("=")[2].strip(" ;")
            if reply := self.reply(java, place):
                found.setdefault(reply, words(java))
        told = [(answer, reply) for reply, answer in found.items() if answer]
        right = words(given[0]) if given else ""
        return [(right, self.right), *told[-3:]] if right and len(told) >= 3 else []

    def reply(self, java: str, place: int) -> str:
        """What the check says to a wrong answer: to a number by its condition, else by its place."""
        for at, (condition, told) in enumerate(self.mistakes):
            if holds(condition, java) if self.of_a_number else place == at:
                return told
        return ""

    @property
    def right(self) -> str:
        """What a check says to the right answer."""
        return "".join(said(call.arguments[2]) for call in calls(self.check.source, r"\.expect"))


def words(java: str) -> str:
    """An answer in code as one says it: a number, a text, the texts of a set; '' for any other code."""
    if re.fullmatch(r"-?[\d_.]+", java):
        value = float(java.replace("_", ""))
        return f"{value:,.0f}" if value == int(value) else f"{value:g}"
    return ", ".join(strings(java)) if re.fullmatch(r'(Set|List)\.of\(.*\)|"[^"]*"', java) else ""


def holds(condition: str, java: str) -> bool:
    """Whether the condition of a mistake, such as `Math.abs(x - 1) < 0.4`, holds for a number."""
    plain = re.sub(r"\bMath\.", "", condition).replace("||", " or ").replace("&&", " and ")
    [name] = {*re.findall(r"\b[a-z]\w*\b", plain)} - {"or", "and", "abs", "min", "max", "round"} or {"x"}
    known = {"abs": abs, "min": min, "max": max, "round": round, name: float(java.replace("_", ""))}
    return bool(eval(re.sub(r"(?<=\d)_(?=\d)", "", plain), {"__builtins__": {}}, known))


def exercises(cells: list[NotebookNode], timed: bool = False) -> list[Exercise]:
    """The exercises among these cells; if `timed`, also those whose check measures time."""

    def tagged(tag: str) -> list[NotebookNode]:
        return [cell for cell in cells if tag in cell.metadata.get("tags", [])]

    found = [*zip(*map(tagged, TAGS), strict=True)]
    found = [each for each in found if timed or not measures_time(each[1])]
    found += zip(tagged("question"), tagged("rubric"), strict=True)
    found.sort(key=lambda each: cells.index(each[0]))
    return [Exercise(cells[text_above(cells, each[0])], *each) for each in found]


def exercise_of(cells: list[NotebookNode], stub: NotebookNode) -> Exercise:
    return next(each for each in exercises(cells, timed=True) if each.stub is stub)


def text_above(cells: list[NotebookNode], stub: NotebookNode) -> int:
    """Where the text of an exercise stands; two exercises may share it."""
    return max(i for i in range(cells.index(stub) + 1) if cells[i].cell_type == "markdown")
