"""A real JupyterHub on this machine: the hub, its proxy, a repository, and ordinary users of the system.

Everything listens on loopback and is kept in one folder. Needs root, Linux and Node's npm.
"""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import requests
from bootstrap.files import digest
from bootstrap.places import BUILD, ROOT
from bootstrap.steps import Steps
from notebooks.runs import until

PROXY = ROOT / "teaching/hub/proxy"
PINS = [ROOT / "requirements.txt", ROOT / "requirements/hub.txt"]
PLACE = BUILD / "hub"
PREFIX = "vt-learner-"
CONFIG = """\
c = get_config()  # noqa: F821
c.JupyterHub.bind_url = {base!r}
c.JupyterHub.hub_ip = c.Spawner.ip = "127.0.0.1"
c.JupyterHub.hub_port = {hub_port}
c.JupyterHub.db_url = "sqlite:///{folder}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{folder}/cookie_secret"
# the proxy is a separate process, so that connections survive the end of the hub
c.ConfigurableHTTPProxy.should_start = False
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api_port}"
c.ConfigurableHTTPProxy.auth_token = {token!r}
c.JupyterHub.cleanup_servers = False
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = ["{place}/bin/jupyterhub-singleuser"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
c.Spawner.environment = {environment!r}
# a port that is free for the moment only, as the spawner looks for one, may be a neighbour's a moment later
ports = iter(range({first_port}, {first_port} + 1_000))
c.Spawner.pre_spawn_hook = lambda spawner: setattr(spawner, "port", next(ports))
"""


def environment() -> None:
    """Installs the proxy and, where other users can read them, the Python packages of the image."""
    proxy = [PROXY / "package.json", PROXY / "package-lock.json"]

    def install() -> None:
        print("Installing JupyterHub and its proxy (about a minute) …", file=sys.stderr, flush=True)
        # the system's Python, which every user can read; its pip may be a package of its own
        run("/usr/bin/python3", "-m", "venv", "--clear", "--without-pip", PLACE)
        pip = [sys.executable, "-m", "pip", f"--python={PLACE}/bin/python", "install"]
        run(*pip, "--disable-pip-version-check", *(word for pins in PINS for word in ("-r", pins)))
        for file in proxy:
            shutil.copy2(file, PLACE)
        run("npm", "ci", "--no-audit", "--no-fund", cwd=PLACE)

    steps = Steps(PLACE / "installed.json")
    steps.step("hub", digest(*PINS, *proxy), [PLACE / "bin/jupyterhub"], install)


def run(*command: object, **more: Any) -> None:
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, **more)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def status(address: str, token: str = "") -> int:
    headers = {"Authorization": f"token {token}"} if token else {}
    with suppress(requests.RequestException):
        return requests.get(address, headers=headers, timeout=30, proxies={"http": ""}).status_code
    return 0


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Hub:
    """The hub's settings and its process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.place = folder, PLACE
        self.port, self.hub_port, self.api_port, self.git_port = (free_port() for _ in range(4))
        self.first_port = 20_000 + secrets.randbelow(8_000)  # below those that the system assigns
        self.base = f"http://127.0.0.1:{self.port}"
        self.password, self.token = secrets.token_hex(8), secrets.token_hex(16)
        self.repository = f"git://127.0.0.1:{self.git_port}/course"
        self.process: subprocess.Popen | None = None
        self.environment = {
            "PATH": f"{PLACE}/bin:/usr/bin:/bin",
            # what jupyter_config.py chooses at this scale in the image
            "JUPYTER_PATH": f"{sys.prefix}/share/threadlab/shared:{sys.prefix}/share/jupyter",
            "JUPYTER_PREFER_ENV_PATH": "0",
            "THREADLAB_SCALE": "small",
            "MALLOC_ARENA_MAX": "2",
            "LC_ALL": "C.UTF-8",
        }
        (folder / "jupyterhub_config.py").write_text(CONFIG.format(**vars(self)))

    def started(self, name: str, *command: object, **more: Any) -> subprocess.Popen:
        log = (self.folder / f"{name}.log").open("ab")
        words = [str(word) for word in command]
        return subprocess.Popen(words, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT, **more)

    def start(self) -> None:
        config = self.folder / "jupyterhub_config.py"
        self.process = self.started("hub", PLACE / "bin/jupyterhub", "-f", config)

        def answers() -> bool:
            if self.process.poll() is not None:
                raise RuntimeError((self.folder / "hub.log").read_text()[-2000:])
            return status(f"{self.base}/hub/api/") == 200

        until("the hub answers", answers)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def processes(name: str) -> list[psutil.Process]:
    uid = pwd.getpwnam(name).pw_uid
    return [each for each in psutil.process_iter(["uids"]) if each.info["uids"].real == uid]


def remove(name: str) -> None:
    """Ends all processes of a user created here, and deletes the user."""

    def gone() -> bool:
        own = processes(name)
        for process in own:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        return not own

    until(f"all processes of {name} have ended", gone)
    # it complains that there is no mail to delete
    subprocess.run(["userdel", "--remove", name], capture_output=True)


@contextmanager
def running(names: list[str]) -> Iterator[Hub]:
    """A hub for the duration of a block, with a system user for each name."""
    environment()
    with ExitStack() as left:
        folder = Path(left.enter_context(tempfile.TemporaryDirectory(prefix="threadlab-hub-")))
        folder.chmod(0o755)
        homes = folder / "homes"
        homes.mkdir()
        for name in names:
            run("useradd", "--create-home", "--home-dir", homes / name, "--shell", "/bin/sh", name)
            left.callback(remove, name)
            (homes / name).chmod(0o700)
        made = Hub(folder)
        run("git", "clone", "--quiet", "--bare", ROOT, folder / "repositories/course")
        run("git", "-C", folder / "repositories/course", "branch", "lesson", "HEAD")
        git = f"git daemon --export-all --reuseaddr --listen=127.0.0.1 --port={made.git_port}".split()
        left.callback(stop, made.started("git", *git, f"--base-path={folder}/repositories"))
        hub = f"http://127.0.0.1:{made.hub_port}"
        ports = f"--ip=127.0.0.1 --port={made.port} --api-ip=127.0.0.1 --api-port={made.api_port}"
        proxy = [PLACE / "node_modules/.bin/configurable-http-proxy", *ports.split()]
        proxy += [f"--default-target={hub}", f"--error-target={hub}/hub/error"]
        secret = os.environ | {"CONFIGPROXY_AUTH_TOKEN": made.token}
        left.callback(stop, made.started("proxy", *proxy, env=secret))
        left.callback(lambda: made.process and stop(made.process))
        made.start()
        yield made
