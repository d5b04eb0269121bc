"""make update: a new version comes into a clone, and nothing that the learner has made is lost.

Costs six seconds.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from computers import ROOT

ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "PATH": os.environ["PATH"],
}
AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@example.org"]


def git(folder: Path, *arguments: str) -> str:
    command = ["git", *AUTHOR, "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(command, cwd=folder, env=ALONE, check=True, capture_output=True, text=True).stdout


def notebook(**cells: str) -> str:
    """A notebook as it is stored, with a cell for each name."""
    made = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": name,
            "metadata": {},
            "outputs": [],
            "source": [text],
        }
        for name, text in cells.items()
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


FIRST = {"top": "1", "middle": "2", "bottom": "3"}


class Course:
    """A published course of two notebooks, and a learner's clone of it."""

    def __init__(self, root: Path) -> None:
        self.published, self.clone = root / "published", root / "a clone é ü"
        shutil.copytree(
            ROOT / "tools", self.published / "tools", ignore=shutil.ignore_patterns("__pycache__")
        )
        (self.published / ".gitignore").write_text("build/\n__pycache__/\n")
        git(self.published, "init")
        self.publish(**{"a.ipynb": notebook(**FIRST), "b.ipynb": notebook(**FIRST)})
        git(root, "clone", "--quiet", str(self.published), str(self.clone))

    def publish(self, **files: "str | None") -> None:
        for name, text in files.items():
            if text is None:
                (self.published / name).unlink()
            else:
                (self.published / name).write_text(text)
        git(self.published, "add", "--all")
        git(self.published, "commit", "--message=a version")

    def update(self, **env: str) -> str:
        ended = self.run(**env)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.endswith(".\n") and ended.stdout.count("\n") == 1
        return ended.stdout.rstrip("\n")

    def refuses(self, **env: str) -> str:
        """The one sentence with which the update ends; nothing in the clone has changed."""
        before = self.files()
        ended = self.run(**env)
        assert ended.returncode == 1 and ended.stdout == ""
        assert ended.stderr.endswith(".\n") and ended.stderr.count("\n") == 1, ended.stderr
        assert self.files() == before
        return ended.stderr

    def run(self, **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-B", str(self.clone / "tools/notebooks/update.py")]
        own = {"PYTHONPATH": str(self.clone / "tools")}
        return subprocess.run(command, env=ALONE | own | env, capture_output=True, text=True, cwd=self.clone)

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.clone.glob("*.*") if path.is_file()}

    def cells(self, name: str) -> dict[str, str]:
        read = json.loads((self.clone / name).read_text())
        return {cell["id"]: cell["source"][0] for cell in read["cells"]}


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


def test_a_clone_without_changes_takes_the_new_version(course: Course) -> None:
    assert course.update() == "The course is up to date."
    course.publish(**{"a.ipynb": notebook(**FIRST, new="4"), "b.ipynb": None})
    assert course.update() == "The course is updated (2 files)."
    assert course.cells("a.ipynb") == FIRST | {"new": "4"}
    assert not (course.clone / "b.ipynb").exists()


def test_a_changed_notebook_keeps_its_changes_and_takes_the_new_ones(course: Course) -> None:
    (course.clone / "a.ipynb").write_text(notebook(**FIRST | {"top": "mine"}))
    course.publish(**{"a.ipynb": notebook(**FIRST | {"bottom": "new"})})
    said = course.update()
    assert said == (
        "The course is updated (1 file), and your changes in a.ipynb are kept; to see a.ipynb as published,"
        " give yours another name and update again."
    )
    assert course.cells("a.ipynb") == {"top": "mine", "middle": "2", "bottom": "new"}
    assert course.update() == "The course is up to date, with your changes in a.ipynb."


def test_where_both_changed_the_same_cell_the_learners_stays(course: Course) -> None:
    (course.clone / "a.ipynb").write_text(notebook(**FIRST | {"middle": "mine"}))
    course.publish(**{"a.ipynb": notebook(**FIRST | {"middle": "new"})})
    assert "your changes in a.ipynb are kept" in course.update()
    assert course.cells("a.ipynb")["middle"] == "mine"
    # as the sentence says
    (course.clone / "a.ipynb").rename(course.clone / "mine.ipynb")
    course.update()
    assert course.cells("a.ipynb")["middle"] == "new"
    assert course.cells("mine.ipynb")["middle"] == "mine"


def test_a_changed_notebook_that_is_no_longer_published_stays(course: Course) -> None:
    mine = notebook(**FIRST | {"middle": "mine"})
    (course.clone / "b.ipynb").write_text(mine)
    course.publish(**{"b.ipynb": None, "a.ipynb": notebook(**FIRST, new="4")})
    assert "your changes in b.ipynb are kept" in course.update()
    assert (course.clone / "b.ipynb").read_text() == mine
    assert "new" in course.cells("a.ipynb")


def test_a_file_in_the_way_of_a_new_one_gets_another_name(course: Course) -> None:
    (course.clone / "c.ipynb").write_text("mine")
    # though it looks to git as if b had only got another name
    course.publish(**{"c.ipynb": notebook(**FIRST), "b.ipynb": None})
    said = course.update()
    [other] = course.clone.glob("c__*.ipynb")
    assert f", your own file in the way of a new one is now {other.name}." in said
    assert other.read_text() == "mine"
    assert course.cells("c.ipynb") == FIRST


def test_a_notebook_that_was_deleted_comes_back_fresh(course: Course) -> None:
    (course.clone / "a.ipynb").unlink()
    course.publish(**{"a.ipynb": notebook(**FIRST, new="4")})
    course.update()
    assert course.cells("a.ipynb") == FIRST | {"new": "4"}


def test_notebooks_are_merged_by_cells(course: Course) -> None:
    ran = json.loads(notebook(mine="my own", **FIRST | {"bottom": "my answer"}))
    for number, cell in enumerate(ran["cells"]):
        cell |= {
            "execution_count": number,
            "outputs": [{"name": "stdout", "output_type": "stream", "text": ["!"]}],
        }
    del ran["cells"][2]  # the middle
    (course.clone / "a.ipynb").write_text(json.dumps(ran))
    published = {"new": "0", "bottom": "better", "middle": "2", "top": "1"}
    course.publish(**{"a.ipynb": notebook(**published)})
    course.update()
    assert course.cells("a.ipynb") == {"mine": "my own", "new": "0", "bottom": "my answer", "top": "1"}
    merged = json.loads((course.clone / "a.ipynb").read_text())
    # what ran keeps its outputs, what is new has none
    assert [len(cell["outputs"]) for cell in merged["cells"]] == [1, 0, 1, 1]


@pytest.mark.parametrize("text", ["no notebook", '{"cells": [{}]}', "[]"])
def test_what_is_no_notebook_any_more_stays_as_it_is(course: Course, text: str) -> None:
    (course.clone / "a.ipynb").write_text(text)
    course.publish(**{"a.ipynb": notebook(**FIRST, new="4")})
    course.update()
    assert (course.clone / "a.ipynb").read_text() == text


def test_the_learners_own_commits_and_settings_are_no_trouble(course: Course) -> None:
    (course.clone / "a.ipynb").write_text(notebook(**FIRST | {"top": "mine"}))
    git(course.clone, "commit", "--all", "--message=mine")
    for name, value in {"merge.ff": "only", "commit.gpgsign": "true", "color.ui": "always"}.items():
        git(course.clone, "config", name, value)
    (course.clone / "b.ipynb").write_text(notebook(**FIRST | {"top": "mine"}))
    course.publish(**{"a.ipynb": notebook(**FIRST | {"bottom": "new"})})
    assert "your changes in a.ipynb, b.ipynb are kept" in course.update(LC_ALL="de_DE.UTF-8")
    assert course.cells("a.ipynb") == {"top": "mine", "middle": "2", "bottom": "new"}


# --- what cannot be updated ---


def test_without_git(course: Course) -> None:
    assert course.refuses(PATH="/nonexistent").startswith("Without git nothing can be updated: install git")


def test_a_download_is_not_a_clone(course: Course) -> None:
    shutil.rmtree(course.clone / ".git")
    assert "is not a clone (a download?), so it cannot be updated: clone the course anew" in course.refuses()


def test_a_clone_of_nothing(course: Course) -> None:
    git(course.clone, "remote", "remove", "origin")
    assert "has no origin that git can read" in course.refuses()


def test_a_single_commit(course: Course) -> None:
    git(course.clone, "checkout", "--detach")
    assert "is at a single commit and on no branch" in course.refuses()


def test_an_unfinished_merge(course: Course) -> None:
    (course.clone / ".git/MERGE_HEAD").touch()
    assert "A merge is unfinished" in course.refuses()


def test_a_branch_that_is_gone(course: Course) -> None:
    git(course.published, "branch", "--move", "main", "other")
    assert "has no branch main" in course.refuses()


def test_without_a_network(course: Course) -> None:
    (course.clone / "a.ipynb").write_text("mine")
    git(course.clone, "remote", "set-url", "origin", "http://127.0.0.1:9/course.git")
    said = course.refuses()
    assert said.startswith("Nothing was updated, and your work is as it was: a download failed")
