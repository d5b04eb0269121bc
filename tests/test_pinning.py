"""The programs of notebook 05 on every Java that is here: what pins, what does not, and what one sees of it.

Costs half a minute with Java 21 and the kernel's own; compares times.
"""

import csv
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from jupyter_client.kernelspec import KernelSpecManager

pytestmark = pytest.mark.alone
ROOT = Path(__file__).parent.parent
PROGRAMS = ROOT / "notebooks" / "programs"
HOLDS = ROOT / "data/pinning/holds-a-carrier.csv"
TWO_CARRIERS = ("-Djdk.virtualThreadScheduler.parallelism=2", "-Djdk.virtualThreadScheduler.maxPoolSize=2")
FOUR_CARRIERS = ("-Djdk.virtualThreadScheduler.parallelism=4",)
NATIVE = "--enable-native-access=ALL-UNNAMED"
NATIVE_REFLECTION = "-Djdk.reflect.useNativeAccessorOnly=true"

Java = Callable[..., subprocess.CompletedProcess[str]]


def version(home: Path) -> int:
    return int(re.search(r'JAVA_VERSION="(\d+)', (home / "release").read_text())[1])


def javas() -> dict[int, Path]:
    """The Javas that a notebook's children can run on; the last is the kernel's own."""
    spec = KernelSpecManager().get_kernel_spec("java")
    own = Path(spec.argv[0]).parent.parent
    lists = [os.environ.get("THREADLAB_JAVA", ""), spec.env.get("THREADLAB_JAVA_FOUND", "")]
    homes = [Path(home) for homes in lists for home in homes.split(os.pathsep) if home]
    others = {version(home): home for home in reversed(homes)}
    others.pop(version(own), None)
    return others | {version(own): own}


JAVAS = javas()
OWN = [*JAVAS][-1]


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Java:
    """Compiles a program with the kernel's JDK, once for each version, and runs it on that version."""
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
            subprocess.run(
                [JAVAS[OWN] / "bin/javac", "--release", str(min(version, OWN)), "-d", classes, source],
                check=True,
            )
        command = [JAVAS[version] / "bin/java", *options, "-cp", classes, program, *map(str, arguments)]
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


def test_synchronized_pins_on_21_and_not_on_the_kernel_s_own(java: Java) -> None:
    ways = ("synchronized", "Object.wait", "ReentrantLock")
    on21 = seconds(java(21, "Pinning", "virtual", 8, 1, *ways))
    own = seconds(java(OWN, "Pinning", "virtual", 8, 3, *ways))
    for way in ("synchronized", "Object.wait"):
        assert on21[way] >= 3 * on21["ReentrantLock"], on21
        assert own[way] <= 1.5 * own["ReentrantLock"], own


def test_platform_threads_wait_all_at_once(java: Java) -> None:
    assert seconds(java(OWN, "Pinning", "platform", 8, 1, "synchronized"))["synchronized"] < 1.5


def test_a_c_function_on_the_stack_pins(java: Java) -> None:
    platform = rows(java(OWN, "PinningNative", "platform", 8, options=(NATIVE, *TWO_CARRIERS)))
    virtual = rows(java(OWN, "PinningNative", "virtual", 8, options=(NATIVE, *TWO_CARRIERS)))
    assert float(virtual[0]["seconds"]) >= 3 * float(platform[0]["seconds"]), (virtual, platform)


def test_the_pool_grows_for_a_compensated_wait_and_not_for_a_pinned_one(java: Java) -> None:
    ways = ("synchronized", "Object.wait")
    grown = rows(java(21, "Pinning", "virtual", 8, 1, *ways, options=TWO_CARRIERS[:1]))
    carriers = {row["what"]: int(row["carriers"]) for row in grown}
    assert carriers["synchronized"] <= 2 < carriers["Object.wait"], carriers


def carrier(what: str, version: int) -> str:
    """What the table of the course says of a way to wait."""
    with HOLDS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["what"] == what and int(row["from"]) <= version <= int(row["until"] or 99):
                return row["carrier"]
    return "free"


WAYS = re.findall(r'case "(.+?)" ->', (PROGRAMS / "Newcomer.java").read_text())


@pytest.mark.skipif(not shutil.which("mkfifo"), reason="no FIFOs on this system")
@pytest.mark.parametrize("version", JAVAS)
def test_every_way_to_wait_is_as_the_table_says(java: Java, version: int) -> None:
    options = (NATIVE_REFLECTION, TWO_CARRIERS[0])
    measured = rows(java(version, "Newcomer", 500, "virtual", *WAYS, options=options))
    assert [row["what"] for row in measured] == WAYS
    for row in measured:
        held, many = int(row["milliseconds"]) > 200, int(row["carriers"]) > 4  # a spare one may be left
        seen = "held" if held else "compensated" if many else "free"
        assert seen == carrier(row["what"], version), row


def test_the_table_knows_the_ways_of_the_program_and_no_others() -> None:
    with HOLDS.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    of_newcomer = {row["what"] for row in table if row["program"] == "Newcomer.java"}
    assert of_newcomer == set(WAYS) - {"sleep"}
    for row in table:
        assert all(row[column] for column in row if column != "until"), row
        assert (PROGRAMS / row["program"]).is_file()
        assert re.fullmatch(r"JEP \d{3}|JDK-\d{7}|measured", row["source"]), row
        assert not row["until"] or int(row["from"]) <= int(row["until"]), row


def test_files_that_are_read_on_platform_threads_hold_no_carrier(java: Java) -> None:
    (row,) = rows(java(OWN, "Newcomer", 500, "platform", "file", options=TWO_CARRIERS[:1]))
    assert int(row["milliseconds"]) < 200, row


def test_a_thread_that_reads_a_file_leaves_no_event(java: Java) -> None:
    (row,) = rows(java(OWN, "Newcomer", 500, "virtual", "file", options=TWO_CARRIERS[:1]))
    assert row["events"] == "0", row


def test_a_system_without_fifos_says_so_and_measures_the_rest(
    java: Java, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    run = java(OWN, "Newcomer", 500, "virtual", "file", "sleep", options=TWO_CARRIERS[:1])
    said, header, *measured = run.stdout.splitlines()
    assert said.startswith('"file" is left out') and "mkfifo" in said
    assert header.startswith("contender,kind,java,what") and len(measured) == 1


def test_events_name_the_culprit(java: Java) -> None:
    on21 = rows(java(21, "Till", 400, options=FOUR_CARRIERS))
    own = rows(java(OWN, "Till", 400, options=FOUR_CARRIERS))
    assert any(row["thread"] == "report-1" and "report:" in row["where"] for row in on21), on21
    held = carrier("other's initializer", OWN) == "held"
    assert {row["thread"] for row in own} == {"price-1"} | ({"price-2"} if held else set()), own
    assert all("Prices" in row["reason"] and row["carrier"].startswith("ForkJoinPool") for row in own), own


def test_pinned_threads_deadlock_on_21_and_not_on_the_kernel_s_own(java: Java) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as stuck:
        java(21, "Deadlock", options=FOUR_CARRIERS, timeout=4)
    said = (stuck.value.stdout or b"").decode()
    assert "main has freed the lock" in said and "has the lock" not in said
    free = java(OWN, "Deadlock", options=FOUR_CARRIERS)
    assert free.stdout.count("has the lock") == 5 and "all done" in free.stdout


def test_the_program_to_repair_needs_it(java: Java) -> None:
    one_carrier = ("-Djdk.virtualThreadScheduler.parallelism=1",)
    (row,) = rows(java(OWN, "Rates", options=one_carrier))
    assert float(row["answers"]) == 9 and float(row["seconds"]) > 0.2, row
