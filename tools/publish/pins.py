"""Writes the hashes and the lower part of the requirements files (the indirect dependencies), and the
checksums of what Maven resolves; those alone: python3 tools/publish/pins.py maven

The set-up refuses what has no listed checksum, so `maven` does not run it: Python 3.11 is enough, with the
JDK, Maven and kernel that the set-up found or made before. The rest needs uv: pip install uv.

Each file's upper part is kept by hand. The pins hold for every platform and each Python from 3.11 on. An old
pin stays as long as it fits; delete the lower part to update all of them.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bootstrap.environment import java_env
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import LIBRARIES, PACKAGE, SUMS, libraries, maven
from publish import browser

ONE = ROOT / "requirements/slides.txt"  # a package that needs no other, kept by hand
FILES = [ROOT / "requirements.txt", *sorted({*ROOT.glob("requirements/*.txt")} - {ONE})]
MARKER = "# ---- what those need in turn; written by: python tools/publish/pins.py ----"


def name_of(line: str) -> str:
    """The package that a requirement line names, '' for a comment or an option."""
    found = re.match(r"[A-Za-z0-9][\w.-]*", line)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def without_hashes(text: str) -> list[str]:
    """The lines of a requirements file, each requirement on one line and without its hashes."""
    lines = (line.removesuffix("\\").rstrip() for line in text.splitlines())
    return [line for line in lines if not line.lstrip().startswith("--hash=")]


def pin(file: Path, known: set[str]) -> set[str]:
    """Pins one file without the names in `known`; returns the names that it now holds."""
    lines = without_hashes(file.read_text(encoding="utf-8"))
    direct = lines[: lines.index(MARKER)] if MARKER in lines else lines
    uv = [sys.executable, "-m", "uv", "pip", "compile", "--universal", "--python-version=3.11"]
    uv += ["--no-header", "--no-annotate", "--generate-hashes", "--quiet", "-"]
    compiled = subprocess.check_output(uv, input="\n".join(lines), cwd=file.parent, text=True)
    # one text for each pin: the requirement and, on separate lines, its hashes
    pins = re.findall(r"^\S.*(?:\n +--hash=.*)*", compiled, re.MULTILINE)
    here = {name_of(line) for line in direct} - {""}
    hashed = {name_of(text): text for text in pins if name_of(text) in here}
    upper = [hashed.get(name_of(line), line) for line in direct]
    lower = [text for text in pins if name_of(text) not in known | here]
    file.write_text("\n".join([*upper, MARKER, *lower]) + "\n", encoding="utf-8")
    return known | here | {name_of(text) for text in lower}


def pin_maven() -> None:
    """Lets Maven record what it resolves into an empty repository.

    This is for readers, with PostgreSQL for each system, the site's compiler to JavaScript, and tests.
    """
    environment = os.environ | java_env(find_jdk(Computer()))
    systems = re.findall(r"<postgres.system>(.+)<", (ROOT / "threadlab/pom.xml").read_text(encoding="utf-8"))
    reader = [[*maven(), *PACKAGE, f"-Dpostgres.system={system}"] for system in systems]
    builds = [*reader, [*maven(browser.POM), *browser.GOALS], [*maven(), "-Pmutants", "test-compile"]]
    builds += [libraries(name, BUILD / "libraries") for name in LIBRARIES]
    with tempfile.TemporaryDirectory() as folder:
        sums = Path(folder) / SUMS.name
        checks = "-Daether.artifactResolver.postProcessor.trustedChecksums"
        options = [
            f"-Dmaven.repo.local={folder}/m2",
            f"-Daether.trustedChecksumsSource.summaryFile.basedir={folder}",
        ]
        options += [f"{checks}.record=true", f"{checks}.failIfMissing=false", "--quiet"]
        for command in builds:
            subprocess.run([*command, *options], cwd=ROOT, env=environment, check=True)
        lines = sums.read_text(encoding="utf-8").splitlines(keepends=True)
    SUMS.write_text("".join(sorted(lines, key=lambda line: line.split()[1])), encoding="utf-8")


if __name__ == "__main__":
    pin_maven()
    if sys.argv[1:] == ["maven"]:
        sys.exit()
    readers = pin(FILES[0], set())
    for further in FILES[1:]:
        pin(further, readers)
