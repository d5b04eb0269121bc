"""Finds the JDK for the course, even when the default `java` is older, and the other Javas on this computer,
on which notebooks run programs for comparison. Only this file knows where Javas are."""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bootstrap import needs
from bootstrap.files import whole
from bootstrap.places import BUNDLE, ROOT

# The course's Java version stands in the POM, where Docker and CI also read it.
POM = (ROOT / "pom.xml").read_text(encoding="utf-8")
WANTED = int(re.findall(r"<maven\.compiler\.release>(\d+)<", POM)[0])
OLDEST = 21  # the first with virtual threads
BUNDLED = BUNDLE / "jdk"  # where make bundle packs it

IN_HOME = [
    ".sdkman/candidates/java/*",
    ".jdks/*",
    ".local/share/mise/installs/java/*",
    ".asdf/installs/java/*",
    ".jenv/versions/*",
]
IN_ROOT = {
    "Linux": ["usr/lib/jvm/*", "usr/lib64/jvm/*", "usr/java/*", "usr/local/*jdk*", "opt/*jdk*", "opt/java/*"],
    "Darwin": [
        "Library/Java/JavaVirtualMachines/*/Contents/Home",
        "opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
        "usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    ],
    "Windows": ["Program Files/*/*"],
}


class Jdk(NamedTuple):
    """A Java installation: what it is and, when it cannot run the course, what it lacks."""

    home: Path
    version: int
    build: str
    lacks: str


def processor() -> str:
    """The computer's processor, also below a Python for Intel that Apple's computers translate."""
    asked = ["/usr/sbin/sysctl", "-n", "sysctl.proc_translated"]
    if platform.system() == "Darwin" and subprocess.run(asked, capture_output=True).stdout.strip() == b"1":
        return "arm64"
    return platform.machine()


class Computer(NamedTuple):
    """Where to search. The tests make up computers of every kind."""

    system: str = platform.system()
    env: Mapping[str, str] = os.environ
    home: Path = Path(os.path.expanduser("~"))
    root: Path = Path(os.environ.get("SYSTEMDRIVE", "") + "/")
    machine: str = processor()

    @property
    def cache(self) -> Path:
        """This user's folder for downloads, shared by all clones."""
        if self.env.get("THREADLAB_CACHE"):
            return Path(self.env["THREADLAB_CACHE"]).absolute()
        if self.system == "Windows":
            base = self.env.get("LOCALAPPDATA") or self.home / "AppData/Local"
        elif self.system == "Darwin":
            base = self.home / "Library/Caches"
        else:
            base = self.env.get("XDG_CACHE_HOME") or self.home / ".cache"
        return Path(base) / "threadlab"

    @property
    def kind(self) -> tuple[str, str]:
        """The operating system and the processor, in the words of the JDK's publisher."""
        system = {"Darwin": "mac", "Windows": "windows"}.get(self.system, self.system.lower())
        if system == "linux" and (self.root / "etc/alpine-release").is_file():
            system = "alpine-linux"
        machine = self.machine.lower()
        return system, {"x86_64": "x64", "amd64": "x64", "arm64": "aarch64"}.get(machine, machine)

    def program(self, folder: Path, name: str) -> Path:
        return folder / "bin" / (name + (".exe" if self.system == "Windows" else ""))


class NoJdk(SystemExit):
    """Ends the program with one sentence, unless a caller can provide what is missing."""

    def __init__(self, missing: str, computer: Computer) -> None:
        self.missing = missing
        packages, temurin = needs.command(computer, WANTED), f"Eclipse Temurin {WANTED}, adoptium.net"
        one = f"{packages}, or {temurin}" if "jdk" in packages.lower() else f"for example {temurin}"
        self.install = f"install JDK {WANTED} ({one}) or set JAVA_HOME to one"
        if packages and packages not in one:
            self.install += f", and run: {packages}"
        super().__init__(f"{missing}: {self.install}.")


def find_jdk(computer: Computer) -> Jdk:
    """The JDK to use: the reader's own choice, else the course's version, else the lowest newer one."""
    found = installed(computer)
    new_enough = [jdk for jdk in found if jdk.version >= WANTED]
    if fit := [jdk for jdk in new_enough if not jdk.lacks]:
        return min(fit, key=lambda jdk: jdk.version)
    if new_enough:
        jdk = new_enough[0]
        raise NoJdk(f"Java {jdk.version} in {jdk.home} lacks {jdk.lacks}", computer)
    others = ", ".join(f"Java {jdk.version} in {jdk.home}" for jdk in found)
    raise NoJdk(f"No JDK {WANTED} or newer was found{others and ', only ' + others}", computer)


def find_others(computer: Computer, own: Jdk) -> list[Path]:
    """A home of each other version that has virtual threads, the oldest first."""
    others: dict[int, Path] = {}
    for jdk in installed(computer):
        if jdk.version >= OLDEST and jdk.version != own.version:
            others.setdefault(jdk.version, jdk.home)
    return [home for _, home in sorted(others.items())]


def installed(computer: Computer) -> list[Jdk]:
    """Every Java on this computer, the reader's own choice first."""
    found: dict[Path, Jdk] = {}
    for home in homes(computer):
        if jdk := inspect(home, computer):
            found.setdefault(home.resolve(), jdk)
    return list(found.values())


def homes(computer: Computer) -> Iterator[Path]:
    """Every folder that may hold a JDK, the reader's own choice first."""
    system, env, home, root, _ = computer
    if env.get("JAVA_HOME"):
        yield Path(env["JAVA_HOME"])
    java = shutil.which("java", path=env.get("PATH", ""))
    if java:
        yield Path(java).resolve().parent.parent
    if env.get("CONDA_PREFIX"):
        conda = Path(env["CONDA_PREFIX"])
        yield from (conda / "lib/jvm", conda / "Library/lib/jvm", conda / "Library", conda)
    for folder, patterns in ((home, IN_HOME), (root, IN_ROOT.get(system, []))):
        for pattern in patterns:
            for place in sorted(folder.glob(pattern)):
                yield place
                yield place / "Contents/Home"
    yield from sorted(home.glob("Library/Java/JavaVirtualMachines/*/Contents/Home"))
    for place in sorted(computer.cache.glob("jdk-*-{}-{}".format(*computer.kind)), reverse=True):
        if whole(place):
            # Resolved, because Windows redirects files of a Python from its store to another folder.
            yield place.resolve()
            yield place.resolve() / "Contents/Home"
    yield BUNDLED


def inspect(home: Path, computer: Computer) -> "Jdk | None":
    """What a folder holds, read from its `release` file without starting Java."""
    release = home / "release"
    if not computer.program(home, "java").is_file() or not release.is_file():
        return None
    text = release.read_text(encoding="utf-8", errors="replace")
    facts = dict(re.findall(r'^(\w+)="(.*)"$', text, re.MULTILINE))
    version = re.match(r"(?:1\.)?(\d+)", facts.get("JAVA_VERSION", ""))
    if not version:
        return None
    absent = {"java.desktop", "jdk.jshell"} - {*facts.get("MODULES", "").split()}
    parts = {
        "the compiler javac": computer.program(home, "javac").is_file(),
        f"the module {min(absent, default='')}": not absent,
        "the file lib/modules": (home / "lib/modules").is_file(),
        "the library of its JVM (libjvm)": any([*home.glob("lib/*/libjvm.*"), *home.glob("bin/*/jvm.dll")]),
    }
    gone = [part for part, there in parts.items() if not there and int(version[1]) >= WANTED]
    return Jdk(home, int(version[1]), facts.get("JAVA_RUNTIME_VERSION") or text, next(iter(gone), ""))
