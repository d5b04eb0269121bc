"""The load generator against wrk, a generator in C, on the same endpoint of the same server.

Costs twenty seconds, with nothing beside it; that an interrupt ends a load is seen beside others.
"""

import re
import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

CLIENTS = 100
ROUNDS = 3
DELAY = 25  # ms of an answer: four thousand a second, where a generator begins to be felt
SECONDS = 2

# Unless it is told before its start, the JDK's server keeps 200 idle connections and lets small packets wait.
SERVER = """
System.setProperty("sun.net.httpserver.maxIdleConnections", "20000");
System.setProperty("sun.net.httpserver.nodelay", "true");
var server = com.sun.net.httpserver.HttpServer.create(
        new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0), 4_096);
server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
server.createContext("/", exchange -> {
    try { Thread.sleep(DELAY); } catch (InterruptedException e) { return; }
    var answer = "[1, 2, 3]".getBytes();
    exchange.sendResponseHeaders(200, answer.length);
    try (var body = exchange.getResponseBody()) { body.write(answer); }
});
server.start();
"""


@pytest.fixture
def client() -> Iterator[BlockingKernelClient]:
    manager, client = start_new_kernel(kernel_name="java", startup_timeout=60)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run(client: BlockingKernelClient, source: str) -> str:
    """The text of a cell: what it printed, and its value."""
    texts: list[str] = []

    def take(message: dict) -> None:
        content = message["content"]
        if message["msg_type"] == "stream":
            texts.append(content["text"])
        elif message["msg_type"] == "execute_result":
            texts.append(content["data"]["text/plain"])

    reply = client.execute_interactive(source, timeout=150, output_hook=take)["content"]
    assert reply["status"] == "ok", reply
    return "".join(texts)


def wrk(url: str, seconds: int) -> tuple[float, float]:
    """Requests per second and the median latency in ms."""
    command = ["wrk", "-t2", f"-c{CLIENTS}", f"-d{seconds}s", "--timeout", "10s", "--latency", url]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in said and "Socket errors" not in said, said
    value, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", said).groups()
    factor = {"us": 0.001, "ms": 1, "s": 1_000}[unit]
    return float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1]), float(value) * factor


@pytest.mark.alone
@pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed (Debian: apt install wrk)")
def test_throughput_and_latency_agree_with_wrk_within_a_tenth(client: BlockingKernelClient) -> None:
    run(client, SERVER.replace("DELAY", str(DELAY)))
    url = "http://127.0.0.1:" + run(client, "server.getAddress().getPort()") + "/"
    load = f'Load.on("{url}").server(Kind.VIRTUAL).clients({CLIENTS}).during(Duration.ofSeconds({SECONDS}))'
    # the server becomes warm
    wrk(url, SECONDS)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        said = run(
            client,
            f"var r = {load}.warmUp(200).run();"
            ' System.out.println("measured " + r.doubleColumn("requests/s").get(0)'
            ' + " " + r.doubleColumn("p50 (ms)").get(0) + " " + r.stringColumn("outcome").get(0)'
            ' + " " + r.stringColumn("bottleneck").get(0));',
        )
        words = re.search(r"measured (.*)", said)[1].split(" ")
        assert words[2] == "ok", said
        ours.append((float(words[0]), float(words[1])))
        theirs.append(wrk(url, SECONDS))
        print(f"{said} wrk {theirs[-1]}")
    for figure, name in enumerate(["requests/s", "p50"]):
        one = statistics.median(run[figure] for run in ours)
        other = statistics.median(run[figure] for run in theirs)
        assert one == pytest.approx(other, rel=0.1), f"{name}: {ours} against wrk's {theirs}"


@pytest.mark.deep
def test_an_interrupt_ends_the_load_and_its_process() -> None:
    manager, client = start_new_kernel(kernel_name="java", startup_timeout=60)
    try:
        run(client, SERVER.replace("DELAY", "20") + "int port = server.getAddress().getPort();")
        interrupted: list[float] = []

        def interrupt_once_it_runs(message: dict) -> None:
            shown = message["content"].get("data", {}).get("text/plain", "")
            if not interrupted and re.fullmatch(r"[\d,]+ of [\d,]+ requests, .* left", shown):
                interrupted.append(time.monotonic())
                threading.Thread(target=manager.interrupt_kernel).start()

        source = (
            'Load.on("http://127.0.0.1:" + port).server(Kind.VIRTUAL).clients(20)'
            ".during(Duration.ofMinutes(2)).run()"
        )
        reply = client.execute_interactive(source, timeout=60, output_hook=interrupt_once_it_runs)["content"]
        assert reply["status"] == "error"
        assert interrupted, "no progress was shown"
        assert time.monotonic() - interrupted[0] < 10
        # the kernel answers at once; the cell's thread ends the child then, and what it shows is lost
        children = "ProcessHandle.current().children().count()"
        run(client, f"for (int i = 0; i < 50 && {children} > 0; i++) Thread.sleep(100);")
        assert run(client, children) == "0"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
