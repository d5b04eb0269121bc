"""An experiment that outlives its cell: what ends it, and its sliders in JupyterLab. Takes a minute."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from axe import judge, told
from bootstrap.places import ROOT
from cells import Kernel, run, value
from lab_page import ACTIVE, command, lab, notebook_of, open_notebook, outputs, run_cell
from notebooks.runs import until

VIEW = "application/vnd.jupyter.widget-view+json"
CONTROLS = """
var here = Slider.of("visitors inside", 1, 50, 8);
var freeze = Button.of("freeze", Duration.ofSeconds(1));
var over = new AtomicBoolean();
"""
# as many stay inside as the slider says, and while the button is down, nobody comes or goes
CROWD = """
var crowd = Running.with(here, freeze).doing(visitors -> {
    try (var pool = Executors.newFixedThreadPool(50)) {
        var inside = new ArrayDeque<Visit>();
        while (true) {
            Thread.sleep(freeze.left());
            while (inside.size() > here.value()) inside.remove().ends();
            if (!inside.isEmpty()) inside.remove().ends();
            while (inside.size() < here.value()) {
                inside.add(visitors.arrives(System.nanoTime()));
                inside.getLast().begins();
            }
            pool.submit(() -> { Thread.sleep(Duration.ofDays(1)); return null; });
            Thread.sleep(20);
        }
    } finally {
        over.set(true);
    }
});
"""
LEFT = """over + " " + Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("pool-")).count()"""


class Page:
    """What a page of the experiment hears and says."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager, self.client = manager, client
        run(client, CONTROLS)
        assert run(client, CROWD)[0]["status"] == "ok"
        _, published = run(client, "crowd")
        [opened] = [each for each in published if each["type"] == "comm_open"]
        [self.view] = [each for each in published if each["type"] == "display_data"]
        self.comm, self.state = opened["comm_id"], opened["data"]["state"]

    def say(self, **content: Any) -> None:
        data = {"method": "custom", "content": content}
        self.client.shell_channel.send(
            self.client.session.msg("comm_msg", {"comm_id": self.comm, "data": data})
        )

    def heard(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first state that fits; fails after a minute of silence."""
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            now = message["content"].get("data", {}).get("state", {}).get("now", {})
            if message["msg_type"] == "comm_msg" and fits(now):
                return now

    def replaced(self) -> dict[str, Any]:
        """What takes the place of the widget."""
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["msg_type"] == "update_display_data":
                assert message["content"]["transient"] == self.view["transient"]
                return message["content"]["data"]


@pytest.fixture
def page(shared: Kernel) -> Page:
    return Page(*shared)


def test_it_obeys_its_page_between_two_cells_and_the_next_cell_ends_it(page: Page) -> None:
    words = page.view["data"]["text/plain"]
    assert words.startswith("A running experiment: visitors inside 8. Where no sliders are shown")
    assert [each["name"] for each in page.state["controls"]] == ["visitors inside", "freeze"]
    page.heard(lambda now: round(now.get("inside", 0)) == 8)
    page.say(control=0, value=30, by="me")
    moved = page.heard(lambda now: round(now.get("inside", 0)) == 30)
    assert moved["bands"] == []
    assert moved["product"] == pytest.approx(moved["perSecond"] * moved["latency"])
    page.say(control=1)
    frozen = page.heard(lambda now: bool(now.get("bands")))
    [[begin, end]] = frozen["bands"]
    assert end - begin == pytest.approx(1)
    page.heard(lambda now: now.get("seconds", 0) > 4)  # enough for a chart

    _, published = run(page.client, LEFT)
    [result] = [each["data"]["text/plain"] for each in published if each["type"] == "execute_result"]
    assert result == "true 0", "it ends before the next cell begins, and leaves no thread"
    [ended] = [each["data"] for each in published if each["type"] == "update_display_data"]
    assert "when the next cell began" in ended["text/plain"]
    assert VIEW not in ended and "image/png" in ended, "a stored notebook has a chart of the run"
    assert "comm_close" in [each["type"] for each in published]


def test_in_run_all_it_leaves_only_words(shared: Kernel) -> None:
    page = Page(*shared)
    _, published = run(page.client, LEFT)
    [ended] = [each["data"] for each in published if each["type"] == "update_display_data"]
    assert list(ended) == ["text/plain"]
    assert "To run it again, run this cell alone." in ended["text/plain"]


def test_an_interrupt_between_two_cells_ends_it(page: Page) -> None:
    page.manager.interrupt_kernel()
    assert page.replaced()["text/plain"].startswith("Interrupted after")
    assert value(page.client, LEFT) == "true 0"


def test_it_ends_by_itself(page: Page) -> None:
    run(
        page.client,
        """
        var shorter = Running.class.getDeclaredMethod("lasting", Duration.class);
        shorter.setAccessible(true);
        """,
    )
    _, published = run(page.client, "shorter.invoke(crowd, Duration.ofMillis(1))")
    page.view = next(each for each in published if each["type"] == "display_data")
    data = next((each["data"] for each in published if each["type"] == "update_display_data"), None)
    assert (data or page.replaced())["text/plain"].startswith("Ended after 0.")
    assert value(page.client, LEFT) == "true 0"


def test_it_ends_with_the_kernel(kernel: Kernel) -> None:
    manager, client = kernel
    Page(manager, client)
    client.shutdown()
    until("the kernel has ended", lambda: not manager.is_alive(), 30)


def test_a_reader_moves_a_slider_and_freezes_it(browser: webdriver.Chrome, tmp_path: Path) -> None:
    with notebook_of(CONTROLS, CROWD + "crowd", LEFT) as notebook, lab(tmp_path) as address:
        open_notebook(browser, address, notebook.relative_to(ROOT).as_posix())
        run_cell(browser, 0)
        run_cell(browser, 1)
        wait = WebDriverWait(browser, 60, poll_frequency=0.2)
        wait.until(lambda b: b.find_elements(By.CSS_SELECTOR, ".running .law b"))
        box = browser.find_element(By.CSS_SELECTOR, ".running")

        def says(words: str) -> None:
            wait.until(lambda b: words in box.text, f"{words}: {box.text}")

        says("L = 8 ")
        slider = box.find_element(By.CSS_SELECTOR, "input")
        assert slider.accessible_name == "visitors inside"
        slider.click()  # in the middle
        says(f"L = {slider.get_attribute('value')} ")
        active = browser.execute_script(ACTIVE)
        ActionChains(browser).send_keys(Keys.END).perform()
        says("L = 50 ")
        ActionChains(browser).send_keys(Keys.ARROW_LEFT, Keys.ARROW_DOWN).perform()
        says("L = 48 ")
        assert browser.execute_script(ACTIVE) == active, "keys of a slider are not the page's"

        box.find_element(By.CSS_SELECTOR, "button").click()
        wait.until(lambda b: len(box.find_elements(By.CSS_SELECTOR, "svg .band")) == 3)
        found = [rule for rule in judge(browser) if any("running" in str(node) for node in rule["nodes"])]
        assert told(found) == []

        # as narrow as a phone
        command(browser, "application:toggle-left-area")
        browser.set_window_size(500, 900)
        wait.until(lambda b: box.rect["width"] < 400)
        assert browser.execute_script("return arguments[0].scrollWidth <= arguments[0].clientWidth", box), (
            "nothing is cut off"
        )
        browser.set_window_size(1400, 1000)

        run_cell(browser, 2)
        words = [output.get("data", {}).get("text/plain", "") for output in outputs(browser)]
        assert any("when the next cell began" in text for text in words), words
        assert words[-1] == "true 0"
        assert not any(VIEW in output.get("data", {}) for output in outputs(browser)), (
            "a stored notebook has no widget"
        )
        command(browser, "kernelmenu:shutdown")
