"""What the set-up does without a JDK: it fetches one from a stand-in for the publisher, on this machine.

Takes four seconds; the deep test, which starts from Python alone and uses this machine's own JDK and a
fetched Maven, takes forty.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from bootstrap import fetch, jdk
from computers import ROOT, Copy, computer, make_jdk
from publisher import NAME, Publisher, pack, serving

LINUX = NAME + "-linux-x64"
PAGE = b"<html>Sign in to the network</html>"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Six megabytes that look like a JDK for Linux."""
    home = make_jdk(tmp_path_factory.mktemp("made") / "jdk", "25.0.9")
    (home / "lib/modules").write_bytes(os.urandom(6_000_000))
    return pack(home)


@pytest.fixture
def publisher(archive: bytes) -> Iterator[Publisher]:
    with serving(Publisher(archive)) as server:
        yield server


class Visitor:
    """A reader whose computer has no JDK, and what the set-up prints."""

    def __init__(self, root: Path, server: Publisher, system: str = "Linux") -> None:
        variables = {"THREADLAB_JDK_FROM": server.address, "THREADLAB_CACHE": str(root / "cache é")}
        self.computer = computer(root, system, **variables)
        self.cache = self.computer.cache

    def fetch(self, may: str = "yes") -> Path:
        """The home of the JDK that is found after the set-up has fetched it."""
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
    # another computer with the same home folder does not use it
    with pytest.raises(jdk.NoJdk):
        jdk.find_jdk(visitor.computer._replace(machine="aarch64"))


def test_a_jdk_that_was_half_deleted_is_not_used_and_fetched_again(visitor: Visitor) -> None:
    home = visitor.fetch()
    (home / "lib/modules").unlink()
    assert visitor.fetch() == home
    assert (home / "lib/modules").stat().st_size == 6_000_000
    shutil.rmtree(home / "bin")
    assert visitor.fetch() == home


# --- who is asked ---


def test_on_a_terminal_it_asks(
    visitor: Visitor, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = ["n", ""]
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda prompt: answers.pop(0))
    assert "was found: install JDK 25" in visitor.refused(may="")
    assert len(publisher.asked) == 1, "the list, and not the archive"
    assert visitor.fetch(may="").name == LINUX
    assert not answers


def test_without_a_terminal_it_says_how_to_allow_it_and_asks_nobody(
    visitor: Visitor, publisher: Publisher
) -> None:
    assert "repeat the command with THREADLAB_FETCH=yes to fetch one" in visitor.refused(may="")
    assert "was found: install JDK 25" in visitor.refused(may="no")
    assert publisher.asked == [] and not visitor.cache.exists()


# --- what goes wrong ---


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ({"sum": "0" * 64}, "the download does not match its publisher's checksum (SHA-256 "),
        (
            {"cut": 2_000_000},
            "the download stopped at 2 of 6 MB (the connection was closed): check the network",
        ),
        ({"stall": 1}, "the download stopped at 3 of 6 MB (timed out): check the network"),
        ({"status": 503}, "answered 503 "),
        ({"listed": b"[]"}, "has none for linux on x64"),
        ({"listed": PAGE}, "sent an unexpected answer, perhaps a sign-in page of the network or of a proxy"),
        ({"listed": b'[{"release_name": "../x", "binary": {"package": 1}}]'}, "sent an unexpected answer"),
    ],
)
def test_what_goes_wrong_is_said_and_the_next_try_begins_anew(
    visitor: Visitor, publisher: Publisher, spoilt: dict, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "PATIENCE", 0.3)
    right = vars(publisher).copy()
    vars(publisher).update(spoilt)
    assert said in visitor.refused()
    assert not visitor.cache.exists() or visitor.left() == []
    vars(publisher).update({name: right[name] for name in spoilt})
    assert visitor.fetch()


def test_a_redirect_from_https_to_http_is_refused(
    visitor: Visitor, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = fetch.SafeRedirect.redirect_request

    def as_if_from_https(self, request, *rest):
        request.type = "https"
        return judge(self, request, *rest)

    publisher.elsewhere = publisher.address + "/elsewhere"
    monkeypatch.setattr(fetch.SafeRedirect, "redirect_request", as_if_from_https)
    assert f"redirects to {publisher.elsewhere}, which is not encrypted" in visitor.refused()
    assert len(publisher.asked) == 1


def test_an_archive_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "other/file").parent.mkdir()
    (tmp_path / "other/file").touch()
    with serving(Publisher(pack(tmp_path / "other"))) as server:
        visitor = Visitor(tmp_path, server)
        assert "holds no JDK for this computer" in visitor.refused()
    assert visitor.left() == []


def test_without_a_network(tmp_path: Path) -> None:
    with serving(Publisher(b"")) as server:
        visitor = Visitor(tmp_path, server)
    assert "cannot be reached (Connection refused): check the network (or the proxy)" in visitor.refused()


def test_a_cache_that_cannot_be_written(visitor: Visitor) -> None:
    visitor.cache.touch()
    assert f"{visitor.cache} cannot be used (" in visitor.refused()


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="makes a PATH that has only Python")
def test_from_python_alone_to_a_kernel(tmp_path: Path) -> None:
    """With this machine's JDK as the publisher's, and Maven from its real repository."""
    system, machine = jdk.Computer().kind
    real = jdk.find_jdk(jdk.Computer()).home
    only_python = tmp_path / "bin"
    only_python.mkdir()
    (only_python / "python3").symlink_to(sys._base_executable)
    copy = Copy(tmp_path / "a course é ü")
    shutil.copytree(ROOT / "data", copy.root / "data")
    with serving(Publisher(pack(real))) as server:
        variables = {"THREADLAB_JDK_FROM": server.address, "THREADLAB_CACHE": str(tmp_path / "cache")}
        variables |= {"THREADLAB_FETCH": "yes", "HOME": str(Path.home()), "PATH": str(only_python)}
        # under this locale Java could not open the folder, whose name is not ASCII
        variables |= {"LC_ALL": "POSIX"}
        # pip and Maven may need variables set here, such as a mirror; a Java named here would be found
        here = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "JDK_HOME")}
        command = copy.command("--", "python", "-c", "print('ready')", **here | variables)
        command["args"][0] = "python3"
        ended = subprocess.run(
            **command, executable=only_python / "python3", capture_output=True, timeout=600
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stderr == "" and ended.stdout.endswith("ready\n")
    assert len(server.asked) == 2
    kernel = json.loads((copy.root / ".venv/share/jupyter/kernels/java/kernel.json").read_text())
    home = tmp_path / f"cache/{NAME}-{system}-{machine}"
    assert kernel["argv"][0] == str(home / "bin/java")
    assert (copy.root / ".venv/share/threadlab/kernel.aot").is_file()
    left = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert left == [fetch.MAVEN, home.name, "lock"]
