"""Tries a class on a real JupyterHub on this machine: seconds, memory and claims of each learner's lesson.

python3 tools/setup.py -- python tests/teach/hub_trial.py --learners=10 --cpus=2   as root, on Linux, with npm

All run each notebook at the same time. Two or more see nothing of each other, hand in their results for the
chart of the class, and then the hub is killed. `make memory` uses one learner with one CPU. All listens on
loopback, and the users, their processes and their folders are gone at the end.
"""

import argparse
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import nbformat
import psutil
import requests
import websocket
from jupyter_client.jsonutil import json_default
from jupyter_client.session import Session
from nbformat import NotebookNode
from nbformat.v4 import output_from_msg
from bootstrap.files import digest
from bootstrap.places import BUILD, ROOT
from bootstrap.steps import Steps, run
from notebooks.runs import DIVES, NOTEBOOKS, claims, code_cells, errors, numbered, short, until
from teach import classroom

VERDICTS = {"✔": "held", "✘": "broken", "≈": "not judged"}
PINS = [ROOT / "requirements.txt", ROOT / "requirements/hub.txt"]
PROXY = [ROOT / "teaching/hub/proxy/package.json", ROOT / "teaching/hub/proxy/package-lock.json"]
PLACE = BUILD / "hub"
CONFIG = f"""\
import itertools
c = get_config()
c.JupyterHub.bind_url = "http://127.0.0.1:{{port}}"
c.JupyterHub.hub_port = {{port}} + 1
# the proxy is a separate process, so that connections survive the end of the hub
c.ConfigurableHTTPProxy.should_start = False
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:%d" % ({{port}} + 2)
c.ConfigurableHTTPProxy.auth_token = c.SharedPasswordAuthenticator.user_password = "{{password}}"
c.JupyterHub.cleanup_servers = False
c.JupyterHub.authenticator_class = "shared-password"
c.Authenticator.allow_all = True
# the hub, its proxy and this test are elsewhere in a real class
c.Spawner.cmd = ["taskset", "--cpu-list", "{{cpus}}", "{PLACE}/bin/jupyterhub-singleuser"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
c.Spawner.environment = dict(
    PATH="{PLACE}/bin:/usr/bin:/bin",
    # what jupyter_config.py chooses at this scale in the image
    JUPYTER_PATH="{sys.prefix}/share/threadlab/shared:{sys.prefix}/share/jupyter",
    JUPYTER_PREFER_ENV_PATH="0", THREADLAB_SCALE="small", MALLOC_ARENA_MAX="2", LC_ALL="C.UTF-8",
)
# a port that is free for the moment only, as the spawner looks for one, may be a neighbour's a moment later
ports = itertools.count({{port}} + 4)
c.Spawner.pre_spawn_hook = lambda spawner: setattr(spawner, "port", next(ports))
"""


def install() -> None:
    """Installs the proxy and, where other users can read them, the Python packages of the image."""
    print("Installing JupyterHub and its proxy (about a minute) …", file=sys.stderr, flush=True)
    # the system's Python, which every user can read; its pip may be a package of its own
    run(["/usr/bin/python3", "-m", "venv", "--clear", "--without-pip", PLACE], "no environment for the hub")
    pip = [sys.executable, "-m", "pip", f"--python={PLACE}/bin/python", "install"]
    run([*pip, *(word for pins in PINS for word in ("-r", pins))], "pip could not install the hub")
    for file in PROXY:
        shutil.copy2(file, PLACE)
    run(["npm", "ci", "--no-audit", "--no-fund", f"--prefix={PLACE}"], "npm could not install the proxy")


class Hub:
    """The hub's settings and its process."""

    def __init__(self, folder: Path, cpus: str) -> None:
        self.folder, self.cpus, self.password = folder, cpus, secrets.token_hex(8)
        self.port = 20_000 + secrets.randbelow(8_000)  # below those that the system assigns
        self.base = f"http://127.0.0.1:{self.port}"  # the next ports: of hub, proxy's API, git, servers
        (folder / "jupyterhub_config.py").write_text(CONFIG.format(**vars(self)))

    def started(self, name: str, *command: object) -> subprocess.Popen:
        env = os.environ | {"CONFIGPROXY_AUTH_TOKEN": self.password}
        with (self.folder / f"{name}.log").open("ab") as log:
            words = [str(word) for word in command]
            return subprocess.Popen(words, cwd=self.folder, env=env, stdout=log, stderr=subprocess.STDOUT)

    def start(self) -> None:
        self.process = self.started("hub", PLACE / "bin/jupyterhub")

        def answers() -> bool:
            if self.process.poll() is not None:
                raise RuntimeError((self.folder / "hub.log").read_text()[-2000:])
            with suppress(requests.ConnectionError):
                return requests.get(f"{self.base}/hub/api/", proxies={"http": ""}).ok
            return False

        until("the hub answers", answers)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def remove(name: str) -> None:
    """Ends all processes of a user created here, and deletes the user."""

    def ended() -> bool:
        found = psutil.process_iter(["username", "status"])
        # the test's own program adopts what a killed hub leaves, and may not have asked for its end yet
        own = [one for one in found if one.info["username"] == name]
        left = [one for one in own if one.info["status"] != psutil.STATUS_ZOMBIE]
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        return not left

    until(f"all processes of {name} have ended", ended)
    # it complains that there is no mail to delete
    subprocess.run(["userdel", "--force", "--remove", name], capture_output=True)


@contextmanager
def running(names: list[str], cpus: str) -> Iterator[Hub]:
    """A hub for the duration of a block, with a system user for each name, who share the CPUs ("0,1")."""
    stamp = digest(*PINS, *PROXY)
    Steps(PLACE / "installed.json").step("hub", stamp, [PLACE / "bin/jupyterhub"], install)
    with ExitStack() as left:
        folder = Path(left.enter_context(tempfile.TemporaryDirectory(prefix="threadlab-hub-")))
        folder.chmod(0o755)
        hub, course = Hub(folder, cpus), folder / "repositories/course"
        (folder / "homes").mkdir()
        for name in names:
            home = folder / "homes" / name
            subprocess.run(["useradd", "-m", "-d", home, "-s", "/bin/sh", name], check=True)
            left.callback(remove, name)
            home.chmod(0o700)
        subprocess.run(["git", "clone", "--quiet", "--bare", ROOT, course], check=True)
        subprocess.run(["git", "-C", course, "branch", "lesson", "HEAD"], check=True)
        git = f"git daemon --export-all --reuseaddr --listen=127.0.0.1 --port={hub.port + 3}".split()
        left.callback(hub.started("git", *git, f"--base-path={course.parent}").kill)
        target = f"http://127.0.0.1:{hub.port + 1}"
        ports = f"--ip=127.0.0.1 --port={hub.port} --api-ip=127.0.0.1 --api-port={hub.port + 2}"
        ports += f" --default-target={target} --error-target={target}/hub/error"
        proxy = PLACE / "node_modules/.bin/configurable-http-proxy"
        left.callback(hub.started("proxy", proxy, *ports.split()).kill)
        left.callback(lambda: hub.kill())
        hub.start()
        yield hub


class Learner:
    """The page of one learner and, once a notebook is open, its kernel."""

    def __init__(self, hub: Hub, name: str) -> None:
        self.hub, self.name, self.cell, self.kernel = hub, name, "", ""
        self.home = f"/user/{name}"  # the prefix of their server's addresses
        self.web, self.messages = requests.Session(), Session()
        self.web.trust_env = False  # no proxy for loopback

    def ask(self, path: str, method: str = "GET", body: Any = None, **form: Any) -> Any:
        answer = self.web.request(method, self.hub.base + path, json=body, timeout=180, **form)
        answer.raise_for_status()
        return answer.json() if answer.text[:1] in ("{", "[") else answer.text

    def log_in(self) -> None:
        """Logs in through the page's form; the token is for requests that a script in the page sends."""

        def xsrf() -> str:
            return next(cookie.value for cookie in self.web.cookies if cookie.name == "_xsrf")

        self.ask("/hub/login")
        form = {"username": self.name, "password": self.hub.password, "_xsrf": xsrf()}
        page = self.ask("/hub/login?next=%2Fhub%2Fhome", "POST", data=form)
        assert self.name in page, "the page after the login does not name the learner"
        address = f"/hub/api/users/{self.name}/tokens?_xsrf={xsrf()}"
        token = self.ask(address, "POST", {"note": "trial"})["token"]
        self.web.headers["Authorization"] = f"token {token}"

    def start_server(self) -> None:
        self.ask(f"/hub/api/users/{self.name}/server", "POST")
        until("the server is ready", self.ready)

    def ready(self) -> bool:
        return bool(self.ask(f"/hub/api/users/{self.name}")["servers"].get("", {}).get("ready"))

    def pull(self) -> None:
        """Gets the notebooks into the folder `course`."""
        repository = f"git://127.0.0.1:{self.hub.port + 3}/course"
        query = urlencode({"repo": repository, "branch": "lesson", "targetpath": "course"})
        said = self.ask(f"{self.home}/git-pull/api?{query}")
        assert '"finished"' in said, said[-500:]

    def contents(self, path: str, *request: Any) -> Any:
        return self.ask(f"{self.home}/api/contents/{path}", *request)

    def open(self, path: str) -> None:
        """Opens a notebook, with a kernel of its own."""
        session = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "java"}}
        kernel = self.ask(f"{self.home}/api/sessions", "POST", session)["kernel"]["id"]
        self.connect(f"{self.home}/api/kernels/{kernel}")

    def connect(self, kernel: str) -> None:
        self.kernel = kernel
        address = f"{self.hub.base}{kernel}/channels".replace("http", "ws", 1)
        header = {"Authorization": self.web.headers["Authorization"]}
        self.socket = websocket.create_connection(address, timeout=180, header=header)

    def close(self) -> None:
        self.socket.close()
        self.ask(self.kernel, "DELETE")

    def run(self, code: str) -> list[NotebookNode]:
        """Runs a cell; gives its outputs."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        content |= {"allow_stdin": False, "stop_on_error": False}
        message = self.messages.msg("execute_request", content) | {"channel": "shell"}
        self.socket.send(json.dumps(message, default=json_default))
        outputs: list[NotebookNode] = []
        ended: set[str | None] = set()
        while not ended >= {"idle", "execute_reply"}:
            got = json.loads(self.socket.recv())
            kind, state = got["header"]["msg_type"], got["content"].get("execution_state")
            if state in ("restarting", "dead"):
                raise ConnectionError("the kernel has ended")
            if got["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                ended |= {kind, state}
                if kind in ("stream", "display_data", "execute_result", "error"):
                    outputs.append(output_from_msg(got))
        return outputs


# --- the memory of their processes ---


class Memory(threading.Thread):
    """Samples the MiB of each learner's processes, by their kinds, several times a second.

    It is a process's own pages, its share of shared ones (Pss of smaps_rollup), its page tables, and 16 KiB
    of the system for each thread; not the pages of files, which the system can reclaim.
    """

    def __init__(self, learners: list[Learner]) -> None:
        super().__init__(daemon=True)
        self.learners, self.all_ = learners, 0.0  # the peak of all together
        self.peaks: dict[str, tuple[float, str]] = {}  # and the cell that ran, with the parts

    def run(self) -> None:
        while True:
            now: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
            seen = {one.pid: one for one in psutil.process_iter(["username", "cmdline", "ppid"])}
            for process in seen.values():
                parent = seen.get(process.info["ppid"])
                if parent and parent.info["cmdline"] == process.info["cmdline"]:
                    continue  # a child that is not a program of its own yet has its parent's pages
                program, *words = process.info["cmdline"] or [""]
                java = program.endswith("java")  # a child's class path, too, names a folder of Jupyter
                page = not java and "jupyter" in " ".join([program, *words])
                kind = "kernel" if "CourseKernel" in " ".join(words) else "page" if page else "children"
                with suppress(OSError, KeyError):  # it has ended
                    now[process.info["username"]][kind] += held(process.pid)
            for learner in self.learners:
                own = sorted(now[learner.name].items(), key=lambda one: -one[1])
                parts = ", ".join(f"{what} {mib:.0f}" for what, mib in own)
                told = sum(mib for _, mib in own), f"{learner.cell}: {parts}"
                self.peaks[learner.name] = max(told, self.peaks.get(learner.name, (0.0, "")))
            self.all_ = max(self.all_, sum(sum(now[learner.name].values()) for learner in self.learners))
            time.sleep(0.2 * len(self.learners))


def held(pid: int) -> float:
    lines = [Path(f"/proc/{pid}/{name}").read_text() for name in ("smaps_rollup", "status")]
    kib = {words[0]: words[1] for words in map(str.split, "\n".join(lines).splitlines()) if len(words) > 1}
    pages = sum(int(kib[name]) for name in ("Pss_Anon:", "Pss_Shmem:", "VmPTE:"))
    return (pages + 16 * int(kib["Threads:"])) / 1024


# --- the trial ---


def page_alone(port: int) -> float:
    """MiB of JupyterLab's server without JupyterHub in it, as on Binder and on a machine of one's own."""
    words = f"--no-browser --allow-root --ip=127.0.0.1 --port={port} --IdentityProvider.token=a".split()
    pages = ("lab", "lab/api/settings", "api/kernelspecs", f"api/contents/notebooks/{NOTEBOOKS[0].name}")
    env = os.environ | {"MALLOC_ARENA_MAX": "2"}
    lab = subprocess.Popen(
        [f"{sys.prefix}/bin/jupyter-lab", *words], cwd=ROOT, env=env, stderr=subprocess.DEVNULL
    )

    def opened() -> bool:
        with suppress(requests.ConnectionError):
            asked = (f"http://127.0.0.1:{port}/{page}?token=a" for page in pages)
            return all(requests.get(page, proxies={"http": ""}).ok for page in asked)
        return False

    try:
        until("JupyterLab answers", opened)
        return held(lab.pid)
    finally:
        lab.terminate()
        lab.wait()


def run_all(learner: Learner, path: str, memory: Memory) -> dict[str, Any]:
    """Opens a notebook, runs its cells from the top and saves it; gives the claims by verdict, and errors."""
    if learner.kernel:
        learner.close()
    learner.open(path)
    notebook = nbformat.from_dict(learner.contents(path)["content"])
    memory.peaks.pop(learner.name, None)  # of the notebook before
    for cell in code_cells(notebook):
        learner.cell = cell.id
        cell.outputs = learner.run(cell.source)
    learner.contents(path, "PUT", {"type": "notebook", "format": "json", "content": notebook})
    told: dict[str, list[str]] = {name: [] for name in VERDICTS.values()} | {"errors": errors(notebook)}
    for name, text in claims(notebook).items():
        told[VERDICTS.get(text[:1], "errors")].append(name)
    return told | {"held": len(told["held"])}


def nobody_sees_another_s_files(one: Learner, other: Learner) -> None:
    """Neither through the page nor through the kernel, although both run on one machine."""
    assert other.contents("course")
    assert one.web.get(f"{one.hub.base}{other.home}/api/contents/course").status_code in (403, 404)
    homes = one.hub.folder / "homes"
    for path in (homes / other.name / "course/notebooks" / NOTEBOOKS[0].name, homes / other.name / "course"):
        for read in ("newDirectoryStream", "readString"):
            said = str(one.run(f'java.nio.file.Files.{read}(java.nio.file.Path.of("{path}"))'))
            assert "AccessDenied" in said, said


def the_class_gets_a_chart(learners: list[Learner], number: str) -> None:
    """From the files that the learners write, and hand in."""
    files = learners[0].hub.folder / "files"
    files.mkdir()
    for learner in learners:
        assert "no names" in str(learner.run(f'Results.share("{numbered(number).stem[3:]}")'))
        [file] = (files.parent / "homes" / learner.name).glob("course/notebooks/results/shared/*.csv")
        shutil.copy2(file, files / f"{learner.name}.csv")
    machines, told = classroom.collect(files, classroom.Known.of(number))
    assert (len(machines), told) == (len(learners), [])
    classroom.write(machines, number, told)
    assert classroom.draw([]).read_text(encoding="utf-8").count('src="data:image/png;base64') == 2


def a_killed_hub_comes_back(hub: Hub, learners: list[Learner], notebook: str) -> float:
    """Returns the seconds it takes; running cells continue, variables, files and logins are kept."""
    with ThreadPoolExecutor() as pool:
        cells = [pool.submit(one.run, "int kept = 42; Thread.sleep(4_000); kept") for one in learners]
        time.sleep(1)
        hub.kill()
        assert all("'42'" in str(each.result()) for each in cells), "a kernel needs no hub"
    start = time.monotonic()
    hub.start()
    seconds = time.monotonic() - start
    for learner in learners:
        assert learner.ready()
        learner.connect(learner.kernel)
        assert "'42'" in str(learner.run("kept")), "the page can be opened again"
        saved = learner.contents(f"course/notebooks/{notebook}")["content"]
        assert any(cell.get("outputs") for cell in saved["cells"]), "what was saved is not there"
    return seconds


def trial(count: int, cpus: str, notebooks: list[str]) -> bool:
    """Prints a row for each step of each learner; whether no cell had an error."""
    names = [f"vt-learner-{place}" for place in range(1, count + 1)]
    with running(names, cpus) as hub, ThreadPoolExecutor(count) as pool:
        learners, failed = [Learner(hub, name) for name in names], []
        memory = Memory(learners)
        memory.start()

        def together(what: str, step: Callable[[Learner], dict | None]) -> None:
            def one(learner: Learner) -> dict:
                start = time.monotonic()
                found, seconds = step(learner) or {}, time.monotonic() - start
                mib, where = memory.peaks.pop(learner.name, (0, ""))
                figures = {"seconds": round(seconds, 1), "peak (MiB)": round(mib), "in": where}
                return {"step": what, "learner": learner.name} | figures | found

            for row in pool.map(one, learners):
                print(", ".join(f"{name}: {value}" for name, value in row.items() if value), flush=True)
                failed.extend(row.get("errors", ()))

        for step in (Learner.log_in, Learner.start_server, Learner.pull):
            together(step.__name__, step)
        for name in notebooks:
            run_one = partial(run_all, path=f"course/notebooks/{name}", memory=memory)
            together(short(Path(name).stem), run_one)
        print(f"all together, peak: {memory.all_:.0f} MiB")
        if count == 1:
            print(f"the page without a hub: {page_alone(hub.port + 9):.0f} MiB")
        else:
            nobody_sees_another_s_files(learners[0], learners[1])
            the_class_gets_a_chart(learners, notebooks[-1][:2])
            print(f"hub back after {a_killed_hub_comes_back(hub, learners, notebooks[-1]):.1f} s")
    return not failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=2)
    parser.add_argument(
        "--cpus", type=int, default=0, help="of all learners together; without it the whole machine"
    )
    parser.add_argument("--notebooks", default="01,00", help="empty for all")
    asked = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    if not cpus or os.geteuid() != 0 or not shutil.which("npm"):
        sys.exit("The trial makes users of the system, so it needs Linux, root and Node's npm.")
    shared = ",".join(map(str, cpus[: asked.cpus or None]))
    named = [numbered(name) for name in asked.notebooks.split(",")] if asked.notebooks else []
    paths = named or [*NOTEBOOKS, *DIVES]
    if not trial(asked.learners, shared, [path.relative_to(ROOT / "notebooks").as_posix() for path in paths]):
        sys.exit("A cell has an error: see above.")


if __name__ == "__main__":
    main()
