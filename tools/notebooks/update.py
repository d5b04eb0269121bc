"""Brings the newest version of the course into this clone and keeps what the learner has changed.

nbgitpuller, which the class link also uses, does Git's part: a file in the way of a new one is renamed, and
where both sides changed the same lines, the learner's stay. merge.py merges notebooks by cells.

An update may be killed at any moment, and git writes files in place. So it merges in a work tree
of its own, and replaces each file of the clone in one step. The next update finishes an unfinished one.

Runs inside the environment: python3 tools/setup.py update
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from nbgitpuller.errors import BranchExistError
from nbgitpuller.pull import GitPuller, execute_cmd
from bootstrap.files import write
from bootstrap.places import BUILD, LOG, ROOT
from bootstrap.steps import cause, say


def quoted(path: "str | Path") -> str:
    """A path for the shell that comes with git, also on Windows."""
    return shlex.quote(Path(path).as_posix())


# Whatever the reader's git settings: nbgitpuller expects these, and messages in English.
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
BESIDE = "clone the course again into another folder; your work stays in this one"


MERGED = "refs/threadlab/merged"  # the commit that comes into the clone
SINCE = "threadlab-update"  # in git's folder, while an update is unfinished: when it began


class Update(GitPuller):
    """Merges beside the clone, and remembers the commit that holds all of the learner's work."""

    mine = ""

    def reset_deleted_files(self):
        yield "Bringing back what was deleted"
        theirs = f"origin/{self.branch_name}"
        for name in names("ls-files", "--deleted"):
            put(name, theirs if git("ls-tree", theirs, "--", name) else "HEAD")

    def merge(self):
        self.mine = git("rev-parse", "HEAD")
        beside = BUILD / "update"
        shutil.rmtree(beside, ignore_errors=True)
        # --force twice: the folder may be gone, or may never have been finished
        add = ["git", "worktree", "add", "--force", "--force", "--detach", str(beside), "HEAD"]
        yield from execute_cmd(add, cwd=ROOT)
        self.repo_dir = str(beside)
        yield from super().merge()
        git("update-ref", MERGED, git("-C", str(beside), "rev-parse", "HEAD"))
        finish()
        git("worktree", "remove", "--force", str(beside))


def finish() -> None:
    """Brings the merged files into the clone; what the learner has changed since then stays as it is."""
    if not git("for-each-ref", MERGED):
        return
    if known("merge-base", "HEAD", MERGED) != git("rev-parse", "HEAD"):
        git("update-ref", "-d", MERGED)  # the learner has since checked out another commit
        return
    taken = {*changes("HEAD")}
    new = {*changes("--diff-filter=A", "HEAD", MERGED)}
    for name in changes("HEAD", MERGED):
        if name not in taken and not (name in new and (ROOT / name).exists()):
            put(name, MERGED)
    git("reset", "--mixed", "--quiet", MERGED)
    git("update-ref", "-d", MERGED)


def put(name: str, commit: str) -> None:
    """Gives a file its content from a commit in one step, or removes it."""
    file, listed = ROOT / name, git("ls-tree", commit, "--", name)
    if not listed:
        file.unlink(missing_ok=True)
        with suppress(OSError):
            os.removedirs(file.parent)
        return
    fresh = BUILD / "update.new"
    fresh.unlink(missing_ok=True)
    fresh.write_bytes(subprocess.check_output(["git", "cat-file", "--filters", f"{commit}:{name}"], cwd=ROOT))
    if listed.startswith("100755"):
        fresh.chmod(fresh.stat().st_mode | 0o111)
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh.replace(file)


def git(*arguments: str) -> str:
    """What git prints."""
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True)
    return os.fsdecode(told.stdout).rstrip("\n")


def known(*arguments: str) -> str:
    """What git prints; '' if it has no answer."""
    try:
        return git(*arguments)
    except subprocess.CalledProcessError:
        return ""


def names(*arguments: str) -> list[str]:
    return [name for name in git(arguments[0], "-z", *arguments[1:]).split("\0") if name]


def changes(*arguments: str) -> list[str]:
    return names("diff", "--name-only", *arguments)


def renamed(since: str) -> dict[str, str]:
    """The learner's files that nbgitpuller has renamed, with their former names."""
    found = {}
    for name in names("ls-files", "--others", "--", "*__[0-9]*"):
        stamped = re.fullmatch(r"(.+)__(\d{14})(\.[^./]*)?", name)
        if stamped and stamped[2] >= since:
            found[name] = stamped[1] + (stamped[3] or "")
    return found


def take_back(since: str) -> None:
    """Restores the names of files that were renamed without need."""
    for name, before in renamed(since).items():
        if not (ROOT / before).exists():
            (ROOT / name).rename(ROOT / before)


def clone() -> tuple[str, str]:
    """The address of this clone's origin, and the branch of it that is followed."""
    if not shutil.which("git"):
        sys.exit(f"An update needs git: install it, or {BESIDE}.")
    if not (ROOT / ".git").exists():
        sys.exit(f"{ROOT} is not a clone (a download?), so it cannot be updated: {BESIDE}.")
    if (ROOT / ".git/MERGE_HEAD").exists():
        sys.exit(
            f"A merge is unfinished in {ROOT}: finish it (git merge --continue or --abort) and try again."
        )
    locks = [*(ROOT / ".git").glob("*.lock"), *(ROOT / ".git/refs").rglob("*.lock")]
    if locks:
        sys.exit(
            f"{locks[0]} exists, so git is running in this folder or was killed: if it is not running,"
            " delete that file and try again."
        )
    origin = known("config", "--get", "remote.origin.url")
    if not origin:
        sys.exit(f"{ROOT} has no origin that git can read, so it cannot be updated: {BESIDE}.")
    here = known("symbolic-ref", "--short", "--quiet", "HEAD")
    if not here:
        sys.exit(
            f"{ROOT} is on no branch but at a single commit: switch to a branch (git switch main)"
            " and try again."
        )
    follows = known("config", "--get", f"branch.{here}.merge").removeprefix("refs/heads/")
    first = known("symbolic-ref", "--short", "refs/remotes/origin/HEAD").removeprefix("origin/")
    return origin, follows or first or here


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
    unfinished = ROOT / git("rev-parse", "--git-path", SINCE)
    if not unfinished.exists():
        write(unfinished, f"{datetime.now():%Y%m%d%H%M%S}")
    since = unfinished.read_text()
    try:
        finish()
        update = Update(origin, str(ROOT), branch=branch)
        for line in update.pull():
            log(line)
    except BranchExistError:
        take_back(since)
        sys.exit(f"{origin} has no branch {branch}: ask the publisher of the course, or {BESIDE}.")
    except subprocess.CalledProcessError as error:
        take_back(since)
        log(str(error.stderr or ""))
        told = LOG.read_bytes()[start:].decode(errors="replace")
        sys.exit(f"Nothing was updated, and your work is unchanged: {cause(told)}; {LOG} says more.")
    except OSError as error:
        sys.exit(
            f"The update stopped at {error.filename} ({error.strerror}): your work is safe; correct"
            " this and update again to continue."
        )
    theirs = f"origin/{branch}"
    base = git("merge-base", update.mine, theirs)
    changed, arrived = changes(base, update.mine), changes(base, theirs)
    both = sorted({*changed} & {*arrived})
    aside = [*renamed(since)]
    aside = f"; your own file with the name of a new one was renamed: {listed(aside)}" if aside else ""
    if not arrived:
        kept = f", with your changes in {listed(changed)}" if changed else ""
        say(f"The course is up to date{kept}{aside}.")
    else:
        kept = f", and your changes in {listed(changed)} are kept" if changed else ""
        both = [name for name in both if (ROOT / name).exists()]
        aside += f"; to see {listed(both)} as published, rename yours and update again" if both else ""
        say(f"The course is updated ({count(len(arrived), 'file')}){kept}{aside}.")
    unfinished.unlink()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the next update continues from here.")
