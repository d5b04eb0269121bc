"""The bundle without a network, the course from Python alone, licences, workflows. Takes seven minutes."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
import short
from bootstrap import fetch, jdk
from computers import ROOT, Copy, hide_javas
from notebooks.check import CUT_OFF, can_cut_off
from publish import bundle, licences, pins
from publisher import NAME, Publisher, pack, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cuts off the network, hides other programs")
PYTHON = getattr(sys, "_base_executable", sys.executable)  # no environment's
SET_UP = [PYTHON, "tools/setup.py"]


def test_from_the_bundle_alone_without_a_network(tmp_path: Path) -> None:
    if not can_cut_off():
        pytest.skip("the network cannot be cut off here (Linux with unshare and iproute2, as root or not)")
    packed = subprocess.run([*SET_UP, "bundle", "--jdk"], cwd=ROOT, capture_output=True, text=True)
    assert packed.returncode == 0, packed.stderr
    archive = Path(re.search(r"^(\S.*\.tar\.gz) \(\d+ MB\) is for ", packed.stdout, re.MULTILINE)[1])
    (tmp_path / "é ü").mkdir()
    subprocess.run(["tar", "--extract", f"--file={archive}", f"--directory={tmp_path / 'é ü'}"], check=True)
    archive.unlink()
    course, home = tmp_path / "é ü/virtual-threads", tmp_path / "home"
    home.mkdir()
    assert not (course / ".git").exists()
    hide_javas(course)
    env = {"PATH": os.defpath, "HOME": str(home), "LC_ALL": "C.UTF-8"}
    command = [*CUT_OFF, *SET_UP, "--", "sh", "-c", short.EXECUTE]
    ended = subprocess.run(command, cwd=course, env=env, input=short.TEXT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert short.heap(ended.stdout)
    assert "Building" not in ended.stdout and "Fetching" not in ended.stdout
    assert not (home / ".cache/threadlab").exists()


def test_for_windows_the_bundle_is_a_zip_with_a_python_that_nobody_needs_to_install(tmp_path: Path) -> None:
    """Windows itself is not here: the files of a Python as python.org lays them out, and what starts it."""
    base = tmp_path / "Programs/Python311"
    kept = {"python.exe", "python311.dll", "DLLs/_ssl.pyd", "Lib/os.py", "Lib/ensurepip/_bundled/pip.whl"}
    others = {"Lib/site-packages/mine.py", "Lib/test/test_os.py", "Lib/__pycache__/os.pyc", "Scripts/pip.exe"}
    for name in kept | others:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(name)
    archive = tmp_path / "virtual-threads-windows.zip.new"
    bundle.pack(archive, [*bundle.portable(base), (bundle.START, "Start.cmd"), (ROOT / "data", "data")])
    with zipfile.ZipFile(archive) as packed:
        there = {name.removeprefix("virtual-threads/") for name in packed.namelist()}
        start = packed.read("virtual-threads/Start.cmd").decode()
    python = {name.removeprefix("bundle/python/") for name in there if name.startswith("bundle/python/")}
    assert python == kept
    assert "data/README.md" in there and start.isascii()
    [program] = re.findall(r"^(\S+\.exe) (\S+) lab", start, re.MULTILINE)
    assert {name.replace("\\", "/") for name in program} <= there | {"tools/setup.py"}
    for other in (tmp_path / "WindowsApps/Python", tmp_path / "usr"):
        other.mkdir(parents=True)
        (other / "python.exe").write_text("") if "WindowsApps" in other.parts else None
        with pytest.raises(SystemExit, match="installed for you alone"):
            next(bundle.portable(other))


def test_from_python_alone_to_a_kernel(tmp_path: Path) -> None:
    """With this machine's JDK as the publisher's, and Maven from its real repository."""
    python = tmp_path / "bin/python3"
    python.parent.mkdir()
    python.symlink_to(PYTHON)
    copy = Copy(tmp_path / "a course é ü")
    shutil.copytree(ROOT / "data", copy.root / "data", dirs_exist_ok=True)
    # pip and Maven may need variables set here, such as a mirror; a Java named here would be found
    env = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "JDK_HOME")}
    # under this locale Java could not open the folder, whose name is not ASCII
    env |= {"THREADLAB_FETCH": "yes", "HOME": str(Path.home()), "PATH": str(python.parent), "LC_ALL": "POSIX"}
    with serving(Publisher(pack(jdk.find_jdk(jdk.Computer()).home))) as server:
        env |= {"THREADLAB_JDK_FROM": server.address, "THREADLAB_CACHE": str(tmp_path / "cache")}
        command = copy.command("--", "python", "-c", "print('ready')", **env)
        command["args"][0] = "python3"
        ended = subprocess.run(**command, executable=python, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    assert ended.stdout.endswith("ready\n")
    assert len(server.asked) == 2
    home = tmp_path / "cache" / "-".join([NAME, *jdk.Computer().kind])
    kernel = json.loads((copy.root / ".venv/share/jupyter/kernels/java/kernel.json").read_text())
    assert kernel["argv"][0] == str(home / "bin/java")
    assert (copy.root / ".venv/share/threadlab/kernel.aot").is_file()
    left = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert left == [fetch.MAVEN, home.name, "lock"]


ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


def test_the_list_of_licences_names_every_library_that_is_installed() -> None:
    licences.main()
    page = licences.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+) \|$", page, re.MULTILINE)
    assert not [row for row in rows if re.search("unknown|none", row[2], re.IGNORECASE)]
    listed = {f"{name}-{number}" for name, number, _ in rows}
    installed = {jar.stem for jar in Path(sys.prefix, "share/threadlab").rglob("*.jar")}
    assert not [jar for jar in installed - listed if not jar.startswith(("threadlab", "whatwaits"))]
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
