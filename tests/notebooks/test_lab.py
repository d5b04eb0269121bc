"""`make lab` as a reader meets it: address, page in a browser, a lesson run from its menu. Takes a minute."""

import re
import time
from contextlib import suppress
from pathlib import Path

from selenium import webdriver
from selenium.common import TimeoutException
from selenium.webdriver.support.ui import WebDriverWait
from lab_page import command, lab, open_notebook, shown
from notebooks.page import Page
from notebooks.runs import NOTEBOOKS, code_cells, errors, numbered, read

# Faults that a reader would notice: missing pictures, and content too wide for its place.
LOOK = """
const panel = window.jupyterapp.shell.currentWidget.node;
const wide = [];
for (const box of panel.querySelectorAll('.jp-OutputArea-output, .jp-RenderedMarkdown')) {
    const scrolls = ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
    if (!scrolls && box.scrollWidth > box.clientWidth + 2) wide.push(box.innerText.slice(0, 60));
}
const pictures = [...panel.querySelectorAll('.jp-OutputArea-output img')];
return {
    pictures: pictures.length,
    empty: pictures.filter(p => !p.naturalWidth || p.getBoundingClientRect().width < 200).length,
    cut: pictures.filter(p => p.getBoundingClientRect().right
            > p.closest('.jp-OutputArea-output').getBoundingClientRect().right + 2).length,
    wide: wide,
};
"""


def test_a_lesson_runs_from_its_page_which_shows_every_result(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    with lab(tmp_path) as address:
        open_notebook(browser, address, f"notebooks/{NOTEBOOKS[0].name}")
        state = "return window.jupyterapp.shell.currentWidget.sessionContext.kernelDisplayStatus"
        WebDriverWait(browser, 60).until(lambda b: b.execute_script(state) == "idle")
        time.sleep(3)  # the page changes a notebook, if at all, soon after it knows the kernel
        changed = "return window.jupyterapp.shell.currentWidget.context.model.dirty"
        assert not browser.execute_script(changed), "it was only opened"
        command(browser, "runmenu:run-all")
        WebDriverWait(browser, 180, poll_frequency=1).until(
            lambda b: all(cell.execution_count for cell in code_cells(shown(b)))
        )
        assert errors(shown(browser)) == []
        said = "return [...document.querySelectorAll('.jp-OutputArea-output img')].map(image => image.alt)"
        assert all(alt.startswith("Chart: ") for alt in browser.execute_script(said))
        outputs = [output for cell in code_cells(shown(browser)) for output in cell.outputs]
        drawn = sum("image/png" in output.get("data", {}) for output in outputs)
        assert drawn
        whole = {"pictures": drawn, "empty": 0, "cut": 0, "wide": []}
        for width in (1400, 800):
            browser.set_window_size(width, 1000)
            with suppress(TimeoutException):
                WebDriverWait(browser, 20).until(lambda b: b.execute_script(LOOK) == whole)
            assert browser.execute_script(LOOK) == whole, width
        command(browser, "kernelmenu:shutdown")


# The formulas: how many the browser draws, and how large the smallest is.
FORMULAS = """
const boxes = [...document.querySelectorAll('math')].map(formula => formula.getBoundingClientRect());
return [boxes.length, Math.min(...boxes.map(box => Math.min(box.width, box.height)))];
"""


def test_the_page_of_make_run_shows_formulas_without_a_network(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    notebook = read(numbered("01"))
    written, _ = Page().from_notebook_node(notebook)
    assert not re.findall(r"<(?:script|link|iframe)[^>]*", written), "nothing is fetched"
    file = tmp_path / "page.html"
    file.write_text(written, encoding="utf-8")
    browser.get(file.as_uri())
    formulas, smallest = browser.execute_script(FORMULAS)
    texts = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert formulas == len(re.findall(r"\$\$.+?\$\$|\$.+?\$", texts, re.DOTALL))
    assert smallest > 5, "px"
