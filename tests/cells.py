"""Cells of a running kernel, for tests."""

from jupyter_client.blocking import BlockingKernelClient


def run(client: BlockingKernelClient, source: str) -> tuple[dict, list[dict]]:
    """The reply to a cell and the messages that it published."""
    published: list[dict] = []
    reply = client.execute_interactive(source, timeout=90, output_hook=published.append)
    return reply["content"], [message["content"] | {"type": message["msg_type"]} for message in published]


def value(client: BlockingKernelClient, expression: str) -> str:
    reply, published = run(client, expression)
    assert reply["status"] == "ok", reply
    return next(m["data"]["text/plain"] for m in published if m["type"] == "execute_result")
