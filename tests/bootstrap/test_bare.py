"""Bare systems: Debian 13, and 12 with a JDK of another publisher. As root, ten minutes or more for each.

The one message of the set-up must name all that is missing: what it says is done, then the set-up and
make test have to succeed. Mounts and processes of a system end with the namespaces that it runs in.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import ROOT
from clones import notebook
from publish import image

NEEDED = ("debootstrap", "unshare", "chroot")
ENTER = """
cd "$0" && mount -t proc proc proc && mount -t tmpfs tmpfs dev/shm || exit 1
[ ! -d opt/jdk ] || mount --bind -o ro "$1" opt/jdk || exit 1
exec chroot . sh -c "cd /root && $2" 2>&1
"""
# As on this machine: how to reach the network, and nothing else.
PASSED = [name for name in os.environ if name.lower().endswith("_proxy")]
SETTINGS = ("etc/pip.conf", "root/.config/pip/pip.conf", "root/.m2/settings.xml")


class System:
    """A system in a folder, with a clone of this course's last commit, and with a JDK if it is given one."""

    def __init__(self, root: Path, suite: str, jdk: "Path | None") -> None:
        self.root, self.jdk, self.fetch = root, jdk, ""
        image.debian(suite, root)
        subprocess.run(["git", "clone", "--quiet", ROOT, root / "root/course"], check=True)
        for file in filter(os.path.isfile, (f"/{name}" for name in SETTINGS)):
            (root / file[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, root / file[1:])
        (root / "opt/jdk").mkdir()
        # this machine's JDK may need newer libraries; then the set-up fetches one
        if not jdk or "Runtime" not in self.run("/opt/jdk/bin/java -version || true"):
            (root / "opt/jdk").rmdir()

    def run(self, command: str, fails: bool = False) -> str:
        """What a command prints in a terminal of this system."""
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "THREADLAB_FETCH": self.fetch}
        env |= {name: os.environ[name] for name in PASSED} | {"DEBIAN_FRONTEND": "noninteractive"}
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER]
        where = [str(self.root), str(self.jdk or ""), command]
        ended = subprocess.run([*alone, *where], env=env, stdout=subprocess.PIPE, text=True)
        assert (ended.returncode != 0) == fails, f"{command}:\n{ended.stdout[-5000:]}"
        return ended.stdout

    def install(self, packages: str) -> None:
        self.run(f"apt-get install -qq --no-install-recommends {packages}")


@pytest.fixture(scope="module", params=["trixie", "bookworm"])
def system(request: pytest.FixtureRequest) -> Iterator[System]:
    if os.name == "nt" or os.geteuid() != 0 or not all(map(shutil.which, NEEDED)):
        pytest.skip("bare systems are made by root with debootstrap (Debian: apt install debootstrap)")
    jdk = find_jdk(Computer()).home if request.param == "bookworm" else None
    with TemporaryDirectory() as folder:
        yield System(Path(folder, "system"), request.param, jdk)


def test_the_set_up_says_once_what_is_missing_and_then_the_tests_pass(system: System) -> None:
    system.run("apt-get update -qq")
    system.install("ca-certificates git make python3")  # with which the README's commands begin
    said = system.run("cd course && python3 tools/setup.py", fails=True)
    print(said)
    assert said.count("\n") == 1
    system.install(re.search(r"apt install ([\w. -]+)", said)[1].rstrip("."))
    system.fetch = "yes"
    print(system.run("cd course && python3 tools/setup.py"))
    megabytes = int(system.run("du -sm course/.venv").split()[0])
    assert megabytes <= 580, "what a reader needs; the tests' packages come later"
    print(f"{megabytes} MB", system.run("cd course && make test"))


GUESS = 'var here = Guess.count("CPUs here", "CPUs").between(1, 1_000)'


def test_an_installation_of_the_last_version_becomes_this_one_and_knows_its_guesses(system: System) -> None:
    own, run = (
        system.root / "root/old/notebooks/mine.ipynb",
        "python3 tools/setup.py run notebooks/mine.ipynb",
    )
    system.run("git clone --quiet course old && cd old && git reset --quiet --hard HEAD~1")
    own.write_text(notebook(guess=f"{GUESS}.is(7); here"))
    assert "The course is updated" in system.run(f"cd old && {run} && make update")
    own.write_text(notebook(guess=f"{GUESS}; here", known="here.marks()"))
    system.run(f"cd old && {run} && git diff --quiet HEAD origin/main")
    assert "value=7.0" in (system.root / "root/old/build/mine.ipynb").read_text(encoding="utf-8")
