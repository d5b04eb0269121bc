"""The front page: its links, its pictures, what `make links` writes into it; the glossary. Costs a second."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from bootstrap.places import ROOT
from notebooks.runs import NOTEBOOKS, read
from publish import links

README = links.README.read_text(encoding="utf-8")
GLOSSARY = ROOT / "notebooks/glossary.md"
GITHUB = "git@github.com:ada/course.git"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "data/README.md", GLOSSARY]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as its readers make them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_picture_of_the_readme_says_what_it_shows_and_has_a_twin_for_dark_pages() -> None:
    pictures = re.findall(r"<picture>.*?</picture>", README, re.DOTALL)
    assert len(pictures) == 4
    for picture in pictures:
        assert len(re.search(r'alt="([^"]+)"', picture)[1]) > 60
        shown = re.search(r'<img src="([^"]+)"', picture)[1]
        dark = shown.replace(".png", ".dark.png").replace(".gif", ".dark.gif")
        assert f'media="(prefers-color-scheme: dark)" srcset="{dark}"' in picture
        for file in re.findall(r'src(?:set)?="([^"]+)"', picture):
            assert (ROOT / file).stat().st_size < 1_000_000, file


def test_the_readme_names_every_notebook_with_its_time_its_results_and_its_run() -> None:
    assert re.findall(r"<!-- links:(\d\d) -->", README) == [path.name[:2] for path in NOTEBOOKS]
    for path in NOTEBOOKS:
        title, _, head = read(path).cells[0].source.partition("\n")
        seconds = re.search(r"about (\d+) seconds to run", head)[1]
        row = rf"\| \[{re.escape(title[2:])}\]\(notebooks/{path.name}\) \| [^|]+ \| {seconds} s \|"
        assert re.search(row, README), title


def test_links_are_written_into_the_readme_and_out_of_it() -> None:
    plain = links.filled(README, "", "")
    assert plain == README, "the stored page is that of no origin"
    full = links.filled(plain, GITHUB, "main")
    assert full.count("https://ada.github.io/course/notebooks/") == len(NOTEBOOKS)
    assert full.count("https://mybinder.org/v2/gh/ada/course/main") == len(NOTEBOOKS) + 2
    assert "https://github.com/ada/course/actions/workflows/tests.yml/badge.svg" in full
    assert links.filled(full, GITHUB, "main") == full
    assert links.filled(full, "", "") == plain
    # where a host shows no pages, the results stay words
    elsewhere = links.filled(plain, "https://codeberg.org/ada/course", "main")
    assert "results · [run](https://mybinder.org/v2/git/" in elsewhere
    assert "badge.svg" not in elsewhere.replace("badge_logo.svg", "")


def test_make_links_says_what_it_wrote(tmp_path: Path, monkeypatch, capsys) -> None:
    page = tmp_path / "README.md"
    page.write_text(README, encoding="utf-8")
    monkeypatch.setattr(links, "README", page)
    monkeypatch.setattr(links, "git", lambda *asked: GITHUB if "--get" in asked else "main")
    links.main([])
    assert "the site:     https://ada.github.io/course/" in capsys.readouterr().out
    assert "[results](https://ada.github.io/" in page.read_text(encoding="utf-8")
    links.main([])
    assert "commit it" not in capsys.readouterr().out


def test_the_commands_of_the_readme_are_there() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for target in re.findall(r"`make ([a-z-]+)", README):
        assert target in targets
    told = subprocess.run([sys.executable, ROOT / "tools/setup.py", "--help"], capture_output=True, text=True)
    for command in re.findall(r"tools[/\\]setup\.py (lab|run|test|test-all|update|bundle)", README):
        assert command in told.stdout


# --- the glossary ---

TERMS = re.findall(r"^## (.+)\n\n(.+)\n\n(.+)$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_term_has_a_sentence_a_notebook_and_a_word_in_each_language() -> None:
    names = [term for term, _, _ in TERMS]
    assert len(names) == GLOSSARY.read_text(encoding="utf-8").count("\n## ")
    assert names == sorted(names, key=str.lower)
    for term, sentence, words in TERMS:
        assert re.search(r"[.?] \[(\d\d)\]\(\1-[\w-]+\.ipynb\)$", sentence), term
        korean, japanese, chinese = words.split(" · ")
        assert re.search("[가-힣]", korean), term
        assert re.search("[ぁ-ヿ一-鿿]", japanese), term
        assert re.search("[一-鿿]", chinese), term


def test_a_term_is_explained_in_the_notebook_that_the_glossary_names() -> None:
    for term, sentence, _ in TERMS:
        [number] = re.findall(r"\[(\d\d)\]\(", sentence)
        [path] = [path for path in NOTEBOOKS if path.name.startswith(number)]
        text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
        stem = re.sub(r"(?<=\w)(y|e)?$", "", term)
        assert re.search(re.escape(stem), text.replace("thread that", "thread"), re.IGNORECASE), term


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_leads_to_a_word_of_the_glossary(path: Path) -> None:
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    led = re.findall(r"\]\(glossary\.md#([^)]+)\)", text)
    assert led
    assert set(led) <= anchors(GLOSSARY.read_text(encoding="utf-8"))
