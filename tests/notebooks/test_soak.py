"""A day in one kernel: whatever is done again and again, what it leaves there levels off.

Takes half a minute; the long form, make release-check PART=soak, forty minutes.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import nbformat
import psutil
import pytest
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_core.utils import run_sync
from nbformat.v4 import new_code_cell, new_notebook
import notebook_tests
from cells import cpu
from left import Left, dumped
from notebooks.runs import NOTEBOOKS, Session, numbered, read

OFTEN = [numbered(number) for number in ("00", "01", "02", "03", "06")]
FIRST = 3  # rounds that may add something: caches, classes, a larger pool
GROWTH = 1.2  # of the live heap after them
SMALL = {  # a guess, trials of both kinds with a chart, a claim, a child JVM
    "guess": 'var mine = Guess.number("n threads take", "s").between(0.1, 10);\nmine',
    "trials": """
var measured = Trials.of("n threads", "threads")
        .platform(n -> { for (int i = 0; i < n; i++) Thread.ofPlatform().start(() -> {}).join(); return n; })
        .virtual(n -> { for (int i = 0; i < n; i++) Thread.ofVirtual().start(() -> {}).join(); return n; })
        .sizes(10, 100).live(Plots::timings).run();
Plots.timings(measured)""",
    "claim": 'Claim.that("all have run", measured).within(0).of(n -> n)',
    "child": 'ChildJvm.of("Child.java").run()',
}
RUNNING = {
    "controls": 'var here = Slider.of("visitors inside", 1, 50, 8);',
    "crowd": """
Running.with(here).doing(visitors -> {
    try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
        while (true) {
            pool.submit(() -> {
                var visit = visitors.arrives(System.nanoTime());
                visit.begins();
                Thread.sleep(50);
                visit.ends();
                return null;
            });
            Thread.sleep(10);
        }
    }
})""",
    "next": "Thread.sleep(300);",
}


# JShell's compilers keep what they have read, until the kernel gives it new ones after fifty cells: half of
# what the heap grew by in ten rounds was where among the fifty a round ended. This refusal leads to new ones.
REFUSED = f"int{'[]' * 256} tooMany = null;"


class Level(NamedTuple):
    """What is in a kernel after a round, each a number; the heap is what lives after a collection, in MB."""

    threads: int
    virtual: int
    descriptors: int
    children: int
    comms: int
    files: int
    heap: int


async def comms(session: Session) -> int:
    """How many comms the kernel has open, as it says itself."""
    client = session.client.kc
    assert isinstance(client, AsyncKernelClient)
    told = await client.comm_info(reply=True, timeout=60)
    return len(told["content"]["comms"])


def level(session: Session, left: Left) -> Level:
    for _ in range(2):  # the first one's error keeps the compilers before it
        with pytest.raises(AssertionError):
            session.run(REFUSED)
    collected = "for (int i = 0; i < 3; i++) { System.gc(); Thread.sleep(100); }"
    session.run(collected)  # the first makes garbage of what a cleaner or a reference held
    beans = "java.lang.management.ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()"
    heap = int(session.run(f"{beans} / 1_000_000").replace(",", ""))
    threads = dumped(session, left.folder)
    return Level(
        sum(not thread.get("virtual") for thread in threads),
        sum(bool(thread.get("virtual")) for thread in threads),
        psutil.Process(session.pid).num_fds(),
        len(left.processes()),
        run_sync(comms)(session),
        len(left.files()),
        heap,
    )


def grown(levels: list[Level]) -> list[str]:
    """What does not level off: it grows by one every second round, or the heap by more than a fifth."""
    if len(levels) <= FIRST:
        return []
    third, later = levels[FIRST - 1], levels[-2:]
    found = []
    for name in Level._fields:
        before, now = getattr(third, name), min(getattr(one, name) for one in later)
        most = before * GROWTH if name == "heap" else before + (len(levels) - FIRST) / 2
        if now > most:
            found.append(f"{name}: {[getattr(one, name) for one in levels]}")
    return found


def soaked(path: Path, folder: Path, rounds: int, run: Callable[[Session], None]) -> list[Level]:
    """Does something in one kernel as often as asked, and looks at the kernel after each time."""
    session, levels = Session(path, folder, cpu()), []
    with session.kernel():
        left = Left(session.pid, folder)
        for number in range(rounds):
            begin = time.monotonic()
            run(session)
            levels.append(level(session, left))
            print(
                f"{path.stem}, round {number + 1}, {time.monotonic() - begin:.0f} s: {levels[-1]}", flush=True
            )
    return levels


@pytest.mark.parametrize("name", Level._fields)
def test_what_is_left_each_time_is_named(name: str) -> None:
    at_first, by = Level(20, 0, 110, 0, 1, 0, 60), 10 if name == "heap" else 1
    leaks = [at_first._replace(**{name: getattr(at_first, name) + by * number}) for number in range(6)]
    assert [each.partition(":")[0] for each in grown(leaks)] == [name]
    once = [at_first, *[at_first._replace(**{name: getattr(at_first, name) + 9})] * 5]
    assert grown(once) == []


@pytest.mark.parametrize(
    ("cells", "rounds"),
    [
        pytest.param(SMALL, 6, id="cells"),
        pytest.param(RUNNING, 7, id="running"),
        pytest.param(RUNNING, 60, id="running sixty times", marks=pytest.mark.release),
    ],
)
def test_cells_leave_nothing_more_each_time(cells: dict[str, str], rounds: int, tmp_path: Path) -> None:
    java = 'class Child { public static void main(String[] a) { System.out.println("here"); } }'
    (tmp_path / "Child.java").write_text(java)
    made = new_notebook(cells=[new_code_cell(source, id=name) for name, source in cells.items()])
    nbformat.write(made, tmp_path / "soak.ipynb")
    (tmp_path / "temporary").mkdir()

    def run(session: Session) -> None:
        notebook_tests.no_cell_fails(session.run_all().notebook)

    assert grown(soaked(tmp_path / "soak.ipynb", tmp_path / "temporary", rounds, run)) == []


LESSONS = [pytest.param(path, id=path.stem, marks=pytest.mark.xdist_group(path.stem)) for path in NOTEBOOKS]


@pytest.mark.release
@pytest.mark.parametrize("path", LESSONS)
def test_a_lesson_can_be_run_again_and_again(path: Path, tmp_path: Path) -> None:
    """No error, the same charts, every claim judged; those of OFTEN ten times, the others twice."""
    drawn = []

    def run(session: Session) -> None:
        notebook = session.run_all().notebook
        notebook_tests.no_cell_fails(notebook)
        notebook_tests.nothing_is_written_to_standard_error(notebook)
        notebook_tests.every_claim_is_judged_and_listed(notebook, session.claims())
        drawn.append(notebook_tests.pictures(notebook).keys())

    assert grown(soaked(path, tmp_path, 10 if path in OFTEN else 2, run)) == []
    assert all(each == drawn[0] for each in drawn)


@pytest.mark.release
@pytest.mark.xdist_group("course")
def test_the_whole_course_can_be_done_twice_in_one_kernel(tmp_path: Path) -> None:
    """Lesson after lesson; each declares again what another one has, and the second time draws the same."""
    drawn: dict[str, list] = {path.stem: [] for path in NOTEBOOKS}

    def run(session: Session) -> None:
        for path in NOTEBOOKS:
            session.stored = read(path)
            begin = time.monotonic()
            notebook = session.run_all().notebook
            print(f"{path.stem}: {time.monotonic() - begin:.0f} s", flush=True)
            notebook_tests.no_cell_fails(notebook)
            notebook_tests.nothing_is_written_to_standard_error(notebook)
            drawn[path.stem].append(notebook_tests.pictures(notebook).keys())

    first, second = soaked(NOTEBOOKS[0], tmp_path, 2, run)
    assert second.heap <= GROWTH * first.heap
    assert (second.children, second.files) == (first.children, first.files)
    assert all(one == other for one, other in drawn.values())
