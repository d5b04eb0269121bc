"""Lessons of the first order, in a clone or in an image's volume: no two lessons have the same number.

A learner's changes to them are kept. Takes two seconds.
"""

import os
import subprocess
from pathlib import Path

import pytest
from bootstrap import old_course
from clones import ALONE, FIRST, Course, git, notebook
from computers import ROOT

OLD = {
    f"notebooks/{name}": notebook(**FIRST, name=name) for name in ("04-a.ipynb", "05-b.ipynb", "06-c.ipynb")
}
NEW = {
    "notebooks/04-b.ipynb": OLD["notebooks/05-b.ipynb"].replace('"3"', '"better"'),
    "notebooks/05-a.ipynb": OLD["notebooks/04-a.ipynb"],
    "notebooks/what-moved-where.md": "# What moved where",
}
MINE = notebook(**FIRST | {"middle": "mine"}, name="05-b.ipynb")
MOVED = "The lessons that you changed are now in notebooks/old-course: 05-b.ipynb; "
REMOVED = "Removed, because the lessons have new numbers: "


@pytest.fixture
def published(tmp_path: Path) -> str:
    """The list of formerly published lessons, in the form of tools/bootstrap/old_course.txt."""
    lines = []
    for name, text in OLD.items():
        (tmp_path / "one").write_text(text)
        blob = git(tmp_path, "hash-object", "--no-filters", "one")
        lines.append(f"{Path(name).name} {blob[:12]} 000000000000\n")
    return "".join(lines)


@pytest.fixture
def course(tmp_path: Path, published: str) -> Course:
    """A clone of the first order, in which the learner has changed one lesson; the new order is published."""
    course = Course(tmp_path)
    (course.published / "notebooks").mkdir()
    (course.published / ".gitignore").write_text("build/\n__pycache__/\nold-course/\n")
    course.publish(**OLD | {"tools/bootstrap/old_course.txt": published})
    course.update()
    (course.clone / "notebooks/05-b.ipynb").write_text(MINE)
    course.publish(**dict.fromkeys(OLD), **NEW)
    return course


def lessons(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in (folder / "notebooks").rglob("*.*")
    }


def test_an_update_puts_them_away(course: Course) -> None:
    ended = course.run()
    assert "your changes" not in ended.stdout and MOVED in ended.stdout, ended
    assert lessons(course.clone) == NEW | {"notebooks/old-course/05-b.ipynb": MINE}
    course.publish(**{"a.ipynb": notebook(**FIRST, new="4")})
    assert course.update() == "The course is updated (1 file)."
    assert lessons(course.clone) == NEW | {"notebooks/old-course/05-b.ipynb": MINE}


def test_what_an_earlier_update_has_merged_into_a_new_lesson_is_taken_out(
    course: Course, published: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(course.clone, "commit", "--all", "--message=mine")
    git(course.clone, "fetch")
    git(course.clone, "merge", "-Xours", "-Xfind-renames", "origin/main")
    assert "mine" in (course.clone / "notebooks/04-b.ipynb").read_text()
    known = {name: versions for name, *versions in map(str.split, published.splitlines())}
    monkeypatch.setattr(old_course, "PUBLISHED", known)
    [sentence] = old_course.put_away(course.clone)
    assert sentence.startswith(MOVED)
    assert lessons(course.clone) == NEW | {"notebooks/old-course/05-b.ipynb": MINE}
    assert old_course.put_away(course.clone) == []


@pytest.mark.skipif(os.name == "nt", reason="the image's start is a shell script")
def test_the_image_s_start_puts_them_away_in_an_older_volume(tmp_path: Path, published: str) -> None:
    image, volume = tmp_path / "course", tmp_path / "home/virtual-threads"
    start = tmp_path / "start-image"
    text = (ROOT / "tools/publish/start-image").read_text(encoding="utf-8")
    start.write_text(text.replace("course=/opt/course\n", f"course={image}\n"), encoding="utf-8")
    own = {"notebooks/05-b.ipynb": MINE, "notebooks/04-mine.ipynb": "mine"}
    first = NEW | {"notebooks/00-start-here.ipynb": "{}"}
    for folder, files in ((image, first), (volume, OLD | own)):
        (folder / "notebooks").mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_text(content)
    (image / "data").mkdir()
    (image / "old_course.txt").write_text(published)
    (image / "old_course.py").write_text(Path(old_course.__file__).read_text(encoding="utf-8"))
    command = ["bash", str(start), "true"]
    env = ALONE | {"HOME": str(tmp_path / "home")}
    ended = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    kept = {"notebooks/old-course/05-b.ipynb": MINE, "notebooks/04-mine.ipynb": "mine"}
    assert lessons(volume) == first | kept
    assert f"virtual-threads: {MOVED}" in ended.stderr
    assert f"virtual-threads: {REMOVED}04-a.ipynb, 06-c.ipynb; " in ended.stderr
    again = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    assert (again.stderr, lessons(volume)) == ("", first | kept)
