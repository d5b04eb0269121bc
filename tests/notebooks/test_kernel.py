"""The kernel as the set-up installs it: its names, rendering, progress, its end. Takes ten seconds."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import psutil
import pytest
from bs4 import BeautifulSoup
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from nbformat.v4 import new_code_cell, new_output
from bootstrap.places import ROOT
from cells import Kernel, run, value
from notebooks.page import Page
from notebooks.runs import NOTEBOOKS, own_ports, read, until
from teach.questions import guessed


def test_opening_a_notebook_does_not_change_it(shared: Kernel) -> None:
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


def test_a_chart_carries_its_text_into_the_page_and_into_the_page_of_make_run(shared: Kernel) -> None:
    _, client = shared
    _, published = run(client, A_CHART)
    result = next(m for m in published if m["type"] == "execute_result")
    alt = result["metadata"]["image/png"]["alt"]
    assert alt.startswith("Chart: ") and alt == result["data"]["text/plain"]
    cell = nbformat.v4.new_code_cell("")
    cell.outputs = [nbformat.v4.new_output("execute_result", result["data"], metadata=result["metadata"])]
    written, _ = Page().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert [image["alt"] for image in BeautifulSoup(written, "html.parser").select("img")] == [alt]


def test_a_guess_tells_programs_what_is_asked_and_what_came_out(shared: Kernel) -> None:
    """Slides and a hall read both from the output of the cell that asks, though nobody has guessed."""
    _, client = shared
    line = 'var l = Guess.line("n waits", "seconds", 1, 2).upTo(5);'
    for make, compare, measured in (
        (line, 'Claim.that("they take 20 ms", w).guess(l).predicted(0.02).atMost(9)', [1, 2]),
        ('var c = Guess.choice("which", "a", "b");', 'c.was("b")', [1]),
        ('var o = Guess.order("the least first", "a", "b");', 'o.was(List.of("b", "a"))', [1, 2]),
    ):
        run(client, f"{make}\n{make[4]}")
        trials = 'var w = Trials.of("n waits").virtual(n -> Thread.sleep(20)).sizes(1, 2).repeat(1).run();'
        chart = "display(Plots.guessed(Plots.timings(w), l));" if make == line else ""
        _, published = run(client, f"{trials * (make == line)}{chart}\n{compare}")
        shown = "".join(m["data"].get("text/html", "") for m in published if "data" in m)
        question = guessed(
            "00", new_code_cell(make, outputs=[new_output("display_data", {"text/html": shown})])
        )
        assert question.spec["kind"] in ("figures", "choice", "order") and [*question.measured] == measured
        assert all(value > 0 for value in question.measured.values())


def test_a_class_with_a_name_that_nobody_knows_is_named_at_once(shared: Kernel) -> None:
    _, client = shared
    source = "class Order { Pirce price; int cents() { return price.cents() * amount; } }"
    _, published = run(client, source)
    said = "".join(m.get("text", "") for m in published)
    assert said == "Order cannot be used until this is declared: class Pirce, variable amount\n"
    _, published = run(client, "class Pirce { int cents() { return 2; } }\nint amount = 21;")
    assert not [m for m in published if "text" in m], "an order that is found by now is no news"
    assert value(client, "new Order().price == null") == "true"


def test_progress_and_chart_change_in_place_while_trials_run(shared: Kernel) -> None:
    _, client = shared
    trials = 'var t = Trials.of("n tasks").virtual(n -> Thread.sleep(100)).sizes(1, 2).repeat(2).warmUp(0)'
    reply, published = run(client, trials + ".live(Plots::timings).run();")
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


def test_a_claim_has_the_colour_of_its_verdict(shared: Kernel) -> None:
    _, published = run(shared[1], 'Claim.that("it holds", 1).atMost(2)')
    assert "border-left" in next(m for m in published if m["type"] == "execute_result")["data"]["text/html"]


SYMPTOMS = (ROOT / "notebooks/symptoms.md").read_text(encoding="utf-8")
A_LOG = """
class Tea { static void log() {
    org.slf4j.LoggerFactory.getLogger(Tea.class).warn("{} is cold", 42);
    org.slf4j.LoggerFactory.getLogger("org.slf4j").info("brewed");
    java.util.logging.Logger.getLogger("com.acme.Tea").info("drunk");
    // of this Tablesaw logs an error, through SLF4J
    Table.read().usingOptions(tech.tablesaw.io.csv.CsvReadOptions.builderFromString("a,b\\n1,2\\n\\"\\"\\n"));
} }
"""


def test_a_cell_shows_warnings_of_its_loggers_and_more_once_the_level_is_set(shared: Kernel) -> None:
    _, client = shared
    root = re.search(r"`(java\.util\.logging\S+?)INFO\);`", SYMPTOMS)[1]

    def logged() -> str:
        return "".join(m.get("text", "") for m in run(client, A_LOG + "Tea.log();")[1])

    assert logged() == "WARNING Tea: 42 is cold\n"
    run(client, f"{root}INFO);")
    assert logged() == "WARNING Tea: 42 is cold\nINFO org.slf4j: brewed\nINFO com.acme.Tea: drunk\n"
    run(client, f"{root}WARNING);")


def test_a_kernel_that_is_asked_to_end_ends_by_itself(kernel: Kernel) -> None:
    manager, client = kernel
    run(client, "var kept = 1;")
    client.shutdown()
    until("the kernel has ended", lambda: not manager.is_alive(), 30)


def test_a_kernel_whose_port_is_taken_ends_and_says_so() -> None:
    """Another process may take a port between Jupyter's choice and the kernel's start; here it has."""
    manager = KernelManager(kernel_name="java", **own_ports())
    with socket.create_server(("127.0.0.1", manager.stdin_port)):
        manager.start_kernel(stderr=subprocess.PIPE, text=True)
        try:
            assert isinstance(manager.provisioner, LocalProvisioner)
            assert manager.provisioner.process.wait(30) == 1
            said = manager.provisioner.process.stderr.read()
            assert "could not connect to Jupyter" in said and "in use" in said, said
        finally:
            manager.shutdown_kernel(now=True)


def replies(client: BlockingKernelClient, *requests: str) -> list[str]:
    """The status of the reply to each request, in the order of the requests."""
    found: dict[str, str] = {}
    while not found.keys() >= set(requests):
        reply = client.get_shell_msg(timeout=30)
        found[reply["parent_header"]["msg_id"]] = reply["content"].get("status", "")
    return [found[request] for request in requests]


def idle(client: BlockingKernelClient, request: str) -> list[str]:
    """What is published until a request has been dealt with."""
    kinds: list[str] = []
    while True:
        message = client.get_iopub_msg(timeout=30)
        if message["parent_header"].get("msg_id") == request:
            kinds.append(message["content"].get("execution_state", message["msg_type"]))
            if kinds[-1] == "idle":
                return kinds


@pytest.mark.parametrize("interrupted", [False, True], ids=["error", "interrupt"])
def test_run_all_stops_at_an_error_and_still_answers_what_else_the_page_asks(
    kernel: Kernel, interrupted: bool
) -> None:
    manager, client = kernel
    run(client, "int after = 0; var thrown = new RuntimeException();")
    fails = "Thread.sleep(60_000);" if interrupted else "Thread.sleep(500);\nthrow thrown;"
    first = client.execute(fails, stop_on_error=True)
    sent = [first, client.execute("after = 1;"), client.complete("aft", 3), client.execute("after = 2;")]
    if interrupted:
        until("it runs", lambda: client.get_iopub_msg()["content"].get("code") == fails, 10)
        manager.interrupt_kernel()
    assert replies(client, *sent) == ["error", "aborted", "ok", "aborted"]
    assert idle(client, sent[1]) == ["busy", "idle"]
    assert value(client, "after") == "0", "cells that are sent later run"


def test_run_all_goes_on_after_a_cell_that_may_fail(shared: Kernel) -> None:
    """A page sends stop_on_error=false with a cell that is tagged raises-exception."""
    _, client = shared
    sent = [client.execute("throw new Error();", stop_on_error=False), client.execute("int on = 3;")]
    assert replies(client, *sent) == ["error", "ok"]
    assert value(client, "on") == "3"


def test_a_silent_request_shows_nothing_and_has_no_number(shared: Kernel) -> None:
    _, client = shared
    before = int(run(client, "1")[0]["execution_count"])
    assert idle(client, client.execute("2", silent=True)) == ["busy", "idle"]
    assert int(run(client, "3")[0]["execution_count"]) == before + 1


def test_a_kernel_ends_soon_after_its_jupyter_was_killed(tmp_path: Path) -> None:
    """Nobody would shut it down: Jupyter had no time to, and a kernel that waits keeps its memory."""
    program = """
from jupyter_client.manager import KernelManager
manager = KernelManager(kernel_name="java")
manager.start_kernel()
client = manager.blocking_client()
client.start_channels()
client.wait_for_ready(timeout=150)
print(manager.provisioner.pid, flush=True)
input()
"""
    pipe, command = subprocess.PIPE, [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stdout=pipe, text=True) as jupyter:
        kernel = psutil.Process(int(jupyter.stdout.readline()))
        jupyter.kill()
    gone = {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}
    until("the kernel has ended", lambda: not kernel.is_running() or kernel.status() in gone, 30)


@pytest.mark.parametrize("text", ['"a|', "// a|", "/* a|", 'var t = """\na|', "'|"])
def test_nothing_is_suggested_inside_a_text_or_a_comment(shared: Kernel, text: str) -> None:
    cell = text.replace("|", "")
    assert shared[1].complete(cell, len(cell), reply=True, timeout=30)["content"]["matches"] == []
