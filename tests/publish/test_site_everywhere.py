"""Everybody can use every page of the site, by axe-core: wide, narrow, light, dark. Takes two minutes."""

import json
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from axe import judge
from notebooks.runs import NOTEBOOKS
from publish import browser as scripts
from publish import cards
from sites import SEEN, THEME, Page, built, look, sized

# These pages are also judged dark and narrow, with the rule on contrast, which takes by far the longest:
# they contain every kind of text on the site, such as traces, claims, tables, a player and the terms.
ALL_RULES = [f"notebooks/{path.stem}.html" for path in NOTEBOOKS if path.name[:2] in ("02", "03", "15")]
ALL_RULES += ["index.html", "notebooks/glossary.html", "dump.html", "versions.html"]
ALL_RULES += [f"try/{name}.html" for name in ("pool", "carriers", "door", "follow", "overtake")]
ALL_RULES += [f"draw/{name}.html" for name in ("newcomers", "pool", "memory", "stacks")]
CARDS = [f"versions/{group[0].address}.html" for group in cards.groups()]
ALL_RULES += CARDS
# what a page shows once it is used
MOVED = """
document.querySelector('[data-sample=circle]')?.click();
document.querySelector('.predict button[type=button]')?.click();
document.querySelector('.asks button')?.click();
document.querySelectorAll('.compare').forEach(one => one.click());
document.querySelectorAll('.guess details').forEach(one => { one.open = true; });
"""
LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Page]]:
    with built(tmp_path_factory.mktemp("site")) as pages:
        yield pages


def test_everybody_can_use_every_page(site: dict[str, Page], browser: webdriver.Chrome) -> None:
    """axe-core finds nothing, nothing is too wide, no picture and no caption is missing."""
    wrong: list[str] = []
    # the cards have one form: one of each kind stands for all
    alike = [name for name in site if name.startswith("versions/") and name not in CARDS]
    for name in sorted({*site} - {"genindex.html", "search.html", *alike}):
        look(browser, name)
        browser.execute_script(MOVED)
        for width, theme in LOOKS:
            sized(browser, width)
            browser.execute_script(THEME, theme)
            assert browser.execute_script(SEEN) == {"wide": False, "empty": [], "hidden": 0}, (name, width)
            if name in ALL_RULES or (width, theme) == LOOKS[0]:
                found = judge(browser, name in ALL_RULES)
                wrong += [f"{name}, {theme}, {width}: {rule['id']}: {rule['nodes'][0]}" for rule in found]
    assert not wrong, "\n".join(wrong)


def test_a_dump_of_100_mb_is_read_in_bounded_memory_while_the_page_shows_how_far_it_is(
    site: dict[str, Page], browser: webdriver.Chrome, tmp_path: Path
) -> None:
    [small] = json.loads(scripts.SAMPLES["circle"].read_text(encoding="utf-8"))["threadDump"][
        "threadContainers"
    ][:1]
    head = {"runtimeVersion": "25.0.3+9-LTS", "threadContainers": []}
    begin = json.dumps({"threadDump": head})[:-3] + '{"container": "<root>", "parent": null, "threads": ['
    (dump := tmp_path / "large.json").write_text(begin, encoding="utf-8")
    with dump.open("a", encoding="utf-8") as file:
        count = 0
        while file.tell() < 100e6:
            thread = small["threads"][count % len(small["threads"])]
            named = thread | {"tid": str(count), "name": f"{thread['name']}-{count}"}
            file.write(f"{',' if count else ''}\n{json.dumps(named, indent=2)}")
            count += 1
        file.write("]}]}}")
    look(browser, "dump.html")
    browser.find_element(By.ID, "dump-file").send_keys(str(dump))
    status, shares, most = browser.find_element(By.ID, "dump-status"), set(), 0
    while "Reading" in (status.text or "Reading"):
        shares.add(browser.execute_script("return document.getElementById('dump-bar').value"))
        for process in psutil.Process(browser.service.process.pid).children(recursive=True):
            most = max(most, process.memory_info().rss)
    assert status.text.startswith("Read large.json, 100"), status.text
    assert f"{count:,} threads" in browser.find_element(By.CSS_SELECTOR, "#dump-result pre").get_attribute(
        "textContent"
    )
    assert len(shares) > 10
    assert most < 1e9, "the file has 100 MB, and many of its threads share a stack"
