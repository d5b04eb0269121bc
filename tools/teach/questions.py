"""The questions of a plan: what is guessed or voted on, and what came out when the lesson last ran here.

A line is what one phone or machine answered: by size or place a value; of a choice, the answer's number.
"""

import html
import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from nbformat import NotebookNode
from bootstrap.files import write_rows
from notebooks import reading
from notebooks.claims import executed
from notebooks.runs import ROOT, claims, load, numbered, short
from teach.exercises import exercise_of
from teach.plans import Row, plan

ASKED = re.compile(r'data-guess="([^"]*)"')  # in the output of a cell that asks
KEPT = ROOT / "build/hall"  # what halls have exported
RESULTS = ROOT / "notebooks/results"
COLUMNS = ["lesson", "cell", "line", "n", "value"]
FACTOR = 2  # a guess is near if it is within this factor of what was measured

Line = dict[int, float]
Lines = Sequence[Line]


class Question(NamedTuple):
    lesson: str
    cell: str
    ask: str  # Markdown
    spec: dict  # as guess.js takes it
    measured: Line  # empty if nothing was
    replies: tuple[str, ...] = ()  # to a vote, one for each of its options

    @property
    def key(self) -> str:
        return f"{self.lesson} {self.cell}"  # two lessons may have a cell of one name

    @property
    def last(self) -> int:
        """The size at which a line is judged, the largest that was measured; of a number, its only place."""
        places = self.spec.get("sizes") or [len(self.spec.get("bars", "1"))]
        return max(self.measured, default=places[-1])

    def is_near(self, line: Line) -> bool:
        if self.spec["kind"] in ("choice", "order"):
            return line == self.measured
        here, was = line.get(self.last), self.measured.get(self.last)
        return here is not None and was is not None and was / FACTOR <= here <= was * FACTOR

    def said(self, value: float) -> str:
        """A value with its unit; of a vote, the words of the answer."""
        if self.spec["kind"] == "choice":
            return self.spec["options"][int(value) - 1]
        return figured(value) + self.spec.get("unit", " ms")

    @property
    def at(self) -> str:
        return f" at {self.last:,}" if self.spec.get("line") else ""

    def reveal(self) -> dict:
        """What was measured, as guess.js lays it over a guess."""
        if self.spec["kind"] == "choice":
            return {"words": self.words(self.measured)}
        if self.spec["kind"] == "order":
            return {"order": self.words(self.measured).split(", ")}
        if self.spec["kind"] == "lanes":
            return {"end": self.measured[self.last]}
        points = [{"n": n, "value": value, "low": value, "high": value} for n, value in self.measured.items()]
        return {"series": [{"name": "measured", "kind": "other", "points": points}]}

    def told(self, lines: Lines) -> str:
        """What a hall believed and what came out, in one sentence."""
        judged = [line[self.last] for line in lines if self.last in line]
        parts = [f"{len(lines)} {'answer' if len(lines) == 1 else 'answers'}"]
        if judged and self.spec["kind"] in ("figures", "lanes"):
            parts.append(f"the middle one is {self.said(median(judged))}{self.at}")
        if self.measured:
            how = "right" if self.replies else "measured"
            parts.append(f"{how}: {self.words(self.measured)}{self.at}")
        return "; ".join(parts) + "."

    def share(self, lines: Lines) -> str:
        """How many of those who answered were near."""
        near = [self.is_near(line) for line in lines if self.last in line]
        if not near or not self.measured:
            return ""
        how = "within a factor of two" if self.spec["kind"] in ("figures", "lanes") else "right"
        return f"{100 * sum(near) / len(near):.0f} % of you {how}"

    def words(self, line: Line) -> str:
        if self.spec["kind"] == "order":
            return ", ".join(self.spec["items"][int(line[place]) - 1] for place in sorted(line))
        return self.said(line[self.last])


def figured(value: float) -> str:
    """Three significant digits."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:g}"


def line(spec: dict, marks: list[dict]) -> Line:
    """The line of a guess's parts, as guess.js tells them; ValueError for what it cannot have told."""
    try:
        told = {int(mark["n"]): (float(mark["value"]), str(mark["words"])) for mark in marks}
        sound = 0 < len(told) == len(marks) and all(int(mark["n"]) == mark["n"] for mark in marks)
        made = {n: value for n, (value, _) in told.items()}
        values = [*made.values()]
        count = len(spec.get("options") or spec.get("items") or spec.get("bars", []))
        whole = [float(i) for i in range(1, count + 1)]
        match spec["kind"]:
            case "figures":
                sound &= set(made) <= set(spec["sizes"])
                sound &= all(spec["low"] <= value <= spec["high"] for value in values)
            case "choice":
                sound &= [*made] == [1] and values[0] in whole
            case "order":
                sound &= sorted(made) == whole == sorted(values)
            case "lanes":
                ends = [value + spec["bars"][n - 1][1] for n, (value, _) in told.items()]
                sound &= sorted(made) == whole and all(lane in spec["lanes"] for _, lane in told.values())
                sound &= min(values) >= 0 and max(ends) <= spec["axis"] * 1.001
                made = {count: max(ends)}
    except (TypeError, KeyError, IndexError, ValueError, OverflowError, AttributeError):
        sound = False
    if not sound:
        raise ValueError("this is no answer to the question that is open")
    return made


def guessed(lesson: str, cell: NotebookNode, ask: str = "") -> Question | None:
    """The question of a cell that asks for a guess, if its notebook has run."""
    for output in cell.get("outputs", []):
        if shown := ASKED.search(output.get("data", {}).get("text/html", "")):
            found = json.loads(html.unescape(shown[1]))
            measured = {int(mark["n"]): float(mark["value"]) for mark in found["measured"]}
            return Question(lesson, cell.id, ask or found["spec"]["about"], found["spec"], measured)
    return None


def voted(lesson: str, cells: list[NotebookNode], cell: NotebookNode) -> Question | None:
    """An exercise as a vote: its right answer among three wrong ones, if its check has replies to so many."""
    one = exercise_of(cells, cell)
    by_size = lambda option: (float(re.sub(r"[^\d.]", "", option[0]) or "inf"), option)  # noqa: E731
    if not (options := sorted(one.options, key=by_size)):
        return None
    right = options.index(one.options[0]) + 1
    words, replies = zip(*options, strict=True)
    spec = {"kind": "choice", "about": one.title, "figure": "choice", "options": [*words]}
    ask = re.sub(r"^\*\*\d+\.\*\* |\bRun the\b[^.]*\. ?", "", one.question)  # a hall runs no cells
    return Question(lesson, cell.id, ask, spec, {1: float(right)}, replies)


def of_row(row: Row, lessons: dict[str, NotebookNode]) -> Iterator[Question]:
    """The questions of a line of a plan; if it has a sentence for each guess, each gets its own."""
    linked = [(name, cell) for name, wanted in row.cells for cell in lessons[name].cells if cell.id == wanted]
    asked, guesses = re.findall(r"[^?]+\?", row.ask), [cell.id for _, cell in linked if asks(cell)]
    for name, cell in linked:
        found, lesson = None, short(Path(name).stem)
        if asks(cell):
            shared = row.ask if len(guesses) == 1 else ""
            own = asked[guesses.index(cell.id)].strip() if len(asked) == len(guesses) else shared
            found = guessed(lesson, cell, own)
        elif "exercise" in reading.tags(cell):
            found = voted(lesson, lessons[name].cells, cell)
        if found:
            yield found


def asks(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and "Guess." in cell.source


def of_plan(path: Path, run: bool = True) -> list[Question]:
    """All questions of a plan, with `run` after running the lessons whose code has changed."""
    rows = [row for meeting in plan(path) for row in meeting]
    names = sorted({name for row in rows for name, _ in row.cells})
    lessons = {name: executed(ROOT / "notebooks" / name, run) for name in names}
    for name, lesson in lessons.items():
        if open_ := sum(told.startswith("≈") for told in claims(lesson).values()):
            print(f"Other programs were busy when {name[:2]} last ran: {open_} claims are open.", end=" ")
            print(f"Delete build/executed/{name} to run it again on a quiet computer.", flush=True)
    return [question for row in rows for question in of_row(row, lessons)]


def of_lesson(path: Path, run: bool = True) -> list[Question]:
    """The guesses of a lesson, in its own words."""
    cells, number = executed(path, run).cells, short(path.stem)
    return [found for cell in cells if asks(cell) and (found := guessed(number, cell))]


def just_measured(question: Question) -> Line:
    """What a lecturer's own kernel has kept of a question since its cell ran the last time."""
    rows = load(RESULTS / f"{numbered(question.lesson).stem[3:]}.csv")
    own = ["measured", question.spec["about"]]
    return {int(row["n"]): float(row["value"]) for row in rows if [row["what"], row["name"]] == own}


def export(asked: list[Question], lines: dict[str, dict[str, Line]]) -> Path:
    """Writes the lines of each question, figures only."""
    KEPT.mkdir(parents=True, exist_ok=True)
    # to the second: a hall that has begun anew does not replace what the one before has exported
    file, rows = KEPT / f"{time.strftime('%Y-%m-%d-%H%M%S')}.csv", []
    for question in asked:
        for number, one in enumerate(lines.get(question.key, {}).values(), start=1):
            rows += [[question.lesson, question.cell, number, *mark] for mark in one.items()]
    write_rows(file, [COLUMNS, *rows])
    return file


def exported() -> dict[tuple[str, str], list[Line]]:
    """The lines that a hall has exported, by lesson and cell; of each the last hall's."""
    found: dict[tuple[str, str], list[Line]] = {}
    for file in sorted(KEPT.glob("*.csv")):
        lines: dict[tuple[str, str], dict[str, Line]] = {}
        for row in load(file):
            own = lines.setdefault((row["lesson"], row["cell"]), {}).setdefault(row["line"], {})
            own[int(row["n"])] = float(row["value"])
        found |= {key: [*own.values()] for key, own in lines.items()}
    return found
