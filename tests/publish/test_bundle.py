"""make bundle: what it packs is enough for a computer without a network, a JDK or Maven.

Takes a minute and a half; all tests are deep.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from computers import ROOT, hide_javas
from notebooks.check import CUT_OFF

SET_UP = [sys._base_executable, "tools/setup.py"]


@pytest.mark.deep
def test_from_the_bundle_alone_without_a_network(tmp_path: Path) -> None:
    if not shutil.which("unshare") or subprocess.call([*CUT_OFF, "true"], stderr=subprocess.DEVNULL):
        pytest.skip("the network cannot be cut off here (Linux with unshare and iproute2, as root or not)")
    packed = subprocess.run([*SET_UP, "bundle", "--jdk"], cwd=ROOT, capture_output=True, text=True)
    assert packed.returncode == 0, packed.stderr
    archive = Path(re.search(r"^(\S.*\.tar\.gz) \(\d+ MB\) is for ", packed.stdout, re.MULTILINE)[1])
    (tmp_path / "é ü").mkdir()
    subprocess.run(["tar", "--extract", f"--file={archive}", f"--directory={tmp_path / 'é ü'}"], check=True)
    archive.unlink()
    course = tmp_path / "é ü/virtual-threads"
    assert not (course / ".git").exists()
    hide_javas(course)
    execute = ["jupyter", "nbconvert", "--to", "notebook", "--execute", "--stdout"]
    home = tmp_path / "home"
    home.mkdir()
    where = {"cwd": course, "timeout": 300}
    where["env"] = {"PATH": os.defpath, "HOME": str(home), "LC_ALL": "C.UTF-8", "THREADLAB_SCALE": "small"}
    command = [*CUT_OFF, *SET_UP, "--", *execute, "notebooks/00-start-here.ipynb"]
    ended = subprocess.run(command, **where, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    ran = nbformat.reads(ended.stdout[ended.stdout.index("\n{") :], 4)
    assert any("image/png" in out.get("data", {}) for cell in ran.cells for out in cell.get("outputs", []))
    assert "Building" not in ended.stdout and "Fetching" not in ended.stdout
    # nothing was fetched, nothing was left in the home folder
    assert not (home / ".cache/threadlab").exists()
