"""A reader without a JDK: the set-up fetches one, from a stand-in for its publisher. Takes four seconds."""

import os
import shutil
import sys
from collections.abc import Iterator
from http.client import HTTPMessage
from io import BytesIO
from pathlib import Path
from urllib.request import Request

import pytest
from bootstrap import fetch, jdk
from computers import computer, make_jdk
from publisher import NAME, Publisher, pack, serving

PAGE = b"<html>Sign in to the network</html>"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Six megabytes that look like a JDK for Linux."""
    home = make_jdk(tmp_path_factory.mktemp("made") / "jdk", "25.0.9")
    (home / "lib/modules").write_bytes(os.urandom(6_000_000))
    return pack(home)


class Visitor:
    """A reader whose computer has no JDK."""

    def __init__(self, root: Path, server: Publisher, system: str = "Linux") -> None:
        variables = {"THREADLAB_JDK_FROM": server.address, "THREADLAB_CACHE": str(root / "cache é")}
        self.server, self.computer = server, computer(root, system, **variables)
        self.cache = self.computer.cache

    def fetch(self, may: str = "yes") -> Path:
        """The home of the JDK that is found after the set-up has fetched it."""
        env = dict(self.computer.env) | {"THREADLAB_FETCH": may}
        with pytest.raises(jdk.NoJdk) as none:
            jdk.find_jdk(self.computer)
        fetch.fetch_jdk(self.computer._replace(env=env), none.value)
        return jdk.find_jdk(self.computer).home

    def refused(self, may: str = "yes") -> str:
        said = "^No JDK 25 or newer was found.* or set JAVA_HOME to one"
        with pytest.raises(SystemExit, match=said) as ended:
            self.fetch(may)
        assert [path.name for path in self.cache.glob("*")] in ([], ["lock"])
        return str(ended.value)


@pytest.fixture
def visitor(tmp_path: Path, archive: bytes) -> Iterator[Visitor]:
    with serving(Publisher(archive)) as server:
        yield Visitor(tmp_path, server)


@pytest.mark.parametrize(
    ("system", "word", "inside"),
    [("Linux", "linux", ""), ("Darwin", "mac", "Contents/Home"), ("Windows", "windows", "")],
)
def test_a_jdk_is_fetched_for_each_system_and_found_from_then_on(
    tmp_path: Path, system: str, word: str, inside: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_jdk(tmp_path / "made" / inside, "25.0.9", exe=".exe" if system == "Windows" else "")
    packed = pack(tmp_path / "made")
    if system == "Windows":
        made.rename(tmp_path / NAME)
        zipped = shutil.make_archive(str(tmp_path / "made"), "zip", tmp_path, NAME)
        packed = Path(zipped).read_bytes()
    with serving(Publisher(packed)) as server:
        visitor = Visitor(tmp_path, server, system)
        assert visitor.fetch() == visitor.cache / f"{NAME}-{word}-x64" / inside
    assert sorted(path.name for path in visitor.cache.iterdir()) == [f"{NAME}-{word}-x64", "lock"]
    assert f"MB, into {visitor.cache}, for all your clones" in capsys.readouterr().out
    # another computer with the same home folder does not use it
    with pytest.raises(jdk.NoJdk):
        jdk.find_jdk(visitor.computer._replace(machine="aarch64"))


def test_a_jdk_that_was_half_deleted_is_not_used_and_fetched_again(visitor: Visitor) -> None:
    home = visitor.fetch()
    for gone in (home / "lib/modules", home / "bin"):
        gone.rename(home.parent.with_name(gone.name))
        assert visitor.fetch() == home and gone.exists()


def test_on_a_terminal_it_asks_and_elsewhere_it_says_how_to_allow_it(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    assert "repeat the command with THREADLAB_FETCH=yes to fetch one" in visitor.refused(may="")
    assert "was found: install JDK 25" in visitor.refused(may="no")
    assert visitor.server.asked == [] and not visitor.cache.exists()
    answers = ["n", ""]
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda prompt: answers.pop(0))
    assert "was found: install JDK 25" in visitor.refused(may="")
    assert len(visitor.server.asked) == 1, "the list, and not the archive"
    assert visitor.fetch(may="") and not answers


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ({"sum": "0" * 64}, "the download does not match its publisher's checksum: check"),
        ({"cut": 2_000_000}, "the download stopped at 2 of 6 MB (the connection was closed): check the"),
        ({"stalls": 2}, "the download stopped at 3 of 6 MB (timed out): check the network"),
        ({"status": 503}, "answered 503 "),
        ({"listed": b"[]"}, "has none for linux on x64"),
        ({"listed": PAGE}, "sent an unexpected answer, perhaps a sign-in page of the network or of a proxy"),
        ({"listed": b'[{"release_name": "../x", "binary": {"package": 1}}]'}, "sent an unexpected answer"),
    ],
)
def test_what_goes_wrong_is_said_and_the_next_try_begins_anew(
    visitor: Visitor, spoilt: dict, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "stalls" in spoilt:
        monkeypatch.setattr(fetch, "PATIENCE", 1)
    right = {name: vars(visitor.server)[name] for name in spoilt}
    vars(visitor.server).update(spoilt)
    assert said in visitor.refused()
    vars(visitor.server).update(right)
    assert visitor.fetch()


def test_a_redirect_from_https_to_http_is_refused() -> None:
    with pytest.raises(fetch.Trouble, match=r"a\.org redirects to http://b\.org, which is not encrypted"):
        fetch.SafeRedirect().redirect_request(
            Request("https://a.org"), BytesIO(), 302, "", HTTPMessage(), "http://b.org"
        )


def test_another_archive_no_network_and_a_cache_that_cannot_be_written_are_said(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with serving(Publisher(pack(tmp_path / "other"))) as server:
        visitor = Visitor(tmp_path, server)
        assert "holds no JDK for this computer" in visitor.refused()
    assert "cannot be reached (Connection refused): check the network (or the proxy)" in visitor.refused()
    with serving(Publisher(b"")) as server:
        visitor = Visitor(tmp_path / "other", server)
        visitor.cache.touch()
        assert f"{visitor.cache} cannot be used (" in visitor.refused()
