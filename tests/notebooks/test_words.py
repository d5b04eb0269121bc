"""The terms of the first four notebooks: none is used before the cell that defines it. Takes a second."""

import re

import pytest
from nbformat import NotebookNode
from notebooks.runs import NOTEBOOKS, read

ENDING = r"(?:s|es|ed|ing)?"

# in reading order: the notebook, the cell with the definition, the words as they appear there in bold
DEFINED = [
    ("00", "head", "virtual thread, platform thread, cell"),
    ("00", "hundred-look", "task, executor, claim"),
    ("00", "until-finding", "heap"),
    ("00", "compare-text", "pool, contender, trial, wall time"),
    ("00", "compare-look", "median"),
    ("00", "carriers-text", "carrier"),
    ("00", "how-to-run", "notebook, kernel"),
    ("00", "late-look", "interrupt"),
    ("01", "closed-method-text", "worker, closed loop"),
    ("01", "closed-look", "logarithmic"),
    ("01", "law", "concurrency, throughput, latency"),
    ("01", "pool-text", "queue"),
    ("01", "clients-text", "client"),
    ("01", "pool-look", "ceiling"),
    ("01", "open-text", "open loop, burst"),
    ("01", "sample-text", "sampler"),
    ("01", "stick-text", "p99"),
    ("01", "stick-finding", "variability"),
    ("01", "pause-finding", "coordinated omission"),
    ("02", "request-text", "retry"),
    ("02", "pages-text", "error path"),
    ("02", "per-request-text", "thread-per-request, block"),
    ("02", "serve-text", "future"),
    ("02", "sharing-text", "thread-sharing, stage"),
    ("02", "times-explain", "garbage collection"),
    ("02", "waiting-explain", "stack"),
    ("02", "traces-text", "frame, stack trace"),
    ("02", "id-text", "MDC"),
    ("02", "cancel-explain", "thread dump"),
    ("02", "jfr-text", "profiler, profile"),
    ("03", "actors-text", "mounted, unmounted"),
    ("03", "timeline-predict", "lane"),
    ("03", "timeline-look", "hop"),
    ("03", "time-explain", "idle"),
    ("03", "one-look", "spinner, newcomer"),
    ("03", "spin-explain", "time-sliced"),
    ("03", "keep-text", "child JVM"),
    ("03", "keep-look", "pinned"),
    ("03", "queued-text", "scheduler, queued"),
    ("03", "hood-stack-look", "continuation"),
    ("03", "hood-poller-text", "poller"),
]
TERMS = [(number, cell, word) for number, cell, words in DEFINED for word in words.split(", ")]


def prose(cell: NotebookNode) -> str:
    """The text to read, without the notebook's title and code."""
    text = re.sub(r"^# [^\n]*|```.*?```|`[^`]*`", "", cell.source, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\[[^\]]*\]\([^)]*\.ipynb\)", "", text)


TEXTS = [
    (path.name[:2], cell.id, prose(cell))
    for path in NOTEBOOKS[:4]
    for cell in read(path).cells
    if cell.cell_type == "markdown"
]


@pytest.mark.parametrize(("number", "cell", "word"), TERMS, ids=[word for *_, word in TERMS])
def test_no_word_is_used_before_it_is_defined(number: str, cell: str, word: str) -> None:
    at = next(i for i, (*place, _) in enumerate(TEXTS) if place == [number, cell])
    assert re.search(rf"\*\*{word}{ENDING}\b[^*]*\*\*", TEXTS[at][2], re.IGNORECASE), (
        f"{cell} defines it in bold"
    )
    used = re.compile(rf"(?<![\w-]){word}{ENDING}\b", re.IGNORECASE)
    early = [
        f"{n} {c}: …{text[max(0, hit.start() - 40) : hit.end() + 20]}…".replace("\n", " ")
        for n, c, text in TEXTS[:at]
        if (hit := used.search(text))
    ]
    assert not early
