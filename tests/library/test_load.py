"""The load generator against wrk, a generator in C, on one server. Takes twenty seconds, best alone."""

import re
import shutil
import statistics
import subprocess

import pytest
from cells import Kernel, run, value

# Unless set before its start, the JDK's server keeps 200 idle connections and lets small packets wait. With
# 25 ms it answers four thousand a second, where a generator begins to affect the figures.
SERVER = """
System.setProperty("sun.net.httpserver.maxIdleConnections", "20000");
System.setProperty("sun.net.httpserver.nodelay", "true");
var server = com.sun.net.httpserver.HttpServer.create(
        new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0), 4_096);
server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
server.createContext("/", exchange -> {
    try { Thread.sleep(25); } catch (InterruptedException e) { return; }
    var answer = "[1, 2, 3]".getBytes();
    exchange.sendResponseHeaders(200, answer.length);
    try (var body = exchange.getResponseBody()) { body.write(answer); }
});
server.start();
"""


def wrk(url: str) -> tuple[float, float]:
    """Requests per second and the median latency in ms."""
    command = ["wrk", "-t2", "-c100", "-d2s", "--timeout", "10s", "--latency", url]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in told and "Socket errors" not in told, told
    rate, median = re.search(r"50%\s+([\d.]+)ms[\s\S]*Requests/sec:\s+([\d.]+)", told).groups()[::-1]
    return float(rate), float(median)


@pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed (Debian: apt install wrk)")
def test_throughput_and_latency_agree_with_wrk_within_a_tenth(shared: Kernel) -> None:
    _, client = shared
    reply, _ = run(client, SERVER)
    assert reply["status"] == "ok", reply
    url = "http://127.0.0.1:" + value(client, "server.getAddress().getPort()") + "/"
    load = f'Load.on("{url}").server(Kind.VIRTUAL).clients(100).during(Duration.ofSeconds(2))'
    columns = 'r.doubleColumn("requests/s").get(0) + " " + r.doubleColumn("p50 (ms)").get(0)'
    columns += ' + " " + r.stringColumn("outcome").get(0)'
    wrk(url)  # the server becomes warm
    ours, theirs = [], []
    for _ in range(3):
        run(client, f"var r = {load}.warmUp(200).run();")
        rate, median, outcome = value(client, columns).split()
        assert outcome == "ok"
        ours.append((float(rate), float(median)))
        theirs.append(wrk(url))
    for figure, name in enumerate(["requests/s", "p50"]):
        one = statistics.median(run[figure] for run in ours)
        other = statistics.median(run[figure] for run in theirs)
        assert one == pytest.approx(other, rel=0.1), f"{name}: {ours} against wrk's {theirs}"
