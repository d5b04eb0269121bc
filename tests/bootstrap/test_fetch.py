"""What the set-up does where no JDK is: it fetches one from a stand-in for the publisher, on this machine.

Costs four seconds; the deep test, which goes the whole way from Python alone with this machine's own JDK and
a Maven that is fetched, forty.
"""

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
import urllib.parse
import zipfile
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bootstrap import fetch, jdk
from computers import ROOT, Copy, computer, make_jdk

NAME = "jdk-25.0.9+1"
LINUX = NAME + "-linux-x64"
PAGE = b"<html>Sign in to the network</html>"


class Publisher(ThreadingHTTPServer):
    """Answers as the publisher does: a list with one build, and its archive. Each test spoils something."""

    def __init__(self, archive: bytes = b"") -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.archive = archive
        self.sum = hashlib.sha256(archive).hexdigest()
        self.size = len(archive)
        self.listed: bytes | None = None  # in place of the list
        self.status = 200  # of the archive
        self.cut: list[int] = []  # after how many bytes the next connections are closed
        self.stall = 0.0  # seconds of silence after the first part
        self.first = self.size // 2  # how large that is
        self.ranges = True
        self.meanwhile = lambda: None  # called when the first part is sent
        self.kinds = {("linux", "x64"), ("mac", "x64"), ("windows", "x64")}
        self.asked: list[str] = []  # "list", or from where on the archive was asked for

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    server: Publisher

    def do_GET(self) -> None:
        place = urllib.parse.urlsplit(self.path)
        if place.path.startswith("/v3/assets/latest/25/hotspot"):
            self.server.asked.append("list")
            self.send(200, self.server.listed or self.list(urllib.parse.parse_qs(place.query)))
        else:
            self.send_archive()

    def list(self, asked: dict[str, list[str]]) -> bytes:
        assert asked["image_type"] == ["jdk"] and asked["vendor"] == ["eclipse"]
        assert (asked["os"][0], asked["architecture"][0]) in {
            ("linux", "x64"),
            ("mac", "x64"),
            ("windows", "x64"),
        }
        package = {"link": f"/get/{NAME}", "size": self.server.size, "checksum": self.server.sum}
        return json.dumps([{"release_name": NAME, "binary": {"package": package}}]).encode()

    def send_archive(self) -> None:
        start = int((self.headers["Range"] or "bytes=0-")[6:-1]) if self.server.ranges else 0
        self.server.asked.append(str(start))
        if self.server.status != 200:
            return self.send_error(self.server.status)
        body, first = self.server.archive[start:], self.server.first
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.cut:
            body = body[: self.server.cut.pop(0)]
        self.wfile.write(body[:first])
        self.server.meanwhile()
        time.sleep(self.server.stall)
        self.wfile.write(body[first:])

    def send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        with suppress(ConnectionError):  # the test has gone away
            super().handle()


def pack(home: Path, name: str = NAME) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        archive.add(home, name)
    return packed.getvalue()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Six megabytes that look like a JDK for Linux."""
    home = make_jdk(tmp_path_factory.mktemp("made") / "jdk", "25.0.9")
    (home / "lib/modules").write_bytes(os.urandom(6_000_000))
    return pack(home)


@contextmanager
def serving(server: Publisher) -> Iterator[Publisher]:
    threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def publisher(archive: bytes) -> Iterator[Publisher]:
    with serving(Publisher(archive)) as server:
        yield server


class Visitor:
    """A reader whose computer has no JDK, and what the set-up tells them."""

    def __init__(self, root: Path, server: Publisher, system: str = "Linux") -> None:
        variables = {"THREADLAB_JDK_FROM": server.address, "THREADLAB_CACHE": str(root / "cache é")}
        self.computer = computer(root, system, **variables)
        self.cache = self.computer.cache
        self.part = self.cache / f"{LINUX}.part"

    def fetch(self, may: str = "yes") -> Path:
        """The home of the JDK that is found after the set-up has fetched one."""
        env = dict(self.computer.env) | {"THREADLAB_FETCH": may}
        with pytest.raises(jdk.NoJdk) as none:
            jdk.find_jdk(self.computer)
        fetch.fetch_jdk(self.computer._replace(env=env), none.value)
        return jdk.find_jdk(self.computer).home

    def refused(self, may: str = "yes") -> str:
        with pytest.raises(SystemExit) as ended:
            self.fetch(may)
        sentence = str(ended.value)
        assert sentence.startswith("No JDK 25 or newer was found")
        assert sentence.endswith("or set JAVA_HOME to one.") and "\n" not in sentence
        return sentence

    def left(self) -> list[str]:
        return sorted(path.name for path in self.cache.iterdir() if path.name != "lock")


@pytest.fixture
def visitor(tmp_path: Path, publisher: Publisher) -> Visitor:
    return Visitor(tmp_path, publisher)


# --- what goes well ---


@pytest.mark.parametrize(
    ("system", "inside", "exe"), [("Linux", "", ""), ("Darwin", "Contents/Home", ""), ("Windows", "", ".exe")]
)
def test_a_jdk_is_fetched_for_each_system_and_found_from_then_on(
    tmp_path: Path, system: str, inside: str, exe: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_jdk(tmp_path / "made" / inside, "25.0.9", exe=exe)
    packed = pack(tmp_path / "made")
    if system == "Windows":
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for path in made.rglob("*"):
                archive.write(path, f"{NAME}/{path.relative_to(made).as_posix()}")
        packed = file.getvalue()
    with serving(Publisher(packed)) as server:
        visitor = Visitor(tmp_path, server, system)
        home = visitor.fetch()
    word = {"Linux": "linux", "Darwin": "mac", "Windows": "windows"}[system]
    assert home == visitor.cache / f"{NAME}-{word}-x64" / inside
    assert visitor.left() == [f"{NAME}-{word}-x64"]
    said = capsys.readouterr().out
    assert f"Eclipse Temurin {NAME} is fetched from 127.0.0.1:" in said
    assert f"MB, into {visitor.cache}, for all your clones" in said
    # another computer with the same home folder does not take it for its own
    with pytest.raises(jdk.NoJdk):
        jdk.find_jdk(visitor.computer._replace(machine="aarch64"))


@pytest.mark.parametrize(
    ("system", "variables", "place"),
    [
        ("Linux", {}, "home/reader/.cache/threadlab"),
        ("Linux", {"XDG_CACHE_HOME": "ROOT/x"}, "x/threadlab"),
        ("Darwin", {}, "home/reader/Library/Caches/threadlab"),
        ("Windows", {"LOCALAPPDATA": "ROOT/x"}, "x/threadlab"),
        ("Windows", {}, "home/reader/AppData/Local/threadlab"),
        ("Linux", {"THREADLAB_CACHE": "ROOT/own"}, "own"),
    ],
)
def test_the_cache_is_where_each_system_keeps_caches(
    tmp_path: Path, system: str, variables: dict[str, str], place: str
) -> None:
    env = {name: value.replace("ROOT", str(tmp_path)) for name, value in variables.items()}
    assert computer(tmp_path, system, **env).cache == tmp_path / place


def test_a_jdk_that_was_half_deleted_is_not_used_and_fetched_again(visitor: Visitor) -> None:
    home = visitor.fetch()
    (home / "lib/modules").unlink()
    assert visitor.fetch() == home
    assert (home / "lib/modules").stat().st_size == 6_000_000
    shutil.rmtree(home / "bin")
    assert visitor.fetch() == home


# --- who is asked ---


class Terminal:
    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        pass

    def flush(self) -> None:
        pass


def test_on_a_terminal_it_asks_once(
    visitor: Visitor, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = ["n"]
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr("builtins.input", lambda prompt: answers.pop(0))
    assert "was found: install JDK 25" in visitor.refused(may="")
    assert publisher.asked == ["list"]
    publisher.cut = [100_000]
    answers.append("")
    visitor.refused(may="")
    # the download goes on without another question
    assert visitor.fetch(may="").name == LINUX
    assert not answers


def test_without_a_terminal_it_says_how_to_allow_it_and_asks_nobody(
    visitor: Visitor, publisher: Publisher
) -> None:
    assert "with THREADLAB_FETCH=yes the same command fetches one" in visitor.refused(may="")
    assert "was found: install JDK 25" in visitor.refused(may="no")
    assert publisher.asked == [] and not visitor.cache.exists()


# --- what goes wrong ---


def test_what_is_not_what_the_publisher_made_is_thrown_away(visitor: Visitor, publisher: Publisher) -> None:
    right, publisher.sum = publisher.sum, "0" * 64
    assert "is not what its publisher made (SHA-256" in visitor.refused()
    assert visitor.left() == []
    publisher.sum = right
    assert visitor.fetch()


def test_a_download_that_is_cut_off_goes_on_where_it_stopped(visitor: Visitor, publisher: Publisher) -> None:
    publisher.cut = [2_000_000, 1_500_000]
    assert visitor.fetch()
    assert publisher.asked == ["list", "0", "2000000", "3500000"]


def test_a_download_that_gets_nowhere_stops_and_the_next_one_goes_on(
    visitor: Visitor, publisher: Publisher
) -> None:
    publisher.cut = [2_000_000, 10, 10]
    assert "its download stopped at 2 of 6 MB (the connection was closed)" in visitor.refused()
    assert visitor.left() == [visitor.part.name]
    publisher.cut = []
    assert visitor.fetch()
    assert publisher.asked[-1] == "2000010"
    assert visitor.left() == [LINUX]


def test_a_server_that_begins_anew_is_no_trouble(visitor: Visitor, publisher: Publisher) -> None:
    publisher.cut, publisher.ranges = [2_000_000], False
    assert visitor.fetch()
    assert publisher.asked == ["list", "0", "0"]


def test_what_is_left_of_an_older_build_is_removed(visitor: Visitor) -> None:
    visitor.cache.mkdir()
    (visitor.cache / "jdk-25.0.8+1-linux-x64.part").touch()
    assert visitor.fetch()
    assert visitor.left() == [LINUX]


def test_a_server_that_falls_silent_is_given_up(
    visitor: Visitor, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "PATIENCE", 0.3)
    publisher.first, publisher.stall = 100_000, 1
    assert "its download stopped at 0 of 6 MB (timed out): check the network" in visitor.refused()
    publisher.stall = 0.1  # slow, but it goes on
    assert visitor.fetch()


@pytest.mark.parametrize("status", [404, 503])
def test_an_archive_that_is_not_there(visitor: Visitor, publisher: Publisher, status: int) -> None:
    publisher.status = status
    assert f"answered {status} " in visitor.refused()
    publisher.status = 200
    assert visitor.fetch()


def test_a_proxy_that_answers_with_a_page(visitor: Visitor, publisher: Publisher) -> None:
    sentence = "sent something else (a sign-in page of the network, or of a proxy?): check the network"
    publisher.listed = PAGE
    assert sentence in visitor.refused()
    publisher.listed, archive = None, publisher.archive
    publisher.archive = PAGE
    assert sentence in visitor.refused()
    # as long as the archive, too
    publisher.archive = PAGE.ljust(publisher.size)
    assert sentence in visitor.refused()
    publisher.archive = archive
    assert visitor.fetch()


@pytest.mark.parametrize("listed", [b"[{}]", b"{}", b"null", b'[{"release_name": "../x", "binary": 1}]'])
def test_a_list_that_is_none(visitor: Visitor, publisher: Publisher, listed: bytes) -> None:
    publisher.listed = listed
    assert "sent something else" in visitor.refused()


def test_a_computer_for_which_there_is_none(visitor: Visitor, publisher: Publisher) -> None:
    publisher.listed = b"[]"
    assert "has none for linux on x64" in visitor.refused()


def test_an_archive_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "other/file").parent.mkdir()
    (tmp_path / "other/file").touch()
    with serving(Publisher(pack(tmp_path / "other"))) as server:
        visitor = Visitor(tmp_path, server)
        assert "holds no JDK for this computer" in visitor.refused()
    assert visitor.left() == []


def test_without_a_network(tmp_path: Path) -> None:
    with serving(Publisher()) as server:
        visitor = Visitor(tmp_path, server)
    assert "cannot be reached (Connection refused): check the network (or the proxy)" in visitor.refused()


def test_a_disk_with_too_little_room_is_not_filled(
    visitor: Visitor, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10_000_000))
    sentence = visitor.refused()
    assert f"{visitor.cache} has 10 MB free of the 24 MB that it takes: make room" in sentence
    assert publisher.asked == ["list"]


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="makes a small disk, as root")
@pytest.mark.parametrize("when", ["downloading", "unpacking"])
def test_a_disk_that_fills_up_meanwhile(
    visitor: Visitor, publisher: Publisher, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.cache.mkdir()
    other = visitor.cache / "other"
    if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=25m", "none", visitor.cache]):
        pytest.skip("this machine lets nobody mount a small disk")

    def fill() -> None:
        room = shutil.disk_usage(visitor.cache).free
        with suppress(OSError):
            other.write_bytes(bytes(room if when == "downloading" else room - 5_000_000))

    publisher.meanwhile = fill
    try:
        sentence = visitor.refused()
        assert "MB that it takes: make room and try again" in sentence
        assert visitor.left() == [visitor.part.name, "other"]
        other.unlink()
        publisher.meanwhile = lambda: None
        assert visitor.fetch()
    finally:
        subprocess.run(["umount", visitor.cache], check=True)


def test_a_cache_that_cannot_be_written(visitor: Visitor) -> None:
    visitor.cache.touch()
    assert f"{visitor.cache} cannot be used (" in visitor.refused()


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_ctrl_c_leaves_a_part_that_the_next_try_takes(tmp_path: Path, publisher: Publisher) -> None:
    copy, cache = Copy(tmp_path / "a course é ü"), tmp_path / "cache"
    arrived = threading.Event()
    publisher.meanwhile, publisher.stall = arrived.set, 20
    env = {"THREADLAB_JDK_FROM": publisher.address, "THREADLAB_CACHE": str(cache)}
    command = copy.command(**env, THREADLAB_FETCH="yes")
    # heard also where the tests run in the background of a shell, which makes their programs deaf to it
    command["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(**command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as setting_up:
        assert arrived.wait(20)
        setting_up.send_signal(signal.SIGINT)
        said = setting_up.communicate()[1]
    assert said == "Interrupted; the next start goes on from here.\n"
    [part] = [path for path in cache.iterdir() if path.name != "lock"]
    assert part.suffix == ".part"
    assert not (copy.root / ".venv").exists()


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="makes a PATH that has only Python")
def test_from_python_alone_to_a_kernel(tmp_path: Path) -> None:
    """With this machine's JDK as the publisher's, cut off once, and Maven from where it really is."""
    system, machine = jdk.Computer().kind
    real = jdk.find_jdk(jdk.Computer()).home
    only_python = tmp_path / "bin"
    only_python.mkdir()
    (only_python / "python3").symlink_to(sys._base_executable)
    copy = Copy(tmp_path / "a course é ü")
    shutil.copytree(ROOT / "data", copy.root / "data")
    with serving(Publisher(pack(real))) as server:
        server.cut, server.kinds = [20_000_000], {(system, machine)}
        variables = {"THREADLAB_JDK_FROM": server.address, "THREADLAB_CACHE": str(tmp_path / "cache")}
        variables |= {"THREADLAB_FETCH": "yes", "HOME": str(Path.home()), "PATH": str(only_python)}
        # pip and Maven may need what is set here, such as a mirror; a Java named here would be found
        here = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "JDK_HOME")}
        command = copy.command("--", "python", "-c", "print('ready')", **here | variables)
        command["args"][0] = "python3"
        ended = subprocess.run(
            **command, executable=only_python / "python3", capture_output=True, timeout=600
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stderr == "" and ended.stdout.endswith("ready\n")
    assert server.asked[:2] == ["list", "0"] and len(server.asked) == 3
    kernel = json.loads((copy.root / ".venv/share/jupyter/kernels/java/kernel.json").read_text())
    home = tmp_path / f"cache/{NAME}-{system}-{machine}"
    assert kernel["argv"][0] == str(home / "bin/java")
    assert (copy.root / ".venv/share/threadlab/kernel.aot").is_file()
    left = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert left == [fetch.MAVEN, home.name, "lock"]
