"""The programs of notebook 05, beyond its claims, which say what pins on which Java and what one sees of it.

Costs ten seconds with Java 21 and the kernel's own, all but what reads the table deep.
"""

import csv
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager

from notebooks.runs import code_cells, numbered, read

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "notebooks" / "programs"
HOLDS = ROOT / "data/pinning/holds-a-carrier.csv"
TWO_CARRIERS = ("-Djdk.virtualThreadScheduler.parallelism=2", "-Djdk.virtualThreadScheduler.maxPoolSize=2")
FOUR_CARRIERS = ("-Djdk.virtualThreadScheduler.parallelism=4",)

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


@pytest.mark.deep
def test_platform_threads_wait_at_the_same_time(java: Java) -> None:
    (row,) = rows(java(OWN, "Pinning", "platform", 8, 1, "synchronized"))
    assert float(row["seconds"]) < 1.5, row


WAYS = re.findall(r'case "(.+?)" ->', (PROGRAMS / "Newcomer.java").read_text())


def test_the_table_knows_the_ways_of_the_program_and_no_others_and_the_notebook_measures_all() -> None:
    with HOLDS.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    of_newcomer = {row["what"] for row in table if row["program"] == "Newcomer.java"}
    assert of_newcomer == set(WAYS) - {"sleep"}
    [cell] = [cell for cell in code_cells(read(numbered("05"))) if cell.id == "newcomer-ways"]
    assert set(WAYS) <= set(re.findall('"(.+?)"', cell.source))
    for row in table:
        assert all(row[column] for column in row if column != "until"), row
        assert (PROGRAMS / row["program"]).is_file()
        assert re.fullmatch(r"JEP \d{3}|JDK-\d{7}|measured", row["source"]), row
        assert not row["until"] or int(row["from"]) <= int(row["until"]), row


@pytest.mark.deep
def test_a_system_without_fifos_says_so_and_measures_the_rest(
    java: Java, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    run = java(OWN, "Newcomer", 500, "virtual", "file", "sleep", options=TWO_CARRIERS[:1])
    said, header, *measured = run.stdout.splitlines()
    assert said.startswith('"file" is left out') and "mkfifo" in said
    assert header.startswith("contender,kind,java,what") and len(measured) == 1


@pytest.mark.deep
def test_events_name_the_culprit(java: Java) -> None:
    on21 = rows(java(21, "Till", 400, options=FOUR_CARRIERS))
    own = rows(java(OWN, "Till", 400, options=FOUR_CARRIERS))
    assert any(row["thread"] == "report-1" and "report:" in row["where"] for row in on21), on21
    price = [row for row in own if row["thread"] == "price-1"]
    assert price, own
    assert all("Prices" in row["reason"] and row["carrier"].startswith("ForkJoinPool") for row in price), own


@pytest.mark.deep
def test_the_program_to_repair_needs_it(java: Java) -> None:
    one_carrier = ("-Djdk.virtualThreadScheduler.parallelism=1",)
    (row,) = rows(java(OWN, "Rates", options=one_carrier))
    assert float(row["answers"]) == 9 and float(row["seconds"]) > 0.2, row
