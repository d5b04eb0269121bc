"""Whether everybody can use a page, as axe-core sees it."""

from pathlib import Path

import axe_core_python
from selenium import webdriver

AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
JUDGE = """
const [contrast, done] = arguments;
const rules = {'color-contrast': {enabled: contrast}};
axe.run(document, {resultTypes: ['violations'], rules}).then(found => done(found.violations));
"""


def judge(browser: webdriver.Chrome, contrast: bool = True) -> list[dict]:
    """The rules that the page breaks; that on contrast takes by far the longest."""
    if not browser.execute_script("return window.axe !== undefined"):
        browser.execute_script(AXE)
    return browser.execute_async_script(JUDGE, contrast)


def told(found: list[dict]) -> list[str]:
    return [f"{rule['impact']}, {rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found]
