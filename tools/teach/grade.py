"""Runs nbgrader, in an environment of its own, on the homework in build/homework.

python3 tools/setup.py -- python tools/teach/grade.py generate_assignment 00-start-here
python3 tools/setup.py -- python tools/teach/grade.py autograde 00-start-here --jobs=4
python3 tools/setup.py -- python tools/teach/grade.py generate_feedback 00-start-here
python3 tools/setup.py -- python tools/teach/grade.py marks

Every word goes to nbgrader as it is, except `--jobs`, with which `autograde` gives each submission a process
of its own, so many at a time, and `marks`, which prints the marks as CSV. The environment is made once.
"""

import hashlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bootstrap.launch import BUILD, ROOT, lock

HOMEWORK = Path(os.environ.get("THREADLAB_HOMEWORK", BUILD / "homework"))
PLACE = BUILD / "nbgrader"
PINS = ROOT / "requirements/homework.txt"
MINUTES = 10  # for one submission, whatever happens in it
MARKS = """
import csv, sys
from nbgrader.api import Gradebook
table = csv.writer(sys.stdout, lineterminator="\\n")
table.writerow(["assignment", "student", "mark", "of", "failed exercises"])
with Gradebook("sqlite:///gradebook.db", "virtual-threads") as book:
    for homework in sorted(book.assignments, key=lambda homework: homework.name):
        for sent in sorted(book.assignment_submissions(homework.name), key=lambda sent: sent.student.id):
            failed = [g.name for notebook in sent.notebooks for g in notebook.grades if g.score < g.max_score]
            marks = [f"{sent.score:g}", f"{sent.max_score:g}", " ".join(sorted(failed))]
            row = [homework.name, sent.student.id, *marks]
            table.writerow(["'" + text if text[:1] in tuple("=+-@") else text for text in row])
"""


def environment() -> Path:
    """The Python with nbgrader: it sees the course's packages, and has what those lack."""
    python = PLACE / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = PLACE / "stamp"
    wanted = hashlib.sha256(PINS.read_bytes() + sys.prefix.encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    with lock():
        # another one may have made it while this one waited
        if not stamp.is_file() or stamp.read_text() != wanted:
            install(python)
            stamp.write_text(wanted)
    return python


def install(python: Path) -> None:
    print("Installing nbgrader (about half a minute) …", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", PLACE], check=True)
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    here, there = (
        subprocess.check_output([each, "-c", script], text=True).strip() for each in (sys.executable, python)
    )
    Path(there, "course.pth").write_text(here + "\n")
    pip = [python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    # the pins and no others, also one that the course's environment has, as in the image: nbgrader calls
    # the command of alembic, and that must be one that knows nbgrader
    pip += ["--ignore-installed", "--no-deps"]
    ended = subprocess.run([*pip, "--require-hashes", "-r", PINS], env=os.environ | {"PIP_USER": "0"})
    if ended.returncode:
        sys.exit("nbgrader could not be installed: pip says above why.")


def nbgrader(python: Path, *words: str) -> list[str]:
    return [str(python), "-m", "nbgrader", *words]


def settings() -> dict[str, str]:
    """The course's kernel is found in its own environment, and no other of that name."""
    kernels = [str(Path(sys.prefix) / "share/jupyter"), os.environ.get("JUPYTER_PATH", "")]
    # nbgrader calls a command that lies beside its own Python
    commands = [str(PLACE / ("Scripts" if os.name == "nt" else "bin")), os.environ.get("PATH", "")]
    return os.environ | {
        "JUPYTER_PATH": os.pathsep.join(filter(None, kernels)),
        "PATH": os.pathsep.join(commands),
    }


def autograde(python: Path, homework: str, jobs: int, more: list[str]) -> int:
    """Grades every submission in a process of its own: one that ends its kernel ends nothing else."""
    students = sorted(path.parent.name for path in HOMEWORK.glob(f"submitted/*/{homework}"))
    if not students:
        sys.exit(
            f"Nobody has sent in {homework}: submissions lie in {HOMEWORK}/submitted/STUDENT/{homework}."
        )
    start = time.monotonic()

    def grade(student: str) -> str:
        command = nbgrader(python, "autograde", homework, f"--student={student}", *more)
        try:
            ended = subprocess.run(
                command,
                cwd=HOMEWORK,
                env=settings(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=60 * MINUTES,
            )
        except subprocess.TimeoutExpired:
            return f"{student}: not graded, for it took more than {MINUTES} minutes"
        if ended.returncode == 0:
            return ""
        lines = [line for line in ended.stdout.splitlines() if line.strip()] or ["nbgrader said nothing"]
        why = next((line for line in lines if "Error" in line and "raise" not in line), lines[-1])
        return f"{student}: not graded: {why.strip()}"

    # the first one alone, for it makes the gradebook
    with ThreadPoolExecutor(jobs) as pool:
        told = [grade(students[0]), *pool.map(grade, students[1:])]
    for line in filter(None, told):
        print(line)
    graded = told.count("")
    seconds = time.monotonic() - start
    print(f"{graded} of {len(students)} graded in {seconds:.0f} s, {jobs} at a time")
    return 0 if graded == len(students) else 1


def main(words: list[str]) -> int:
    if not (HOMEWORK / "nbgrader_config.py").is_file():
        sys.exit("There is no homework yet: make homework writes it.")
    python = environment()
    if words == ["marks"]:
        return subprocess.call([python, "-c", MARKS], cwd=HOMEWORK, env=settings())
    jobs = [word.partition("=")[2] for word in words if word.startswith("--jobs=")]
    if jobs and words[0] == "autograde" and len(words) > 2:
        if not jobs[0].isdigit() or not 0 < int(jobs[0]) < 100:
            sys.exit(f"{jobs[0]} submissions at a time cannot be: --jobs=4 is a number that can.")
        more = [word for word in words[2:] if not word.startswith("--jobs=")]
        return autograde(python, words[1], int(jobs[0]), more)
    return subprocess.call(nbgrader(python, *words), cwd=HOMEWORK, env=settings())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
