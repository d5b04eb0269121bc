"""The questions of a plan: pictures of all kinds, votes with the replies of their checks. Takes a second."""

import json
import time
from html import escape
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_output
from notebooks.runs import numbered, read
from teach import picture, questions
from teach.questions import Question, guessed, line, voted

LINE: dict = {
    "kind": "figures",
    "about": "n waits",
    "figure": "seconds",
    "unit": " s",
    "line": True,
    "whole": False,
}
LINE |= {"sizes": [1_000, 10_000, 100_000], "low": 0.1, "high": 100_000.0, "log": True, "kept": False}
NUMBER = LINE | {"line": False, "sizes": [1], "about": "carriers", "figure": "carriers", "unit": ""}
CHOICE = {
    "kind": "choice",
    "about": "what stands there",
    "figure": "choice",
    "options": ["all", "one", "none"],
}
ORDER = {"kind": "order", "about": "the least first", "figure": "order", "items": ["a", "b", "c"]}
LANES = {"kind": "lanes", "about": "two", "figure": "time (ms)", "lanes": ["one", "two"], "axis": 100}
LANES |= {"bars": [["v1", 30], ["v2", 30]]}
MADE = {
    "n waits": [{"n": n, "words": "", "value": 3} for n in LINE["sizes"]],
    "carriers": [{"n": 1, "words": "", "value": 3}],
    "what stands there": [{"n": 1, "words": "one", "value": 2}],
    "the least first": [{"n": n, "words": "", "value": item} for n, item in ((1, 2), (2, 1), (3, 3))],
    "two": [{"n": 1, "words": "one", "value": 0}, {"n": 2, "words": "two", "value": 20}],
}


@pytest.mark.parametrize("spec", [LINE, NUMBER, CHOICE, ORDER, LANES], ids=lambda spec: spec["about"])
def test_each_kind_has_empty_axes_then_its_lines_then_what_was_measured(spec: dict) -> None:
    made = MADE[spec["about"]]
    one = line(spec, made)
    question = Question("00", "x", "?", spec, one)
    empty, shown = picture.picture(question), picture.picture(question, [one] * 9, shown=True, machines=[one])
    assert "measured" not in empty and "answers" not in empty and "✔" not in empty
    assert "9 answers" in shown and "100 % of you" in shown and "NaN" not in shown
    assert question.words(one) in shown and ("✔" in shown or "<path" in shown)
    for wrong in ([], [{**made[0], "value": 1e9}], [{**made[0], "value": "NaN"}], made * 2, [*made, {}]):
        with pytest.raises(ValueError):
            line(spec, wrong)


def test_a_vote_has_three_wrong_answers_each_with_the_reply_of_its_check() -> None:
    for lesson, stub in (
        ("00", "fair-stub"),
        ("01", "switch-stub"),
        ("03", "three-stub"),
        ("04", "next-stub"),
    ):
        cells = read(numbered(lesson)).cells
        vote = voted(lesson, cells, next(cell for cell in cells if cell.id == stub))
        assert len(vote.spec["options"]) == len({*vote.replies}) == 4, stub
        if lesson == "01":
            for option, reply in zip(vote.spec["options"], vote.replies, strict=True):
                wrong = {*option.split(", ")} - {"A", "E"}
                assert reply.startswith(tuple(wrong) or "A and E"), (option, reply)


def test_a_question_comes_from_a_notebook_that_has_run() -> None:
    cell = new_code_cell("Guess.line()", id="hundred-guess")
    assert guessed("00", cell) is None
    found = escape(json.dumps({"spec": LINE, "measured": MADE["n waits"]}))
    cell.outputs = [new_output("display_data", {"text/html": f'<div data-guess="{found}">…</div>'})]
    assert guessed("00", cell).measured == dict.fromkeys(LINE["sizes"], 3.0)


def test_a_hall_that_begins_anew_leaves_what_the_one_before_has_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "KEPT", tmp_path)
    asked = [Question("00", "first", "How long?", LINE, {}), Question("02", "second", "Which?", CHOICE, {})]
    real = time.strftime
    for at, (question, one) in enumerate(zip(asked, [{1_000: 3.0}, {1: 2.0}], strict=True)):
        now = time.struct_time((2026, 3, 1, 12, 0, at, 6, 60, 0))
        monkeypatch.setattr(time, "strftime", lambda form, now=now: real(form, now))
        questions.export([question], {question.key: {"voter": one}})
    assert questions.exported() == {("00", "first"): [{1_000: 3.0}], ("02", "second"): [{1: 2.0}]}
