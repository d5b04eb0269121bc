"""The load generator against wrk, a generator in C, on the same endpoint of the same server.

Takes twenty seconds, with nothing beside it.
"""

import re
import shutil
import statistics
import subprocess

import pytest
from jupyter_client.blocking import BlockingKernelClient
from cells import run, value

CLIENTS = 100
ROUNDS = 3
DELAY = 25  # ms of an answer: four thousand a second, where a generator begins to affect the figures
SECONDS = 2

# Unless set before its start, the JDK's server keeps 200 idle connections and lets small packets wait.
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


def said(client: BlockingKernelClient, source: str) -> str:
    """What a cell prints."""
    reply, published = run(client, source)
    assert reply["status"] == "ok", reply
    return "".join(message["text"] for message in published if message["type"] == "stream")


def wrk(url: str, seconds: int) -> tuple[float, float]:
    """Requests per second and the median latency in ms."""
    command = ["wrk", "-t2", f"-c{CLIENTS}", f"-d{seconds}s", "--timeout", "10s", "--latency", url]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in told and "Socket errors" not in told, told
    median, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", told).groups()
    factor = {"us": 0.001, "ms": 1, "s": 1_000}[unit]
    return float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1]), float(median) * factor


@pytest.mark.alone
@pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed (Debian: apt install wrk)")
def test_throughput_and_latency_agree_with_wrk_within_a_tenth(shared) -> None:
    _, client = shared
    said(client, SERVER.replace("DELAY", str(DELAY)))
    url = "http://127.0.0.1:" + value(client, "server.getAddress().getPort()") + "/"
    load = f'Load.on("{url}").server(Kind.VIRTUAL).clients({CLIENTS}).during(Duration.ofSeconds({SECONDS}))'
    # the server becomes warm
    wrk(url, SECONDS)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        told = said(
            client,
            f"var r = {load}.warmUp(200).run();"
            ' System.out.println("measured " + r.doubleColumn("requests/s").get(0)'
            ' + " " + r.doubleColumn("p50 (ms)").get(0) + " " + r.stringColumn("outcome").get(0)'
            ' + " " + r.stringColumn("bottleneck").get(0));',
        )
        words = re.search(r"measured (.*)", told)[1].split(" ")
        assert words[2] == "ok", told
        ours.append((float(words[0]), float(words[1])))
        theirs.append(wrk(url, SECONDS))
        print(f"{told} wrk {theirs[-1]}")
    for figure, name in enumerate(["requests/s", "p50"]):
        one = statistics.median(run[figure] for run in ours)
        other = statistics.median(run[figure] for run in theirs)
        assert one == pytest.approx(other, rel=0.1), f"{name}: {ours} against wrk's {theirs}"
