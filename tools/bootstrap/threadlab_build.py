"""Builds threadlab, the library of the course, with Maven, or takes its jars from a bundle."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from bootstrap import fetch
from bootstrap.environment import Environment, choose_environment, java_env, pip_install, python_path
from bootstrap.files import check_artefacts, digest, whole, writable
from bootstrap.jdk import Computer, Jdk
from bootstrap.places import BUILD, BUNDLE, HOME, ROOT
from bootstrap.steps import run, say

SUMS = ROOT / "maven.sha256"  # for what Maven resolves; tools/publish/pins.py writes it
ROOMS = ("whatwaits", "threadlab")
BUILD_GOALS = [
    "-Dmaven.test.skip=true",
    "package",
    "dependency:list",
    "-DoutputAbsoluteArtifactFilename=true",
    "-DappendOutput=true",  # one list for all modules
]


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


def build_threadlab(environment: Environment, jdk: Jdk) -> None:
    """Builds threadlab and installs its jars, so that a running kernel keeps those it has opened."""
    if bundled():
        for folder in ("servers", "lib"):
            install(BUNDLE / folder, environment.own / folder, shutil.copytree)
        return
    say("Building threadlab (half a minute the first time) …")
    target = ROOT / "threadlab/target"
    stale = [ROOT / "whatwaits/target/classes", *(target / name for name in ("classes", "lib", "servers"))]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    resolved = target / "resolved.txt"
    resolved.unlink(missing_ok=True)
    # Maven's own script needs the usual programs, even if the PATH has none of them
    env = java_env(jdk) | {"PATH": os.environ.get("PATH", "") + os.pathsep + os.defpath}
    run([*maven(), *BUILD_GOALS, f"-DoutputFile={resolved}"], "Maven could not build threadlab", env)
    check_artefacts(resolved, SUMS)
    # lib is on the kernel's class path; servers is added by a notebook that needs it.
    for folder, jar in (("servers", "threadlab-servers.jar"), ("lib", "threadlab.jar")):
        shutil.copy2(target / jar, target / folder)
        install(target / folder, environment.own / folder, shutil.move)


def install(source: Path, folder: Path, take: Callable[[Path, Path], object]) -> None:
    """Replaces a folder by another, completely or not at all."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.parent.mkdir(parents=True, exist_ok=True)
    take(source, fresh)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.replace(folder)


def find_maven() -> "str | None":
    """The installed Maven, or the one that the set-up has fetched."""
    homes = [os.environ[name] for name in ("MAVEN_HOME", "M2_HOME") if os.environ.get(name)]
    fetched = Computer().cache / fetch.MAVEN
    homes += [fetched] if whole(fetched) else []
    folders = [os.environ.get("PATH", ""), *(os.path.join(home, "bin") for home in homes)]
    return shutil.which("mvn", path=os.pathsep.join(folders))


def maven(pom: str = "pom.xml") -> list[str]:
    """The command that runs Maven on a POM, from the clone's folder."""
    program = find_maven()
    if not program:
        sys.exit(
            "Maven was not found (no mvn on the PATH, nor in MAVEN_HOME): install it (Debian and"
            " Ubuntu: apt install maven; macOS: brew install maven; Windows: scoop install maven)."
        )
    # --strict-checksums: a library that differs from the published one breaks the build
    command = [program, "--batch-mode", "--no-transfer-progress", "--strict-checksums"]
    command.append(f"-Djjava.jar={choose_environment().kernel / 'jjava.jar'}")
    return [*command, "-f", pom, *(f"-Dmaven.repo.local={path}" for path in repository())]


def repository() -> list[Path]:
    """The folder for Maven's artifacts, if the home folder is not writable."""
    return [] if writable(HOME / ".m2/repository") else [BUILD / "m2"]


def fetch_maven(environment: Environment) -> None:
    say("Fetching Maven, which builds threadlab (10 MB) …")
    pip_install(environment, ROOT / "requirements/maven.txt")
    command = [environment.python, "-m", "bootstrap.fetch", *repository()]
    run(command, "Maven could not be fetched", python_path())
