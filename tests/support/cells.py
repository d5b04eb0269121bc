"""Cells of a running kernel, for tests, and the CPU on which it runs."""

import os

from jupyter_client.blocking import BlockingKernelClient


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
