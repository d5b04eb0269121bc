"""The image's start, an update and the set-up, killed at seeded moments: every file of a learner stays whole.

Takes ten minutes for twenty moments each; THREADLAB_KILLS=3 tries fewer. Downloads have stand-ins here.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import pytest
from clones import ALONE, FIRST, Course, notebook
from computers import Copy, files, laid_out, make_jdk, script
from publisher import Publisher, pack, serving

MOMENTS = 20
pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills a group of processes, and has shell scripts")
each_moment = pytest.mark.parametrize(
    "moment", random.Random(25).sample(range(MOMENTS), int(os.environ.get("THREADLAB_KILLS", MOMENTS)))
)


def seconds(moment: int, whole: float) -> float:
    """One of the moments, each in its own part of the whole duration."""
    return whole * (moment + random.Random(moment).random()) / MOMENTS


def killed(moment: int, whole: float, **command: object) -> None:
    """Starts a program, and kills it and all processes that it has started."""
    with subprocess.Popen(start_new_session=True, **command) as running:
        time.sleep(seconds(moment, whole))
        os.killpg(running.pid, signal.SIGKILL)


# --- the image's first copy of the course ---


@each_moment
def test_the_first_copy_of_the_course(moment: int, tmp_path: Path) -> None:
    course = tmp_path / "course"
    for name in ("data/a.csv", *(f"notebooks/{number:02}-start-here.ipynb" for number in range(8))):
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_bytes(os.urandom(8_000_000))
    published = files(course)
    (tmp_path / "other").mkdir()
    began = time.monotonic()
    subprocess.run(**laid_out(course, tmp_path / "other"), check=True)
    whole = time.monotonic() - began
    work = tmp_path / "home/virtual-threads"
    own = {"notebooks/03-start-here.ipynb": b"changed", "notebooks/mine.ipynb": b"mine"}
    for name, content in own.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(content)
    killed(moment, whole, **laid_out(course, tmp_path / "home"))
    assert files(work).items() <= (published | own).items()
    subprocess.run(**laid_out(course, tmp_path / "home"), check=True)
    assert files(work) == published | own


# --- make update ---


@each_moment
def test_an_update(moment: int, tmp_path: Path) -> None:
    """Killed at a call of git, which comes before and after each file that an update touches."""
    course = Course(tmp_path)
    names = ("deleted", "gone", "merged")
    course.publish(**{f"{name}.ipynb": notebook(**FIRST, filler=name * 500_000) for name in names})
    course.update()
    new = notebook(**FIRST | {"bottom": "new"}, filler="x" * 500_000)
    course.publish(**dict.fromkeys(("deleted.ipynb", "merged.ipynb", "own.ipynb", "a.ipynb"), new))
    course.publish(**{"gone.ipynb": None})
    mine = {name: notebook(**FIRST | {"top": "mine"}) for name in ("merged.ipynb", "gone.ipynb")}
    for name, text in (mine | {"own.ipynb": "my own", "other.txt": "mine"}).items():
        (course.clone / name).write_text(text)
    (course.clone / "deleted.ipynb").unlink()
    calls = tmp_path / "calls"
    later = random.Random(moment).random() / 50
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
    at = int(seconds(moment, calls.read_text().count("\n"))) + 1
    calls.unlink()
    ended = subprocess.run(**course.command(PATH=path, AT=str(at)), start_new_session=True)
    assert ended.returncode == -signal.SIGKILL
    left = course.files()
    for name in ("a.ipynb", "b.ipynb", "merged.ipynb", "gone.ipynb"):
        json.loads(left[name])
    assert "mine" in left["merged.ipynb"] and left["gone.ipynb"] == mine["gone.ipynb"]
    assert left["other.txt"] == "mine" and "my own" in left.values()

    git = course.clone / ".git"
    # these stop the next update, one by one; one of the folder beside the clone does not
    while locks := {*git.glob("*.lock"), *(git / "refs").rglob("*.lock")}:
        refused = course.refuses()
        [named] = [lock for lock in locks if f"{lock} exists, so git is running" in refused]
        named.unlink()
    said, merged = course.update(), course.cells("merged.ipynb")
    assert merged == twin.cells("merged.ipynb") and (merged["top"], merged["bottom"]) == ("mine", "new")
    now, wanted = course.files(), twin.files()
    [aside] = [name for name in now if name.startswith("own__")]
    assert now.pop(aside) == "my own" and aside in said
    assert now == {name: text for name, text in wanted.items() if not name.startswith("own__")}


# --- the set-up ---

TRAIN = """
import pathlib, sys, time
for name in ("kernel.aot", "servers.aot", "load.aot"):
    with open(pathlib.Path(sys.prefix, "share/threadlab", name), "w") as file:
        for piece in range(20):
            print("trained", file=file, flush=True)
            time.sleep(0.02)
"""
BUILD = """
cd threadlab && mkdir -p target/lib target/servers && : > target/resolved.txt
for jar in threadlab threadlab-servers lib/other servers/more; do
    : > target/$jar.jar
    for piece in 1 2 3 4 5; do echo $jar >> target/$jar.jar; sleep 0.03; done
done
"""


def wheel(folder: Path) -> None:
    """A package that brings a kernel, as JJava's does."""
    kernel = "standin-1.data/data/share/jupyter/kernels/java/"
    content = dict.fromkeys((kernel + "jjava.jar", kernel + "kernel.json"), "{}" * 1_000_000)
    content["standin-1.dist-info/METADATA"] = "Name: standin\nVersion: 1\nMetadata-Version: 2.1\n"
    content["standin-1.dist-info/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    content["standin-1.dist-info/RECORD"] = ""
    folder.mkdir()
    with zipfile.ZipFile(folder / "standin-1-py3-none-any.whl", "w") as packed:
        for name, text in content.items():
            packed.writestr(name, text)


@each_moment
def test_the_set_up(moment: int, tmp_path: Path) -> None:
    home = make_jdk(tmp_path / "jdk", "25.0.9")
    (home / "lib/modules").write_bytes(os.urandom(20_000_000))
    wheel(tmp_path / "wheels")
    script(tmp_path / "maven/bin/mvn", BUILD)
    copy = Copy(tmp_path / "a course é ü")
    (copy.root / "requirements.txt").write_text("standin==1\n")
    (copy.root / "tools/bootstrap/train.py").write_text(TRAIN)
    own = {"notebooks/mine.ipynb", "notebooks/results/00.json", "homework/gradebook.db", "threadlab/mine.txt"}
    for name in own:
        (copy.root / name).parent.mkdir(parents=True, exist_ok=True)
        (copy.root / name).write_bytes(os.urandom(1000))
    before = files(copy.root)
    with serving(Publisher(pack(home))) as server:
        env = {
            "PATH": f"{tmp_path / 'maven/bin'}{os.pathsep}{os.defpath}",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_FIND_LINKS": str(tmp_path / "wheels"),
            "PIP_NO_INDEX": "1",
            "THREADLAB_CACHE": str(tmp_path / "cache"),
            "THREADLAB_FETCH": "yes",
            "THREADLAB_JDK_FROM": server.address,
        }

        def set_up() -> dict[str, bytes]:
            """The files when the set-up is complete."""
            ended = copy.set_up(**env)
            assert ended.returncode == 0, ended
            made = files(copy.root / ".venv/share") | files(tmp_path / "cache")
            made["threadlab/setup.json"] = b""  # contains the time at which the jars were made
            return made | {"left": json.dumps(sorted(os.listdir(tmp_path / "cache"))).encode()}

        start = time.monotonic()
        wanted = set_up()
        whole = time.monotonic() - start
        shutil.rmtree(copy.root / ".venv")
        shutil.rmtree(tmp_path / "cache")
        killed(moment, whole, **copy.command(**env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert before.items() <= files(copy.root).items()
        made = set_up()
    assert made == wanted
    assert before.items() <= files(copy.root).items()
