"""Other clients than JupyterLab run a small notebook. Takes half a minute, before a release a minute.

Notebook 7 and a guess in it: test_guesses.py.
"""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pexpect
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from cells import Kernel
from clients import clients
from notebooks.runs import NOTEBOOKS, read, texts

METADATA = read(NOTEBOOKS[0]).metadata
PROGRESS = 'for (int i = 0; i <= 40; i++) { System.out.print("\\r" + i + " of 40"); Thread.sleep(20); }'
CHART = 'var chart = new XYChartBuilder().build(); chart.addSeries("a", new double[] {1, 2}); chart'
CELLS = [
    new_markdown_cell("# Tea"),
    new_code_cell("int cups = 6;", metadata={"tags": ["parameters"]}),
    new_code_cell('System.out.println("cups: " + cups);\ncups * 7'),
    new_code_cell(PROGRESS),
    new_code_cell("import org.knowm.xchart.*;\n" + CHART),
]


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    file = tmp_path / "tea.ipynb"
    nbformat.write(new_notebook(cells=CELLS, metadata=METADATA), file)
    return file


def ran(command: list[str | Path], **env: str) -> str:
    """What a program prints, which must end well."""
    done = subprocess.run(
        [sys.executable, "-m", *command], env=os.environ | env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


def has_run(file: Path, cups: int = 6) -> None:
    """Looks at the executed notebook: a line, a value, progress in one line, a chart."""
    *_, computed, progress, drawn = (cell for cell in read(file).cells if cell.cell_type == "code")
    assert texts(computed) == [f"cups: {cups}\n", str(cups * 7)]
    assert texts(progress)[-1].endswith("40 of 40")
    assert len(progress.outputs) <= 4, "what is written over at once is left out"
    assert any("image/png" in output.get("data", {}) for output in drawn.outputs)


def test_nbconvert_executes_it(notebook: Path) -> None:
    ran(["jupyter", "nbconvert", "--to", "notebook", "--execute", "--inplace", notebook])
    has_run(notebook)


def test_nbconvert_writes_a_page_with_values_and_charts(notebook: Path) -> None:
    ran(["jupyter", "nbconvert", "--to", "html", "--execute", notebook])
    page = BeautifulSoup(notebook.with_suffix(".html").read_text(encoding="utf-8"), "html.parser")
    words = page.get_text(" ")
    assert "cups: 6" in words and "42" in words
    assert words.count(" of 40") <= 5, "the source, and few states"
    assert page.select("img[src^='data:image/png']")
    assert page.select(".highlight .kt, .highlight .n"), "the code has colours"


def test_nbconvert_writes_a_script_of_a_stored_notebook(notebook: Path) -> None:
    ran(["jupyter", "nbconvert", "--to", "script", notebook])
    script = notebook.with_suffix(".jshell").read_text(encoding="utf-8")
    assert "int cups = 6;" in script and "cups * 7" in script


def test_vs_code_is_understood(shared: Kernel) -> None:
    """The requests as its extension for Jupyter sends them, in their order."""
    _, client = shared
    about = client.kernel_info(reply=True, timeout=30)["content"]
    assert about["language_info"]["name"] == "java"
    cell = {"cellId": "vscode-notebook-cell:/tea.ipynb#W0sZmlsZQ%3D%3D"}
    options = {"silent": False, "stop_on_error": False, "allow_stdin": True, "store_history": True}
    content = {"code": "int cups = 6; cups * 7", "user_expressions": {}, **options}
    request = client.session.msg("execute_request", content, metadata=cell)
    client.shell_channel.send(request)
    published: list[dict] = []
    while not published or published[-1]["content"].get("execution_state") != "idle":
        message = client.get_iopub_msg(timeout=30)
        if message["parent_header"].get("msg_id") == request["header"]["msg_id"]:
            published.append(message)
    kinds = [message["msg_type"] for message in published]
    assert kinds == ["status", "execute_input", "execute_result", "status"]
    assert published[2]["content"]["data"]["text/plain"] == "42"
    reply = client.get_shell_msg(timeout=30)
    assert reply["content"]["status"] == "ok" and reply["content"]["execution_count"]
    comms = client.comm_info("jupyter.widget", reply=True, timeout=30)["content"]
    assert comms["comms"] == {}
    assert "cups" in client.complete("cup", 3, reply=True, timeout=30)["content"]["matches"]
    client.is_complete("int cups =")
    assert client.get_shell_msg(timeout=30)["content"]["status"] == "incomplete"
    assert client.inspect("cups", 3, reply=True, timeout=30)["content"]["found"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"hist_access_type": "tail", "n": 2}, ["int b = 2;", "int a = 1;"]),
        (
            {"hist_access_type": "search", "pattern": "int *", "n": 9, "unique": True},
            ["int b = 2;", "int a = 1;"],
        ),
        ({"hist_access_type": "range", "session": 0, "start": 1, "stop": 2}, ["int a = 1;"]),
    ],
    ids=lambda one: one["hist_access_type"] if isinstance(one, dict) else "",
)
def test_the_history_is_what_was_typed(kernel: Kernel, asked: dict, found: list[str]) -> None:
    _, client = kernel
    for code in ("int a = 1;", "int b = 2;", "int a = 1;"):
        client.execute(code, reply=True, timeout=30)
    told = client.history(raw=True, output=False, reply=True, timeout=30, **asked)["content"]
    assert [entry[2] for entry in told["history"]] == found
    assert all(session == 1 and line for session, line, _ in told["history"])


@pytest.mark.release
def test_papermill_runs_it_and_another_parameter_comes_from_the_environment(tmp_path: Path) -> None:
    """It writes parameters in some languages, of which Java is none."""
    file, done = tmp_path / "tea.ipynb", tmp_path / "done.ipynb"
    cups = new_code_cell('int cups = Integer.parseInt(System.getenv().getOrDefault("CUPS", "6"));')
    nbformat.write(new_notebook(cells=[CELLS[0], cups, *CELLS[2:]], metadata=METADATA), file)
    ran(["papermill", file, done, "-k", "java"], CUPS="7", **clients())
    has_run(done, cups=7)


@pytest.mark.release
def test_a_console_shows_values_and_remembers_what_was_typed(tmp_path: Path) -> None:
    env = os.environ | clients() | {"TERM": "dumb", "PROMPT_TOOLKIT_NO_CPR": "1"}
    start = ["-m", "jupyter_console", "--kernel", "java", "--simple-prompt"]
    console = pexpect.spawn(sys.executable, start, cwd=tmp_path, env=env, encoding="utf-8", timeout=90)
    try:
        console.expect(r"In \[1\]: ")
        console.sendline("int cups = 6;")
        console.expect(r"In \[2\]: ")
        console.sendline("cups * 7")
        console.expect(r"Out\[2\]: ?42")
        console.expect(r"In \[3\]: ")
        console.sendline("1 / 0")
        console.expect("/ by zero")
        console.expect(r"In \[4\]: ")
        console.sendline("System.exit(2)")
        console.expect("On a page Jupyter starts it again")
    finally:
        console.close(force=True)
