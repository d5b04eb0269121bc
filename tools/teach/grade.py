"""Grades homework: runs nbgrader and replaces its steps for submissions, each of which gets its own
container.

python3 tools/setup.py -- python tools/teach/grade.py generate_assignment 00-start-here
python3 tools/setup.py -- python tools/teach/grade.py autograde 00-start-here --jobs=2
python3 tools/setup.py -- python tools/teach/grade.py generate_feedback 00-start-here
python3 tools/setup.py -- python tools/teach/grade.py marks

`autograde` runs the answers of a submission in one container and judges their values in another, which has
never seen an answer; nbgrader then imports the results. --seconds=60 limits a cell, --memory=1500 (MiB) a
container; --student=NAME grades one learner, --force also those already graded, and --trust-submissions uses
no containers. `marks` prints the marks as CSV. Other commands go to nbgrader.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bootstrap.files import digest, write
from bootstrap.places import BUILD, ROOT
from bootstrap.steps import Steps, run
from teach import isolation
from teach.grading import Batch
from teach.homework import CONFIG, CONFIG_FILE
from teach.jobs import Homework

HOMEWORK = Path(os.environ.get("THREADLAB_HOMEWORK", ROOT / "homework"))
PLACE = BUILD / "nbgrader"
PINS = ROOT / "requirements/homework.txt"
STEPS = ("SaveAutoGrades", "AssignLatePenalties", "CheckCellMetadata")
IMPORT = [f"nbgrader.preprocessors.{name}" for name in STEPS]
MARKS = """
import csv, sys
from nbgrader.api import Gradebook
table = csv.writer(sys.stdout, lineterminator="\\n")
table.writerow(["assignment", "student", "mark", "of", "failed exercises"])
with Gradebook(sys.argv[1], "virtual-threads") as book:
    for homework in sorted(book.assignments, key=lambda homework: homework.name):
        for sent in sorted(book.assignment_submissions(homework.name), key=lambda sent: sent.student.id):
            failed = [g.name for notebook in sent.notebooks for g in notebook.grades if g.score < g.max_score]
            marks = [f"{sent.score:g}", f"{sent.max_score:g}", " ".join(sorted(failed))]
            row = [homework.name, sent.student.id, *marks]
            table.writerow(["'" + text if text[:1] in tuple("=+-@") else text for text in row])
"""


def environment() -> Path:
    """The Python with nbgrader: it sees the course's packages, and adds the missing ones."""
    python = PLACE / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    steps, key = Steps(PLACE / "stamp.json"), digest(PINS, sys.prefix)
    steps.step("nbgrader", key, [python], lambda: install(python))
    return python


def install(python: Path) -> None:
    print("Installing nbgrader (about half a minute) …", file=sys.stderr, flush=True)
    run([sys.executable, "-m", "venv", "--clear", PLACE], "Python could not create an environment")
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = [subprocess.check_output([each, "-c", script], text=True) for each in (sys.executable, python)]
    here, there = map(str.strip, found)
    Path(there, "course.pth").write_text(here + "\n")
    # exactly the pins, even a package that the course's environment has, as in the image: nbgrader calls
    # the command of alembic, which must be able to import nbgrader
    pip = [python, "-m", "pip", "install", "--no-compile", "--ignore-installed", "--no-deps"]
    pip += ["--disable-pip-version-check", "--require-hashes", "-r", PINS]
    run(pip, "nbgrader could not be installed", {"PIP_USER": "0"})


def settings() -> dict[str, str]:
    """Lets only the course's kernel be found, in its own environment, and no other of that name."""
    kernels = [str(Path(sys.prefix) / "share/jupyter"), os.environ.get("JUPYTER_PATH", "")]
    # nbgrader calls a command that lies beside its own Python
    commands = [str(PLACE / ("Scripts" if os.name == "nt" else "bin")), os.environ.get("PATH", "")]
    places = os.pathsep.join(filter(None, kernels))
    return os.environ | {"JUPYTER_PATH": places, "PATH": os.pathsep.join(commands)}


def isolated(*words: object) -> int:
    """Runs nbgrader's Python, which imports nothing from the course's folder or the current one."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.call([environment(), "-I", *words], cwd=folder, env=settings())


def nbgrader(*words: str) -> int:
    write(HOMEWORK / CONFIG_FILE, CONFIG)
    return isolated("-W", "ignore", "-m", "nbgrader", *words, f"--CourseDirectory.root={HOMEWORK}")


def number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not a number from {least} to {most}")
        return int(text)

    return parse


def autograde(words: list[str]) -> int:
    parser = argparse.ArgumentParser("grade.py autograde", allow_abbrev=False)
    parser.add_argument("homework")
    parser.add_argument("--student", default="*")
    parser.add_argument("--jobs", type=number(1, 99), default=1)
    parser.add_argument("--seconds", type=number(1, 600), default=60)
    parser.add_argument("--memory", type=number(256, 65_536), default=1_500)
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--trust-submissions", action="store_true")
    asked, more = parser.parse_known_args(words)
    engine = None if asked.trust_submissions else isolation.engine()
    if not engine and not asked.trust_submissions:
        sys.exit(isolation.NONE)
    start = time.monotonic()
    homework = Homework(HOMEWORK, asked.homework, asked.seconds)
    batch = Batch(HOMEWORK, homework, engine, isolation.Limits(memory=asked.memory), asked.jobs)
    with tempfile.TemporaryDirectory() as staged:
        done = batch.grade(asked.student, asked.force, Path(staged))
        options = [f"--CourseDirectory.submitted_directory={staged}", "--Autograde.sanitize_preprocessors=[]"]
        options += [f"--Autograde.autograde_preprocessors={IMPORT}", "--Application.log_level=ERROR", *more]
        if done and nbgrader("autograde", asked.homework, "--force", *options):
            sys.exit("nbgrader did not accept these results into its gradebook: see its messages above.")
    before = f", {batch.before} had been graded before" if batch.before else ""
    seconds = time.monotonic() - start
    print(f"{done} of {batch.sent} graded in {seconds:.0f} s, {asked.jobs} at a time{before}")
    return 0 if done + batch.before == batch.sent else 1


def main(words: list[str]) -> int:
    if not (HOMEWORK / "source").is_dir():
        sys.exit("There is no homework yet: run make homework.")
    if words[:1] == ["validate"]:
        sys.exit("validate would run a notebook on this machine: use autograde, which has containers.")
    if words == ["marks"]:
        return isolated("-c", MARKS, f"sqlite:///{HOMEWORK / 'gradebook.db'}")
    return autograde(words[1:]) if words[:1] == ["autograde"] else nbgrader(*words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
