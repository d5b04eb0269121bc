"""nbgrader on the folder of a class: its commands, its pages and its gradebook, in a Python of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bootstrap.files import digest, write
from bootstrap.places import BUILD, ROOT
from bootstrap.steps import Steps, run
from teach.homework.jobs import Homework
from teach.homework.kept import Book, Graded
from teach.homework.make import CONFIG, CONFIG_FILE

PLACE = BUILD / "nbgrader"
PINS = ROOT / "requirements/homework.txt"
STEPS = ("SaveAutoGrades", "AssignLatePenalties", "CheckCellMetadata")
# no address in a schema is checked here, and the package that would takes a second at each start of Python
PATHS = "{}\nimport sys; sys.modules['rfc3987_syntax'] = None\n"
ROOM = 1_000  # kB, for the answers and marks of a class
BOOK = str(Path(__file__).with_name("book.py"))
PAGES = ROOT / "teaching"  # the page of a learner's feedback, in place of nbgrader's
IMPORT = [f"nbgrader.preprocessors.{name}" for name in STEPS]


def environment() -> Path:
    """The Python with nbgrader: it sees the course's packages, and adds the missing ones."""
    python = PLACE / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    steps, key = Steps(PLACE / "stamp.json"), digest(PINS, sys.prefix, PATHS)
    steps.step("nbgrader", key, [python], lambda: install(python))
    return python


def install(python: Path) -> None:
    print("Installing nbgrader (about half a minute) …", file=sys.stderr, flush=True)
    run([sys.executable, "-m", "venv", "--clear", PLACE], "Python could not create an environment")
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = [subprocess.check_output([each, "-c", script], text=True) for each in (sys.executable, python)]
    here, there = map(str.strip, found)
    Path(there, "course.pth").write_text(PATHS.format(here))
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


def isolated(
    *words: str, stdout: int | None = None, told: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs nbgrader's Python, which imports nothing from the course's folder or the current one."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(environment()), "-I", "-W", "ignore", *words]
        # it holds the lock of a run, too: if that is killed, the next one must wait for what is left of it
        return subprocess.run(
            command,
            cwd=folder,
            env=settings(),
            text=True,
            stdout=stdout,
            input=told,
            close_fds=os.name == "nt",
        )


def nbgrader(home: Path, *words: str) -> int:
    write(home / CONFIG_FILE, CONFIG)
    if words[:1] == ("export",) and not any(re.match(r"--(\w+\.)?to\b", word) for word in words):
        words += ("--to=grades.csv",)
    if words[:1] == ("generate_feedback",):
        template = f"--HTMLExporter.extra_template_basedirs={PAGES}"
        words += ("--HTMLExporter.template_name=feedback", template)
        # else a page keeps the points that it has, whatever the gradebook has
        words += () if "--force" in words else ("--force",)
    here = [absolute(word, words[i - 1] if i else "") for i, word in enumerate(words)]
    root = f"--CourseDirectory.root={home}"
    if not any(re.match(r"--debug|--(\w+\.)?log[-_]level", word) for word in words):
        here.append("--Application.log_level=ERROR")  # it warns of settings that it does find
    return isolated("-m", "nbgrader", *here, root).returncode


def formgrader(home: Path, words: list[str]) -> int:
    """Opens nbgrader's pages for marking by hand, on a loopback address, until it is interrupted."""
    write(home / CONFIG_FILE, CONFIG)
    command = [str(environment()), "-I", "-m", "jupyter_server", "--ip=127.0.0.1"]
    browser = [] if "--no-browser" in words else ["--ServerApp.open_browser=True"]
    command += ["--ServerApp.default_url=/formgrader", *browser, *words]
    return subprocess.run(command, cwd=home, env=settings()).returncode


def absolute(word: str, before: str) -> str:
    """A file that a command names, as seen from another folder: nbgrader runs in an empty one."""
    if written := re.fullmatch(r"(--(?:\w+\.)?to=)(.+)", word):
        return written[1] + str(Path(written[2]).absolute())
    return str(Path(word).absolute()) if before == "--to" or Path(word).is_file() else word


def read(home: Path) -> Book:
    """The content of nbgrader's gradebook."""
    if not (home / "gradebook.db").is_file():
        return {"students": [], "homework": {}}
    return json.loads(opened(home, "The gradebook could not be read: see nbgrader's message above."))


def opened(home: Path, problem: str, *words: str, told: str | None = None) -> str:
    """What book.py says of the gradebook; a problem ends in a sentence."""
    address = f"sqlite:///{home / 'gradebook.db'}"
    ended = isolated(BOOK, address, *words, stdout=subprocess.PIPE, told=told)
    return sys.exit(problem) if ended.returncode else ended.stdout


def not_accepted(home: Path) -> str:
    """Why nbgrader has imported nothing: on a full disk its own messages name neither disk nor way out."""
    free, why = shutil.disk_usage(home).free // 1_000, "see its messages above"
    if free < ROOM:
        why = (
            f"{home} has {free:,} kB free, and it needs {ROOM:,}: make room there, and give the command again"
        )
    return f"nbgrader did not accept these results into its gradebook: {why}; what has been graded stays."


def leave_to_a_person(home: Path, homework: Homework, done: list[Graded]) -> list[str]:
    """Keeps in the gradebook what a person must mark; gives a line for each."""
    asked = {graded.student: sorted(graded.by_hand()) for graded in done if graded.by_hand()}
    if not asked:
        return []
    problem = "The gradebook does not know what is to be marked by hand: see its messages above."
    opened(home, problem, homework.name, told=json.dumps(asked))
    return [
        f"  {graded.student}: {homework.label(check)}: {why}".replace("\n", " ")[:400]
        for graded in done
        for check, why in sorted(graded.by_hand().items())
    ]
