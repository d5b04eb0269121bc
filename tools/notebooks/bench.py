"""Times a reader's wait from the request for a kernel to the first chart on the page.

make bench compares the course's kernel with JJava's stock kernelspec, which adds the same libraries with
%maven. Then it times the same chart, from running the cell, for a reader who runs it at once and for one who
first reads for three seconds.
"""

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from bootstrap.places import ROOT

ROUNDS = 7
READING_SECONDS = 3

LIBRARY = (
    r"<groupId>(.+)</groupId>\s*<artifactId>(xchart|tablesaw-core)</artifactId>\s*<version>(.+)</version>"
)
POM = (ROOT / "threadlab/pom.xml").read_text(encoding="utf-8")
MAVEN = "\n".join(f"%maven {':'.join(found)}" for found in re.findall(LIBRARY, POM))
CHART = """
import org.knowm.xchart.*;
import tech.tablesaw.api.*;
var table = Table.create("sleepers", IntColumn.create("n", 1, 2, 3), DoubleColumn.create("s", 1.0, 1.1, 1.3));
var chart = new XYChartBuilder().width(780).height(420).title("first chart").build();
chart.addSeries("s", table.intColumn("n").asDoubleArray(), table.doubleColumn("s").asDoubleArray());
BitmapEncoder.getBufferedImage(chart)
"""


def stock_kernelspec(folder: Path) -> None:
    """Rebuilds the kernelspec of JJava's wheel, because the set-up has replaced its kernel.json."""
    ours = Path(KernelSpecManager().get_kernel_spec("java").resource_dir)
    target = folder / "stock"
    target.mkdir()
    for jar in ours.glob("*.jar"):
        shutil.copy2(jar, target)
    argv = ["java", "-jar", *(f"{{resource_dir}}/{jar}.jar" for jar in ("jjava-launcher", "jjava"))]
    argv += ["{connection_file}", "{connection_file}"]
    spec = {"argv": argv, "display_name": "stock", "language": "java", "interrupt_mode": "message"}
    (target / "kernel.json").write_text(json.dumps(spec))


def seconds_to_first_chart(
    specs: KernelSpecManager, name: str, cells: list[str], reading: float | None = None
) -> float:
    """From the request for a kernel or, for a reader who reads first, from the start of the cells."""
    start = time.monotonic()
    manager = KernelManager(kernel_name=name, kernel_spec_manager=specs)
    manager.start_kernel(stderr=subprocess.DEVNULL)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        if reading is not None:
            time.sleep(reading)
            start = time.monotonic()
        for cell in cells:
            client.execute(cell)
        while True:
            message = client.get_iopub_msg(timeout=120)
            if message["msg_type"] == "error":
                sys.exit("\n".join(message["content"]["traceback"]))
            if "image/png" in message["content"].get("data", {}):
                return time.monotonic() - start
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def main() -> None:
    times: dict[str, list[float]] = {"java": [], "stock": [], "at once": [], "after reading": []}
    with tempfile.TemporaryDirectory() as folder:
        stock_kernelspec(Path(folder))
        specs = KernelSpecManager(kernel_dirs=[folder, *KernelSpecManager().kernel_dirs])
        seconds_to_first_chart(specs, "stock", [MAVEN, CHART])  # fills Maven's cache; not counted
        for _ in range(ROUNDS):
            times["java"].append(seconds_to_first_chart(specs, "java", [CHART]))
            times["stock"].append(seconds_to_first_chart(specs, "stock", [MAVEN, CHART]))
        for _ in range(ROUNDS):
            times["at once"].append(seconds_to_first_chart(specs, "java", [CHART], 0))
            times["after reading"].append(seconds_to_first_chart(specs, "java", [CHART], READING_SECONDS))
    for name, values in times.items():
        shown = "  ".join(f"{value:.2f}" for value in values)
        print(f"{name:14} median {statistics.median(values):.2f} s   ({shown})")
    ratio = statistics.median(own / stock for own, stock in zip(times["java"], times["stock"], strict=True))
    print(f"from asking for a kernel to the first chart: {ratio:.2f} × the stock kernel")
    if statistics.median(times["after reading"]) > 0.6 * statistics.median(times["at once"]):
        sys.exit("A reader who reads first gains too little by the warm-up.")


if __name__ == "__main__":
    main()
