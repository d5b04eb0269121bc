"""The programs that run the tests: what they count, what they print, what a stopped run leaves."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from notebooks import check, claims, runs

REPORT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><failure message="no"/></testcase><testcase name="d"><error message="no"/></testcase>
<testcase name="e"><skipped message="no browser (Debian: apt install chromium)"/></testcase>
<testcase name="f"><skipped message="no browser (Debian: apt install chromium)"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def count(tmp_path: Path) -> check.Count:
    (tmp_path / "report.xml").write_text(REPORT)
    return check.Count([tmp_path / "report.xml"])


def test_the_last_lines_say_what_did_not_run_and_what_failed(
    count: check.Count, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THREADLAB_NO_SKIPS", raising=False)
    assert check.close(count, [True, False]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-7:] == [
        "  2 tests: no browser (Debian: apt install chromium)",
        "",
        "Failed:",
        "  #c: no",
        "  #d: no",
        "",
        "2 passed, 2 failed, 2 skipped",
    ]


def test_where_everything_can_run_a_skipped_test_has_failed(
    count: check.Count, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THREADLAB_NO_SKIPS", "1")
    assert check.close(count, [True]) == 1
    assert capsys.readouterr().out.endswith("\n2 passed, 4 failed\n")


def test_a_check_that_fails_without_a_test_counts(capsys: pytest.CaptureFixture) -> None:
    assert check.close(check.Count([]), [True, False]) == 1
    assert capsys.readouterr().out.endswith("\n0 passed, 1 failed\n")


def test_a_notebook_that_is_not_there_is_one_sentence() -> None:
    assert runs.numbered("07").stem == "07-find-what-pins"
    for number in ("99", "5", "five"):
        with pytest.raises(SystemExit, match=rf'^There is no notebook "{number}": name one from 00 to \d\d'):
            runs.numbered(number)


# A run whose test has started a process that left its process group, and has written a file.
STOPPED = """
import os, pathlib, subprocess
from notebooks import check
with check.tidy():
    pathlib.Path(os.environ["TMPDIR"], "file").touch()
    far = subprocess.Popen(["sleep", "800"], start_new_session=True)
    print(far.pid, os.environ["TMPDIR"], flush=True)
    check.run([check.Part("sleep", ["sleep", "800"], 1)])
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGTERM on Windows")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["interrupted", "terminated"])
def test_a_stopped_run_leaves_nothing_behind(how: signal.Signals) -> None:
    """Even a run in the background of a script, where the shell makes it ignore the interrupt at first."""
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED],
        cwd=Path(check.__file__).parents[1],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    ) as run:
        pid, folder = run.stdout.readline().split()
        far = psutil.Process(int(pid))
        try:
            time.sleep(0.3)
            run.send_signal(how)
            run.wait(15)
            assert not far.is_running()
        finally:
            run.kill()
            with suppress(psutil.NoSuchProcess):
                far.kill()
    assert not Path(folder).exists()


@pytest.mark.skipif(os.name == "nt", reason="there is no sh on Windows")
def test_parts_run_side_by_side_and_a_failure_says_how_to_repeat_it(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(check, "LOGS", tmp_path)
    monkeypatch.setattr(check, "ROOT", tmp_path)
    parts = [
        check.Part("good", ["sh", "-c", "echo fine"], 60),
        check.Part("bad", ["sh", "-c", "echo said; exit 3"], 60),
    ]
    assert sorted(check.run(parts)) == [False, True]
    said = capsys.readouterr().out
    assert re.search(r"✔ +\d+ s  good; budget 60 s\n", said)
    assert re.search(r"✘ +\d+ s  bad; budget 60 s\n +said", said)
    assert "again: python3 tools/setup.py --tests -- sh -c 'echo said; exit 3'" in said


def test_a_failed_test_is_shown_with_its_message_and_the_command_that_repeats_it(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(
        '<testsuite><testcase file="tests/test_a.py" name="test_b[c]">'
        "<failure>the code\nE   no\nE   why</failure></testcase>"
        '<testcase classname="threadlab.ATest" name="b"><error>no</error></testcase></testsuite>'
    )
    pytest_s, junit_s = check.Count([tmp_path / "report.xml"]).failures
    assert pytest_s.message == "no\nwhy"
    assert pytest_s.repeat == f"{check.RUN} python -m pytest 'tests/test_a.py::test_b[c]'"
    assert "'-Dtest=ATest#b'" in junit_s.repeat


def judged(
    claim: str, margin: float, value: str = "1", bound: str = "at most 2", note: str = ""
) -> claims.Judged:
    return claims.Judged("now", "07-find-what-pins", "text", claim, margin <= 100, value, bound, margin, note)


def test_the_table_of_claims_counts_what_broke_and_marks_what_to_look_at() -> None:
    rows = [
        *(judged("a", m) for m in (40, 60, 101)),
        judged("b", 75, note="tight"),
        judged("c", 4),
        judged("d", 0),
    ]
    lines = claims.table(rows).splitlines()
    assert [" ".join(line.split()) for line in lines[1:5]] == [
        "1 3 40 – 101 ✘ 07 a (at most 2)",
        "0 1 75 – 75 tight 07 b (at most 2)",
        "0 1 4 – 4 loose 07 c (at most 2)",
        "0 1 0 – 0 07 d (at most 2)",
    ]
    assert lines[-1] == "4 claims, up to 3 runs: broken in 1 of 6 judgements"


def test_a_bound_out_of_reach_is_told_from_one_that_is_near() -> None:
    assert judged("a", 5, "1.5", "at most 1,500").distance == 1_000
    assert judged("a", 5, "64", "at least 3 (predicted 60)").distance == pytest.approx(21.3, rel=0.01)
    assert judged("a", 5, "0", "at most 0").distance == 1
    assert judged("a", 5, "1", "within 5 % of 1,000").distance == 1


def test_a_claim_that_no_run_comes_near_to_breaking_is_found() -> None:
    def could_fail(margins: tuple[float, ...], values: str, bound: str) -> bool:
        rows = [judged("a", m, v, bound) for m, v in zip(margins, values.split(), strict=True)]
        return claims.could_fail(rows)

    assert could_fail((1.1,), "1", "at most 90")
    assert not could_fail((0.9,), "1", "at most 110")
    assert could_fail((0.9, 2), "1 2.2", "at most 110"), "one of them came near"
    assert could_fail((0.9,), "110", "at least 1"), "it asks whether there is any"
    assert not could_fail((0,) * 5, "1 1 1 1 1.1", "at most 2 (predicted 1.2)")
    assert could_fail((0,) * 4, "1 1 1 1.1", "at most 2 (predicted 1.2)"), "too few to know"
    assert could_fail((0,) * 5, "1 1 1 1 1", "at most 2 (predicted 1.2)"), "a count"
    assert could_fail((0,) * 5, "1 1 1 1 1.1", "at most 1.5 (predicted 1.2)"), "it is near"
    assert could_fail((0, 0, 0, 0, 2), "1 1 1 1 1.1", "at most 2 (predicted 1)")
