"""The site from the disk: links, pictures, hidden answers, a look in a browser. Takes half a minute."""

import gzip
import html
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from bootstrap.places import ROOT
from notebooks import claims, recorded
from notebooks.claims import SMALL
from notebooks.reading import finding, is_more
from notebooks.runs import DIVES, NOTEBOOKS, read, tagged
from publish import browser as scripts
from publish import build_site, cards, drawn, shared, translations, words
from records import row
from sites import RAN, SEEN, Page, built, look, sized


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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("13-write-a-virtual-thread-annotation", "13-work-after-the-answer"),
        ("deeper/compare-doors", "deeper/compare-limits"),
    ],
)
def test_the_address_of_a_renamed_page_leads_to_the_new_one(
    site: dict[str, Page], old: str, new: str
) -> None:
    leads = (build_site.PAGES / f"notebooks/{old}.html").read_text()
    assert f'url={Path(new).name}.html"' in leads
    assert f"notebooks/{new}.html" in site


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_a_network(site: dict[str, Page]) -> None:
    lost, root = [], build_site.PAGES.resolve()
    for name, page in site.items():
        lost += [f"{name}: {it}" for it in page.loaded if re.match(r"(?!data:)[a-z]+:|//", it)]
        for link in [*page.links, *(address.partition("?")[0] for address in page.loaded)]:
            path, _, anchor = link.partition("#")
            path = path.partition("?")[0]
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
    charts = sum("image/png" in o.get("data", {}) for cell in notebook.cells for o in cell.get("outputs", []))
    pictures = [str(picture["src"]) for picture in page.pictures if "pictures/" in picture["src"]]
    shown = [picture for picture in pictures if not picture.endswith("-phone.png")]
    assert len(set(pictures)) == len(pictures) and len(shown) == charts > 0
    for picture in {*pictures} - {*shown}:
        assert picture.replace("-phone", "") in shown
        with Image.open(build_site.PAGES / "notebooks" / picture) as phone:
            assert phone.width == 2 * 340, "drawn anew, not shrunk"
    assert "data:image/png" not in page.text
    assert "The machine of these results" in page.text
    run = f"https://mybinder.org/v2/gh/ada/course/main?urlpath=lab%2Ftree%2Fnotebooks%2F{path.name}"
    assert run in page.links
    assert "Shift + Enter" not in page.text.partition("<section")[2][:4_000]
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
    good = [row(size=size, claim="good", **HERE) for size in recorded.SIZES]
    last = row(**HERE)._replace(**changes)
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
    look(browser, f"notebooks/{RAN[0].stem}.html", 390, "dark")
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
        # an old address only leads on
        if name not in ("genindex.html", "search.html") and 'http-equiv="refresh"' not in page.text
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
    assert page.text.count("<table") >= len(re.findall(r"<h3>", page.text))


def test_the_cards_answer_a_question_for_a_lesson_a_screen_at_a_time(
    site: dict[str, Page], browser: webdriver.Chrome
) -> None:
    def shown() -> list[str]:
        found = browser.find_elements(By.CSS_SELECTOR, "section > h3")
        return [one.text.rstrip("#") for one in found if one.is_displayed()]

    look(browser, "versions.html", 390)
    assert len(shown()) == 4
    question = Select(browser.find_element(By.ID, "versions-changed"))
    question.select_by_visible_text("What changed in 25?")
    assert len(shown()) == 1 and shown()[0].startswith("Since Java 25, newcomers run before")
    assert "changed=25" in browser.current_url
    question.select_by_visible_text("What changed in 24?")
    status, more = (browser.find_element(By.CSS_SELECTOR, one) for one in ("[role=status]", ".more-cards"))
    assert status.text == "4 of 6 cards" and all("Since Java 24" in one for one in shown())
    more.click()
    assert len(shown()) == 6 and not more.is_displayed()
    [(lesson, most), *_] = Counter(card.lesson for card in cards.all_cards()).most_common()
    browser.get((build_site.PAGES / "versions.html").as_uri() + f"?lesson={lesson}")
    own = {card.heading.replace("`", "") for card in cards.all_cards() if card.lesson == lesson}
    assert most > 4 and len(shown()) == 4 and {*shown()} <= own


def test_a_card_says_a_sentence_that_its_lesson_says_or_the_table_of_sentences() -> None:
    for card in cards.all_cards():
        path = next(ROOT.glob(f"notebooks/**/{card.lesson}.ipynb"))
        said = {row["sentence"] for row in cards.rows(cards.SENTENCES)} | {cards.OVERTAKEN}
        assert card.heading in said or card.heading[:30] in "\n".join(
            cell.source for cell in read(path).cells
        )


FIRST = {
    "504": "06-keep-a-server-standing",
    "sizing": "decide",
    "pool size": "decide",
    "HikariPool": "05-find-who-holds-the-connection",
    "Kotlin": "symptoms",
    "Hikari": "symptoms",
    "MDC": "02-compare-two-styles",
    "Kafka": "04-serve-requests-with-spring",
    "synchronized": "07-find-what-pins",
    "pinned": "07-find-what-pins",
    "커넥션 풀": "decide",
    "スループット": "01-measure-littles-law",
    "载体线程": "glossary",
}


@pytest.mark.parametrize("typed", FIRST)
def test_a_search_finds_first_the_place_for_what_practitioners_type(
    site: dict[str, Page], browser: webdriver.Chrome, typed: str
) -> None:
    browser.get((build_site.PAGES / "search.html").as_uri() + f"?q={typed}")
    WebDriverWait(browser, 30).until(lambda b: b.find_elements(By.CSS_SELECTOR, ".search-summary"))
    summary = browser.find_element(By.CSS_SELECTOR, ".search-summary")
    WebDriverWait(browser, 30).until(lambda b: "finished" in summary.text)
    shown = browser.find_elements(By.CSS_SELECTOR, "#search-results li a")
    page, _, anchor = shown[0].get_attribute("href").partition("/pages/")[2].partition("#")
    assert Path(page.partition("?")[0]).stem == FIRST[typed]
    assert anchor in site[page.partition("?")[0]].ids


def test_each_word_of_the_search_has_a_place(site: dict[str, Page]) -> None:
    for (page, place), _ in words.listed().items():
        if page.endswith(".md"):
            assert f"## {place}\n" in (ROOT / "notebooks" / page).read_text(encoding="utf-8"), place
        else:
            assert place in [cell.id for cell in read(ROOT / "notebooks" / page).cells], place
    terms = (ROOT / "notebooks/glossary.md").read_text(encoding="utf-8").count("\n## ")
    entries = words.in_text("glossary.md", (ROOT / "notebooks/glossary.md").read_text(encoding="utf-8"))
    assert entries.count("```{index} ! ") == terms


# --- drawing, and the guesses of a lesson ---


def stroke(browser: webdriver.Chrome, guess: str, heights: list[float], steps: int = 6) -> None:
    """A finger draws through these heights, 0 at the bottom, evenly from the left edge to the right one."""
    sheet = browser.find_element(By.CSS_SELECTOR, f"{guess} .sheet")
    script = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"
    browser.execute_script(script, sheet)
    area = browser.execute_script("return arguments[0].getBoundingClientRect().toJSON()", sheet)
    across = [area["left"] + 4 + i * (area["width"] - 8) / (len(heights) - 1) for i in range(len(heights))]
    points = [(x, area["bottom"] - share * area["height"]) for x, share in zip(across, heights, strict=True)]

    def touch(kind: str, *places: tuple[float, float]) -> None:
        event = {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in places]}
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", event)

    touch("touchStart", points[0])
    for (x, y), (to_x, to_y) in pairwise(points):
        for step in range(1, steps + 1):
            touch("touchMove", (x + (to_x - x) * step / steps, y + (to_y - y) * step / steps))
    touch("touchEnd")


def test_the_first_page_is_small_and_its_drawing_needs_nothing_else(site: dict[str, Page]) -> None:
    page = site["index.html"]
    files = {address.partition("?")[0] for address in page.loaded} | {"index.html"}
    packed = sum(len(gzip.compress((build_site.PAGES / file).read_bytes())) for file in files)
    assert packed < 600_000
    assert not [file for file in build_site.PAGES.rglob("*") if "fontawesome" in file.name]
    scripts = [*(ROOT / "site/_static").glob("*.js"), drawn.MODULE, build_site.PLAYER]
    assert sum(file.read_text(encoding="utf-8").count("\n") for file in scripts) <= 2_500


def test_a_finger_draws_on_the_first_page_and_learns_how_wrong_it_was(
    site: dict[str, Page], browser: webdriver.Chrome
) -> None:
    browser.get("about:blank")  # a swipe to the right must not lead back here
    look(browser, "index.html", 390)
    after = browser.find_element(By.CSS_SELECTOR, "[data-after=sleepers]")
    button, said = (browser.find_element(By.CSS_SELECTOR, one) for one in (".compare", ".guess output"))
    assert not after.is_displayed() and button.text == "Show at once"
    stroke(browser, ".draw", [0.3, 0.5, 0.8])
    assert browser.current_url.endswith("/index.html")
    sizes = drawn.sleepers()[0].sizes
    assert all(f" s at {size:,}" in said.text for size in sizes)
    assert button.text == "Compare with the run"
    button.click()
    slowest = next(one["value"] for one in drawn.sleepers()[1][0]["points"] if one["n"] == sizes[-1])
    assert (
        said.text.startswith("You drew ") and f"at 5,000,000; it was {slowest:.3g} s: you drew " in said.text
    )
    assert after.is_displayed() and finding(read(NOTEBOOKS[0]), "hundred-finding") in after.text
    # every measured point, the two runs apart, and nothing in between
    dots = browser.find_elements(By.CSS_SELECTOR, ".guess .dot")
    assert len(dots) == sum(len(one["points"]) for one in drawn.sleepers()[1])
    apart = browser.find_elements(By.CSS_SELECTOR, ".guess .dot.apart")
    assert len(apart) == len(drawn.sleepers()[1][1]["points"])
    letters = "return Math.min(...[...document.querySelectorAll('.guess text')].filter(t => t.textContent)"
    assert browser.execute_script(f"{letters}.map(t => parseFloat(getComputedStyle(t).fontSize)))") >= 11
    assert browser.execute_script(SEEN) == {"wide": False, "empty": [], "hidden": 0}
    browser.find_element(By.CSS_SELECTOR, ".guess .said button").click()
    assert not browser.find_elements(By.CSS_SELECTOR, ".guess .dot") and button.text == "Show at once"


def test_two_strokes_on_the_java_versions_cross(site: dict[str, Page], browser: webdriver.Chrome) -> None:
    look(browser, "draw/newcomers.html", 390)
    for what, heights in (("synchronized", [0.1, 0.1, 0.1, 0.1]), ("file", [0.1, 0.1, 0.1, 0.1])):
        home = f"[data-draw={what}]"
        stroke(browser, home, heights)
        browser.find_element(By.CSS_SELECTOR, f"{home} .compare").click()
        said = browser.find_element(By.CSS_SELECTOR, f"{home} output").text
        measured = drawn.newcomers(what)[1][0]["points"]
        at = 21 if what == "synchronized" else 25
        [figure] = [one["value"] for one in measured if one["n"] == at]
        assert f" ms at {at}; it was {figure:.0f} ms: " in said and " times as much." in said
    assert browser.find_element(By.CSS_SELECTOR, "[data-after=file]").is_displayed()


def test_every_drawing_snaps_to_what_was_measured_and_its_page_names_each_line(site: dict[str, Page]) -> None:
    homes = {}
    for page in (build_site.SOURCE / "index.md", *(build_site.SOURCE / "draw").glob("*.md")):
        for name, names in re.findall(
            r'data-draw="(\w+)".*data-names="([^"]+)"', page.read_text(encoding="utf-8")
        ):
            homes[name] = names.split("|")
    assert {*homes} == {*drawn.DRAWN}
    for name, draw in drawn.DRAWN.items():
        axes, lines = draw()
        assert len(lines) == len(homes[name])
        for line in lines:
            for point in line["points"]:
                assert line.get("law") or point["n"] in axes.sizes, name
                assert line.get("law") or point["low"] <= point["value"] <= point["high"]
                assert axes.low <= point["value"] <= axes.high, name


def press(browser: webdriver.Chrome, button: str) -> None:
    """Presses a button wherever it is on the page: the header may lie over it."""
    browser.execute_script("arguments[0].click()", browser.find_element(By.CSS_SELECTOR, button))


ASKING = [path for path in RAN if any("= Guess." in cell.source for cell in read(path).cells)]


@pytest.mark.parametrize("path", ASKING, ids=lambda path: path.stem)
def test_a_page_asks_where_its_notebook_asks_and_hides_what_came_out(
    site: dict[str, Page], browser: webdriver.Chrome, path: Path
) -> None:
    asked = [cell for cell in read(path).cells if cell.cell_type == "code" and "= Guess." in cell.source]
    look(browser, f"notebooks/{path.stem}.html", 390)
    places = browser.find_elements(By.CSS_SELECTOR, ".threadlab-guess")
    # one that no claim compares, as on another system, stays in words
    assert len(asked) >= len(places) > len(asked) / 2
    for place in places:
        given = json.loads(place.get_attribute("data-guess"))
        assert given["spec"]["about"] in "\n".join(cell.source for cell in asked)
        assert given["was"]
    script = """const [guess] = arguments; return [...document.querySelectorAll('p')].find(text =>
        text.textContent.includes('Finding.') && guess.compareDocumentPosition(text) & 4)"""
    key = browser.execute_script(script, places[0])
    assert not key.is_displayed()
    press(browser, ".compare")
    assert key.is_displayed() or len(places) > 1
    press(browser, ".asks button")
    assert key.is_displayed() and not browser.find_elements(By.CSS_SELECTOR, ".hidden-note")
    assert browser.execute_script(SEEN) == {"wide": False, "empty": [], "hidden": 0}


def test_a_link_into_what_is_hidden_shows_it_and_without_scripts_nothing_is_hidden(
    site: dict[str, Page], browser: webdriver.Chrome
) -> None:
    sized(browser, 390)
    browser.get((build_site.PAGES / f"notebooks/{RAN[0].stem}.html").as_uri() + "#cell-hundred-finding")
    place = browser.find_element(By.ID, "cell-hundred-finding")
    assert place.find_element(By.XPATH, "..").is_displayed()
    assert "hidden=" not in re.sub(
        r"aria-hidden=", "", site[f"notebooks/{RAN[0].stem}.html"].text.partition("<article")[2]
    )


@pytest.mark.parametrize("lesson", build_site.SLIDERS)
def test_a_lesson_has_its_slider_and_lesson_slider_drawing_and_cards_lead_to_each_other(
    site: dict[str, Page], browser: webdriver.Chrome, lesson: str
) -> None:
    _, slider = build_site.SLIDERS[lesson]
    page, moved = site[f"notebooks/{lesson}.html"], site[f"try/{slider}.html"]
    assert f"../try/{slider}.html" in page.links
    assert (f"../versions.html?lesson={lesson}" in page.links) == (lesson in cards.lessons())
    assert any(f"notebooks/{lesson}.html" in link for link in moved.links)
    look(browser, f"notebooks/{lesson}.html", 390)
    if browser.find_elements(By.CSS_SELECTOR, ".asks button"):
        press(browser, ".asks button")
    home = browser.find_element(By.CSS_SELECTOR, "[data-explorable]")
    browser.execute_script("arguments[0].scrollIntoView()", home)
    WebDriverWait(browser, 30).until(lambda b: home.find_elements(By.CSS_SELECTOR, ".predict"))
    assert not home.find_element(By.CSS_SELECTOR, ".answer").is_displayed()
    press(browser, ".predict button[type=button]")
    assert home.find_element(By.CSS_SELECTOR, ".answer").is_displayed()
    assert "=" not in browser.execute_script("return location.hash"), "the address stays that of a cell"


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
    look(browser, "dump.html", 390)
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
    later = re.sub(r"elapsed=(\d+)", lambda age: f"elapsed={int(age[1]) + 1}", text)
    two.write_text(later.replace("09:14:03.514Z  INFO", "09:14:04.514Z  INFO"), encoding="utf-8")
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
    look(browser, f"try/{name}.html", 390)
    assert not browser.find_element(By.CSS_SELECTOR, ".explorable .answer").is_displayed()
    assert not browser.find_element(By.CSS_SELECTOR, "[data-after=explorable]").is_displayed()
    browser.find_element(By.ID, f"{name}-guess").send_keys(wrong + Keys.ENTER)
    verdict = browser.find_element(By.CSS_SELECTOR, ".explorable .verdict")
    assert verdict.text.startswith(f"You said {int(wrong):,}. The model says")
    assert not verdict.text.endswith("right.")
    assert browser.find_element(By.CSS_SELECTOR, "[data-after=explorable]").is_displayed()
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
