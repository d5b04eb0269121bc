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

# v1 from 0 to 15 ms, v2 from 10 to 25 ms, …, so each overlaps the next by 5 ms
REPLAY = """
var run = Table.create("run", StringColumn.create("thread"), StringColumn.create("carrier"),
        DoubleColumn.create("from (ms)"), DoubleColumn.create("until (ms)"));
for (int i = 0; i < 8; i++) {
    run.stringColumn(0).append("v" + (i % 4 + 1));
    run.stringColumn(1).append("ForkJoinPool-1-worker-" + (i % 2 + 1));
    run.doubleColumn(2).append(10 * i);
    run.doubleColumn(3).append(10 * i + 15);
}
Plots.replay(run)
"""


@pytest.fixture(scope="module")
def replay() -> Iterator[Path]:
    """An executed notebook with a replay, in a folder of its own that JupyterLab can reach."""
    folder = Path(tempfile.mkdtemp(prefix="replay-", dir=ROOT / "build"))
    path = folder / "replay.ipynb"
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "java", "display_name": "Java"}})
    notebook.cells = [nbformat.v4.new_code_cell(REPLAY)]
    nbformat.write(notebook, path)
    session = Session(path)
    with session.kernel():
        nbformat.write(session.run_all().notebook, path)
    yield path
    shutil.rmtree(folder)


class Player:
    """One player on a page, used as a reader would."""

    def __init__(self, browser: webdriver.Chrome) -> None:
        self.browser = browser
        self.host = WebDriverWait(browser, 30).until(
            lambda b: b.find_elements(By.CLASS_NAME, "threadlab-player")
        )[0]
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", self.host)

    def part(self, selector: str) -> WebElement:
        return self.host.shadow_root.find_element(By.CSS_SELECTOR, selector)

    def click(self, name: str) -> None:
        buttons = self.host.shadow_root.find_elements(By.CSS_SELECTOR, "button")
        next(button for button in buttons if button.text == name).click()

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


def saved(replay: Path, tmp_path: Path) -> str:
    """The address of a saved page with the replay."""
    page = tmp_path / "replay.html"
    page.write_text(HTMLExporter().from_filename(str(replay))[0], encoding="utf-8")
    return page.as_uri()


def test_a_replay_of_a_saved_page_plays_pauses_steps_and_is_dragged(
    browser: webdriver.Chrome, replay: Path, tmp_path: Path
) -> None:
    browser.set_window_size(1400, 1000)
    browser.get(saved(replay, tmp_path))
    player = Player(browser)
    player.stop()
    player.press(Keys.HOME)
    assert player.says == "0 ms: v1 mounted"
    player.click("Step on")
    assert player.says == "10 ms: v1, v2 mounted"
    player.press(Keys.ARROW_RIGHT)
    assert player.part("input").get_attribute("aria-valuetext") == player.says == "15 ms: v2 mounted"
    player.click("Step back")
    player.press(Keys.ARROW_LEFT)
    assert player.says == "0 ms: v1 mounted"

    player.press(Keys.SPACE)
    WebDriverWait(browser, 30).until(lambda _: player.says == "85 ms: no thread mounted")

    plot = player.part("svg[role=img]")
    ActionChains(browser).move_to_element(plot).click().perform()
    assert re.fullmatch("4[23] ms: v1, v4 mounted", player.says), player.says
    left = -round(plot.rect["width"] / 4)
    drag = ActionChains(browser).move_to_element(plot).click_and_hold().move_by_offset(left, 0)
    drag.release().perform()
    assert re.fullmatch("2[12] ms: v2, v3 mounted", player.says), player.says
    browser.set_window_size(480, 1000)
    right = browser.execute_script("return arguments[0].getBoundingClientRect().right", player.host)
    assert right <= browser.execute_script("return document.documentElement.clientWidth")


def test_a_replay_keeps_still_for_readers_who_want_no_motion(
    browser: webdriver.Chrome, replay: Path, tmp_path: Path
) -> None:
    reduced = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", reduced)
    try:
        browser.get(saved(replay, tmp_path))
        time.sleep(0.5)
        assert Player(browser).says == "85 ms: no thread mounted"
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_replay_in_the_lab_keeps_its_keys_to_itself(
    browser: webdriver.Chrome, replay: Path, tmp_path: Path
) -> None:
    browser.set_window_size(1400, 1000)
    with lab(tmp_path) as address:
        open_notebook(browser, address, replay.relative_to(ROOT).as_posix())
        command(browser, "runmenu:run-all")
        player = Player(browser)
        active = "return window.jupyterapp.shell.currentWidget.content.activeCellIndex"
        player.stop()
        player.press(Keys.HOME)
        there = browser.execute_script(active)
        player.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN)
        assert player.says == "15 ms: v2 mounted"
        assert browser.execute_script(active) == there
