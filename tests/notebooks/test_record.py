"""The record of claims as it stands, and the rules by which runs become a record. Takes a second."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from notebooks import by_java, check, claims, recorded
from notebooks.claims import Judged
from notebooks.recorded import RUN_ALL
from notebooks.runs import NOTEBOOKS, ROOT, load, short
from records import row

FIRST = NOTEBOOKS[0]


def test_every_recorded_claim_holds_and_could_fail_and_no_run_all_is_too_slow() -> None:
    assert recorded.problems(recorded.rows(), load(recorded.KNOWN)) == []


def test_what_is_known_to_be_wrong_says_what_will_end_it() -> None:
    assert [row for row in load(recorded.KNOWN) if not row["ends with"]] == []


def test_the_table_of_a_small_machine_has_the_seconds_of_the_record() -> None:
    table = (ROOT / "teaching/hub/README.md").read_text().split("## Memory of a learner")[1].split("##")[0]
    told = {name: int(seconds) for name, seconds in re.findall(r"\| ([\w-]+) \| (\d+) \| \d+ (?=\|)", table)}
    runs = [row for row in recorded.rows() if (row.size, row.claim) == ("binder", RUN_ALL)]
    assert told == {short(row.lesson): round(row.value) for row in runs}


# --- made-up runs of the first lesson ---


@pytest.fixture(autouse=True)
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "runs" in request.fixturenames:
        monkeypatch.setattr(recorded, "RECORD", tmp_path / "claims.csv")
        monkeypatch.setattr(recorded, "rows", lambda: rows(tmp_path / "claims.csv"))
        monkeypatch.setattr(claims, "KEPT", tmp_path / "kept.csv")
        monkeypatch.setattr(claims, "keep", lambda *_: None)


rows = recorded.rows


class Runs:
    """Runs that say of the claim "c" what a test wants, one after the other."""

    bound = "at most 1.5 (predicted 1)"

    def __init__(self) -> None:
        self.count = 0
        self.said: list[tuple[str, float, float]] = []

    def measure(self, path: Path, size: str) -> tuple[SimpleNamespace, list[Judged]]:
        self.count += 1
        held, value, margin = self.said.pop(0) if self.said else ("✔", 1.2, 40)
        about = (size, path.stem, recorded.code(path), recorded.library())
        begin = (f"2026-11-27T00:{self.count:02}", *about, "m")
        ran = SimpleNamespace(told=lambda: "", notebook=SimpleNamespace(cells=[]))
        time = Judged(*begin, RUN_ALL, "✔", 30, "", 0)
        return ran, [time, Judged(*begin, "c", held, value, self.bound, margin)]

    def record(self, *said: tuple[str, float, float], wanted: int = 5) -> recorded.Row:
        self.said = list(said)
        claims.record(FIRST, "usual", wanted, self.measure)
        return next(row for row in recorded.rows() if row.claim == "c")


@pytest.fixture
def runs() -> Runs:
    return Runs()


def test_a_run_that_could_not_be_judged_is_repeated_and_does_not_count(runs: Runs) -> None:
    row = runs.record(("✔", 1.1, 20), ("≈", 3, 400), ("✔", 1.3, 60))
    assert (row.runs, row.judged, row.held) == (6, 5, 5)
    assert (row.value, row.worst, row.spread, row.kind) == (1.2, 60, pytest.approx(40), "law")


def test_a_stopped_recording_goes_on_where_it_was(runs: Runs) -> None:
    runs.record(wanted=2)
    runs.record(wanted=5)
    assert runs.count == 5
    runs.record(wanted=5)
    assert runs.count == 5, "what is on record does not run again"


def test_after_a_change_of_the_library_one_run_confirms_what_held(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.record()
    monkeypatch.setattr(recorded, "library", lambda: "new")
    monkeypatch.setattr(claims, "library", lambda: "new")
    monkeypatch.setattr(claims, "kept", lambda *_: [])
    assert ("usual", FIRST, "older than the library") in set(recorded.due(recorded.rows()))
    row = runs.record()
    assert (runs.count, row.runs, row.library) == (6, 5, "new")
    monkeypatch.setattr(recorded, "library", lambda: "newer")
    monkeypatch.setattr(claims, "library", lambda: "newer")
    assert runs.record(("✘", 2, 200)).runs == 5
    assert runs.count == 11, "what does not hold any more is measured anew"


def test_an_exact_claim_that_broke_in_one_recorded_run_is_red_and_one_of_a_law_is_not(runs: Runs) -> None:
    broke = ("✘", 2.0, float("inf"))
    assert runs.record(broke).wrong == ""
    runs.bound = "exactly 1"
    claims.KEPT.unlink()
    recorded.RECORD.unlink()
    assert runs.record(("✔", 1.0, 0.0), broke).wrong == "breaks"
    [told] = recorded.problems(recorded.rows(), [])
    assert told == "usual, 00: c: breaks (held in 4 of 5, 1.2, exactly 1)"


@pytest.mark.parametrize("program", [recorded.main, check.main])
def test_a_release_waits_while_claims_are_due(
    program: Callable, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check.sys, "argv", ["check.py", "release"])
    with pytest.raises(SystemExit, match="A release waits while claims are due: make claims"):
        program()


@pytest.mark.parametrize(
    ("wrong", "bad", "good"),
    [
        ("breaks", row(held=3), row(held=4)),
        ("breaks", row("exactly 2", held=4), row("exactly 2")),
        ("breaks", row(held=2, unjudged=1), row(runs=6, held=4, unjudged=1)),
        ("cannot fail", row(worst=49.0), row(worst=51.0)),
        ("cannot fail", row("at least 3", worst=60.0, spread=10.0), row("at least 3", worst=70.0)),
        ("cannot fail", row(spread=0.0), row(spread=0.0, runs=4, held=4)),
        ("cannot fail", row("within 11 % of 2", spread=0.0), row("within 10 % of 2", spread=0.0)),
        (
            "cannot fail",
            row("at most 9 (predicted 8)", worst=0.0),
            row("at most 8.5 (predicted 8)", worst=0.0),
        ),
        (
            "cannot fail",
            row("at most 9 (predicted 0)", worst=0.0),
            row("at least 8 (predicted 8)", worst=0.0),
        ),
        ("slow", row("", kind="time", value=61.0), row("", kind="time", value=60.0)),
    ],
)
def test_what_is_wrong_with_a_claim(wrong: str, bad: recorded.Row, good: recorded.Row) -> None:
    assert (bad.wrong, good.wrong) == (wrong, "")


# --- newer Javas ---


def test_no_claim_breaks_on_a_newer_java_unless_it_says_for_which_versions_it_holds() -> None:
    assert [str(row) for row in by_java.rows() if row.wrong] == []


@pytest.mark.parametrize(
    ("wrong", "figures"),
    [
        (True, {"runs": 3, "held": 1, "unjudged": 0}),
        (False, {"runs": 3, "held": 2, "unjudged": 0}),
        (False, {"runs": 3, "held": 1, "unjudged": 1}),
        (False, {"runs": 1, "held": 0, "unjudged": 0, "build": "28-ea+18"}),
    ],
)
def test_a_claim_is_broken_on_a_java_if_most_of_its_judged_runs_broke_it(wrong: bool, figures: dict) -> None:
    plain = by_java.Row("", "", 27, "", 1, 1, 0, 1.0, 0.0, "", "", "27.0.1")
    assert plain._replace(**figures).wrong == wrong
