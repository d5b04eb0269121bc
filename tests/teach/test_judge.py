"""The judge of homework: each solution is right, each wrong answer is not. Fifteen seconds a lesson."""

import os
from pathlib import Path

import pytest
from homeworks import FIRST, answer, of_nbgrader, written
from notebooks.runs import numbered, read, tagged
from teach import grading, homework, isolation, submission

# lesson 00, and those that THREADLAB_JUDGE names: "05,07", or "all"
NAMED = os.environ.get("THREADLAB_JUDGE", "").replace(",", " ").split()
LESSONS = homework.GRADED if NAMED == ["all"] else sorted({FIRST, *map(numbered, NAMED)})


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_judge_accepts_each_solution_and_refuses_each_wrong_answer(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All answers run in one kernel, and another sees only their values."""
    monkeypatch.setenv("THREADLAB_SCALE", "small")
    here = written(tmp_path, path, 90)
    stubs = {cell.id: cell.source for cell in of_nbgrader(here.source, "solution")}
    wrong = {cell.id: cell.metadata.threadlab.wrong_answers for cell in tagged(read(path), "check")}
    repairs = {cell.id for cell in tagged(read(path), "repair")}
    steps: dict[str, list[dict]] = {}
    given = submission.given(here.source)
    tried = []
    for each in here.exercises:
        assert not submission.refusal(stubs[each.answer], given)
        stub = stubs[each.answer].partition("// BEGIN SOLUTION")[0]
        # the stub first, because the answer of another exercise may have its name
        for i, java in enumerate(["", answer(stubs[each.answer]), *wrong[each.check]]):
            tried.append((each, i))
            steps.setdefault(each.check, []).extend(
                here.step(f"{name} {each.check} {i}", source, 40_000)
                for name, source in (("answer", stub + java), ("value", each.asks(7)))
            )
    told = isolation.run(here.job(steps), None, isolation.Limits())
    assert not {name: step for name, step in told.items() if step["status"] != "ok"}
    batch = grading.Batch(tmp_path, here, None, isolation.Limits(), 1)
    keys = []
    for each, i in tried:
        ran, shown = (told[f"{name} {each.check} {i}"] for name in ("answer", "value"))
        sent = submission.Submission(answers={each.answer: ""})
        found = batch.value(grading.Graded("ada", sent, 7, {each.answer: ran, each.check: shown}), each)
        assert isinstance(found, str), (each.check, i, shown, found)
        keys.append((each.check, found))
    for (each, i), (right, text) in zip(tried, batch.verdicts(keys), strict=True):
        assert right == (i == 1), (each.check, i, text)
        unanswered = i == 0 and each.check not in repairs
        assert text.startswith("not answered yet") == unanswered, (each.check, i, text)
