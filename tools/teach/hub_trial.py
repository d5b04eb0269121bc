"""Tries a class on a real JupyterHub on this machine: what a lesson takes, what one learner can do to others.

python3 tools/setup.py -- python tools/teach/hub_trial.py --learners=10 --cpus=2   as root, on Linux, with npm

All log in, get the notebooks, start kernels and run each notebook at the same time. Then the hub is killed,
and a bad learner ends the kernel, fills the disk and forks without end. The figures go to
build/hub-trial.json and, as tables, to the terminal. `make memory` runs the lesson alone, for one learner
who has one CPU and 2 GB, as on Binder. The users, their processes and their folders are gone at the end.
"""

import argparse
import json
import os
import re
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import websocket
from bootstrap.places import BUILD
from notebooks.runs import NOTEBOOKS, numbered, until
from teach.hub import BAD, PREFIX, PROCESSES, Hub, running, status
from teach.learner import VERDICTS, Learner
from teach.memory import FILES, Memory, own

REPORT = BUILD / "hub-trial.json"
WRONG = ("broken", "not judged", "errors")


def timed(told: dict, name: str, action: Callable[[], Any]) -> None:
    start = time.monotonic()
    action()
    told[name] = time.monotonic() - start


def lesson(learner: Learner, notebooks: list[str], meet: threading.Barrier, memory: Memory) -> dict:
    """One learner's lesson; all begin each notebook together."""
    told: dict[str, Any] = {"learner": learner.name.removeprefix(PREFIX)}
    timed(told, "log in", learner.log_in)
    timed(told, "server", learner.start_server)
    timed(told, "notebooks", learner.pull)
    for name in notebooks:
        if learner.socket:
            learner.close()
        meet.wait(600)
        memory.of(learner)
        told[name[:2]] = learner.run_all(f"course/notebooks/{name}") | memory.of(learner)
    return told


def nobody_sees_another_s_files(one: Learner, other: Learner) -> None:
    """Neither by the page nor by the kernel, though both run on one machine."""
    address = f"{one.place.base}{other.home}/api/contents/course"
    assert status(address, other.token) == 200
    assert status(address, one.token) in (403, 404)
    for path in (f"{other.name}/course/notebooks/{NOTEBOOKS[0].name}", other.name):
        file = one.place.folder / "homes" / path
        said = one.said(f'java.nio.file.Files.newDirectoryStream(java.nio.file.Path.of("{file.parent}"))')
        said += one.said(f'java.nio.file.Files.readString(java.nio.file.Path.of("{file}"))')
        assert "AccessDenied" in said or (str(file.parent) in said and file.parent.name == "homes"), said


def a_killed_hub_comes_back(place: Hub, learners: list[Learner]) -> dict:
    """Cells that run go on, variables and files are there, and everybody is still logged in."""
    told: dict[str, Any] = {}
    for learner in learners:
        learner.run("int kept = 42;")
    with ThreadPoolExecutor(len(learners)) as pool:
        running = [pool.submit(learner.said, 'Thread.sleep(4_000); "slept"') for learner in learners]
        time.sleep(1)
        place.kill()
        said = [each.result() for each in running]
    assert all("slept" in text for text in said), said
    assert {learner.said("kept") for learner in learners} == {"42"}, "a kernel needs no hub"
    timed(told, "hub back after (s)", place.start)
    learners[0].save("course/saved.txt", "still mine")
    for learner in learners:
        assert learner.ready()
        assert learner.said("kept") == "42"
        learner.socket.close()
        learner.connect(learner.kernel)
        assert learner.said("kept") == "42", "the page can be opened again"
    assert learners[0].contents("course/saved.txt")["content"] == "still mine"
    return told


FILL = """
try (var file = java.nio.file.Files.newOutputStream(java.nio.file.Path.of("full"))) {
    for (;;) file.write(new byte[1 << 20]);
}
"""
FORK = """
var started = new ArrayList<Process>();
try {
    while (started.size() < 5_000) started.add(new ProcessBuilder("sleep", "300").start());
} catch (IOException | Error e) {
    System.out.println(e.getMessage());
}
started.size()
"""


def neighbours_go_on(place: Hub, neighbour: Learner) -> dict:
    """One learner ends the kernel, fills the disk and forks without end; the other works, and saves."""
    bad = Learner(place, BAD)
    bad.log_in()
    bad.start_server()
    # no notebooks: only a kernel in a folder of its own
    bad.connect(bad.ask(f"{bad.home}/api/kernels", "POST", {"name": "java"})["id"])
    told: dict[str, Any] = {}

    def neighbour_works(after: str) -> None:
        start = time.monotonic()
        assert neighbour.said("6 * 7") == "42", after
        neighbour.save("after.txt", after)
        assert neighbour.contents("after.txt")["content"] == after
        told[f"the neighbour after {after} (s)"] = time.monotonic() - start

    neighbour_works("nothing")
    with suppress(ConnectionError, websocket.WebSocketException):
        bad.run("System.exit(0);")
    neighbour_works("System.exit")
    bad.socket.close()

    def again() -> bool:
        with suppress(OSError, websocket.WebSocketException):
            bad.connect(bad.kernel)
            return bad.said("1 + 1") == "2"
        return False

    timed(told, "the kernel after System.exit is back (s)", lambda: until("the kernel is back", again))
    said = bad.said(FILL)
    assert "No space left" in said, said
    neighbour_works("a full disk")
    bad.said('java.nio.file.Files.delete(java.nio.file.Path.of("full"));')
    said = bad.said(FORK)
    told["forked"] = int(re.search(r"(\d+)\s*$", said)[1])
    assert told["forked"] < PROCESSES, said
    neighbour_works("forks")
    return told


def trial(count: int, notebooks: list[str], limit: int, lesson_only: bool) -> dict:
    names = [f"{PREFIX}{place}" for place in range(1, count + 1)]
    told: dict[str, Any] = {"learners": count, "cpus": len(os.sched_getaffinity(0)), "more": {}}
    with running(names, limit) as place:
        learners = [Learner(place, name) for name in names]
        meet = threading.Barrier(count)
        with Memory(learners) as memory, ThreadPoolExecutor(count) as pool:
            lessons = [pool.submit(lesson, learner, notebooks, meet, memory) for learner in learners]
            try:
                told["lessons"] = [each.result() for each in lessons]
            except Exception:
                meet.abort()
                shutil.copy2(place.folder / "hub.log", BUILD / "hub-trial.log")
                raise
        told["more"] |= {"all, peak (MiB)": own(memory.all_), "pages of files (MiB)": memory.all_[FILES]}
        if lesson_only:
            return told
        if count > 1:
            nobody_sees_another_s_files(learners[0], learners[1])
        told["more"] |= a_killed_hub_comes_back(place, learners)
        told["more"] |= neighbours_go_on(place, learners[0])
        for learner in learners:
            saved = learner.contents(f"course/notebooks/{notebooks[0]}")["content"]
            assert any(cell.get("outputs") for cell in saved["cells"]), "what was saved is not there"
    return told


def table(told: dict) -> str:
    """What the trial found: a row for each notebook of each learner, then what they have in common."""
    columns = ["notebook", "learner", "log in (s)", "server (s)", "notebooks (s)"]
    columns += ["Run All (s)", "MiB, peak", "at the end", *VERDICTS.values()]
    lines = [f"Learners: {told['learners']}, CPUs: {told['cpus']}", "", f"| {' | '.join(columns)} |"]
    lines.append("|---" * len(columns) + "|")
    below: Counter[str] = Counter()
    for one in told["lessons"]:
        for name in filter(str.isdigit, one):
            found = one[name]
            figures = [one["log in"], one["server"], one["notebooks"], found["seconds"]]
            words = [f"{figure:.1f}" for figure in [*figures, found["peak"], found["at the end"]]]
            words += [str(len(found[verdict])) for verdict in VERDICTS.values()]
            lines.append(f"| {' | '.join([name, one['learner'], *words])} |")
            below[f"{name}, {one['learner']}, peak in {found['parts']}"] += 1
            below.update(f"{kind} in {name}: {cell}" for kind in WRONG for cell in found[kind])
    lines += ["", *(f"{line} ({count} of {told['learners']})" for line, count in below.items())]
    return "\n".join([*lines, "", *(f"{name}: {value:.1f}" for name, value in told["more"].items())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=2)
    parser.add_argument("--cpus", type=int, default=0, help="for all together; without it the whole machine")
    parser.add_argument("--limit", type=int, default=0, help="GB for each; without it the whole machine")
    parser.add_argument("--notebooks", default="00,01", help="empty for all")
    parser.add_argument("--lesson-only", action="store_true", help="nobody kills the hub or does harm")
    asked = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    if not cpus or os.geteuid() != 0 or not shutil.which("npm"):
        sys.exit("The trial makes users of the system, so it needs Linux, root and Node's npm.")
    os.sched_setaffinity(0, cpus[: asked.cpus or None])
    numbers = asked.notebooks.split(",") if asked.notebooks else [path.name[:2] for path in NOTEBOOKS]
    names = [numbered(number).name for number in numbers]
    told = trial(asked.learners, names, asked.limit, asked.lesson_only)
    REPORT.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
    print(table(told))


if __name__ == "__main__":
    main()
