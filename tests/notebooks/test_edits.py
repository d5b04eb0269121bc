"""Random small edits: the next cell always answers, and no variable changes unsaid. Takes 20 s.

A seed repeats what it did: -k seed17.
"""

import os
import re
from collections.abc import Iterator

import pytest
from edits import Edits
from typist import Desk

SEEDS = range(500 if os.environ.get("THREADLAB_RELEASE") else 20)
FOR_ONE_KERNEL = 20


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("temporary"))
    with desk.open:
        yield desk


@pytest.mark.parametrize("seed", SEEDS, ids="seed{}".format)
def test_no_edit_loses_or_silences_anything(desk: Desk, seed: int) -> None:
    typist, edits = desk.typist_of(f"from {seed // FOR_ONE_KERNEL}"), Edits(seed)
    sources: list[str] = []
    for _ in range(edits.random.randint(5, 12)):
        step = edits.step()
        sources.append(step.source)
        told = "\n--- next cell\n".join(sources)
        page = typist.type(*step.typed())
        assert typist.usable, f"{told}\n{page}"
        wrong = [] if re.search(step.shows, page, re.MULTILINE) else [f"no {step.shows}"]
        if not step.fails and "«error»" in page:
            wrong.append("an error")
        seen = typist.value(edits.look(), within=2)
        if seen != edits.expected() or " reset because" in page:
            wrong += edits.accept(step, page, typist.value)
        typist.usable = typist.usable and not wrong
        assert not wrong, f"{wrong}\n{told}\n=== which says\n{page}\n=== then\n{seen}"
