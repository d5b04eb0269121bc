"""The site from the disk: links, pictures, hidden answers, a look in a browser. Takes half a minute."""

import html
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from notebooks import claims, recorded
from notebooks.claims import SMALL
from notebooks.form import is_more
from notebooks.runs import DIVES, NOTEBOOKS, read, tagged
from publish import browser as scripts
from publish import build_site, cards, shared, translations
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
    assert pages | {"data/README.html", "score.html"} <= {*site}
    for language in translations.LANGUAGES:
        for name in ("index", "00-start-here"):
            assert f'<html lang="{language}"' in site[f"notebooks/{language}/{name}.html"].text
    assert build_site.megabytes(build_site.PAGES) < 25
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


HERE = {"code": recorded.code(NOTEBOOKS[0]), "library": recorded.library()}


@pytest.mark.parametrize(
    ("changes", "about", "said"),
    [
        ({}, HERE, []),
        ({}, None, ["has not been run yet"]),
        ({}, HERE | {"code": "old"}, ["its results are older"]),
        ({"size": "none"}, HERE, [", for all claims (there is no such run yet)"]),
        ({"code": "old"}, HERE, [", for all claims (the code has changed)"]),
        ({"library": "old"}, HERE, [", for all claims (the library that measures has changed)"]),
        ({"runs": 2, "claim": "a_b < c"}, HERE, [r", for “a\_b \< c” (so far 2 of "]),
    ],
)
def test_a_page_says_which_claims_are_due_and_whether_its_results_are_missing_or_old(
    changes: dict, about: dict | None, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = {"lesson": NOTEBOOKS[0].stem, "claim": "c", "runs": 5, "held": 5, "unjudged": 0} | HERE
    plain = dict.fromkeys(recorded.Row._fields, "") | figures
    good = [recorded.Row(**plain | {"size": size, "claim": "good"}) for size in recorded.SIZES]
    last = recorded.Row(**plain | {"size": "usual"} | changes)
    rows = [*good[1:], last] if changes.keys() & {"size", "code", "library"} else [*good, last]
    monkeypatch.setattr(recorded, "rows", lambda: rows)
    told = "\n".join(build_site.reservations(NOTEBOOKS[0], about))
    assert [words for words in said if words not in told] == []
    assert bool(told) == bool(said) and ("These are still to come" in told) == bool(changes)


def test_without_a_run_or_after_a_failed_one_there_is_a_page_and_before_runs_an_estimate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(claims, "EXECUTED", tmp_path)
    assert claims.executed(NOTEBOOKS[0], run=False) == read(NOTEBOOKS[0])
    monkeypatch.setattr(claims, "measure", lambda *_: pytest.fail("it must not run"))
    notebooks, failed = build_site.gathered(run=False)
    assert len(notebooks) == len(NOTEBOOKS) + len(DIVES) + len(translations.LANGUAGES) and not failed
    monkeypatch.setattr(
        build_site, "executed", lambda path, run: sys.exit("a cell failed") if run else read(path)
    )
    shown, failed = build_site.gathered(run=True)
    assert {*shown} == {*notebooks} and failed == [path.name for path in [*NOTEBOOKS, *DIVES]]
    capsys.readouterr()
    monkeypatch.setattr(build_site, "speed", lambda: 0.5)
    first = [path.stem for path in NOTEBOOKS[:3]]
    monkeypatch.setattr(build_site.recorded, "seconds", lambda lesson: 40 if lesson in first else 0.001)
    build_site.foretell()
    runs = len(NOTEBOOKS) + len(DIVES)
    assert capsys.readouterr().out.startswith(
        f"{runs} notebooks run first, one after the other: about 5 minutes"
    )
    monkeypatch.setattr(build_site, "fresh", read)
    build_site.foretell()
    assert capsys.readouterr().out == ""


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


def test_each_page_says_what_it_is_about_to_whoever_shares_or_finds_it(site: dict[str, Page]) -> None:
    words = {
        name: re.findall(r'<meta name="description" content="([^"]+)"', page.text)
        for name, page in site.items()
        if name not in ("genindex.html", "search.html")
    }
    assert not [name for name, found in words.items() if len(found) != 1 or len(found[0]) < 40]


def test_a_shared_link_to_a_page_or_a_card_shows_a_picture_of_its_own(site: dict[str, Page]) -> None:
    def tag(page: Page, name: str) -> str:
        found = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]+)"', page.text)
        assert len(found) == 1, name
        return html.unescape(found[0])

    described = {name: page for name, page in site.items() if 'name="description"' in page.text}
    alone = [name for name in described if name.startswith("versions/")]
    assert len(alone) == len(cards.all_cards())
    seen: dict[str, str] = {}
    for name, page in described.items():
        assert tag(page, "og:url") == f"https://ada.github.io/course/{name}"
        assert tag(page, "twitter:card") == "summary_large_image"
        assert len(tag(page, "og:title")) > 3 and tag(page, "og:description") == tag(page, "description")
        picture = tag(page, "og:image").removeprefix("https://ada.github.io/course/")
        with Image.open(build_site.PAGES / picture) as image:
            assert image.size == shared.SIZE
        if not re.match(rf"notebooks/({'|'.join(translations.LANGUAGES)})/", name):
            assert picture not in seen.values(), f"{name} has the picture of another page"
            seen[name] = picture


def test_without_an_address_a_page_has_words_and_no_picture() -> None:
    tags = shared.meta("Title", "Words.")
    assert 'property="og:title" content="Title"' in tags
    assert "og:image" not in tags and "og:url" not in tags


def test_a_card_does_not_call_broken_what_was_not_judged() -> None:
    row = {"runs": "5", "held": "1", "unjudged": "4"}
    assert not cards.broke(row)
    assert cards.broke(row | {"unjudged": "3"})


def test_each_wait_and_each_claim_has_a_card_with_an_address(site: dict[str, Page]) -> None:
    page = site["versions.html"]
    assert "synchronized-a-wait-inside-synchronized" in page.ids
    assert len(re.findall(r"<h3>", page.text)) == cards.page().count("\n### ") > 15
    assert page.text.count("<table") == len(re.findall(r"<h3>", page.text))


@pytest.mark.parametrize("words", ["504", "Hikari", "MDC", "Kafka", "synchronized", "pinned"])
def test_the_search_leads_to_the_cell_that_has_what_practitioners_type(
    site: dict[str, Page], browser: webdriver.Chrome, words: str
) -> None:
    browser.get((build_site.PAGES / "search.html").as_uri() + f"?q={words}")
    WebDriverWait(browser, 30).until(lambda b: b.find_elements(By.CSS_SELECTOR, ".search-summary"))
    found = (By.CSS_SELECTOR, "#search-results li a")
    summary = browser.find_element(By.CSS_SELECTOR, ".search-summary")
    WebDriverWait(browser, 30).until(lambda b: "finished" in summary.text)
    shown = [one.get_attribute("href") for one in browser.find_elements(*found)]
    assert len(shown) == len(set(shown))
    places = [one.rpartition("/")[2].split("#") for one in shown if "/notebooks/" in one]
    assert any(place[1:] and place[1].startswith("cell-") for place in places)
    for name, anchor in (place for place in places if place[1:]):
        pages = [page for path, page in site.items() if path.startswith("notebooks") and path.endswith(name)]
        assert any(anchor in page.ids for page in pages), f"{name}#{anchor}"
    snippet = browser.find_element(By.CSS_SELECTOR, "#search-results li span").text
    assert words[:3].lower() in snippet.lower()


# --- the pages that can be moved ---


def read_dump(browser: webdriver.Chrome, begins: str) -> str:
    """What the page says once it has read what is named so."""
    status = browser.find_element(By.ID, "dump-status")
    WebDriverWait(browser, 30).until(lambda b: f" {begins}" in status.text and "Reading" not in status.text)
    assert "could not" not in status.text, status.text
    return browser.find_element(By.ID, "dump-result").text


def choose(browser: webdriver.Chrome, *files: Path) -> None:
    """Chooses files instead of those that were chosen before."""
    field = browser.find_element(By.ID, "dump-file")
    browser.execute_script("arguments[0].value = ''", field)
    field.send_keys("\n".join(map(str, files)))


def test_a_dump_from_anywhere_is_read_and_nothing_leaves_the_page(
    site: dict[str, Page], browser: webdriver.Chrome, tmp_path: Path
) -> None:
    look(browser, "dump.html", 500)
    browser.find_element(By.CSS_SELECTOR, "[data-sample=circle]").click()
    said = read_dump(browser, "the sample")
    assert "A circle: threads that wait for each other" in said
    assert "order-1 (virtual thread) waits for a lock (Record$Till" in said
    assert len(browser.find_elements(By.CSS_SELECTOR, ".ring circle")) == 2
    assert browser.execute_script(SEEN) == {"wide": False, "empty": [], "hidden": 0}

    choose(browser, scripts.SAMPLES["lock"])
    assert "the lock java.lang.Object" in read_dump(browser, "lock.txt").splitlines()[0]
    browser.find_element(By.ID, "dump-words").send_keys("pool-1")
    browser.find_element(By.ID, "dump-words").send_keys(Keys.BACKSPACE * 6 + "Report.write")
    found = browser.find_element(By.ID, "dump-found")
    WebDriverWait(browser, 30).until(lambda b: "10 threads" in found.text)

    packed = tmp_path / "seen.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.json", "{}")
        archive.write(scripts.SAMPLES["lock"], "threads-1.txt")
        archive.write(scripts.SAMPLES["connections"], "dump.json")
    choose(browser, packed)
    assert "connections" in read_dump(browser, "seen.zip").splitlines()[0]
    assert [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#dump-part option")] == [
        "dump.json",
        "threads-1.txt",
    ]

    # each form that people have, on a phone: the page goes to what it says
    for name in ("log", "beans", "debugger", "javacore"):
        browser.execute_script("scrollTo(0, 0)")
        browser.find_element(By.CSS_SELECTOR, f"[data-sample={name}]").click()
        said = read_dump(browser, "the sample")
        assert "A circle" in said or "the lock Forms$Ledger" in said, name
        assert "Do: " in said and "Shown in " in said
        top = "return document.getElementById('dump-verdict').getBoundingClientRect().top"
        assert 0 <= browser.execute_script(top) < 200, name
    two = tmp_path / "two.log"
    text = scripts.SAMPLES["log"].read_text(encoding="utf-8")
    two.write_text(text.replace("09:14:03.514Z  INFO", "09:14:04.514Z  INFO"), encoding="utf-8")
    choose(browser, scripts.SAMPLES["log"], two)
    assert "2 dumps of one JVM" in read_dump(browser, "2 files")
    choose(browser, scripts.SAMPLES["log"], scripts.SAMPLES["beans"])
    assert "Forms$Till" in read_dump(browser, "2 files")
    Select(browser.find_element(By.ID, "dump-part")).select_by_value("2")
    WebDriverWait(browser, 30).until(
        lambda b: "Forms$Ledger" in b.find_element(By.ID, "dump-result").text.splitlines()[0]
    )
    (recording := tmp_path / "r.jfr").write_bytes(b"FLR\0" + bytes(100))
    choose(browser, recording)
    status = browser.find_element(By.ID, "dump-status")
    WebDriverWait(browser, 30).until(lambda b: "it is a recording" in status.text)

    browser.execute_script("document.querySelector('.drop details').open = true; scrollTo(0, 0)")
    browser.find_element(By.ID, "dump-text").send_keys('{"threadDump": {')
    browser.find_element(By.ID, "dump-read").send_keys(Keys.ENTER)
    WebDriverWait(browser, 30).until(lambda b: "the pasted text could not be read" in status.text)
    loaded = "return performance.getEntriesByType('resource').map(one => one.name)"
    assert not [
        one for one in browser.execute_script(loaded) if not one.startswith(("file:", "blob:", "data:"))
    ]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("pool", "20000"), ("carriers", "0"), ("door", "400"), ("follow", "100"), ("overtake", "45")],
)
def test_a_slider_answers_after_a_prediction_and_its_settings_are_a_link(
    site: dict[str, Page], browser: webdriver.Chrome, name: str, wrong: str
) -> None:
    browser.get("about:blank")
    look(browser, f"try/{name}.html", 500)
    assert not browser.find_element(By.CSS_SELECTOR, ".explorable .answer").is_displayed()
    browser.find_element(By.ID, f"{name}-guess").send_keys(wrong + Keys.ENTER)
    verdict = browser.find_element(By.CSS_SELECTOR, ".explorable .verdict")
    assert verdict.text.startswith(f"You said {int(wrong):,}. The model says")
    assert not verdict.text.endswith("right.")
    answer, picture = (
        browser.find_element(By.CSS_SELECTOR, f".explorable {part}") for part in (".answer", "svg")
    )
    before = answer.text
    assert picture.get_attribute("aria-label") == before
    assert len(browser.find_elements(By.CSS_SELECTOR, ".explorable svg .mark")) >= 3
    slider = browser.find_elements(By.CSS_SELECTOR, ".explorable input[type=range]")[1]
    slider.send_keys(Keys.ARROW_LEFT * 2)
    WebDriverWait(browser, 30).until(lambda b: answer.text != before)
    assert browser.execute_script(SEEN) == {"wide": False, "empty": [], "hidden": 0}
    setting = f"{slider.get_attribute('id').partition('-')[2]}={slider.get_attribute('value')}"
    WebDriverWait(browser, 30).until(lambda b: setting in b.execute_script("return location.hash"))
    said, address = answer.text, browser.current_url
    browser.get("about:blank")
    browser.get(address)
    assert browser.find_element(By.CSS_SELECTOR, ".explorable .answer").text == said
