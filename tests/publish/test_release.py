"""What a release also needs: each library's licence, workflows without faults. Takes a minute."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from bootstrap.places import ROOT
from publish import licences, pins

ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


def test_the_list_of_licences_names_every_library_that_is_installed() -> None:
    licences.main()
    page = licences.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+) \|$", page, re.MULTILINE)
    assert not [row for row in rows if re.search("unknown|none", row[2], re.IGNORECASE)]
    listed = {f"{name}-{number}" for name, number, _ in rows}
    installed = {jar.stem for jar in Path(sys.prefix, "share/threadlab").rglob("*.jar")}
    assert installed - listed == {"threadlab", "threadlab-servers", "whatwaits"}
    for line in pins.without_hashes((ROOT / "requirements.txt").read_text(encoding="utf-8")):
        if name := pins.name_of(line):
            marker = Requirement(line).marker
            assert (marker and not marker.evaluate()) or f"{name}-{version(name)}" in listed


def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    if not (go := shutil.which("go")):
        pytest.skip("no Go, which builds actionlint")
    env = os.environ | {"GOBIN": str(tmp_path)}
    subprocess.run([go, "install", ACTIONLINT], env=env, check=True)
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    ended = subprocess.run([tmp_path / "actionlint", *workflows], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stdout + ended.stderr
