"""What a reader gains by the kernel's warm-up, measured with nothing beside it. Takes a minute."""

import statistics
import time

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import start_new_kernel
from cells import run
from notebooks import bench


@pytest.fixture(scope="module")
def at_once() -> float:
    """The seconds to the first chart of a reader who does not wait for the warm-up, to compare with."""
    return statistics.median(first_chart(reading=0) for _ in range(3))


def first_chart(reading: float) -> float:
    return bench.seconds_to_first_chart(KernelSpecManager(), "java", [bench.CHART], reading)


def test_a_cell_in_the_middle_of_the_warm_up_waits_for_one_step_at_most(at_once: float) -> None:
    """The warm-up begins with the page's first request and takes about as long as that chart."""
    waits = []
    for reading in (0, 0.2, 0.3, 0.4, 0.6):
        manager, client = start_new_kernel(kernel_name="java")
        try:
            time.sleep(reading)
            start = time.monotonic()
            run(client, "int n = 1;")
            waits.append(time.monotonic() - start)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    assert max(waits) < 0.75 * at_once, (waits, at_once)


def test_a_chart_comes_sooner_after_three_seconds_of_reading(at_once: float) -> None:
    waits = [first_chart(reading=3) for _ in range(3)]
    assert statistics.median(waits) < 0.6 * at_once, (waits, at_once)
