"""Scores whatwaits, and other tools, on services that are not ours: make score

Maven resolves the services of whatwaits/foreign/services.toml. Each case of cases.toml and hidden.toml there
starts one in a JVM of its own on loopback, puts its fault in from outside, and looks at it once; one that
data/recorded/foreign.csv has is not run again. build/foreign/cases and build/foreign.zip hold what was seen,
with the truth beside it. JSTALL may name the jar of jstall, which has to be built from its sources.
"""

import argparse
import csv
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bootstrap.environment import java_env
from bootstrap.files import digest
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import maven

HOME = ROOT / "whatwaits/foreign"
WORK = BUILD / "foreign"
FILE = ROOT / "data/recorded/foreign.csv"
JAR = BUILD / "whatwaits.jar"
RESOLVE = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:build-classpath"
# views of a recording that show where threads wait or compute; others list options, classes, all events
VIEWS = re.compile(
    r"^ *(Contention|Pinned|Latenc|Java Methods that Execute|Waiting or Exec|File Reads|Socket Reads)", re.M
)
TOP, HIGH = 3, 3  # rows of a view that somebody reads, and lines of a row
SECONDS = 2  # of a look
# what a recording would tell about whoever records it
UNSEEN = [
    f"jdk.{event}#enabled=false"
    for event in ("InitialEnvironmentVariable", "InitialSystemProperty", "SystemProcess", "JVMInformation")
]
JSTALLS = (["status"], ["waiting-threads", "--stack-depth=0"])  # deadlocks are in the first
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
HEADER = [
    *("case", "service", "what", "limit", "hidden", "found", "line right", "named", "first line"),
    *("jfr view", "JDK's deadlock finder", "jstall", "seconds", "version"),
]


class CannotStart(Exception):
    """A service that does not run; its case is not recorded."""


# --- the service ---


def java(name: str) -> str:
    return str(find_jdk(Computer()).home / "bin" / name)


def class_path(name: str, artefacts: list[str]) -> str:
    """The jars of some artefacts and of all that they need, as Maven resolves them; asked once."""
    folder = WORK / "services" / name
    known = folder / "class-path.txt"
    wanted = folder / "artefacts.txt"
    asked = "\n".join(artefacts)
    if known.is_file() and wanted.is_file() and wanted.read_text(encoding="utf-8") == asked:
        return known.read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for artefact in artefacts:
        parts = zip(("groupId", "artifactId", "version", "classifier"), artefact.split(":"), strict=False)
        rows.append(f"<dependency>{''.join(f'<{tag}>{text}</{tag}>' for tag, text in parts)}</dependency>")
    (folder / "pom.xml").write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>foreign</groupId><artifactId>service</artifactId><version>1</version><packaging>pom</packaging>"
        f"<dependencies>{''.join(rows)}</dependencies></project>",
        encoding="utf-8",
    )
    command = [*maven(str(folder / "pom.xml")), "--quiet", RESOLVE, f"-Dmdep.outputFile={known}"]
    subprocess.run(command, check=True, env=os.environ | java_env(find_jdk(Computer())))
    wanted.write_text(asked, encoding="utf-8")
    return known.read_text(encoding="utf-8")


def compiled(name: str, service: dict[str, Any]) -> str:
    """The class path with the service's own few lines, and those of its client."""
    path = class_path(name, service["artefacts"])
    files = [HOME / service[part] for part in ("program", "client") if part in service]
    if not files:
        return path
    folder = WORK / "services" / name / "classes"
    done = folder / "sources.txt"
    now = "".join(digest(file) for file in files)
    if not done.is_file() or done.read_text(encoding="utf-8") != now:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([java("javac"), "-parameters", "-cp", path, "-d", folder, *files], check=True)
        done.write_text(now, encoding="utf-8")
    return os.pathsep.join([str(folder), path])


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


@contextmanager
def process(command: list[str], log: Path, **options: Any) -> Iterator[subprocess.Popen]:
    """A program that ends with the block, and reads the end of its input if this program is killed."""
    with log.open("ab") as output:
        running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output, **options)
        try:
            yield running
        finally:
            running.kill()
            running.wait()


def wait_until_ready(port: int, path: str, service: subprocess.Popen, log: Path) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if service.poll() is not None:
            raise CannotStart(f"the service ended: see {log}")
        with suppress(OSError, http.client.HTTPException):
            if not path:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            if ask(port, "GET", path) < 500:
                return
        time.sleep(0.1)
    raise CannotStart(f"the service did not answer within 30 s: see {log}")


# --- what comes from outside ---


@contextmanager
def partner(milliseconds: int) -> Iterator[str]:
    """Something that the service calls, which answers after a time."""
    stop = threading.Event()

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            stop.wait(milliseconds / 1e3)
            with suppress(OSError):
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    class Door(ThreadingHTTPServer):
        request_queue_size = 200

        def handle_error(self, *_: object) -> None:
            pass  # the service was ended

    with Door(("127.0.0.1", 0), Answer) as door:
        threading.Thread(target=door.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{door.server_port}"
        finally:
            stop.set()
            door.shutdown()


def ask(port: int, method: str, path: str, body: str = "", kind: str = "", timeout: float = 5) -> int:
    """The status of the answer to one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body.encode() or None, {"Content-Type": kind} if kind else {})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def request_again(port: int, load: dict[str, Any], fill: dict[str, str], stop: threading.Event) -> None:
    """One client: asks again as soon as it has its answer, or after a pause."""
    method = "POST" if "post" in load else "GET"
    body = filled(load.get("body", ""), fill)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": load["type"]} if "type" in load else {}
    while not stop.is_set():
        try:
            connection.request(method, filled(load[method.lower()], fill), body.encode() or None, headers)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            connection.close()
            stop.wait(0.1)
        stop.wait(load.get("pause", 0) / 1e3)


def filled(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda name: values.get(name[1], name[0]), text)


def clients(loads: list[dict[str, Any]]) -> list[str]:
    """What the client in Java is told: how many, how, what."""
    told = []
    for load in loads:
        if "sql" in load:
            told += [str(load.get("clients", 1)), load.get("how", str(load.get("pause", 0))), load["sql"]]
        elif "jms" in load:
            told += [str(load["clients"]), load["jms"], load["queue"]]
    return told


class Running:
    """A service with its fault."""

    def __init__(self, stack: ExitStack, case: dict[str, Any], folder: Path) -> None:
        service = services()[case["service"]]
        path = compiled(case["service"], service)
        log = folder / "output.txt"
        self.port = free_port()
        fill = {
            "port": str(self.port),
            "self": f"http://127.0.0.1:{self.port}",
            "folder": stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)),
            "partner": stack.enter_context(partner(case.get("partner", 20))),
        }
        options = [filled(one, fill) for one in [*service.get("options", []), *case.get("options", [])]]
        arguments = [filled(one, fill) for one in [*service["arguments"], *case.get("arguments", [])]]
        command = [java("java"), "-Xmx512m", *options, "-cp", path, service["main"], *arguments]
        self.process = stack.enter_context(process(command, log, cwd=fill["folder"], env=ENVIRONMENT))
        wait_until_ready(self.port, service.get("ready", ""), self.process, log)
        for method, where, body in case.get("before", []):
            kind = "application/json" if body.startswith("{") else "application/sparql-update"
            status = ask(self.port, method, where, filled(body, fill), kind)
            if status >= 400:
                raise CannotStart(f"{method} {where} was answered by {status}: see {log}")
        stop = threading.Event()
        stack.callback(stop.set)
        loads = case["load"]
        if told := clients(loads):
            main = f"foreign.{service['client'].removesuffix('.java')}"
            command = [java("java"), "-Xmx128m", "-cp", path, main, filled(service["url"], fill), *told]
            stack.enter_context(process(command, folder / "client.txt", cwd=fill["folder"], env=ENVIRONMENT))
        for load in loads:
            for _ in range(load.get("clients", 1) if "get" in load or "post" in load else 0):
                threading.Thread(
                    target=request_again, args=(self.port, load, fill, stop), daemon=True
                ).start()
        for _ in range(case.get("burners", 0)):
            stack.enter_context(process([sys.executable, "-c", "while True: pass"], log))


# --- the tools ---


def said(command: list[str], seconds: float = 30) -> str:
    """What a tool prints, wherever it prints it."""
    try:
        run = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace")
    return run.stdout


def look(pid: int, folder: Path) -> dict[str, Any]:
    """One look by the command."""
    command = [java("java"), "-jar", str(JAR), "look", str(pid), f"--seconds={SECONDS}", "--dumps", "--json"]
    run = subprocess.run(
        [*command, f"--save={folder / 'look.zip'}"], capture_output=True, timeout=60, text=True
    )
    (folder / "look.json").write_text(run.stdout + run.stderr, encoding="utf-8")
    return json.loads(run.stdout) if run.stdout.startswith("{") else {"error": run.stderr.strip()}


def first(report: dict[str, Any]) -> dict[str, Any]:
    """What comes first of what is named: a circle, a limit; nothing else counts as a limit."""
    found = next(iter(report.get("findings", [])), {})
    return found if found.get("what") in ("circle", "limit") else {}


FOR_WORK = re.compile(r"any of its connections|a new connection|for an element")


def judged(case: dict[str, Any], report: dict[str, Any]) -> dict[str, str]:
    """Whether whatwaits has named the right limit and the right line."""
    named = first(report)
    kind = "circle" if named.get("what") == "circle" else named.get("kind", "")
    name = named.get("name", "")
    wanted = case["limit"].split("|")
    pinned = any(one["what"] == "pinned" for one in report.get("findings", []))
    if wanted == ["nothing"]:
        quiet = not kind and not pinned and "error" not in report
        return {"found": yes(quiet), "line right": "", "named": name or ("pinned" if pinned else "nothing")}
    verdict = next((one["lines"] for one in report.get("sections", []) if one["title"] == "Verdict"), [])
    lines = [line for line in verdict if not line.startswith(("Do:", "See:", "X =", "X, W"))]
    if wanted == ["partner"]:
        busy = [
            group
            for group in report.get("groups", [])
            if group["waitsFor"] not in ("task", "sleep") and not FOR_WORK.search(group.get("what", ""))
        ]
        largest = max(busy, key=lambda group: group["threads"], default={"waitsFor": ""})
        lines = [f"{largest['waitsFor']} ({largest.get('what', '')}), at {largest.get('line', '')}"]
        found = not kind and largest["waitsFor"] in ("socket", "result")
        name = name or f"most threads wait for {lines[0]}"
    else:
        found = kind in wanted and bool(re.search(case["name"], "\n".join(lines)))
    right = found and bool(re.search(case["line"], "\n".join(lines)))
    first_line = next((line for line in lines if re.search(case["line"], line)), lines[-1] if lines else "")
    return {
        "found": yes(found),
        "line right": yes(right),
        "named": name or "nothing",
        "first line": first_line,
    }


def yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def views(recording: Path) -> str:
    """The first rows of the views of a recording in which a wait or a computation can be read."""
    sizes = ["--width", "200", "--cell-height", str(HIGH)]
    text = said([java("jfr"), "view", *sizes, "all-views", str(recording)])
    if not VIEWS.search(text):
        raise ValueError(f"jfr view shows none of the views of {recording}: {text[:200]}")
    kept = []
    for view in re.split(r"\n\n(?= {8,}\S)", text):
        if VIEWS.match(view):
            rows = [row for row in view.splitlines() if row.strip() and not set(row) <= set("- ")]
            kept += rows[: 2 + TOP * HIGH]  # its title and its columns come first
    return "\n".join(kept)


def others(case: dict[str, Any], folder: Path) -> dict[str, str]:
    """What other tools print of the same service: found if the line of the truth is in it.

    A service in which nothing is wrong is not asked about: none of these tools says that nothing is.
    """
    if case["limit"] == "nothing":
        return {}
    truth = re.compile(case["line"])
    dumps = [str(folder / name) for name in ("threads-before.txt", "threads.txt")]
    deadlocks = (
        Path(dumps[1]).read_text(encoding="utf-8", errors="replace").partition("Java-level deadlock")[2]
    )
    shown = {"jfr view": views(folder / "recording.jfr"), "JDK's deadlock finder": deadlocks}
    if jstall := os.environ.get("JSTALL"):
        asks = [[java("java"), "-jar", jstall, *what, *dumps] for what in JSTALLS]
        shown["jstall"] = "\n".join(said(one) for one in asks)
        if "Unknown option" in shown["jstall"]:
            raise ValueError(f"this jstall knows other options: {shown['jstall'][:200]}")
    for tool, text in shown.items():
        (folder / f"{tool.replace(' ', '-')}.txt").write_text(text, encoding="utf-8")
    return {tool: yes(bool(truth.search(text))) for tool, text in shown.items()}


# --- the cases ---


def services() -> dict[str, Any]:
    return tomllib.loads((HOME / "services.toml").read_text(encoding="utf-8"))


def cases() -> dict[str, Any]:
    """All cases; those of hidden.toml were written by somebody who had not read the rules."""
    known = tomllib.loads((HOME / "cases.toml").read_text(encoding="utf-8"))
    if (HOME / "hidden.toml").is_file():
        hidden = tomllib.loads((HOME / "hidden.toml").read_text(encoding="utf-8"))
        known |= {name: case | {"hidden": True} for name, case in hidden.items()}
    return known


def run(name: str, case: dict[str, Any], looks: bool = True) -> dict[str, str]:
    """Starts the service, puts the fault in, and looks once; keeps what other tools need."""
    folder = WORK / "cases" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begun = time.monotonic()
    answers: dict[str, str] = {}
    with ExitStack() as stack:
        service = Running(stack, case, folder)
        jcmd = [java("jcmd"), str(service.process.pid)]
        time.sleep(case.get("wait", 2))
        said([*jcmd, "JFR.start", "name=foreign", "settings=profile", *UNSEEN])
        (folder / "threads-before.txt").write_text(said([*jcmd, "Thread.print", "-l"]), encoding="utf-8")
        if looks:
            answers = judged(case, look(service.process.pid, folder))
        else:
            time.sleep(SECONDS)
        (folder / "threads.txt").write_text(said([*jcmd, "Thread.print", "-l"]), encoding="utf-8")
        said([*jcmd, "Thread.dump_to_file", "-format=json", str(folder / "threads.json")])
        said([*jcmd, "JFR.dump", "name=foreign", f"filename={folder / 'recording.jfr'}"])
    truth = {key: case[key] for key in ("service", "what", "limit", "name", "line") if key in case}
    truth["artefacts"] = services()[case["service"]]["artefacts"]
    (folder / "truth.json").write_text(json.dumps({"case": name} | truth, indent=1), encoding="utf-8")
    row = {"case": name, "service": case["service"], "what": case["what"], "limit": case["limit"]}
    row |= {"hidden": yes(case.get("hidden", False)), "version": version()}
    return dict.fromkeys(HEADER, "") | row | answers | {"seconds": f"{time.monotonic() - begun:.0f}"}


def version() -> str:
    """Which whatwaits was asked: the first digits of its classes' fingerprint."""
    return digest(JAR)[:8]


def rows() -> list[dict[str, str]]:
    if not FILE.exists():
        return []
    with FILE.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def write(table: list[dict[str, str]]) -> None:
    order = list(cases())
    table = sorted(table, key=lambda row: order.index(row["case"]) if row["case"] in order else len(order))
    with FILE.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def export() -> Path:
    """Puts what was seen, with the truth beside it, into one archive, for others to score theirs."""
    folder = WORK / "cases"
    with (folder / "truth.csv").open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["case", "service", "artefacts", "what", "limit", "name", "line"])
        for file in sorted(folder.glob("*/truth.json")):
            truth = json.loads(file.read_text(encoding="utf-8"))
            told = [truth.get(key, "") for key in ("what", "limit", "name", "line")]
            writer.writerow([truth["case"], truth["service"], " ".join(truth["artefacts"]), *told])
    return Path(shutil.make_archive(str(WORK), "zip", folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=4, help="no case begins later than this")
    parser.add_argument("--try", dest="tried", nargs="+", help="run these cases, and record nothing")
    parser.add_argument("--without-look", action="store_true", help="of --try: do not ask whatwaits")
    parser.add_argument("--compare-later", action="store_true", help="ask the other tools in another call")
    asked = parser.parse_args()
    known, table = cases(), rows()
    end, failed = time.monotonic() + 60 * asked.minutes, []
    left = [name for name in known if name not in {row["case"] for row in table}]
    left.sort(key=lambda name: not known[name].get("hidden"))  # before anybody can change the rules
    for name in asked.tried or left:
        if time.monotonic() > end and not asked.tried:
            break
        try:
            row = run(name, known[name], not asked.without_look)
        except (CannotStart, OSError, KeyError, subprocess.SubprocessError) as why:
            failed.append(f"{name}: {why!r}")
            continue
        if asked.tried:
            row |= {} if asked.compare_later else others(known[name], WORK / "cases" / name)
            print(", ".join(f"{key}: {value}" for key, value in row.items() if value and key != "what"))
        else:
            table.append(row)
            write(table)
            print(f"{name}: found {row['found']}, line right {row['line right'] or '-'}: {row['named']}")
        sys.stdout.flush()
    if failed:
        sys.exit("\n".join(failed))
    if not asked.tried:
        for row in [] if asked.compare_later else table:
            if not row["jfr view"] and (WORK / "cases" / row["case"] / "recording.jfr").is_file():
                row |= others(known[row["case"]], WORK / "cases" / row["case"])
                write(table)
        print(f"{len(known) - len(table)} of {len(known)} cases are left; what was seen: {export()}")


if __name__ == "__main__":
    main()
