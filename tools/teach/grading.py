"""From submissions to results: answers run in one container, and another one judges their values."""

import re
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output

from teach import isolation, submission
from teach.isolation import Failed, Limits, printable
from teach.submission import Refused, Submission

HIDDEN = re.compile(
    r"// BEGIN HIDDEN TESTS\n(?:// DRAWN: int (?P<drawn>\w+)\n)?(?P<beside>.*?)"
    r"// TAKEN: (?P<kind>\S+) (?P<name>\w+)\n(?P<below>.*)\n// END HIDDEN TESTS",
    re.DOTALL,
)
TOGETHER = 20  # values that one container judges, within its time
WORDS = {
    "time": "took longer than a cell may, and was ended",
    "ended": "ended its kernel",
    "flood": "printed without end, and was ended",
}
# what a program may hold beside the words of the one that it repairs
JAVA = {"new", "try", "final", "static", "class", "void", "int", "long", "var"} | {
    *("Class", "forName", "Thread", "ofPlatform", "start", "join", "run")
}


@dataclass(frozen=True)
class Exercise:
    """An answer cell with its check; the check's source in its two parts."""

    answer: str
    check: str
    kind: str
    name: str
    drawn: str
    beside: str
    below: str

    def asks(self, drawn: int) -> str:
        """What runs beside the answer, and shows its value."""
        shown = f"java.util.Arrays.toString({self.name})" if self.kind == "Integer[]" else f'"" + {self.name}'
        return f"{self.declares(drawn)}{self.beside}{shown}"

    def declares(self, drawn: int) -> str:
        return f"int {self.drawn} = {drawn};\n" if self.drawn else ""

    def literal(self, value: str) -> str:
        """The value in Java, made anew from its digits and letters; empty if it is none of this kind."""
        number = r"(?:-?\d{1,10}|null)"
        match self.kind:
            case "double" if re.fullmatch(
                r"NaN|-?(Infinity|\d{1,400}(\.\d{1,400})?(E-?\d{1,3})?)", value, re.A
            ):
                return f'double {self.name} = Double.parseDouble("{value}");\n'
            case "double":
                return ""
            case "String":
                escaped = "".join(c if c.isascii() and c.isalnum() else escape(c) for c in value)
                return f'String {self.name} = "{escaped}";\n'
            case "Integer[]" if re.fullmatch(rf"null|\[{number}(, {number}){{0,9}}\]", value, re.A):
                return f"{self.kind} {self.name} = {value.replace('[', '{').replace(']', '}')};\n"
            case record if re.fullmatch(
                rf"null|{re.escape(record)}\[(\w+={number}(, )?){{1,9}}\]", value, re.A
            ):
                given = re.findall(rf"={number}", value, re.A)
                made = f"new {record}({', '.join(each[1:] for each in given)})" if given else "null"
                return f"{record} {self.name} = {made};\n"
        return ""


def escape(char: str) -> str:
    """A character in a text of Java, of which a compiler reads \\uXXXX before it looks for the text's end."""
    if ord(char) < 0x100:
        return f"\\{ord(char):03o}"
    return "".join(f"\\u{int.from_bytes(unit, 'big'):04x}" for unit in units(char))


def units(char: str) -> list[bytes]:
    coded = char.encode("utf-16-be", "surrogatepass")
    return [coded[i : i + 2] for i in range(0, len(coded), 2)]


class Homework:
    """A homework as the teacher has it, and the jobs that grade it."""

    def __init__(self, root: Path, name: str, seconds: int) -> None:
        self.name, self.seconds = name, seconds
        self.file = f"{name}.ipynb"
        folder = root / "source" / name
        try:
            self.source = nbformat.read(folder / self.file, 4)
            self.released = nbformat.read(root / "release" / name / self.file, 4)
        except OSError as e:
            raise SystemExit(
                f"{name} has not been released, for there is no {e.filename}:"
                f" make homework, then generate_assignment {name}."
            ) from None
        self.files = {f"programs/{file.name}": file.read_text() for file in folder.glob("programs/*.java")}
        self.exercises = list(self._exercises())

    def _exercises(self) -> Iterator[Exercise]:
        answer = ""
        for cell in self.source.cells:
            about = cell.metadata.get("nbgrader", {})
            if about.get("solution"):
                answer = about.grade_id
            elif about.get("grade"):
                if not (found := HIDDEN.search(cell.source)):
                    raise SystemExit(
                        f"The check {about.grade_id} of {self.name} has no line TAKEN; run make homework."
                    )
                parts = {key: text or "" for key, text in found.groupdict().items()}
                yield Exercise(answer, about.grade_id, **parts)

    def step(self, name: str, source: str, most: int, given: bool = False) -> dict:
        return {"name": name, "source": source, "seconds": self.seconds, "most": most, "given": given}

    def job(self, answers: dict[str, list[dict]]) -> dict:
        """The cells of the homework in their order, with these steps in the places of answers and checks."""
        steps = []
        for cell in self.source.cells:
            about = cell.metadata.get("nbgrader", {})
            if about.get("solution") or about.get("grade"):
                steps += answers.get(about.grade_id, [])
            elif cell.cell_type == "code":
                steps.append(self.step("given " + cell.id, cell.source, 4_000, given=True))
        return {"files": self.files, "steps": steps}

    def answering(self, sent: Submission, drawn: int) -> dict:
        steps = {}
        for each in self.exercises:
            if each.answer in sent.answers:
                steps[each.answer] = [self.step(each.answer, sent.answers[each.answer], 10_000)]
                steps[each.check] = [self.step(each.check, each.asks(drawn), 2 * submission.MOST_ANSWER)]
        return self.job(steps)

    def foreign(self, program: str) -> bool:
        """Whether a program has other words than the one that it repairs, or prints or measures otherwise."""
        java = submission.plain(program)
        own = [submission.plain(text) for text in self.files.values()]
        words = {word for text in own for word in re.findall(r"\w+", text)} | JAVA
        texts = {text for file in self.files.values() for text in re.findall(r'"[^"\n]*"', file)}
        measures = [[line.strip() for line in text.splitlines() if "System" in line] for text in (java, *own)]
        return (
            not set(re.findall(r"\w+", java)) <= words
            or not set(re.findall(r'"[^"\n]*"', program)) <= texts
            or "\\u" in program
            or measures[0] not in measures[1:]
        )


@dataclass
class Graded:
    """A submission on its way: what its steps came to, and of each check whether it is right, and why."""

    student: str
    sent: Submission
    drawn: int = field(default_factory=lambda: secrets.randbelow(1_000_000))
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    verdicts: dict[str, tuple[bool, str]] = field(default_factory=dict)


@dataclass
class Batch:
    """All submissions to a homework. What the teacher should know of one is printed at once."""

    root: Path
    homework: Homework
    engine: "list[str] | None"
    limits: Limits
    jobs: int
    before: int = 0
    sent: int = 0

    def grade(self, only: str, again: bool, staged: Path) -> int:
        """Writes what nbgrader is to take in; returns how many submissions that are."""
        waiting = list(self.waiting(only, again))
        with ThreadPoolExecutor(self.jobs) as pool:
            ran = [graded for graded in pool.map(self.answer, waiting) if graded]
            done = self.judge(ran, pool)
        for graded in done:
            self.stage(graded, staged)
        return len(done)

    def tell(self, student: str, text: str) -> None:
        print(f"{printable(student)}: {printable(text)}".replace("\n", " ")[:400], flush=True)

    def waiting(self, only: str, again: bool) -> Iterator[Graded]:
        name = self.homework.name
        folders = sorted(self.root.glob(f"submitted/{only}/{name}"))
        if not folders:
            raise SystemExit(
                f"Nobody has sent in {name}: submissions lie in {self.root}/submitted/STUDENT/{name}."
            )
        for folder in folders:
            student = folder.parent.name
            self.sent += 1
            result = self.root / "autograded" / student / name / self.homework.file
            try:
                if not submission.STUDENT.fullmatch(student):
                    raise Refused("a name has letters, digits and @ . _ + -; rename the folder")
                if not folder.is_dir():
                    raise Refused(f"{name} is no folder; put the notebook into one of this name")
                sent = submission.read(folder, self.homework.file, self.homework.released)
                notebook = folder / self.homework.file
                if not again and result.is_file() and result.stat().st_mtime >= notebook.stat().st_mtime:
                    self.before += 1
                    continue
            except (Refused, OSError) as e:
                self.tell(student, f"not graded: {e}")
                continue
            for note in sent.notes:
                self.tell(student, note)
            yield Graded(student, sent)

    def answer(self, graded: Graded) -> "Graded | None":
        try:
            job = self.homework.answering(graded.sent, graded.drawn)
            graded.steps = isolation.run(job, self.engine, self.limits)
        except Failed as e:
            self.tell(graded.student, f"not graded: {e}")
            return None
        for each in self.homework.exercises:
            if each.answer in graded.sent.answers:
                for note in self.remarks(graded.steps.get(each.answer)):
                    self.tell(graded.student, f"{each.answer}: {note}")
        return graded

    @staticmethod
    def remarks(step: "dict[str, str] | None") -> Iterator[str]:
        if step is None:
            yield "not run: what ran before let no kernel start any more"
            return
        if step["status"] != "ok":
            yield WORDS.get(step["status"], "failed: " + step["value"][:200])
        if re.search(r"<\s*/?\s*[a-zA-Z!]", step["text"] + step["value"]):
            yield "prints HTML, which the feedback shows as text"
        if re.search("[✔✘✎]", step["text"]):
            yield "prints the words of a check"

    def judge(self, ran: list[Graded], pool: ThreadPoolExecutor) -> list[Graded]:
        """Has all values judged; a value that is a program runs in a container of its own."""
        same: dict[tuple[str, str], list[Graded]] = {}
        for graded in ran:
            for each in self.homework.exercises:
                found = self.value(graded, each)
                if isinstance(found, str):
                    same.setdefault((each.check, found), []).append(graded)
                else:
                    graded.verdicts[each.check] = found
        common, single = [], []
        for check, source in same:
            program = self.homework.files and self.exercise(check).kind == "String"
            (single if program else common).append((check, source))
        groups = [[key] for key in single] + [
            common[i : i + TOGETHER] for i in range(0, len(common), TOGETHER)
        ]
        failed: set[str] = set()
        for group, told in zip(groups, pool.map(self.verdicts, groups), strict=True):
            for key, verdict in zip(group, told, strict=True):
                for graded in same[key]:
                    if verdict is None:
                        failed.add(graded.student)
                    else:
                        graded.verdicts[key[0]] = verdict
        for student in sorted(failed):
            self.tell(student, "not graded: the judge's container gave no verdict; grade it again")
        return [graded for graded in ran if graded.student not in failed]

    def exercise(self, check: str) -> Exercise:
        return next(each for each in self.homework.exercises if each.check == check)

    def value(self, graded: Graded, each: Exercise) -> "str | tuple[bool, str]":
        """What the judge is to run; or the verdict, where there is nothing to judge."""
        if each.answer in graded.sent.refused:
            return False, "This answer was not run: " + graded.sent.refused[each.answer] + "."
        ran, shown = (graded.steps.get(name) for name in (each.answer, each.check))
        if ran is None or shown is None:
            return False, "This answer was not run, for one before it let no kernel start any more."
        if ran["status"] in WORDS:
            return False, f"The cell with the answer {WORDS[ran['status']]}."
        if shown["status"] != "ok":
            why = WORDS.get(shown["status"], shown["value"])
            if ran["status"] == "ok":
                self.tell(graded.student, f"{each.answer}: has no value: {why[:200]}")
            return False, "The answer has no value that could be judged: " + printable(why)[:1_000]
        if not (literal := each.literal(shown["value"])):
            self.tell(graded.student, f"{each.answer}: has a value that is no {each.kind}")
            return False, f"The answer is no value of the kind {each.kind}."
        if each.kind == "String" and self.homework.files and self.homework.foreign(shown["value"]):
            self.tell(
                graded.student, f"{each.answer}: refused: a program that does more than the one to repair"
            )
            return (
                False,
                "The changed program may move, wrap and repeat what is there, and measure as before.",
            )
        return each.declares(graded.drawn) + literal + each.below

    def verdicts(self, keys: list[tuple[str, str]]) -> "list[tuple[bool, str] | None]":
        """What the judge says of each; None where it says nothing."""
        steps: dict[str, list[dict]] = {}
        for number, (check, source) in enumerate(keys):
            steps.setdefault(check, []).append(self.homework.step(f"{number}", source, 4_000))
        try:
            told = isolation.run(self.homework.job(steps), self.engine, self.limits)
        except Failed as e:
            print(f"The judge of {self.homework.name}: {e}", flush=True)
            return [None] * len(keys)
        if any(step["status"] != "ok" for name, step in told.items() if name.startswith("given ")):
            return [None] * len(keys)
        return [self.verdict(told.get(f"{number}")) for number in range(len(keys))]

    @staticmethod
    def verdict(step: "dict[str, str] | None") -> "tuple[bool, str] | None":
        if step is None:
            return None
        state, _, text = step["value"].partition("\n")
        if step["status"] == "ok" and state in ("RIGHT", "WRONG", "OPEN"):
            return state == "RIGHT", text
        return False, "The check could not use this answer: " + WORDS.get(step["status"], step["value"])

    def stage(self, graded: Graded, staged: Path) -> None:
        """The homework as it was graded: the teacher's cells, the learner's answers, and texts as outputs."""
        made = deepcopy(self.homework.source)
        by_check = {each.check: each for each in self.homework.exercises}
        for cell in made.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if name in by_check:
                right, text = graded.verdicts[name]
                cell.outputs = [shown("✔ " + text) if right else wrong("AssertionError", text)]
            elif name in graded.sent.answers:
                cell.source = graded.sent.answers[name]
                cell.outputs = list(outputs(graded.steps.get(name)))
            elif name in graded.sent.refused:
                released = next(c for c in self.homework.released.cells if submission.own_id(c) == name)
                cell.source = released.source
        folder = staged / graded.student / self.homework.name
        folder.mkdir(parents=True)
        nbformat.write(made, folder / self.homework.file)
        try:
            sent = self.root / "submitted" / graded.student / self.homework.name / "timestamp.txt"
            stamp = submission.regular(sent, 100).strip()
        except Refused:
            return
        if re.fullmatch(r"[\w :.+/-]+", stamp, re.A):
            (folder / "timestamp.txt").write_text(stamp)


def shown(text: str) -> NotebookNode:
    return new_output("stream", name="stdout", text=printable(text))


def wrong(name: str, text: str) -> NotebookNode:
    return new_output("error", ename=name, evalue=printable(text), traceback=[printable(text)])


def outputs(step: "dict[str, str] | None") -> Iterator[NotebookNode]:
    if step and step["text"]:
        yield shown(step["text"])
    if step and step["status"] == "error":
        yield wrong("Error", step["value"])
    elif step and step["status"] in WORDS:
        yield wrong("Ended", f"This cell {WORDS[step['status']]}.")
