"""What the tests share: which run when, beside which others, and what they print of the notebooks' runs.

An unmarked test is part of `make test` and runs side by side with others, so it judges no timing.
`make test-all` runs those marked `deep`, also side by side, those marked `paired`, two at a time with
nothing else beside them, and those marked `alone`, one after the other.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from selenium import webdriver
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from bootstrap.launch import python_path
from notebooks.runs import Specs, own_ports

# What takes longest, in this order: it begins first, so that no worker is left with it at the end.
LONGEST = (
    # paired, and deep
    *("case-2", "case"),
    *("test_image", "test_hostile", "test_walk", "test_homework", "test_leftovers"),
    *("test_lab", "test_environments", "test_site", "test_bundle", "test_image_notebooks", "test_fetch"),
    *("homework-15", "homework-05", "test_classroom", "homework"),
    # of the notebooks, each twice
    *("07", "14", "10", "09", "05", "12", "11", "08", "04", "13", "06", "01", "03", "02", "15"),
    *("test_children", "test_kernel", "00", "test_setup"),
)


def group(nodeid: str) -> str:
    """The tests that one worker runs in a row: those of one notebook's run, else those of one file.

    The cases of the diagnosis, and each notebook's homework, are groups of their own.
    """
    for kind, test in (
        ("", r"test_notebooks\.py::"),
        ("case-", r"test_diagnosis\.py::"),
        ("homework-", "::test_the_judge"),
    ):
        if found := re.search(test + r".*\[(.+)\]", nodeid):
            return kind + found[1]
    return Path(nodeid.partition("::")[0]).stem


def rank(nodeid: str) -> int:
    """The place among the longest; a notebook that is not named there comes first, other tests last."""
    name = group(nodeid)
    for place, longest in enumerate(LONGEST):
        if name == longest or name.startswith(longest + "-"):
            return place
    return len(LONGEST) * name.startswith("test_")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: rank(item.nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = group  # the one thing that its documentation tells to replace
    return scheduler


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what the tests have to tell of the notebooks that they ran."""
    told = {
        text
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, text in getattr(report, "user_properties", [])
        if name == "told"
    }
    for text in sorted(told):
        terminalreporter.write_line(text)


def pytest_configure() -> None:
    """The tools that tests start import the others by their room, as where the set-up starts them."""
    os.environ |= python_path()


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    """A kernel that keeps its temporary files in a folder of the test's."""
    (tmp_path / "temporary").mkdir()
    specs = Specs(tmp_path / "temporary")
    manager = KernelManager(kernel_name="java", kernel_spec_manager=specs, **own_ports())
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=150)  # several start side by side, on a machine that may be busy
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser without a window. A test without one to start is skipped."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no Chromium with its chromedriver (Debian: apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1400,1000",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()
