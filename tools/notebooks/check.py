"""Runs what must hold, and counts the tests of both languages in one last line.

Runs inside the environment: make test (quick), make test NB=05 (of one notebook), make test-all (deep).
`python3 tools/notebooks/check.py total` adds up what the last runs counted.
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bootstrap.launch import BUILD, ROOT, maven

SUREFIRE = ROOT / "threadlab/target/surefire-reports"
MARK = "THREADLAB_TESTS"  # in the environment of whatever a run starts, so that a stopped run can find it

# A network namespace holds the loopback interface only. Root may make one, others in a user namespace.
CUT = [
    "unshare",
    *([] if os.name == "nt" or os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]),
    "--net",
]
CUT_OFF = [*CUT, "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


class Count(Counter):
    """How many tests passed, failed and were skipped, and why those were."""

    def __init__(self, reports: list[Path]) -> None:
        super().__init__()
        self.reasons: Counter[str] = Counter()
        for report in reports:
            for case in xml.parse(report).iter("testcase"):
                parts = {part.tag: part for part in case}
                kind = next((k for k in ("failure", "error", "skipped") if k in parts), "passed")
                self["failed" if kind == "error" else kind.replace("failure", "failed")] += 1
                if kind == "skipped":
                    self.reasons[parts[kind].get("message", "")] += 1


def call(*command: str) -> bool:
    print("\n$", *command, flush=True)
    with subprocess.Popen(command, cwd=ROOT) as running:
        try:
            return running.wait() == 0
        except KeyboardInterrupt:
            # from a terminal it has heard of this already; it gets time to put its things away
            running.send_signal(signal.SIGINT)
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()
            raise


def pytest(name: str, *arguments: str, workers: int = 0, cut_off: bool = False) -> bool:
    """Runs some of the tests, side by side if there are workers, without a network where that can be."""
    command = [sys.executable, "-m", "pytest", f"--junitxml={BUILD / f'tests-{name}.xml'}", *arguments]
    if workers:
        command += [
            f"--numprocesses={workers}",
            "--dist=loadscope",
            "--no-loadscope-reorder",
            "--maxprocesses=8",
        ]
    can = (
        cut_off
        and shutil.which("unshare")
        and subprocess.run([*CUT_OFF, "true"], capture_output=True).returncode == 0
    )
    os.environ["THREADLAB_CUT_OFF"] = "1" if can else ""
    start = time.monotonic()
    held = call(*(CUT_OFF if can else []), *command)
    print(f"({time.monotonic() - start:.0f} s)", flush=True)
    return held


def quick(notebook: str) -> list[bool]:
    """Everything that a contributor needs to trust a change; judges no timing."""
    if notebook:
        from notebooks.runs import numbered

        return [
            pytest(
                "quick",
                "-k",
                numbered(notebook).stem,
                "tests/notebooks/test_notebooks.py",
                "tests/notebooks/test_form.py",
                cut_off=True,
            )
        ]
    python = [sys.executable, "-m"]
    cpus = os.cpu_count() or 1
    return [
        call(*maven(), "--quiet", "verify"),
        call(*python, "ruff", "check", "."),
        call(*python, "ruff", "format", "--check", "."),
        # a notebook waits for more than half of its time
        pytest("quick", "-m", "not deep and not alone and not paired", workers=3 * cpus, cut_off=True),
    ]


def deep() -> list[bool]:
    """What takes long, or must be alone on the machine; beside the former what THREADLAB_BESIDE names."""
    alone = pytest("alone", "-m", "alone")
    paired = pytest("paired", "-m", "paired", workers=2)
    with beside(os.environ.pop("THREADLAB_BESIDE", "")) as ended:
        long = pytest("deep", "-m", "deep", workers=3)
    return [alone, paired, long, *ended]


@contextmanager
def beside(command: str) -> Iterator[list[bool]]:
    """Runs a command beside a block; when both have ended, prints what it said, and gives whether it held."""
    held: list[bool] = []
    if not command:
        yield held
        return
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(shlex.split(command), cwd=ROOT, stdout=said, stderr=subprocess.STDOUT) as running,
    ):
        try:
            yield held
            held.append(running.wait() == 0)
        except BaseException:
            running.terminate()
            raise
        said.seek(0)
        print(f"\n$ {command}\n{said.read()}", flush=True)


@contextmanager
def tidy() -> Iterator[None]:
    """Gives a run a temporary folder, and ends what a stopped run has left."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    # a shell makes its background jobs ignore the interrupt, and so would all that they start
    for asked in (signal.SIGTERM, signal.SIGINT):
        signal.signal(asked, stop)
    os.environ[MARK] = str(os.getpid())
    with tempfile.TemporaryDirectory(prefix="threadlab-tests-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)  # some tests run programs as another user
        os.environ["TMPDIR"] = folder
        try:
            yield
        finally:
            end_what_is_left()


def end_what_is_left() -> None:
    """Ends the processes that carry this run's mark, wherever they have gone."""
    import psutil

    own = psutil.Process().pid
    left = []
    for process in psutil.process_iter():
        try:
            if process.pid != own and process.environ().get(MARK) == os.environ[MARK]:
                process.terminate()
                left.append(process)
        except psutil.Error:
            continue  # it has ended, or is somebody else's
    for process in psutil.wait_procs(left, timeout=5)[1]:
        process.kill()


def close(count: Count, held: list[bool]) -> int:
    """Prints which tests did not run and why, and the closing line."""
    # A check that fails without a failing test (format, lint, a compiler's error) counts as one.
    count["failed"] = max(count["failed"], held.count(False))
    if count.reasons:
        print("\nNot run here:")
        for reason, tests in count.reasons.most_common():
            print(f"  {tests} {'test' if tests == 1 else 'tests'}: {reason}")
    if count["skipped"] and os.environ.get("THREADLAB_NO_SKIPS"):
        print("\nSkipped tests count as failures here (THREADLAB_NO_SKIPS is set).")
        count["failed"] += count.pop("skipped")
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"\n{count['passed']} passed, {count['failed']} failed{skipped}")
    return 1 if count["failed"] else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["quick", "deep", "total"])
    parser.add_argument("--notebook", default="", help="the number of one notebook, such as 05")
    asked = parser.parse_args()
    own = {"quick": ["tests-quick.xml"], "deep": ["tests-alone.xml", "tests-paired.xml", "tests-deep.xml"]}
    own["total"] = own["quick"] + own["deep"]
    reports = [BUILD / name for name in own[asked.what]]
    junit = asked.what != "deep" and not asked.notebook
    held: list[bool] = []
    if asked.what != "total":
        for stale in [*reports, *(SUREFIRE.glob("*.xml") if junit else [])]:
            stale.unlink(missing_ok=True)
        with tidy():
            held = quick(asked.notebook) if asked.what == "quick" else deep()
    count = Count(
        [report for report in [*reports, *(SUREFIRE.glob("*.xml") if junit else [])] if report.exists()]
    )
    return close(count, held)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped; what the tests had started has been ended.")
