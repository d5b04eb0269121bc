"""What the judge's container says, as verdicts, and what happens when it says nothing. A second."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from homeworks import ANSWER, CHECK, FIRST, written
from teach.homework import isolation, jobs
from teach.homework.isolation import Failed, Job, Ran
from teach.homework.judge import NOT_RUN, Judge, verdict_of
from teach.homework.kept import Graded, Verdict, remarks
from teach.homework.submission import Submission

ENGINE, LIMITS = ["engine"], isolation.Limits(seconds=7)
UNUSED = "The check could not use this answer: "


def said(value: str, status: str = "ok") -> Ran:
    return Ran(status=status, text="RIGHT\nprinted", value=value)


@pytest.mark.parametrize(
    ("step", "verdict"),
    [
        (said("RIGHT\nyes"), Verdict(1, "yes")),
        (said("WRONG\nno\nmore"), Verdict(0, "no\nmore")),
        (said("OPEN\nput it there"), Verdict(0, "put it there", open=True)),
        (said("PARTLY 0.5\nhalf"), Verdict(0.5, "half")),
        (said("PARTLY 0.74\nhalf points only"), Verdict(0.5, "half points only")),
        (said("PARTLY 0.99\nnot all"), Verdict(0.75, "not all")),
        (said("PARTLY 0.1E-1\nhardly"), Verdict(0, "hardly")),
        (said("PARTLY 1.0\nno share"), Verdict(0, UNUSED + "PARTLY 1.0\nno share")),
        (said("RIGHT\nyes", "error"), Verdict(0, UNUSED + "RIGHT\nyes")),
        (said("PARTLY 0.5\nhalf", "error"), Verdict(0, UNUSED + "PARTLY 0.5\nhalf")),
        (said("", "time"), Verdict(0, UNUSED + "exceeded the time limit of a cell and was ended")),
        (None, None),
    ],
)
def test_only_what_a_whole_judgement_says_counts_and_shares_are_half_points(
    step: Ran | None, verdict: Verdict | None
) -> None:
    assert verdict_of(step) == verdict


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> jobs.Homework:
    return written(tmp_path_factory.mktemp("homework"))


def judged(here: jobs.Homework, values: dict[str, str]) -> tuple[list[Graded], list[Graded]]:
    """All submissions with these values of 00's first answer, and those that have their verdicts."""
    graded = []
    for student, value in values.items():
        sent = Submission(
            answers={ANSWER: "double timesAsFast = mine;"},
            by_hand={"fetch-stub": "two cells claim to be the answer"},
        )
        steps = {name: Ran(status="ok", text="", value=value) for name in (ANSWER, CHECK)}
        graded.append(Graded(student, sent, drawn=7, steps=steps))
    with ThreadPoolExecutor(1) as pool:
        return graded, Judge(here, ENGINE, LIMITS).judge(graded, pool)


def test_equal_values_are_judged_once_and_each_gets_its_verdict(
    here: jobs.Homework, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def run(job: Job, engine: list[str] | None, limits: isolation.Limits) -> dict[str, Ran]:
        assert (engine, limits) == (ENGINE, LIMITS), "it runs in the same isolation"
        asked = [step for step in job["steps"] if not step["name"].startswith("given ")]
        ran.append([step["source"] for step in asked])
        assert all(step["most"] == 4_000 and step["seconds"] == here.seconds for step in asked)
        right = {step["name"]: '"2.0"' in step["source"] for step in asked}
        told = {step["name"]: said("") for step in job["steps"]}
        return told | {
            name: said("RIGHT\nit is" if holds else "WRONG\nit is not") for name, holds in right.items()
        }

    monkeypatch.setattr(isolation, "run", run)
    graded, done = judged(here, {"ada": "2.0", "bob": "7.0", "eve": "2.0"})
    assert done == graded and [len(sources) for sources in ran] == [2]
    assert [each.verdicts[CHECK].right for each in graded] == [1, 0, 1]
    line = "timesAsFast is 7.0, in your line  double timesAsFast = mine;"
    assert graded[1].verdicts[CHECK].why == f"{line}\nit is not"
    assert graded[0].by_hand() == {"fetch-check": "two cells claim to be the answer"}


def test_many_values_are_judged_in_several_containers(
    here: jobs.Homework, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []

    def run(job: Job, *_: object) -> dict[str, Ran]:
        names = [step["name"] for step in job["steps"] if not step["name"].startswith("given ")]
        ran.append(len(names))
        return {name: said(f"WRONG\n{name}") for name in names}

    monkeypatch.setattr(isolation, "run", run)
    graded, _ = judged(here, {f"learner{i}": f"{i}.0" for i in range(41)})
    assert ran == [20, 20, 1]
    assert all(each.verdicts[CHECK].right == 0 for each in graded)


@pytest.mark.parametrize("failure", ["no answer", "no kernel", "a cell of the homework fails"])
def test_without_a_verdict_nothing_is_graded_and_the_learner_is_named(
    here: jobs.Homework, failure: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(job: Job, *_: object) -> dict[str, Ran]:
        if failure == "no answer":
            raise Failed("it printed without end")
        if failure == "no kernel":
            return {}
        names = [step["name"] for step in job["steps"]]
        return {name: said("RIGHT\nyes", "error" if name.startswith("given ") else "ok") for name in names}

    monkeypatch.setattr(isolation, "run", run)
    graded, done = judged(here, {"ada": "2.0"})
    assert not done and CHECK not in graded[0].verdicts
    told = capsys.readouterr().out
    assert "ada: not graded: the judge's container gave no verdict; grade it again" in told
    assert (f"The judge of {FIRST.stem}: it printed without end" in told) == (failure == "no answer")


@pytest.mark.parametrize(
    ("answer", "check", "why"),
    [
        (said("", "flood"), said(""), "The cell with the answer printed without end and was ended."),
        (
            said("Oops: no: why\nline 1", "error"),
            said("", "error"),
            "Your cell failed: Oops: no: why\nline 1",
        ),
        (said("Oops: " + "x" * 9_999, "error"), said("", "error"), "Your cell failed: Oops: " + "x" * 994),
        *(
            (
                said(f"{kind}: error: '{end}", "error"),
                said("", "error"),
                f"Your cell does not compile: error: '{seen}",
            )
            for kind in ("CompilationException", "IncompleteSourceException")
            for end, seen in ((";' expected", ";' expected"), ("x" * 9_999, "x" * 992))
        ),
        (
            said(""),
            said("E: \x1b[31mno", "error"),
            "The answer has no value that could be judged: E: �[31mno",
        ),
        (said(""), said("two"), "The answer is not a value of type double."),
    ],
)
def test_an_answer_that_shows_no_value_gets_the_reason(
    here: jobs.Homework, answer: Ran, check: Ran, why: str
) -> None:
    exercise = next(each for each in here.exercises if each.check == CHECK)
    steps = {ANSWER: answer, CHECK: check}
    graded = Graded("ada", Submission(answers={ANSWER: ""}), steps=steps)
    judge = Judge(here, None, isolation.Limits())
    assert judge.value(graded, exercise) == Verdict(0, why)
    graded.sent.doubts[ANSWER] = "it was put together from several cells"
    assert judge.value(graded, exercise) == Verdict(None, f"{graded.sent.doubts[ANSWER]}, and then: {why}")


def test_an_answer_that_was_not_run_is_left_to_a_person(here: jobs.Homework) -> None:
    exercise = next(each for each in here.exercises if each.check == CHECK)
    graded = Graded("ada", Submission(answers={ANSWER: ""}), steps={})
    assert Judge(here, None, isolation.Limits()).value(graded, exercise) == Verdict(None, NOT_RUN)


@pytest.mark.parametrize(
    ("step", "notes"),
    [
        (Ran(status="ok", text="2.0", value="< 3"), []),
        (None, ["not run: no kernel could start after an earlier answer"]),
        (said("", "ended"), ["ended its kernel"]),
        (said("Oops: no\nline 1", "error"), ["failed: Oops: no"]),
        (said("x" * 999, "error"), ["failed: " + "x" * 200]),
        (Ran(status="ok", text="< /B>", value=""), ["prints HTML, which the feedback shows as text"]),
        (Ran(status="ok", text="✎", value=""), ["prints the marks of a check"]),
    ],
)
def test_a_teacher_reads_what_is_odd_about_a_run(step: Ran | None, notes: list[str]) -> None:
    assert list(remarks(step)) == notes
