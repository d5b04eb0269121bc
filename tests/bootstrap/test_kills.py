"""The image's start and an update, killed at 20 moments each: no file of a learner is lost. Two minutes."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from clones import ALONE, FIRST, Course, notebook
from computers import files, laid_out, script

MOMENTS = 20
pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills a group of processes, and has shell scripts")
each_moment = pytest.mark.parametrize(
    "moment", random.Random(25).sample(range(MOMENTS), int(os.environ.get("THREADLAB_KILLS", MOMENTS)))
)


def seconds(moment: int, whole: float) -> float:
    """One of the moments, each in its own part of the whole duration."""
    return whole * (moment + random.Random(moment).random()) / MOMENTS


@each_moment
def test_the_first_copy_of_the_course(moment: int, tmp_path: Path) -> None:
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
        time.sleep(seconds(moment, whole))
        os.killpg(running.pid, signal.SIGKILL)
    assert files(work).items() <= (published | own).items()
    subprocess.run(**laid_out(course, tmp_path / "home"), check=True)
    assert files(work) == published | own


@each_moment
def test_an_update(moment: int, tmp_path: Path) -> None:
    """Killed at a call of git, which comes before and after each file that an update touches."""
    course = Course(tmp_path)
    before = notebook(**FIRST, filler="before" * 500_000)
    course.publish(**dict.fromkeys(("deleted.ipynb", "gone.ipynb", "merged.ipynb"), before))
    course.update()
    new = notebook(**FIRST | {"bottom": "new"}, filler="x" * 500_000)
    course.publish(**dict.fromkeys(("deleted.ipynb", "merged.ipynb", "own.ipynb", "a.ipynb"), new))
    course.publish(**{"gone.ipynb": None})
    mine = {name: notebook(**FIRST | {"top": "mine"}) for name in ("merged.ipynb", "gone.ipynb")}
    for name, text in (mine | {"own.ipynb": "my own", "other.txt": "mine"}).items():
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
