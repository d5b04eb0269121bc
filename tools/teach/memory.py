"""Samples the memory of learners' processes while their cells run.

Memory is a process's own pages, its share of shared ones (Pss of smaps_rollup), its page tables, and 16 KiB
of the system for each thread; not the pages of files, which the system can reclaim.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import psutil


class Watched(Protocol):
    """A learner, who is a user of the system, and the cell that runs."""

    name: str
    cell: str


class Memory(threading.Thread):
    """Samples the MiB of each learner's processes, by their kinds, several times a second."""

    def __init__(self, learners: Sequence[Watched]) -> None:
        super().__init__(daemon=True)
        self.learners, self.all_ = learners, 0.0  # the peak of all together
        self.peaks: dict[str, tuple[float, str]] = {}  # and the cell that ran, with the parts

    def run(self) -> None:
        while True:
            now: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
            seen = {one.pid: one for one in psutil.process_iter(["username", "cmdline", "ppid"])}
            for process in seen.values():
                parent = seen.get(process.info["ppid"])
                if parent and parent.info["cmdline"] == process.info["cmdline"]:
                    continue  # a child that is not a program of its own yet has its parent's pages
                program, *words = process.info["cmdline"] or [""]
                java = program.endswith("java")  # a child's class path, too, names a folder of Jupyter
                page = not java and "jupyter" in " ".join([program, *words])
                kind = "kernel" if "CourseKernel" in " ".join(words) else "page" if page else "children"
                with suppress(OSError, KeyError):  # it has ended
                    now[process.info["username"]][kind] += held(process.pid)
            for learner in self.learners:
                own = sorted(now[learner.name].items(), key=lambda one: -one[1])
                parts = ", ".join(f"{what} {mib:.0f}" for what, mib in own)
                told = sum(mib for _, mib in own), f"{learner.cell}: {parts}"
                self.peaks[learner.name] = max(told, self.peaks.get(learner.name, (0.0, "")))
            self.all_ = max(self.all_, sum(sum(now[learner.name].values()) for learner in self.learners))
            time.sleep(0.2 * len(self.learners))


def held(pid: int) -> float:
    lines = [Path(f"/proc/{pid}/{name}").read_text() for name in ("smaps_rollup", "status")]
    kib = {words[0]: words[1] for words in map(str.split, "\n".join(lines).splitlines()) if len(words) > 1}
    pages = sum(int(kib[name]) for name in ("Pss_Anon:", "Pss_Shmem:", "VmPTE:"))
    return (pages + 16 * int(kib["Threads:"])) / 1024
