"""`make lab` as a reader meets it: the address, the page in a real browser, a notebook run from its menu.

Takes a minute. The player of a replay is tried in JupyterLab and in a saved page.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from selenium import webdriver
from selenium.common import TimeoutException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from bootstrap.places import ROOT
from computers import wait_until_open
from notebooks.page import Page
from notebooks.runs import NOTEBOOKS, Session, code_cells, errors, numbered, read, until

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab started as `make lab PORT=…` does on a port that is taken; gives the printed address."""
    log = tmp_path_factory.mktemp("lab") / "lab.log"
    config = tmp_path_factory.mktemp("config")
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
        server = subprocess.Popen(
            [sys.executable, ROOT / "tools/setup.py", "lab", "--port", str(port)],
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        try:
            address = re.compile(
                r"http://127\.0\.0\.1:(\d+)/lab/tree/notebooks/00-start-here.ipynb\?token=\w+"
            )
            found = until("JupyterLab prints its address", lambda: address.search(log.read_text()), 90)
            assert int(found[1]) != port
            wait_until_open(int(found[1]))
            yield found[0]
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def command(browser: webdriver.Chrome, name: str) -> None:
    """Calls a command of JupyterLab, as its menus do, and does not wait for it to end."""
    browser.execute_script("window.jupyterapp.commands.execute(arguments[0])", name)


def open_notebook(browser: webdriver.Chrome, address: str, name: str) -> None:
    """Opens a notebook in a workspace of its own and waits until its kernel answers."""
    base, _, token = address.partition("/lab")
    workspace = f"{base}/lab/workspaces/{Path(name).stem}/tree/{name}?reset&{token.partition('?')[2]}"
    browser.get(workspace)
    WebDriverWait(browser, 60).until(
        lambda b: b.find_elements(By.CSS_SELECTOR, ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell")
    )
    WebDriverWait(browser, 60).until(
        lambda b: b.execute_script(
            "const panel = window.jupyterapp?.shell.currentWidget;"
            "return panel?.sessionContext?.session?.kernel?.connectionStatus === 'connected'"
        )
    )


def shown(browser: webdriver.Chrome) -> NotebookNode:
    """The open notebook, as the page holds it."""
    model = "return window.jupyterapp.shell.currentWidget.content.model.toJSON()"
    return nbformat.from_dict(browser.execute_script(model))


def test_a_notebook_that_was_only_opened_shows_its_kernels_state_and_has_not_changed(
    lab: str, browser: webdriver.Chrome
) -> None:
    open_notebook(browser, lab, f"notebooks/{NOTEBOOKS[1].name}")
    state = "return window.jupyterapp.shell.currentWidget.sessionContext.kernelDisplayStatus"
    WebDriverWait(browser, 30).until(lambda b: b.execute_script(state) == "idle")
    time.sleep(3)  # the page changes a notebook, if at all, soon after it knows the kernel
    assert not browser.execute_script("return window.jupyterapp.shell.currentWidget.context.model.dirty")
    command(browser, "kernelmenu:shutdown")


# Faults that a reader would notice: missing pictures, and content too wide for its place.
LOOK = """
const panel = window.jupyterapp.shell.currentWidget.node;
const wide = [];
for (const box of panel.querySelectorAll('.jp-OutputArea-output, .jp-RenderedMarkdown')) {
    const scrolls = ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
    if (!scrolls && box.scrollWidth > box.clientWidth + 2) wide.push(box.innerText.slice(0, 60));
}
const pictures = [...panel.querySelectorAll('.jp-OutputArea-output img')];
return {
    pictures: pictures.length,
    empty: pictures.filter(p => !p.naturalWidth || p.getBoundingClientRect().width < 200).length,
    cut: pictures.filter(p => p.getBoundingClientRect().right
            > p.closest('.jp-OutputArea-output').getBoundingClientRect().right + 2).length,
    wide: wide,
};
"""


def test_run_all_from_the_page_shows_every_result(lab: str, browser: webdriver.Chrome) -> None:
    open_notebook(browser, lab, f"notebooks/{NOTEBOOKS[0].name}")
    command(browser, "runmenu:run-all")
    WebDriverWait(browser, 180, poll_frequency=1).until(
        lambda b: all(cell.execution_count for cell in code_cells(shown(b)))
    )
    assert errors(shown(browser)) == []
    said = "return [...document.querySelectorAll('.jp-OutputArea-output img')].map(image => image.alt)"
    assert all(alt.startswith("Chart: ") for alt in browser.execute_script(said))
    outputs = [output for cell in code_cells(shown(browser)) for output in cell.outputs]
    drawn = sum("image/png" in output.get("data", {}) for output in outputs)
    assert drawn
    whole = {"pictures": drawn, "empty": 0, "cut": 0, "wide": []}
    for width in (1400, 800):
        browser.set_window_size(width, 1000)
        with suppress(TimeoutException):
            WebDriverWait(browser, 20).until(lambda b: b.execute_script(LOOK) == whole)
        assert browser.execute_script(LOOK) == whole, width
    command(browser, "kernelmenu:shutdown")


# The formulas: how many the browser draws, and how large the smallest is.
FORMULAS = """
const boxes = [...document.querySelectorAll('math')].map(formula => formula.getBoundingClientRect());
return [boxes.length, Math.min(...boxes.map(box => Math.min(box.width, box.height)))];
"""


def test_the_page_of_make_run_shows_formulas_without_a_network(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    notebook = read(numbered("01"))
    written, _ = Page().from_notebook_node(notebook)
    assert not re.findall(r"<(?:script|link|iframe)[^>]*", written), "nothing is fetched"
    file = tmp_path / "page.html"
    file.write_text(written, encoding="utf-8")
    browser.get(file.as_uri())
    formulas, smallest = browser.execute_script(FORMULAS)
    texts = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert formulas == len(re.findall(r"\$\$.+?\$\$|\$.+?\$", texts, re.DOTALL))
    assert smallest > 5, "px"


# Two runs: v1 from 0 to 10 ms, v2 from 10 to 20 ms, …; in the second, each overlaps the next by 5 ms.
REPLAYS = [
    """
Table run(int threads, double shift) {
    var table = Table.create("run", StringColumn.create("thread"), StringColumn.create("carrier"),
            DoubleColumn.create("from (ms)"), DoubleColumn.create("until (ms)"));
    for (int i = 0; i < 2 * threads; i++) {
        table.stringColumn(0).append("v" + (i % threads + 1));
        table.stringColumn(1).append("ForkJoinPool-1-worker-" + (i % 2 + 1));
        table.doubleColumn(2).append(10 * i);
        table.doubleColumn(3).append(10 * i + 10 + shift);
    }
    return table;
}
""",
    "Plots.replay(run(3, 0))",
    "Plots.replay(run(4, 5))",
]


@pytest.fixture(scope="module")
def replays() -> Iterator[Path]:
    """A notebook with two replays, executed, in a folder of its own that JupyterLab can reach."""
    folder = Path(tempfile.mkdtemp(prefix="replays-", dir=ROOT / "build"))
    path = folder / "replays.ipynb"
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "java", "display_name": "Java"}})
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in REPLAYS]
    nbformat.write(notebook, path)
    session = Session(path)
    with session.kernel():
        nbformat.write(session.run_all().notebook, path)
    yield path
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def saved(replays: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a saved page with the replays."""
    page = tmp_path_factory.mktemp("saved") / "replays.html"
    page.write_text(HTMLExporter().from_filename(str(replays))[0], encoding="utf-8")
    return page.as_uri()


class Player:
    """One player on a page, used as a reader would."""

    def __init__(self, browser: webdriver.Chrome, number: int) -> None:
        self.browser = browser
        self.host = WebDriverWait(browser, 30).until(
            lambda b: b.find_elements(By.CLASS_NAME, "threadlab-player")[number:]
        )[0]
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", self.host)

    def part(self, selector: str) -> WebElement:
        return self.host.shadow_root.find_element(By.CSS_SELECTOR, selector)

    def button(self, name: str) -> WebElement:
        buttons = self.host.shadow_root.find_elements(By.CSS_SELECTOR, "button")
        return next(button for button in buttons if button.text == name)

    @property
    def says(self) -> str:
        return self.part("output").text

    def stop(self) -> None:
        """Stops the playback that begins when a player comes into view."""
        WebDriverWait(self.browser, 30).until(lambda _: self.part("button").text == "Pause")
        self.part("button").click()
        assert self.part("button").text == "Play"

    def press(self, *keys: str) -> None:
        self.part("input").send_keys(*keys)


def test_a_replay_of_a_saved_page_plays_pauses_steps_and_is_dragged(
    browser: webdriver.Chrome, saved: str
) -> None:
    browser.set_window_size(1400, 1000)
    browser.get(saved)
    first = Player(browser, 0)
    first.stop()
    second = Player(browser, 1)
    second.stop()
    before = first.says

    second.press(Keys.HOME)
    assert second.says == "0 ms: v1 mounted"
    second.button("Step on").click()
    assert second.says == "10 ms: v1, v2 mounted"
    second.press(Keys.ARROW_RIGHT)
    assert second.says == "15 ms: v2 mounted"
    assert second.part("input").get_attribute("aria-valuetext") == "15 ms: v2 mounted"
    second.button("Step back").click()
    second.press(Keys.ARROW_LEFT)
    assert second.says == "0 ms: v1 mounted"
    second.press(Keys.END)
    assert second.says == "85 ms: no thread mounted"

    second.press(Keys.HOME, Keys.SPACE)
    WebDriverWait(browser, 30).until(lambda _: second.says not in ("0 ms: v1 mounted", ""))
    second.press(Keys.SPACE)
    paused = second.says
    time.sleep(0.3)
    assert second.says == paused, "a paused player stands still"
    second.button("Play").click()
    WebDriverWait(browser, 30).until(lambda _: second.says == "85 ms: no thread mounted")
    assert second.button("Play"), "played to its end it waits"

    plot = second.part("svg[role=img]")
    ActionChains(browser).move_to_element(plot).click().perform()
    assert re.fullmatch("4[23] ms: v1, v4 mounted", second.says), second.says
    quarter = round(plot.rect["width"] / 4)
    ActionChains(browser).move_to_element(plot).click_and_hold().move_by_offset(
        -quarter, 0
    ).release().perform()
    assert re.fullmatch("2[12] ms: v2, v3 mounted", second.says), second.says
    ActionChains(browser).drag_and_drop_by_offset(second.part("input"), 60, 0).perform()
    assert re.match("(4[5-9]|5[0-5]) ms", second.says), second.says

    assert first.says == before, "each plays by itself"
    for width in (1400, 480):
        browser.set_window_size(width, 1000)
        right = browser.execute_script("return arguments[0].getBoundingClientRect().right", second.host)
        assert right <= browser.execute_script("return document.documentElement.clientWidth")


def test_a_replay_keeps_still_for_readers_who_want_no_motion(browser: webdriver.Chrome, saved: str) -> None:
    reduced = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", reduced)
    try:
        browser.get(saved)
        player = Player(browser, 0)
        time.sleep(0.5)
        assert player.says == "60 ms: no thread mounted"
        player.button("Play").click()
        assert player.says == "0 ms: v1 mounted"
        WebDriverWait(browser, 30).until(lambda _: player.says == "10 ms: v2 mounted")
        player.button("Pause").click()
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_replay_in_the_lab_keeps_its_keys_to_itself(
    lab: str, browser: webdriver.Chrome, replays: Path
) -> None:
    browser.set_window_size(1400, 1000)
    open_notebook(browser, lab, replays.relative_to(ROOT).as_posix())
    command(browser, "runmenu:run-all")
    player = Player(browser, 1)
    active = "return window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    player.stop()
    player.press(Keys.HOME)
    there = browser.execute_script(active)
    player.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN)
    assert player.says == "15 ms: v2 mounted"
    assert browser.execute_script(active) == there
    command(browser, "kernelmenu:shutdown")
