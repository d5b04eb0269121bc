"""Runs all checks, part by part, and counts the tests of both languages in the last line.

Runs inside the environment: make test (quick), make test NB=05 (of one notebook), make test-all (deep).
`python3 -m notebooks.check total` adds up the counts of the last runs. The output of a part is kept in
build/test-logs; for a failure, the screen shows the message and the command that repeats it.
"""

import argparse
import os
import re
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import maven

LOGS = BUILD / "test-logs"
SUREFIRE = ROOT / "threadlab/target/surefire-reports"
MARK = "THREADLAB_TESTS"  # set in all processes of a run, so that it can end those left over
RUN = "python3 tools/setup.py --tests --"
MESSAGE_LINES = 25
GROUP = re.compile(r"@[\w-]+$")

# A network namespace has only the loopback interface. Root may make one, other users in a user namespace.
CUT = [
    "unshare",
    *([] if os.name == "nt" or os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]),
    "--net",
]
CUT_OFF = [*CUT, "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the tests, run by one command.

    `reports` are the files in which JUnit or pytest say what they ran, none for other programs; `seconds`
    is the part's time budget on two CPUs.
    """

    name: str
    command: list[str]
    seconds: int
    reports: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        return LOGS / (self.name.replace(" ", "-").replace(",", "") + ".log")

    def files(self) -> list[Path]:
        return sorted(ROOT.glob(self.reports)) if self.reports else []


class Failure(NamedTuple):
    test: str
    message: str
    repeat: str


class Count(Counter):
    """How many tests passed, failed and were skipped, which failed, and why others were skipped."""

    def __init__(self, reports: list[Path]) -> None:
        super().__init__()
        self.reasons: Counter[str] = Counter()
        self.failures: list[Failure] = []
        self.told: list[str] = []
        for report in reports:
            for case in xml.parse(report).iter("testcase"):
                parts = {part.tag: part for part in case}
                self.told += [
                    text.get("value", "") for text in case.iter("property") if text.get("name") == "told"
                ]
                if wrong := [parts[tag] for tag in ("failure", "error") if tag in parts]:
                    self["failed"] += 1
                    self.failures.append(failure(case, wrong[0]))
                elif "skipped" in parts:
                    self["skipped"] += 1
                    self.reasons[parts["skipped"].get("message", "")] += 1
                else:
                    self["passed"] += 1

    def __str__(self) -> str:
        skipped = f", {self['skipped']} skipped" if self["skipped"] else ""
        return f"{self['passed']} passed, {self['failed']} failed{skipped}"


def failure(case: xml.Element, wrong: xml.Element) -> Failure:
    lines = (wrong.text or wrong.get("message", "")).strip().splitlines()
    name, of = case.get("name", ""), case.get("classname", "")
    if file := case.get("file"):  # pytest's; xdist writes a test's group after its name
        test = f"{file}::{GROUP.sub('', name)}"
        at = next((i for i, line in enumerate(lines) if line.startswith("E ")), 0)  # E: pytest's error
        lines = [line.removeprefix("E ").strip() for line in lines[at:]]
        return Failure(test, "\n".join(lines[:MESSAGE_LINES]), f"{RUN} python -m pytest {shlex.quote(test)}")
    test = f"{of.rpartition('.')[2]}#{name.partition('(')[0]}"
    options = f"-f threadlab/pom.xml {shlex.quote('-Dtest=' + test)} -Dsurefire.failIfNoSpecifiedTests=false"
    return Failure(test, "\n".join(lines[:MESSAGE_LINES]), f"{RUN} mvn {options} verify")


def pytest(
    key: str, name: str, seconds: int, *arguments: str, workers: int = 0, cut_off: bool = False
) -> Part:
    """A part of pytest, in parallel if there are workers, without a network where possible."""
    report = f"build/tests-{key}.xml"
    command = [sys.executable, "-m", "pytest", "--quiet", f"--junitxml={ROOT / report}", *arguments]
    if workers:
        command += [f"--numprocesses={workers}", "--dist=loadgroup", "--no-loadscope-reorder"]
    can = (
        cut_off
        and shutil.which("unshare")
        and subprocess.run([*CUT_OFF, "true"], capture_output=True).returncode == 0
    )
    return Part(
        name,
        [*(CUT_OFF if can else []), *command],
        seconds,
        report,
        {"THREADLAB_CUT_OFF": "1" if can else ""},
    )


def junit(kind: str, name: str, seconds: int) -> Part:
    """The deep tests of threadlab or those that judge time, as the POM divides them."""
    goals = ["test-compile", f"surefire:test@{kind}"]
    return Part(
        name, [*maven(), "--quiet", *goals], seconds, f"threadlab/target/surefire-reports/*-{kind}.xml"
    )


def quick(notebook: str) -> list[list[Part]]:
    """Everything that a contributor needs to trust a change; judges no time and no claim."""
    if notebook:
        from notebooks.runs import numbered

        name = numbered(notebook).stem
        files = ["tests/notebooks/test_notebooks.py", "tests/notebooks/test_form.py"]
        return [[pytest("quick", f"notebook {notebook}", 60, "-k", name, *files, cut_off=True)]]
    python = [sys.executable, "-m", "ruff"]
    cpus = os.cpu_count() or 1
    return [
        [
            Part(
                "JUnit, warnings and formats of Java",
                [*maven(), "--quiet", "verify"],
                90,
                "threadlab/target/surefire-reports/*-quick.xml",
            ),
            Part("lint of Python", [*python, "check", "."], 5),
            Part("formats of Python", [*python, "format", "--check", "."], 5),
            pytest(
                "quick",
                "every notebook once, the set-up and the tools",
                330,
                *("-m", "not deep and not alone and not paired"),
                workers=2 * cpus,
                cut_off=True,
            ),
        ]
    ]


def deep() -> list[list[Part]]:
    """Tests that take long or must be alone on the machine."""
    return [
        [pytest("alone", "notebooks at their usual sizes, claims judged", 1_140, "-m", "alone")],
        [junit("timing", "JUnit that judges time", 60)],
        [pytest("paired", "tests that run two at a time", 270, "-m", "paired", workers=2)],
        [junit("deep", "JUnit with real loads and databases", 180)],
        [pytest("deep", "image, browser, hub, homework, small sizes", 1_200, "-m", "deep", workers=4)],
    ]


def run(parts: list[Part]) -> list[bool]:
    """Runs some parts side by side, and prints a line as each of them ends."""
    LOGS.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    running: dict[Part, subprocess.Popen] = {}
    held: list[bool] = []
    try:
        for part in parts:
            with part.log.open("w") as log:
                running[part] = subprocess.Popen(
                    part.command,
                    cwd=ROOT,
                    env=os.environ | part.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            print(f"  …      {part.name}", flush=True)
        while running:
            time.sleep(0.2)
            for part in [part for part, process in running.items() if process.poll() is not None]:
                ended = running.pop(part).returncode == 0
                report(part, ended, time.monotonic() - start)
                held.append(ended)
    finally:
        for process in running.values():
            # they already got a terminal's interrupt; they get time to clean up
            process.send_signal(signal.SIGINT)
        for process in running.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
    return held


def report(part: Part, ended: bool, seconds: float) -> None:
    """The result of a part: its time and budget, its tests, and for each failure how to repeat it."""
    count = Count(part.files())
    tests = f": {count}" if part.files() else ""
    over = " (over)" if seconds > part.seconds else ""
    print(
        f"{'✔' if ended else '✘'} {seconds:5.0f} s  {part.name}{tests}; budget {part.seconds} s{over}",
        flush=True,
    )
    with part.log.open("a") as log:
        log.writelines(f"{text}\n" for text in count.told)
    for found in count.failures:
        print(f"\n  ✘ {found.test}\n{indented(found.message)}\n    again: {found.repeat}")
    if not ended and not count.failures:
        said = part.log.read_text(errors="replace").strip().splitlines()
        print(indented("\n".join(said[-MESSAGE_LINES:])), f"\n    again: {RUN} {shlex.join(part.command)}")
    if not ended:
        print(f"    full log: {part.log.relative_to(ROOT)}\n", flush=True)


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


@contextmanager
def tidy() -> Iterator[None]:
    """Gives a run a temporary folder, and ends the processes that a stopped run has left."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    # a shell makes its background jobs ignore the interrupt, as would every process that they start
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
    """Ends the processes that carry this run's mark, wherever they are."""
    import psutil

    own = psutil.Process().pid
    left = []
    for process in psutil.process_iter():
        try:
            if process.pid != own and process.environ().get(MARK) == os.environ[MARK]:
                process.terminate()
                left.append(process)
        except psutil.Error:
            continue  # it has ended, or belongs to another user
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
    if count.failures:
        # again at the end, which is often all that a CI page keeps
        print("\nFailed:")
        for found in count.failures:
            said, _, _ = found.message.partition("\n")
            print(f"  {found.test}: {said[:500]}")
    print(f"\n{count}")
    return 1 if count["failed"] else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["quick", "deep", "total"])
    parser.add_argument("--notebook", default="", help="the number of one notebook, such as 05")
    asked = parser.parse_args()
    phases = {"quick": lambda: quick(asked.notebook), "deep": deep, "total": lambda: quick("") + deep()}
    phases = phases[asked.what]()
    held: list[bool] = []
    if asked.what != "total":
        for stale in (file for parts in phases for part in parts for file in part.files()):
            stale.unlink()
        start = time.monotonic()
        with tidy():
            for parts in phases:
                held += run(parts)
        print(f"\n{time.monotonic() - start:.0f} s in all")
    count = Count([file for parts in phases for part in parts for file in part.files()])
    return close(count, held)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped, and ended the processes that the tests had started.")
