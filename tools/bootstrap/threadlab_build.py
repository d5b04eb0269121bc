"""Builds threadlab, the library of the course, with Maven, or takes its jars from a bundle."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from bootstrap import fetch, network
from bootstrap.environment import Environment, choose_environment, java_env, pip_install
from bootstrap.files import digest, whole, writable
from bootstrap.jdk import Computer, Jdk, find_jdk
from bootstrap.places import BUILD, BUNDLE, HOME, MAVEN_LOG, ROOT
from bootstrap.steps import run, say

SUMS = ROOT / ".mvn/checksums/checksums.sha256"  # Maven compares; tools/publish/pins.py writes it
LISTED = "-Daether.artifactResolver.postProcessor.trustedChecksums.failIfMissing=true"  # nothing else
PACKAGE = ["-Dmaven.test.skip=true", LISTED, "package"]
POMS = ROOT / "threadlab/src/main/resources/threadlab/kernel/libraries"
LIBRARIES = sorted(
    pom.stem for pom in POMS.glob("*.xml")
)  # the sets that a cell fetches by "%libraries NAME"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies"
ROOMS = ("whatwaits", "threadlab")
TARGET = ROOT / "threadlab/target"
PACKAGED = TARGET / "sources"


def sources() -> str:
    """A fingerprint of the modules' sources, the same wherever the clone lies."""
    files = [path for room in ROOMS for path in (ROOT / room / "src/main").rglob("*") if path.is_file()]
    poms = [ROOT / "pom.xml", *(ROOT / room / "pom.xml" for room in ROOMS)]
    files = sorted([*files, *poms, ROOT / "data/defects/hangs.csv"])
    named = [(str(path.relative_to(ROOT)), path.read_bytes().hex()) for path in files]
    return digest(*(part for pair in named for part in pair))


def bundled() -> bool:
    """Whether threadlab's jars are in the bundle, built from the sources in this clone."""
    stamp = BUNDLE / "sources"
    return stamp.is_file() and stamp.read_text() == sources()


def early_jar(environment: Environment) -> Path:
    """The kernel's jar before pip has installed the rest: threadlab is compiled against it."""
    early = BUILD / "early"
    shutil.rmtree(early, ignore_errors=True)
    early.mkdir(parents=True)
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    [pin] = re.findall(r"^jjava==.*(?:\n +--hash=.*)*", pins, re.MULTILINE)
    (early / "requirements.txt").write_text(pin, encoding="utf-8")
    how = ("install", "--no-deps", "--no-compile", f"--target={early}")
    pip_install(environment, early / "requirements.txt", *how, log=MAVEN_LOG)
    return early / "share/jupyter/kernels/java/jjava.jar"


def package(jdk: Jdk, jar: Path) -> None:
    """Builds threadlab's jars, which `build_threadlab` installs."""
    if not find_maven():
        fetch.fetch_maven(jar)
    say("Building threadlab (half a minute the first time) …")
    stale = [ROOT / "whatwaits/target/classes", *(TARGET / name for name in ("classes", "lib", "servers"))]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    PACKAGED.unlink(missing_ok=True)
    run([*maven(jar=jar), *PACKAGE], "Maven could not build threadlab", maven_env(jdk), MAVEN_LOG)
    PACKAGED.write_text(sources())


def build_threadlab(environment: Environment, jdk: Jdk) -> None:
    """Builds threadlab and installs its jars, so that a running kernel keeps those it has opened."""
    if bundled():
        for folder in ("servers", "libraries", "lib"):
            install(BUNDLE / folder, environment.own / folder, shutil.copytree)
        return
    if not PACKAGED.is_file() or PACKAGED.read_text() != sources():
        package(jdk, environment.kernel / "jjava.jar")
    PACKAGED.unlink()
    # lib is on the kernel's class path; servers is added by a notebook that needs it.
    for folder, jar in (("servers", "threadlab-servers.jar"), ("lib", "threadlab.jar")):
        shutil.copy2(TARGET / jar, TARGET / folder)
        install(TARGET / folder, environment.own / folder, shutil.move)


def libraries(name: str, folder: Path) -> list[str]:
    """The command that fetches a set of libraries into a folder."""
    pom = (POMS / f"{name}.xml").relative_to(ROOT).as_posix()
    return [*maven(pom), "--quiet", LISTED, COPY, f"-DoutputDirectory={folder / name}"]


def fetch_libraries(own: Path, jdk: Jdk) -> None:
    """Puts what dives fetch, 43 MB, beside the kernel's own libraries."""
    say("Fetching the libraries of dives (43 MB) …")
    fresh = BUILD / "libraries"
    shutil.rmtree(fresh, ignore_errors=True)
    for name in LIBRARIES:
        run(
            libraries(name, fresh),
            f"Maven could not fetch the libraries for {name}",
            maven_env(jdk),
            MAVEN_LOG,
        )
    install(fresh, own / "libraries", shutil.move)


def install(source: Path, folder: Path, take: Callable[[Path, Path], object]) -> None:
    """Replaces a folder by another, completely or not at all."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.parent.mkdir(parents=True, exist_ok=True)
    take(source, fresh)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.replace(folder)


def find_maven() -> "str | None":
    """The Maven that the set-up has fetched, or an installed one that compares checksums by itself."""
    fetched = Computer().cache / fetch.MAVEN
    if whole(fetched):
        return shutil.which("mvn", path=str(fetched / "bin"))
    homes = filter(None, map(os.environ.get, ("MAVEN_HOME", "M2_HOME")))
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *(os.path.join(home, "bin") for home in homes)]
    found = (shutil.which("mvn", path=folder) for folder in folders if folder)
    return next((program for program in found if program and fits(program)), None)


@cache
def fits(program: str) -> bool:
    """Whether this Maven heeds .mvn/maven.config, which an older one ignores; 4 is not known to."""
    told = subprocess.run(
        [program, "--version"],
        env=os.environ | maven_env(find_jdk(Computer())),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    found = re.search(rb"Apache Maven 3\.(\d+)\.(\d+)", told.stdout)
    return found is not None and tuple(map(int, found.groups())) >= (9, 6)


def maven_env(jdk: Jdk) -> dict[str, str]:
    # Maven's own script needs the usual programs, even if the PATH has none of them
    return java_env(jdk) | {"PATH": os.environ.get("PATH", "") + os.pathsep + os.defpath}


def maven(pom: str = "pom.xml", jar: "Path | None" = None) -> list[str]:
    """The command that runs Maven on a POM, from the clone's folder."""
    program = find_maven()
    if not program:
        sys.exit(
            "No Maven from 3.9.6 to 3.9.x was found (on the PATH or in MAVEN_HOME): install one (Debian 13:"
            " apt install maven; macOS: brew install maven; Windows: scoop install maven), or set"
            " THREADLAB_FETCH=yes to fetch one."
        )
    command = [program, "--batch-mode", "--no-transfer-progress"]
    command.append(f"-Djjava.jar={jar or choose_environment().kernel / 'jjava.jar'}")
    command += network.for_java(find_jdk(Computer()), Computer())
    # the installed settings lie beside Maven's programs
    if settings := network.maven_settings(Path(program).resolve().parents[1] / "conf/settings.xml"):
        command += ["--global-settings", str(settings)]
    if not writable(HOME / ".m2/repository"):
        command.append(f"-Dmaven.repo.local={BUILD / 'm2'}")
    return [*command, "-f", pom]
