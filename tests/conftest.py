"""What the tests share: which run when, beside which others, and what they print of the notebooks' runs.

An unmarked test is part of `make test` and runs side by side with others, so it judges no timing.
`make test-all` runs those marked `deep`, also side by side, and those marked `alone`, one after the other.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from course import NOTEBOOKS, code_cells, read
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

SIZE = {path.stem: len(code_cells(read(path))) for path in NOTEBOOKS}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Makes the tests of one notebook, or of one file, a group that one worker runs; long notebooks first."""

    def group(item: pytest.Item) -> str:
        path = getattr(item, "callspec", None) and item.callspec.params.get("ran")
        return path.stem if isinstance(path, Path) else item.path.stem

    for item in items:
        item.add_marker(pytest.mark.xdist_group(group(item)))
    items.sort(key=lambda item: -SIZE.get(group(item), 0))


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


@pytest.fixture
def kernel() -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager, client = start_new_kernel(kernel_name="java", startup_timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
