"""The programs of notebook 05 on both Java versions: what pins, what does not, and what one can see of it.

Costs forty seconds; compares times.
"""

import csv
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from jupyter_client.kernelspec import KernelSpecManager

pytestmark = pytest.mark.alone
PROGRAMS = Path(__file__).parent.parent / "notebooks" / "programs"
TWO_CARRIERS = ("-Djdk.virtualThreadScheduler.parallelism=2", "-Djdk.virtualThreadScheduler.maxPoolSize=2")
FOUR_CARRIERS = ("-Djdk.virtualThreadScheduler.parallelism=4",)
NATIVE = "--enable-native-access=ALL-UNNAMED"

Java = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Java:
    """Compiles a program with the kernel's JDK, once for each version, and runs it on that version."""
    spec = KernelSpecManager().get_kernel_spec("java")
    jdk = Path(spec.argv[0]).parent
    java_of = {21: Path(spec.env["THREADLAB_JAVA21"]) / "bin" / "java", 25: jdk / "java"}
    folder = tmp_path_factory.mktemp("programs")

    def run(
        version: int,
        program: str,
        *arguments: object,
        options: tuple[str, ...] = TWO_CARRIERS,
        timeout: float = 60,
    ) -> subprocess.CompletedProcess[str]:
        classes = folder / f"{program}-{version}"
        if not classes.exists():
            source = PROGRAMS / f"{program}.java"
            subprocess.run([jdk / "javac", "--release", str(version), "-d", classes, source], check=True)
        command = [java_of[version], *options, "-cp", classes, program, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True)

    return run


def rows(run: subprocess.CompletedProcess[str]) -> list[dict[str, str]]:
    assert run.stderr == ""
    return list(csv.DictReader(run.stdout.splitlines()))


def seconds(run: subprocess.CompletedProcess[str]) -> dict[str, float]:
    """The median wall time of each way to wait."""
    measured: dict[str, list[float]] = {}
    for row in rows(run):
        measured.setdefault(row["what"], []).append(float(row["seconds"]))
    return {what: median(values) for what, values in measured.items()}


def test_synchronized_pins_on_21_and_not_on_25(java: Java) -> None:
    ways = ("synchronized", "Object.wait", "ReentrantLock")
    on21 = seconds(java(21, "Pinning", "virtual", 8, 1, *ways))
    on25 = seconds(java(25, "Pinning", "virtual", 8, 3, *ways))
    for way in ("synchronized", "Object.wait"):
        assert on21[way] >= 3 * on21["ReentrantLock"], on21
        assert on25[way] <= 1.5 * on25["ReentrantLock"], on25


def test_platform_threads_wait_all_at_once(java: Java) -> None:
    assert seconds(java(25, "Pinning", "platform", 8, 1, "synchronized"))["synchronized"] < 1.5


@pytest.mark.parametrize("version", [21, 25])
def test_a_class_initializer_pins_on_both(java: Java, version: int) -> None:
    measured = seconds(java(version, "Pinning", "virtual", 8, 1, "ReentrantLock", "initializer"))
    assert measured["initializer"] >= 3 * measured["ReentrantLock"], measured


def test_a_c_function_on_the_stack_pins_on_25(java: Java) -> None:
    platform = rows(java(25, "PinningNative", "platform", 8, options=(NATIVE, *TWO_CARRIERS)))
    virtual = rows(java(25, "PinningNative", "virtual", 8, options=(NATIVE, *TWO_CARRIERS)))
    assert float(virtual[0]["seconds"]) >= 3 * float(platform[0]["seconds"]), (virtual, platform)


def test_the_pool_grows_for_a_compensated_wait_and_not_for_a_pinned_one(java: Java) -> None:
    ways = ("synchronized", "Object.wait")
    grown = rows(java(21, "Pinning", "virtual", 8, 1, *ways, options=TWO_CARRIERS[:1]))
    carriers = {row["what"]: int(row["carriers"]) for row in grown}
    assert carriers["synchronized"] <= 2 < carriers["Object.wait"], carriers


@pytest.mark.skipif(not shutil.which("mkfifo"), reason="no FIFOs on this system")
@pytest.mark.parametrize(
    ("version", "threads", "what", "waits", "events"),
    [
        (21, "virtual", "sleep", False, False),
        (21, "virtual", "initializer", True, True),
        (21, "virtual", "file", False, False),
        (21, "virtual", "process", False, False),
        (25, "virtual", "sleep", False, False),
        (25, "virtual", "initializer", True, True),
        (25, "virtual", "file", True, False),
        (25, "virtual", "process", False, False),
        (25, "platform", "file", False, False),
    ],
)
def test_a_newcomer_waits_for_carriers_that_are_held(
    java: Java, version: int, threads: str, what: str, waits: bool, events: bool
) -> None:
    (row,) = rows(java(version, "Newcomer", threads, what, options=TWO_CARRIERS[:1]))
    assert (int(row["milliseconds"]) > 200) == waits, row
    assert (int(row["events"]) > 0) == events, row


def test_a_system_without_fifos_says_so_and_measures_the_rest(
    java: Java, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    run = java(25, "Newcomer", "virtual", "file", "sleep", options=TWO_CARRIERS[:1])
    said, header, *measured = run.stdout.splitlines()
    assert said.startswith('"file" is left out') and "mkfifo" in said
    assert header.startswith("contender,kind,what") and len(measured) == 1


def test_events_name_the_culprit_on_both(java: Java) -> None:
    on21 = rows(java(21, "Till", 400, options=FOUR_CARRIERS))
    on25 = rows(java(25, "Till", 400, options=FOUR_CARRIERS))
    assert any(row["thread"] == "report-1" and "report:" in row["where"] for row in on21), on21
    assert {row["thread"] for row in on25} == {"price-1", "price-2"}, on25
    assert all("Prices" in row["reason"] and row["carrier"].startswith("ForkJoinPool") for row in on25), on25


def test_pinned_threads_deadlock_on_21_and_not_on_25(java: Java) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as stuck:
        java(21, "Deadlock", options=FOUR_CARRIERS, timeout=4)
    said = (stuck.value.stdout or b"").decode()
    assert "main has given the lock back" in said and "has the lock" not in said
    free = java(25, "Deadlock", options=FOUR_CARRIERS)
    assert free.stdout.count("has the lock") == 5 and "all done" in free.stdout


def test_the_program_to_repair_needs_it(java: Java) -> None:
    (row,) = rows(java(25, "Rates", options=TWO_CARRIERS[:1]))
    assert float(row["answers"]) == 9 and float(row["seconds"]) > 0.2, row
