"""Tries the exercises of a homework: each solution must be right, and no wrong answer and no open stub."""

from collections.abc import Iterator

from nbformat import NotebookNode
from teach.exercises import exercises
from teach.homework import isolation, submission
from teach.homework.jobs import Homework
from teach.homework.judge import Judge
from teach.homework.kept import Graded


def problems(homework: Homework, cells: list[NotebookNode], learners: list[str]) -> Iterator[str]:
    """What is wrong with the exercises, for learners with these pseudonyms; `cells` have the wrong answers.

    All answers run in one kernel of this machine, and another sees only their values.
    """
    checks = {each.check.id: each.check for each in exercises(cells)}
    repairs = {name for name, check in checks.items() if "repair" in check.metadata.tags}
    by_name = {submission.own_id(cell): cell.source for cell in homework.source.cells}
    given = submission.given(homework.source)
    steps: dict[str, list[isolation.Step]] = {}
    tried = []
    for each in homework.exercises:
        stub, _, rest = by_name[each.answer].partition("// BEGIN SOLUTION\n")
        solution = rest.partition("// END SOLUTION")[0]
        if why := submission.refusal(stub + solution, given):
            yield f"{each.answer}: the solution would be refused: {why}"
            return
        look = by_name[each.check].partition("// BEGIN HIDDEN")[0].strip().splitlines()[-1]
        # the stub first, because the answer of another exercise may have its name
        for i, java in enumerate(["", solution, *checks[each.check].metadata.threadlab.wrong_answers]):
            for who in learners if each.numbers else learners[:1]:
                tried.append((each, i, java, who))
                numbers = homework.learner(who) + each.numbers if each.numbers else "0"
                run = {"numbers": numbers, "answer": stub + java, "look": look, "value": each.asks(7)}
                for name, source in run.items():
                    step = homework.step(f"{name} {each.check} {i} {who}", source, 40_000)
                    steps.setdefault(each.check, []).append(step)
    told = isolation.run(homework.job(steps), None, isolation.Limits())
    if failed := {name: step for name, step in told.items() if step["status"] != "ok"}:
        yield from (f"{name}: {step['status']}: {step['value']}" for name, step in failed.items())
        return
    if missing := [step["name"] for each in steps.values() for step in each if step["name"] not in told]:
        yield f"{missing[0]}: not run, since no kernel could start: try again"
        return
    judge = Judge(homework, None, isolation.Limits())
    keys = []
    for each, i, _, who in tried:
        ran, shown, look = (told[f"{name} {each.check} {i} {who}"] for name in ("answer", "value", "look"))
        sent = submission.Submission(answers={each.answer: ""})
        steps_of = {each.answer: ran, each.check: shown}
        found = judge.value(Graded(who, sent, 7, steps_of, alias=who), each)
        if not isinstance(found, str):
            yield f"{each.check}: answer {i} for {who}: {found.why}"
            return
        keys.append((each.check, found))
        if look["value"].startswith("✎") != (i == 0 and each.check not in repairs):
            yield f"{each.check}: answer {i}: before handing in, the learner reads: {look['value']}"
    for (each, i, java, who), verdict in zip(tried, judge.verdicts(keys), strict=True):
        kind = ["the open stub", "the solution"][i] if i < 2 else f"the wrong answer {java}"
        if verdict is None:
            yield f"{each.check}: no verdict, since the judge's kernel ended: try again"
            return
        right, text, is_open = verdict
        if (right == 1) != (i == 1):
            yield f"{each.check}: {kind} is {'right' if right else 'wrong'} for {who}: {text}"
        if is_open != (i == 0 and each.check not in repairs):
            yield f"{each.check}: {kind} gets the words: {text}"
