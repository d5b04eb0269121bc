"""The site from the disk, as a reader sees it: links, pictures, hidden answers, one look in a browser.

Takes half a minute. The notebooks are those that were executed before; one is enough.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from notebooks.claims import EXECUTED
from notebooks.form import is_more
from notebooks.runs import DIVES, NOTEBOOKS, read, tagged
from publish import build_site, translations
from sites import RAN, SEEN, Page, built, look


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Page]]:
    with built(tmp_path_factory.mktemp("site")) as pages:
        yield pages


def of(site: dict[str, Page], path: Path) -> Page:
    return site[f"notebooks/{path.stem}.html"]


def test_the_site_has_every_page_and_is_small_enough_to_carry(site: dict[str, Page]) -> None:
    names = [f"{path.stem}.html" for path in NOTEBOOKS] + [f"deeper/{path.stem}.html" for path in DIVES]
    for name in names:
        assert f'href="notebooks/{name}"' in site["index.html"].text
        assert f"notebooks/{name}" in site
    assert {"notebooks/glossary.html", "notebooks/symptoms.html", "data/README.html", "search.html"} <= {
        *site
    }
    for language in translations.LANGUAGES:
        for name in ("index", "00-start-here"):
            assert f'<html lang="{language}"' in site[f"notebooks/{language}/{name}.html"].text
    assert build_site.megabytes(build_site.PAGES) < 40
    assert "documentation" not in re.search(r"<title>(.*?)</title>", site["index.html"].text, re.DOTALL)[1]


def test_every_link_leads_somewhere(site: dict[str, Page]) -> None:
    lost = []
    for name, page in site.items():
        for link in page.links:
            path, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", path) or path.startswith("//"):
                continue
            there = (build_site.PAGES / name).parent / unquote(path) if path else build_site.PAGES / name
            target = there.resolve()
            if not target.is_file():
                lost.append(f"{name}: {link}")
            elif anchor and target.suffix == ".html":
                known = site[target.relative_to(build_site.PAGES.resolve()).as_posix()].ids
                if unquote(anchor) not in known:
                    lost.append(f"{name}: {link}")
    assert not lost


def test_nothing_is_loaded_from_a_network(site: dict[str, Page]) -> None:
    for name, page in site.items():
        for address in page.loaded:
            assert address.startswith("data:") or not re.match(r"[a-z]+:|//", address), f"{name}: {address}"
            if not address.startswith("data:"):
                file = (build_site.PAGES / name).parent / unquote(address.partition("?")[0])
                assert file.is_file(), f"{name}: {address}"


def test_every_picture_says_what_it_shows(site: dict[str, Page]) -> None:
    pictures = [(name, picture) for name, page in site.items() for picture in page.pictures]
    assert len(pictures) > 2 * len(RAN)
    for name, picture in pictures:
        assert len(picture.get("alt") or "") > 20, f"{name}: {picture.get('src', '')[:80]}"


@pytest.mark.parametrize("path", RAN, ids=lambda path: path.stem)
def test_a_page_shows_what_its_run_has_shown_and_where_it_can_run(site: dict[str, Page], path: Path) -> None:
    page, notebook = of(site, path), read(EXECUTED / path.name)
    # the executed notebook holds a chart twice, as a picture and in HTML with its text
    drawn = sum("image/png" in o.get("data", {}) for cell in notebook.cells for o in cell.get("outputs", []))
    shown = [picture["src"] for picture in page.pictures if "pictures/" in picture["src"]]
    assert len(set(shown)) == len(shown) == drawn > 0
    assert "data:image/png" not in page.text
    assert "The machine of these results" in page.text
    run = f"https://mybinder.org/v2/gh/ada/course/main?urlpath=lab%2Ftree%2Fnotebooks%2F{path.name}"
    assert run in page.links
    assert any(link.endswith(f"/{path.name}") and "_downloads" in link for link in page.links)
    # answers stay hidden until the reader asks, and what may be skipped is folded
    answers = len(tagged(notebook, "hide-input")) + len(tagged(notebook, "hide-cell"))
    hidden = re.findall(r"<details[^>]*>", page.text)
    assert len([one for one in hidden if "hide" in one]) >= answers > 0
    assert not [one for one in hidden if re.search(r"\bopen\b", one)]
    assert page.text.count('<details class="more">') == sum(map(is_more, notebook.cells))


def test_without_an_origin_there_is_no_button_that_leads_nowhere() -> None:
    course = build_site.Course()
    course.origin = ""
    assert course.binder("lab") == course.repository == course.file("README.md") == ""
    text = build_site.lead(
        course, Path("data/README.md"), "[one](../CONTRIBUTING.md), [two](https://example.org)"
    )
    assert text == "one, [two](https://example.org)"


def test_in_a_browser_a_page_fits_and_a_replay_plays(
    site: dict[str, Page], browser: webdriver.Chrome
) -> None:
    look(browser, f"notebooks/{RAN[0].stem}.html", 500, "dark")
    assert browser.execute_script(SEEN) == {"wide": False, "empty": [], "hidden": 0}
    look(browser, "index.html")
    player = browser.find_element(By.CLASS_NAME, "threadlab-player")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", player)
    button = player.shadow_root.find_element(By.CSS_SELECTOR, "button")
    WebDriverWait(browser, 30).until(lambda b: button.text == "Pause")
    button.click()
    assert button.text == "Play"
