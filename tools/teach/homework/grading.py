"""Turns submissions into results: answers run in one container, and another judges their values.

Each result is kept in graded/LEARNER/HOMEWORK.json with fingerprints of what it came from. So content decides
what is graded again, not the time of a file, and a run that is killed goes on where it was.
"""

import json
import math
import re
import secrets
import shutil
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from dateutil import parser
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from bootstrap import files
from teach.homework import isolation, make, pseudonyms, submission
from teach.homework.isolation import Failed, Limits, printable
from teach.homework.jobs import Exercise, Homework, added, sources
from teach.homework.submission import Refused, Submission

BY_HAND = "✎ marked by hand"
TOGETHER = 20  # values that one container judges within its time
WORDS = {
    "time": "exceeded the time limit of a cell and was ended",
    "ended": "ended its kernel",
    "flood": "printed without end and was ended",
}


@dataclass
class Graded:
    """A submission being graded: the results of its steps, and for each check whether it is right and why;
    a number between them is the share that is right, None leaves it to a person.

    `keys` are fingerprints of what these results depend on, and `why` says which of them has changed.
    """

    student: str
    sent: Submission
    drawn: int = field(default_factory=lambda: secrets.randbelow(1_000_000))
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    verdicts: "dict[str, tuple[float | None, str]]" = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    why: str = ""
    alias: str = pseudonyms.NOBODY

    def by_hand(self) -> dict[str, str]:
        """The checks that a person must mark, and why."""
        return {check: why for check, (right, why) in self.verdicts.items() if right is None}

    def doubt(self, each: Exercise) -> str:
        """Why no 0 is given to an answer that the judge finds wrong; empty if it is one."""
        if doubt := self.sent.doubts.get(each.answer):
            return doubt
        if each.numbers and self.sent.pseudonym != self.alias and self.changed(each):
            return f"it was worked with other numbers, those of {self.sent.pseudonym or 'nobody'}"
        return ""

    def changed(self, each: Exercise) -> bool:
        """Whether anything but the stub was handed in."""
        return bool(self.sent.pieces.get(each.answer, each.answer))


# the first of these keys that has changed says why answers are judged again
CHANGES = {
    "sent": "its answers have changed",
    "checks": "the checks have changed",
    "ran": "its learner's numbers have changed",
}
TERMS = "its time, the deadline, the penalty or a late one's points by hand have changed"


@dataclass
class Batch:
    """All submissions to a homework. Notes for the teacher are printed as soon as they arise.

    `options` of nbgrader and the deadlines in its gradebook, `book`, decide on a late penalty. `aliases` are
    the learners' pseudonyms, from which their numbers follow.
    """

    root: Path
    homework: Homework
    engine: "list[str] | None"
    limits: Limits
    jobs: int
    options: tuple[str, ...] = ()
    book: dict = field(default_factory=lambda: {"due": "", "sent": {}})
    aliases: dict[str, str] = field(default_factory=dict)
    before: int = 0
    sent: int = 0

    def grade(self, only: str, again: bool, staged: Path) -> list[Graded]:
        """Writes the submissions that nbgrader is to import."""
        # many learners send the same text: one container runs it, and sees nothing else
        alike: dict[str, list[Graded]] = {}
        ran: list[Graded] = []
        for graded in self.waiting(only, again):
            if graded.steps:
                ran.append(graded)
            else:
                alike.setdefault(graded.keys["ran"], []).append(graded)
        with ThreadPoolExecutor(self.jobs) as pool:
            for number, same in enumerate(pool.map(self.answer, alike.values()), start=1):
                ran += same
                if number % 50 == 0:
                    print(f"The answers of {number} of {len(alike)} have run", flush=True)
            done = [each for each in ran if each.verdicts]
            done += self.judge([each for each in ran if not each.verdicts], pool)
        for graded in done:
            self.stage(graded, staged)
        return sorted(done, key=lambda graded: graded.student)

    def tell(self, student: str, text: str) -> None:
        print(f"{printable(student)}: {printable(text)}".replace("\n", " ")[:400], flush=True)

    def waiting(self, only: str, again: bool) -> Iterator[Graded]:
        name = self.homework.name
        found = list(received(self.root, self.homework, only))
        if not found:
            raise SystemExit(
                f"There is no submission to {name}: put each into {self.root}/submitted/STUDENT/{name}."
            )
        for student, sent in found:
            self.sent += 1
            if isinstance(sent, str):
                self.tell(student, f"not graded: {sent}")
                continue
            graded = Graded(student, sent, keys=self.keys(student, sent), alias=self.alias(student))
            kept = self.kept(student)
            if there := self.there(student):
                graded.why = "--force was given" if again else self.changed(there, graded.keys)
                if not graded.why:
                    self.before += 1
                    continue
            if kept and not again:
                self.resume(graded, kept)
            for note in [*sent.notes, *self.foreign(student, sent)]:
                self.tell(student, note)
            if not self.timestamp(student) and self.stamp(student).exists():
                self.tell(student, "timestamp.txt holds no time, so it counts as handed in without one")
            yield graded

    @staticmethod
    def changed(old: dict[str, str], new: dict[str, str]) -> str:
        """What has changed since a submission was graded; empty if nothing has."""
        judged = [why for key, why in CHANGES.items() if old.get(key) != new[key]][:1]
        return "; ".join([*judged, *([TERMS] if old.get("terms") != new["terms"] else [])])

    def alias(self, student: str) -> str:
        return self.aliases.get(student, pseudonyms.NOBODY)

    def foreign(self, student: str, sent: Submission) -> Iterator[str]:
        """What a teacher should know about the numbers with which a learner has worked."""
        if self.homework.knows and sent.pseudonym != self.alias(student):
            whose = next((name for name, alias in self.aliases.items() if alias == sent.pseudonym), "nobody")
            said = f"was worked with the numbers of {whose} ({sent.pseudonym})"
            yield f"{said if sent.pseudonym else 'has no pseudonym'}, and is judged by its own numbers"

    @staticmethod
    def resume(graded: Graded, kept: dict) -> None:
        """Takes over those results that would be the same again."""
        same = {key for key, value in kept["keys"].items() if graded.keys[key] == value}
        if "ran" in same:
            graded.drawn, graded.steps = kept["drawn"], kept["steps"]
            if {"sent", "checks"} <= same:
                graded.verdicts = {check: tuple(verdict) for check, verdict in kept["verdicts"].items()}

    # --- what is kept of each submission ---

    def keys(self, student: str, sent: Submission) -> dict[str, str]:
        """Fingerprints: of the answers, of what runs them, of the checks, of what decides on a penalty."""
        words = [sent.words] if sent.words else []
        about = json.dumps(
            [sent.answers, sent.by_hand, sent.doubts, sent.pieces, sent.own, sent.pseudonym, *words]
        )
        there = self.book["sent"].get(student, self.book)
        # theirs may have an extension; and a penalty is a share of all points, also of those given by hand
        by_hand = [there["given"]] if there.get("late") and there["given"] else []
        terms = json.dumps([self.timestamp(student), self.options, there["due"], *by_hand])
        ran, checks = (
            sources(self.homework.answering(sent, 0, self.alias(student))),
            self.homework.fingerprint(),
        )
        sent_key = files.digest(about)
        return {"sent": sent_key, "ran": ran, "checks": checks, "terms": files.digest(terms)}

    def record(self, student: str) -> Path:
        return self.root / "graded" / student / f"{self.homework.name}.json"

    def kept(self, student: str) -> dict:
        try:
            return json.loads(self.record(student).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def keep(self, graded: Graded, taken: bool = False) -> None:
        """Keeps a result, and whether it is in the gradebook."""
        # what is in the gradebook stays known as such until the new result replaces it
        there = graded.keys if taken else self.kept(graded.student).get("taken", {})
        told = {"drawn": graded.drawn, "steps": graded.steps, "verdicts": graded.verdicts}
        told |= {"keys": graded.keys, "taken": there, "by hand": graded.by_hand()}
        file = self.record(graded.student)
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write(file, json.dumps(told))

    def taken(self, done: list[Graded]) -> None:
        """Notes what has reached the gradebook, and removes the feedback with the points before."""
        for graded in done:
            self.keep(graded, taken=True)
            shutil.rmtree(self.root / "feedback" / graded.student / self.homework.name, ignore_errors=True)

    def there(self, student: str) -> dict[str, str]:
        """The keys of what the gradebook has of a learner, if it has it whole."""
        made = self.root / "autograded" / student / self.homework.name / self.homework.file
        has = made.is_file() and self.book["sent"].get(student, {}).get("graded")
        return self.kept(student).get("taken", {}) if has else {}

    def current(self, student: str, sent: Submission) -> bool:
        """Whether the gradebook has the mark of this very submission."""
        return self.there(student) == self.keys(student, sent)

    def stamp(self, student: str) -> Path:
        return self.root / "submitted" / student / self.homework.name / "timestamp.txt"

    def timestamp(self, student: str) -> str:
        """When a submission was handed in, as nbgrader reads it; empty if nobody has written it down."""
        try:
            stamp = submission.regular(self.stamp(student), 100).strip()
            parts = stamp.split(" ")
            if stamp:  # nbgrader reads the third part as a time zone, and would end at any other text
                parser.parse(" ".join(parts[:2]) if len(parts) == 3 else stamp)
            return stamp if re.fullmatch(r"[\w :.+/-]*", stamp, re.A) else ""
        except (Refused, ValueError, OverflowError):
            return ""

    # --- grading ---

    def answer(self, same: list[Graded]) -> list[Graded]:
        """Runs the answers of submissions with identical answers."""
        drawn, sent = same[0].drawn, same[0].sent
        job = self.homework.answering(sent, drawn, self.alias(same[0].student))
        try:
            steps = isolation.run(job, self.engine, self.limits)
        except Failed as e:
            for graded in same:
                self.tell(graded.student, f"not graded: {e}")
            return []
        for graded in same:
            graded.drawn, graded.steps = drawn, steps
            for note in self.ran(sent, steps):
                self.tell(graded.student, note)
            self.keep(graded)
        return same

    def ran(self, sent: Submission, steps: dict[str, dict[str, str]]) -> Iterator[str]:
        """What a teacher should know of how answers ran."""
        for answer in sent.answers:
            own = [added(answer, i) for i in range(len(sent.own.get(answer, [])))]
            for name in (*own, answer):
                yield from (f"{name}: {note}" for note in self.remarks(steps.get(name)))

    def notes(self, student: str, sent: Submission) -> list[str]:
        """All that `autograde` has said about a submission, without what is marked by hand."""
        said = [note for note in sent.notes if ": by hand: " not in note]
        steps = self.kept(student).get("steps")
        return [*said, *self.foreign(student, sent), *(self.ran(sent, steps) if steps else [])]

    @staticmethod
    def remarks(step: "dict[str, str] | None") -> Iterator[str]:
        if step is None:
            yield "not run: no kernel could start after an earlier answer"
            return
        if step["status"] != "ok":
            yield WORDS.get(step["status"], "failed: " + step["value"].partition("\n")[0][:200])
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
                        graded.verdicts[key[0]] = self.explained(graded, key[0], verdict)
        for student in sorted(failed):
            self.tell(student, "not graded: the judge's container gave no verdict; grade it again")
        done = [graded for graded in ran if graded.student not in failed]
        for graded in done:
            self.keep(graded)
        return done

    def value(self, graded: Graded, each: Exercise) -> "str | tuple[bool | None, str]":
        """What the judge is to run, or the verdict if there is nothing to judge."""
        if reason := graded.sent.by_hand.get(each.answer):
            return None, reason
        found = self.shown(graded, each)
        if not isinstance(found, str) and (doubt := graded.doubt(each)):
            return None, f"{doubt}, and then: {found[1]}"
        return found

    def shown(self, graded: Graded, each: Exercise) -> "str | tuple[bool, str]":
        """What the judge is to run, or the verdict if an answer shows no value."""
        ran, shown = (graded.steps.get(name) for name in (each.answer, each.check))
        if ran is None or shown is None:
            return False, "This answer was not run, because no kernel could start after an earlier answer."
        if ran["status"] in WORDS:
            return False, f"The cell with the answer {WORDS[ran['status']]}."
        if ran["status"] == "error" and shown["status"] != "ok":
            return False, failed(ran)
        if shown["status"] != "ok":
            why = WORDS.get(shown["status"], shown["value"])
            if ran["status"] == "ok":
                self.tell(graded.student, f"{each.answer}: has no value: {why[:200]}")
            return False, "The answer has no value that could be judged: " + printable(why)[:1_000]
        if not (literal := each.literal(shown["value"])):
            self.tell(graded.student, f"{each.answer}: has a value that is not of type {each.kind}")
            return False, f"The answer is not a value of type {each.kind}."
        return each.judges(graded.drawn, literal, self.homework.learner(self.alias(graded.student)))

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
    def verdict(step: "dict[str, str] | None") -> "tuple[float, str] | None":
        if step is None:
            return None
        state, _, text = step["value"].partition("\n")
        if step["status"] == "ok" and state in ("RIGHT", "WRONG", "OPEN"):
            return state == "RIGHT", text
        if step["status"] == "ok" and re.fullmatch(r"PARTLY 0\.\d+(E-\d+)?", state):
            halves = 2 * make.POINTS  # what is right counts in half points
            return math.floor(halves * float(state[7:])) / halves, text
        return False, "The check could not use this answer: " + WORDS.get(step["status"], step["value"])

    def explained(self, graded: Graded, check: str, verdict: tuple[float, str]) -> "tuple[float | None, str]":
        """The verdict; to the check, an answer whose cell failed looks like one that is missing."""
        exercise = next(each for each in self.homework.exercises if each.check == check)
        ran = graded.steps.get(exercise.answer, {})
        if ran.get("status") == "error" and verdict[1].startswith("not answered yet"):
            verdict = False, failed(ran)
        elif verdict[1].startswith("not answered yet") and graded.changed(exercise):
            return None, "its cell was changed, and shows no answer: does a comment or a text have it?"
        elif verdict[0] < 1 and not verdict[1].startswith("not answered yet"):
            value = graded.steps.get(check, {}).get("value", "")
            verdict = (
                verdict[0],
                exercise.told(graded.sent.answers.get(exercise.answer, ""), value, verdict[1]),
            )
        if verdict[0] < 1 and (doubt := graded.doubt(exercise)):
            return None, f"{doubt}, and then: {verdict[1]}"
        return verdict

    def look_again(self, student: str, cell: NotebookNode) -> None:
        """Says if an answer has changed since a teacher has marked it by hand: that mark stays."""
        with suppress(OSError, ValueError):
            was = nbformat.read(
                self.root / "autograded" / student / self.homework.name / self.homework.file, 4
            )
            if cell.source not in [each.source for each in was.cells]:
                name = submission.own_id(cell)
                self.tell(student, f"{name}: has changed since it was marked by hand, so mark it again")

    def stage(self, graded: Graded, staged: Path) -> None:
        """Writes the homework as graded: the teacher's cells, the learner's answers, and texts as outputs."""
        made = deepcopy(self.homework.source)
        by_check = {each.check: each for each in self.homework.exercises}
        cells, made.cells = made.cells, []
        released = {submission.own_id(cell): cell for cell in self.homework.released.cells}
        for cell in cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if name in self.homework.labels:
                cell.metadata["threadlab"] = {"task": self.homework.label(name)}
            if name in self.homework.words:
                made.cells.append(rubric(cell))
                cell = in_words(released[name], graded.sent.words.get(name, ""))
                if name in self.book["sent"].get(graded.student, {}).get("by hand", []):
                    self.look_again(graded.student, cell)
            elif name in by_check:
                right, text = graded.verdicts[name]
                if right is None:
                    cell.outputs = [shown(f"{BY_HAND}: {text}")]
                else:
                    cell.outputs = list(judged(right, text, cell.metadata.nbgrader.points))
            elif name in graded.sent.answers:
                cell.source = graded.sent.answers[name]
                cell.outputs = list(outputs(graded.steps.get(name)))
                for i, source in enumerate(graded.sent.own.get(name, [])):
                    shows = list(outputs(graded.steps.get(added(name, i))))
                    made.cells.append(new_code_cell(source, outputs=shows))
            elif ran := graded.steps.get(f"given {name}"):
                cell.outputs = list(outputs(ran))  # the learner's numbers
            elif name in graded.sent.by_hand:
                pieces = graded.sent.pieces[name] or ["// nothing was found that may be the answer"]
                cell.source, *more = pieces
                made.cells += [cell, *map(new_code_cell, more)]
                continue
            made.cells.append(cell)
        folder = staged / graded.student / self.homework.name
        folder.mkdir(parents=True)
        nbformat.write(made, folder / self.homework.file)
        if stamp := self.timestamp(graded.student):
            (folder / "timestamp.txt").write_text(stamp)


def received(root: Path, homework: Homework, only: str = "*") -> Iterator[tuple[str, "Submission | str"]]:
    """Each submission to a homework, or the reason why it cannot be read."""
    for folder in sorted(root.glob(f"submitted/{only}/{homework.name}")):
        student = folder.parent.name
        try:
            if not submission.STUDENT.fullmatch(student):
                raise Refused(f"{submission.NAME_RULE}; rename the folder")
            if not folder.is_dir():
                raise Refused(f"{homework.name} is not a folder; put the notebook into a folder of this name")
            yield student, submission.read(folder, homework.file, homework.released)
        except Refused as e:
            yield student, str(e)
        except OSError as e:
            yield student, f"it cannot be opened: {e.strerror}"


def rubric(cell: NotebookNode) -> NotebookNode:
    """The rubric of a question, for whoever marks the answer, and later for the learner."""
    text = cell.source.partition("BEGIN SOLUTION\n")[2].partition("\nEND SOLUTION")[0]
    return new_markdown_cell(f"**Rubric**\n\n{text}", metadata={"threadlab": {"rubric": True}})


def in_words(released: NotebookNode, said: str) -> NotebookNode:
    """A learner's words, as text: they must be no program in the pages that a teacher opens."""
    cell = deepcopy(released)
    if said and said != released.source.strip():
        lines = [part for line in said.split("\n") for part in textwrap.wrap(line, 96) or [""]]
        # an indented block, which nothing in it can end
        cell.source = "The answer:\n\n" + "\n".join("    " + line for line in lines)
    return cell


def failed(ran: dict[str, str]) -> str:
    """Why a cell has no result, with its line."""
    name, _, what = ran["value"].partition(": ")
    if name in ("CompilationException", "IncompleteSourceException"):
        return "Your cell does not compile: " + printable(what)[:1_000]
    return "Your cell failed: " + printable(ran["value"])[:1_000]


def judged(right: float, text: str, of: float) -> Iterator[NotebookNode]:
    """A verdict, as nbgrader takes it: an error for no points, a number for some."""
    if not right:
        yield wrong("AssertionError", text)
    elif right == 1:
        yield shown("✔ " + text)
    else:
        yield shown(f"◐ {right * of:g} of {of:g} points: {text}")
        yield new_output("execute_result", {"text/plain": f"{right * of:g}"})


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
