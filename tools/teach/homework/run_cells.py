"""Runs the steps of a job in one Java kernel and writes the results as JSON, both within limits.

Its text goes into a container, so it needs no file of the course. A job has files to put beside the notebook,
and steps. A new kernel replaces one that has ended, takes too long, has used up its memory, or has a process
or a busy thread left when the next answer `begins`. Then the steps that are `given` run again.
"""

import ctypes
import json
import os
import queue
import re
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

FLOOD = 240_000  # characters of one step; of up to four bytes, and the kernel shows 1,000,000 bytes of a cell
JVM_THREADS = ("C1 ", "C2 ", "G1 ", "GC ", "VM ")  # they may still be busy after a cell
OPTIONS = [
    # the second compiler would take more CPU than it saves in a kernel that lives for seconds
    "-XX:TieredStopAtLevel=1",
    "-Dthreadlab.warmUp=false",
    # the cache of classes stays where it was made: to move it takes 0.1 s
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:ArchiveRelocationMode=0",
]
# in a container, whose memory is its own: else a heap that begins small is collected every 40 ms
HEAP = ["-XX:+UseSerialGC", "-XX:InitialRAMPercentage=20", "-XX:NewRatio=1"]


def processes() -> int:
    """How many run in this container; 0 outside a container, where others also have processes."""
    return sum(name.isdigit() for name in os.listdir("/proc")) if os.getpid() == 1 else 0


def busy(pid: int) -> bool:
    """Whether, for 0.3 s, a Java thread of a process always runs or waits for a CPU.

    The process's share of the CPU would say less: others may leave it none.
    """
    for _ in range(10):
        running = False
        for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
            with suppress(OSError):  # the thread has ended
                # the name is in brackets, and may have some
                name, _, rest = stat.read_text().partition("(")[2].rpartition(") ")
                running |= rest.startswith("R") and not name.startswith(JVM_THREADS)
        if not running:
            return False
        time.sleep(0.03)
    return True


class Kernel:
    def __init__(self) -> None:
        self.manager = KernelManager(kernel_name="java")
        spec = self.manager.kernel_spec
        if spec is None:
            raise RuntimeError("there is no kernel for Java")
        spec.argv[1:1] = OPTIONS + (HEAP if os.getpid() == 1 else [])
        self.manager.start_kernel(stdout=2, stderr=2)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.wait()
        self.processes = processes()

    def wait(self) -> None:
        """Waits until the kernel's messages arrive: those before the channel of outputs was open are lost."""
        end = time.monotonic() + 120
        while time.monotonic() < end and self.manager.is_alive():
            asked = self.client.kernel_info()
            with suppress(queue.Empty):
                while self.client.get_iopub_msg(timeout=0.2)["parent_header"].get("msg_id") != asked:
                    pass
                return
        raise RuntimeError("the kernel did not answer")

    def pid(self) -> int | None:
        """The kernel's process; None if it did not start."""
        started = self.manager.provisioner
        return started.pid if isinstance(started, LocalProvisioner) else None

    def close(self) -> None:
        """Ends the kernel and all processes that it has started."""
        self.client.stop_channels()
        with suppress(OSError, AttributeError):  # it has ended, or this is Windows
            if pid := self.pid():
                os.killpg(pid, signal.SIGKILL)
        if os.getpid() == 1:
            # in a container nothing else runs, so no process escapes by forking faster than it is killed
            with suppress(OSError):
                os.kill(-1, signal.SIGKILL)
            # they count as processes until this one, now their parent, has waited for them
            with suppress(ChildProcessError):
                while True:
                    os.waitpid(-1, 0)
        self.manager.shutdown_kernel(now=True)

    def occupied(self) -> bool:
        """Whether the next answer needs another kernel: this one ended after an answer, or child processes
        or busy threads are left, which could take all CPU time. Known only in a container.
        """
        if os.getpid() != 1:
            return False
        if not self.manager.is_alive():
            return True  # it ended after its answer
        pid = self.pid()
        return processes() > self.processes or pid is None or busy(pid)

    def run(self, source: str, seconds: float, most: int) -> dict[str, str]:
        """The result of a cell: its status, its printed text, and the value of its last expression."""
        found = {"status": "ok", "text": "", "value": ""}
        sent = self.client.execute(source, allow_stdin=False)
        deadline, printed = time.monotonic() + seconds, 0
        while True:
            if time.monotonic() > deadline:
                return found | {"status": "time"}
            try:
                message = self.client.get_iopub_msg(timeout=0.2)
            except queue.Empty:
                if not self.manager.is_alive():
                    return found | {"status": "ended"}
                continue
            content = message["content"]
            if message["parent_header"].get("msg_id") != sent:
                continue
            if message["msg_type"] == "status" and content["execution_state"] == "idle":
                return found
            if message["msg_type"] == "execute_result":
                found["value"] = content["data"].get("text/plain", "")[:most]
            elif message["msg_type"] == "error":
                # where it failed: the line, and a mark below the place
                lines = re.sub("\x1b\\[[\\d;]*m", "", "\n".join(content["traceback"][:3]))
                value = f"{content['ename']}: {content['evalue']}\n{lines}"
                found |= {"status": "error", "value": value[:most]}
            elif text := content.get("text") or content.get("data", {}).get("text/plain"):
                printed += len(text)
                found["text"] += text[: most - len(found["text"])]
                if printed > FLOOD:
                    return found | {"status": "flood"}


def run(job: dict) -> dict[str, dict[str, str]]:
    told: dict[str, dict[str, str]] = {}
    given: list[dict] = []
    kernel = None
    try:
        for step in job["steps"]:
            if kernel and step["begins"] and kernel.occupied():
                kernel.close()
                kernel = None
            if kernel is None:
                kernel = Kernel()
                for before in given:
                    kernel.run(before["source"], before["seconds"], 0)
            found = kernel.run(step["source"], step["seconds"], step["most"])
            told[step["name"]] = found
            # a variable of the answer may still hold all memory
            full = found["status"] == "error" and "OutOfMemoryError" in found["value"]
            if full or found["status"] in ("time", "ended", "flood"):
                kernel.close()
                kernel = None
            elif step["given"]:
                given.append(step)
    except (RuntimeError, OSError) as e:
        # what a step has left prevents a kernel from starting: the missing steps were not run
        print(e, file=sys.stderr)
    finally:
        if kernel:
            kernel.close()
    return told


def main() -> None:
    if sys.platform == "linux":
        # the kernel has the same user, and must not write to this process's files or memory
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    job = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name, text in job["files"].items():
            file = Path(folder, name)
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        os.chdir(folder)
        told = run(job)
        os.chdir("/")
    json.dump(told, sys.stdout)
    sys.stdout.flush()


main()
