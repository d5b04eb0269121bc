"""Trains the kernel's AOT cache, with which the kernel and its first chart start in half the time.

A kernel runs the cells below while the JVM records which classes they load and how they are
linked; a second JVM makes the cache from the record. The set-up calls this with the kernel's
kernel.json; the cache is the file that its -XX:AOTCache names.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.connect import write_connection_file

LIMIT_SECONDS = 120

# What the first notebooks do: declarations, threads of both kinds, a table and a chart.
CELLS = [
    """
    record Answer(int id, String text) {}
    sealed interface Shape permits Dot, Line {}
    record Dot(int x) implements Shape {}
    record Line(int length) implements Shape {}
    int size(Shape shape) {
        return switch (shape) { case Dot d -> d.x(); case Line(int length) -> length; };
    }
    """,
    """
    Answer ask(int id) throws InterruptedException {
        Thread.sleep(Duration.ofMillis(1));
        return new Answer(id, "answer %d".formatted(id));
    }
    """,
    """
    import java.util.concurrent.*;
    import java.util.stream.*;
    int answered(ExecutorService pool, int questions) throws Exception {
        try (pool) {
            var futures = IntStream.range(0, questions)
                .mapToObj(id -> pool.submit(() -> ask(id)))
                .toList();
            int sum = 0;
            for (var future : futures) sum += future.get().text().length();
            return sum;
        }
    }
    """,
    "answered(Executors.newVirtualThreadPerTaskExecutor(), 200)",
    "answered(Executors.newFixedThreadPool(8), 200)",
    """
    var thread = Thread.ofVirtual().name("first").start(() -> System.out.println("hello"));
    thread.join();
    Thread.ofPlatform().start(() -> System.out.println(Thread.currentThread())).join();
    """,
    """
    import tech.tablesaw.api.*;
    var table = Table.create("trials").addColumns(
        StringColumn.create("contender", "platform", "virtual", "platform", "virtual"),
        IntColumn.create("n", new int[] {1, 1, 2, 2}),
        DoubleColumn.create("seconds", 1.0, 1.1, 2.0, 1.2));
    table
    """,
    'table.where(table.stringColumn("contender").isEqualTo("virtual")).sortOn("n")',
    """
    import org.knowm.xchart.*;
    var chart = new XYChartBuilder().title("trials").xAxisTitle("n").yAxisTitle("s").build();
    for (var contender : table.stringColumn("contender").unique()) {
        var own = table.where(table.stringColumn("contender").isEqualTo(contender));
        chart.addSeries(contender, own.intColumn("n").asDoubleArray(),
            own.doubleColumn("seconds").asDoubleArray());
    }
    """,
    "BitmapEncoder.getBitmapBytes(chart, BitmapEncoder.BitmapFormat.PNG).length",
    'display("text");',
]


def main(kernel_json: Path) -> None:
    spec = json.loads(kernel_json.read_text(encoding="utf-8"))
    argv = spec["argv"]
    option = next(arg for arg in argv if arg.startswith("-XX:AOTCache="))
    cache = Path(option.partition("=")[2])
    at = argv.index(option)
    # Same drive as the cache, so that the finished file can be moved into its place at once.
    with tempfile.TemporaryDirectory(dir=cache.parent, prefix="training-") as folder:
        record, fresh = Path(folder, "record"), Path(folder, "cache")
        env = os.environ | spec["env"]
        recording = ["-XX:AOTMode=record", f"-XX:AOTConfiguration={record}"]
        run_cells(argv[:at] + recording + argv[at + 1 :], env, Path(folder))
        # As a step of its own: at the kernel's exit it would be cut off by a client in a hurry.
        creating = ["-XX:AOTMode=create", f"-XX:AOTConfiguration={record}", f"-XX:AOTCache={fresh}"]
        java = argv[:at] + creating + argv[at + 1 : -2]
        subprocess.run(java, env=env, timeout=LIMIT_SECONDS, check=True)
        fresh.replace(cache)


def run_cells(argv: list[str], env: dict[str, str], folder: Path) -> None:
    """Runs the cells in a kernel of its own and waits until that has written its record."""
    connection, _ = write_connection_file(str(folder / "connection.json"))
    with subprocess.Popen([arg.replace("{connection_file}", connection) for arg in argv], env=env) as kernel:
        client = BlockingKernelClient(connection_file=connection)
        client.load_connection_file()
        client.start_channels()
        try:
            for cell in CELLS:
                reply = client.execute(cell, reply=True, timeout=LIMIT_SECONDS)["content"]
                if reply["status"] != "ok":
                    raise RuntimeError(f"a training cell failed: {reply}\n{cell}")
            # After a shutdown request the kernel's idle threads keep it for another minute.
            client.execute("System.exit(0);")
            kernel.wait(LIMIT_SECONDS)
        finally:
            client.stop_channels()
            kernel.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
