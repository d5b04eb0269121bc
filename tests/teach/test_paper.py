"""Slides from the disk and printed pages, in a browser, from the last runs of 00 and 01. Ten seconds."""

import base64
import re
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.print_page_options import PrintOptions
from notebooks import claims
from teach import handouts, slides
from teach.handouts import TEACHING, plan

PLAN = TEACHING / "plan-90-minutes.md"
WIDE = "const s = Reveal.getCurrentSlide(); return s.scrollWidth > s.clientWidth + 2 ? [s.innerText] : []"


RAN = all((claims.SMALL / path.name).is_file() for path in handouts.shown(PLAN))


@pytest.mark.skipif(not RAN, reason="the notebooks of the plan were not executed before")
def test_slides_open_from_the_disk_with_charts_and_notes(
    browser: webdriver.Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "EXECUTED", claims.SMALL)
    monkeypatch.setattr(slides, "SLIDES", tmp_path)
    monkeypatch.setattr(slides, "REVEAL", tmp_path / "reveal")
    page = slides.write(PLAN)
    text = page.read_text(encoding="utf-8")
    fetched = re.findall(r"(?:src|href)=\"((?:https?:)?//[^\"]+)\"", text.replace('<a href="', ""))
    assert not fetched, "a lecture hall may have no network"
    rows = [row for meeting in plan(PLAN) for row in meeting if row.cells]
    assert text.count('<aside class="notes">') == len(rows)
    browser.get(page.as_uri())
    assert browser.execute_script("return Reveal.isReady()")
    assert browser.execute_script("return Reveal.getHorizontalSlides().length") == len(rows) + 1
    pictures = "return [...document.images].filter(i => i.src.startsWith('data:')).length"
    assert browser.execute_script(pictures) >= 4
    wide = []
    for place in range(len(rows) + 1):
        browser.execute_script("Reveal.slide(arguments[0], 0); Reveal.down()", place)
        wide += browser.execute_script(WIDE)
    assert not wide, "wider than the slide"


def test_the_handout_is_two_pages_and_the_sheet_three(browser: webdriver.Chrome, tmp_path: Path) -> None:
    paper = PrintOptions()
    paper.set_page_size(PrintOptions.A4)
    paper.margin_top = paper.margin_bottom = paper.margin_left = paper.margin_right = 1.4
    for page, most in ((handouts.handout(), 2), (handouts.sheet(handouts.shown(PLAN)), 3)):
        (tmp_path / "page.html").write_text(page, encoding="utf-8")
        browser.get((tmp_path / "page.html").as_uri())
        pdf = base64.b64decode(browser.print_page(paper))
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= most
