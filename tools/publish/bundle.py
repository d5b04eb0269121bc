"""Packs the course for computers without a network: make bundle, or make bundle JDK=yes

The archive holds this clone's files and a folder `bundle` with the Python packages, threadlab's jars and, if
asked, the JDK. Unpacked on a computer of the same kind (system, processor, version of Python), the usual
command sets the course up from it. On Windows the archive is a zip, and with the JDK it holds this Python,
too, and Start.cmd, which needs nothing installed. Runs inside the environment:
python3 tools/setup.py bundle [--jdk]
"""

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from bootstrap.environment import choose_environment, pip_install
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.steps import say
from bootstrap.threadlab_build import fetch_libraries, sources

NAME = "virtual-threads"
START = Path(__file__).with_name("Start.cmd")
# of a Python's folder: what others have installed into it, and what only its own tests and windows need
LEFT_OUT = {"site-packages", "__pycache__", "Scripts", "Doc", "test", "tcl"}


def portable(base: Path) -> Iterator[tuple[Path, str]]:
    """The files of a Python that runs from any folder, and their places in it.

    That of python.org is one; the Store's is not: its folder cannot be read, and its programs are aliases.
    """
    if not (base / "python.exe").is_file() or "WindowsApps" in base.parts:
        sys.exit(
            f"The Python in {base} runs only where it is installed: make the bundle with one from python.org,"
            " installed for you alone, which needs no administrator."
        )
    for path in sorted(base.rglob("*")):
        within = path.relative_to(base)
        if path.is_file() and not LEFT_OUT & {*within.parts}:
            yield path, f"bundle/python/{within.as_posix()}"


def contents(listed: list[str], with_jdk: bool) -> Iterator[tuple[Path, str]]:
    """What the archive holds: files and folders, and their places in it."""
    environment = choose_environment()
    wheels = BUILD / "wheels"
    say("Fetching the Python packages …")
    pip_install(environment, ROOT / "requirements.txt", "download", f"--dest={wheels}")
    for name in listed:
        if name and os.path.lexists(ROOT / name):
            yield ROOT / name, name
    for wheel in sorted(wheels.iterdir()):
        yield wheel, f"bundle/wheels/{wheel.name}"
    fetch_libraries(environment.own, find_jdk(Computer()))
    for folder in ("lib", "servers", "libraries"):
        yield environment.own / folder, f"bundle/{folder}"
    (BUILD / "sources").write_text(sources())
    yield BUILD / "sources", "bundle/sources"
    if with_jdk:
        yield find_jdk(Computer()).home, "bundle/jdk"


def pack(archive: Path, found: Iterable[tuple[Path, str]]) -> None:
    """Writes a zip, which Windows opens by itself, or a tar, which keeps links and rights."""
    if archive.name.endswith(".zip.new"):
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for source, place in found:
                for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
                    if file.is_file():
                        inside = file.relative_to(source).as_posix() if file != source else ""
                        packed.write(file, f"{NAME}/{place}{'/' * bool(inside)}{inside}")
        return
    with tarfile.open(archive, "w:gz", compresslevel=6) as packed:
        for source, place in found:
            packed.dereference = place == "bundle/jdk"  # Debian's has links to other folders
            packed.add(source, f"{NAME}/{place}")


def main(with_jdk: bool) -> None:
    if not (ROOT / ".git").exists():
        sys.exit(f"{ROOT} is not a git clone, so the files of the course cannot be listed: clone the course.")
    kind, windows = "-".join(Computer().kind), os.name == "nt"
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    archive = BUILD / f"{NAME}-{kind}-python{python}.{'zip' if windows else 'tar.gz'}"
    fresh = archive.with_name(archive.name + ".new")
    own = [(START, START.name), *portable(Path(sys.base_prefix))] if windows and with_jdk else []
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT).decode().split("\0")
    say(f"Packing {archive} …")
    pack(fresh, chain(own, contents(listed, with_jdk)))
    fresh.replace(archive)
    size = f"{archive} ({archive.stat().st_size / 1e6:.0f} MB) is for {kind}"
    if windows and with_jdk:
        say(f"{size}: once it is unpacked there, {START.name} needs nothing else, and no network.")
    else:
        needs = "Python" if with_jdk else "Python and a JDK"
        say(f"{size}, Python {python}: once it is unpacked there, make lab needs {needs}, but no network.")


if __name__ == "__main__":
    main("--jdk" in sys.argv[1:])
