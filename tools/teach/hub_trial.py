"""Tries a class on a real JupyterHub on this machine: the hub, its proxy, and ordinary users of the system.

python3 tools/setup.py -- python tools/teach/hub_trial.py --learners=10     as root, on Linux, with Node's npm

All log in by HTTP, get the notebooks by nbgitpuller from a local repository, start kernels and run 00 and 01
at the same time. Then the hub is killed, and a bad learner ends the kernel, fills the disk and forks without
end. The figures go to build/hub-trial.json and, as a table, to the terminal. Everything listens on loopback
only, and the users, their processes and their folders are gone at the end.
"""

import argparse
import hashlib
import json
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import stat
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import websocket

from bootstrap.launch import BUILD
from notebooks.runs import NOTEBOOKS, ROOT, numbered

PROXY = ROOT / "teaching/hub/proxy"
HUB_PINS = ROOT / os.environ.get("THREADLAB_HUB_PINS", "requirements/hub.txt")
PINS = [ROOT / "requirements.txt", HUB_PINS]
PLACE = BUILD / HUB_PINS.stem
REPORT = BUILD / "hub-trial.json"
PREFIX = "vt-learner-"
BAD = PREFIX + "bad"
BRANCH = "class"
DISK_MB, PROCESSES = 64, 600  # what the bad learner may use
CONFIG = """\
c = get_config()  # noqa: F821
c.JupyterHub.bind_url = {base!r}
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = {hub_port}
c.JupyterHub.db_url = "sqlite:///{folder}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{folder}/cookie_secret"
# the proxy is a process of its own, so that a hub that ends takes nobody's connection away
c.ConfigurableHTTPProxy.should_start = False
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api_port}"
c.ConfigurableHTTPProxy.auth_token = {token!r}
c.JupyterHub.cleanup_servers = False
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = ["{folder}/serve"]
c.Spawner.ip = "127.0.0.1"
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
c.Spawner.environment = {environment!r}
"""
SERVE = """\
#!/bin/sh
# what a container's limits are elsewhere
[ "$USER" = {bad} ] && set -- prlimit --nproc={processes} -- {singleuser} "$@" || set -- {singleuser} "$@"
exec "$@"
"""


def open_to_all(path: Path) -> bool:
    """Whether every user of the system may read what lies there."""
    return all(p.stat().st_mode & stat.S_IXOTH for p in [path.resolve(), *path.resolve().parents])


def environment() -> Path:
    """The Python packages of the image, where other users can read them, and the proxy."""
    wanted = hashlib.sha256(
        b"".join(p.read_bytes() for p in [*PINS, PROXY / "package-lock.json"])
    ).hexdigest()
    stamp = PLACE / "stamp"
    if not stamp.is_file() or stamp.read_text() != wanted:
        base = Path(getattr(sys, "_base_executable", sys.executable))
        if not open_to_all(base):
            base = Path("/usr/bin/python3")
        print("Installing JupyterHub and its proxy (about a minute) …", file=sys.stderr, flush=True)
        # without pip of its own, which Debian's Python has in a further package only
        subprocess.run([base, "-m", "venv", "--clear", "--without-pip", PLACE], check=True)
        pip = [sys.executable, "-m", "pip", f"--python={PLACE}/bin/python", "install", "--quiet"]
        pip += ["--no-compile", "--disable-pip-version-check"]
        subprocess.run([*pip, *(word for pins in PINS for word in ("-r", pins))], check=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy2(PROXY / name, PLACE)
        subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=PLACE, check=True)
        subprocess.run([PLACE / "bin/python", "-m", "compileall", "-q", PLACE / "lib"], check=False)
        stamp.write_text(wanted)
    return PLACE


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what: str, holds: Callable[[], Any], seconds: float = 120) -> Any:
    """Waits until something holds, and gives it."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)
    return found


class Hub:
    """A hub with its proxy, a repository and the users, all on loopback and in one folder."""

    def __init__(self, folder: Path, learners: list[str]) -> None:
        self.folder, self.learners = folder, learners
        self.port, self.hub_port, self.api_port, self.git_port = (free_port() for _ in range(4))
        self.base = f"http://127.0.0.1:{self.port}"
        self.password, self.token = secrets.token_hex(8), secrets.token_hex(16)
        self.hub: subprocess.Popen | None = None

    @property
    def repository(self) -> str:
        return f"git://127.0.0.1:{self.git_port}/course"

    def write(self) -> None:
        place = environment()
        names = {
            "PATH": f"{place}/bin:/usr/bin:/bin",
            "JUPYTER_PATH": str(Path(sys.prefix) / "share/jupyter"),
            "JUPYTER_PREFER_ENV_PATH": "0",
            "THREADLAB_SCALE": "small",
            "MALLOC_ARENA_MAX": "2",
            "LC_ALL": "C.UTF-8",
        }
        values = vars(self) | {"environment": names}
        (self.folder / "jupyterhub_config.py").write_text(CONFIG.format(**values))
        serve = self.folder / "serve"
        serve.write_text(
            SERVE.format(bad=BAD, processes=PROCESSES, singleuser=place / "bin/jupyterhub-singleuser")
        )
        serve.chmod(0o755)

    def started(self, name: str, *command: object, **more: object) -> subprocess.Popen:
        log = (self.folder / f"{name}.log").open("ab")
        words = [str(word) for word in command]
        return subprocess.Popen(words, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT, **more)

    def start(self) -> None:
        self.hub = self.started("hub", PLACE / "bin/jupyterhub", "-f", self.folder / "jupyterhub_config.py")

        def answers() -> bool:
            if self.hub.poll() is not None:
                raise RuntimeError((self.folder / "hub.log").read_text()[-2000:])
            return status(f"{self.base}/hub/api/") == 200

        until("the hub answers", answers)

    def kill(self) -> None:
        self.hub.send_signal(signal.SIGKILL)
        self.hub.wait()


def status(address: str, token: str = "") -> int:
    asked = urllib.request.Request(address, headers={"Authorization": f"token {token}"} if token else {})
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def run(*command: object) -> None:
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ended.returncode:
        raise RuntimeError(f"{command}: {ended.stderr.strip()}")


def end_all_of(uid: int) -> None:
    """Ends every process of a user that this trial has made."""
    for _ in range(20):
        own = [entry for entry in Path("/proc").glob("[0-9]*") if owner(entry) == uid]
        if not own:
            return
        for entry in own:
            try:
                os.kill(int(entry.name), signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.2)


def owner(entry: Path) -> int:
    try:
        return entry.stat().st_uid
    except OSError:
        return -1


@contextmanager
def users(folder: Path, names: list[str]) -> Iterator[None]:
    """Ordinary users of the system, each with a folder that nobody else can read."""
    homes = folder / "homes"
    homes.mkdir()
    made = []
    try:
        for name in names:
            run("useradd", "--create-home", "--home-dir", homes / name, "--shell", "/bin/sh", name)
            made.append(name)
            (homes / name).chmod(0o700)
        about = pwd.getpwnam(BAD)
        size = f"size={DISK_MB}m,mode=700,uid={about.pw_uid},gid={about.pw_gid}"
        run("mount", "-t", "tmpfs", "-o", size, "learner", homes / BAD)
        yield
    finally:
        for name in made:
            end_all_of(pwd.getpwnam(name).pw_uid)
        subprocess.run(["umount", homes / BAD], capture_output=True)
        for name in made:
            subprocess.run(["userdel", "--remove", name], capture_output=True)


@contextmanager
def hub(learners: list[str]) -> Iterator[Hub]:
    """A hub that runs, for the time of a block."""
    with ExitStack() as left:
        folder = Path(left.enter_context(tempfile.TemporaryDirectory(prefix="threadlab-hub-")))
        folder.chmod(0o755)
        left.enter_context(users(folder, [*learners, BAD]))
        made = Hub(folder, learners)
        made.write()
        run("git", "clone", "--quiet", "--bare", ROOT, folder / "repositories/course")
        run("git", "-C", folder / "repositories/course", "branch", BRANCH, "HEAD")
        daemon = [
            "git",
            "daemon",
            "--export-all",
            "--reuseaddr",
            "--listen=127.0.0.1",
            f"--port={made.git_port}",
        ]
        secret = os.environ | {"CONFIGPROXY_AUTH_TOKEN": made.token}
        proxy = [PLACE / "node_modules/.bin/configurable-http-proxy", "--ip=127.0.0.1", f"--port={made.port}"]
        proxy += ["--api-ip=127.0.0.1", f"--api-port={made.api_port}"]
        proxy += [f"--default-target=http://127.0.0.1:{made.hub_port}", "--error-target"]
        proxy += [f"http://127.0.0.1:{made.hub_port}/hub/error"]
        for name, command in (("git", [*daemon, f"--base-path={folder}/repositories"]), ("proxy", proxy)):
            process = made.started(name, *command, env=secret)
            left.callback(stop, process)
        try:
            made.start()
            yield made
        finally:
            if made.hub:
                stop(made.hub)


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Learner:
    """One who works over HTTP, as a browser does."""

    def __init__(self, place: Hub, name: str) -> None:
        self.place, self.name = place, name
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.token = ""
        self.kernel = ""
        self.socket: websocket.WebSocket | None = None

    def ask(self, path: str, method: str = "GET", body: object = None, seconds: float = 180) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"token {self.token}"
        asked = urllib.request.Request(self.place.base + path, data, headers, method=method)
        with self.opener.open(asked, timeout=seconds) as answer:
            text = answer.read()
        return json.loads(text) if text[:1] in (b"{", b"[") else text.decode()

    def log_in(self) -> None:
        """By the form of the page; the token is for what a page's script would ask."""
        self.ask("/hub/login")
        form = {"username": self.name, "password": self.place.password, "_xsrf": self.xsrf()}
        address = f"{self.place.base}/hub/login?next=%2Fhub%2Fhome"
        with self.opener.open(address, urlencode(form).encode(), timeout=60) as answer:
            assert self.name in answer.read().decode(), "the page after the login does not name the learner"
        made = self.ask(f"/hub/api/users/{self.name}/tokens?_xsrf={self.xsrf()}", "POST", {"note": "trial"})
        self.token = made["token"]

    def xsrf(self) -> str:
        return next(cookie.value for cookie in self.cookies if cookie.name == "_xsrf")

    def start_server(self) -> None:
        self.ask(f"/hub/api/users/{self.name}/server", "POST")
        until("the server is ready", self.ready, 180)

    def ready(self) -> bool:
        return bool(self.ask(f"/hub/api/users/{self.name}")["servers"].get("", {}).get("ready"))

    def pull(self) -> None:
        query = urlencode({"repo": self.place.repository, "branch": BRANCH, "targetpath": "course"})
        said = self.ask(f"/user/{self.name}/git-pull/api?{query}")
        assert '"finished"' in said, said[-500:]

    def open(self, notebook: str) -> None:
        body = {"path": f"course/notebooks/{notebook}", "name": notebook, "type": "notebook"}
        made = self.ask(f"/user/{self.name}/api/sessions", "POST", body | {"kernel": {"name": "java"}})
        self.kernel = made["kernel"]["id"]
        self.connect()

    def connect(self) -> None:
        address = (
            f"{self.place.base.replace('http', 'ws', 1)}/user/{self.name}/api/kernels/{self.kernel}/channels"
        )
        headers = [f"Authorization: token {self.token}"]
        self.socket = websocket.create_connection(address, timeout=180, header=headers)

    def close(self) -> None:
        self.socket.close()
        self.ask(f"/user/{self.name}/api/kernels/{self.kernel}", "DELETE")

    def run(self, code: str) -> list[dict]:
        """What a cell shows."""
        name = uuid.uuid4().hex
        header = {"msg_id": name, "msg_type": "execute_request", "username": self.name, "session": name}
        header |= {"version": "5.3", "date": "2026-01-01T00:00:00Z"}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        content |= {"allow_stdin": False, "stop_on_error": False}
        message = {
            "header": header,
            "parent_header": {},
            "metadata": {},
            "content": content,
            "channel": "shell",
        }
        self.socket.send(json.dumps(message))
        outputs, told = [], set()
        while told < {"idle", "reply"}:
            got = json.loads(self.socket.recv())
            kind = got.get("msg_type") or got["header"]["msg_type"]
            if kind == "status" and got["content"]["execution_state"] in ("restarting", "dead"):
                raise ConnectionError("the kernel has ended")
            if got.get("parent_header", {}).get("msg_id") != name:
                continue
            if kind == "status" and got["content"]["execution_state"] == "idle":
                told.add("idle")
            elif kind == "execute_reply":
                told.add("reply")
            elif kind in ("stream", "display_data", "execute_result", "error"):
                outputs.append({"output_type": kind, **got["content"]})
        return outputs

    def said(self, code: str) -> str:
        return "".join(
            o.get("text") or o.get("data", {}).get("text/plain", "") or o.get("evalue", "")
            for o in self.run(code)
        )

    def run_all(self, notebook: str) -> dict:
        """Opens a notebook, runs its cells from the top and saves it."""
        path = f"/user/{self.name}/api/contents/course/notebooks/{notebook}"
        start = time.monotonic()
        self.open(notebook)
        content = self.ask(path)["content"]
        judged, failed = {}, []
        for cell in (cell for cell in content["cells"] if cell["cell_type"] == "code"):
            outputs = self.run("".join(cell["source"]))
            texts = [o.get("data", {}).get("text/plain", "") for o in outputs]
            if "Claim.that" in cell["source"]:
                judged[cell["id"]] = next((t for t in texts if t[:1] in ("✔", "✘")), "")
            if "raises-exception" not in cell["metadata"].get("tags", []):
                failed += [f"{cell['id']}: {o.get('evalue')}" for o in outputs if o["output_type"] == "error"]
            for output in outputs:
                output.pop("transient", None)
                if output["output_type"] == "execute_result":
                    output["execution_count"] = 1
            cell["outputs"], cell["execution_count"] = outputs, 1
        self.ask(path, "PUT", {"type": "notebook", "format": "json", "content": content})
        return {
            "seconds": time.monotonic() - start,
            "claims": len(judged),
            "broken": sorted(name for name, text in judged.items() if text.startswith("✘")),
            "errors": failed,
        }


class Memory:
    """The memory of each user's processes (their proportional share, in MiB), read every two seconds."""

    def __init__(self, place: Hub) -> None:
        self.users = {pwd.getpwnam(name).pw_uid: name for name in place.learners}
        self.peaks: dict[str, float] = dict.fromkeys(place.learners, 0)
        self.all_ = 0.0
        self.parts: dict[str, float] = {}
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self) -> None:
        while not self.ended.wait(2):
            now = dict.fromkeys(self.peaks, 0.0)
            parts = {"server": 0.0, "kernel": 0.0, "children": 0.0}
            for entry in Path("/proc").glob("[0-9]*"):
                name = self.users.get(owner(entry))
                if name:
                    try:
                        share = (
                            int(re.search(r"^Pss:\s+(\d+)", (entry / "smaps_rollup").read_text(), re.M)[1])
                            / 1024
                        )
                        words = (entry / "cmdline").read_text()
                    except (OSError, TypeError):
                        continue
                    now[name] += share
                    part = "server" if "singleuser" in words else "kernel" if "jjava" in words else "children"
                    parts[part] += share
            for name, value in now.items():
                self.peaks[name] = max(self.peaks[name], value)
            if sum(now.values()) > self.all_:
                self.all_, self.parts = sum(now.values()), parts

    def __enter__(self) -> "Memory":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def timed(tell: dict, name: str, action: Callable[[], Any]) -> Any:
    start = time.monotonic()
    done = action()
    tell[name] = time.monotonic() - start
    return done


def lesson(learner: Learner, notebooks: list[str], meet: threading.Barrier) -> dict:
    """One learner's lesson; all begin each notebook together."""
    told: dict[str, Any] = {}
    timed(told, "log in", learner.log_in)
    timed(told, "server", learner.start_server)
    timed(told, "notebooks", learner.pull)
    for name in notebooks:
        meet.wait(300)
        told[name[:2]] = learner.run_all(name)
        if name != notebooks[-1]:
            learner.close()
    return told


def nobody_sees_another_s_files(one: Learner, other: Learner) -> None:
    """Neither by the page nor by the kernel, though both run on one machine."""
    address = f"{one.place.base}/user/{other.name}/api/contents/course"
    assert status(address, other.token) == 200
    assert status(address, one.token) in (403, 404)
    for path in (f"{other.name}/course/notebooks/{NOTEBOOKS[0].name}", other.name):
        file = one.place.folder / "homes" / path
        said = one.said(f'java.nio.file.Files.newDirectoryStream(java.nio.file.Path.of("{file.parent}"))')
        said += one.said(f'java.nio.file.Files.readString(java.nio.file.Path.of("{file}"))')
        assert "AccessDenied" in said or (str(file.parent) in said and file.parent.name == "homes"), said


def a_killed_hub_comes_back(place: Hub, learners: list[Learner]) -> dict:
    """Cells that run go on, variables and files are there, and everybody is still logged in."""
    told: dict[str, Any] = {}
    for learner in learners:
        learner.run("int kept = 42;")
    with ThreadPoolExecutor(len(learners)) as pool:
        running = [pool.submit(learner.said, 'Thread.sleep(4_000); "slept"') for learner in learners]
        time.sleep(1)
        place.kill()
        said = [each.result() for each in running]
    assert all("slept" in text for text in said), said
    assert {learner.said("kept") for learner in learners} == {"42"}, "a kernel needs no hub"
    saved = f"/user/{learners[0].name}/api/contents/course/saved.txt"
    timed(told, "hub back after (s)", place.start)
    learners[0].ask(saved, "PUT", {"type": "file", "format": "text", "content": "still mine"})
    for learner in learners:
        assert learner.ready()
        assert learner.said("kept") == "42"
        learner.socket.close()
        learner.connect()
        assert learner.said("kept") == "42", "the page can be opened again"
    assert learners[0].ask(saved)["content"] == "still mine"
    return told


FILL = """
try (var file = java.nio.file.Files.newOutputStream(java.nio.file.Path.of("full"))) {
    for (;;) file.write(new byte[1 << 20]);
}
"""
FORK = """
var started = new ArrayList<Process>();
try {
    while (started.size() < 5_000) started.add(new ProcessBuilder("sleep", "300").start());
} catch (IOException | Error e) {
    System.out.println(e.getMessage());
}
started.size()
"""


def neighbours_go_on(place: Hub, neighbour: Learner) -> dict:
    """One learner ends the kernel, fills the disk and forks without end; the other works, and saves."""
    bad = Learner(place, BAD)
    bad.log_in()
    bad.start_server()
    # no notebooks: only a kernel in a folder of its own
    made = bad.ask(f"/user/{BAD}/api/kernels", "POST", {"name": "java"})
    bad.kernel = made["id"]
    bad.connect()
    told: dict[str, Any] = {}

    def works(after: str) -> None:
        path = f"/user/{neighbour.name}/api/contents/after.txt"
        start = time.monotonic()
        assert neighbour.said("6 * 7") == "42", after
        neighbour.ask(path, "PUT", {"type": "file", "format": "text", "content": after})
        assert neighbour.ask(path)["content"] == after
        told[f"the neighbour after {after} (s)"] = time.monotonic() - start

    works("nothing")
    with suppress(ConnectionError, websocket.WebSocketException):
        bad.run("System.exit(0);")
    works("System.exit")
    bad.socket.close()

    def again() -> bool:
        try:
            bad.connect()
            return bad.said("1 + 1") == "2"
        except (ConnectionError, OSError, websocket.WebSocketException):
            return False

    timed(told, "the kernel after System.exit is back (s)", lambda: until("the kernel is back", again))
    said = bad.said(FILL)
    assert "No space left" in said, said
    told["the disk is full"] = said.strip()[-80:]
    works("a full disk")
    bad.said('java.nio.file.Files.delete(java.nio.file.Path.of("full"));')
    said = bad.said(FORK)
    told["forked"] = int(re.search(r"(\d+)\s*$", said)[1])
    assert told["forked"] < PROCESSES, said
    works("forks")
    return told


def trial(count: int, notebooks: list[str]) -> dict:
    names = [f"{PREFIX}{place}" for place in range(1, count + 1)]
    told: dict[str, Any] = {"learners": count, "cpus": len(os.sched_getaffinity(0))}
    start = time.monotonic()
    with hub(names) as place:
        told["hub up"] = time.monotonic() - start
        learners = [Learner(place, name) for name in names]
        meet = threading.Barrier(count)
        with Memory(place) as memory, ThreadPoolExecutor(count) as pool:
            lessons = [pool.submit(lesson, learner, notebooks, meet) for learner in learners]
            try:
                told["lessons"] = [each.result() for each in lessons]
            except Exception:
                meet.abort()
                shutil.copy2(place.folder / "hub.log", BUILD / "hub-trial.log")
                raise
        told["memory, all (MiB)"] = memory.all_
        told["memory, parts (MiB)"] = memory.parts
        told["memory, each (MiB)"] = sorted(memory.peaks.values())
        if count > 1:
            nobody_sees_another_s_files(learners[0], learners[1])
        told["killed"] = a_killed_hub_comes_back(place, learners)
        told["bad"] = neighbours_go_on(place, learners[0])
        for learner in learners:
            saved = learner.ask(f"/user/{learner.name}/api/contents/course/notebooks/{notebooks[0]}")[
                "content"
            ]
            assert any(cell.get("outputs") for cell in saved["cells"]), "what was saved is not there"
    told["in all"] = time.monotonic() - start
    return told


def table(told: dict) -> str:
    """What the trial says, in a few lines."""
    lines = [
        f"{told['learners']} learners on {told['cpus']} CPUs",
        "",
        "| what | least | median | most |",
        "|---|---|---|---|",
    ]

    def line(name: str, values: list[float], unit: str) -> None:
        least, middle, most = min(values), statistics.median(values), max(values)
        lines.append(f"| {name} | {least:.1f} {unit} | {middle:.1f} {unit} | {most:.1f} {unit} |")

    lessons = told["lessons"]
    for step in ("log in", "server", "notebooks"):
        line(step, [each[step] for each in lessons], "s")
    for name in (key for key in lessons[0] if key.isdigit()):
        line(f"notebook {name}", [each[name]["seconds"] for each in lessons], "s")
        broken = [claim for each in lessons for claim in each[name]["broken"]]
        judged = sum(each[name]["claims"] for each in lessons)
        counted = ", ".join(f"{claim} {broken.count(claim)}" for claim in sorted(set(broken)))
        lines.append(f"| claims of {name} that broke | {len(broken)} of {judged} | {counted} | |")
        lines += [f"error in {name}: {text}" for each in lessons for text in each[name]["errors"]]
    line("memory of a learner, peak", told["memory, each (MiB)"], "MiB")
    lines.append(f"| memory of all, peak | {told['memory, all (MiB)']:.0f} MiB | | |")
    for name, value in (told["memory, parts (MiB)"] | told["killed"] | told["bad"]).items():
        lines.append(
            f"| {name} | {value:.1f} | | |" if isinstance(value, float) else f"| {name} | {value} | | |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=2)
    parser.add_argument("--notebooks", default="00,01")
    asked = parser.parse_args()
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("npm"):
        sys.exit("The trial makes users of the system, so it needs Linux, root and Node's npm.")
    if not 1 <= asked.learners <= 100:
        sys.exit(f"{asked.learners} learners cannot be tried: 1 to 100 can.")
    told = trial(asked.learners, [numbered(number).name for number in asked.notebooks.split(",")])
    REPORT.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
    print(table(told))


if __name__ == "__main__":
    main()
