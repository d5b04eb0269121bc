"""The image's start and an update, killed at seeded moments: nothing of a learner is lost. Half a minute."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from clones import ALONE, FIRST, Course, git, notebook
from computers import files, laid_out, script

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills a group of processes, and has shell scripts")
SEEDED = random.Random(25)


def moments(number: int) -> list[float]:
    """Shares of the whole duration, each in its own part of it."""
    return [(part + SEEDED.random()) / number for part in range(number)]


@pytest.mark.parametrize("moment", moments(3))
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


@pytest.mark.parametrize("moment", moments(5))
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
