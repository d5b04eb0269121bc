"""The teacher's version of a homework, and the jobs that run its cells with a learner's answers."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from bootstrap.files import digest
from notebooks.java import assigned, declared
from teach.homework import make, pseudonyms, submission
from teach.homework.isolation import Job, Step
from teach.homework.submission import Submission

HIDDEN = re.compile(
    r"// BEGIN HIDDEN TESTS\n(?:// DRAWN: int (?P<drawn>\w+)\n)?(?P<beside>.*?)"
    r"// TAKEN: (?P<kind>\S+) (?P<name>\w+)\n(?P<below>.*)\n// END HIDDEN TESTS",
    re.DOTALL,
)


@dataclass(frozen=True)
class Exercise:
    """An answer cell with the two parts of its check's source."""

    answer: str
    check: str
    kind: str
    name: str
    drawn: str
    beside: str
    below: str
    numbers: str = ""  # the code that gives each learner other numbers

    def told(self, answer: str, value: str, why: str) -> str:
        """Why an answer is wrong: the learner's line, with its value if that was judged, and a hint."""
        own, why = declared(answer), re.sub(r"^\S+ is not the answer\. ", "", why)
        lines = [line.strip() for line in answer.splitlines() if own & (declared(line) | assigned(line))]
        if self.name not in own:
            return f"Your line  {lines[-1]}\n{why}" if lines else why
        yours = [line for line in lines if self.name in declared(line) | assigned(line)][-1:]
        return f"{self.name} is {value[:200]}{''.join(f', in your line  {line}' for line in yours)}\n{why}"

    def asks(self, drawn: int) -> str:
        """The code that runs beside the answer and shows its value."""
        shown = f"java.util.Arrays.toString({self.name})" if self.kind == "Integer[]" else f'"" + {self.name}'
        return f"{self.declares(drawn)}{self.beside}{shown}"

    def declares(self, drawn: int) -> str:
        return f"int {self.drawn} = {drawn};\n" if self.drawn else ""

    def judges(self, drawn: int, literal: str, given: str) -> str:
        """The code that judges a value, with the numbers of the learner whose it is."""
        numbers = f"{given}{self.numbers}" if self.numbers else ""
        return numbers + self.declares(drawn) + literal + self.below

    def literal(self, value: str) -> str:
        """The value as a Java literal, rebuilt from its characters; empty if it is not of this type."""
        number, real = r"(?:-?\d{1,10}|null)", r"NaN|-?(Infinity|\d{1,400}(\.\d{1,400})?(E-?\d{1,3})?)"
        part = rf"\w+={number}"
        match self.kind:
            case "double" if re.fullmatch(real, value, re.A):
                return f'double {self.name} = Double.parseDouble("{value}");\n'
            case "double":
                return ""
            case "int":
                return f"int {self.name} = {value};\n" if re.fullmatch(r"-?\d{1,9}", value, re.A) else ""
            case "String":
                # JSON writes a quote as \\" and never as \\u0022, at which Java would end the string
                return f"String {self.name} = {json.dumps(value)};\n"
            case "Integer[]" if re.fullmatch(rf"null|\[{number}(, {number}){{0,9}}\]", value, re.A):
                return f"{self.kind} {self.name} = {value.replace('[', '{').replace(']', '}')};\n"
            case record if re.fullmatch(rf"null|{re.escape(record)}\[({part}(, )?){{1,9}}\]", value, re.A):
                given = re.findall(rf"={number}", value, re.A)
                made = f"new {record}({', '.join(each[1:] for each in given)})" if given else "null"
                return f"{record} {self.name} = {made};\n"
        return ""


class Homework:
    """The teacher's version of a homework, and the jobs that grade it."""

    def __init__(self, root: Path, name: str, seconds: int) -> None:
        self.root, self.name, self.seconds = root, name, seconds
        self.file = f"{name}.ipynb"
        folder = root / "source" / name
        try:
            self.source = nbformat.read(folder / self.file, 4)
            self.released = nbformat.read(root / "release" / name / self.file, 4)
        except OSError as e:
            raise SystemExit(
                f"{name} has not been released, because there is no {e.filename}:"
                f" run make homework, then generate_assignment {name}."
            ) from None
        cells, released = (
            {submission.own_id(cell): cell for cell in made.cells} for made in (self.source, self.released)
        )
        if others := sorted({*cells} ^ {*released}):
            raise SystemExit(
                f"{name} was made anew with other exercises after its release ({', '.join(others)}): put the"
                " old bank or choice back and run make homework, or release it again by"
                f" generate_assignment {name} --force."
            )
        self.files = {f"programs/{file.name}": file.read_text() for file in folder.glob("programs/*.java")}
        # the code that knows the learner, if any exercise has numbers of their own
        self.knows = cells["yours"].source if pseudonyms.CELL in cells else ""
        self.words = [name for name, cell in cells.items() if submission.in_words(cell)]
        self.exercises = list(self._exercises(cells))
        self.labels = make.labels(self.source.cells)

    def _exercises(self, cells: dict[str, NotebookNode]) -> Iterator[Exercise]:
        answer = ""
        for cell in cells.values():
            about = cell.metadata.get("nbgrader", {})
            if submission.in_words(cell):
                continue
            if about.get("solution"):
                answer = about.grade_id
            elif about.get("grade"):
                if not (found := HIDDEN.search(cell.source)):
                    which = f"The check {about.grade_id} of {self.name}"
                    raise SystemExit(f"{which} has no line TAKEN; run make homework.")
                parts = found.groupdict("")
                if numbers := cells.get(answer + make.NUMBERS):
                    parts["numbers"] = numbers.source.partition("System.out")[0]
                yield Exercise(answer, about.grade_id, **parts)

    def label(self, name: str) -> str:
        return self.labels.get(name, name)

    def step(self, name: str, source: str, most: int, given: bool = False, begins: bool = False) -> Step:
        return Step(name=name, source=source, seconds=self.seconds, most=most, given=given, begins=begins)

    def learner(self, pseudonym: str) -> str:
        """The code that gives a learner's numbers."""
        return f'String pseudonym = "{pseudonym}";\n{self.knows}\n' if self.knows else ""

    def job(self, answers: dict[str, list[Step]], pseudonym: str = pseudonyms.NOBODY) -> Job:
        """The cells of the homework in order, with these steps in place of answers and checks."""
        steps: list[Step] = []
        for cell in self.source.cells:
            about, source = cell.metadata.get("nbgrader", {}), cell.source
            if about.get("grade_id") == pseudonyms.CELL:  # whatever the learner has written there
                source = f'String pseudonym = "{pseudonym}";'
            elif about.get("solution") or about.get("grade"):
                steps += answers.get(about.grade_id, [])
                continue
            if cell.cell_type == "code":
                steps.append(self.step("given " + cell.id, source, 4_000, given=True))
        return {"files": self.files, "steps": steps}

    def answering(self, sent: Submission, drawn: int, pseudonym: str = pseudonyms.NOBODY) -> Job:
        """The job that runs a learner's answers, and above each the cells that the learner has added."""
        steps: dict[str, list[Step]] = {}
        for each in (one for one in self.exercises if one.answer in sent.answers):
            own = sent.own.get(each.answer, [])
            # `given`, because a kernel that replaces one that has ended needs them, too
            before = [
                self.step(added(each.answer, i), source, 10_000, begins=i == 0, given=True)
                for i, source in enumerate(own)
            ]
            answer = self.step(each.answer, sent.answers[each.answer], 10_000, begins=not own)
            steps[each.answer] = [*before, answer]
            steps[each.check] = [self.step(each.check, each.asks(drawn), 2 * submission.MOST_ANSWER)]
        return self.job(steps, pseudonym)

    def fingerprint(self) -> str:
        """Changes with all that may change a verdict: the cells, the checks, their points, the programs."""
        cells = [[cell.source, cell.metadata.get("nbgrader", {})] for cell in self.source.cells]
        return fingerprint([cells, self.files])


def added(answer: str, number: int) -> str:
    """The name of the step that runs a cell which a learner has added."""
    return f"{answer}, added cell {number + 1}"


def sources(job: Job) -> str:
    """Changes with what a job runs, and not with its limits."""
    return fingerprint([job["files"], [[step["name"], step["source"]] for step in job["steps"]]])


def fingerprint(content: list) -> str:
    return digest(json.dumps(content))
