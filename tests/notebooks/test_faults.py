"""Full disks, no descriptors, other locales, a stop: a sentence each; what was there stays. A minute."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager
import notebook_tests
from cells import run, value
from notebooks.runs import (
    DIVES,
    NOTEBOOKS,
    ROOT,
    Session,
    Specs,
    claims,
    numbered,
    own_ports,
    process_of,
    until,
)

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk, and limits descriptors"),
    # its kernels keep CPUs from the exercises that measure: one worker does both
    pytest.mark.xdist_group("test_judge"),
]

# a disk of that size at $1, and fewer descriptors, for the command behind it
CRAMPED = 'mount -t tmpfs -o size="$2" small "$1" && cd "$1" && ulimit -n 600 && shift 2 && exec "$@"'
ALONE = [
    "unshare",
    "--mount",
    *([] if os.geteuid() == 0 else ["--map-root-user"]),
    "--",
    "sh",
    "-c",
    CRAMPED,
    "sh",
]
FILL = """
static void fill() throws Exception {
    try (var all = new java.io.FileOutputStream("full")) { while (true) all.write(new byte[4096]); }
    catch (IOException e) { System.out.println(e.getMessage()); }
}
"""
CHILD = 'class Child { public static void main(String[] a) { System.out.println("here"); } }'
OPEN = """
var all = new ArrayList<java.io.FileInputStream>();
try { while (true) all.add(new java.io.FileInputStream("Child.java")); } catch (IOException e) { }
"""
DUMP = ROOT / "whatwaits/src/test/resources/whatwaits/rules/idle.json"
SAVE = f'whatwaits.look.Evidence.read(java.nio.file.Path.of("{DUMP}")).save(java.nio.file.Path.of("a.zip"))'
DISK = "The disk is full: make room on it, then run the cell again."
# the name of a fault, the cell that meets it, and what its page says
FULL = {
    "a claim": (
        'Claim.that("meanwhile", 1).atMost(2)',
        r"not kept: results/limit.csv cannot be written \(No space left on device\): free space on the",
    ),
    "a guess": ('Guess.number("a", "s").between(1, 10).is(3)', r"3"),
    "handing in": (
        'Results.share("limit")',
        r"shared/limit-\w+.csv cannot be written \(No space left.*free space",
    ),
    "a child": ('ChildJvm.of("Child.java").run()', rf"No space left on device(.|\n)*{DISK}"),
    "a database": ('LocalPostgres.start("shop")', r"has 0 MB free, and it needs 150: free space there"),
    "a saved look": (SAVE, r"a.zip cannot be written \(No space left on device\): free space there, or name"),
    "a file": ('java.nio.file.Files.writeString(java.nio.file.Path.of("new"), "x".repeat(9_000))', DISK),
}
WITHOUT = {
    "of a child": ('ChildJvm.of("Child.java").run()', r"Too many open files(.|\n)*close them with try \(…\)"),
    "of a socket": ("new java.net.ServerSocket(0)", r"Too many open files(.|\n)*close them with try \(…\)"),
    "of a result": ("1 + 1", "^2$"),
}


class Changed(Specs):
    """The course's kernel with a command before it, or with more options."""

    def __init__(self, folder: Path, *before: "str | Path", options: Sequence[str] = ()) -> None:
        super().__init__(folder)
        self.before, self.options = [str(word) for word in before], options

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        spec = super().get_kernel_spec(kernel_name)
        spec.argv[:] = [*self.before, spec.argv[0], *self.options, *spec.argv[1:]]
        return spec


@contextmanager
def started(specs: Specs, **env: str) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager = KernelManager(kernel_name="java", kernel_spec_manager=specs, **own_ports())
    own = {"JPY_SESSION_NAME": "05-limit.ipynb", "THREADLAB_SCALE": "small"}
    manager.start_kernel(env=os.environ | own | env, cwd=specs.folder)
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=150)
    try:
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def said(client: BlockingKernelClient, source: str) -> str:
    """Everything that a cell shows, errors included."""
    reply, published = run(client, source)
    shown = [each.get("text") or each.get("data", {}).get("text/plain", "") for each in published]
    error = "\n".join([reply.get("evalue", ""), *reply.get("traceback", [])])
    return re.sub(
        r"\x1b\[[\d;]*m", "", "\n".join([*filter(None, shown), *([error] if error.strip() else [])])
    )


def unexpected(client: BlockingKernelClient, faults: dict[str, tuple[str, str]]) -> list[str]:
    told = {name: said(client, cell) for name, (cell, _) in faults.items()}
    return [
        f"{name}: {told[name]}" for name, (_, wanted) in faults.items() if not re.search(wanted, told[name])
    ]


@pytest.fixture(scope="module")
def cramped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[BlockingKernelClient, Path]]:
    """A kernel whose folder is a disk of 3 MB, and that folder as this process sees it."""
    home = tmp_path_factory.mktemp("home")
    if subprocess.run([*ALONE, home, "1m", "true"], capture_output=True).returncode:
        pytest.skip("this user may not mount")
    with started(Changed(home, *ALONE, home, "3m")) as (manager, client):
        inside = Path(f"/proc/{process_of(manager)}/root{home}")
        (inside / "Child.java").write_text(CHILD)
        said(client, "%libraries servers")
        said(client, FILL)
        yield client, inside


def test_on_a_full_disk_each_says_so_and_nothing_is_lost(cramped: tuple[BlockingKernelClient, Path]) -> None:
    client, home = cramped
    said(client, 'Claim.that("before", 1).atMost(2)')
    kept = home / "results/limit.csv"
    (home / "a.zip").write_text("before")
    before = kept.read_bytes()
    assert "No space left on device" in said(client, "fill()")
    assert unexpected(client, FULL) == []
    assert (kept.read_bytes(), (home / "a.zip").read_text()) == (before, "before")
    assert [*home.rglob("*.new"), *home.glob("threadlab-child*")] == []
    (home / "full").unlink()
    said(client, 'Claim.that("afterwards", 1).atMost(2)')
    assert re.findall(r"^claim,(\w+)", kept.read_text(), re.MULTILINE) == [
        "before",
        "meanwhile",
        "afterwards",
    ]
    assert "here" in said(client, 'ChildJvm.of("Child.java").run()')


def test_without_a_descriptor_the_kernel_lives_on(cramped: tuple[BlockingKernelClient, Path]) -> None:
    client, home = cramped
    kept = (home / "results/limit.csv").read_bytes()
    said(client, OPEN)
    assert unexpected(client, WITHOUT) == []
    time.sleep(2)  # in which it would take Jupyter for ended
    said(client, "for (var each : all) each.close();")
    assert "here" in said(client, 'ChildJvm.of("Child.java").run()')
    assert (home / "results/limit.csv").read_bytes() == kept


NO_THREAD = "[Tt]he system allows no further|could not start another native thread"
SHOP = """
import org.springframework.web.bind.annotation.*;
@RestController
class Shop { @GetMapping("/buy") int buy() { return 1; } }
"""
REFUSED = {  # with four more threads or processes than the kernel has
    "a child": ('ChildJvm.of("Child.java").run()', NO_THREAD),
    "a database": ('LocalPostgres.start("shop")', NO_THREAD),
    "a claim": ('Claim.that("meanwhile", 1).atMost(2)', "meanwhile"),
    "a server": (
        'LocalServer.of("shop", Shop.class).start()',
        r"no further thread beside the \d+(.|\n)*restart",
    ),
    "a server of its own": ('LocalServer.of("shop", Shop.class).startChild()', NO_THREAD),
    "a virtual thread": ('Thread.ofVirtual().start(() -> IO.println("ran")).join();', "ran"),
}


def is_empty(group: Path) -> bool:
    return not (group / "cgroup.procs").read_text()


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group whose threads and processes can be counted and limited."""
    for parent in map(Path, ("/sys/fs/cgroup/pids", "/sys/fs/cgroup")):
        made = parent / f"threadlab-test-{os.getpid()}"
        with suppress(OSError):
            made.mkdir()
            if (made / "pids.max").exists():
                yield made
                until("it is empty", partial(is_empty, made))
                made.rmdir()
                return
            made.rmdir()
    pytest.skip("this user may not make a control group")


@pytest.mark.release
def test_without_a_further_process_the_kernel_lives_on(group: Path, tmp_path: Path) -> None:
    (tmp_path / "Child.java").write_text(CHILD)
    inside = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group)]
    with started(Changed(tmp_path, *inside)) as (_, client):
        said(client, "%libraries servers")
        said(client, SHOP)
        said(client, 'Claim.that("before", 1).atMost(2)')
        now = int((group / "pids.current").read_text())
        (group / "pids.max").write_text(str(now + 4))
        assert unexpected(client, REFUSED) == []
        assert [*tmp_path.glob("threadlab-[0-9]*")] == []
        (group / "pids.max").write_text("1")
        assert unexpected(client, {"any cell": ("1 + 1", NO_THREAD)}) == []
        (group / "pids.max").write_text("max")
        assert "here" in said(client, 'ChildJvm.of("Child.java").run()')
        assert "kept" not in said(client, 'Claim.that("afterwards", 1).atMost(2)')
    claims_kept = re.findall(r"^claim,(\w+)", (tmp_path / "results/limit.csv").read_text(), re.MULTILINE)
    assert claims_kept == ["before", "meanwhile", "afterwards"]


# what a tool of Python does on a full disk, what it says, and what is there afterwards
SAVING = """
import nbformat, pathlib
from jupyter_server.services.contents.largefilemanager import LargeFileManager
cells = [nbformat.v4.new_markdown_cell("x" * 300_000)]
model = {"type": "notebook", "format": "json", "content": nbformat.v4.new_notebook(cells=cells)}
LargeFileManager(root_dir=".").save(model, "notebooks/mine.ipynb")
"""
WRITING = "import pathlib; from bootstrap import files; files.write(pathlib.Path('kept.csv'), 'x' * 500_000)"
FEEDBACK = [ROOT / "tools/teach/homework/grade.py", "generate_feedback", "00", "--checks-from=2030-01-01"]


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        pytest.param(["-c", SAVING], "No space left on device", id="saving a notebook"),
        pytest.param(["-c", WRITING], r"No space left on device: 'kept.csv'", id="a record"),
        pytest.param(
            FEEDBACK, r"00.checks-from cannot be used \(No space left on device\): make room", id="grading"
        ),
    ],
)
def test_the_tools_of_python_on_a_full_disk(command: list, wanted: str, tmp_path: Path) -> None:
    kept = {
        "notebooks/mine.ipynb": '{"cells": []}',
        "kept.csv": "before",
        "graded/00.json": "{}",
        "source/00/a": "",
    }
    make = [f"mkdir -p {Path(name).parent} && printf %s '{text}' > {name}" for name, text in kept.items()]
    steps = [*make, 'head -c 9999999 /dev/zero > full 2> /dev/null; "$@"; echo "ended with $?"', "sleep 5.1"]
    look = "import pathlib; from bootstrap import files; files.restore(pathlib.Path('.'))"
    steps += [
        "rm -f full",
        f'"$1" -c "{look}"',
        *(f"echo; cat {name}; echo" for name in [*kept][:3]),
        "ls -A . *",
    ]
    script = ["sh", "-c", " \n".join(steps), "sh", sys.executable, *map(str, command)]
    env = os.environ | {"THREADLAB_HOMEWORK": str(tmp_path), "PYTHONPATH": str(ROOT / "tools")}
    ended = subprocess.run(
        [*ALONE, tmp_path, "256k", *script], env=env, capture_output=True, text=True, timeout=90
    )
    if "mount" in ended.stderr:
        pytest.skip("this user may not mount")
    assert re.search(wanted, ended.stderr), ended.stderr
    assert "ended with 1" in ended.stdout
    assert all(f"\n{text}\n" in ended.stdout for text in [*kept.values()][:3]), ended.stdout
    assert ".new" not in ended.stdout


def test_a_stop_of_kernel_and_child_in_a_trial_only_takes_its_time(tmp_path: Path) -> None:
    trial = 'Trials.of("n", "x").virtual(n -> { Thread.sleep(400); return n; }).sizes(1).repeat(3).run()'
    with started(Specs(tmp_path)) as (manager, client):
        client.execute(trial)
        kernel = psutil.Process(process_of(manager))
        while client.get_iopub_msg(timeout=60)["msg_type"] != "display_data":
            pass
        os.killpg(kernel.pid, signal.SIGSTOP)
        time.sleep(3)
        os.killpg(kernel.pid, signal.SIGCONT)
        until("the trials end", lambda: client.get_shell_msg(timeout=60)["content"].get("status") == "ok", 60)
        assert value(client, "1 + 1") == "2"


PLACES = {  # a locale, a time zone, a number of CPUs
    "tr_TR": ("Pacific/Kiritimati", 16),
    "ar_EG": ("America/Adak", 3),
    "zh_CN": ("Asia/Kathmandu", 1),
}


@pytest.mark.parametrize("place", PLACES)
def test_everywhere_cells_say_the_same(place: str, tmp_path: Path) -> None:
    with started(elsewhere(tmp_path, place)) as (_, client):
        assert value(client, '"%,.1f %d".formatted(1234.5, 7)') == "1,234.5 7"
        exact = 'Claim.that("it holds", 1_234).within(0).of(1_234)'
        assert value(client, exact).startswith("✔ it holds: 1,234, allowed: exactly 1,234")
        assert value(client, "Machine.here().cpus()") == str(PLACES[place][1])
        trials = 'Trials.of("n", "x").virtual(n -> 0.5).platform(n -> n).sizes(1_000).repeat(1).run()'
        run(client, f"var run = {trials};")
        assert re.search(r"virtual +\| +1000 +\| +1 +\| +0\.\d+ +\| +0\.5 ", value(client, "run"))
        claim = 'Claim.that("all", run).contender("platform").within(0).of(n -> n)'
        assert value(client, claim).startswith("✔ all: platform at 1,000: 1,000")
        assert said(client, "int ı = 1; int I = 2; ı + I").endswith("3")
        wrong = said(client, "Thread.sleep(true);")
        assert "boolean cannot be converted" in wrong and wrong.isascii(), wrong


def elsewhere(folder: Path, place: str) -> Specs:
    language, country = place.split("_")
    zone, cpus = PLACES[place]
    options = [f"-Duser.language={language}", f"-Duser.country={country}", f"-Duser.timezone={zone}"]
    return Changed(folder, options=[*options, "-Duser.name=Ada Li", f"-XX:ActiveProcessorCount={cpus}"])


# those about carriers and CPUs in all places, each other one in one of them
SOMEWHERE = [
    (path.stem, place)
    for turn, path in enumerate([*NOTEBOOKS, *DIVES])
    for of, place in enumerate(PLACES)
    if path.stem[:2] in ("00", "03", "07", "14") or turn % len(PLACES) == of
]


@pytest.mark.release
@pytest.mark.parametrize(("lesson", "place"), SOMEWHERE)
def test_everywhere_a_lesson_reaches_its_end(lesson: str, place: str, tmp_path: Path) -> None:
    session = Session(numbered(lesson), tmp_path)
    session.client.km.kernel_spec_manager = elsewhere(tmp_path, place)
    with session.kernel():
        notebook = session.run_all().notebook
    notebook_tests.no_cell_fails(notebook)
    notebook_tests.nothing_is_written_to_standard_error(notebook)
    counts = [text for text in claims(notebook).values() if "allowed: exactly" in text]
    assert [text for text in counts if text.startswith("✘")] == []
