"""The pages in other languages say what the current English says. Takes a second."""

import re
from collections import Counter

import pytest
from bootstrap.places import ROOT
from publish import translations

LANGUAGES = pytest.mark.parametrize("language", translations.LANGUAGES)
FIXED = re.compile(r"`[^`]+`|\]\([^)]*\)|<[^>]+>|\{[^}]*\}|✘|≈|\d+(?: ms| MB| GB)")


@LANGUAGES
def test_every_string_is_as_new_as_its_english_and_has_its_code_links_and_figures(language: str) -> None:
    known = [one for one in translations.catalogue(language) if one.id]
    left = "\n".join(str(one.id) for one in known if one.fuzzy or not one.string)
    assert not left, f"make translations, then in notebooks/{language}/messages.po translate\n{left}"
    for one in known:
        assert Counter(FIXED.findall(str(one.string))) == Counter(FIXED.findall(str(one.id))), one.string


@LANGUAGES
def test_the_terms_are_those_of_the_glossary(language: str) -> None:
    glossary = (ROOT / "notebooks/glossary.md").read_text(encoding="utf-8")
    known = [one for one in translations.catalogue(language) if one.id]
    for term, words in re.findall(r"^## (.+)\n\n.+\n\n(.+)$", glossary, re.MULTILINE):
        own = words.split(" · ")[list(translations.LANGUAGES).index(language)]
        word = re.split(r" ?[(（]", own)[0]
        strings = [one.string for one in known if f"**{term}" in one.id]
        assert all(f"**{word}**" in string for string in strings), f"{term} is {word}: {strings}"


@LANGUAGES
def test_the_stored_pages_are_those_that_the_catalogue_makes(language: str) -> None:
    for path, text in translations.pages(language).items():
        assert path.read_text(encoding="utf-8") == text, f"make translations: {path} is older"


def test_a_changed_sentence_is_named_and_shown_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    walked, before = translations.walked, "Virtual threads are cheap, not fast: they add no CPU."
    after = "Virtual threads are cheap and not fast: they add no CPU."
    monkeypatch.setattr(translations, "walked", lambda text, say: walked(text.replace(before, after), say))
    changed = translations.catalogue("ko")[after]
    assert changed.fuzzy and changed.string
    assert translations.speaker("ko")(after) == after
