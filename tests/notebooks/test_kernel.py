"""The kernel as the set-up installs it: interrupts, default imports, rendering, speed."""

import socket
import statistics
import subprocess
import time
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager, start_new_kernel
from cells import run, value
from left import Left
from notebooks import bench
from notebooks.page import Page
from notebooks.runs import NOTEBOOKS, own_ports, read


def test_opening_a_notebook_does_not_change_it(shared) -> None:
    """JupyterLab writes into it what the kernel and its specification say about themselves."""
    manager, client = shared
    info = client.kernel_info(reply=True, timeout=30)["content"]["language_info"]
    spec = {"name": "java", "display_name": manager.kernel_spec.display_name, "language": "java"}
    for path in NOTEBOOKS:
        metadata = read(path).metadata
        assert metadata["language_info"] == info, path.name
        assert metadata["kernelspec"] == spec, path.name


A_CHART = """
Plots.timings(Table.create("t", StringColumn.create("contender", "a & b"),
        IntColumn.create("n", new int[] {1}), DoubleColumn.create("seconds", 1.0),
        StringColumn.create("kind", "virtual"), StringColumn.create("outcome", "ok")))
"""


def test_a_chart_carries_its_text_into_the_page_and_into_the_page_of_make_run(shared) -> None:
    _, client = shared
    _, published = run(client, A_CHART)
    result = next(m for m in published if m["type"] == "execute_result")
    alt = result["metadata"]["image/png"]["alt"]
    assert alt.startswith("Chart: ") and alt == result["data"]["text/plain"]
    cell = nbformat.v4.new_code_cell("")
    cell.outputs = [nbformat.v4.new_output("execute_result", result["data"], metadata=result["metadata"])]
    written, _ = Page().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert [image["alt"] for image in BeautifulSoup(written, "html.parser").select("img")] == [alt]


# What could affect an experiment: the names of all platform threads, without their numbers.
NOTICED = """
var threads = new TreeSet<String>();
for (var thread : Thread.getAllStackTraces().keySet())
    threads.add(thread.getName().replaceAll("[a-z]{6}-\\\\d+$|\\\\d+$", ""));
threads
"""


@pytest.mark.deep
def test_a_kernel_that_has_warmed_up_looks_like_one_that_has_drawn_a_chart(kernel) -> None:
    manager, client = kernel
    time.sleep(6)
    after = value(client, NOTICED)
    left = Left(manager.provisioner.pid, Path(manager.kernel_spec_manager.folder))
    assert left.files() == [] and left.processes() == []
    assert "no claim has been judged yet" in run(client, "Claims.table()")[0]["evalue"]
    manager.restart_kernel(now=True)
    client.wait_for_ready(timeout=150)
    run(client, A_CHART)
    assert value(client, NOTICED) == after


@pytest.fixture(scope="module")
def at_once() -> float:
    """The seconds to the first chart of a reader who does not wait for the warm-up, to compare with."""
    return statistics.median(first_chart(reading=0) for _ in range(3))


def first_chart(reading: float) -> float:
    return bench.seconds_to_first_chart(KernelSpecManager(), "java", [bench.CHART], reading)


@pytest.mark.alone
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


@pytest.mark.alone
def test_a_chart_comes_sooner_after_three_seconds_of_reading(at_once: float) -> None:
    waits = [first_chart(reading=3) for _ in range(3)]
    assert statistics.median(waits) < 0.6 * at_once, (waits, at_once)


@pytest.mark.deep
def test_a_server_in_a_jvm_of_its_own_begins_with_what_the_set_up_has_learnt(kernel) -> None:
    """With -XX:AOTMode=on its JVM refuses to start if it cannot use the cache. Takes five seconds."""
    _, client = kernel
    assert run(client, "%libraries servers")[0]["status"] == "ok"
    assert run(client, "import org.springframework.web.bind.annotation.*;")[0]["status"] == "ok"
    assert run(client, "@RestController class Empty {}")[0]["status"] == "ok"
    for collector in ("G1", "Serial"):
        options = f'"-XX:AOTMode=on", "-XX:+Use{collector}GC"'
        reply, _ = run(client, f'LocalServer.of("learnt", Empty.class).startChild({options}).close();')
        assert reply["status"] == "ok", reply


def test_a_class_with_a_name_that_nobody_knows_is_named_at_once(shared) -> None:
    _, client = shared
    source = "class Order { Pirce price; int cents() { return price.cents() * amount; } }"
    _, published = run(client, source)
    said = "".join(m.get("text", "") for m in published)
    assert said == "Order cannot be used until this is declared: class Pirce, variable amount\n"
    _, published = run(client, "class Pirce { int cents() { return 2; } }\nint amount = 21;")
    assert not [m for m in published if "text" in m], "an order that is found by now is no news"
    assert value(client, "new Order().price == null") == "true"


def test_progress_and_chart_change_in_place_while_trials_run(shared) -> None:
    _, client = shared
    reply, published = run(
        client,
        'var t = Trials.of("n tasks").virtual(n -> Thread.sleep(100)).sizes(1, 2).repeat(2)'
        ".warmUp(0).live(Plots::timings).run();",
    )
    assert reply["status"] == "ok", reply
    made = [m for m in published if m["type"] == "display_data"]
    changed = [m for m in published if m["type"] == "update_display_data"]
    assert len(made) == 2, "one line of progress and one chart"
    assert {m["transient"]["display_id"] for m in changed} == {m["transient"]["display_id"] for m in made}
    assert any("virtual × 2, trial 2 of 2" in m["data"].get("text/html", "") for m in changed)
    assert any("left" in m["data"]["text/plain"] for m in changed)
    pictures = sum("image/png" in m["data"] for m in published if "data" in m)
    assert 2 <= pictures < 4, "one after the first trial, none for a second, and one at the end"
    last = [m["data"]["text/plain"] for m in changed if "image/png" not in m["data"]][-1]
    assert last.startswith("n tasks: 4 trials in"), last


def test_a_picture_that_cannot_be_drawn_yet_does_not_stop_the_trials(shared) -> None:
    _, client = shared
    reply, published = run(
        client,
        'var f = Trials.of("n").contender("bad", n -> { throw new IllegalStateException("no room"); })'
        ".repeat(2).live(Plots::timings).run(); f",
    )
    assert reply["status"] == "ok", reply
    assert any("No chart yet" in m.get("data", {}).get("text/plain", "") for m in published)
    assert sum("no room" in m.get("data", {}).get("text/plain", "") for m in published) == 1


# What a cell may hold before the cursor; the emoji is one character for the page and two for Java.
ABOVE = """%libraries servers
import java.net.http.*;
int twice(int n) { return 2 * n; }
var smile = "😀";
var inThisCell = Trials.of("n");
"""
IN_A_METHOD = """void wait(int n) {
    for (int i = 0; i < n; i++) {
        Thread.sleep(|Duration.ofMillis(10));
    }
}
wait(3);"""

# The code at the cursor | and what is shown about it: in the signatures and in the text.
DOCUMENTED = [
    ("Trials.of(|", "Trials<T extends Trial>.of(String experiment)", "An experiment that times its"),
    ("Claim|", "threadlab.claim.Claim(String statement, Verdict", "A stated prediction"),
    ("Claim.that(|", "Prediction Claim.that(String statement, double measured)", "a claim about one number"),
    ("Cla|im.that", "threadlab.claim.Claim(", "A stated prediction"),
    ("import threadlab.claim.Claim|;", "threadlab.claim.Claim(", "A stated prediction"),
    ("early.run(|", "Table Trials<T extends Trial>.run()", "one row per trial"),
    (ABOVE + "inThisCell.sizes|(1, 2);\nint last = 1;", "Trial>.sizes(int... n)", "from 1 to 10,000,000"),
    ('Trials.of("tasks that |sleep")', "Trial>.of(String experiment)", "trials without contenders"),
    ('Trials.of("n").repeat(3)|', "Trials<T extends Trial>.repeat(int times)", "3 if it is not set"),
    (ABOVE + "early.live(Plots::timings|)", "Plots.timings(", "contender"),
    ("LocalPostgres.start(|", "LocalPostgres.start(String name, int connections)", "Starts a PostgreSQL"),
    ("LocalServer|", "threadlab.server.LocalServer", "A Spring Boot application"),
    ("Thread.ofVirtual(|)", "Thread.Builder.OfVirtual Thread.ofVirtual()", "creating a virtual Thread or"),
    ("Thread.sl|eep(10)", "void Thread.sleep(long millis, int nanos)", "if the value of millis is negative"),
    (IN_A_METHOD, "void Thread.sleep(Duration duration)", "Causes the currently executing thread"),
    ("Thread.sleep(Duration|.ofDays(1))", "java.time.Duration", "A time-based amount of time"),
]


def shown(client: BlockingKernelClient, cell: str) -> dict:
    """What Shift-Tab shows, in each format."""
    before, _, after = cell.partition("|")
    reply = client.inspect(before + after, len(before), reply=True, timeout=60)["content"]
    assert reply["status"] == "ok", reply
    assert reply["found"] == bool(reply["data"])
    return reply["data"]


@pytest.mark.deep
def test_shift_tab_shows_signature_and_text_wherever_the_cursor_stands(kernel) -> None:
    _, client = kernel
    assert "A stated prediction" in shown(client, "Claim|")["text/plain"], "before any cell has run"
    assert not shown(client, "LocalServer|"), "no libraries that nobody asked for"
    reply, _ = run(client, '%libraries servers\nvar early = Trials.of("n");')
    assert reply["status"] == "ok", reply
    for cell, signature, text in DOCUMENTED:
        forms = shown(client, cell)
        plain, html = forms["text/plain"], forms["text/html"]
        assert signature in plain.partition("\n\n")[0], (cell, plain)
        assert text in plain.replace("\n", " "), (cell, plain)
        for tag in ("{@", "@param", "@return", "@throws"):
            assert tag not in plain and tag not in html, (cell, html)
        assert "<p>" not in plain and html.startswith("<pre>"), (cell, html)
    for nothing in ("|", " | ", "int a = 1;\n|\nint b = 2;", "nobody.knows(|", "// a word| here"):
        assert not shown(client, nothing), nothing


@pytest.mark.deep
def test_a_restart_takes_no_longer_than_a_start(kernel) -> None:
    manager, client = kernel
    run(client, "var kept = 1;")
    start = time.monotonic()
    client.shutdown()
    while manager.is_alive():
        assert time.monotonic() - start < 4, "the kernel does not end by itself"
        time.sleep(0.05)


@pytest.mark.deep
def test_a_kernel_whose_port_is_taken_ends_and_says_so() -> None:
    """Another process may take a port between Jupyter's choice and the kernel's start; here it has."""
    manager = KernelManager(kernel_name="java", **own_ports())
    with socket.create_server(("127.0.0.1", manager.stdin_port)):
        manager.start_kernel(stderr=subprocess.PIPE, text=True)
        try:
            assert manager.provisioner.process.wait(30) == 1
            said = manager.provisioner.process.stderr.read()
            assert "could not connect to Jupyter" in said and "in use" in said, said
        finally:
            manager.shutdown_kernel(now=True)
