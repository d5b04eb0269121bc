"""The judge of homework: each solution is right, each wrong answer is not. Fifteen seconds a lesson.

In exercises with other numbers for each learner, also for learners whose numbers are others.
"""

import os
from pathlib import Path

import pytest
from homeworks import FIRST, written
from notebooks.runs import ROOT, numbered
from teach.homework import course, isolation, make, pseudonyms, trial
from teach.homework.judge import Judge
from teach.homework.kept import Verdict
from teach.homework.staging import judged as cells_of

# lesson 00, and those that THREADLAB_JUDGE names: "05,07", or "all"
NAMED = os.environ.get("THREADLAB_JUDGE", "").replace(",", " ").split()
LESSONS = make.GRADED if NAMED == ["all"] else sorted({FIRST, *map(numbered, NAMED)})
# those with numbers for each learner; without a name, only the first of them
BANK = ROOT / "teaching/exercises"
NUMBERS = [ROOT / "notebooks" / path.name for path in sorted(BANK.glob("*.ipynb"))]
NUMBERS = NUMBERS if NAMED == ["all"] else NUMBERS[:1]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_judge_accepts_each_solution_and_refuses_each_wrong_answer(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(path, tmp_path, monkeypatch, [pseudonyms.NOBODY])


@pytest.mark.parametrize("path", NUMBERS, ids=lambda path: path.stem)
def test_it_does_so_for_each_learner_s_numbers(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / course.FILE).write_text('banks = ["teaching/exercises"]')
    names = ("ada", "bob", "eve", "dan") if NAMED == ["all"] else ("ada", "eve")
    learners = [pseudonyms.pseudonym(tmp_path, name) for name in names]
    judged(path, tmp_path, monkeypatch, learners)


def test_a_task_with_parts_gives_the_points_of_those_that_are_right(tmp_path: Path) -> None:
    here = written(tmp_path, numbered("01"))
    services = next(each for each in here.exercises if each.check == "switch-check")
    wrong = {"none": 0, "A or E is missing": 8, "F is none": 16, "B, and A is missing": 9, "all five": 14}
    keys = [(services.check, services.judges(0, services.literal(f"{n}.0"), "")) for n in wrong.values()]
    found = Judge(here, None, isolation.Limits()).verdicts(keys)
    assert [verdict and verdict.right for verdict in found] == [1, 0.5, 0.5, 0, 0]
    [text, points] = cells_of(Verdict(0.5, "One is missing."), 2)
    assert "1 of 2 points" in text.text and points.data["text/plain"] == "1"
    lines = 'Set<String> faster = Set.of();\nfaster = Set.of("A");'
    assert services.told(lines, "8.0", "8 is not the answer. One is missing.").splitlines() == [
        'Your line  faster = Set.of("A");',
        "One is missing.",
    ]


def judged(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learners: list[str]) -> None:
    monkeypatch.setenv("THREADLAB_SCALE", "small")
    here = written(tmp_path, path, 90)
    assert list(trial.problems(here, course.load(tmp_path).cells(path), learners)) == []
