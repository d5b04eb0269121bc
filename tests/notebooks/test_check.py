"""The program that runs the tests: what it counts, what a stopped run leaves. Takes two seconds."""

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
REPORT = """<testsuite><testcase name="a"><failure/></testcase><testcase name="b"><error/></testcase>
<testcase name="c"/><testcase name="d"><skipped/></testcase></testsuite>"""


@posix
@pytest.mark.parametrize("skips, last", [("", "1 passed, 2 failed, 1 skipped"), ("1", "1 passed, 3 failed")])
def test_failed_skipped_and_endless_parts_are_counted(
    skips: str, last: str, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("THREADLAB_NO_SKIPS", skips)
    for command in ("exit 3", "sleep 60"):
        held = check.run(check.Part("bad", ["sh", "-c", command], 0.1))
        assert f"again: python3 tools/setup.py --tests -- sh -c '{command}'" in capsys.readouterr().out
        assert check.close(check.count([]), [True, held]) == 1
        assert capsys.readouterr().out.endswith("\n0 passed, 1 failed\n")
    (tmp_path / "report.xml").write_text(REPORT)
    monkeypatch.setattr(check, "ROOT", tmp_path)
    assert check.close(check.count([check.Part("", [], 1, "report.xml")]), [True, False]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == last


def test_every_file_of_tests_that_is_named_exists() -> None:
    named = [*check.WHOLE, check.LESSONS, *(file for files in check.RELEASE.values() for file in files)]
    assert [file for file in named if not (ROOT / file).is_file()] == []


def test_a_notebook_that_is_not_there_is_one_sentence() -> None:
    assert runs.numbered("07").stem == "07-find-what-pins"
    with pytest.raises(SystemExit, match=r'^There is no notebook "99": name one from 00 to \d\d'):
        runs.numbered("99")


# A run whose test has started a process that left its process group, and has written a file.
STOPPED = """
import os
from notebooks import check
with check.tidy():
    print(os.environ["TMPDIR"], flush=True)
    far = "setsid sleep 800 & echo $!; touch $TMPDIR/file; sleep 800"
    check.run(check.Part("far", ["sh", "-c", far], 99))
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
        folder, _, pid = (run.stdout.readline().strip() for _ in range(3))
        far = psutil.Process(int(pid))
        try:
            run.send_signal(how)
            run.wait(30)
            assert not far.is_running()
        finally:
            run.kill()
            with suppress(psutil.NoSuchProcess):
                far.kill()
    assert not Path(folder).exists()
