"""`make test` cuts off the network where the system allows it, so that no test and no notebook needs one."""

import os
from pathlib import Path

import pytest


def test_cut_off_means_loopback_only() -> None:
    if not os.environ.get("THREADLAB_CUT_OFF"):
        pytest.skip(
            "the network was not cut off: make test does it where a network namespace can be made"
            " (Linux with unshare and iproute2, as root or with user namespaces)"
        )
    names = [line.partition(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
    assert names == ["lo"]
    assert Path("/proc/net/route").read_text().count("\n") <= 1, "no route leads anywhere"
