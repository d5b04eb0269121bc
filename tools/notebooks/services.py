"""Starts the services on which whatwaits is scored, each in a JVM of its own, and puts the faults in.

Those that are not ours Maven resolves (whatwaits/foreign/services.toml); our own are started by the tests of
threadlab, the programs of whatwaits/trial by themselves.
"""

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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any, NamedTuple

import psutil
from bootstrap.environment import choose_environment, java_env
from bootstrap.files import digest
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import maven
from bootstrap.train import with_servers

HOME = ROOT / "whatwaits"
WORK = BUILD / "score"
RESOLVE = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:build-classpath"
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
START, END = 120, 20  # seconds until a service of ours has reached its limit, and until it has ended
OURS = ("shop", "healthy")


class CannotStart(Exception):
    """A service that does not run; its case is not recorded."""


class Service(NamedTuple):
    """A service with its fault; `ask` lets one of ours answer a line."""

    pid: int
    ask: Callable[[str], str] = lambda line: ""


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
    files = [HOME / "foreign" / service[part] for part in ("program", "client") if part in service]
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


def input_of(running: subprocess.Popen) -> IO[bytes]:
    assert running.stdin, "it was started without a pipe to its input"
    return running.stdin


@contextmanager
def process(command: list[str], log: Path, end: float = 0, **options: Any) -> Iterator[subprocess.Popen]:
    """A program that ends with the block, and reads the end of its input if this program is killed."""
    with log.open("ab") as output:
        running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output, **options)
        try:
            yield running
        finally:
            with suppress(OSError, subprocess.TimeoutExpired):
                if end:
                    input_of(running).close()
                    running.wait(end)
            left = []
            with suppress(psutil.Error):
                left = psutil.Process(running.pid).children(recursive=True)
            running.kill()
            running.wait()
            for child in left:
                with suppress(psutil.Error):
                    child.kill()


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


def foreign(stack: ExitStack, case: dict[str, Any], folder: Path) -> Service:
    """A service that is not ours, with its load."""
    service = services()[case["service"]]
    path = compiled(case["service"], service)
    log = folder / "output.txt"
    port = free_port()
    fill = {
        "port": str(port),
        "self": f"http://127.0.0.1:{port}",
        "folder": stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)),
        "partner": stack.enter_context(partner(case.get("partner", 20))),
    }
    options = [filled(one, fill) for one in [*service.get("options", []), *case.get("options", [])]]
    arguments = [filled(one, fill) for one in [*service["arguments"], *case.get("arguments", [])]]
    command = [java("java"), "-Xmx512m", *options, "-cp", path, service["main"], *arguments]
    running = stack.enter_context(process(command, log, cwd=fill["folder"], env=ENVIRONMENT))
    wait_until_ready(port, service.get("ready", ""), running, log)
    for method, where, body in case.get("before", []):
        kind = "application/json" if body.startswith("{") else "application/sparql-update"
        status = ask(port, method, where, filled(body, fill), kind)
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
            threading.Thread(target=request_again, args=(port, load, fill, stop), daemon=True).start()
    for _ in range(case.get("burners", 0)):
        stack.enter_context(process([sys.executable, "-c", "while True: pass"], log))
    time.sleep(case.get("wait", 2))
    return Service(running.pid)


@cache
def tests_of_threadlab() -> list[str]:
    """The command that runs a class among the tests: no notebook needs these."""
    subprocess.run([*maven(), "--quiet", "-pl", "whatwaits,threadlab", "test-compile"], cwd=ROOT, check=True)
    kernel = json.loads((choose_environment().kernel / "kernel.json").read_text(encoding="utf-8"))["argv"]
    # what is compiled here comes before what the last set-up has installed
    folders = ("threadlab/target/test-classes", "threadlab/target/classes", "whatwaits/target/classes")
    path = [*(str(ROOT / folder) for folder in folders), with_servers(kernel[kernel.index("-cp") + 1])]
    return [kernel[0], "-cp", os.pathsep.join(path)]


def own(stack: ExitStack, case: dict[str, Any], folder: Path) -> Service:
    """A service of ours, or a program of the trial, which says when its limit is reached."""
    if case["service"] in OURS:
        command = [*tests_of_threadlab(), "threadlab.cases.UnderLoad", case["service"], case["case"]]
        command += [str(case["seed"]), str(folder / "score.machine.csv")]
        options: dict[str, Any] = {"cwd": ROOT / "notebooks", "end": END}
    else:
        program = HOME / "trial" / f"{case['case']}.java"
        command = [java("java"), "-Xmx512m", *case["options"].split(), str(program)]
        options = {"cwd": folder, "env": ENVIRONMENT}
    log = folder / "output.txt"
    running = stack.enter_context(process(command, log, **options))

    def told(word: str) -> str:
        end = time.monotonic() + START
        while time.monotonic() < end and running.poll() is None:
            if found := re.search(rf"^{word} (\S+)", log.read_text(encoding="utf-8", errors="replace"), re.M):
                return found[1]
            time.sleep(0.1)
        raise CannotStart(f"the service did not say “{word}”: see {log}")

    def answer(line: str) -> str:
        asked = input_of(running)
        asked.write(f"{line}\n".encode())
        asked.flush()
        return told("right")

    return Service(int(told("pid" if case["service"] in OURS else "ready")), answer)


def services() -> dict[str, Any]:
    return tomllib.loads((HOME / "foreign/services.toml").read_text(encoding="utf-8"))


def start(stack: ExitStack, case: dict[str, Any], folder: Path) -> Service:
    """Starts a service and waits until its limit is reached; the stack ends it."""
    return (foreign if case["set"] == "foreign" else own)(stack, case, folder)
