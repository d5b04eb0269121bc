"""The player of a replay in a saved page and in JupyterLab. Takes half a minute."""

import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from bootstrap.places import ROOT
from lab_page import command, lab, open_notebook
from notebooks.runs import Session

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
    browser: webdriver.Chrome, replays: Path, tmp_path: Path
) -> None:
    browser.set_window_size(1400, 1000)
    with lab(tmp_path) as address:
        open_notebook(browser, address, replays.relative_to(ROOT).as_posix())
        command(browser, "runmenu:run-all")
        player = Player(browser, 1)
        active = "return window.jupyterapp.shell.currentWidget.content.activeCellIndex"
        player.stop()
        player.press(Keys.HOME)
        there = browser.execute_script(active)
        player.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN)
        assert player.says == "15 ms: v2 mounted"
        assert browser.execute_script(active) == there
