"""Tries a class on a real JupyterHub on this machine: seconds, memory and claims of each learner's lesson.

python3 tools/setup.py -- python tools/teach/hub_trial.py --learners=10 --cpus=2   as root, on Linux, with npm

All log in, get the notebooks, start kernels and run each notebook at the same time. Two or more learners see
nothing of each other, hand in their results for the chart of the class, and then the hub is killed. The
figures go to build/hub-trial.json and to the terminal. `make memory` uses one learner with one CPU. The
users, their processes and their folders are gone at the end.

Memory is read from /proc/PID: the process's own pages, its share of shared ones (Pss of smaps_rollup), its
page tables, and 16 KiB of the system for each thread; not the pages of files, which the system can reclaim.
"""

import argparse
import json
import os
import shutil
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import nbformat
import psutil
from bootstrap.places import BUILD
from notebooks.runs import NOTEBOOKS, claims, code_cells, errors, numbered
from teach import classroom
from teach.hub import Hub, Learner, running

VERDICTS = {"✔": "held", "✘": "broken", "≈": "not judged"}


class Memory(threading.Thread):
    """Samples the MiB of each learner's processes, by their kinds, several times a second."""

    def __init__(self, learners: list[Learner]) -> None:
        super().__init__(daemon=True)
        self.learners, self.all_ = learners, 0.0  # the peak of all together
        self.peaks: dict[str, tuple[float, str]] = {}  # and the cell that ran, with the parts

    def run(self) -> None:
        while True:
            now: dict[str, Counter[str]] = defaultdict(Counter)
            for process in psutil.process_iter(["username", "cmdline"]):
                words = " ".join(process.info["cmdline"] or ())
                kind = "kernel" if "JJava" in words else "page" if "jupyter" in words else "others"
                with suppress(OSError, KeyError):  # it has ended
                    now[process.info["username"]][kind] += held(process.pid)
            for learner in self.learners:
                parts = ", ".join(f"{what} {mib:.0f}" for what, mib in now[learner.name].most_common())
                told = now[learner.name].total(), f"{learner.cell}: {parts}"
                self.peaks[learner.name] = max(told, self.peaks.get(learner.name, (0.0, "")))
            self.all_ = max(self.all_, sum(now[learner.name].total() for learner in self.learners))
            time.sleep(0.2 * len(self.learners))


def held(pid: int) -> float:
    lines = [Path(f"/proc/{pid}/{name}").read_text() for name in ("smaps_rollup", "status")]
    kib = {words[0]: words[1] for words in map(str.split, "\n".join(lines).splitlines()) if len(words) > 1}
    pages = sum(int(kib[name]) for name in ("Pss_Anon:", "Pss_Shmem:", "VmPTE:"))
    return (pages + 16 * int(kib["Threads:"])) / 1024


def run_all(learner: Learner, path: str) -> dict[str, list[str]]:
    """Opens a notebook, runs its cells from the top and saves it; gives the claims by verdict, and errors."""
    if learner.kernel:
        learner.close()
    learner.open(path)
    notebook = nbformat.from_dict(learner.contents(path)["content"])
    for cell in code_cells(notebook):
        learner.cell, cell.outputs = cell.id, learner.run(cell.source)
    learner.contents(path, "PUT", {"type": "notebook", "format": "json", "content": notebook})
    told: dict[str, list[str]] = {name: [] for name in VERDICTS.values()} | {"errors": errors(notebook)}
    for cell, text in claims(notebook).items():
        told[VERDICTS.get(text[:1], "errors")].append(cell)
    return told


def nobody_sees_another_s_files(one: Learner, other: Learner) -> None:
    """Neither through the page nor through the kernel, although both run on one machine."""
    assert other.contents("course")
    assert one.web.get(f"{one.hub.base}{other.home}/api/contents/course").status_code in (403, 404)
    homes = one.hub.folder / "homes"
    for path in (homes / other.name / "course/notebooks" / NOTEBOOKS[0].name, homes / other.name / "course"):
        for read in ("newDirectoryStream", "readString"):
            said = str(one.run(f'java.nio.file.Files.{read}(java.nio.file.Path.of("{path}"))'))
            assert "AccessDenied" in said, said


def the_class_gets_a_chart(learners: list[Learner], number: str) -> None:
    """From the files that the learners write, and hand in."""
    files = learners[0].hub.folder / "files"
    files.mkdir()
    for learner in learners:
        assert "no names" in str(learner.run(f'Results.share("{numbered(number).stem[3:]}")'))
        [file] = (files.parent / "homes" / learner.name).glob("course/notebooks/results/shared/*.csv")
        shutil.copy2(file, files / f"{learner.name}.csv")
    machines, told = classroom.collect(files, classroom.Known.of(number))
    assert (len(machines), told) == (len(learners), [])
    classroom.write(machines, number, told)
    assert classroom.draw().read_text(encoding="utf-8").count('src="data:image/png;base64') == 2


def a_killed_hub_comes_back(hub: Hub, learners: list[Learner], notebook: str) -> float:
    """Returns the seconds it takes; running cells continue, variables, files and logins are kept."""
    with ThreadPoolExecutor() as pool:
        cells = [pool.submit(one.run, "int kept = 42; Thread.sleep(4_000); kept") for one in learners]
        time.sleep(1)
        hub.kill()
        assert all("'42'" in str(each.result()) for each in cells), "a kernel needs no hub"
    start = time.monotonic()
    hub.start()
    seconds = time.monotonic() - start
    for learner in learners:
        assert learner.ready()
        learner.connect(learner.kernel)
        assert "'42'" in str(learner.run("kept")), "the page can be opened again"
        saved = learner.contents(f"course/notebooks/{notebook}")["content"]
        assert any(cell.get("outputs") for cell in saved["cells"]), "what was saved is not there"
    return seconds


def trial(count: int, notebooks: list[str]) -> dict:
    names = [f"vt-learner-{place}" for place in range(1, count + 1)]
    with running(names) as hub, ThreadPoolExecutor(count) as pool:
        learners = [Learner(hub, name) for name in names]
        memory, rows = Memory(learners), []
        memory.start()

        def together(what: str, step: Callable[[Learner], dict | None]) -> None:
            """A step of all learners, and a row for each of them."""

            def one(learner: Learner) -> dict:
                start = time.monotonic()
                found, seconds = step(learner) or {}, time.monotonic() - start
                mib, where = memory.peaks.pop(learner.name, (0, ""))
                figures = {"seconds": round(seconds, 1), "peak (MiB)": round(mib), "in": where}
                return {"step": what, "learner": learner.name} | figures | found

            rows.extend(pool.map(one, learners))

        for step in (Learner.log_in, Learner.start_server, Learner.pull):
            together(step.__name__, step)
        for name in notebooks:
            together(name[:2], lambda learner, name=name: run_all(learner, f"course/notebooks/{name}"))
        told = {"rows": rows, "peak of all (MiB)": memory.all_}
        if count > 1:
            nobody_sees_another_s_files(learners[0], learners[1])
            the_class_gets_a_chart(learners, notebooks[-1][:2])
            told["hub back after (s)"] = a_killed_hub_comes_back(hub, learners, notebooks[-1])
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=2)
    parser.add_argument("--cpus", type=int, default=0, help="for all together; without it the whole machine")
    parser.add_argument("--notebooks", default="01,00", help="empty for all")
    asked = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    if not cpus or os.geteuid() != 0 or not shutil.which("npm"):
        sys.exit("The trial makes users of the system, so it needs Linux, root and Node's npm.")
    os.sched_setaffinity(0, cpus[: asked.cpus or None])
    numbers = asked.notebooks.split(",") if asked.notebooks else [path.name[:2] for path in NOTEBOOKS]
    told = trial(asked.learners, [numbered(number).name for number in numbers])
    (BUILD / "hub-trial.json").write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
    for row in told["rows"]:
        row["held"] = len(row.get("held", ()))
        print(", ".join(f"{name}: {value}" for name, value in row.items() if value))
    print({name: value for name, value in told.items() if name != "rows"})
    if any(row.get("errors") for row in told["rows"]):
        sys.exit("A cell has an error: see above.")


if __name__ == "__main__":
    main()
