"""The links of every stored page and notebook, and those that `make links` makes. Takes a second."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from bootstrap.places import ROOT
from notebooks.runs import DIVES, NOTEBOOKS, read
from publish import links

README = links.README.read_text(encoding="utf-8")
GITHUB = "git@github.com:ada/course.git"
SYMPTOMS = ROOT / "notebooks/symptoms.md"
DECIDE = ROOT / "notebooks/decide.md"
PLACES = (
    "*.md",
    ".github/*.md",
    "data/*.md",
    "notebooks/*.md",
    "notebooks/[a-z][a-z]/*.md",
    "notebooks/[a-z][a-z]/*.ipynb",
    "teaching/**/*.md",
)
PAGES = [*(page for place in PLACES for page in sorted(ROOT.glob(place))), *NOTEBOOKS, *DIVES]


@cache
def text(page: Path) -> str:
    if page.suffix == ".ipynb":
        return "\n".join(cell.source for cell in read(page).cells if cell.cell_type == "markdown")
    return page.read_text(encoding="utf-8")


@cache
def places(page: Path) -> set[str]:
    """The targets of links within a page: its headings, with a browser's anchors, and its cells."""
    titles = re.findall(r"^#+ (.+)$", text(page), re.MULTILINE)
    cells = read(page).cells if page.suffix == ".ipynb" else []
    found = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    return found | {f"cell-id={cell.id}" for cell in cells}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_pictures_lead_to_a_file_a_heading_or_a_cell(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)\s]+)\)", text(page))
    for target in targets + re.findall(r'src(?:set)?="([^"]+)"', text(page)):
        name, _, place = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), target
        if place and there.suffix in (".md", ".ipynb"):
            assert place in places(there), target


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"])
def test_the_map_names_only_what_is_there(page: str) -> None:
    stored = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True)
    files = [f"/{name}" for name in stored.stdout.splitlines()]
    classes = {Path(name).stem for name in files if name.endswith(".java")}
    code = re.findall(r"`([^`\n]+)`", text(ROOT / page))
    names = [name for name in code if re.fullmatch(r"[\w./…-]+\.(java|py|js|md|csv|toml|json|txt|xml)", name)]
    own = {"format.txt", "pom.xml"}
    lost = [name for name in names if name not in own and not any(there(name, file) for file in files)]
    types = [name.split(".")[-1] for name in code if re.fullmatch(r"(?:[a-z]+\.)?[A-Z]\w+", name)]
    assert names and not lost and set(types) <= classes | {"REGISTRY", "Table"}, (lost, set(types) - classes)


def there(name: str, file: str) -> bool:
    begin, _, end = name.rpartition("…")
    return file.startswith(f"/{begin}") and file.endswith(end if begin else f"/{name}")


def test_each_symptom_leads_to_a_cell() -> None:
    rows = re.findall(r"^\| (?!what you see|---)(.+) \|$", text(SYMPTOMS), re.MULTILINE)
    assert rows and all(re.search(r"\.ipynb#cell-id=[\w-]+\) \| \S", row) for row in rows)


def test_each_row_of_the_page_that_decides_leads_to_a_cell_or_says_documented() -> None:
    tables = re.findall(r"^\|.+\|\n\|[-|]+\|\n((?:\|.+\|\n)+)", text(DECIDE), re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]
    assert len(tables) == 5 and len(rows) > 30
    for row in rows:
        assert re.search(r"\.ipynb#cell-id=[\w-]+\) \|$|\*(documented|read)\*: \[", row), row


def test_each_row_about_java_versions_says_whether_it_was_measured_or_read() -> None:
    table = re.search(r"^\| what \| 21 \|.+\n\|[-|]+\|\n((?:\|.+\|\n)+)", text(DECIDE), re.MULTILINE)[1]
    for row in table.splitlines():
        last = row.split(" | ")[-1]
        assert re.match(r"\*measured\*: \[.+#cell-id=|\*read\*: \[", last), row


def test_links_are_written_into_the_readme_and_out_of_it() -> None:
    plain = links.filled(README, "", "")
    assert plain == README, "the stored page is that of no origin"
    full = links.filled(plain, GITHUB, "main")
    assert full.count("https://ada.github.io/course/notebooks/") == len(NOTEBOOKS)
    assert full.count("https://mybinder.org/v2/gh/ada/course/main") == len(NOTEBOOKS) + 2
    assert "https://github.com/ada/course/actions/workflows/tests.yml/badge.svg" in full
    assert links.filled(full, GITHUB, "main") == full
    assert links.filled(full, "", "") == plain
    # if a host shows no pages, the results stay words
    elsewhere = links.filled(plain, "https://codeberg.org/ada/course", "main")
    assert "results · [run](https://mybinder.org/v2/git/" in elsewhere


@pytest.mark.parametrize(
    ("origin", "place", "site"),
    [
        (GITHUB, "gh/ada/course/main", "https://ada.github.io/course/"),
        ("https://ada:pass@github.com/A/a.github.io", "gh/A/a.github.io/main", "https://a.github.io/"),
        ("ssh://git@gitlab.com:22/g/sub/c.git", "gl/g%2Fsub%2Fc/main", "https://g.gitlab.io/sub/c/"),
        ("https://codeberg.org/a/c", "git/https%3A%2F%2Fcodeberg.org%2Fa%2Fc/main", ""),
    ],
)
def test_the_links_lead_to_notebook_and_site_and_show_no_password(origin: str, place: str, site: str) -> None:
    first = "notebooks%2F00-start-here.ipynb"
    assert (ROOT / links.FIRST.removeprefix("lab/tree/")).is_file()
    assert links.binder(origin, "main") == f"https://mybinder.org/v2/{place}?urlpath=lab%2Ftree%2F{first}"
    for_a_class = links.nbgitpuller(origin, "main", "https://hub.school.example/")
    assert for_a_class.startswith("https://hub.school.example/hub/user-redirect/git-pull?repo=https%3A%2F%2F")
    assert re.search(rf"&branch=main&urlpath=lab%2Ftree%2F[^%]+%2F{first}$", for_a_class)
    assert "pass" not in for_a_class
    assert links.site(origin) == site


@pytest.mark.parametrize("origin", ["../course", "file:///srv/course", "C:\\course"])
def test_an_origin_that_nobody_else_can_reach_is_refused(origin: str) -> None:
    with pytest.raises(SystemExit, match="is not on the web, so no link can open it"):
        links.binder(origin, "main")
