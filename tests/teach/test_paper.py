"""Slides from the disk, printed pages and feedback, in a browser, from the last runs. Half a minute."""

import base64
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_output
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.print_page_options import PrintOptions
from axe import judge, told
from notebooks import claims
from notebooks.runs import NOTEBOOKS, code_cells, numbered, read, until
from teach import handouts, plans, slides
from teach.homework import make
from teach.plans import TEACHING, plan

PLAN = TEACHING / "plan-hall.md"
# what is cut off, the smallest letters, the numbers at the axes of a chart; the notes are not on the slide
SHOWN = """
const slide = Reveal.getCurrentSlide(), body = slide.querySelector('.body');
const out = [...slide.querySelectorAll('.body *')].map(e => e.getBoundingClientRect())
    .filter(box => box.width && (box.right > innerWidth + 1 || box.bottom > innerHeight + 1)).length;
const cut = body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1;
const chart = slide.querySelector('.window img');
const letters = [...body.querySelectorAll('p, li, td, th, pre')]
    .map(words => parseFloat(getComputedStyle(words).fontSize));
return {
    kind: slide.className.split(' ')[0], words: slide.innerText.slice(0, 80),
    cut: chart ? 0 : out + (cut ? 1 : 0), size: Math.min(99, ...letters),
    ticks: chart ? 13 * chart.getBoundingClientRect().width / 700 : 99, last: Reveal.isLastSlide(),
};
"""


def ran(path: Path) -> bool:
    """Whether make test-all has run this lesson with its present code."""
    kept = claims.SMALL / path.name
    sources = [[cell.source for cell in code_cells(read(file))] for file in (kept, path) if file.is_file()]
    return len(sources) == 2 and sources[0] == sources[1]


@pytest.fixture
def hall(browser: webdriver.Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for slides, and a projector of 1280 × 720."""
    monkeypatch.setattr(claims, "EXECUTED", claims.SMALL)
    monkeypatch.setattr(slides, "executed", partial(claims.executed, run=False))
    monkeypatch.setattr(slides, "SLIDES", tmp_path)
    monkeypatch.setattr(slides, "REVEAL", tmp_path / "reveal")
    projector = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", projector)
    yield tmp_path
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


# lessons that the part of the release runs before, with every kind of chart
DECKS = [PLAN, *map(numbered, ("02", "03", "15"))]


@pytest.mark.parametrize("deck", DECKS, ids=lambda path: path.stem)
def test_the_keyboard_reaches_every_slide_and_nothing_on_them_is_cut_off_or_too_small(
    deck: Path, browser: webdriver.Chrome, hall: Path
) -> None:
    lessons = plans.shown(PLAN) if deck == PLAN else [deck]
    if not all(ran(lesson) for lesson in lessons):
        pytest.skip("its lessons were not executed, or have changed since")
    browser.get(slides.write(deck).as_uri())
    assert browser.execute_script("return [innerWidth, innerHeight, Reveal.isReady()]") == [1280, 720, True]
    count = browser.execute_script("return Reveal.getTotalSlides()")
    serious, kinds, seen = [], set(), []
    for _ in range(count + 1):
        seen.append(browser.execute_script(SHOWN))
        if seen[-1]["kind"] not in kinds:
            kinds.add(seen[-1]["kind"])
            serious += [(seen[-1]["words"], rule) for rule in told(judge(browser))]
        if seen[-1]["last"]:
            break
        browser.find_element(By.TAG_NAME, "body").send_keys(Keys.SPACE)
    assert len(seen) == count and not serious
    assert not [
        slide for slide in seen if slide["cut"] or slide["ticks"] < slides.LEAST or slide["size"] < 16
    ]
    assert browser.execute_script("return [...document.querySelectorAll('aside.notes')].length") == count
    if deck == PLAN:
        assert {"question", "code", "result", "chart", "exercise", "finding"} <= kinds
        columns = len([row for meeting in plan(PLAN) for row in meeting if row.cells])
        assert browser.execute_script("return Reveal.getHorizontalSlides().length") == columns + 1


def test_the_speaker_s_view_has_the_notes_of_the_slide(browser: webdriver.Chrome, hall: Path) -> None:
    if not all(ran(lesson) for lesson in plans.shown(PLAN)):
        pytest.skip("its lessons were not executed, or have changed since")
    browser.get(slides.write(PLAN).as_uri() + "#/2")
    first = browser.current_window_handle
    # the window is read from the first one: its frames take long to load
    browser.execute_script(
        "const own = window.open; window.open = (...a) => window.view = own.apply(window, a)"
    )
    browser.find_element(By.TAG_NAME, "body").send_keys("s")
    told = "return window.view && window.view.document.body && window.view.document.body.innerText || ''"
    until("the notes", lambda: "One thousandth" in browser.execute_script(told), seconds=30)
    browser.execute_script("window.view.close()")
    browser.switch_to.window(first)


def test_a_lecture_hall_needs_no_network(hall: Path) -> None:
    if not all(ran(lesson) for lesson in plans.shown(PLAN)):
        pytest.skip("its lessons were not executed, or have changed since")
    page = slides.write(PLAN).read_text(encoding="utf-8")
    assert not re.findall(r"(?:src|<link[^>]* href)=\"((?:https?:)?//[^\"]+)\"", page)
    there = re.findall(r'(?:src|href)="(reveal/[^"]+)"', page)
    assert len(there) == 5 and all((hall / name).is_file() for name in there)


def feedback() -> str:
    """A learner's page, as nbgrader makes it from our template."""
    made = make.homework(numbered("01"))
    for cell in made.cells:
        own = cell.metadata.get("nbgrader", {})
        if own.get("grade"):
            own.update(score=1, points=2)
            cell.outputs = [new_output("error", ename="Wrong", evalue="", traceback=["\x1b[31m✘ <b>no</b>"])]
        if own.get("solution"):
            own.comment = "Look **again** at L."
            cell.source += '\n// <img src="https://x.example/pixel.png">'
    course = {"notebook": "01", "score": 1.5, "max_score": 4, "late_penalty": 0.5}
    exporter = HTMLExporter(template_name="feedback", extra_template_basedirs=[str(TEACHING)])
    return exporter.from_notebook_node(made, resources={"nbgrader": course})[0]


def test_feedback_loads_nothing_and_shows_an_answer_as_text() -> None:
    page = feedback()
    assert "<script" not in page and not re.search(r"<(?:img|link|iframe)\b", page)
    assert "✘ &lt;b&gt;no&lt;/b&gt;" in page and "&lt;img src=" in page and "\x1b" not in page
    assert 'lang="en"' in page and "Score: 1.5 / 4.0" in page and "−0.5" in page
    assert "<th>" not in page and "<strong>again</strong>" in page


def test_everybody_can_use_what_is_printed_and_the_feedback(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    pages = {
        "handout": handouts.handout(),
        "answers": handouts.handout(NOTEBOOKS[:2]),
        "sheet": handouts.sheet(handouts.of_plan(PLAN)),
        "wrong": handouts.answers(NOTEBOOKS[:2]),
        "feedback": feedback(),
    }
    found = {}
    for name, page in pages.items():
        (tmp_path / f"{name}.html").write_text(page, encoding="utf-8")
        browser.get((tmp_path / f"{name}.html").as_uri())
        found[name] = told(judge(browser))
    assert not {name: rules for name, rules in found.items() if rules}


def test_the_handout_is_two_pages_and_the_sheet_at_most_two(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    paper = PrintOptions()
    paper.set_page_size(PrintOptions.A4)
    paper.margin_top = paper.margin_bottom = paper.margin_left = paper.margin_right = 1.4
    for page, most in ((handouts.handout(), 2), (handouts.sheet(handouts.of_plan(PLAN)), 2)):
        (tmp_path / "page.html").write_text(page, encoding="utf-8")
        browser.get((tmp_path / "page.html").as_uri())
        pdf = base64.b64decode(browser.print_page(paper))
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= most
