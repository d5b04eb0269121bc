"""Measures what one student costs: the memory of page, kernel and children while a notebook runs.

As root, for the memory is that of a control group with 2 GB and one CPU, as on Binder, less its page
cache: make memory, or make memory NB=05 for one notebook. Each notebook runs once, at the small sizes.

Below each notebook stands what was held at its peak: the cell that ran, and for each process its own pages;
what is in no process belongs to the system, such as the second stacks of threads and the lists of pages.
"""

import argparse
import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jupyter_client.blocking import BlockingKernelClient
from jupyter_core.paths import jupyter_runtime_dir

from bootstrap.launch import Computer, choose_environment, find_jdk, find_others, kernelspec
from notebooks.runs import NOTEBOOKS, ROOT, SECONDS, code_cells, numbered, read

GROUPS = Path("/sys/fs/cgroup/memory")
LIMIT = 2 << 30
MIB = 1 << 20


class Process(NamedTuple):
    """What one process of the group holds for itself, in MiB."""

    what: str
    own: float

    @classmethod
    def of(cls, pid: str) -> "Process":
        folder = Path("/proc") / pid
        words = folder.joinpath("cmdline").read_bytes().decode(errors="replace").split("\0")
        lines = folder.joinpath("smaps_rollup").read_text().splitlines()[1:]
        kib = {name: int(value) for name, value, *_ in map(str.split, lines)}
        return cls(named(words), (kib["Pss_Anon:"] + kib["Pss_Shmem:"]) / 1024)


def named(words: list[str]) -> str:
    """A process in a word or two, by its command line."""
    if any("org.dflib.jjava" in word for word in words):
        return "kernel"
    if "threadlab.child.Guard" in words:
        program, *arguments = words[words.index("threadlab.child.Guard") + 1 :]
        return " ".join([program.rpartition(".")[2], *(word for word in arguments if 0 < len(word) < 10)])
    return "page" if any("jupyter" in word for word in words) else Path(words[0]).name


class Group:
    """A control group: what all processes in it hold, sampled twenty times a second."""

    def __init__(self) -> None:
        self.folder = GROUPS / f"threadlab-{os.getpid()}"
        self.peak = 0.0
        self.cell = ""  # that runs
        self.at_peak = ""
        self.over = threading.Event()

    def __enter__(self) -> "Group":
        self.folder.mkdir()
        (self.folder / "memory.limit_in_bytes").write_text(str(LIMIT))
        self.sampler = threading.Thread(target=self.sample)
        self.sampler.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.sampler.join()
        for _ in range(100):
            with contextlib.suppress(OSError):  # while a process in it is still ending
                self.folder.rmdir()
                return
            time.sleep(0.1)

    def join(self) -> None:
        """Puts the calling process into the group."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def held(self) -> float:
        """In MiB; shared memory, such as PostgreSQL's, is counted as page cache but cannot be given back."""
        lines = (self.folder / "memory.stat").read_text().splitlines()
        stat = {name: int(value) for name, value in map(str.split, lines)}
        used = int((self.folder / "memory.usage_in_bytes").read_text())
        return (used - stat["total_cache"] + stat["total_shmem"]) / MIB

    def sample(self) -> None:
        looked = 0.0  # the peak whose processes were looked at
        while not self.over.wait(0.05):
            held = self.held()
            self.peak = max(self.peak, held)
            if held > 1.02 * looked and self.cell:
                looked, self.at_peak = held, self.split(held)

    def split(self, held: float) -> str:
        """What each process holds now, the largest first."""
        processes = []
        for pid in (self.folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError, KeyError, ValueError):  # it has ended
                processes.append(Process.of(pid))
        large = sorted((some for some in processes if some.own >= 10), key=lambda some: -some.own)
        small = sum(some.own for some in processes) - sum(some.own for some in large)
        shown = [f"{some.what} {some.own:.0f}" for some in large] + [f"small ones {small:.0f}"]
        rest = held - sum(some.own for some in processes)
        return f"{held:.0f} in {self.cell}: " + ", ".join([*shown, f"the system {rest:.0f}"])


def one_cpu_kernel(folder: Path) -> None:
    """The kernel as Binder gets it, with an AOT cache of its own."""
    environment, jdk = choose_environment(), find_jdk(Computer())
    spec = json.loads(kernelspec(environment, jdk, find_others(Computer(), jdk), one_cpu=True))
    cache = f"-XX:AOTCache={folder / 'kernel.aot'}"
    spec["argv"] = [cache if arg.startswith("-XX:AOTCache=") else arg for arg in spec["argv"]]
    kernel_json = folder / "kernels/java/kernel.json"
    kernel_json.parent.mkdir(parents=True)
    kernel_json.write_text(json.dumps(spec), encoding="utf-8")
    train = [sys.executable, ROOT / "tools/bootstrap/train.py", kernel_json]
    subprocess.run(train, check=True, stdout=subprocess.DEVNULL)  # the JVM's news of its cache


class Page:
    """JupyterLab's server, as a reader's browser uses it."""

    def __init__(self, group: Group, kernels: Path) -> None:
        self.token = secrets.token_hex(16)
        self.port = 21_000 + os.getpid() % 1_000
        env = os.environ | {
            "THREADLAB_SCALE": "small",
            "MALLOC_ARENA_MAX": "2",
            "JUPYTER_PATH": str(kernels),
            "JUPYTER_TOKEN": self.token,
        }
        lab = ["jupyter", "lab", "--no-browser", "--allow-root", f"--port={self.port}"]
        self.server = subprocess.Popen(
            [
                "taskset",
                "-c",
                str(min(os.sched_getaffinity(0))),
                *lab,
                "--ServerApp.port_retries=0",
                f"--ServerApp.root_dir={ROOT}",
            ],
            env=env,
            preexec_fn=group.join,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, path: str, body: dict | None = None) -> bytes:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=json.dumps(body).encode() if body else None,
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.read()

    def opened(self, path: Path) -> str:
        """Opens a notebook; gives the id of its kernel."""
        deadline = time.monotonic() + 60
        while True:
            try:
                self.ask("/lab")
                break
            except OSError:
                if time.monotonic() > deadline or self.server.poll() is not None:
                    sys.exit("JupyterLab did not start.")
                time.sleep(0.2)
        name = path.relative_to(ROOT).as_posix()
        self.ask(f"/api/contents/{name}")
        session = {"name": path.name, "path": name, "type": "notebook", "kernel": {"name": "java"}}
        return json.loads(self.ask("/api/sessions", session))["kernel"]["id"]

    def close(self) -> None:
        self.server.terminate()
        self.server.wait(30)


@contextlib.contextmanager
def client(kernel: str) -> Iterator[BlockingKernelClient]:
    client = BlockingKernelClient(connection_file=f"{jupyter_runtime_dir()}/kernel-{kernel}.json")
    client.load_connection_file()
    client.start_channels()
    client.kernel_info(reply=True, timeout=60)
    try:
        yield client
    finally:
        client.stop_channels()


def measure(path: Path, kernels: Path) -> tuple[float, float, float, str]:
    """MiB once page and kernel are ready, at most, and after the last cell; and the peak in its parts."""
    with Group() as group:
        page = Page(group, kernels)
        try:
            with client(page.opened(path)) as kernel:
                time.sleep(4)  # as a reader reads
                opened = group.held()
                for cell in code_cells(read(path)):
                    group.cell = cell.id
                    kernel.execute_interactive(cell.source, output_hook=lambda _: None, timeout=SECONDS)
                return opened, group.peak, group.held(), group.at_peak
        finally:
            page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notebook", default="", help="the number of one notebook, such as 05")
    asked = parser.parse_args()
    if not os.access(GROUPS, os.W_OK):
        sys.exit(f"{GROUPS} cannot be written: this needs root, and Linux with control groups of version 1.")
    with tempfile.TemporaryDirectory() as folder:
        one_cpu_kernel(Path(folder))
        print("MiB  opened    peak  at the end", flush=True)
        for path in [numbered(asked.notebook)] if asked.notebook else NOTEBOOKS:
            opened, peak, end, parts = measure(path, Path(folder))
            print(f"{path.name[:2]} {opened:9.0f} {peak:7.0f} {end:11.0f}\n   {parts}", flush=True)


if __name__ == "__main__":
    main()
