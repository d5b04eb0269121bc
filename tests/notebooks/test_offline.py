"""`make test` cuts the network off where the system lets it, so that no test and no notebook needs one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SET_UP = Path(__file__).parents[2] / "tools/setup.py"


@pytest.fixture(autouse=True)
def cut_off() -> None:
    if not os.environ.get("THREADLAB_CUT_OFF"):
        pytest.skip(
            "the network was not cut off: make test does it where a network namespace can be made"
            " (Linux with unshare and iproute2, as root or with user namespaces)"
        )


def test_cut_off_means_loopback_only() -> None:
    names = [line.partition(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
    assert names == ["lo"]
    assert Path("/proc/net/route").read_text().count("\n") <= 1, "no route leads anywhere"


def test_the_set_up_needs_no_network_once_it_was_done() -> None:
    again = subprocess.run(
        [sys.executable, SET_UP, "--", "echo", "ready"], capture_output=True, text=True, timeout=120
    )
    assert again.returncode == 0, again
    assert again.stdout.endswith("ready\n")
