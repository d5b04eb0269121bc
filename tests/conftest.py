"""What the tests share: kernels and a browser, and which tests run in a row in one worker.

tools/notebooks/check.py says which files belong to which level.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from bootstrap.environment import python_path
from cells import Kernel, started


def pytest_configure() -> None:
    """Lets tools that tests start import the others by their folder, as when the set-up starts them."""
    os.environ |= python_path()


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a file share what it sets up, so one worker runs them, unless the file says otherwise."""
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    """A kernel of the test's own, to be interrupted, restarted or observed from outside."""
    (tmp_path / "temporary").mkdir()
    with started(tmp_path / "temporary") as own:
        yield own


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel for all tests of a file that only run cells."""
    with started(tmp_path_factory.mktemp("temporary")) as kernel:
        yield kernel


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser without a window. If none can be started, the test is skipped."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no Chromium with its chromedriver (Debian: apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    switches = "headless=new no-sandbox disable-gpu disable-dev-shm-usage no-first-run disable-sync"
    switches += " disable-background-networking disable-component-update window-size=1400,1000"
    for argument in [*switches.split(), f"user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()
