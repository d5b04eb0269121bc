"""Tries a class on a real JupyterHub on this machine: seconds, memory and claims of each learner's lesson.

python3 tools/setup.py -- python tools/teach/hub_trial.py --learners=10 --cpus=2   as root, on Linux, with npm

All log in, get the notebooks, start kernels and run each notebook at the same time; then the hub is killed.
The figures go to build/hub-trial.json and, as a table, to the terminal. `make memory` uses one learner with
one CPU. The users, their processes and their folders are gone at the end.
"""

import argparse
import json
import os
import shutil
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from bootstrap.places import BUILD
from notebooks.runs import NOTEBOOKS, numbered
from teach.hub import PREFIX, Hub, running, status
from teach.learner import Learner
from teach.memory import FILES, Memory, own

REPORT = BUILD / "hub-trial.json"
WRONG = ("broken", "not judged", "errors")


def lesson(learner: Learner, notebooks: list[str], meet: threading.Barrier, memory: Memory) -> list[dict]:
    """One learner's lesson, a row for each notebook; all begin each notebook together."""
    first: dict[str, Any] = {"learner": learner.name.removeprefix(PREFIX)}
    for name, step in (("log in", learner.log_in), ("server", learner.start_server), ("pull", learner.pull)):
        start = time.monotonic()
        step()
        first[f"{name} (s)"] = time.monotonic() - start
    rows = []
    for name in notebooks:
        if learner.socket:
            learner.close()
        meet.wait(600)
        memory.of(learner)
        told = learner.run_all(f"course/notebooks/{name}")
        rows.append({"notebook": name[:2]} | first | told | memory.of(learner))
    return rows


def nobody_sees_another_s_files(one: Learner, other: Learner) -> None:
    """Neither through the page nor through the kernel, although both run on one machine."""
    address = f"{one.place.base}{other.home}/api/contents/course"
    assert status(address, other.token) == 200
    assert status(address, one.token) in (403, 404)
    for path in (f"{other.name}/course/notebooks/{NOTEBOOKS[0].name}", other.name):
        file = one.place.folder / "homes" / path
        said = one.said(f'java.nio.file.Files.newDirectoryStream(java.nio.file.Path.of("{file.parent}"))')
        said += one.said(f'java.nio.file.Files.readString(java.nio.file.Path.of("{file}"))')
        assert "AccessDenied" in said or (str(file.parent) in said and file.parent.name == "homes"), said


def a_killed_hub_comes_back(place: Hub, learners: list[Learner], notebook: str) -> float:
    """Returns the seconds it takes; running cells continue, variables, files and logins are kept."""
    with ThreadPoolExecutor(len(learners)) as pool:
        running = [
            pool.submit(learner.said, "int kept = 42; Thread.sleep(4_000); kept") for learner in learners
        ]
        time.sleep(1)
        place.kill()
        assert {each.result() for each in running} == {"42"}, "a kernel needs no hub"
    start = time.monotonic()
    place.start()
    seconds = time.monotonic() - start
    for learner in learners:
        assert learner.ready()
        learner.socket.close()
        learner.connect(learner.kernel)
        assert learner.said("kept") == "42", "the page can be opened again"
        saved = learner.contents(f"course/notebooks/{notebook}")["content"]
        assert any(cell.get("outputs") for cell in saved["cells"]), "what was saved is not there"
    return seconds


def trial(count: int, notebooks: list[str]) -> dict:
    names = [f"{PREFIX}{place}" for place in range(1, count + 1)]
    with running(names) as place:
        learners = [Learner(place, name) for name in names]
        meet = threading.Barrier(count)
        with Memory(learners) as memory, ThreadPoolExecutor(count) as pool:
            lessons = [pool.submit(lesson, learner, notebooks, meet, memory) for learner in learners]
            try:
                rows = [row for each in as_completed(lessons) for row in each.result()]
            except Exception:
                meet.abort()
                shutil.copy2(place.folder / "hub.log", BUILD / "hub-trial.log")
                raise
        told = {"rows": sorted(rows, key=lambda row: (row["notebook"], row["learner"]))}
        told |= {"all, peak (MiB)": own(memory.all_), "pages of files (MiB)": memory.all_[FILES]}
        if count > 1:
            nobody_sees_another_s_files(learners[0], learners[1])
            told["hub back after (s)"] = a_killed_hub_comes_back(place, learners, notebooks[0])
    return told


def table(told: dict) -> str:
    """The results of the trial: a row for each notebook of each learner, then the common figures."""
    rows = told.pop("rows")
    names = [name for name in rows[0] if name not in ("errors", "parts")]
    below: Counter[str] = Counter()
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for row in rows:
        values = (len(row[name]) if isinstance(row[name], list) else row[name] for name in names)
        words = (f"{value:.1f}" if isinstance(value, float) else str(value) for value in values)
        lines.append(f"| {' | '.join(words)} |")
        below[f"{row['notebook']}, {row['learner']}: peak in {row['parts']}"] += 1
        below.update(f"{kind} in {row['notebook']}: {cell}" for kind in WRONG for cell in row[kind])
    lines += ["", *(f"{count} × {line}" for line, count in below.items())]
    return "\n".join([*lines, "", *(f"{name}: {value:.1f}" for name, value in told.items())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=2)
    parser.add_argument("--cpus", type=int, default=0, help="for all together; without it the whole machine")
    parser.add_argument("--notebooks", default="00,01", help="empty for all")
    asked = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    if not cpus or os.geteuid() != 0 or not shutil.which("npm"):
        sys.exit("The trial makes users of the system, so it needs Linux, root and Node's npm.")
    os.sched_setaffinity(0, cpus[: asked.cpus or None])
    numbers = asked.notebooks.split(",") if asked.notebooks else [path.name[:2] for path in NOTEBOOKS]
    told = trial(asked.learners, [numbered(number).name for number in numbers])
    REPORT.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
    print(table(told))


if __name__ == "__main__":
    main()
