"""The site as tests build it: from what was executed before, as in a clone with an origin."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from selenium import webdriver
from notebooks.claims import SMALL
from notebooks.runs import DIVES, NOTEBOOKS, ROOT, read
from publish import build_site, translations

RAN = [path for path in NOTEBOOKS if (SMALL / path.name).is_file()]
# as the page's switch does, without the moment in which the colours change
THEME = """
const still = document.createElement('style');
still.textContent = '* { transition: none !important }';
document.head.append(still);
document.documentElement.dataset.mode = document.documentElement.dataset.theme = arguments[0];
"""
SEEN = """
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const empty = [...document.images].filter(p => p.loading !== 'lazy' && p.complete && !p.naturalWidth);
const hidden = [...document.querySelectorAll('figcaption')].filter(words => !words.offsetHeight);
return {wide: wide > 2, empty: empty.map(p => p.src), hidden: hidden.length};
"""


class Page:
    """What a page has, what it links to, and what it loads."""

    def __init__(self, file: Path) -> None:
        self.text = file.read_text(encoding="utf-8")
        page = BeautifulSoup(self.text, "html.parser")
        self.ids = {found[name] for name in ("id", "name") for found in page.select(f"[{name}]")}
        self.links = [str(found["href"]) for found in page.select("a[href]")]
        self.pictures = page.find_all("img")
        loaded = "script, img, iframe, audio, video, source, link:is([rel~=stylesheet], [rel~=icon],"
        loaded += " [rel~=preload], [rel~=modulepreload])"
        places = ((found.get(name) for name in ("src", "srcset", "href")) for found in page.select(loaded))
        self.loaded = [str(address) for found in places for address in found if address]


@contextmanager
def built(folder: Path) -> Iterator[dict[str, Page]]:
    """The pages by their place in the site; a notebook that was not executed shows its cells alone."""
    if not RAN:
        pytest.skip("no notebook was executed before (make test NB=00 does)")
    build_site.install()
    notebooks = {
        path.relative_to(ROOT / "notebooks").as_posix(): read(SMALL / path.name if path in RAN else path)
        for path in [*NOTEBOOKS, *DIVES]
    }
    first = translations.LESSON.name
    for language in translations.LANGUAGES:
        notebooks[f"{language}/{first}"] = translations.lesson(language, notebooks[first])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_site, "SOURCE", folder / "source")
        patch.setattr(build_site, "PAGES", folder / "pages")
        course = build_site.Course()
        course.origin, course.branch = "https://github.com/ada/course", "main"
        build_site.gather(course, notebooks)
        build_site.build(course)
        pages = sorted(page for page in build_site.PAGES.rglob("*.html") if "_static" not in page.parts)
        yield {page.relative_to(build_site.PAGES).as_posix(): Page(page) for page in pages}


def sized(browser: webdriver.Chrome, width: int) -> None:
    """A window as wide as a desk's or a phone's, which a browser without a screen cannot be by itself."""
    size = {"width": width, "height": 844 if width < 600 else 1000, "deviceScaleFactor": 1}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**size, "mobile": width < 600})
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": width < 600})


def look(browser: webdriver.Chrome, name: str, width: int = 1280, theme: str = "light") -> None:
    sized(browser, width)
    browser.get((build_site.PAGES / name).as_uri())
    browser.execute_script(THEME, theme)
