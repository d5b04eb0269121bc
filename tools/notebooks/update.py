"""Brings the newest version of the course into this clone and keeps what the learner has changed.

First all of the learner's work becomes a commit of this clone. Then nbgitpuller, which the class link also
uses, does the rest: a file in the way of a new one is renamed, a deleted one comes back, and where both sides
changed the same lines, the learner's stay. merge.py merges notebooks by cells.

Runs inside the environment: python3 tools/setup.py update
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

from bootstrap.places import BUILD, LOG, ROOT
from bootstrap.steps import cause, run, say

ATTRIBUTES = BUILD / "update.attributes"
# for the shell that comes with git, also on Windows
MERGE = [shlex.quote(path.as_posix()) for path in (Path(sys.executable), ROOT / "tools/notebooks/merge.py")]
# Whatever the reader's git settings: nbgitpuller expects these, and messages in English.
SETTINGS = {
    "color.ui": "false",
    "commit.gpgsign": "false",
    "core.attributesFile": ATTRIBUTES.as_posix(),
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "diff.renames": "false",
    "merge.ff": "true",
    "merge.notebook.driver": " ".join([*MERGE, "%O %A %B"]),
    "merge.renames": "true",
    "user.email": "update@localhost",
    "user.name": "make update",
}
BESIDE = "clone the course again into another folder; your work stays in this one"
UNFINISHED = "refs/threadlab/update"  # while nbgitpuller works: the commit that holds the learner's work


def git(*arguments: str, check: bool = True) -> str:
    """What git prints."""
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True)
    if check and told.returncode:
        sys.exit(f"git {arguments[0]} failed, and your work is safe: {cause(os.fsdecode(told.stderr))}.")
    return "" if told.returncode else os.fsdecode(told.stdout).rstrip("\n")


known = partial(git, check=False)  # '' if git has no answer


def changes(*arguments: str) -> list[str]:
    return git("diff", "--name-only", *arguments).splitlines()


def clone() -> tuple[str, str]:
    """The address of this clone's origin, and the branch of it that is followed."""
    if not shutil.which("git"):
        sys.exit(f"An update needs git: install it, or {BESIDE}.")
    if not (ROOT / ".git").exists():
        sys.exit(f"{ROOT} is not a clone (a download?), so it cannot be updated: {BESIDE}.")
    for lock in [*(ROOT / ".git").glob("*.lock"), *(ROOT / ".git/refs").rglob("*.lock")]:
        sys.exit(
            f"{lock} exists, so git is running in this folder or was killed: if it is not running,"
            " delete that file and try again."
        )
    if (ROOT / ".git/MERGE_HEAD").exists() and not known("rev-parse", "--verify", UNFINISHED):
        sys.exit(f"A merge is unfinished in {ROOT}: git merge --continue or --abort, and try again.")
    if not (origin := known("config", "--get", "remote.origin.url")):
        sys.exit(f"{ROOT} has no origin that git can read, so it cannot be updated: {BESIDE}.")
    if not (here := known("symbolic-ref", "--short", "--quiet", "HEAD")):
        sys.exit(f"{ROOT} is on no branch but at a single commit: git switch main, and try again.")
    follows = known("config", "--get", f"branch.{here}.merge").removeprefix("refs/heads/")
    first = known("symbolic-ref", "--short", "refs/remotes/origin/HEAD").removeprefix("origin/")
    branch = follows or first or here
    asked = ["git", "ls-remote", "--exit-code", "--heads", "--", origin, f"refs/heads/{branch}"]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    if answer.returncode == 2:
        sys.exit(f"{origin} has no branch {branch}: ask the publisher of the course, or {BESIDE}.")
    if answer.returncode:
        sys.exit(f"Nothing was updated, and your work is unchanged: {cause(answer.stderr)}.")
    return origin, branch


def commit() -> None:
    """Commits the files that differ from the last commit; what the learner deleted will come back."""
    if names := changes("--diff-filter=d", "HEAD"):
        git("commit", "--quiet", "--allow-empty", "--message=The learner's work", "--", *names)


def take_back(theirs: str) -> None:
    """Undoes what a killed update has left half done, after a commit of everything as it is now."""

    def content(name: str) -> bytes:
        return (ROOT / name).read_bytes() if (ROOT / name).is_file() else b""

    def begun(name: str) -> bool:
        """Whether a file is missing or is the beginning of the published one."""
        shown = subprocess.run(["git", "show", f"{theirs}:{name}"], cwd=ROOT, capture_output=True).stdout
        return shown.startswith(content(name))

    def cut_off(name: str) -> bool:
        with suppress(ValueError):  # a merged notebook shows by itself that it is not whole
            return begun(name) or (name.endswith(".ipynb") and not json.loads(content(name)))
        return True

    git("reset", "--mixed", "--quiet")
    for left in ROOT.glob(".merge_file_*"):
        left.unlink()
    for name in filter(begun, changes("--diff-filter=A", "HEAD", theirs)):
        (ROOT / name).unlink(missing_ok=True)
    touched, before = changes("HEAD"), git("rev-parse", "HEAD")
    commit()
    for name in filter(cut_off, touched):
        git("checkout", before, "--", name)


def listed(files: list[str]) -> str:
    return ", ".join(files) if len(files) < 4 else f"{len(files)} files"


def main() -> None:
    os.environ.update(LC_ALL="C", GIT_LITERAL_PATHSPECS="1", GIT_CONFIG_COUNT=str(len(SETTINGS)))
    for number, (key, value) in enumerate(SETTINGS.items()):
        os.environ |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    origin, branch = clone()
    theirs = f"origin/{branch}"
    if known("rev-parse", "--verify", UNFINISHED):
        take_back(theirs)
    commit()
    mine = git("rev-parse", "HEAD")
    git("update-ref", UNFINISHED, mine)
    BUILD.mkdir(exist_ok=True)
    ATTRIBUTES.write_text("*.ipynb merge=notebook\n")
    start = LOG.stat().st_size if LOG.exists() else 0
    run(
        [sys.executable, "-c", "from nbgitpuller.pull import main; main()", origin, branch, ROOT],
        f"The update is not complete, and your work is in the commit {mine[:8]}",
    )
    git("update-ref", "-d", UNFINISHED)
    told = LOG.read_bytes()[start:].decode(errors="replace")
    base = git("merge-base", mine, theirs)
    arrived, kept = changes(base, theirs), changes(theirs, "HEAD")
    said = "The course is up to date"
    if arrived:
        said = f"The course is updated ({len(arrived)} file{'s' * (len(arrived) > 1)})"
    if kept:
        said += f", with your changes in {listed(kept)}"
    if aside := re.findall(r"^Renamed .*?([^/\\\n]+) to avoid", told, re.MULTILINE):
        said += f"; your own file with the name of a new one was renamed: {listed(aside)}"
    published = changes("--diff-filter=d", base, theirs)
    if both := [name for name in kept if name in published]:
        said += f"; to see {listed(both)} as published, rename yours and update again"
    say(f"{said}.")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the next update continues from here.")
    except OSError as error:
        at = error.filename or ROOT  # a full disk names none
        sys.exit(f"The update stopped at {at} ({error.strerror}): correct this and update again.")
