"""The content of teaching/: sheets, slides and the settings for hubs, compared with the notebooks.

Takes a second; the slides in a browser and the printed handout (deep) take half a minute.
"""

import base64
import json
import re
from pathlib import Path

import pytest
import yaml
from selenium import webdriver
from selenium.webdriver.common.print_page_options import PrintOptions
from notebooks.runs import NOTEBOOKS, read, tagged
from teach import handouts, slides
from teach.handouts import TEACHING, plan


def test_the_sheet_asks_every_prediction_of_its_notebooks() -> None:
    sheet = handouts.sheet(NOTEBOOKS)
    asked = sum(cell.source.count("**Predict.**") for path in NOTEBOOKS for cell in read(path).cells)
    assert sheet.count('<td class="line"><td class="line">') == asked > 100
    assert "$" not in sheet


def test_the_wrong_answers_are_those_that_the_checks_explain() -> None:
    checks = [cell.source for path in NOTEBOOKS for cell in tagged(read(path), "check")]
    explained = sum(source.count(".mistake(") + source.count("Claim.repair(") for source in checks)
    assert sum(len(handouts.mistakes(source)) for source in checks) == explained
    assert "They are fetched one after another" in handouts.answers(NOTEBOOKS[:1])


def test_no_reader_deletes_a_check_by_accident() -> None:
    checks = [cell for path in NOTEBOOKS for cell in tagged(read(path), "check")]
    assert [cell.id for cell in checks if cell.metadata.get("deletable") is not False] == []


def test_the_handout_uses_the_words_of_the_notebooks() -> None:
    course = " ".join(cell.source for path in NOTEBOOKS for cell in read(path).cells).lower()
    terms = re.findall(r"\| \*\*([^*]+)\*\* \|", (TEACHING / "handout.md").read_text(encoding="utf-8"))
    assert len(terms) > 8
    assert [term for term in terms if f"**{term}" not in course] == []


def test_the_hub_s_settings_use_keys_that_the_chart_knows() -> None:
    values = yaml.safe_load((TEACHING / "hub/values.yaml").read_text(encoding="utf-8"))
    kept = json.loads((TEACHING / "hub/keys.json").read_text(encoding="utf-8"))
    types = {"object": dict, "integer": int, "number": (int, float), "string": str, "boolean": bool}

    def leaves(value: object, path: str) -> None:
        if isinstance(value, dict) and path not in kept["keys"]:
            for key, below in value.items():
                leaves(below, f"{path}.{key}".lstrip("."))
            return
        known = kept["keys"][path]
        known = known if isinstance(known, list) else [known]
        fits = any(isinstance(value, types[name]) for name in known if name in types)
        assert fits or value in known, f"{path}: {value} is none of {known}"

    leaves(values, "")
    page = (TEACHING / "hub/README.md").read_text(encoding="utf-8")
    assert f"--version {kept['chart']}" in page
    # JupyterHub does not start with a password of fewer than 8 characters; each class gets its own
    assert len(values["hub"]["config"]["SharedPasswordAuthenticator"]["user_password"]) < 8
    # a learner can fill only their own share of memory and disk
    assert values["singleuser"]["memory"]["limit"] and values["singleuser"]["storage"]["capacity"]


@pytest.mark.deep
@pytest.mark.parametrize("path", NOTEBOOKS[:8], ids=lambda path: path.stem)
def test_a_presenter_shows_a_lesson_in_about_ten_slides(path: Path) -> None:
    cells = slides.presented(path).cells
    shown = [cell for cell in cells if cell.metadata.slideshow.slide_type == "slide"]
    assert 5 <= len(shown) <= 10
    assert any(cell.cell_type == "code" for cell in cells), "no chart"
    assert any("Predict." in cell.source for cell in cells if cell.id.startswith("notes-"))


@pytest.mark.deep
def test_slides_open_from_the_disk_with_charts_and_notes(
    browser: webdriver.Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slides, "SLIDES", tmp_path)
    monkeypatch.setattr(slides, "REVEAL", tmp_path / "reveal")
    path = TEACHING / "plan-90-minutes.md"
    page = slides.write(path)
    text = page.read_text(encoding="utf-8")
    fetched = re.findall(r"(?:src|href)=\"((?:https?:)?//[^\"]+)\"", text.replace('<a href="', ""))
    assert not fetched, "a lecture hall may have no network"
    rows = [row for meeting in plan(path) for row in meeting if row.cells]
    assert text.count('<aside class="notes">') == len(rows)
    browser.get(page.as_uri())
    assert browser.execute_script("return Reveal.isReady()")
    assert browser.execute_script("return Reveal.getHorizontalSlides().length") == len(rows) + 1
    pictures = browser.execute_script(
        "return [...document.images].filter(i => i.src.startsWith('data:')).length"
    )
    assert pictures >= 4
    wide = []
    for place in range(len(rows) + 1):
        browser.execute_script("Reveal.slide(arguments[0], 0); Reveal.down()", place)
        wide += browser.execute_script(
            "const s = Reveal.getCurrentSlide();return s.scrollWidth > s.clientWidth + 2 ? [s.innerText] : []"
        )
    assert not wide, "wider than the slide"


@pytest.mark.deep
def test_the_handout_is_two_pages(browser: webdriver.Chrome, tmp_path: Path) -> None:
    paper = PrintOptions()
    paper.set_page_size(PrintOptions.A4)
    paper.margin_top = paper.margin_bottom = paper.margin_left = paper.margin_right = 1.4
    sheet = handouts.sheet(handouts.shown(TEACHING / "plan-90-minutes.md"))
    for page, most in ((handouts.handout(), 2), (sheet, 3)):
        (tmp_path / "page.html").write_text(page, encoding="utf-8")
        browser.get((tmp_path / "page.html").as_uri())
        pdf = base64.b64decode(browser.print_page(paper))
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= most
