"""Puts away the old lessons 04 to 15, which have since been renumbered.

A lesson that the learner has changed moves into notebooks/old-course/; an unchanged one is removed. The
image's start runs only this file, with the learner's folder: old_course.py FOLDER
"""

import hashlib
import subprocess
import sys
from pathlib import Path

# for each notebook its name, and the first digits of the git hash of each published version
PUBLISHED = {
    name: versions
    for name, *versions in map(str.split, Path(__file__).with_suffix(".txt").read_text().splitlines())
}
WHERE = "notebooks/what-moved-where.md says where their parts are"


def changed(content: bytes, name: str) -> bool:
    content = content.replace(b"\r\n", b"\n")
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
    return blob.hexdigest()[:12] not in PUBLISHED[name]


def put_away(root: Path) -> list[str]:
    """Says in at most two sentences what was done with the old lessons."""
    notebooks, moved, removed = root / "notebooks", merged(root), []
    for name in PUBLISHED:
        file = notebooks / name
        if file.is_file() and changed(file.read_bytes(), name):
            file.rename(free(notebooks / "old-course" / name))
            moved.append(name)
        elif file.is_file():
            file.unlink()
            removed.append(name)
    said = []
    if moved:
        said.append(
            f"The lessons that you changed are now in notebooks/old-course: {', '.join(sorted(moved))};"
            f" {WHERE}."
        )
    if removed:
        said.append(f"Removed, because the lessons have new numbers: {', '.join(removed)}; {WHERE}.")
    return said


def free(place: Path) -> Path:
    """An unused name in a folder."""
    place.parent.mkdir(exist_ok=True)
    names = (place.with_stem(f"{place.stem}-{number}") for number in range(2, 1_000))
    return next(names) if place.exists() else place


def merged(root: Path) -> list[str]:
    """Undoes what an update across the renumbering has merged into the new lessons.

    Git followed the old names to the new ones. The last merge has both sides.
    """
    # in a work tree of its own .git is a file
    done = root / git(root, "rev-parse", "--git-path", "threadlab-old-course").decode().strip()
    before, after = (
        bool(git(root, "cat-file", "-t", f"{side}:notebooks/what-moved-where.md"))
        for side in ("HEAD^1", "HEAD^2")
    )
    if before or not after or done.exists():
        return []
    moved = []
    for name in PUBLISHED:
        mine = git(root, "show", f"HEAD^1:notebooks/{name}")
        if not mine or not changed(mine, name):
            continue
        free(root / "notebooks/old-course" / name).write_bytes(mine)
        moved.append(name)
        for lesson in root.glob(f"notebooks/[0-9][0-9]-{name[3:]}"):
            path = lesson.relative_to(root).as_posix()
            if lesson.read_bytes() == git(root, "show", f"HEAD:{path}"):
                lesson.write_bytes(git(root, "show", f"HEAD^2:{path}"))
    done.touch()
    return moved


def git(root: Path, *arguments: str) -> bytes:
    """What git prints; nothing if there is no git, no clone or no answer."""
    try:
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return b""


if __name__ == "__main__":
    for sentence in put_away(Path(sys.argv[1])):
        print(sentence)
