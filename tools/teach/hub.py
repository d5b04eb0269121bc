"""A real JupyterHub on this machine: the hub, its proxy, a repository, and ordinary users of the system.

Everything listens on loopback, and lies in one folder. Needs root, Linux and Node's npm.
"""

import json
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
from bootstrap.environment import choose_environment
from bootstrap.files import digest
from bootstrap.jdk import Computer, find_jdk, find_others
from bootstrap.kernelspec import kernelspec
from bootstrap.places import BUILD, ROOT
from bootstrap.steps import Steps
from notebooks.runs import until

PROXY = ROOT / "teaching/hub/proxy"
PINS = [ROOT / "requirements.txt", ROOT / "requirements/hub.txt"]
PLACE = BUILD / "hub"
PREFIX = "vt-learner-"
BAD = PREFIX + "bad"
DISK_MB, PROCESSES = 64, 600  # what the bad learner may use
# where control groups of version 1 and 2 are made, and the file of their limit
GROUPS = {"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"}
CONFIG = """\
c = get_config()  # noqa: F821
c.JupyterHub.bind_url = {base!r}
c.JupyterHub.hub_ip = c.Spawner.ip = "127.0.0.1"
c.JupyterHub.hub_port = {hub_port}
c.JupyterHub.db_url = "sqlite:///{folder}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{folder}/cookie_secret"
# the proxy is a process of its own, so that a hub that ends takes nobody's connection away
c.ConfigurableHTTPProxy.should_start = False
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api_port}"
c.ConfigurableHTTPProxy.auth_token = {token!r}
c.JupyterHub.cleanup_servers = False
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = ["{folder}/serve"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
c.Spawner.environment = {environment!r}
"""
SERVE = f"""\
#!/bin/sh
# what a container's limits are elsewhere
[ "$USER" = {BAD} ] && limit="prlimit --nproc={PROCESSES} --"
exec $limit "{PLACE}/bin/jupyterhub-singleuser" "$@"
"""


def environment() -> None:
    """Installs the Python packages of the image, where other users can read them, and the proxy."""
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


def as_on_binder(folder: Path, limit: int) -> Path:
    """The kernel for one CPU, with a heap of half the limit and an AOT cache of its own."""
    jdk, path = find_jdk(Computer()), folder / "jupyter"
    spec = json.loads(kernelspec(choose_environment(), jdk, find_others(Computer(), jdk), one_cpu=True))
    cache, heap = f"-XX:AOTCache={path / 'kernel.aot'}", f"-Xmx{limit * 512}m"
    own = {"-XX:AOTCache": cache, "-XX:MaxRAMPercentage": heap}
    spec["argv"] = [own.get(argument.partition("=")[0], argument) for argument in spec["argv"]]
    (path / "kernels/java").mkdir(parents=True)
    (path / "kernels/java/kernel.json").write_text(json.dumps(spec))
    run(sys.executable, ROOT / "tools/bootstrap/train.py", path / "kernels/java/kernel.json")
    return path


class Hub:
    """The hub's settings and its process."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit
        self.port, self.hub_port, self.api_port, self.git_port = (free_port() for _ in range(4))
        self.base = f"http://127.0.0.1:{self.port}"
        self.password, self.token = secrets.token_hex(8), secrets.token_hex(16)
        self.repository = f"git://127.0.0.1:{self.git_port}/course"
        self.process: subprocess.Popen | None = None
        self.environment = {
            "PATH": f"{PLACE}/bin:/usr/bin:/bin",
            "JUPYTER_PATH": str(as_on_binder(folder, limit) if limit else Path(sys.prefix) / "share/jupyter"),
            "JUPYTER_PREFER_ENV_PATH": "0",
            "THREADLAB_SCALE": "small",
            "MALLOC_ARENA_MAX": "2",
            "LC_ALL": "C.UTF-8",
        }
        (folder / "jupyterhub_config.py").write_text(CONFIG.format(**vars(self)))
        (folder / "serve").write_text(SERVE)
        (folder / "serve").chmod(0o755)

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

    def confine(self, name: str) -> None:
        """Puts the processes of a learner, and so the kernels to come, into a control group of the limit."""
        for place, limit in GROUPS.items() if self.limit else ():
            group = Path(place, name)
            with suppress(OSError):
                group.mkdir(exist_ok=True)
                (group / limit).write_text(f"{self.limit}G")
                for process in processes(name):
                    (group / "cgroup.procs").write_text(str(process.pid))
                return
        if self.limit:
            print(f"No control group can be made here: only the kernel's heap keeps to {self.limit} GB.")


def processes(name: str) -> list[psutil.Process]:
    uid = pwd.getpwnam(name).pw_uid
    return [each for each in psutil.process_iter(["uids"]) if each.info["uids"].real == uid]


def remove(name: str) -> None:
    """Ends every process of a user that was made here, and deletes the user with its control group."""

    def gone() -> bool:
        own = processes(name)
        for process in own:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        return not own

    until(f"all processes of {name} have ended", gone)
    # it complains that there is no mail to delete
    subprocess.run(["userdel", "--remove", name], capture_output=True)
    for group in (Path(place, name) for place in GROUPS):
        if group.is_dir():
            group.rmdir()


@contextmanager
def running(names: list[str], limit: int = 0) -> Iterator[Hub]:
    """A hub for the time of a block, with a user of the system for each name and for the bad learner.

    A limit, in GB, is each learner's, with the kernel that Binder has; without one there is none.
    """
    environment()
    with ExitStack() as left:
        folder = Path(left.enter_context(tempfile.TemporaryDirectory(prefix="threadlab-hub-")))
        folder.chmod(0o755)
        homes = folder / "homes"
        homes.mkdir()
        for name in [*names, BAD]:
            run("useradd", "--create-home", "--home-dir", homes / name, "--shell", "/bin/sh", name)
            left.callback(remove, name)
            (homes / name).chmod(0o700)
        about = pwd.getpwnam(BAD)
        size = f"size={DISK_MB}m,mode=700,uid={about.pw_uid},gid={about.pw_gid}"
        run("mount", "-t", "tmpfs", "-o", size, "learner", homes / BAD)
        left.callback(run, "umount", "--lazy", homes / BAD)
        made = Hub(folder, limit)
        run("git", "clone", "--quiet", "--bare", ROOT, folder / "repositories/course")
        run("git", "-C", folder / "repositories/course", "branch", "class", "HEAD")
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
