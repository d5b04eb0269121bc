"""Trains the AOT caches with which JVMs start faster: train.py KERNEL_JSON kernel servers load

A kernel runs the cells below while the JVM records which classes they load and how they are linked; a second
JVM makes the cache from the record, where -XX:AOTCache in kernel.json names it. Meanwhile threadlab's
rehearsals make the others beside it: servers.aot and load.aot, for child JVMs. It fails if the kernel cannot
run the cells or draw their charts, but not if only a cache cannot be made.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from queue import Empty

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.connect import write_connection_file

LIMIT_SECONDS = 120
READING_SECONDS = 4
FRAME = re.compile(r"\s+(at |\.{3} )")  # of a stack trace

# What the first notebooks do beyond the warm-up (kernel/WarmUp.java), which runs before them. The two share
# no list: the warm-up runs in every kernel, in short steps that leave nothing, and these cells measure.
CELLS = [
    'Guess.line("n tasks", "seconds", 10, 500, 2_000).between(0.001, 10)',
    "Machine.here().table()",
    "Thread.ofPlatform().start(() -> System.out.println(Thread.currentThread())).join();",
    'Thread.ofVirtual().name("first").start(() -> System.out.println(Thread.currentThread())).join();',
    """
    void sleepers(ExecutorService executor, int n) {
        try (executor) {
            for (int i = 0; i < n; i++)
                executor.submit(() -> { Thread.sleep(1); return null; });
        }
    }
    """,
    """
    var measured = Trials.of("n tasks that each sleep 1 ms")
            .platform("cached pool", n -> sleepers(Executors.newCachedThreadPool(), n))
            .upTo(1_000)
            .virtual(n -> sleepers(Executors.newVirtualThreadPerTaskExecutor(), n))
            .sizes(10, 500, 2_000)
            .repeat(2)
            .live(Plots::timings)
            .run();
    """,
    "measured",
    'Claim.that("they end", measured).contender("virtual").predicted(0.001).atMost(60)',
    'Claim.that("they take time", measured).within(0.5).of(n -> 1 + n / 1_000.0)',
    "Claims.table()",
    'Plots.onPrediction(measured, "seconds", n -> 0.001)',
    "double answer = Check.OPEN;",
    'Check.answer(answer).mistake(a -> a == 1, "no").expect(2, 0.1, "yes", "think")',
    """
    var inside = new AtomicInteger();
    var sampler = Sampler.every(Duration.ofMillis(5)).watch("inside", inside::get);
    var samples = sampler.during(() -> Thread.sleep(50));
    Plots.level(Plots.overTime(samples, "inside"), "level", 1)
    """,
    """
    var published = Table.read().csv("data/published/published.csv");
    published.where(published.stringColumn("metric").isEqualTo("wall time"))
    """,
]


class Useless(Exception):
    """What is wrong with a kernel."""


def main(kernel_json: Path, what: list[str]) -> None:
    spec = json.loads(kernel_json.read_text(encoding="utf-8"))
    argv, env = spec["argv"], os.environ | spec["env"]
    cache = Path(next(arg for arg in argv if arg.startswith("-XX:AOTCache=")).partition("=")[2])
    # Same drive as the caches, so that a finished file can be moved into its place at once.
    training = tempfile.TemporaryDirectory(dir=cache.parent, prefix="training-")
    with training as folder, contextlib.ExitStack() as started:
        rehearsing = {}
        for name in what:
            if name != "kernel":
                command = rehearsal(name, argv, Path(folder, name))
                rehearsing[name] = started.enter_context(subprocess.Popen(command, env=env))
                started.callback(rehearsing[name].kill)
        if "kernel" in what:
            try:
                train_kernel(argv, env, cache, Path(folder))
            except (SystemExit, OSError, subprocess.SubprocessError):
                traceback.print_exc()
                run_cells(argv, env, Path(folder))  # as Jupyter starts it
        for name, process in rehearsing.items():
            try:
                process.wait(LIMIT_SECONDS)
                Path(folder, name).replace(cache.with_name(f"{name}.aot"))
            except (OSError, subprocess.SubprocessError):
                traceback.print_exc()


def train_kernel(argv: list[str], env: dict[str, str], cache: Path, folder: Path) -> None:
    at = next(i for i, arg in enumerate(argv) if arg.startswith("-XX:AOTCache="))
    record, fresh = folder / "record", folder / "cache"
    java, *options = argv[:at]
    # Without the second compiler: its work would be repeated at each start, beside the first cells.
    # Level 2 and not 1, which a method recorded at level 1 never leaves.
    recording = ["-XX:AOTMode=record", f"-XX:AOTConfiguration={record}"]
    run_cells([java, "-XX:TieredStopAtLevel=2", *options, *recording, *argv[at + 1 :]], env, folder)
    # As a step of its own, because at the kernel's exit an impatient client would cut it off.
    creating = ["-XX:AOTMode=create", f"-XX:AOTConfiguration={record}", f"-XX:AOTCache={fresh}"]
    command = [java, *options, *creating, *argv[at + 1 : -2]]
    subprocess.run(command, env=env, timeout=LIMIT_SECONDS, check=True)
    fresh.replace(cache)


def rehearsal(name: str, argv: list[str], cache: Path) -> list[str]:
    """The command that does what such JVMs do, and writes their cache.

    A JVM uses the cache only if these options were the same when the cache was made: JvmOptions.java.
    """
    path = argv[argv.index("-cp") + 1]
    if name == "load":
        options, main = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"], "threadlab.load.Practice"
    else:
        native = next(arg for arg in argv if arg.startswith("--enable-native-access"))
        options, main = ["-XX:TieredStopAtLevel=2", native], "threadlab.server.Rehearsal"
        path = with_servers(path)
    return [argv[0], f"-XX:AOTCacheOutput={cache}", *options, "-cp", path, main]


def with_servers(class_path: str) -> str:
    """The kernel's class path as the line "%libraries servers" makes it."""
    own = next(Path(jar) for jar in class_path.split(os.pathsep) if Path(jar).name == "threadlab.jar")
    return os.pathsep.join([class_path, *sorted(map(str, (own.parent.parent / "servers").glob("*.jar")))])


def run_cells(argv: list[str], env: dict[str, str], folder: Path) -> None:
    """Runs the cells in a kernel of their own and waits until that has ended, or says why it is of no use."""
    connection, _ = write_connection_file(str(folder / "connection.json"))
    command, log = [arg.replace("{connection_file}", connection) for arg in argv], folder / "log"
    with open(log, "wb") as out, subprocess.Popen(command, env=env, stdout=out, stderr=out) as kernel:
        client = BlockingKernelClient(connection_file=connection)
        client.load_connection_file()
        client.start_channels()
        try:
            client.kernel_info()
            message(kernel, client.get_shell_msg)
            time.sleep(READING_SECONDS)  # so that the cache includes what an idle kernel does
            for cell in CELLS:
                run_cell(cell, kernel, client)
            # After a shutdown request the kernel's idle threads keep it for another minute.
            client.execute("System.exit(0);")
            kernel.wait(LIMIT_SECONDS)
        except Useless as useless:
            print(said := log.read_text(encoding="utf-8", errors="replace"), flush=True)
            told = [line.strip() for line in said.splitlines() if line.strip() and not FRAME.match(line)]
            # steps.py finds this line in the log
            sys.exit(f"Cause: {useless}" + (f"; its last line is: {told[-1]}" if told else ""))
        finally:
            client.stop_channels()
            kernel.kill()


def run_cell(cell: str, kernel: subprocess.Popen, client: BlockingKernelClient) -> None:
    """Runs a cell to its end; a chart must arrive as a picture."""
    request, drawn, ended = client.execute(cell), False, False
    reply = message(kernel, client.get_shell_msg)["content"]
    if reply["status"] != "ok":
        raise Useless(f"it cannot run '{cell.strip().splitlines()[0]}' ({reply['ename']}: {reply['evalue']})")
    while not ended:
        sent = message(kernel, client.get_iopub_msg)
        drawn |= "image/png" in sent["content"].get("data", {})
        idle = sent["content"].get("execution_state") == "idle"
        ended = idle and sent["parent_header"].get("msg_id") == request
    if cell.startswith("Plots.") and not drawn:
        raise Useless(f"it draws no chart for '{cell}'")


def message(kernel: subprocess.Popen, get: Callable[..., dict]) -> dict:
    """The next message of a kernel that lives."""
    end = time.monotonic() + LIMIT_SECONDS
    while kernel.poll() is None and time.monotonic() < end:
        with contextlib.suppress(Empty):
            return get(timeout=1)
    raise Useless("it ends by itself" if kernel.poll() is not None else f"no answer for {LIMIT_SECONDS} s")


if __name__ == "__main__":
    # an interrupted set-up ends this program so: its folder goes with it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main(Path(sys.argv[1]), sys.argv[2:])
