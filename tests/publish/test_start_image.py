"""The image's start without an image: what a learner finds in the folder, and is told. Takes a second."""

import os
import subprocess
from pathlib import Path

import pytest
from computers import files, laid_out

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the image's start is a shell script")
NAMES = ("data/a.csv", "notebooks/00-start-here.ipynb", "notebooks/programs/A.java")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / "course" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "course" / name).write_text(name)
    return tmp_path / "course"


def start(course: Path, home: Path, **env: str) -> tuple[int, str, str]:
    command = laid_out(course, home)
    command["env"] |= env
    ended = subprocess.run(**command, capture_output=True, text=True)
    said = [line for line in ended.stderr.splitlines() if "MB of memory" not in line]
    return ended.returncode, ended.stdout.rstrip("\n"), "\n".join(said)


def test_an_empty_home_gets_the_course_and_a_used_one_only_what_is_missing(course: Path) -> None:
    home = course.with_name("a home é")
    work = home / "virtual-threads"
    assert start(course, home) == (0, str(work), "")
    published = files(course)
    assert files(work) == published
    own = {"notebooks/00-start-here.ipynb": b"changed", "notebooks/mine.ipynb": b"mine"}
    for name, content in own.items():
        (work / name).write_bytes(content)
    (work / "data/a.csv").unlink()
    (course / "notebooks/01-new.ipynb").write_text("new")
    assert start(course, home) == (0, str(work), "")
    assert files(work) == published | own | {"notebooks/01-new.ipynb": b"new"}
    assert not list(work.glob(".copying.*"))


def test_a_home_that_cannot_be_written_is_said_in_one_sentence(course: Path, tmp_path: Path) -> None:
    """Not even root can make a folder below this home."""
    home, temporary = Path("/dev/null/home"), tmp_path / "temporary"
    temporary.mkdir()
    code, place, said = start(course, home, TMPDIR=str(temporary))
    assert said.startswith("virtual-threads: User ") and "\n" not in said
    assert said.endswith(f"cannot write to {home}, so what you change is lost when this container ends.")
    assert (code, files(Path(place))) == (0, files(course)) and Path(place).is_relative_to(temporary)
    code, _, said = start(course, home, TMPDIR="/dev/null")
    assert code == 1
    assert said.endswith("give the container a temporary one (docker run --tmpfs /tmp …).")
