"""Computers and copies of the course that tests make up: folders like JDKs, programs that only pretend."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from bootstrap import jdk
from bootstrap.places import ROOT
from notebooks.runs import until

MODULES = "java.base java.desktop jdk.compiler jdk.jshell"


def make_jdk(home: Path, version: str, modules: str = MODULES, compiler: bool = True, exe: str = "") -> Path:
    """A folder that looks like a JDK."""
    parts = [*(["bin/javac" + exe] if compiler else []), "lib/modules", "lib/security/cacerts", libjvm(exe)]
    for file in ("bin/java" + exe, *parts):
        script(home / file, "")
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return home


def libjvm(exe: str = "") -> str:
    return "bin/server/jvm.dll" if exe else "lib/server/libjvm.so"


def computer(root: Path, system: str = "Linux", **env: str) -> jdk.Computer:
    return jdk.Computer(system, env, root / "home/reader", root, "x86_64")


def script(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)
    return file


def wait_until_open(port: int) -> None:
    """Jupyter prints its address a moment before it listens there."""

    def opened() -> bool:
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", port)) == 0

    until(f"something listens at port {port}", opened, 30)


def hide_javas(course: Path) -> None:
    """Hides this computer's Javas from a copy of the course, except for those that a test makes."""
    with (course / "tools/bootstrap/jdk.py").open("a") as file:
        file.write("\nIN_HOME.clear()\nIN_ROOT.clear()\n")


class Copy:
    """A copy of the course, in which a test runs the set-up on a computer that lacks something."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # under which the set-up finds a JDK and a Maven, if a test makes them
        self.tools = {"JAVA_HOME": str(root / "jdk-25"), "MAVEN_HOME": str(root / "maven")}
        rooms = ("threadlab/src/main", "whatwaits/src/main")
        for part in (*rooms, "tools", ".mvn", "data/defects", "requirements"):
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("requirements.txt", "pom.xml", "threadlab/pom.xml", "whatwaits/pom.xml"):
            shutil.copy(ROOT / part, root / part)
        (root / "home").mkdir()
        hide_javas(root)

    def command(self, *arguments: str, **env: str) -> dict:
        """The arguments with which subprocess starts its set-up."""
        own = {"PATH": "", "HOME": str(self.root / "home"), "LC_ALL": "C.UTF-8"}
        args = [sys.executable, str(self.root / "tools/setup.py"), *arguments]
        return {"args": args, "env": own | env, "text": True}

    def set_up(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(**self.command(*arguments, **env), capture_output=True)

    def refuses(self, *arguments: str, **env: str) -> str:
        """The one sentence with which the set-up ends."""
        ended = self.set_up(*arguments, **env)
        assert ended.returncode not in (0, 2), ended
        assert ended.stderr.endswith(".\n") and ended.stderr.count("\n") == 1, ended.stderr
        return ended.stderr


def laid_out(course: Path, home: Path) -> dict:
    """The arguments with which subprocess runs the image's start in a home, with the course in a folder."""
    before, _, after = (ROOT / "tools/publish/start-image").read_text("utf-8").partition("/opt/course\n")
    start = script(course.with_name("start-image"), f"{before}{course}\n{after}")
    return {"args": ["bash", str(start), "pwd"], "env": {"HOME": str(home), "PATH": os.environ["PATH"]}}


def files(folder: Path) -> dict[str, bytes]:
    """The files that a learner sees in a folder."""
    found = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {name.as_posix(): path.read_bytes() for name, path in found.items() if name.parts[0][0] != "."}
