"""Cells of a running kernel, for tests, and the CPU on which it runs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from notebooks.runs import Specs, own_ports


class Kernel(NamedTuple):
    manager: KernelManager
    client: BlockingKernelClient


@contextmanager
def started(folder: Path, **env: str) -> Iterator[Kernel]:
    """A kernel that keeps its temporary files in a folder."""
    manager = KernelManager(kernel_name="java", kernel_spec_manager=Specs(folder), **own_ports())
    manager.start_kernel(env=os.environ | env)
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=150)  # several start in parallel, on a machine that may be busy
    yield Kernel(manager, client)
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run(client: BlockingKernelClient, source: str) -> tuple[dict, list[dict]]:
    """The reply to a cell and the messages that it published."""
    published: list[dict] = []
    reply = client.execute_interactive(source, timeout=120, output_hook=published.append)
    return reply["content"], [message["content"] | {"type": message["msg_type"]} for message in published]


def value(client: BlockingKernelClient, expression: str) -> str:
    reply, published = run(client, expression)
    assert reply["status"] == "ok", reply
    return next(m["data"]["text/plain"] for m in published if m["type"] == "execute_result")


def cpu() -> int:
    """The CPU for this worker's kernels; other workers get other CPUs if there are several."""
    cpus = sorted(getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0))
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    return cpus[int(worker.removeprefix("gw")) % len(cpus)]
