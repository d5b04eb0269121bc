"""Brings the newest version of the course into this clone and keeps what the learner has changed.

Git's part is nbgitpuller's, which the class link uses too: a file in the way of a new one gets another name,
and where both sides changed the same lines the learner's stay. merge.py merges notebooks by cells.

Runs inside the environment: python3 tools/setup.py update
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from nbgitpuller.errors import BranchExistError
from nbgitpuller.pull import GitPuller

from bootstrap.launch import BUILD, LOG, ROOT, cause, say


def quoted(path: "str | Path") -> str:
    """A path for the shell that git brings along, on Windows too."""
    return shlex.quote(Path(path).as_posix())


# Whatever else the reader's git is set to: nbgitpuller expects these, and words in English.
MERGE = ROOT / "tools/notebooks/merge.py"
ATTRIBUTES = BUILD / "update.attributes"
SETTINGS = {
    "color.ui": "false",
    "commit.gpgsign": "false",
    "core.attributesFile": ATTRIBUTES.as_posix(),
    "core.hooksPath": os.devnull,
    "diff.renames": "false",
    "merge.ff": "true",
    "merge.notebook.driver": f"{quoted(sys.executable)} {quoted(MERGE)} %O %A %B",
    "merge.renames": "true",
}
BESIDE = "clone the course anew beside this folder, and your work stays here"


class Update(GitPuller):
    """Remembers, at the right moment, the commit that holds all of the learner's work."""

    mine = ""

    def merge(self):
        self.mine = git("rev-parse", "HEAD")
        yield from super().merge()


def git(*arguments: str) -> str:
    """What git prints; '' when it fails."""
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True)
    return told.stdout.decode(errors="replace").strip() if told.returncode == 0 else ""


def names(*arguments: str) -> list[str]:
    return [name for name in git("diff", "--name-only", "-z", *arguments).split("\0") if name]


def clone() -> tuple[str, str]:
    """The address of this clone's origin, and the branch of it that is followed."""
    if not shutil.which("git"):
        sys.exit(f"Without git nothing can be updated: install git, or {BESIDE}.")
    if not (ROOT / ".git").exists():
        sys.exit(f"{ROOT} is not a clone (a download?), so it cannot be updated: {BESIDE}.")
    if (ROOT / ".git/MERGE_HEAD").exists():
        sys.exit(f"A merge is unfinished in {ROOT}: end it (git merge --continue or --abort) and try again.")
    origin = git("config", "--get", "remote.origin.url")
    if not origin:
        sys.exit(f"{ROOT} has no origin that git can read, so it cannot be updated: {BESIDE}.")
    here = git("symbolic-ref", "--short", "--quiet", "HEAD")
    if not here:
        sys.exit(f"{ROOT} is at a single commit and on no branch: go to one (git switch main) and try again.")
    follows = git("config", "--get", f"branch.{here}.merge").removeprefix("refs/heads/")
    first = git("symbolic-ref", "--short", "refs/remotes/origin/HEAD").removeprefix("origin/")
    return origin, follows or first or here


def pull(update: Update) -> list[str]:
    """Pulls, with git's words in the log; gives the new names of files that were in the way."""
    renamed = []
    for line in update.pull():
        log(line)
        moved = re.fullmatch(r"Renamed (.+) to (.+) to avoid conflict with upstream", line)
        if moved:
            renamed.append(Path(moved[2]).relative_to(ROOT).as_posix())
    return renamed


def log(text: str) -> None:
    with open(LOG, "a", encoding="utf-8") as file:
        file.write(text.rstrip("\n") + "\n")


def listed(files: list[str]) -> str:
    return ", ".join(files) if len(files) < 4 else count(len(files), "file")


def count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def main() -> None:
    BUILD.mkdir(exist_ok=True)
    ATTRIBUTES.write_text("*.ipynb merge=notebook\n")
    os.environ.update(LC_ALL="C", LANGUAGE="C", GIT_CONFIG_COUNT=str(len(SETTINGS)))
    for number, (key, value) in enumerate(SETTINGS.items()):
        os.environ |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    origin, branch = clone()
    start = LOG.stat().st_size if LOG.exists() else 0
    try:
        update = Update(origin, str(ROOT), branch=branch)
        renamed = pull(update)
    except BranchExistError:
        sys.exit(f"{origin} has no branch {branch}: ask who published the course, or {BESIDE}.")
    except subprocess.CalledProcessError as error:
        git("merge", "--abort")
        log(error.stderr or "")
        told = LOG.read_bytes()[start:].decode(errors="replace")
        sys.exit(f"Nothing was updated, and your work is as it was: {cause(told)}; {LOG} says more.")
    theirs = f"origin/{branch}"
    base = git("merge-base", update.mine, theirs)
    changed, arrived = names(base, update.mine), names(base, theirs)
    both = sorted({*changed} & {*arrived})
    if not arrived:
        kept = f", with your changes in {listed(changed)}" if changed else ""
        return say(f"The course is up to date{kept}.")
    kept = f", and your changes in {listed(changed)} are kept" if changed else ""
    kept += f", your own file in the way of a new one is now {listed(renamed)}" if renamed else ""
    both = [name for name in both if (ROOT / name).exists()]
    kept += f"; to see {listed(both)} as published, give yours another name and update again" if both else ""
    say(f"The course is updated ({count(len(arrived), 'file')}){kept}.")


if __name__ == "__main__":
    main()
