"""What the tests share: when each test runs, beside which others, and how long each group took.

An unmarked test is part of `make test` and runs side by side with others, so it judges no timing.
`make test-all` runs those marked `deep`, also side by side, those marked `paired`, two at a time with
nothing else beside them, and those marked `alone`, one after the other.

Tests of one group run in a row in one worker. The group that took longest in the last run begins first, so
that no worker is left with it at the end. Without a record the programs' tests begin, then the notebooks with
the most cells.
"""

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from selenium import webdriver
from bootstrap.environment import python_path
from notebooks.runs import DIVES, NOTEBOOKS, Specs, own_ports, read

SECONDS = "threadlab/seconds"


def group(nodeid: str) -> str:
    """The tests that one worker runs in a row: those of one notebook's run, otherwise those of one file.

    The cases of the diagnosis, and each notebook's homework, are groups of their own.
    """
    file, _, test = nodeid.partition("::")
    name = Path(file).stem
    apart = name in ("test_notebooks", "test_small", "test_diagnosis") or "test_the_judge" in test
    found = re.search(r"\[(.+)\]", test)
    # without brackets: xdist takes a name that ends with one as a parameter, not as a group
    return f"{name}-{found[1]}" if apart and found else name


def cells() -> dict[str, int]:
    """The number of cells of each notebook."""
    return {path.stem: len(read(path).cells) for path in [*NOTEBOOKS, *DIVES]}


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    groups = {item: group(item.nodeid) for item in items}
    seconds = config.cache.get(SECONDS, {})
    tests, sizes = Counter(groups.values()), cells()

    def length(name: str) -> tuple[float, int]:
        # tests of programs begin before any notebook: nothing says how long they take
        size = next((size for stem, size in sizes.items() if stem in name), 1_000 * tests[name])
        return seconds.get(name, float("inf")), size

    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups[item]))
    items.sort(key=lambda item: (*(-figure for figure in length(groups[item])), groups[item]))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Reports it if xdist ignores the groups: each test would start a kernel of its own."""
    if session.config.getoption("loadgroup", False) and session.items:
        first = session.items[0].nodeid
        assert first.endswith(f"@{group(first.partition('@')[0])}"), f"{first} has lost its group"


def pytest_configure() -> None:
    """Lets tools that tests start import the others by their folder, as when the set-up starts them."""
    os.environ |= python_path()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Keeps how long each group took."""
    config = terminalreporter.config
    if hasattr(config, "workerinput"):
        return
    took: Counter[str] = Counter()
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        if hasattr(report, "duration"):
            took[group(report.nodeid.partition("@")[0])] += report.duration
    config.cache.set(SECONDS, config.cache.get(SECONDS, {}) | {name: round(s, 1) for name, s in took.items()})


@contextmanager
def started(folder: Path) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    """A kernel that keeps its temporary files in a folder."""
    manager = KernelManager(kernel_name="java", kernel_spec_manager=Specs(folder), **own_ports())
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=150)  # several start in parallel, on a machine that may be busy
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    """A kernel of the test's own, to be interrupted, restarted or observed from outside."""
    (tmp_path / "temporary").mkdir()
    with started(tmp_path / "temporary") as own:
        yield own


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
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
