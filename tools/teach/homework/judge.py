"""Judges what answers have shown, in a container that has never seen an answer."""

import math
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from teach.homework import isolation, make
from teach.homework.isolation import Failed, Limits, Ran, Step, printable
from teach.homework.jobs import Exercise, Homework
from teach.homework.kept import WORDS, Graded, Verdict, tell

TOGETHER = 20  # values that one container judges within its time
NOT_RUN = "This answer was not run, because no kernel could start after an earlier answer."


@dataclass
class Judge:
    homework: Homework
    engine: "list[str] | None"
    limits: Limits

    def judge(self, ran: list[Graded], pool: ThreadPoolExecutor) -> list[Graded]:
        """Has all values judged, equal ones only once; gives the submissions that have all verdicts."""
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
            tell(student, "not graded: the judge's container gave no verdict; grade it again")
        return [graded for graded in ran if graded.student not in failed]

    def value(self, graded: Graded, each: Exercise) -> str | Verdict:
        """What the judge is to run, or the verdict if there is nothing to judge."""
        if reason := graded.sent.by_hand.get(each.answer):
            return Verdict(None, reason)
        found = self.shown(graded, each)
        if not isinstance(found, str) and (doubt := graded.doubt(each)):
            return Verdict(None, f"{doubt}, and then: {found.why}")
        return found

    def shown(self, graded: Graded, each: Exercise) -> str | Verdict:
        """What the judge is to run, or the verdict if an answer shows no value."""
        ran, shown = (graded.steps.get(name) for name in (each.answer, each.check))
        if ran is None or shown is None:
            return Verdict(None, NOT_RUN)
        if ran["status"] in WORDS:
            return Verdict(0, f"The cell with the answer {WORDS[ran['status']]}.")
        if ran["status"] == "error" and shown["status"] != "ok":
            return Verdict(0, failure(ran))
        if shown["status"] != "ok":
            why = WORDS.get(shown["status"], shown["value"])
            if ran["status"] == "ok":
                tell(graded.student, f"{each.answer}: has no value: {why[:200]}")
            return Verdict(0, "The answer has no value that could be judged: " + printable(why)[:1_000])
        if not (literal := each.literal(shown["value"])):
            tell(graded.student, f"{each.answer}: has a value that is not of type {each.kind}")
            return Verdict(0, f"The answer is not a value of type {each.kind}.")
        return each.judges(graded.drawn, literal, self.homework.learner(graded.alias))

    def verdicts(self, keys: list[tuple[str, str]]) -> list[Verdict | None]:
        """The judge's verdict on each; None if there is none."""
        steps: dict[str, list[Step]] = {}
        for number, (check, source) in enumerate(keys):
            steps.setdefault(check, []).append(self.homework.step(f"{number}", source, 4_000))
        try:
            told = isolation.run(self.homework.job(steps), self.engine, self.limits)
        except Failed as e:
            print(f"The judge of {self.homework.name}: {e}", flush=True)
            return [None] * len(keys)
        if any(step["status"] != "ok" for name, step in told.items() if name.startswith("given ")):
            return [None] * len(keys)
        return [verdict_of(told.get(f"{number}")) for number in range(len(keys))]

    def explained(self, graded: Graded, check: str, verdict: Verdict) -> Verdict:
        """The verdict; to the check, an answer whose cell failed looks like one that is missing."""
        exercise = next(each for each in self.homework.exercises if each.check == check)
        ran, shown = (graded.steps.get(name) for name in (exercise.answer, check))
        if verdict.open and ran and ran["status"] == "error":
            verdict = Verdict(0, failure(ran))
        elif verdict.open and graded.changed(exercise):
            return Verdict(
                None, "its cell was changed, and shows no answer: does a comment or a text have it?"
            )
        elif verdict.right != 1 and not verdict.open:
            value = shown["value"] if shown else ""
            answer = graded.sent.answers.get(exercise.answer, "")
            verdict = verdict._replace(why=exercise.told(answer, value, verdict.why))
        if verdict.right != 1 and (doubt := graded.doubt(exercise)):
            return Verdict(None, f"{doubt}, and then: {verdict.why}")
        return verdict


def verdict_of(step: Ran | None) -> Verdict | None:
    """What the judge's cell says; only a step that the judge has run counts."""
    if step is None:
        return None
    state, _, text = step["value"].partition("\n")
    if step["status"] == "ok" and state in ("RIGHT", "WRONG", "OPEN"):
        return Verdict(float(state == "RIGHT"), text, state == "OPEN")
    if step["status"] == "ok" and re.fullmatch(r"PARTLY 0\.\d+(E-\d+)?", state):
        halves = 2 * make.POINTS  # what is right counts in half points
        return Verdict(math.floor(halves * float(state[7:])) / halves, text)
    return Verdict(0, "The check could not use this answer: " + WORDS.get(step["status"], step["value"]))


def failure(ran: Ran) -> str:
    """Why a cell has no result, with its line."""
    name, _, what = ran["value"].partition(": ")
    if name in ("CompilationException", "IncompleteSourceException"):
        return "Your cell does not compile: " + printable(what)[:1_000]
    return "Your cell failed: " + printable(ran["value"])[:1_000]
