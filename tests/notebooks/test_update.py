"""make update: a new version comes into a clone, none of the learner's work is lost. Takes ten seconds."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from bootstrap.places import FIRST as LESSON
from bootstrap.places import ROOT
from clones import FIRST, Course, git, notebook


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


def test_a_clone_without_changes_takes_the_new_version(course: Course) -> None:
    assert course.update() == "The course is up to date."
    course.publish(**{"a.ipynb": notebook(**FIRST, new="4"), "b.ipynb": None})
    assert course.update() == "The course is updated (2 files)."
    assert course.cells("a.ipynb") == FIRST | {"new": "4"}
    assert not (course.clone / "b.ipynb").exists()


def test_a_changed_notebook_keeps_its_changes_until_it_has_another_name(course: Course) -> None:
    (course.clone / "a.ipynb").write_text(notebook(**FIRST | {"middle": "mine"}))
    course.publish(**{"a.ipynb": notebook(**FIRST | {"middle": "new", "bottom": "new"})})
    assert course.update() == (
        "The course is updated (1 file), with your changes in a.ipynb; to see a.ipynb as published,"
        " rename yours and update again."
    )
    assert course.cells("a.ipynb") == {"top": "1", "middle": "mine", "bottom": "new"}
    assert course.update() == "The course is up to date, with your changes in a.ipynb."
    # as the sentence says
    (course.clone / "a.ipynb").rename(course.clone / "mine.ipynb")
    course.update()
    assert course.cells("a.ipynb")["middle"] == "new"
    assert course.cells("mine.ipynb")["middle"] == "mine"


def test_a_changed_notebook_that_is_no_longer_published_stays(course: Course) -> None:
    mine = notebook(**FIRST | {"middle": "mine"})
    (course.clone / "b.ipynb").write_text(mine)
    course.publish(**{"b.ipynb": None, "a.ipynb": notebook(**FIRST, new="4")})
    assert course.update().endswith("with your changes in b.ipynb.")
    assert (course.clone / "b.ipynb").read_text() == mine
    assert "new" in course.cells("a.ipynb")


def test_a_file_in_the_way_of_a_new_one_gets_another_name(course: Course) -> None:
    (course.clone / "c.ipynb").write_text("mine")
    # although it looks to git as if b had only been renamed
    course.publish(**{"c.ipynb": notebook(**FIRST), "b.ipynb": None})
    said = course.update()
    [other] = course.clone.glob("c__*.ipynb")
    assert f"; your own file with the name of a new one was renamed: {other.name}." in said
    assert other.read_text() == "mine"
    assert course.cells("c.ipynb") == FIRST


def test_after_a_kill_only_what_git_had_begun_to_write_is_taken_back(course: Course) -> None:
    (course.clone / "c.ipynb").write_text("mine")
    new = notebook(new="text" * 100)
    course.publish(**{"c.ipynb": new, "d.ipynb": new, "b.ipynb": None})
    git(course.clone, "fetch")
    git(course.clone, "update-ref", "refs/threadlab/update", "HEAD")
    (course.clone / "d.ipynb").write_text(new[:40])
    (course.clone / "b.ipynb").write_text(notebook(**FIRST, since="mine"))
    course.update()
    [other] = course.clone.glob("c__*.ipynb")
    assert other.read_text() == "mine" and (course.clone / "d.ipynb").read_text() == new
    assert course.cells("b.ipynb")["since"] == "mine"


def test_notebooks_are_merged_by_cells(course: Course) -> None:
    ran = json.loads(notebook(mine="my own", **FIRST | {"bottom": "my answer"}))
    for number, cell in enumerate(ran["cells"]):
        output = {"name": "stdout", "output_type": "stream", "text": ["!"]}
        cell |= {"execution_count": number, "outputs": [output]}
    del ran["cells"][2]  # the middle
    (course.clone / "a.ipynb").write_text(json.dumps(ran))
    published = {"new": "0", "bottom": "better", "middle": "2", "top": "1"}
    course.publish(**{"a.ipynb": notebook(**published)})
    course.update()
    assert course.cells("a.ipynb") == {"mine": "my own", "new": "0", "bottom": "my answer", "top": "1"}
    merged = json.loads((course.clone / "a.ipynb").read_text())
    # cells that ran keep their outputs, new ones have none
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
    assert "your changes in a.ipynb, b.ipynb" in course.update(LC_ALL="de_DE.UTF-8")
    assert course.cells("a.ipynb") == {"top": "mine", "middle": "2", "bottom": "new"}


# --- the course as it is ---


def test_an_installation_of_the_last_version_updates_to_this_one(tmp_path: Path) -> None:
    """By the last version's own tools. What a learner wrote, ran and guessed in a lesson stays."""
    if not (course := Course.of_the_last_version(tmp_path)):
        pytest.skip("no version before this one: this folder is no clone")
    lesson, guesses = course.clone / LESSON, course.clone / "notebooks/results/start-here.csv"
    book = json.loads(lesson.read_text(encoding="utf-8"))
    ran = {"execution_count": 1, "outputs": [{"name": "stdout", "output_type": "stream", "text": ["!"]}]}
    for cell in book["cells"]:
        cell |= ran if cell["cell_type"] == "code" else {}
    stub = next(cell for cell in book["cells"] if "exercise" in cell["metadata"].get("tags", ()))
    stub["source"] = ["mine"]
    book["cells"] += json.loads(notebook(own="mine"))["cells"]
    lesson.write_text(json.dumps(book), encoding="utf-8")
    guesses.parent.mkdir()
    guesses.write_text("what,name")
    course.publish_this_folder()
    assert f"with your changes in {LESSON}" in course.update()
    merged = json.loads(lesson.read_text(encoding="utf-8"))
    nbformat.validate(merged)
    cells = {cell["id"]: cell for cell in merged["cells"]}
    published = {cell["id"]: cell for cell in json.loads((ROOT / LESSON).read_text("utf-8"))["cells"]}
    assert {*published, stub["id"], "own"} <= {*cells}
    assert [cells[name]["source"] for name in (stub["id"], "own")] == [["mine"]] * 2
    assert any(cell.get("outputs") for cell in cells.values())
    assert guesses.read_text() == "what,name"
    for name in ("tools/setup.py", "requirements.txt", "pom.xml"):
        assert (course.clone / name).read_bytes() == (ROOT / name).read_bytes()


# --- what cannot be updated ---


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda course: shutil.rmtree(course.clone / ".git"), "is not a clone (a download?), so it"),
        (lambda course: git(course.clone, "remote", "remove", "origin"), "has no origin that git can read"),
        (lambda course: git(course.clone, "checkout", "--detach"), "is on no branch but at a single commit"),
        (lambda course: (course.clone / ".git/MERGE_HEAD").touch(), "A merge is unfinished"),
        (lambda course: (course.clone / ".git/index.lock").touch(), ".git/index.lock exists, so git"),
        (lambda course: git(course.published, "branch", "--move", "main", "other"), "has no branch main"),
    ],
)
def test_a_clone_that_cannot_be_updated(course: Course, spoil: Callable[[Course], object], said: str) -> None:
    spoil(course)
    assert said in course.refuses()


def test_without_git_or_a_network_the_learner_s_work_is_as_it_was(course: Course) -> None:
    assert course.refuses(PATH="/nonexistent").startswith("An update needs git: install it")
    git(course.clone, "remote", "set-url", "origin", "http://127.0.0.1:9/course.git")
    assert "and your work is unchanged: a download failed" in course.refuses()
