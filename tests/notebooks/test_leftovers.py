"""What a notebook with servers leaves after an error, an interrupt, a killed kernel. Takes a minute."""

import os
import signal
from pathlib import Path

import psutil
import pytest
from bootstrap.places import ROOT
from cells import Kernel, run
from left import Left
from notebooks.runs import code_cells, numbered, process_of, read, until

CODE = {cell.id: cell.source for cell in code_cells(read(numbered("10")))}
# a server, for which lesson 10 has the threads
[POST] = [cell.source for cell in code_cells(read(numbered("split-under-load"))) if cell.id == "post"]


class Lab:
    """A kernel whose temporary files are in a folder of its own, so that what it starts can be identified."""

    def __init__(self, kernel: Kernel, folder: Path) -> None:
        self.manager, self.client = kernel
        self.pid = process_of(self.manager)
        self.left = Left(self.pid, folder)

    def run(self, source: str) -> tuple[str, list[str]]:
        """Runs a cell; returns its error, if there is one, and what it prints."""
        reply, published = run(self.client, source)
        # an update changes the output of an earlier cell, perhaps one that was just interrupted
        shown = [message for message in published if message["type"] != "update_display_data"]
        texts = [message.get("text") or message.get("data", {}).get("text/plain") for message in shown]
        return reply.get("evalue", ""), [text for text in texts if text]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Lab:
    monkeypatch.setenv("THREADLAB_SCALE", "small")
    monkeypatch.chdir(ROOT / "notebooks")
    return Lab(request.getfixturevalue("kernel"), tmp_path / "temporary")


def assert_nothing_is_left(lab: Lab) -> None:
    until("nothing is left", lambda: not lab.left.processes() and not lab.left.files(), 15)


DATABASE = 'try (var db = LocalPostgres.start("shop")) { System.out.println(db); %s }'


def test_an_error_leaves_nothing_running_or_listening(lab: Lab) -> None:
    lab.run("%libraries servers")
    error, said = lab.run(DATABASE % 'throw new IllegalStateException("the tea is cold");')
    assert "the tea is cold" in error
    assert "listens on port" in said[0]
    assert_nothing_is_left(lab)
    assert lab.left.ports() == set()


def test_an_interrupt_in_the_middle_leaves_nothing_running_or_listening(lab: Lab) -> None:
    names = list(CODE)
    for name in names[: names.index("ways-run")]:
        assert lab.run(CODE[name])[0] == "", name
    assert lab.run(POST)[0] == ""
    asked = lab.client.execute(CODE["ways-run"])
    while lab.client.get_iopub_msg(timeout=60)["msg_type"] != "display_data":
        pass  # the trials have not begun
    assert lab.left.ports()
    lab.manager.interrupt_kernel()
    while lab.client.get_shell_msg(timeout=60)["parent_header"]["msg_id"] != asked:
        pass  # what waits behind an interrupted cell is not run
    assert lab.run("1 + 1") == ("", ["2"])
    assert lab.run(CODE["ways-run"])[0] == ""  # its database and its server are still there
    assert lab.run("post.stop(0);\n" + CODE["close"])[0] == ""
    assert_nothing_is_left(lab)
    assert lab.left.ports() == set()


SHOP = """
%libraries servers
import org.springframework.web.bind.annotation.*;
import org.springframework.jdbc.core.simple.JdbcClient;
@RestController
class Shop {
    @org.springframework.beans.factory.annotation.Autowired JdbcClient jdbc;
    @GetMapping("/buy")
    int buy() { return jdbc.sql("select 1 from pg_sleep(0.05)").query(Integer.class).single(); }
}
var db = LocalPostgres.start("shop");
var shop = LocalServer.of("shop", Shop.class).set("spring.datasource.url", db.url()).start();
LocalServer.of("child", Shop.class).set("spring.datasource.url", db.url()).startChild();
"""
LOAD = 'Load.on(shop.url("/buy")).clients(10).during(Duration.ofSeconds(3)).run()'


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize("how", ["shutdown", "process", "group"])
def test_servers_end_with_the_kernel_even_in_mid_load(lab: Lab, how: str) -> None:
    assert lab.run(SHOP)[0] == ""
    lab.client.execute(LOAD)
    kernel = psutil.Process(lab.pid)
    until("the load runs", lambda: "threadlab.load" in str([p.cmdline() for p in kernel.children()]), 60)
    everything = [kernel, *kernel.children(recursive=True)]
    assert lab.left.ports() and lab.left.elsewhere() == []
    if how == "process":
        kernel.kill()
    elif how == "group":  # as Jupyter does
        lab.manager.signal_kernel(signal.SIGKILL)
    else:
        lab.client.shutdown()
    psutil.wait_procs([kernel], timeout=10)
    if how == "group":  # children killed with their kernel had no time to clean up
        until("no process is left", lambda: not lab.left.processes(), 15)
    else:
        assert_nothing_is_left(lab)
    _, alive = psutil.wait_procs(everything, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
