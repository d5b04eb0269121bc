"""Sets everything up: does only what is missing or has changed."""

import json
import os
import sys
from pathlib import Path

from bootstrap import fetch
from bootstrap.environment import Environment, make_venv, pip_install
from bootstrap.files import digest, write
from bootstrap.jdk import Computer, Jdk, NoJdk, find_jdk, find_others
from bootstrap.kernelspec import SMALL, jars, kernelspec
from bootstrap.places import LOG, ROOT
from bootstrap.steps import Steps, lock, run, say
from bootstrap.threadlab_build import build_threadlab, bundled, fetch_maven, find_maven, maven, sources

# JupyterLab settings other than its defaults.
LAB = json.dumps(
    {
        # A question about another project's news should not be the first thing to see.
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
        # A link to the glossary shows the page, not its source.
        "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}},
    }
)


def train(environment: Environment, what: list[str]) -> bool:
    """Makes the named AOT caches; a cache of other jars must not pass for a new one."""
    said = {"kernel": "the kernel", "servers": "servers", "load": "load generators"}
    names = ", ".join(said[name] for name in what)
    say(f"Training the AOT cache for {names}, so that later starts are faster …")
    for name in what:
        (environment.own / f"{name}.aot").unlink(missing_ok=True)
    tool = ROOT / "tools/bootstrap/train.py"
    try:
        run([environment.python, tool, environment.kernel / "kernel.json", *what], "")
    except SystemExit:
        say(f"The AOT cache for {names} could not be created, so starts are slower; {LOG} says why.")
        return False
    return True


def update(file: Path, text: str, news: str = "") -> None:
    """Writes a file unless it already holds that text."""
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return
    with lock():
        if news:
            say(news)
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file, text)


def set_up(environment: Environment, tests: bool, later: bool = False) -> Jdk:
    """Does what is missing or has changed; `later` leaves out what only makes child JVMs start faster."""
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
        maven()  # better to find it missing now than after half a minute of other work
    if not environment.conda:
        pins = digest(str(environment.prefix), ROOT / "requirements.txt")
        steps.step("environment", pins, [environment.python], lambda: make_venv(environment))
    if tests:
        wanted = ROOT / "requirements/tests.txt"
        steps.step("tests", digest(wanted), [], lambda: pip_install(environment, wanted))
    if builds and not find_maven():
        with lock():
            fetch_maven(environment)
    steps.step("threadlab", library, built, lambda: build_threadlab(environment, jdk))
    # Compared, not stamped: pip puts the stock kernel.json there whenever it installs the kernel.
    text = kernelspec(environment, jdk, others)
    update(environment.kernel / "kernel.json", text, "Writing the kernel 'java' …")
    for name, options in SMALL.items():
        small = kernelspec(environment, jdk, others, options)
        update(environment.small_kernel(name) / "kernel.json", small)
    config = environment.prefix / "etc/jupyter/jupyter_config.py"
    # a conda environment may have its user's own
    if not config.is_file() or "threadlab/one-cpu" in config.read_text(encoding="utf-8"):
        update(config, Path(__file__).with_name(config.name).read_text(encoding="utf-8"))
    if not environment.conda:
        update(environment.prefix / "share/jupyter/lab/settings/overrides.json", LAB)
    # The JVM itself compares name, size and time of the jars before it uses a cache.
    known = [*jars(environment), *sorted((environment.own / "servers").glob("*.jar"))]
    stamps = [f"{jar} {jar.stat().st_size} {jar.stat().st_mtime_ns}" for jar in known]
    key = digest(jdk.build, text, *stamps, ROOT / "tools/bootstrap/train.py")

    caches = {name: [environment.own / f"{name}.aot"] for name in ("kernel", "servers", "load")}

    def stale() -> list[str]:
        asked = ["kernel"] if later else caches
        return [name for name in asked if not steps.current(f"aot of {name}", key, caches[name])]

    if stale():
        with lock():  # another set-up may have made them while this one waited
            if (names := stale()) and train(environment, names):
                for name in names:
                    steps.note(f"aot of {name}", key)
    return jdk
