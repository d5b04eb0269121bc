"""Measures the memory of learners' processes, by process, with any version of control groups or none.

From /proc/PID come a process's own pages and its share of shared ones (Pss of smaps_rollup) and its page
tables; each thread adds 16 KiB of the system. Pages of files, such as libraries and archives of classes, are
counted separately, because the system can reclaim them.
"""

import threading
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path

import psutil
from teach.learner import Learner

FILES = "pages of files"


def held(pid: int) -> Counter[str]:
    """The memory of a process, in MiB: under its name, and its pages of files."""
    folder = Path("/proc") / str(pid)
    lines = (folder / "smaps_rollup").read_text() + (folder / "status").read_text()
    values = {words[0]: words[1] for words in map(str.split, lines.splitlines()) if len(words) > 1}
    pages, shared, files, tables = (
        int(values[name]) for name in ("Pss_Anon:", "Pss_Shmem:", "Pss_File:", "VmPTE:")
    )
    words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
    own = pages + shared + tables + 16 * int(values["Threads:"])
    return Counter({named(words): own / 1024, FILES: files / 1024})


def named(words: list[str]) -> str:
    """A short name for a process, from its command line."""
    if "org.dflib.jjava.distro.JJava" in words:
        return "kernel"
    if "threadlab.child.Guard" in words:
        program, *arguments = words[words.index("threadlab.child.Guard") + 1 :]
        return " ".join([program.rpartition(".")[2], *(word for word in arguments if 0 < len(word) < 10)])
    return "page" if any("jupyter" in word for word in words) else Path(words[0]).name


def own(parts: Counter[str]) -> float:
    return parts.total() - parts[FILES]


class Memory:
    """The memory of each learner's processes, sampled several times a second during a block."""

    def __init__(self, learners: list[Learner]) -> None:
        self.learners = {learner.uid: learner for learner in learners}
        self.now: dict[str, Counter[str]] = defaultdict(Counter)
        self.peaks: dict[str, tuple[Counter[str], str]] = {}  # and the cell that ran
        self.all_ = Counter[str]()  # the peak of all together
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self) -> None:
        while not self.over.wait(0.2 * len(self.learners)):
            now: dict[str, Counter[str]] = defaultdict(Counter)
            for process in psutil.process_iter(["uids"]):
                if learner := self.learners.get(process.info["uids"].real):
                    with suppress(OSError, KeyError):  # it has ended
                        now[learner.name] += held(process.pid)
            for learner in self.learners.values():
                parts = now[learner.name]
                if own(parts) > own(self.peaks.get(learner.name, (Counter(), ""))[0]):
                    self.peaks[learner.name] = parts, learner.cell
            self.now = now
            self.all_ = max(self.all_, sum(now.values(), Counter()), key=own)

    def __enter__(self) -> "Memory":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def of(self, learner: Learner) -> dict:
        """A learner's peak since the last call, with its parts, and the current memory."""
        parts, cell = self.peaks.pop(learner.name, (Counter(), ""))
        told = ", ".join(f"{what} {mib:.0f}" for what, mib in parts.most_common() if mib >= 1)
        return {"peak": own(parts), "at the end": own(self.now[learner.name]), "parts": f"{cell}: {told}"}
