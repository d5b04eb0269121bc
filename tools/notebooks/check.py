"""Runs the tests of one level, prints each part's seconds, and closes with a line that counts the tests.

Runs inside the environment: make test (quick), make test-all (whole), make release-check (release).
A new file of tests belongs to make test unless it is named below. `total` counts the last make test and make
test-all together.
"""

import argparse
import ctypes
import os
import re
import resource
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
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import psutil
from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import maven
from notebooks import recorded

MARK = "THREADLAB_TESTS"  # set in all processes of a run, so that it can end those left over
RUN = "python3 tools/setup.py --tests --"
LESSONS = "tests/notebooks/test_lessons.py"
WHOLE = [  # the longest first
    "tests/notebooks/test_typed.py",
    "tests/teach/test_gradebook.py",  # with a network, from which it installs nbgrader once
    "tests/teach/test_feedback.py",
    "tests/notebooks/test_leftovers.py",
    "tests/teach/test_judge.py",
    "tests/teach/test_hand_in.py",
    "tests/publish/test_site.py",
    "tests/notebooks/test_diagnosis.py",
    "tests/notebooks/test_lab.py",
    "tests/notebooks/test_faults.py",
    "tests/notebooks/test_soak.py",
    "tests/notebooks/test_kernel_with_servers.py",
    "tests/notebooks/test_guesses.py",
    "tests/notebooks/test_running.py",
    "tests/notebooks/test_clients.py",
    "tests/notebooks/test_edits.py",
    "tests/bootstrap/test_network.py",
    "tests/library/test_children.py",
    "tests/library/test_rules_in_javascript.py",  # with a network, from which it fetches TeaVM once
    "tests/hall/test_hall.py",
    "tests/publish/test_tool.py",
]
RELEASE = {
    "image": ["tests/publish/test_image.py"],
    "hostile": [f"tests/teach/test_{name}.py" for name in ("hostile", "class", "gradebook", "feedback")],
    "kills": ["tests/bootstrap/test_kills.py"],
    "bare": ["tests/bootstrap/test_bare.py"],
    "kernel": ["tests/notebooks/test_edits.py", "tests/notebooks/test_clients.py"],
    "binder": ["tests/publish/test_binder.py"],
    "bundle": ["tests/publish/test_bundle.py"],
    "hub": [],
    "soak": ["tests/notebooks/test_soak.py"],
    "faults": ["tests/notebooks/test_faults.py"],
    "claims": ["tests/notebooks/test_diagnosis.py", "tests/teach/test_judge.py"],
    "bench": ["tests/library/test_load.py", "tests/hall/test_hall.py"],
    "memory": [],
    "browser": [
        "tests/publish/test_site_everywhere.py",
        "tests/notebooks/test_player.py",
        "tests/notebooks/test_guesses.py",
        "tests/teach/test_paper.py",
    ],
    "java": [],
    "mutants": [],
}

# A network namespace has only the loopback interface. Root may make one, other users in a user namespace.
CUT = [
    "unshare",
    *([] if os.name == "nt" or os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]),
    "--net",
]
CUT_OFF = [*CUT, "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]

USUAL_SPEED = 0.14  # s of CPU time for the fixed computation on the machine for which the budgets are meant
HANGS = 5  # budgets, after which a part will not end
MOST = 2  # changed lessons that make test runs beside 00
OTHERS = 0.1  # CPUs: if other programs used more, a part may take longer than allowed
MUCH = 1.5  # budgets, after which a part is too slow: waits vary more than computing


class Part(NamedTuple):
    """Some of the tests, run by one command, in `seconds` on two CPUs; `reports` say what ran."""

    name: str
    command: list[str]
    seconds: int
    reports: str = ""
    environment: dict[str, str] = {}  # noqa: RUF012, no part changes it
    cut_off: bool = False

    def files(self) -> list[Path]:
        return [file for pattern in self.reports.split() for file in ROOT.glob(pattern)]


def pytest(name: str, seconds: int, *files: str, workers: int = 2, cut_off: bool = True, **env: str) -> Part:
    """Files of tests in parallel, without a network where the system can cut it off."""
    report = f"build/tests-{name.partition(',')[0].replace(' ', '-')}.xml"
    command = [sys.executable, "-m", "pytest", "--quiet", f"--junitxml={ROOT / report}", *files]
    if workers > 1:  # in the order given: xdist would begin with the files that have most tests
        command += [f"--numprocesses={workers}", "--dist=loadgroup", "--no-loadscope-reorder"]
    command += [] if env.get("THREADLAB_RELEASE") else ["-m", "not release"]
    return Part(name, command, seconds, report, env, cut_off and can_cut_off())


@cache
def can_cut_off() -> bool:
    """Whether this system lets this user make a network namespace."""
    none = subprocess.DEVNULL
    return (
        bool(shutil.which("unshare")) and subprocess.call([*CUT_OFF, "true"], stdout=none, stderr=none) == 0
    )


def junit(kind: str, name: str, seconds: int) -> Part:
    """The tests of threadlab that the POM tags so; without a tag they run in Maven's own `verify`."""
    goals = ["verify"] if kind == "quick" else ["test-compile", f"surefire:test@{kind}"]
    reports = f"surefire-reports/*-{kind}.xml"
    return Part(name, [*maven(), "--quiet", *goals], seconds, f"*/target/{reports} */*/target/{reports}")


def lessons(names: str, seconds: int = 600) -> Part:
    """Lessons and dives from top to bottom, each once, two at a time, each on one CPU."""
    return pytest("lessons", seconds, LESSONS, THREADLAB_LESSONS=names)


# --- the three levels ---


def quick(notebook: str = "") -> list[Part]:
    """What tells within five minutes whether a change breaks something."""
    if notebook:
        return [lessons(notebook, 90), pytest("form", 10, "tests/notebooks/test_form.py", workers=1)]
    rest = {*WHOLE, LESSONS, *(file for files in RELEASE.values() for file in files)}
    files = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("tests/*/test_*.py"))
    python = [sys.executable, "-m"]
    parts = [
        Part("lint of Python", [*python, "ruff", "check", "--quiet", "."], 5),
        Part("formats of Python", [*python, "ruff", "format", "--quiet", "--check", "."], 5),
        Part("types of Python", [*python, "mypy", "--no-error-summary"], 20),
        junit("quick", "JUnit, warnings and formats of Java", 35),
        pytest("tools and forms", 45, *(file for file in files if file not in rest)),
    ]
    if not os.environ.get("THREADLAB_ALL"):  # in CI make test-all follows, which runs all of them
        parts.append(lessons(",".join(["00", *recorded.changed()[:MOST]]), 150))
    return parts


def whole() -> list[Part]:
    """Everything that a change could break and that can be seen in 17 minutes."""
    judged = ",".join(recorded.changed()[:MOST])
    return [
        lessons("all"),
        junit("deep", "JUnit with real servers and children", 130),
        # mostly waiting, so three at a time; with a network, from which the site's test installs Sphinx once
        pytest("pages and servers", 360, *WHOLE, workers=3, cut_off=False, THREADLAB_JUDGE=judged),
    ]


def release(part: str) -> list[Part]:
    """One part of what must hold before a release, with nothing beside it."""
    files, python = RELEASE[part], [sys.executable]
    long = {"image": 420, "hostile": 800, "hub": 300, "kernel": 480, "bare": 1_500, "claims": 900}
    long |= {"kills": 900, "soak": 2_700, "faults": 500}
    asked = {"THREADLAB_RELEASE": "1", "THREADLAB_JUDGE": "all"}
    workers = 2 if part == "soak" else 1
    found = []
    if files:
        found.append(pytest(part, long.get(part, 240), *files, workers=workers, cut_off=False, **asked))
    if part == "browser":  # the pages that have every kind of text
        found.insert(0, lessons("00,01,02,03,15", 180))
    if part == "bench":
        found.append(junit("release", "bench, JUnit that measures", 120))
        found.append(Part("bench, first chart", [*python, "tools/notebooks/bench.py"], 120))
    if part == "claims":
        found.append(Part("claims on record", [*python, "tools/notebooks/recorded.py"], 5))
    if part in ("hub", "memory"):
        trial = [*python, "tests/teach/hub_trial.py"]
        trial += ["--learners=1", "--cpus=1"] if part == "memory" else []
        found.append(Part(f"{part} of learners", trial, 1_500 if part == "memory" else 300))
    if part == "java":
        found.append(Part("newer Javas", [*python, "tools/notebooks/by_java.py"], 3_600))
    if part == "mutants":
        for name, seconds in {
            "rules": 700,
            "claim": 200,
            "measure": 300,
            "model": 200,
            "judge": 1_800,
        }.items():
            found.append(Part(f"mutants, {name}", [*python, "tools/notebooks/mutants.py", name], seconds))
    return found


# --- running them ---


def speed() -> float:
    """How fast this machine is: 1 is usual. The best of three fixed computations, in CPU time."""

    def once() -> float:
        begin = time.process_time()
        sum(number * number % 7 for number in range(3_000_000))
        return time.process_time() - begin

    return USUAL_SPEED / min(once() for _ in range(3))


def used() -> tuple[float, float]:
    """The seconds of CPU time that this machine and the ended programs of this run have used."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass  # an orphan, whose time counts when this program has waited for it
    machine, own = psutil.cpu_times(), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(machine) - machine.idle - getattr(machine, "iowait", 0), own.ru_utime + own.ru_stime


def run(part: Part, speed: float) -> bool:
    """Runs a part; far over its budget it has failed, if nothing else used the CPUs."""
    for stale in part.files():
        stale.unlink()
    print(f"… {part.name}", flush=True)
    begin, before = time.monotonic(), used()
    command = [*(CUT_OFF if part.cut_off else []), *part.command]
    env = os.environ | part.environment | {"THREADLAB_CUT_OFF": "1" if part.cut_off else ""}
    budget = part.seconds / min(speed, 1)  # a fast machine does not shorten waits
    try:
        held = subprocess.call(command, cwd=ROOT, env=env, timeout=HANGS * budget) == 0
    except subprocess.TimeoutExpired:
        held = False
        print(f"It had not ended after {HANGS * budget:.0f} s, and was stopped.", flush=True)
        end_what_is_left()
    took = time.monotonic() - begin
    machine, own = (now - then for now, then in zip(used(), before, strict=True))
    others = (machine - own) / took
    said = f"budget {budget:.0f} s"
    if took > budget:
        busy = others > OTHERS
        said += f", over{f'; other programs used {others:.1f} CPUs' if busy else ''}"
        held = held and (busy or took < MUCH * budget)
    print(f"{'✔' if held else '✘'} {took:4.0f} s  {part.name} ({said})", flush=True)
    if not held:
        print(f"  again: {RUN} {shlex.join(part.command)}", flush=True)
    return held


class Count(Counter):
    """How many tests passed, failed and were skipped, with a line for each that did not pass."""

    def __init__(self, parts: list[Part]) -> None:
        super().__init__()
        self.lines: list[str] = []
        for report in (file for part in parts for file in part.files()):
            for case in xml.parse(report).iter("testcase"):
                wrong = next((one for one in case if one.tag in ("failure", "error", "skipped")), None)
                kind = "passed" if wrong is None else "skipped" if wrong.tag == "skipped" else "failed"
                self[kind] += 1
                if wrong is not None:
                    self.lines.append(f"{kind}: {place(case)}: {message(wrong)}")


def place(case: xml.Element) -> str:
    """A test as pytest or Maven takes it from the command line."""
    name, of = case.get("name", ""), case.get("classname", "")
    if file := case.get("file"):  # pytest's; a group may stand after the name
        return f"{RUN} python -m pytest {shlex.quote(re.sub(r'@[^@]*$', '', f'{file}::{name}'))}"
    test = f"{of.rpartition('.')[2]}#{name.partition('(')[0]}"
    return f"{RUN} mvn -f pom.xml -Dtest='{test}' -Dsurefire.failIfNoSpecifiedTests=false verify"


def message(wrong: xml.Element) -> str:
    """The first line of an error; pytest marks it with an E."""
    lines = (wrong.text or wrong.get("message") or "").splitlines()
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    return (errors or [wrong.get("message", ""), *lines])[0][:300]


def adopt_orphans() -> None:
    """Lets the descendants whose parents end become children of this program, as of init (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


@contextmanager
def tidy() -> Iterator[None]:
    """Gives a run a temporary folder, and ends the processes that it has left."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    # a shell makes its background jobs ignore the interrupt, as would every process that they start
    for asked in (signal.SIGTERM, signal.SIGINT):
        signal.signal(asked, stop)
    os.environ[MARK] = str(os.getpid())
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="threadlab-tests-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)  # some tests run programs as another user
        os.environ["TMPDIR"] = folder
        try:
            yield
        finally:
            end_what_is_left()


def end_what_is_left() -> None:
    """Ends the processes that carry this run's mark, wherever they are."""
    left = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK) == os.environ[MARK]:
                process.terminate()
                left.append(process)
        except psutil.Error:
            continue  # it has ended, or belongs to another user
    for process in psutil.wait_procs(left, timeout=5)[1]:
        process.kill()


def close(count: Count, held: list[bool]) -> int:
    """Prints what did not pass and how to repeat it, and the closing line."""
    if os.environ.get("THREADLAB_NO_SKIPS") and count["skipped"]:
        print("\nSkipped tests count as failures here (THREADLAB_NO_SKIPS is set).")
        count["failed"] += count.pop("skipped")
    # a part that fails without a failing test (a format, a compiler's error, a budget) counts as one
    count["failed"] = max(count["failed"], held.count(False))
    print("", *count.lines, sep="\n")
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"\n{count['passed']} passed, {count['failed']} failed{skipped}")
    return 1 if count["failed"] else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["quick", "whole", "release", "total"])
    parser.add_argument("--notebook", default="", help="the number of one lesson, such as 05")
    parser.add_argument("--part", default="", choices=["", *RELEASE], help="one part of what a release needs")
    asked = parser.parse_args()
    if asked.what == "total":
        return close(Count(quick() + whole()), [])
    if asked.what == "release" and not asked.part:
        recorded.refuse_if_due()
    if asked.what == "quick" and not asked.notebook:
        print(*recorded.told(recorded.due(recorded.rows())), sep="\n")
        if left := recorded.changed()[MOST:]:
            print(f"changed, and not run here: {', '.join(left)} (make test NB={left[0]}, or make test-all)")
    BUILD.mkdir(exist_ok=True)
    levels = {"quick": lambda: quick(asked.notebook), "whole": whole}
    levels["release"] = lambda: [
        one for name in [asked.part] * bool(asked.part) or RELEASE for one in release(name)
    ]
    parts, fast, begin, held = levels[asked.what](), speed(), time.monotonic(), []
    print(f"speed {fast:.2f} (1 is usual; below it, the budgets are divided by it)")
    with tidy():
        for part in parts:
            held.append(run(part, fast))
    print(f"\n{time.monotonic() - begin:.0f} s in all")
    return close(Count(parts), held)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped, and ended the processes that the tests had started.")
