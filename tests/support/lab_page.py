"""JupyterLab in a browser, for tests: its start, its commands, and what its page shows."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbformat import NotebookNode
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from bootstrap.places import BUILD, ROOT
from computers import wait_until_open
from notebooks.runs import code_cells, until

ACTIVE = "return window.jupyterapp.shell.currentWidget.content.activeCellIndex"
RUN_CELL = """
const [cell, done] = arguments;
window.jupyterapp.shell.currentWidget.content.activeCellIndex = cell;
window.jupyterapp.commands.execute('notebook:run-cell').then(() => done());
"""


@contextmanager
def lab(folder: Path) -> Iterator[str]:
    """JupyterLab started as `make lab PORT=…` does on a port that is taken; gives the printed address."""
    log, config = folder / "lab.log", folder / "config"
    for file, settings in {
        "jupyter_lab_config.json": {"LabApp": {"expose_app_in_browser": True}},
        # all cells are drawn, even those outside the window
        "lab/@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"},
        # nothing is saved automatically: the notebooks are those of this clone
        "lab/@jupyterlab/docmanager-extension/plugin.jupyterlab-settings": {"autosave": False},
    }.items():
        (config / file).parent.mkdir(parents=True, exist_ok=True)
        (config / file).write_text(json.dumps(settings))
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    environment |= {"JUPYTER_CONFIG_PATH": str(config), "JUPYTERLAB_SETTINGS_DIR": str(config / "lab")}
    environment["THREADLAB_SCALE"] = "small"
    with socket.create_server(("127.0.0.1", 0)) as taken, log.open("w") as output:
        port = taken.getsockname()[1]
        start = [sys.executable, str(ROOT / "tools/setup.py"), "lab", "--port", str(port)]
        server = subprocess.Popen(
            start, env=environment, start_new_session=True, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            address = re.compile(r"http://127\.0\.0\.1:(\d+)/lab/tree/notebooks/00-\S+\?token=\w+")
            found = until("JupyterLab prints its address", lambda: address.search(log.read_text()), 90)
            assert int(found[1]) != port
            wait_until_open(int(found[1]))
            yield found[0]
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(60)


def command(browser: webdriver.Chrome, name: str) -> None:
    """Calls a command of JupyterLab, as its menus do, and does not wait for it to end."""
    browser.execute_script("window.jupyterapp.commands.execute(arguments[0])", name)


def open_notebook(browser: webdriver.Chrome, address: str, name: str) -> None:
    """Opens a notebook in a workspace of its own and waits until its kernel answers."""
    base, _, token = address.partition("/lab")
    workspace = f"{base}/lab/workspaces/{Path(name).stem}/tree/{name}?reset&{token.partition('?')[2]}"
    browser.get(workspace)
    cell = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell"
    WebDriverWait(browser, 60).until(lambda b: b.find_elements(By.CSS_SELECTOR, cell))
    kernel = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
    connected = f"return {kernel}?.connectionStatus === 'connected'"
    WebDriverWait(browser, 60).until(lambda b: b.execute_script(connected))


def shown(browser: webdriver.Chrome) -> NotebookNode:
    """The open notebook, as the page holds it."""
    model = "return window.jupyterapp.shell.currentWidget.content.model.toJSON()"
    return nbformat.from_dict(browser.execute_script(model))


def outputs(browser: webdriver.Chrome) -> list[NotebookNode]:
    return [output for cell in code_cells(shown(browser)) for output in cell.outputs]


def run_cell(browser: webdriver.Chrome, cell: int) -> None:
    """Runs a cell and waits until it has ended."""
    browser.set_script_timeout(60)
    browser.execute_async_script(RUN_CELL, cell)


@contextmanager
def notebook_of(*sources: str) -> Iterator[Path]:
    """A notebook with these cells below the folder that JupyterLab serves, for the time of a block."""
    BUILD.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=BUILD, prefix="notebook-") as folder:
        cells = [nbformat.v4.new_code_cell(source.strip()) for source in sources]
        java = {"name": "java", "display_name": "Java", "language": "java"}
        metadata = {"kernelspec": java, "language_info": {"name": "java"}}
        file = Path(folder) / "07-try.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), file)
        yield file
