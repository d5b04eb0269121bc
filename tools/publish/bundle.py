"""Packs the course for computers without a network: make bundle, or make bundle JDK=yes

The archive holds this clone's files and a folder `bundle` with the Python packages, threadlab's jars and, if
asked, the JDK. Unpacked on a computer of the same kind (system, processor, version of Python), the usual
command sets the course up from it. Runs inside the environment: python3 tools/setup.py bundle [--jdk]
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

from bootstrap.environment import choose_environment, pip_install
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.steps import say
from bootstrap.threadlab_build import sources

NAME = "virtual-threads"


def main(with_jdk: bool) -> None:
    if not (ROOT / ".git").exists():
        sys.exit(f"{ROOT} is not a git clone, so the files of the course cannot be listed: clone the course.")
    kind = "-".join(Computer().kind)
    archive = BUILD / f"{NAME}-{kind}-python{sys.version_info[0]}.{sys.version_info[1]}.tar.gz"
    fresh = archive.with_name(archive.name + ".new")
    environment = choose_environment()
    wheels = BUILD / "wheels"
    say("Fetching the Python packages …")
    pip_install(environment, ROOT / "requirements.txt", "download", f"--dest={wheels}")
    say(f"Packing {archive} …")
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT).decode().split("\0")
    with tarfile.open(fresh, "w:gz", compresslevel=6) as packed:

        def add(source: Path, place: str) -> None:
            packed.add(source, f"{NAME}/{place}")

        for name in listed:
            if name and os.path.lexists(ROOT / name):
                add(ROOT / name, name)
        for wheel in sorted(wheels.iterdir()):
            add(wheel, f"bundle/wheels/{wheel.name}")
        for folder in ("lib", "servers"):
            add(environment.own / folder, f"bundle/{folder}")
        (BUILD / "sources").write_text(sources())
        add(BUILD / "sources", "bundle/sources")
        if with_jdk:
            packed.dereference = True  # Debian's has links to other folders
            add(find_jdk(Computer()).home, "bundle/jdk")
    fresh.replace(archive)
    needs = "Python" if with_jdk else "Python and a JDK"
    say(
        f"{archive} ({archive.stat().st_size / 1e6:.0f} MB) is for {kind}, Python {sys.version_info[0]}."
        f"{sys.version_info[1]}: once it is unpacked there, make lab needs {needs}, but no network."
    )


if __name__ == "__main__":
    main("--jdk" in sys.argv[1:])
