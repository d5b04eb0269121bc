"""Turns submissions into results: answers run in one container, and another judges their values."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from teach.homework import isolation, kept
from teach.homework.isolation import Failed
from teach.homework.judge import Judge
from teach.homework.kept import Graded, Records, Verdict, tell
from teach.homework.staging import stage

# the first of these keys that has changed says why answers are judged again
CHANGES = {
    "sent": "its answers have changed",
    "checks": "the checks have changed",
    "ran": "its learner's numbers have changed",
}
TERMS = "its time, the deadline, the penalty or a late one's points by hand have changed"


@dataclass
class Batch:
    """All submissions to a homework, and how many of them are graded at once."""

    records: Records
    judge: Judge
    jobs: int = 1
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
            judged = self.judge.judge([each for each in ran if not each.verdicts], pool)
        for graded in judged:
            self.records.keep(graded)
        done += judged
        for graded in done:
            stage(self.records, graded, staged)
        return sorted(done, key=lambda graded: graded.student)

    def waiting(self, only: str, again: bool) -> Iterator[Graded]:
        records = self.records
        name, root = records.homework.name, records.root
        found = list(kept.received(root, records.homework, only))
        if not found:
            raise SystemExit(
                f"There is no submission to {name}: put each into {root}/submitted/STUDENT/{name}."
            )
        for student, sent in found:
            self.sent += 1
            if isinstance(sent, str):
                tell(student, f"not graded: {sent}")
                continue
            graded = Graded(student, sent, keys=records.keys(student, sent), alias=records.alias(student))
            old = records.kept(student)
            if there := records.there(student):
                graded.why = "--force was given" if again else changed(there, graded.keys)
                if not graded.why:
                    self.before += 1
                    continue
            if old and not again:
                resume(graded, old)
            for note in [*sent.told(), *records.foreign(student, sent)]:
                tell(student, note)
            if not records.timestamp(student) and records.stamp(student).exists():
                tell(student, "timestamp.txt holds no time, so it counts as handed in without one")
            yield graded

    def answer(self, same: list[Graded]) -> list[Graded]:
        """Runs the answers of submissions with identical answers."""
        drawn, sent = same[0].drawn, same[0].sent
        job = self.records.homework.answering(sent, drawn, self.records.alias(same[0].student))
        try:
            steps = isolation.run(job, self.judge.engine, self.judge.limits)
        except Failed as e:
            for graded in same:
                tell(graded.student, f"not graded: {e}")
            return []
        for graded in same:
            graded.drawn, graded.steps = drawn, steps
            for note in kept.ran(sent, steps):
                tell(graded.student, note)
            self.records.keep(graded)
        return same


def changed(old: dict[str, str], new: dict[str, str]) -> str:
    """What has changed since a submission was graded; empty if nothing has."""
    judged = [why for key, why in CHANGES.items() if old.get(key) != new[key]][:1]
    return "; ".join([*judged, *([TERMS] if old.get("terms") != new["terms"] else [])])


def resume(graded: Graded, old: dict) -> None:
    """Takes over those results that would be the same again."""
    same = {key for key, value in old["keys"].items() if graded.keys[key] == value}
    if "ran" in same:
        graded.drawn, graded.steps = old["drawn"], old["steps"]
        if {"sent", "checks"} <= same:
            graded.verdicts = {check: Verdict(*verdict) for check, verdict in old["verdicts"].items()}
