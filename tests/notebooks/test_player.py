"""The player of a replay in a saved page and in JupyterLab. Takes half a minute."""

import re
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
from lab_page import command, lab, notebook_of, open_notebook
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


# what it says of the row below the lanes when nobody is there; before their first stretch threads are nowhere
NONE = ", sleeps or waits: 0"


@pytest.fixture(scope="module")
def replay() -> Iterator[Path]:
    """An executed notebook with a replay, in a folder of its own that JupyterLab can reach."""
    with notebook_of(REPLAY) as path:
        session = Session(path)
        with session.kernel():
            nbformat.write(session.run_all().notebook, path)
        yield path


class Player:
    """One player on a page, used as a reader would."""

    def __init__(self, browser: webdriver.Chrome) -> None:
        wait = WebDriverWait(browser, 30)
        self.host = wait.until(lambda b: b.find_elements(By.CLASS_NAME, "threadlab-player"))[0]
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", self.host)

    def pause(self, browser: webdriver.Chrome) -> None:
        """It plays by itself as soon as it is seen."""
        WebDriverWait(browser, 30).until(lambda _: self.part("button").text == "Pause")
        self.part("button").click()
        self.press(Keys.HOME)
        assert self.part("button").text == "Play" and self.says == f"0 ms: v1 mounted{NONE}"

    def part(self, selector: str) -> WebElement:
        return self.host.shadow_root.find_element(By.CSS_SELECTOR, selector)

    @property
    def says(self) -> str:
        return self.part("output").text

    def chip(self, name: str) -> WebElement:
        chips = self.host.shadow_root.find_elements(By.CSS_SELECTOR, ".chip")
        return next(chip for chip in chips if chip.text == name)

    def press(self, *keys: str) -> None:
        self.part("input").send_keys(*keys)


def test_a_replay_of_a_saved_page_plays_pauses_steps_and_is_dragged(
    browser: webdriver.Chrome, replay: Path, tmp_path: Path
) -> None:
    page = tmp_path / "replay.html"
    page.write_text(HTMLExporter().from_filename(str(replay))[0], encoding="utf-8")
    browser.set_window_size(1400, 1000)
    browser.get(page.as_uri())
    player = Player(browser)
    player.pause(browser)
    buttons = {one.text: one for one in player.host.shadow_root.find_elements(By.CSS_SELECTOR, "button")}
    buttons["Step on"].click()
    assert player.says == f"10 ms: v1, v2 mounted{NONE}"
    player.press(Keys.ARROW_RIGHT)
    assert player.part("input").get_attribute("aria-valuetext") == player.says
    assert player.says == "15 ms: v2 mounted, sleeps or waits: 1"
    buttons["Step back"].click()
    player.press(Keys.ARROW_LEFT)
    assert player.says == f"0 ms: v1 mounted{NONE}"
    player.press(Keys.SPACE)
    WebDriverWait(browser, 30).until(lambda _: player.says == f"85 ms: no thread mounted{NONE}")
    plot = player.part("svg[role=img]")
    # below two lanes of 34 pixels, at 42 ms, v2 and v3 rest; the strip of v2 is the nearer one
    up = -round(plot.rect["height"] / 2)
    ActionChains(browser).move_to_element_with_offset(plot, 0, up + 80).click().perform()
    assert re.fullmatch(r"4[23] ms: v2 sleeps or waits", player.says), player.says
    assert player.chip("v2").get_attribute("aria-pressed") == "true"
    player.press(Keys.HOME)
    assert player.says == "0 ms: v2 is not recorded"
    steps = []
    for _ in range(4):
        player.press(Keys.ARROW_RIGHT)
        steps.append(player.says)
    assert steps == [
        "10 ms: v2 mounted on worker-2",
        "25 ms: v2 sleeps or waits",
        "50 ms: v2 mounted on worker-2",
        "65 ms: v2 is not recorded",
    ]
    player.press(Keys.ESCAPE, Keys.HOME)
    assert player.says == f"0 ms: v1 mounted{NONE}"
    player.chip("v1").send_keys(Keys.ENTER)
    assert player.says == "0 ms: v1 mounted on worker-1"
    # two bars and a rest, each once pale and once in colour
    assert len(player.host.shadow_root.find_elements(By.CSS_SELECTOR, "g.followed")) == 6
    player.chip("v1").click()
    left = -round(plot.rect["width"] / 4)
    drag = ActionChains(browser).move_to_element(plot).click_and_hold().move_by_offset(left, 0)
    drag.release().perform()
    assert re.fullmatch("2[12] ms: v2, v3 mounted, sleeps or waits: 1", player.says), player.says
    # readers who want no motion see the end
    reduced = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", reduced)
    browser.refresh()
    assert Player(browser).says == f"85 ms: no thread mounted{NONE}"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_replay_in_the_lab_keeps_its_keys_to_itself(
    browser: webdriver.Chrome, replay: Path, tmp_path: Path
) -> None:
    with lab(tmp_path) as address:
        open_notebook(browser, address, replay.relative_to(ROOT).as_posix())
        command(browser, "runmenu:run-all")
        player = Player(browser)
        player.pause(browser)
        active = "return window.jupyterapp.shell.currentWidget.content.activeCellIndex"
        there = browser.execute_script(active)
        player.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN)
        assert player.says == "15 ms: v2 mounted, sleeps or waits: 1"
        assert browser.execute_script(active) == there
