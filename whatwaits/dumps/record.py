"""Records the dumps that whatwaits is tested with: python whatwaits/dumps/record.py [NAME …] (JDK 25, Maven).

Run it again for a new library or a new version; the results are committed. Each program takes a name and a
file. The threads that every JVM has, and its carriers, are left out.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).parent
INTO = HOME.parent / "src/test/resources/whatwaits/rules"
# those of Circles.java: two dumps of each, half a second apart; of those that never rest four
CIRCLES = [
    *("monitors", "monitors-mixed", "monitors-ring", "locks", "locks-platform", "locks-crowd"),
    *("philosophers", "two-services", "lock-and-monitor", "upgrade", "upgrade-alone", "stamps"),
    *("initializers", "initializers-platform", "initializer-and-lock", "initializer-and-task"),
    *("connections", "connections-alone", "permits", "permit-and-lock", "executor", "executor-and-monitor"),
    *("futures", "future-and-lock", "joins", "queued", "aside", "executors"),
    # and their twins, which differ in one line
    *("queued-healthy", "aside-healthy", "executors-healthy", "calls", "leak"),
]
HEALTHY = ["ordered", "brief", "readers", "turns", "phases", "stages", "desk", "chain"]
OPTIONS = [
    "-Djdk.virtualThreadScheduler.parallelism=2",
    "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2",
    "--enable-native-access=ALL-UNNAMED",
    "-Dcom.mysql.cj.disableAbandonedConnectionCleanup=true",
]
PROGRAMS = {
    "Situations": ["idle", "single", "common", "initializers", "native", "full", "roomy"],
    "Libraries": [
        *("hikari", "dbcp", "c3p0", "druid", "tomcat-jdbc", "agroal", "ucp", "jedis"),
        *("httpclient5", "httpclient4", "jdk-http", "spring-http", "okhttp"),
        *("grpc", "lettuce", "kafka", "mongo"),
        *("semaphore", "bulkhead", "limiter", "throttle", "jetty", "undertow", "tomcat", "netty"),
        *("statements", "drivers", "derby", "servlet"),
    ],
    "Circles": [f"circles/{name}" for name in CIRCLES + HEALTHY],
}
JVMS = (
    *("main", "Reference Handler", "Finalizer", "Signal Dispatcher", "Notification Thread", "Common-Cleaner"),
    *("VirtualThread-un", "SubPoller", "MasterPoller", "ForkJoinPool-1-", "JFR "),
)
KEPT = (
    *("tid", "name", "virtual", "state", "carrier", "stack"),
    *("parkBlocker", "blockedOn", "waitingOn", "monitorsOwned"),
)


def shortened(dump: dict) -> str:
    """The program's threads, one a line."""
    told = dump["threadDump"]
    parts = []
    for part in told["threadContainers"]:
        threads = [
            {key: value for key, value in thread.items() if key in KEPT and value not in (None, "")}
            for thread in part["threads"]
            if not thread["name"].startswith(JVMS)
        ]
        if threads:
            lines = ",\n".join(json.dumps(thread) for thread in threads)
            head = json.dumps({"container": part["container"], "parent": part["parent"]})[:-1]
            parts.append(f'{head}, "threads": [\n{lines}\n]}}')
    version = json.dumps(told["runtimeVersion"])
    containers = ",\n".join(parts)
    return f'{{"threadDump": {{"runtimeVersion": {version}, "threadContainers": [\n{containers}\n]}}}}\n'


def record(path: str, folder: str, program: str, situation: str) -> None:
    """Runs one program, which writes its dumps."""
    name = situation.split("/")[-1]
    dumps = [""] if program != "Circles" else ["", "-2"] if name in CIRCLES else ["", "-2", "-3", "-4"]
    files = [Path(folder, f"{name}{which}.json") for which in dumps]
    subprocess.run(
        ["java", *OPTIONS, "-cp", path, program, name, *files], check=True, stdout=subprocess.DEVNULL
    )
    for whole in files:
        into = INTO / situation.replace(name, whole.name)
        into.parent.mkdir(exist_ok=True)
        into.write_text(shortened(json.loads(whole.read_text(encoding="utf-8"))), encoding="utf-8")


def main(names: list[str]) -> None:
    """Records the named dumps, or all."""
    INTO.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies"
        subprocess.run(["mvn", "-q", "-B", "-f", HOME, goal, f"-DoutputDirectory={folder}/lib"], check=True)
        path = f"{folder}:{folder}/lib/*"
        for program, situations in PROGRAMS.items():
            if wanted := [one for one in situations if not names or one in names]:
                subprocess.run(["javac", "-cp", path, "-d", folder, HOME / f"{program}.java"], check=True)
                for one in wanted:
                    record(path, folder, program, one)


main(sys.argv[1:])
