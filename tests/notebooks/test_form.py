"""The notebooks as they are stored: the form that all of them share. Costs a second."""

import re
import statistics
from pathlib import Path

import nbformat
import pytest
from notebooks.runs import NOTEBOOKS, code_cells, read

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@every_notebook
def test_the_stored_notebook_has_the_course_s_form(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "java"
    assert all(not cell.outputs and cell.execution_count is None for cell in code_cells(notebook))

    head, tail = notebook.cells[0].source, notebook.cells[-1].source
    assert re.match(rf"# {path.name[:2]} · [A-Z]\w+ ", head), "the title starts with the number and a verb"
    for part in ("What you'll do", "What you'll learn", "What you'll need", "Time"):
        assert f"**{part}" in head
    for part in ("Key points", "In practice", "Further reading"):
        assert f"## {part}" in tail
    for part in ("On your own", "](glossary.md#"):
        assert any(part in cell.source for cell in notebook.cells)
    assert code_cells(notebook)[-1].source == "Claims.table()", "the last code cell lists the claims"

    lines = [
        sum(1 for line in cell.source.splitlines() if line.strip())
        for cell in code_cells(notebook)
        if "solution" not in cell.metadata.get("tags", [])
    ]
    assert statistics.median(lines) <= 6
    assert statistics.quantiles(lines, n=10)[-1] <= 15
    assert max(lines) <= 30
    wide = [line for cell in code_cells(notebook) for line in cell.source.splitlines() if len(line) > 100]
    assert not wide, "lines that need a scroll bar on the page"
