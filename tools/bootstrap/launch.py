"""Sets the course up and runs what needs it. The standard library is enough.

python3 tools/setup.py                       sets everything up; does only what has changed
python3 tools/setup.py lab [--port N]        opens JupyterLab on the first notebook
python3 tools/setup.py run NOTEBOOK          executes a notebook into build/
python3 tools/setup.py update                updates to the newest version and keeps your changes
python3 tools/setup.py bundle [--jdk]        packs the course for use without a network; --jdk adds the JDK
python3 tools/setup.py test [NUMBER]         runs the quick tests, or those of one notebook such as 05
python3 tools/setup.py test-all              runs the other tests, a quarter of an hour
python3 tools/setup.py release-check [PART]  runs what must hold before a release, or one part of it
python3 tools/setup.py [--tests] -- CMD …    runs any command inside the environment
"""

import argparse
import os
import shutil
import subprocess
import sys
from glob import escape
from io import TextIOWrapper
from pathlib import Path

from bootstrap.environment import choose_environment, command_env, python_path
from bootstrap.files import restore
from bootstrap.install import set_up
from bootstrap.places import BUILD, FIRST, ROOT, TOOLS, WINDOWS

WHAT = ["lab", "run", "update", "bundle", "test", "test-all", "release-check"]
HIDE_ANSWERS = [
    "--TagRemovePreprocessor.enabled=True",
    "--TagRemovePreprocessor.remove_input_tags=check",
    "--TagRemovePreprocessor.remove_cell_tags=solution",
]


def lab_command(port: "int | None") -> list[str]:
    """JupyterLab on the first notebook. If the port is taken, Jupyter tries others."""
    # The address that Jupyter prints includes the default URL, but not a file named on the command line.
    command = ["jupyter", "lab", f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{FIRST}"]
    if port is not None:
        command.append(f"--port={port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    # Without a desktop only a text browser could be opened, and it would take over the terminal.
    desktop = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if os.environ.get("WSL_DISTRO_NAME"):
        # a browser of Windows cannot open the file of Linux from which Jupyter would send it on
        command.append("--ServerApp.use_redirect_file=False")
    if sys.platform == "linux" and not any(os.environ.get(name) for name in desktop):
        command.append("--no-browser")
    return command


def execute(notebook: Path, env: dict[str, str]) -> int:
    """Executes a notebook into build/, as a notebook with its outputs and as a page."""
    nbconvert = [which("jupyter", env), "nbconvert", f"--output-dir={BUILD}", "--to"]
    # as Jupyter's server does, so that the kernel keeps the results under the notebook's name
    kept = {"JPY_SESSION_NAME": notebook.name}
    executed = (
        subprocess.call([*nbconvert, "notebook", "--execute", escape(str(notebook))], env=env | kept) == 0
    )
    # as on the page, the answers of the exercises are not shown
    page = [*nbconvert, "notebooks.page.Page", *HIDE_ANSWERS, escape(str(BUILD / notebook.name))]
    if not executed or subprocess.call(page, env=env | python_path()):
        sys.exit(f"{notebook} did not run to the end: see the error above.")
    return 0


def rest_of_the_set_up() -> None:
    """Continues the set-up beside the page on idle CPUs; if interrupted, the next start completes it."""
    idle = ["nice", "-n", "19"] if shutil.which("nice") else []
    command = [*idle, sys.executable, str(TOOLS / "setup.py")]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def hand_over(command: list[str], env: dict[str, str]) -> int:
    """Replaces this program by a command; on Windows, runs it and waits."""
    program = which(command[0], env)
    if WINDOWS:
        return subprocess.call([program, *command[1:]], env=env)
    sys.stdout.flush()
    os.execve(program, command, env)


def which(name: str, env: dict[str, str]) -> str:
    return shutil.which(name, path=env["PATH"]) or sys.exit(
        f"There is no command {name} on the PATH: check its spelling, or install it."
    )


def main(arguments: list[str]) -> int:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(usage=__doc__.partition("\n\n")[2].strip())
    parser.add_argument("what", nargs="?", choices=WHAT)
    parser.add_argument("notebook", nargs="?", default="")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--port", default="")
    parser.add_argument("--jdk", action="store_true")
    asked = parser.parse_args(arguments[:at])
    notebook, port = Path(asked.notebook), asked.port
    if asked.what == "run" and not notebook.is_file():
        sys.exit(f"There is no notebook '{asked.notebook}': name one, such as make run NB={FIRST}.")
    if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        sys.exit(f"The port {port} is not a number from 1 to 65535.")

    environment = choose_environment()
    lab = asked.what == "lab"
    jdk = set_up(environment, asked.tests or asked.what in WHAT[4:], later=lab)
    env = command_env(environment, jdk)
    if asked.what == "run":
        return execute(notebook, env)
    if lab:
        os.chdir(ROOT)
        restore(ROOT)
        rest_of_the_set_up()
        return hand_over(lab_command(int(port) if port else None), env)
    tool, *words = {
        "update": ["notebooks/update.py"],
        "bundle": ["publish/bundle.py", *(["--jdk"] if asked.jdk else [])],
        "test": ["notebooks/check.py", "quick", f"--notebook={asked.notebook}"],
        "test-all": ["notebooks/check.py", "whole"],
        "release-check": ["notebooks/check.py", "release", f"--part={asked.notebook}"],
    }.get(asked.what, [""])
    command = [str(environment.python), str(TOOLS / tool), *words] if tool else arguments[at + 1 :]
    return hand_over(command, env | python_path()) if command else 0


def launch() -> None:
    """Runs what the command line requests; a problem that the reader can solve ends in one sentence."""
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(
            f"The set-up cannot use {error.filename or ROOT} ({error.strerror}): make room there or make it"
            " writable, or copy the course to a writable folder."
        )
    except KeyboardInterrupt:
        sys.exit("Interrupted; the next start continues from here.")
