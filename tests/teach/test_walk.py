"""A lesson on a real hub: two learners run it, see nothing of each other, share a chart. Two minutes."""

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from notebooks.runs import NOTEBOOKS
from teach import classroom, hub
from teach.hub import PREFIX
from teach.hub_trial import nobody_sees_another_s_files
from teach.learner import Learner

FIRST = NOTEBOOKS[0]
NAMES = [PREFIX + "walk-1", PREFIX + "walk-2"]


CAN = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("npm")


@pytest.mark.skipif(not CAN, reason="making users of the system needs Linux, root and Node's npm")
def test_from_the_lesson_to_the_chart_of_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub.running(NAMES) as place:
        learners = [Learner(place, name) for name in NAMES]

        def lesson(learner: Learner) -> list[str]:
            learner.log_in()
            learner.start_server()
            learner.pull()
            told = learner.run_all(f"course/notebooks/{FIRST.name}")
            assert "no names" in learner.said('Results.share("start-here")')
            return told["errors"]

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(lesson, learners)) == [[], []]
        nobody_sees_another_s_files(*learners)
        files = tmp_path / "files"
        files.mkdir()
        for name in NAMES:
            for file in (place.folder / "homes" / name).glob("course/notebooks/results/shared/*.csv"):
                shutil.copy2(file, files / f"{name}-{file.name}")
    monkeypatch.setattr(classroom, "CLASS", tmp_path / "class")
    machines, told = classroom.collect(files, classroom.Known.of("00"))
    assert (len(machines), told) == (2, [])
    classroom.write(machines, "00", told)
    assert classroom.draw().read_text(encoding="utf-8").count('src="data:image/png;base64') == 2
