"""Runs a job of cells in isolation: in a container without a network that sees only the job."""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypedDict

from publish import image

RUNNER = (Path(__file__).parent / "run_cells.py").read_text(encoding="utf-8")
MOST = 4_000_000  # bytes of an answer to a job
START = 60  # seconds until a kernel has started, on a busy machine
NONE = (
    "A submission is somebody else's program, and no container can isolate it here: install Docker and start"
    " it, or install Podman, and run make image; or add --trust-submissions if you trust every submission."
)


class Step(TypedDict):
    """A cell to run, its limits, and how `run_cells.py` treats it."""

    name: str
    source: str
    seconds: int
    most: int  # characters of its text and of its value
    given: bool
    begins: bool


class Job(TypedDict):
    files: dict[str, str]  # beside the notebook
    steps: list[Step]


class Ran(TypedDict):
    """What became of a step: ok, error, time, ended or flood, what it printed, and its last value."""

    status: str
    text: str
    value: str


class Failed(Exception):
    """A job without an answer, with the reason."""


@dataclass(frozen=True)
class Limits:
    """The limits of one container."""

    seconds: int = 600
    memory: int = 1_500  # MiB
    processes: int = 400


def at_once(limits: Limits, wanted: "int | None" = None) -> int:
    """How many containers may run at once: one for each CPU, if all find the memory that they may take."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = wanted or cpus
    if (free := memory_left()) is None or wanted * limits.memory <= free:
        return wanted
    fit = max(1, free // limits.memory)
    print(f"{fit} at a time, not {wanted}: {free:,} MiB are free, and each may take {limits.memory:,} MiB")
    return fit


def memory_left(file: Path = Path("/proc/meminfo")) -> "int | None":
    """The memory that this machine can give, in MiB; unknown except on Linux."""
    with contextlib.suppress(OSError, ValueError):
        found = dict(line.split(":") for line in file.read_text().splitlines())
        return int(found["MemAvailable"].split()[0]) // 1024
    return None


def container(engine: list[str], limits: Limits, name: str, empty: str) -> list[str]:
    """The command for a container that has only this Python, Java and a small writable /tmp."""
    # a user of its own, so that no other container's processes count towards its limit
    user = 10_000 + secrets.randbelow(50_000)
    return [
        *engine,
        *("run", "--rm", "--interactive", "--name", name, "--pull=never", "--log-driver=none"),
        *("--network=none", "--read-only", "--cap-drop=all", "--security-opt=no-new-privileges"),
        *(f"--memory={limits.memory}m", f"--memory-swap={limits.memory}m"),
        f"--pids-limit={limits.processes}",
        *("--ulimit=nofile=4096:4096", "--ulimit=core=0:0", f"--ulimit=nproc={limits.processes}"),
        *("--tmpfs=/tmp:rw,size=256m,mode=1777", "--shm-size=1m", "--no-healthcheck"),
        # hides the notebooks with their solutions, and the data that answers exercises
        *(f"--volume={empty}:/opt/course/{there}:ro" for there in ("notebooks", "data")),
        *("--user", f"{user}:0", "--workdir=/tmp", "--env=HOME=/tmp", "--entrypoint=python"),
        *(image.IMAGE, "-I", "-c", RUNNER),
    ]


def engine() -> "list[str] | None":
    """The command that runs containers of the course's image here."""
    found = image.runner()
    return found if found and image.succeeds(*found, "image", "inspect", image.IMAGE) else None


def run(job: Job, engine: "list[str] | None", limits: Limits) -> dict[str, Ran]:
    """The results of a job's steps; without an engine, in a local process, for trusted learners."""
    name = f"threadlab-grade-{uuid.uuid4().hex[:12]}"
    # files, not pipes, because a child may keep a pipe open for ever
    file = tempfile.TemporaryFile
    with tempfile.TemporaryDirectory() as folder, file() as sent, file() as told, file() as wrong:
        sent.write(json.dumps(job).encode())
        sent.seek(0)
        command = container(engine, limits, name, folder) if engine else [sys.executable, "-I", "-c", RUNNER]
        process = subprocess.Popen(
            command, cwd=folder, start_new_session=True, stdin=sent, stdout=told, stderr=wrong
        )
        try:
            wait(process, START + limits.seconds, [told, wrong])
        finally:
            if engine and process.poll() != 0:  # else it has ended by itself, and is removed
                subprocess.run([*engine, "rm", "--force", name], capture_output=True)
            with contextlib.suppress(OSError, AttributeError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
        for output in (told, wrong):
            output.seek(0)
        texts = told.read(MOST), wrong.read(MOST)
    return parsed(*texts, {step["name"]: step["most"] for step in job["steps"]})


def wait(process: subprocess.Popen, seconds: float, files: list[IO[bytes]]) -> None:
    """Waits for a process to end, which must be in time and without too much output."""
    deadline = time.monotonic() + seconds
    while process.poll() is None:
        if any(os.fstat(file.fileno()).st_size > MOST for file in files):
            raise Failed("it printed without end")
        if time.monotonic() > deadline:
            raise Failed(f"it took more than {seconds:.0f} s")
        time.sleep(0.05)


def parsed(told: bytes, wrong: bytes, most: dict[str, int]) -> dict[str, Ran]:
    """The answer to a job, if it is well formed: names of steps, and texts of bounded size."""
    try:
        found = json.loads(told)
        for name, step in found.items():
            if set(step) != {*Ran.__annotations__} or not all(isinstance(v, str) for v in step.values()):
                raise ValueError
            known = step["status"] in ("ok", "error", "time", "ended", "flood")
            if not known or max(len(step["text"]), len(step["value"])) > most[name]:
                raise ValueError
    except (LookupError, ValueError, TypeError, RecursionError, AttributeError):
        last = wrong.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it printed nothing"]
        raise Failed(f"no result came back from its container: {printable(last[0])[:300]}") from None
    return found


def printable(text: str) -> str:
    """The text without control characters, which a terminal would execute."""
    return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)
