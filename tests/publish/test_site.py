"""The site as a reader sees it, from the disk: links, pictures, hidden answers, axe-core's findings.

Takes a minute, half of it for axe-core on light pages. The notebooks are those that
tests/notebooks/test_usual_sizes.py has executed.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import axe_core_python
import pytest
from bs4 import BeautifulSoup
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from notebooks.claims import EXECUTED
from notebooks.form import is_more
from notebooks.runs import DIVES, NOTEBOOKS, read, tagged
from publish import build_site, translations

pytestmark = pytest.mark.deep
AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
LOADED = {"stylesheet", "icon", "preload", "modulepreload"}
ORIGIN = "https://github.com/ada/course"


class Page:
    """A page's references, and the targets within it."""

    def __init__(self, file: Path) -> None:
        self.text = file.read_text(encoding="utf-8")
        page = BeautifulSoup(self.text, "html.parser")
        self.ids = {found[name] for name in ("id", "name") for found in page.find_all(attrs={name: True})}
        self.links = [found["href"] for found in page.select("a[href]")]
        self.pictures = page.find_all("img")
        files = page.select("script[src], img[src], iframe[src], audio[src], video[src], source[srcset]")
        files += [link for link in page.select("link[href]") if {*link["rel"]} & LOADED]
        self.loaded = [found.get("src") or found.get("srcset") or found["href"] for found in files]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Page]]:
    """The pages by their place in the site, built as in a clone with an origin."""
    if not all((EXECUTED / path.name).exists() for path in NOTEBOOKS):
        pytest.skip("the notebooks were not executed before (make test-all does)")
    build_site.install()
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("site")
        patch.setattr(build_site, "SOURCE", folder / "source")
        patch.setattr(build_site, "PAGES", folder / "pages")
        course = build_site.Course()
        course.origin, course.branch = ORIGIN, "main"
        build_site.gather(course, build_site.gathered(run=False))
        build_site.build(course)
        yield {
            file.relative_to(build_site.PAGES).as_posix(): Page(file)
            for file in sorted(build_site.PAGES.rglob("*.html"))
            if "_static" not in file.parts
        }


def of(site: dict[str, Page], path: Path) -> Page:
    return site[f"notebooks/{path.stem}.html"]


def test_the_site_has_every_notebook_and_is_small_enough_to_carry(site: dict[str, Page]) -> None:
    for path in NOTEBOOKS:
        assert f'href="notebooks/{path.stem}.html"' in site["index.html"].text
        assert of(site, path)
    for path in DIVES:
        assert f'href="notebooks/deeper/{path.stem}.html"' in site["index.html"].text
    texts = {f"notebooks/{name}.html" for name in ("glossary", "symptoms")}
    assert texts | {"data/README.html", "search.html"} <= set(site)
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
    shown = 0
    for name, page in site.items():
        for picture in page.pictures:
            assert len(picture.get("alt") or "") > 20, f"{name}: {picture.get('src', '')[:80]}"
            shown += 1
    assert shown > 50


def test_every_chart_is_on_its_page_once_as_a_file_of_its_own(site: dict[str, Page]) -> None:
    """The executed notebook holds it twice, as a picture and in HTML with its text."""
    for path in NOTEBOOKS:
        outputs = [o for cell in read(EXECUTED / path.name).cells for o in cell.get("outputs", [])]
        drawn = sum("image/png" in o.get("data", {}) for o in outputs)
        shown = [picture["src"] for picture in of(site, path).pictures if "pictures/" in picture["src"]]
        assert len(set(shown)) == len(shown) == drawn > 0, path.stem
        assert not re.search("data:image/png", of(site, path).text), path.stem


def test_every_page_of_a_notebook_says_where_it_ran_and_where_it_can_run(site: dict[str, Page]) -> None:
    for path in NOTEBOOKS:
        page = of(site, path)
        assert "The machine of these results" in page.text
        run = f"https://mybinder.org/v2/gh/ada/course/main?urlpath=lab%2Ftree%2Fnotebooks%2F{path.name}"
        assert run in page.links
        assert any(link.endswith(f"/{path.name}") and "_downloads" in link for link in page.links)


def test_answers_stay_hidden_until_the_reader_asks(site: dict[str, Page]) -> None:
    for path in NOTEBOOKS:
        notebook = read(EXECUTED / path.name)
        answers = len(tagged(notebook, "hide-input")) + len(tagged(notebook, "hide-cell"))
        hidden = re.findall(r"<details[^>]*>", of(site, path).text)
        assert len([one for one in hidden if "hide" in one]) >= answers > 0
        assert not [one for one in hidden if re.search(r"\bopen\b", one)]


def test_what_a_reader_may_skip_is_folded(site: dict[str, Page]) -> None:
    for path in NOTEBOOKS:
        skipped = sum(map(is_more, read(EXECUTED / path.name).cells))
        assert of(site, path).text.count('<details class="more">') == skipped, path.stem


def test_without_an_origin_there_is_no_button_that_leads_nowhere() -> None:
    course = build_site.Course()
    course.origin = ""
    assert course.binder("lab") == course.repository == course.file("README.md") == ""
    text = build_site.lead(
        course, Path("data/README.md"), "[one](../CONTRIBUTING.md), [two](https://example.org)"
    )
    assert text == "one, [two](https://example.org)"


# --- in a browser ---


# as the page's switch does, without the moment in which the colours change
THEME = """
const still = document.createElement('style');
still.textContent = '* { transition: none !important }';
document.head.append(still);
document.documentElement.dataset.mode = document.documentElement.dataset.theme = arguments[0];
"""


def look(browser: webdriver.Chrome, name: str, width: int, theme: str) -> None:
    browser.set_window_size(width, 1000)
    browser.get((build_site.PAGES / name).as_uri())
    browser.execute_script(THEME, theme)


SEEN = """
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const empty = [...document.images].filter(p => p.loading !== 'lazy' && p.complete && !p.naturalWidth);
const hidden = [...document.querySelectorAll('figcaption')].filter(words => !words.offsetHeight);
return {wide: wide > 2, empty: empty.map(p => p.src), hidden: hidden.length};
"""


# These pages are also judged dark and narrow, with the rule on contrast, which takes by far the longest:
# they contain every kind of text on the site, such as traces, claims, tables, a player and the terms.
ALL_RULES = [f"notebooks/{path.stem}.html" for path in NOTEBOOKS if path.name[:2] in ("02", "03", "15")]
ALL_RULES += ["index.html", "notebooks/glossary.html"]
JUDGE = """
const [contrast, done] = arguments;
const rules = {'color-contrast': {enabled: contrast}};
axe.run(document, {resultTypes: ['violations'], rules}).then(found => done(found.violations));
"""
LOOKS = [(1400, "light"), (1400, "dark"), (500, "light")]


def test_everybody_can_use_every_page(site: dict[str, Page], browser: webdriver.Chrome) -> None:
    """axe-core finds nothing serious, nothing is too wide, no picture and no caption is missing."""
    serious: list[str] = []
    for name in sorted({*site} - {"genindex.html", "search.html"}):
        look(browser, name, *LOOKS[0])
        browser.execute_script(AXE)
        for width, theme in LOOKS:
            browser.set_window_size(width, 1000)
            browser.execute_script(THEME, theme)
            seen = browser.execute_script(SEEN)
            assert seen == {"wide": False, "empty": [], "hidden": 0}, (name, width, theme)
            if name in ALL_RULES or (width, theme) == LOOKS[0]:
                found = browser.execute_async_script(JUDGE, name in ALL_RULES)
                worst = [rule for rule in found if rule["impact"] in ("serious", "critical")]
                serious += [f"{name}, {theme}, {width}: {rule['id']}: {rule['nodes'][0]}" for rule in worst]
    assert not serious, "\n".join(serious)


def test_the_replay_plays(site: dict[str, Page], browser: webdriver.Chrome) -> None:
    look(browser, "index.html", 1400, "light")
    player = browser.find_element(By.CLASS_NAME, "threadlab-player")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", player)
    button = player.shadow_root.find_element(By.CSS_SELECTOR, "button")
    WebDriverWait(browser, 10).until(lambda b: button.text == "Pause")
    button.click()
    assert button.text == "Play"
