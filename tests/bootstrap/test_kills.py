"""Whatever runs, killed at ten seeded moments: the next start works, nothing is lost or half or runs on.

What a killed run of the judge keeps is in tests/teach/test_gradebook.py and test_batch.py. 14 minutes.
"""

import csv
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path

import nbformat
import psutil
import pytest
from jupyter_client.blocking import BlockingKernelClient
from bootstrap.files import restore
from bootstrap.places import ROOT
from cells import run, started
from clones import ALONE, FIRST, Course, git, notebook
from computers import files, laid_out, script
from gradebooks import FILE, NAME
from homeworks import ANSWER, cell, written
from left import Left
from notebooks.runs import Specs, load, own_ports, process_of, until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills a group of processes, and has shell scripts")
SEEDED = random.Random(25)


def moments(number: int) -> list[float]:
    """Shares of the whole duration, each in its own part of it."""
    return [(part + SEEDED.random()) / number for part in range(number)]


@pytest.mark.parametrize("moment", moments(10))
def test_the_first_copy_of_the_course(moment: float, tmp_path: Path) -> None:
    course = tmp_path / "course"
    for name in ("data/a.csv", *(f"notebooks/{number:02}-start-here.ipynb" for number in range(8))):
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_bytes(os.urandom(8_000_000))
    published = files(course)
    began = time.monotonic()
    subprocess.run(**laid_out(course, tmp_path / "other"), check=True)
    whole = time.monotonic() - began
    work = tmp_path / "home/virtual-threads"
    own = {"notebooks/03-start-here.ipynb": b"changed", "notebooks/mine.ipynb": b"mine"}
    for name, content in own.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(content)
    with subprocess.Popen(start_new_session=True, **laid_out(course, tmp_path / "home")) as running:
        time.sleep(moment * whole)
        os.killpg(running.pid, signal.SIGKILL)
    assert files(work).items() <= (published | own).items()
    subprocess.run(**laid_out(course, tmp_path / "home"), check=True)
    assert files(work) == published | own


@pytest.mark.parametrize("moment", moments(10))
def test_an_update(moment: float, tmp_path: Path) -> None:
    """Killed at or soon after a call of git; in the folder or in a commit stands all that the learner had."""
    course = Course(tmp_path)
    before = notebook(**FIRST, filler="before" * 500_000)
    course.publish(**dict.fromkeys(("deleted.ipynb", "gone.ipynb", "merged.ipynb"), before))
    course.update()
    new = notebook(**FIRST | {"bottom": "new"}, filler="x" * 500_000)
    course.publish(**dict.fromkeys(("deleted.ipynb", "merged.ipynb", "own.ipynb", "a.ipynb"), new))
    course.publish(**{"gone.ipynb": None})
    mine = {name: notebook(**FIRST | {"top": "mine"}) for name in ("merged.ipynb", "gone.ipynb")}
    mine |= {"own.ipynb": "my own", "other.txt": "mine"}
    for name, text in mine.items():
        (course.clone / name).write_text(text)
    (course.clone / "deleted.ipynb").unlink()
    calls, later = tmp_path / "calls", random.Random(moment).random() / 50
    script(
        tmp_path / "bin/git",
        f'echo >> "{calls}"\n'
        # a call that reads the count may find one more, since git calls itself
        f'[ "$AT" = 0 ] || [ "$(wc -l < "{calls}")" -lt "$AT" ] || (sleep {later:.4f}; kill -9 0) &\n'
        f'exec "{shutil.which("git")}" "$@"\n',
    )
    # an update of another clone counts the calls
    twin = Course.__new__(Course)
    twin.published, twin.clone = course.published, tmp_path / "twin"
    shutil.copytree(course.clone, twin.clone)
    path = f"{tmp_path / 'bin'}{os.pathsep}{ALONE['PATH']}"
    twin.update(PATH=path, AT="0")
    at = int(moment * calls.read_text().count("\n")) + 1
    calls.unlink()
    ended = subprocess.run(**course.command(PATH=path, AT=str(at)), start_new_session=True)
    assert ended.returncode == -signal.SIGKILL
    left = [*course.files().values(), *committed(course)]
    assert all(text in left for text in mine.values())

    folder = course.clone / ".git"
    # these stop the next update, one by one
    while locks := {*folder.glob("*.lock"), *(folder / "refs").rglob("*.lock")}:
        refused = course.refuses()
        [lock] = [lock for lock in locks if f"{lock} exists, so git is running" in refused]
        lock.unlink()
    course.update()
    merged = course.cells("merged.ipynb")
    assert (merged["top"], merged["bottom"]) == ("mine", "new")

    def named(files: dict[str, str]) -> dict[str, str]:
        """Without the time in the name of the file that was renamed."""
        return {name.partition("__")[0] if "__" in name else name: text for name, text in files.items()}

    assert named(course.files()) == named(twin.files())


def committed(course: Course) -> list[str]:
    """The learner's files in the last commit."""
    names = git(course.clone, "ls-tree", "--name-only", "HEAD").split()
    return [git(course.clone, "show", f"HEAD:{name}") for name in names if name.endswith(".ipynb")]


# --- what writes a file: it is always a whole one, of the last version or of the one before ---

NOTEBOOK = """
import nbformat, time
from jupyter_server.services.contents.largefilemanager import LargeFileManager
manager = LargeFileManager(root_dir=".")
for version in range(1, 1_000_000):
    cells = [nbformat.v4.new_markdown_cell(str(version) + " " * 3_000_000)]
    content = nbformat.v4.new_notebook(cells=cells)
    manager.save({"type": "notebook", "format": "json", "content": content}, "notebooks/kept.ipynb")
    print(version, flush=True)
"""
RECORD = """
from pathlib import Path
from bootstrap import files
for version in range(1, 1_000_000):
    files.write_rows(Path("kept.csv"), [["version"], [version], *[["x" * 100]] * 50_000, ["end"]])
    print(version, flush=True)
"""


def saved(file: Path) -> int:
    return int(json.loads(file.read_text())["cells"][0]["source"][0].split()[0])


def recorded(file: Path) -> int:
    rows = list(csv.reader(file.open()))
    assert rows[-1] == ["end"]
    return int(rows[1][0])


@pytest.mark.parametrize("moment", moments(10))
@pytest.mark.parametrize(
    ("program", "name", "version"),
    [(NOTEBOOK, "notebooks/kept.ipynb", saved), (RECORD, "kept.csv", recorded)],
    ids=["notebook", "record"],
)
def test_what_is_saved(
    moment: float, program: str, name: str, version: Callable[[Path], int], tmp_path: Path
) -> None:
    (tmp_path / "notebooks").mkdir()
    env = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as writes:
        for _ in range(2):
            last = int(writes.stdout.readline())
        time.sleep(moment / 2)
        writes.kill()
        last = max(last, *(int(word) for word in writes.stdout.read().split() or ["0"]))
    if name.endswith(".ipynb"):
        until("nobody saves any more", lambda: is_whole_again(tmp_path / name), 10)
    assert version(tmp_path / name) in (last, last + 1)


def is_whole_again(file: Path) -> bool:
    restore(file.parent)
    return is_whole(file)


def is_whole(file: Path) -> bool:
    try:
        return bool(json.loads(file.read_text()))
    except ValueError:
        return False


def test_what_is_saved_in_part_comes_back_although_the_clock_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, notebook = tmp_path / ".~mine.ipynb", tmp_path / "mine.ipynb"
    kept.write_text('{"cells": []}')
    notebook.write_text('{"cells"')
    restore(tmp_path)
    assert not is_whole(notebook), "it may just be saved"
    monkeypatch.setattr(time, "time", lambda: kept.stat().st_ctime - 3_600)
    restore(tmp_path)
    assert is_whole(notebook)


# --- what runs: a kernel goes on without what it has started, and nothing goes on without its kernel ---

WAITS = "class Waits { public static void main(String[] a) throws Exception { Thread.sleep(100_000); } }"
SHOP = """
%libraries servers
import org.springframework.web.bind.annotation.*;
@RestController
class Shop { @GetMapping("/buy") int buy() { return 1; } }
"""
RUNS = {  # a cell that runs for a while, and what it starts that is killed
    "a child": ('ChildJvm.of("Waits.java").run()', r"threadlab\.child\.Guard Waits|\bWaits\b"),
    "a server": (
        'try (var shop = LocalServer.of("shop", Shop.class).startChild()) { Thread.sleep(100_000); }',
        r"\bjava\b.*threadlab",
    ),
    "PostgreSQL": (
        'try (var db = LocalPostgres.start("shop"); var c = db.connect(); var s = c.createStatement())'
        ' { s.execute("select pg_sleep(100)"); }',
        r"/postgres -D|^postgres: ",  # not one that only prepares its folder
    ),
}


@pytest.mark.parametrize("what", RUNS)
def test_what_a_kernel_has_started(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed ten times in one kernel: the cell ends with a sentence, and the next one starts another."""
    cell, name = RUNS[what]
    (tmp_path / "temporary").mkdir()
    (tmp_path / "Waits.java").write_text(WAITS)
    monkeypatch.chdir(tmp_path)
    with started(tmp_path / "temporary", THREADLAB_SCALE="small") as (manager, client):
        run(client, SHOP)
        kernel, left = (
            psutil.Process(process_of(manager)),
            Left(process_of(manager), tmp_path / "temporary"),
        )

        def started_here() -> Iterator[psutil.Process]:
            """Also PostgreSQL, which becomes a daemon: its first process names its folder."""
            yield from kernel.children(recursive=True)
            for each in psutil.process_iter():
                with suppress(psutil.Error):
                    if each != kernel and str(left.folder) in " ".join(each.cmdline()):
                        yield from [each, *each.children()]

        def killed() -> bool:
            for each in started_here():
                with suppress(psutil.Error):  # it has ended
                    if re.search(name, " ".join(each.cmdline())):
                        each.kill()
                        return True
            return False

        for moment in moments(10):
            asked = client.execute(cell)
            time.sleep(8 * moment)
            until(what, killed, 90)
            if what == "a server":  # the cell would sleep on
                manager.interrupt_kernel()
            while client.get_shell_msg(timeout=90)["parent_header"].get("msg_id") != asked:
                pass  # the cell has not ended
            assert run(client, "1 + 1")[0]["status"] == "ok"
            until("nothing is left", lambda: not left.processes() and not left.files(), 30)


@pytest.mark.parametrize("moment", moments(10))
def test_a_kernel_and_its_group(moment: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while it judges claims: what it had kept is whole, and the next kernel adds to it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "temporary").mkdir()
    (tmp_path / "Waits.java").write_text(WAITS)
    own = {"THREADLAB_SCALE": "small", "JPY_SESSION_NAME": "05-limit.ipynb"}
    kept = tmp_path / "results/limit.csv"

    def claims() -> list[str]:
        return [row["name"] for row in csv.DictReader(kept.open()) if row["what"] == "claim"]

    with started(tmp_path / "temporary", **own) as (manager, client):
        left = Left(process_of(manager), tmp_path / "temporary")
        run(client, 'Claim.that("first", 1).atMost(2)')
        run(client, 'var child = ChildJvm.of("Waits.java").start();')
        client.execute('for (int i = 0; ; i++) display(Claim.that("claim " + i, i).atLeast(0));')
        time.sleep(2 * moment)
        manager.signal_kernel(signal.SIGKILL)
        until("nothing runs on", lambda: not left.processes(), 30)
    assert (found := claims())[0] == "first"
    assert found[1:] == [f"claim {i}" for i in range(len(found) - 1)]
    with started(tmp_path / "temporary", **own) as (_, client):
        run(client, 'Claim.that("after it", 1).atMost(2)')
    assert claims() == [*found, "after it"]
    assert [*kept.parent.glob("*")] == [kept]


SERVED = re.compile(r"http://127\.0\.0\.1:(\d+)/\S*\?token=")
WORKS = """
import threadlab.child.ChildJvm;
var child = ChildJvm.of("Waits.java").start();
for (int i = 0; ; i++) display(Claim.that("claim " + i, i).atLeast(0));
"""


def asked(port: str, path: str, method: str, sent: object) -> dict:
    """What Jupyter's server answers to its page."""
    address, headers = f"http://127.0.0.1:{port}/api/{path}", {"Authorization": "token t"}
    request = urllib.request.Request(address, json.dumps(sent).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as told:
        return json.loads(told.read())


def serves(port: str) -> bool:
    with suppress(OSError):
        return bool(asked(port, "status", "GET", None))
    return False


def judged(folder: Path) -> list[str]:
    """The claims of the page's notebook that are kept."""
    return [row["name"] for row in load(folder / "notebooks/results/mine.csv") if row["what"] == "claim"]


def nothing_is_left(left: Left) -> bool:
    return not psutil.pid_exists(left.pid) and not left.processes() and not left.files()


def until_killed(server: subprocess.Popen, folder: Path, last: int, moment: float) -> tuple[Left, int]:
    """Works and saves as a page does until the server is gone; the last version that it has confirmed."""
    assert server.stderr
    port = next(found[1] for line in server.stderr if (found := SERVED.search(line)))
    until("it serves", lambda: serves(port))  # it prints its address before that
    session = {"path": "notebooks/mine.ipynb", "name": "mine.ipynb", "type": "notebook"}
    made = asked(port, "sessions", "POST", session | {"kernel": {"name": "java"}})
    client = BlockingKernelClient(connection_file=str(folder / f"run/kernel-{made['kernel']['id']}.json"))
    client.load_connection_file()
    client.start_channels(hb=False)  # which calls a kernel dead that has not begun
    client.wait_for_ready(timeout=120)
    [kernel] = psutil.Process(server.pid).children()
    left, before = Left(kernel.pid, folder / "temporary"), len(judged(folder))
    client.execute(WORKS)
    until("claims are kept", lambda: len(judged(folder)) > before or before, 60)
    threading.Timer(2 * moment, server.kill).start()
    with suppress(OSError):
        while True:
            filler = "x" * 2_000_000
            content = json.loads(notebook(**FIRST | {"top": str(last + 1)}, filler=filler))
            model = {"type": "notebook", "format": "json", "content": content}
            asked(port, "contents/notebooks/mine.ipynb", "PUT", model)
            last += 1
    client.stop_channels()
    return left, last


def test_jupyter(tmp_path: Path) -> None:
    """Its server alone, killed ten times while a page saves and a cell runs: kernel and child end, too."""
    for name in ("notebooks", "temporary", "data/kernels/java"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "notebooks/Waits.java").write_text(WAITS)
    mine = tmp_path / "notebooks/mine.ipynb"
    mine.write_text(notebook(**FIRST))
    spec = Specs(tmp_path / "temporary").get_kernel_spec("java")
    (tmp_path / "data/kernels/java/kernel.json").write_text(json.dumps(spec.to_dict()))
    command = [sys.executable, "-m", "jupyter", "server", "--allow-root", "--no-browser", "--port-retries=50"]
    command += ["--IdentityProvider.token=t", f"--ServerApp.root_dir={tmp_path}"]
    env = os.environ | {"JUPYTER_RUNTIME_DIR": str(tmp_path / "run"), "JUPYTER_PATH": str(tmp_path / "data")}
    last = 0
    for moment in moments(10):
        before = judged(tmp_path)
        with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as server:
            try:
                left, last = until_killed(server, tmp_path, last, moment)
            finally:
                server.kill()
        until("nothing runs on", partial(nothing_is_left, left), 30)
        until("nobody saves any more", lambda: is_whole_again(mine), 10)
        saved_last = saved(mine)
        assert saved_last in (last, last + 1)
        last, found = saved_last, judged(tmp_path)
        assert len(found) >= len(before) and found == [f"claim {i}" for i in range(len(found))]


LAB = re.compile(r"http://127\.0\.0\.1:\d+/lab/tree/\S+")


def test_make_lab(tmp_path: Path) -> None:
    """Killed ten times on its way to the page, with all that it has started: the next one gets there."""
    command = [sys.executable, str(ROOT / "tools/setup.py"), "lab"]
    env = os.environ | {"JUPYTER_RUNTIME_DIR": str(tmp_path), "BROWSER": "true"}

    def lab(seconds: float) -> bool:
        log = tmp_path / "lab.log"
        with log.open("w") as out:
            process = subprocess.Popen(command, env=env, stdout=out, stderr=out, start_new_session=True)
            end = time.monotonic() + seconds
            while time.monotonic() < end and not (there := bool(LAB.search(log.read_text()))):
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return there

    began = time.monotonic()
    assert lab(120)
    whole = time.monotonic() - began
    for moment in moments(10):
        lab(moment * whole)
    assert lab(120)


TARGET = (
    "public class Target { public static void main(String[] a) throws Exception { Thread.sleep(600_000); } }"
)


def test_a_look(tmp_path: Path) -> None:
    """What a killed look has begun in a JVM ends by itself, and the next look sees and leaves the same."""
    java = shutil.which("java", path=f"{os.environ.get('JAVA_HOME', '')}/bin{os.pathsep}{os.environ['PATH']}")
    jars = [ROOT / "whatwaits/target/classes", *(ROOT / ".venv/share/threadlab/lib").glob("gson*.jar")]
    picocli = [*Path.home().glob(".m2/repository/info/picocli/picocli/*/*.jar")]
    path = os.pathsep.join(map(str, [*jars, *picocli]))
    (tmp_path / "Target.java").write_text(TARGET)
    look = [java, "-cp", path, "whatwaits.command.Main", "look"]
    with subprocess.Popen([java, str(tmp_path / "Target.java")]) as target:
        try:
            check = [str(Path(java).with_name("jcmd")), str(target.pid), "JFR.check"]
            until("it runs", lambda: subprocess.run(check, capture_output=True).returncode == 0, 60)
            for moment in moments(10):
                words = [*look, str(target.pid), "--dumps", "--seconds=2", f"--save={tmp_path / 'a.zip'}"]
                with subprocess.Popen(words, stdout=subprocess.DEVNULL) as looks:
                    time.sleep(4 * moment)
                    looks.kill()
            running = [
                line for line in subprocess.check_output(check, text=True).splitlines() if "(running)" in line
            ]
            assert all("duration=" in line for line in running)
            words = [*look, str(target.pid), "--dumps", "--seconds=1", f"--save={tmp_path / 'a.zip'}"]
            said = subprocess.run(words, capture_output=True, text=True)
            assert said.returncode in (0, 3), said
            read = subprocess.run([*look[:-1], "read", tmp_path / "a.zip"], capture_output=True, text=True)
            assert read.stdout == said.stdout
            assert [file.name for file in tmp_path.glob("a.zip*")] == ["a.zip"]
        finally:
            target.kill()
            for left in Path("/tmp").glob(f"whatwaits-{target.pid}-*"):
                shutil.rmtree(left)


GRADES = """
import sys
from gradebooks import played
from teach.homework import grade, isolation
isolation.engine, isolation.run = lambda: ["played"], played
sys.exit(grade.main(sys.argv[1:]))
"""


def test_grading(tmp_path: Path) -> None:
    """Killed ten times, alone or with what it has started: the next run gives the marks of what is there."""
    written(tmp_path)
    env = os.environ | {"THREADLAB_HOMEWORK": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}

    def grade(*words: str) -> str:
        return subprocess.check_output([sys.executable, "-c", GRADES, *words], env=env, text=True)

    def hand_in(answer: str) -> None:
        made = nbformat.read(tmp_path / "release" / NAME / FILE, 4)
        cell(made, ANSWER).source += f"\ntimesAsFast = {answer};"
        for student in ("ada", "bob", "eve"):
            (folder := tmp_path / "submitted" / student / NAME).mkdir(parents=True, exist_ok=True)
            nbformat.write(made, folder / FILE)

    grade("generate_assignment", NAME, "--force")
    hand_in("7.0")
    began = time.monotonic()
    grade("autograde", NAME)
    whole = time.monotonic() - began
    for number, moment in enumerate(moments(10)):
        hand_in(f"{2 + number % 2}.{'0' * (number + 1)}")  # another text each time; each second is wrong
        command = [sys.executable, "-c", GRADES, "autograde", NAME]
        with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, start_new_session=True) as running:
            time.sleep(moment * whole)
            (os.killpg if number % 4 < 2 else os.kill)(running.pid, signal.SIGKILL)
        grade("autograde", NAME)
        marks = [(row["status"], row["mark"]) for row in csv.DictReader(grade("marks").splitlines())]
        assert marks == [("graded", "2" if number % 2 else "4")] * 3
        assert [*tmp_path.rglob("*.new"), *tmp_path.glob("gradebook.db-*"), *tmp_path.glob(".staged")] == []


KEPT = """
import sys
from pathlib import Path
from hall import hall
from teach import questions
questions.KEPT = hall.ROOT = Path(sys.argv.pop())
hall.main()
"""


def test_the_hall(tmp_path: Path) -> None:
    """Killed ten times while phones answer and it exports: each export is whole, and the next one goes on."""
    port, chance = int(own_ports()["shell_port"]), random.Random(7)
    command = [sys.executable, "-c", KEPT, f"--port={port}", "--shared", str(tmp_path)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    drawn: dict[str, list[float]] = {}

    def told(to: int, path: str, body: bytes = b"", key: str = "") -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{to}/{path}", body, {"X-Key": key})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read().decode()

    def answers(phone: int, question: dict) -> None:
        spec, token = question["spec"], f"{phone:032x}"
        drawn[token] = [chance.uniform(spec["low"], spec["high"]) for _ in spec["sizes"]]
        marks = [{"n": n, "words": "", "value": v} for n, v in zip(spec["sizes"], drawn[token], strict=True)]
        told(port, "answer", json.dumps({"token": token, "cell": question["cell"], "marks": marks}).encode())

    def exported(name: str) -> list[list[float]]:
        found: dict[str, list[float]] = {}
        for row in load(tmp_path / name):
            found.setdefault(row["line"], []).append(float(row["value"]))
        return sorted(found.values())

    for moment in moments(10):
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as hall:
            assert hall.stdout and any("Space" in line for line in hall.stdout)
            told(port + 1, "do", key="forward")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/now", timeout=20) as now:
                question = json.loads(now.readline().decode().partition("data: ")[2])
            for phone in range(30):
                answers(phone, question)
            assert exported(told(port + 1, "do", key="export")) == sorted(drawn.values())
            threading.Timer(moment / 2, hall.kill).start()
            with suppress(OSError, HTTPException):
                while True:
                    answers(chance.randrange(30), question)
                    told(port + 1, "do", key="export")
        assert all(len(exported(file.name)) == 30 for file in tmp_path.glob("*.csv"))
        # what it was just writing stays beside the whole one until the next export
        assert {file.suffix for file in tmp_path.iterdir()} <= {".csv", ".new"}
