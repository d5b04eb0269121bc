"""A whole lesson: handouts, slides, a class on a real hub, homework, marks, the class's chart.

Takes two to three minutes, and in the first run another two for the packages of the hub and of nbgrader. Two
learners work over HTTP on a JupyterHub on this machine. It creates system users, so it needs root.
"""

import csv
import io
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from notebooks.runs import NOTEBOOKS, ROOT
from teach import classroom, grade, handouts, homework, hub, slides
from teach.hub import PREFIX
from teach.hub_trial import nobody_sees_another_s_files
from teach.learner import Learner

pytestmark = pytest.mark.deep
FIRST = NOTEBOOKS[0]
NAMES = [PREFIX + "walk-1", PREFIX + "walk-2"]


def tool(name: str, *words: object) -> str:
    ended = subprocess.run(
        [sys.executable, ROOT / "tools/teach" / name, *words], capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def does_homework(learner: Learner, released: Path, answer: str) -> None:
    """Uploads the homework, writes an answer into each cell and saves it."""
    notebook = nbformat.read(released, 4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            name = cell.source.split()[1]
            cell.source += f"\n{name} = {answer};"
    body = {"type": "notebook", "format": "json", "content": notebook}
    learner.contents(FIRST.name, "PUT", body)


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("npm"),
    reason="making users of the system needs Linux, root and Node's npm",
)
def test_from_the_plan_to_the_chart_of_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool("handouts.py")
    assert "What I predict" in (handouts.PRINTED / "prediction-sheet.html").read_text(encoding="utf-8")
    assert "Virtual threads on two pages" in (handouts.PRINTED / "handout.html").read_text(encoding="utf-8")
    monkeypatch.setattr(slides, "SLIDES", tmp_path / "slides")
    monkeypatch.setattr(slides, "REVEAL", tmp_path / "slides/reveal")
    assert slides.write(handouts.PLANS[0]).is_file()

    for module in (homework, grade):
        monkeypatch.setattr(module, "HOMEWORK", tmp_path / "homework")
    monkeypatch.setenv("THREADLAB_HOMEWORK", str(tmp_path / "homework"))
    homework.write([FIRST])
    tool("grade.py", "generate_assignment", FIRST.stem)
    released = tmp_path / "homework/release" / FIRST.stem / FIRST.name

    files = tmp_path / "files"
    files.mkdir()
    with hub.running(NAMES) as place:
        learners = [Learner(place, name) for name in NAMES]

        def lesson(learner: Learner) -> dict:
            learner.log_in()
            learner.start_server()
            learner.pull()
            told = learner.run_all(f"course/notebooks/{FIRST.name}")
            assert "no names" in learner.said('Results.share("start-here")')
            return told

        with ThreadPoolExecutor(2) as pool:
            lessons = list(pool.map(lesson, learners))
        assert [told["errors"] for told in lessons] == [[], []]
        nobody_sees_another_s_files(*learners)
        for learner, answer in zip(learners, ("2", "1"), strict=True):
            does_homework(learner, released, answer)
            home = place.folder / "homes" / learner.name
            sent = tmp_path / "homework/submitted" / learner.name / FIRST.stem
            sent.mkdir(parents=True)
            shutil.copy2(home / FIRST.name, sent)
            for file in home.glob("course/notebooks/results/shared/*.csv"):
                shutil.copy2(file, files / f"{learner.name}-{file.name}")

    tool("grade.py", "autograde", FIRST.stem, "--trust-submissions")
    marks = {row["student"]: row["mark"] for row in csv.DictReader(io.StringIO(tool("grade.py", "marks")))}
    # 2 is the answer to the first of two exercises of two points each; 1 is the answer to neither
    assert marks == dict(zip(NAMES, ("2", "0"), strict=True))

    monkeypatch.setattr(classroom, "CLASS", tmp_path / "class")
    machines, told = classroom.collect(files, classroom.Known.of("00"))
    assert (len(machines), told) == (2, [])
    classroom.write(machines, "00", told)
    assert classroom.draw().read_text(encoding="utf-8").count('src="data:image/png;base64') == 2
