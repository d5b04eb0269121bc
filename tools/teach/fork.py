"""Makes the clone that a class gets: the course without the answers to its homework, in build/for-the-class.

python3 tools/setup.py -- python tools/teach/fork.py https://github.com/school/threads https://hub.example.org

The clone has a history of its own, since the answers are in the history of this one. It has no tests,
no tools for teachers and no translations, which repeat the answers. The addresses are optional: they give the
link for the learners.
"""

import argparse
import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

import nbformat
from bootstrap.files import extract
from notebooks.runs import ROOT
from publish import links, translations
from teach.homework import course
from teach.homework.make import GRADED, HOMEWORK, without_homework

CLASS = ROOT / "build/for-the-class"
WITHOUT = ("tests", "teaching", "tools/teach", "tools/hall", "data/recorded/claims.csv")


def git(*words: str, into: Path) -> bytes:
    return subprocess.run(["git", "-C", str(into), *words], check=True, capture_output=True).stdout


def make(into: Path = CLASS) -> None:
    """Commits the files of this clone's last commit without the answers.

    A later run adds a commit: nbgitpuller merges it into what learners have, but not another history.
    """
    into.mkdir(parents=True, exist_ok=True)
    for path in into.iterdir():
        if path.is_dir() and path.name != ".git":
            shutil.rmtree(path)
        elif path.is_file():
            path.unlink()
    left_out = [*WITHOUT, *(f"notebooks/{language}" for language in translations.LANGUAGES)]
    kept = git("archive", "HEAD", ".", *(f":(exclude){name}" for name in left_out), into=ROOT)
    with tarfile.open(fileobj=BytesIO(kept)) as files:
        extract(files, into)
    choice = course.load(HOMEWORK)
    for path in GRADED:
        nbformat.write(without_homework(path, choice), into / path.relative_to(ROOT))
    git("init", "--quiet", "--initial-branch=main", into=into)  # harmless if it is there
    git("add", "--all", into=into)
    if git("status", "--porcelain", into=into):
        own = ["-c", "user.name=The course", "-c", "user.email=course@localhost"]
        git(*own, "commit", "--quiet", "--message=The course, without the answers to its homework", into=into)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("origin", nargs="?", default="https://github.com/YOUR-SCHOOL/virtual-threads")
    parser.add_argument("hub", nargs="?", default=links.HUB)
    asked = parser.parse_args()
    links.address(asked.origin)
    make()
    print(f"Wrote {CLASS}. Push it, the first time into an empty repository:")
    print(f"  git -C {CLASS} push {asked.origin} main")
    print("The link for the learners, on your hub: ", links.nbgitpuller(asked.origin, "main", asked.hub))
    print("The same on Binder, if it can read it:  ", links.binder(asked.origin, "main"))


if __name__ == "__main__":
    main()
