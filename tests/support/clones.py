"""A published course of two notebooks, and a learner's clone of it, for tests of updates."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bootstrap.places import ROOT

ALONE = dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
ALONE |= {"HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
FIRST = {"top": "1", "middle": "2", "bottom": "3"}


def git(folder: Path, *arguments: str) -> str:
    settings = ("user.name=a", "user.email=a@example.org", "init.defaultBranch=main")
    command = ["git", *(word for setting in settings for word in ("-c", setting)), *arguments]
    return subprocess.run(command, cwd=folder, env=ALONE, check=True, capture_output=True, text=True).stdout


def notebook(**cells: str) -> str:
    """A stored notebook with a cell for each name."""
    common: dict[str, object] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    made = [common | {"id": name, "source": [text]} for name, text in cells.items()]
    java = {"kernelspec": {"name": "java", "display_name": "Java", "language": "java"}}
    return json.dumps({"cells": made, "metadata": java, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


class Course:
    def __init__(self, root: Path) -> None:
        self.published, self.clone = root / "published", root / "a clone é ü"
        own = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "tools", self.published / "tools", ignore=own)
        (self.published / ".gitignore").write_text("build/\n__pycache__/\n")
        git(self.published, "init")
        self.publish(**{"a.ipynb": notebook(**FIRST), "b.ipynb": notebook(**FIRST)})
        git(root, "clone", "--quiet", str(self.published), str(self.clone))

    @classmethod
    def of_the_last_version(cls, root: Path) -> "Course | None":
        """A clone of the last commit on the main branch, before this folder as it is gets published."""
        course = cls.__new__(cls)
        course.published, course.clone = root / "published", root / "a clone é ü"

        def own(*arguments: "str | Path") -> str:
            """What git says of this folder, by the reader's settings, which may have to allow it."""
            return subprocess.run(
                ["git", *arguments], cwd=ROOT, capture_output=True, text=True
            ).stdout.strip()

        own("clone", "--shared", "--no-checkout", ROOT, course.published)
        known = [own("rev-parse", "--verify", "--quiet", name) for name in ("HEAD", "HEAD~1", "origin/main")]
        if not course.published.is_dir() or not known[0]:
            return None
        last = next((one for one in reversed(known) if one and one != known[0]), known[0])
        git(course.published, "checkout", "--quiet", "-B", "main", last)
        git(root, "clone", "--quiet", str(course.published), str(course.clone))
        return course

    def publish_this_folder(self) -> None:
        there = (f"--git-dir={self.published / '.git'}", "--work-tree=.")
        git(ROOT, *there, "add", "--all")
        git(ROOT, *there, "commit", "--quiet", "--message=this version")

    def publish(self, **files: "str | None") -> None:
        for name, text in files.items():
            if text is None:
                (self.published / name).unlink()
            else:
                (self.published / name).write_text(text)
        git(self.published, "add", "--all")
        git(self.published, "commit", "--message=a version")

    def command(self, **env: str) -> dict:
        """The arguments with which subprocess starts an update."""
        command = [sys.executable, "-B", str(self.clone / "tools/notebooks/update.py")]
        own = {"PYTHONPATH": str(self.clone / "tools")}
        return {"args": command, "env": ALONE | own | env, "cwd": self.clone}

    def run(self, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(**self.command(**env), capture_output=True, text=True)

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

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.clone.glob("*.*") if path.is_file()}

    def cells(self, name: str) -> dict[str, str]:
        read = json.loads((self.clone / name).read_text())
        return {cell["id"]: cell["source"][0] for cell in read["cells"]}
