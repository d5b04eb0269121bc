"""Turns submissions into results: answers run in one container, and another judges their values."""

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
from teach.jobs import Exercise, Homework
from teach.submission import Refused, Submission

TOGETHER = 20  # values that one container judges within its time
WORDS = {
    "time": "exceeded the time limit of a cell and was ended",
    "ended": "ended its kernel",
    "flood": "printed without end and was ended",
}


@dataclass
class Graded:
    """A submission being graded: the results of its steps, and for each check whether it is right and why."""

    student: str
    sent: Submission
    drawn: int = field(default_factory=lambda: secrets.randbelow(1_000_000))
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    verdicts: dict[str, tuple[bool, str]] = field(default_factory=dict)


@dataclass
class Batch:
    """All submissions to a homework. Notes for the teacher are printed as soon as they arise."""

    root: Path
    homework: Homework
    engine: "list[str] | None"
    limits: Limits
    jobs: int
    before: int = 0
    sent: int = 0

    def grade(self, only: str, again: bool, staged: Path) -> int:
        """Writes the submissions that nbgrader is to import; returns their number."""
        # many learners send the same text: one container runs it, and sees nothing else
        alike: dict[tuple, list[Graded]] = {}
        for graded in self.waiting(only, again):
            alike.setdefault(tuple(graded.sent.answers.items()), []).append(graded)
        with ThreadPoolExecutor(self.jobs) as pool:
            ran = [graded for same in pool.map(self.answer, alike.values()) for graded in same]
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
                f"There is no submission to {name}: put each into {self.root}/submitted/STUDENT/{name}."
            )
        for folder in folders:
            student = folder.parent.name
            self.sent += 1
            result = self.root / "autograded" / student / name / self.homework.file
            try:
                if not submission.STUDENT.fullmatch(student):
                    raise Refused("a name may have letters, digits and @ . _ + -; rename the folder")
                if not folder.is_dir():
                    raise Refused(f"{name} is not a folder; put the notebook into a folder of this name")
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

    def answer(self, same: list[Graded]) -> list[Graded]:
        """Runs the answers of submissions with identical answers."""
        drawn, answers = same[0].drawn, same[0].sent.answers
        try:
            steps = isolation.run(self.homework.answering(answers, drawn), self.engine, self.limits)
        except Failed as e:
            for graded in same:
                self.tell(graded.student, f"not graded: {e}")
            return []
        for graded in same:
            graded.drawn, graded.steps = drawn, steps
            for name in answers:
                for note in self.remarks(steps.get(name)):
                    self.tell(graded.student, f"{name}: {note}")
        return same

    @staticmethod
    def remarks(step: "dict[str, str] | None") -> Iterator[str]:
        if step is None:
            yield "not run: no kernel could start after an earlier answer"
            return
        if step["status"] != "ok":
            yield WORDS.get(step["status"], "failed: " + step["value"][:200])
        if re.search(r"<\s*/?\s*[a-zA-Z!]", step["text"] + step["value"]):
            yield "prints HTML, which the feedback shows as text"
        if re.search("[✔✘✎]", step["text"]):
            yield "prints the marks of a check"

    def judge(self, ran: list[Graded], pool: ThreadPoolExecutor) -> list[Graded]:
        """Has all values judged, equal ones only once."""
        same: dict[tuple[str, str], list[Graded]] = {}
        for graded in ran:
            for each in self.homework.exercises:
                found = self.value(graded, each)
                if isinstance(found, str):
                    same.setdefault((each.check, found), []).append(graded)
                else:
                    graded.verdicts[each.check] = found
        keys = list(same)
        groups = [keys[i : i + TOGETHER] for i in range(0, len(keys), TOGETHER)]
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

    def value(self, graded: Graded, each: Exercise) -> "str | tuple[bool, str]":
        """What the judge is to run, or the verdict if there is nothing to judge."""
        if each.answer in graded.sent.refused:
            return False, "This answer was not run: " + graded.sent.refused[each.answer] + "."
        ran, shown = (graded.steps.get(name) for name in (each.answer, each.check))
        if ran is None or shown is None:
            return False, "This answer was not run, because no kernel could start after an earlier answer."
        if ran["status"] in WORDS:
            return False, f"The cell with the answer {WORDS[ran['status']]}."
        if shown["status"] != "ok":
            why = WORDS.get(shown["status"], shown["value"])
            if ran["status"] == "ok":
                self.tell(graded.student, f"{each.answer}: has no value: {why[:200]}")
            return False, "The answer has no value that could be judged: " + printable(why)[:1_000]
        if not (literal := each.literal(shown["value"])):
            self.tell(graded.student, f"{each.answer}: has a value that is not of type {each.kind}")
            return False, f"The answer is not a value of type {each.kind}."
        return each.declares(graded.drawn) + literal + each.below

    def verdicts(self, keys: list[tuple[str, str]]) -> "list[tuple[bool, str] | None]":
        """The judge's verdict on each; None if there is none."""
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
        """Writes the homework as graded: the teacher's cells, the learner's answers, and texts as outputs."""
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
