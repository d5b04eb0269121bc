"""Writes the hashes and the lower part of the requirements files: what the direct packages need in turn.

The comments and the versions in each file's upper part are kept by hand. The pins hold for every
platform and for each Python from 3.11 on, so they carry environment markers; the hashes make pip
refuse a file that is not the one that was pinned. Needs uv: run `pip install uv` first. An old pin
stays as long as it fits; delete the lower part to bring all of them up to date.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    ROOT / name
    for name in (
        "requirements.txt",
        "requirements/hub.txt",
        "requirements/hub-5.txt",
        "requirements/maven.txt",
        "requirements/tests.txt",
        "requirements/site.txt",
        "requirements/homework.txt",
    )
]
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
    """Pins one file; leaves out what `known` has already. Gives the names that it holds now."""
    lines = without_hashes(file.read_text(encoding="utf-8"))
    direct = lines[: lines.index(MARKER)] if MARKER in lines else lines
    uv = [sys.executable, "-m", "uv", "pip", "compile", "--universal", "--python-version=3.11"]
    compiled = subprocess.run(
        [*uv, "--no-header", "--no-annotate", "--generate-hashes", "--quiet", "-"],
        input="\n".join(lines),
        stdout=subprocess.PIPE,
        cwd=file.parent,
        text=True,
        check=True,
    ).stdout
    # one text for each pin: the requirement and, on lines of their own, its hashes
    pins = re.findall(r"^\S.*(?:\n +--hash=.*)*", compiled, re.MULTILINE)
    here = {name_of(line) for line in direct} - {""}
    hashed = {name_of(text): text for text in pins if name_of(text) in here}
    upper = [hashed.get(name_of(line), line) for line in direct]
    lower = [text for text in pins if name_of(text) not in known | here]
    file.write_text("\n".join([*upper, MARKER, *lower]) + "\n", encoding="utf-8")
    return known | here | {name_of(text) for text in lower}


if __name__ == "__main__":
    readers = pin(FILES[0], set())
    for further in FILES[1:]:
        pin(further, readers)
