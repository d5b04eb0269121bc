"""Writes the lower part of both requirements files: what the direct packages need in turn.

Each file's upper part is kept by hand. The pins hold for every platform and for each Python from
3.11 on, so they carry environment markers. Needs uv: run `pip install uv` first. An old pin stays
as long as it fits; delete the lower part to bring all of them up to date.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARKER = "# ---- what those need in turn; written by: python tools/pins.py ----\n"


def name_of(line: str) -> str:
    """The package that a requirement line names, '' for a comment or an option."""
    found = re.match(r"[A-Za-z0-9][\w.-]*", line)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def pin(file: Path, known: set[str]) -> set[str]:
    """Pins one file; leaves out what `known` has already. Gives the names that it holds now."""
    direct = file.read_text(encoding="utf-8").partition(MARKER)[0]
    uv = [sys.executable, "-m", "uv", "pip", "compile", "--universal", "--python-version=3.11"]
    compiled = subprocess.check_output(
        [*uv, "--no-header", "--no-annotate", "--quiet", file.name], cwd=file.parent, text=True
    ).splitlines(keepends=True)
    known = known | {name_of(line) for line in direct.splitlines()}
    further = [line for line in compiled if name_of(line) not in known | {""}]
    file.write_text(direct + MARKER + "".join(further), encoding="utf-8")
    return known | {name_of(line) for line in further}


if __name__ == "__main__":
    readers = pin(ROOT / "requirements.txt", set())
    pin(ROOT / "tests/requirements.txt", readers)
