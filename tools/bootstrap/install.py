"""Sets everything up: does only what is missing or has changed."""

import json
import os
import re
import shutil
import sys
from functools import partial
from pathlib import Path

from bootstrap import fetch, needs
from bootstrap.environment import Environment, java_env, make_venv, pip_install
from bootstrap.files import digest, write
from bootstrap.jdk import Computer, Jdk, NoJdk, find_jdk, find_others
from bootstrap.kernelspec import SMALL, jars, kernelspec
from bootstrap.places import LOG, ROOT, TOOLS, WINDOWS
from bootstrap.steps import Steps, both, lock, run, say
from bootstrap.threadlab_build import (
    LIBRARIES,
    POMS,
    build_threadlab,
    bundled,
    early_jar,
    fetch_libraries,
    maven,
    package,
    sources,
)

# JupyterLab settings other than its defaults.
LAB = json.dumps(
    {
        # A question about another project's news should not be the first thing to see.
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
        # A link to the glossary shows the page, not its source.
        "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}},
    }
)

# jsonschema, which all that reads notebooks imports, can check addresses with a package that builds its
# grammar anew at each start: half of the CPU time in which JupyterLab is imported. Nothing here needs it.
QUICK = "import sys; sys.modules.setdefault('rfc3987_syntax', None)\n"

ANOTHER = "to use another JDK, set JAVA_HOME to it"
# ':' parts class paths, '!/' ends the address of a jar, Maven takes a backslash for '/', and a name that is
# not in UTF-8 is no text.
UNFIT = rf"{os.pathsep}|!(?=[/\\]|$)|[\udc80-\udcff]" + ("" if WINDOWS else r"|\\")
SAID = {"kernel": "the kernel", "servers": "servers", "load": "load generators"}


def train(environment: Environment, jdk: Jdk, caches: dict[str, Path]) -> list[str]:
    """Makes AOT caches and names those made; ends if the kernel, which runs for this, does not work."""
    named = ", ".join(SAID[name] for name in caches)
    say(f"Training the AOT cache for {named}, so that later starts are faster …")
    for cache in caches.values():
        cache.unlink(missing_ok=True)  # one of other jars must not pass for a new one
    for killed in environment.own.glob("training-*"):
        shutil.rmtree(killed, ignore_errors=True)
    command = [environment.python, TOOLS / "bootstrap/train.py", environment.kernel / "kernel.json", *caches]
    run(command, f"The kernel, tried with the JDK in {jdk.home}, does not work ({ANOTHER})")
    if lost := ", ".join(SAID[name] for name, cache in caches.items() if not cache.exists()):
        say(f"The AOT cache for {lost} could not be created, so starts are slower; {LOG} says why.")
    return [name for name, cache in caches.items() if cache.exists()]


def try_java(jdk: Jdk) -> None:
    """Before the long work: Java starts here, reads a file of this folder, finds fonts and draws."""
    java, probe = Computer().program(jdk.home, "java"), TOOLS / "bootstrap/Probe.java"
    failure = f"The JDK in {jdk.home} cannot run a program that draws ({ANOTHER})"
    run([java, "-Djava.awt.headless=true", probe], failure, java_env(jdk))


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
    for folder in (ROOT, environment.prefix):
        if found := re.search(UNFIT, str(folder)):
            sys.exit(f"Java or Maven cannot use {folder}, because of the '{found[0]}': rename or move it.")
    try:
        jdk = find_jdk(Computer())
    except NoJdk as none:
        if not environment.conda and needs.without_venv():
            raise  # before a long download: this names all that is missing
        fetch.fetch_jdk(Computer(), none)
        jdk = find_jdk(Computer())
    others = find_others(Computer(), jdk)
    steps = Steps(environment.own / "setup.json")
    pins = digest(str(environment.prefix), ROOT / "requirements.txt")
    new = not (environment.conda or steps.current("environment", pins, [environment.python]))
    library = digest(jdk.build, sources())
    built = [environment.own / name for name in ("lib/threadlab.jar", "servers/threadlab-servers.jar")]
    builds = not bundled() and (new or not steps.current("threadlab", library, built))
    if builds and fetch.allowed() is False:
        maven()  # better to find it missing now than after half a minute of other work
    if new and needs.without_venv():
        how = needs.command(Computer())
        sys.exit(
            f"The Python in {sys.executable} cannot create virtual environments: install its venv module"
            f"{how and f' ({how})'}."
        )
    if builds or new or needs.without_fonts(Computer()):  # they may have been removed since
        try_java(jdk)

    def fill() -> None:
        packages = partial(pip_install, environment, ROOT / "requirements.txt")
        if builds:
            # pip and Maven mostly wait, for other servers
            both(packages, lambda: package(jdk, early_jar(environment)))
        else:
            packages()

    if not environment.conda:
        steps.step("environment", pins, [environment.python], lambda: make_venv(environment, fill))
    if tests:
        wanted = ROOT / "requirements/tests.txt"
        steps.step("tests", digest(wanted), [], lambda: pip_install(environment, wanted))
    steps.step("threadlab", library, built, lambda: build_threadlab(environment, jdk))
    if tests and not bundled():  # most run without a network, from which a cell would fetch them
        sets = [environment.own / "libraries" / name for name in LIBRARIES]
        steps.step(
            "libraries", digest(*sorted(POMS.iterdir())), sets, lambda: fetch_libraries(environment.own, jdk)
        )
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
        update(environment.sites[0] / "threadlab.pth", QUICK)
    # The JVM itself compares name, size and time of the jars before it uses a cache.
    known = [*jars(environment), *sorted((environment.own / "servers").glob("*.jar"))]
    stamps = [f"{jar} {jar.stat().st_size} {jar.stat().st_mtime_ns}" for jar in known]
    # So the kernel of current caches, with this JDK and from this folder, has been seen to work.
    key = digest(jdk.build, text, *stamps, TOOLS / "bootstrap/train.py")

    def stale() -> dict[str, Path]:
        caches = {name: environment.own / f"{name}.aot" for name in (["kernel"] if later else SAID)}
        return {name: at for name, at in caches.items() if not steps.current(f"aot of {name}", key, [at])}

    if stale():
        with lock():  # another set-up may have made them while this one waited
            if caches := stale():
                for name in train(environment, jdk, caches):
                    steps.note(f"aot of {name}", key)
    return jdk
