"""After the set-up nothing needs a network: notebooks run in a network namespace that has only loopback."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest

if sys.platform != "linux":
    pytest.skip("only Linux has network namespaces", allow_module_level=True)

ROOT = Path(__file__).parent.parent
NOTEBOOKS = [path for number in ("00", "04", "08", "09") for path in ROOT.glob(f"notebooks/{number}-*.ipynb")]

# unshare makes the namespace, with the right to do so that root has or that a user namespace gives
CUT = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--net", "--", "sh", "-c"]
WITH_LOOPBACK = 'ip link set lo up && exec "$@"'


def cut_off(*command: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CUT, WITH_LOOPBACK, "sh", *command], capture_output=True, text=True, **options)


@pytest.fixture(scope="module", autouse=True)
def can_cut_off() -> None:
    if not shutil.which("unshare") or not shutil.which("ip") or cut_off("true").returncode:
        pytest.skip("no network namespace can be made here (Linux with unshare and iproute2 can)")


def test_cut_off_means_loopback_only() -> None:
    told = cut_off("sh", "-c", "cat /proc/net/dev; cat /proc/net/route").stdout.splitlines()
    interfaces = [line.partition(":")[0].strip() for line in told if ":" in line]
    assert interfaces == ["lo"]
    assert told[-1].startswith("Iface"), "no route leads anywhere"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Path, Future]]:
    """The notebooks, two at a time: no timing is judged here."""
    folder = tmp_path_factory.mktemp("offline")
    environment = os.environ | {"THREADLAB_SCALE": "small", "JUPYTER_PREFER_ENV_PATH": "1"}
    execute = ["-m", "nbconvert", "--to", "notebook", "--execute", f"--output-dir={folder}"]

    def run(path: Path) -> nbformat.NotebookNode:
        ran = cut_off(sys.executable, *execute, str(path), env=environment, timeout=240)
        assert ran.returncode == 0, ran.stderr
        return nbformat.read(folder / path.name, as_version=4)

    with ThreadPoolExecutor(2) as pool:
        yield {path: pool.submit(run, path) for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_a_network(path: Path, executed: dict[Path, Future]) -> None:
    outputs = [output for cell in executed[path].result().cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_the_set_up_needs_no_network_once_it_was_done() -> None:
    again = cut_off(sys.executable, str(ROOT / "tools/setup.py"), "--", "echo", "ready", timeout=120)
    assert again.returncode == 0, again
    assert again.stdout.endswith("ready\n")
