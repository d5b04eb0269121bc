"""The site from the disk: links, pictures, hidden answers, a look in a browser. Takes half a minute."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from notebooks.claims import SMALL
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
    pages = {f"notebooks/{name}.html" for name in ("decide", "glossary", "symptoms")}
    assert pages | {"data/README.html"} <= {*site}
    for language in translations.LANGUAGES:
        for name in ("index", "00-start-here"):
            assert f'<html lang="{language}"' in site[f"notebooks/{language}/{name}.html"].text
    assert build_site.megabytes(build_site.PAGES) < 40
    assert "documentation" not in re.search(r"<title>(.*?)</title>", site["index.html"].text, re.DOTALL)[1]


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_a_network(site: dict[str, Page]) -> None:
    lost, root = [], build_site.PAGES.resolve()
    for name, page in site.items():
        lost += [f"{name}: {it}" for it in page.loaded if re.match(r"(?!data:)[a-z]+:|//", it)]
        for link in [*page.links, *(address.partition("?")[0] for address in page.loaded)]:
            path, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:|//", path):
                continue
            target = ((root / name).parent / unquote(path)).resolve() if path else root / name
            known = site.get(target.relative_to(root).as_posix())
            if not target.is_file() or (anchor and known and unquote(anchor) not in known.ids):
                lost.append(f"{name}: {link}")
    assert not lost


def test_every_picture_says_what_it_shows(site: dict[str, Page]) -> None:
    pictures = [picture for page in site.values() for picture in page.pictures]
    assert len(pictures) > 2 * len(RAN)
    assert not [picture["src"][:80] for picture in pictures if len(picture.get("alt") or "") <= 20]


@pytest.mark.parametrize("path", RAN, ids=lambda path: path.stem)
def test_a_page_shows_what_its_run_has_shown_and_where_it_can_run(site: dict[str, Page], path: Path) -> None:
    page, notebook = of(site, path), read(SMALL / path.name)
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
    text = "[one](../CONTRIBUTING.md), [two](https://example.org)"
    assert build_site.lead(course, Path("data/README.md"), text) == "one, [two](https://example.org)"


def test_a_page_fits_and_a_replay_plays(site: dict[str, Page], browser: webdriver.Chrome) -> None:
    look(browser, f"notebooks/{RAN[0].stem}.html", 500, "dark")
    assert browser.execute_script(SEEN) == {"wide": False, "empty": [], "hidden": 0}
    look(browser, "index.html")
    player = browser.find_element(By.CLASS_NAME, "threadlab-player")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", player)
    button = player.shadow_root.find_element(By.CSS_SELECTOR, "button")
    WebDriverWait(browser, 30).until(lambda b: button.text == "Pause")
    button.click()
    assert button.text == "Play"
