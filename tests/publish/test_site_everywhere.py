"""Everybody can use every page of the site, by axe-core: wide, narrow, light, dark. Takes two minutes."""

from collections.abc import Iterator

import pytest
from selenium import webdriver
from axe import judge
from notebooks.runs import NOTEBOOKS
from sites import SEEN, THEME, Page, built, look

# These pages are also judged dark and narrow, with the rule on contrast, which takes by far the longest:
# they contain every kind of text on the site, such as traces, claims, tables, a player and the terms.
ALL_RULES = [f"notebooks/{path.stem}.html" for path in NOTEBOOKS if path.name[:2] in ("02", "03", "15")]
ALL_RULES += ["index.html", "notebooks/glossary.html"]
LOOKS = [(1400, "light"), (1400, "dark"), (500, "light")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Page]]:
    with built(tmp_path_factory.mktemp("site")) as pages:
        yield pages


def test_everybody_can_use_every_page(site: dict[str, Page], browser: webdriver.Chrome) -> None:
    """axe-core finds nothing serious, nothing is too wide, no picture and no caption is missing."""
    serious: list[str] = []
    for name in sorted({*site} - {"genindex.html", "search.html"}):
        look(browser, name)
        for width, theme in LOOKS:
            browser.set_window_size(width, 1000)
            browser.execute_script(THEME, theme)
            assert browser.execute_script(SEEN) == {"wide": False, "empty": [], "hidden": 0}, (name, width)
            if name in ALL_RULES or (width, theme) == LOOKS[0]:
                found = judge(browser, name in ALL_RULES)
                worst = [rule for rule in found if rule["impact"] in ("serious", "critical")]
                serious += [f"{name}, {theme}, {width}: {rule['id']}: {rule['nodes'][0]}" for rule in worst]
    assert not serious, "\n".join(serious)
