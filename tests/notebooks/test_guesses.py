"""A guess in JupyterLab: drawn by mouse, finger and keys, laid under the run, kept. Takes a minute."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from axe import judge, told
from bootstrap.places import ROOT
from clients import clients
from lab_page import ACTIVE, command, lab, notebook_of, open_notebook, outputs
from lab_page import run_cell as run
from notebooks.page import Page
from notebooks.runs import until

VIEW = "application/vnd.jupyter.widget-view+json"
LINE = """
var line = Guess.line("n short tasks", "seconds", 10, 100, 1_000).between(0.01, 100);
line
"""
NUMBER = """
var number = Guess.count("CPUs here", "CPUs").between(1, 1_000);
number
"""
RUN = """
var measured = Trials.of("n short tasks").virtual(n -> Thread.sleep(20)).sizes(10, 100, 1_000).repeat(1)
        .live(trials -> Plots.guessed(Plots.timings(trials), line)).run();
"""
SMALLEST = """
const texts = [...arguments[0].querySelectorAll('text')].filter(text => text.textContent);
return Math.min(...texts.map(text => text.getBoundingClientRect().height));
"""
CLAIMS = """
display(Claim.that("they take 20 ms", measured).guess(line).predicted(0.02).atMost(9));
Claim.that("CPUs", Machine.here().cpus()).guess(number).atMost(512)
"""


CHOICE = """
var choice = Guess.choice("how many of eight threads begin", "two", "five", "eight");
choice
"""
ORDER = """
var order = Guess.order("memory, the least first", "platform", "future", "virtual");
order
"""
LANES = """
var lanes = Guess.lanes("two threads", "first", "second").upTo(100).bars(30, "v1", "v2", "v1");
lanes
"""
COMPARED = """
display(choice.was("eight"));
display(Claim.that("future is less", 1).guess(order, List.of("future", "virtual", "platform")).atMost(2));
var run = new MountTrace();
try (var busy = run.mounted()) { Thread.sleep(20); }
display(Plots.guessed(Plots.timeline(run.table()), lanes));
Claim.that("they end (ms)", 60).guess(lanes).atMost(99)
"""


@pytest.fixture
def notebook() -> Iterator[Path]:
    """A notebook with two guesses."""
    with notebook_of(LINE, NUMBER, RUN, CLAIMS) as file:
        yield file


def boxes(browser: webdriver.Chrome) -> list[WebElement]:
    return browser.find_elements(By.CSS_SELECTOR, ".jp-NotebookPanel:not(.lm-mod-hidden) .guess")


def box(browser: webdriver.Chrome, cell: int) -> WebElement:
    """The place for a guess that is the output of a cell."""
    path = f".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell:nth-child({cell + 1} of .jp-Cell) .guess .said"
    WebDriverWait(browser, 60, poll_frequency=0.1).until(lambda b: b.find_elements(By.CSS_SELECTOR, path))
    return browser.find_element(By.CSS_SELECTOR, path.removesuffix(" .said"))


def said(guess: WebElement) -> str:
    return guess.find_element(By.TAG_NAME, "output").text


def says(browser: webdriver.Chrome, guess: WebElement, words: str) -> None:
    WebDriverWait(browser, 20, poll_frequency=0.1).until(
        lambda b: words in said(guess), f"{words}: {said(guess)}"
    )


def draw(browser: webdriver.Chrome, guess: WebElement) -> None:
    """With the mouse, from the left edge to the right one, rising."""
    sheet = guess.find_element(By.CSS_SELECTOR, ".sheet")
    wide, high = sheet.rect["width"], sheet.rect["height"]
    pen = ActionChains(browser, duration=30)
    pen.move_to_element_with_offset(sheet, round(-wide / 2) + 5, round(high / 4)).click_and_hold()
    for step in range(1, 7):
        pen.move_to_element_with_offset(
            sheet, round(-wide / 2) + 5 + round(step * (wide - 10) / 6), round(high / 4 - step * high / 12)
        )
    pen.release().perform()


def tap(browser: webdriver.Chrome, guess: WebElement) -> None:
    """With a finger, in the middle."""
    finger = ActionBuilder(browser, mouse=PointerInput(POINTER_TOUCH, "finger"))
    finger.pointer_action.move_to(guess.find_element(By.CSS_SELECTOR, ".sheet")).pointer_down().pointer_up()
    finger.perform()


def test_a_guess_is_drawn_compared_and_kept(
    browser: webdriver.Chrome, tmp_path: Path, notebook: Path
) -> None:
    with lab(tmp_path) as address:
        name = notebook.relative_to(ROOT).as_posix()
        open_notebook(browser, address, name)
        run(browser, 0)
        run(browser, 1)
        line, number = box(browser, 0), box(browser, 1)
        assert (said(line), said(number)) == ("", ""), "nothing is guessed for the reader"

        draw(browser, line)
        for size in ("10", "100", "1,000"):
            assert f" s at {size}" in said(line)
        drawn = said(line)
        tap(browser, number)
        says(browser, number, "Your guess: 32")

        # keys: the first handle of the line, up, then undone
        handle = line.find_element(By.CSS_SELECTOR, ".handle")
        browser.execute_script(
            "document.activeElement.blur(); arguments[0].focus({focusVisible: true})", handle
        )
        active = browser.execute_script(ACTIVE)
        ActionChains(browser).send_keys(Keys.PAGE_UP).perform()
        assert said(line) != drawn
        assert handle.get_attribute("aria-valuetext") in said(line), "what a screen reader says"
        ActionChains(browser).send_keys(Keys.BACKSPACE).perform()
        assert said(line) == drawn
        assert browser.execute_script(ACTIVE) == active, "keys of the guess are not the page's"
        found = [
            rule
            for rule in judge(browser)
            if any(".guess" in str(node) or "handle" in str(node) for node in rule["nodes"])
        ]
        assert told(found) == []

        browser.execute_script("arguments[0].focus()", number.find_element(By.CSS_SELECTOR, ".handle"))
        ActionChains(browser).send_keys("16").perform()
        says(browser, number, "Your guess: 16")
        ActionChains(browser).send_keys(Keys.BACKSPACE).perform()
        says(browser, number, "Your guess: 32")

        # as narrow as a phone
        command(browser, "application:toggle-left-area")
        browser.set_window_size(500, 900)
        WebDriverWait(browser, 20).until(lambda b: line.rect["width"] < 400)
        assert said(line) == drawn
        assert browser.execute_script(SMALLEST, line) > 12, "px"
        browser.set_window_size(1400, 1000)
        command(browser, "application:toggle-left-area")

        # loaded again beside the running kernel, the place for the guess still knows it
        command(browser, "docmanager:save")
        dirty = "return window.jupyterapp.shell.currentWidget.context.model.dirty"
        WebDriverWait(browser, 20).until(lambda b: not b.execute_script(dirty))
        open_notebook(browser, address, name)
        line = box(browser, 0)
        says(browser, line, drawn)
        draw(browser, line)

        # a kernel started again offers what was drawn
        command(browser, "kernelmenu:restart")
        button = ".jp-Dialog .jp-mod-warn, .jp-Dialog .jp-mod-accept:last-child"
        WebDriverWait(browser, 20).until(lambda b: b.find_elements(By.CSS_SELECTOR, button))[-1].click()
        state = "return window.jupyterapp.shell.currentWidget.sessionContext.kernelDisplayStatus"
        WebDriverWait(browser, 60).until(lambda b: b.execute_script(state) == "idle")
        run(browser, 0)
        run(browser, 1)
        says(browser, box(browser, 0), drawn.replace("Your guess:", "Kept from last time:"))
        says(browser, box(browser, 1), "Kept from last time: 32")

        run(browser, 2)
        run(browser, 3)
        made = outputs(browser)
        alts = [
            output.metadata["image/png"]["alt"] for output in made if "image/png" in output.get("data", {})
        ]
        assert len(alts) == 1 and "your guess" in alts[0]
        words = [output.data["text/plain"] for output in made if "text/plain" in output.get("data", {})]
        assert any("You drew " in text and " s at 1,000; it was " in text for text in words), words
        assert any("You guessed 32; it was " in text for text in words), words
        assert not any(VIEW in output.get("data", {}) for output in made), "a stored notebook has no widget"
        assert not boxes(browser)
        assert sum("To guess again, run this cell." in text for text in words) == 2

        # in the evening, with another kernel
        command(browser, "docmanager:save")
        WebDriverWait(browser, 20).until(lambda b: not b.execute_script(dirty))
        command(browser, "kernelmenu:shutdown")
        open_notebook(browser, address, name)
        images = "return [...document.querySelectorAll('.jp-OutputArea-output img')].map(image => image.alt)"
        WebDriverWait(browser, 20).until(
            lambda b: any("your guess" in alt for alt in b.execute_script(images))
        )
        page = browser.find_element(By.CSS_SELECTOR, ".jp-NotebookPanel:not(.lm-mod-hidden)").text
        assert "To guess again, run this cell." in page and "Error displaying widget" not in page
        command(browser, "kernelmenu:shutdown")


def touch(browser: webdriver.Chrome, what: WebElement, by: tuple[int, int] = (0, 0)) -> None:
    """With a finger, from the middle of something, as far as it is told."""
    finger = ActionBuilder(browser, mouse=PointerInput(POINTER_TOUCH, "finger"), duration=50)
    finger.pointer_action.move_to(what).pointer_down().move_by(*by).pointer_up()
    finger.perform()


def keys(browser: webdriver.Chrome, what: WebElement, *pressed: str) -> None:
    browser.execute_script("document.activeElement.blur(); arguments[0].focus({focusVisible: true})", what)
    ActionChains(browser).send_keys(*pressed).perform()


def test_a_choice_an_order_and_bars_are_made_compared_and_kept(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    with notebook_of(CHOICE, ORDER, LANES, COMPARED) as notebook, lab(tmp_path) as address:
        open_notebook(browser, address, notebook.relative_to(ROOT).as_posix())
        for cell in range(3):
            run(browser, cell)
        choice, order, lanes = (box(browser, cell) for cell in range(3))
        assert [said(choice), said(order), said(lanes)] == ["", "", ""], "nothing is guessed for the reader"
        active = browser.execute_script(ACTIVE)

        options = choice.find_elements(By.TAG_NAME, "label")
        options[0].click()
        says(browser, choice, "Your guess: two")
        touch(browser, options[2])
        says(browser, choice, "Your guess: eight")
        keys(browser, choice.find_elements(By.TAG_NAME, "input")[2], Keys.ARROW_UP)
        says(browser, choice, "Your guess: five")
        ActionChains(browser).send_keys(Keys.BACKSPACE).perform()
        says(browser, choice, "Your guess: eight")

        platform, future, _ = order.find_elements(By.TAG_NAME, "li")
        ActionChains(browser, duration=50).move_to_element_with_offset(
            platform, -60, 0
        ).click_and_hold().move_by_offset(0, 60).move_by_offset(0, 60).release().perform()
        says(browser, order, "Your guess: 1. future · 2. virtual · 3. platform")
        touch(browser, future.find_element(By.TAG_NAME, "span"), (0, 60))
        says(browser, order, "1. virtual · 2. future")
        down = future.find_element(By.CSS_SELECTOR, "[aria-label='future: down']")
        keys(browser, down, Keys.ENTER)
        says(browser, order, "1. virtual · 2. platform · 3. future")
        ActionChains(browser).send_keys(Keys.ARROW_UP, Keys.BACKSPACE, Keys.BACKSPACE).perform()
        says(browser, order, "1. virtual · 2. future · 3. platform")

        sheet = lanes.find_element(By.CSS_SELECTOR, ".sheet")
        bars = [lanes.find_element(By.CSS_SELECTOR, f".bar[data-at='{i}']") for i in range(3)]
        wide, high = sheet.rect["width"], sheet.rect["height"]
        ActionChains(browser, duration=50).move_to_element(
            bars[1]
        ).click_and_hold().move_to_element_with_offset(
            sheet, round(-wide * 0.35), round(high / 4)
        ).release().perform()
        says(browser, lanes, "Your guess: second: v2 0 ms")
        touch(browser, sheet, (0, round(-high / 4)))
        says(browser, lanes, "Your guess: first: v1 50 ms · second: v2 0 ms")
        keys(browser, bars[2], Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
        says(browser, lanes, "first: v1 50 ms · second: v2 0 ms, v1 32 ms")
        ActionChains(browser).send_keys(Keys.BACKSPACE).perform()
        says(browser, lanes, "v1 30 ms")
        assert bars[2].get_attribute("aria-valuetext") == "second, 30 ms", "what a screen reader says"
        assert browser.execute_script(ACTIVE) == active, "keys of the guess are not the page's"
        found = [rule for rule in judge(browser) if any(".guess" in str(node) for node in rule["nodes"])]
        assert told(found) == []

        command(browser, "application:toggle-left-area")
        browser.set_window_size(500, 900)
        WebDriverWait(browser, 20).until(lambda b: lanes.rect["width"] < 400)
        assert browser.execute_script(SMALLEST, lanes) > 12, "px"
        assert "first: v1 50 ms" in said(lanes)
        browser.set_window_size(1400, 1000)
        command(browser, "application:toggle-left-area")

        for cell in range(3):  # run again, the cells offer what was made
            run(browser, cell)
        says(browser, box(browser, 0), "Kept from last time: eight")
        says(browser, box(browser, 1), "Kept from last time: 1. virtual · 2. future · 3. platform")
        says(browser, box(browser, 2), "Kept from last time: first: v1 50 ms · second: v2 0 ms, v1 30 ms")

        run(browser, 3)
        made = outputs(browser)
        words = " ".join(
            output.data["text/plain"] for output in made if "text/plain" in output.get("data", {})
        )
        assert "You chose eight: right." in words
        assert "You said virtual, future, platform; it was future, virtual, platform" in words
        assert "the yellow bars are your guess" in words
        assert "Your last bar ends at 80 ms; it was 60 ms: 33 % too high." in words
        assert not any(VIEW in output.get("data", {}) for output in made), "a stored notebook has no widget"
        assert not boxes(browser)
        command(browser, "kernelmenu:shutdown")


@contextmanager
def notebook_7(folder: Path) -> Iterator[str]:
    """Notebook 7; gives its address."""
    (folder / "jupyter_notebook_config.json").write_text(
        json.dumps({"JupyterNotebookApp": {"expose_app_in_browser": True}})
    )
    environment = os.environ | clients() | {"JUPYTER_CONFIG_PATH": str(folder), "THREADLAB_SCALE": "small"}
    log = folder / "notebook.log"
    start = [sys.executable, "-m", "notebook", "--no-browser", "--allow-root", f"--ServerApp.root_dir={ROOT}"]
    with log.open("w") as output:
        server = subprocess.Popen(start, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            address = re.compile(r"http://127\.0\.0\.1:\d+/tree\?token=\w+")
            yield until("Notebook 7 prints its address", lambda: address.search(log.read_text()), 90)[0]
        finally:
            server.terminate()
            server.wait(60)


@pytest.mark.release
def test_notebook_7_takes_a_guess_too(browser: webdriver.Chrome, tmp_path: Path, notebook: Path) -> None:
    with notebook_7(tmp_path) as address:
        browser.get(address.replace("/tree", f"/notebooks/{notebook.relative_to(ROOT).as_posix()}"))
        kernel = (
            "return window.jupyterapp?.shell.currentWidget?.sessionContext?.kernelDisplayStatus === 'idle'"
        )
        WebDriverWait(browser, 90).until(lambda b: b.execute_script(kernel))
        run(browser, 0)
        line = box(browser, 0)
        draw(browser, line)
        assert " s at 1,000" in said(line)
        for cell in (1, 2, 3):
            run(browser, cell)
        assert any("You drew " in output.get("data", {}).get("text/plain", "") for output in outputs(browser))
        command(browser, "kernelmenu:shutdown")


def test_a_page_without_widgets_shows_how_to_type_a_guess() -> None:
    view = {"version_major": 2, "version_minor": 0, "model_id": "gone"}
    words = "No guess yet. Where nothing can be drawn here, type it."
    output = nbformat.v4.new_output("display_data", data={VIEW: view, "text/plain": words})
    cell = nbformat.v4.new_code_cell("guess", outputs=[output])
    written, _ = Page().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert words in written
    assert "widget-view" not in written
