"""What a notebook with servers leaves behind: after an error, an interrupt, a killed kernel.

Costs about a minute and a half. After Run All: tests/notebooks/test_notebooks.py.
"""

import getpass
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import psutil
import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager, start_new_kernel

from left import Left

pytestmark = pytest.mark.deep
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
SPLIT = NOTEBOOKS / "07-split-a-task.ipynb"


class Lab:
    """A kernel whose temporary files are in a folder of its own, so that what it starts can be told apart."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient, folder: Path) -> None:
        self.manager, self.client = manager, client
        self.pid = manager.provisioner.pid
        self.left = Left(self.pid, folder)

    def run(self, source: str) -> tuple[str, list[str]]:
        """Runs a cell; gives its error, if there is one, and what it says."""
        said: list[str] = []

        def hear(message: dict) -> None:
            if message["msg_type"] == "update_display_data":
                return  # changes what an earlier cell shows, maybe one that was interrupted just now
            content = message["content"]
            text = content.get("text") or content.get("data", {}).get("text/plain")
            said.extend([text] if text else [])

        reply = self.client.execute_interactive(source, timeout=120, output_hook=hear)["content"]
        return reply.get("evalue", ""), said


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], Lab]]:
    monkeypatch.setenv("THREADLAB_SCALE", "small")
    labs: list[Lab] = []

    def start(folder: Path) -> Lab:
        spec = KernelSpecManager().get_kernel_spec("java").to_dict()
        spec["argv"].insert(1, f"-Djava.io.tmpdir={folder}")
        kernels = tmp_path / "jupyter" / "kernels" / "apart"
        kernels.mkdir(parents=True)
        (kernels / "kernel.json").write_text(json.dumps(spec))
        monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
        manager, client = start_new_kernel(kernel_name="apart", startup_timeout=60, cwd=str(NOTEBOOKS))
        labs.append(Lab(manager, client, folder))
        return labs[-1]

    yield start
    for lab in labs:
        lab.client.stop_channels()
        lab.manager.shutdown_kernel(now=True)


@pytest.fixture
def lab(tmp_path: Path, start: Callable[[Path], Lab]) -> Lab:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return start(folder)


def code(notebook: Path) -> dict[str, str]:
    cells = nbformat.read(notebook, as_version=4).cells
    return {cell.id: cell.source for cell in cells if cell.cell_type == "code"}


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def begin(lab: Lab, cell: str) -> None:
    """Runs the notebook to a cell that works with the database, and leaves that cell running."""
    run_to(lab, cell)
    assert lab.left.processes() == []
    lab.client.execute(code(SPLIT)[cell])
    assert wait_for(lambda: any("postgres: " in process for process in lab.left.processes()), 20), (
        lab.left.processes()
    )
    time.sleep(1.5)  # in the middle of the trials
    assert lab.left.ports()


def assert_nothing_is_left(lab: Lab) -> None:
    wait_for(lambda: not lab.left.processes() and not lab.left.files(), 15)
    assert lab.left.processes() == []
    assert lab.left.files() == []


def run_to(lab: Lab, cell: str) -> None:
    """Runs the notebook up to a cell, but not that one."""
    for name, source in code(SPLIT).items():
        if name == cell:
            return
        assert lab.run(source)[0] == "", name


def test_an_error_leaves_nothing_running_or_listening(lab: Lab) -> None:
    run_to(lab, "first")
    error, said = lab.run('inShop(4, () -> { throw new IllegalStateException("the tea is cold"); })')
    assert "the tea is cold" in error
    assert "listens on port" in said[0]
    assert lab.left.processes() == []
    assert lab.left.files() == []
    assert lab.left.ports() == set()


def test_an_interrupt_in_the_middle_leaves_nothing_running_or_listening(lab: Lab) -> None:
    begin(lab, "ways-run")
    lab.manager.interrupt_kernel()
    assert lab.run("1 + 1") == ("", ["2"])
    assert_nothing_is_left(lab)
    assert lab.left.ports() == set()
    assert lab.run(code(SPLIT)["first"])[1][-1] == "orders: 1, lines of audit: 1"


def test_an_interrupt_while_the_database_starts_leaves_nothing(lab: Lab) -> None:
    assert lab.run("%libraries servers")[0] == ""
    lab.client.execute('var shop = LocalPostgres.start("shop");')
    assert wait_for(lambda: bool(lab.left.processes()), 20)
    lab.manager.interrupt_kernel()
    assert lab.run("1 + 1") == ("", ["2"])
    assert_nothing_is_left(lab)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize("whom", ["process", "group"])
def test_a_killed_kernel_takes_its_database_with_it(lab: Lab, whom: str) -> None:
    begin(lab, "parts")
    if whom == "group":  # as Jupyter does it
        os.killpg(os.getpgid(lab.pid), signal.SIGKILL)
    else:
        os.kill(lab.pid, signal.SIGKILL)
    assert_nothing_is_left(lab)


SHOP = """
%libraries servers
import org.springframework.web.bind.annotation.*;
import org.springframework.jdbc.core.simple.JdbcClient;
@RestController
class Shop {
    private final JdbcClient jdbc;
    Shop(JdbcClient jdbc) { this.jdbc = jdbc; }
    @GetMapping("/buy")
    int buy() { return jdbc.sql("select 1 from pg_sleep(0.05)").query(Integer.class).single(); }
}
var db = LocalPostgres.start("shop");
var shop = LocalServer.of("shop", Shop.class)
        .set("spring.datasource.url", db.url())
        .set("spring.datasource.hikari.connection-timeout", 500)
        .start();
Table load() throws InterruptedException {
    return Load.on(shop.url("/buy")).clients(10).during(Duration.ofSeconds(3)).run();
}
void after(int ms, Runnable action) {
    CompletableFuture.delayedExecutor(ms, TimeUnit.MILLISECONDS).execute(action);
}
"""


CHILD = 'LocalServer.of("child", Shop.class).set("spring.datasource.url", db.url()).startChild();'


def test_what_goes_away_in_mid_load_is_told_in_a_sentence_and_leaves_nothing(lab: Lab) -> None:
    assert lab.run(SHOP)[0] == ""
    whole = 'var run = load(); run.stringColumn("outcome").get(0)'
    assert lab.run(whole)[1][-1] == "ok"

    error, said = lab.run("after(2_500, db::close);\n" + whole)
    assert error == ""
    told = [line for line in "\n".join(said).splitlines() if line.startswith("The server")]
    assert 1 <= len(told) <= 4, said
    sentence = r'The server "shop" fails at GET /buy: \w+Exception(: .+)? \(in Shop.buy\)'
    assert all(re.fullmatch(sentence, line) for line in told), told
    assert re.fullmatch(r"[\d,]+ of [\d,]+ requests failed: [\d,]+ not 200", said[-1]), said
    assert wait_for(lambda: lab.left.processes() == [], 15), lab.left.processes()

    error, said = lab.run("after(2_500, shop::close);\n" + whole)
    assert error == ""
    assert re.fullmatch(r"[\d,]+ of [\d,]+ requests failed: .*refused.*", said[-1]), said
    assert lab.run("shop")[1] == ['The server "shop" is closed.']
    assert lab.left.processes() == []
    assert lab.left.files() == []
    assert lab.left.ports() == set()


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize("how", ["shutdown", "SIGKILL"])
def test_servers_end_with_the_kernel_also_in_mid_load(lab: Lab, how: str) -> None:
    assert lab.run(SHOP + CHILD)[0] == ""
    lab.client.execute("load()")
    kernel = psutil.Process(lab.pid)
    assert wait_for(lambda: any("threadlab.load" in " ".join(p.cmdline()) for p in kernel.children()), 10)
    everything = [kernel, *kernel.children(recursive=True)]
    assert lab.left.ports()
    if how == "SIGKILL":
        kernel.kill()
    else:
        lab.client.shutdown()
    psutil.wait_procs([kernel], timeout=10)
    assert_nothing_is_left(lab)
    _, alive = psutil.wait_procs(everything, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def test_the_notebook_goes_on_where_no_database_can_start(tmp_path: Path, start: Callable) -> None:
    (tmp_path / f"threadlab-{getpass.getuser()}").touch()  # a file where the folder should be
    lab = start(tmp_path)
    told = 0
    for name, source in code(SPLIT).items():
        error, said = lab.run(source)
        assert error == "", name
        no_database = [text for text in said if text.startswith('There is no database "shop": ')]
        told += len(no_database)
        assert all(text.count("\n") == 1 for text in no_database)
    assert told > 5
    assert lab.left.ports() == set()
