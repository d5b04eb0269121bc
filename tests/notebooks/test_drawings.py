"""The drawings of the lessons: stored as drawn, true, and legible. Takes seconds."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from selenium import webdriver
from notebooks import drawings
from notebooks.svg import SMALL

# the words that stick out of the card or meet other words
CROWDED = """
const card = document.documentElement.getBoundingClientRect();
const words = [...document.querySelectorAll('text')].map(it => [it.textContent, it.getBoundingClientRect()]);
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
return words.filter(([, box], i) =>
    box.left < card.left + 8 || box.right > card.right - 8 || box.bottom > card.bottom
    || words.some(([, other], j) => i !== j && meet(box, other))).map(([text]) => text);
"""


def test_the_files_are_what_the_tool_draws() -> None:
    drawn = {f"{draw.__name__}.svg": draw().svg() + "\n" for draw in drawings.DRAWINGS}
    assert {file.name: file.read_text(encoding="utf-8") for file in drawings.FOLDER.iterdir()} == drawn


@pytest.mark.parametrize("draw", drawings.DRAWINGS, ids=lambda draw: draw.__name__)
def test_words_are_large_and_stand_alone(draw: Callable, browser: webdriver.Chrome) -> None:
    text = draw().svg()
    assert min(map(int, re.findall(r'font-size="(\d+)"', text))) >= SMALL
    browser.get((drawings.FOLDER / f"{draw.__name__}.svg").as_uri())
    assert browser.execute_script("return document.querySelectorAll('text').length") > 5
    assert browser.execute_script(CROWDED) == []


def test_the_server_answers_one_after_the_other_and_nobody_in_its_stop() -> None:
    begin, end = drawings.PAUSE
    for closed in (True, False):
        sent = [one for one in drawings.queue(closed) if one.answered is not None]
        for before, one in pairwise(sent):
            assert one.answered - before.answered >= drawings.SERVICE
            assert not closed or one.due >= before.answered, "a client sends after its answer"
        begun = [one.answered - drawings.SERVICE for one in sent]
        assert all(one.due <= at and not begin <= at < end for one, at in zip(sent, begun, strict=True))


def test_only_the_open_loop_counts_all_that_were_due_in_the_stop() -> None:
    closed, opened = drawings.queue(closed=True), drawings.queue(closed=False)
    due = [one.due for one in opened if drawings.PAUSE[0] <= one.due < drawings.PAUSE[1]]
    assert len(due) == 10 and all(one.late for one in opened if one.due in due)
    assert [one.due for one in closed if one.late] == due[:1]
    assert [one.due for one in closed if one.answered is None] == due[1:]
