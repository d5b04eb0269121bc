"""The front page: its pictures, its table, its commands; the glossary. Takes a second."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from bootstrap.places import ROOT
from notebooks import reading
from notebooks.runs import NOTEBOOKS, read
from publish import links

README = links.README.read_text(encoding="utf-8")
GLOSSARY = ROOT / "notebooks/glossary.md"


def test_every_picture_of_the_readme_says_what_it_shows_and_has_a_twin_for_dark_pages() -> None:
    pictures = re.findall(r"<picture>.*?</picture>", README, re.DOTALL)
    assert pictures
    for picture in pictures:
        assert len(re.search(r'alt="([^"]+)"', picture)[1]) > 60
        shown, kind = re.search(r'<img src="([^"]+)\.(\w+)"', picture).groups()
        assert f'media="(prefers-color-scheme: dark)" srcset="{shown}.dark.{kind}"' in picture
        for file in (f"{shown}.{kind}", f"{shown}.dark.{kind}"):
            assert (ROOT / file).stat().st_size < 1_000_000, file


def test_the_short_readme_names_every_notebook_with_its_times_its_results_and_its_run() -> None:
    assert re.findall(r"<!--links:(\d\d)-->", README) == [path.name[:2] for path in NOTEBOOKS]
    for path in NOTEBOOKS:
        title, _, head = read(path).cells[0].source.partition("\n")
        times = re.search(r"(\d+) minutes to read.*, (\d+) to practise, about (\d+) seconds", head)
        row = rf"\| \[{re.escape(title[2:])}\]\(notebooks/{path.name}\) \| [^|]+ \| "
        told = "{}&nbsp;\\+&nbsp;{}&nbsp;min, {}&nbsp;s".format(*times.groups())
        assert re.search(rf"{row}{told} \|", README), title
    assert len(links.filled(README, "", "").split()) <= 1_400


PAGES = [links.README, *sorted((ROOT / ".github/workflows").glob("*.yml"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_the_readme_and_of_the_workflows_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*re.findall(r"(?:`|run: |^ +)make ([a-z-]+)", text, re.MULTILINE)} <= {*targets}
    for path in re.findall(r"(?<![\w/])((?:tools|notebooks)/[\w/-]+\.(?:py|ipynb)|\.ci/[\w-]+)", text):
        assert (ROOT / path).exists(), path
    told = subprocess.run([sys.executable, ROOT / "tools/setup.py", "--help"], capture_output=True, text=True)
    for command in re.findall(r"tools[/\\]setup\.py ([a-z][a-z-]+)", text):
        assert f"setup.py {command}" in told.stdout


def test_whatwaits_is_told_on_one_page_whose_links_and_classes_are_there() -> None:
    home = ROOT / "whatwaits"
    text = (home / "README.md").read_text(encoding="utf-8")
    assert len(re.findall(r"\S*\w\S*", text)) <= 800
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (home / target).exists(), target
    for line in re.search(r"^```\n(command.*?)```", text, re.M | re.S)[1].splitlines():
        room, names = (
            line.split()[0].split(".")[0],
            re.findall(r"\b[A-Z]\w+", line.replace("JVM", "").replace("JSON", "")),
        )
        for name in names:
            rooms = [room, "rules"]
            assert any((home / f"src/main/java/whatwaits/{one}/{name}.java").exists() for one in rooms), name


TERMS = re.findall(r"^## (.+)\n\n(.+)\n\n(.+)$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_glossary_is_in_order_and_has_a_word_in_each_language() -> None:
    names = [term for term, _, _ in TERMS]
    assert len(names) == GLOSSARY.read_text(encoding="utf-8").count("\n## ")
    assert names == sorted(names, key=str.lower)
    for term, _, words in TERMS:
        for word, letters in zip(words.split(" · "), ("가-힣", "ぁ-ヿ一-鿿", "一-鿿"), strict=True):
            assert re.search(f"[{letters}]", word), term


def test_a_term_is_explained_in_the_notebook_that_the_glossary_names() -> None:
    for term, sentence, _ in TERMS:
        name = re.search(r"[.?] \[(\d\d|deeper)\]\((\1[-/][\w-]+\.ipynb)\)$", sentence)[2]
        text = "\n".join(cell.source for cell in read(ROOT / "notebooks" / name).cells)
        stem = re.sub(r"(?<=\w)(y|e)?$", "", term)
        assert re.search(re.escape(stem), text.replace("thread that", "thread"), re.IGNORECASE), term


def test_the_readme_says_of_each_chart_what_its_lesson_finds() -> None:
    said = re.findall(
        r"^\*\*(.+)\*\* \(\[\d\d\]\((notebooks/[\w-]+\.ipynb)\)\)\n\n<picture>", README, re.MULTILINE
    )
    assert len(said) == 3
    for words, lesson in said:
        cells = [cell for cell in read(ROOT / lesson).cells if reading.FINDING in cell.source]
        assert words in [reading.quoted(cell) for cell in cells]
