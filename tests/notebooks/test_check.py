"""The program that runs the tests: what it counts, what it prints, what a stopped run leaves. Takes two s."""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from bootstrap.places import ROOT
from notebooks import check, runs

posix = pytest.mark.skipif(sys.platform == "win32", reason="there is no sh and no SIGTERM on Windows")
REPORT = """<testsuite><testcase file="tests/test_a.py" name="test_b[c]@group"><failure>the code
E   no
E   why</failure></testcase><testcase classname="threadlab.ATest" name="b"><error message="no"/></testcase>
<testcase name="c"/><testcase name="d"><skipped message="no browser"/></testcase></testsuite>"""


@pytest.mark.parametrize(
    ("skips", "last"), [("", "1 passed, 2 failed, 1 skipped"), ("1", "1 passed, 3 failed")]
)
def test_the_last_lines_say_what_failed_and_how_to_repeat_it_and_count(
    skips: str, last: str, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    monkeypatch.setattr(check, "ROOT", tmp_path)
    monkeypatch.setenv("THREADLAB_NO_SKIPS", skips)
    assert check.close(check.Count([check.Part("", [], 1, "report.xml")]), [True, False]) == 1
    pytest_s, junit_s, skipped, _, said = capsys.readouterr().out.splitlines()[-5:]
    assert pytest_s == f"failed: {check.RUN} python -m pytest 'tests/test_a.py::test_b[c]': no"
    assert "-Dtest='ATest#b'" in junit_s and junit_s.endswith(": no")
    assert (skipped.endswith(": no browser"), said) == (True, last)


@posix
@pytest.mark.parametrize("command", ["exit 3", "sleep 60"])
def test_a_part_that_fails_or_does_not_end_counts_even_if_none_of_its_tests_did(
    command: str, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(check.MARK, "none")
    held = check.run(check.Part("bad", ["sh", "-c", command], 1), speed=5)
    assert f"again: python3 tools/setup.py --tests -- sh -c '{command}'" in capsys.readouterr().out
    assert check.close(check.Count([]), [True, held]) == 1
    assert capsys.readouterr().out.endswith("\n0 passed, 1 failed\n")


@posix
@pytest.mark.parametrize(("seconds", "others", "held"), [(10, 0, True), (14, 0, False), (14, 1, True)])
def test_far_over_its_budget_a_part_fails_if_nothing_else_used_the_cpus(
    seconds: float, others: float, held: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    clock, cpus = iter([0.0, seconds]), iter([(0.0, 0.0), (seconds * others, 0.0)])
    monkeypatch.setattr(check.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(check, "used", lambda: next(cpus))
    assert check.run(check.Part("slow", ["true"], 9), speed=1.3) == held
    assert "budget 9 s, over" in capsys.readouterr().out


def test_every_file_of_tests_that_is_named_exists() -> None:
    named = [*check.WHOLE, check.LESSONS, *(file for files in check.RELEASE.values() for file in files)]
    assert [file for file in named if not (ROOT / file).is_file()] == []


def test_a_notebook_that_is_not_there_is_one_sentence() -> None:
    assert runs.numbered("07").stem == "07-find-what-pins"
    with pytest.raises(SystemExit, match=r'^There is no notebook "99": name one from 00 to \d\d'):
        runs.numbered("99")


# A run whose test has started a process that left its process group, and has written a file.
STOPPED = """
import os, pathlib, subprocess
from notebooks import check
with check.tidy():
    pathlib.Path(os.environ["TMPDIR"], "file").touch()
    far = subprocess.Popen(["sleep", "800"], start_new_session=True)
    print(far.pid, os.environ["TMPDIR"], flush=True)
    check.run(check.Part("sleep", ["sleep", "800"], 1), 1)
"""


@posix
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
            assert "sleep" in run.stdout.readline(), "the part has begun"
            run.send_signal(how)
            run.wait(30)
            assert not far.is_running()
        finally:
            run.kill()
            with suppress(psutil.NoSuchProcess):
                far.kill()
    assert not Path(folder).exists()
