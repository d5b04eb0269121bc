"""Fetches what the course needs and this computer lacks, into one folder that all clones of a user share.

A JDK comes from its publisher, with the standard library alone: the packages that fetch JDKs (cjdk 0.5,
install-jdk 1.1) check no checksum. Maven comes from the repository that also holds Maven's artifacts.
"""

import http.client
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from http.client import HTTPMessage
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from bootstrap import network
from bootstrap.files import hold, sha256, unpack, whole
from bootstrap.jdk import WANTED, Computer, NoJdk, find_jdk, inspect
from bootstrap.places import MAVEN_LOG, TOOLS, WINDOWS
from bootstrap.steps import cause, run, say

PUBLISHER = "https://api.adoptium.net"  # THREADLAB_JDK_FROM names a mirror
PATIENCE = 30  # seconds without a byte
MEGA = 1_000_000

MAVEN = "apache-maven-3.9.16"
MAVEN_SUM = "80ffca22aed9e8b9713a232f3394fd81d7f20322df75efdb2b047dbd3e3a23bb"

AGAIN = "check the network (or the proxy) and try again"


class Trouble(Exception):
    """Why nothing was fetched and what to do, as the end of a sentence."""


def allowed(env: Mapping[str, str] = os.environ) -> "bool | None":
    """Whether the reader allows downloads; None if undecided."""
    told = env.get("THREADLAB_FETCH", "")
    if told not in ("", "yes", "no"):
        sys.exit(f"THREADLAB_FETCH is '{told}': set it to yes or no, or unset it.")
    return {"yes": True, "no": False}.get(told)


# --- a JDK ---


def fetch_jdk(computer: Computer, none: NoJdk) -> None:
    """Puts a JDK into the cache if the reader agrees; otherwise ends with one sentence."""
    cache, may = computer.cache, allowed(computer.env)
    if may is False:
        raise none
    if not may and not (sys.stdin.isatty() and sys.stdout.isatty()):
        how = f"repeat the command with THREADLAB_FETCH=yes to fetch one into {cache}"
        sys.exit(f"{none.missing}: {how}, or {none.install}.")
    publisher = computer.env.get("THREADLAB_JDK_FROM") or PUBLISHER
    try:
        name, link, size, total = newest(publisher, computer)
        print(
            f"{none.missing}. Eclipse Temurin {name} {'is' if may else 'can be'} fetched from"
            f" {urlsplit(publisher).netloc}:\n{size // MEGA} MB, into {cache}, for all your clones.",
            flush=True,
        )
        if not may and input("Fetch it? [Y/n] ").strip().lower() not in ("", "y", "yes"):
            raise none
        get(link, size, total, computer, cache / "-".join([name, *computer.kind]))
    except EOFError:
        raise none from None
    except Trouble as trouble:
        sys.exit(f"{none.missing}, and {trouble}, or {none.install}.")
    except OSError as error:
        sys.exit(
            f"{none.missing}, and {cache} cannot be used ({error.strerror or error}): make room there, make"
            f" it writable, or name another folder in THREADLAB_CACHE, or {none.install}."
        )


def newest(publisher: str, computer: Computer) -> tuple[str, str, int, str]:
    """Name, address, size and SHA-256 of the newest build of the version that the course runs on."""
    system, machine = computer.kind
    query = {"architecture": machine, "image_type": "jdk", "os": system, "vendor": "eclipse"}
    address = f"{publisher.rstrip('/')}/v3/assets/latest/{WANTED}/hotspot?{urlencode(query)}"
    host = urlsplit(publisher).netloc
    try:
        listed = json.loads(b"".join(pieces(address)))
        if listed == []:
            raise Trouble(f"{host} has none for {system} on {machine}: use another computer")
        name, package = listed[0]["release_name"], listed[0]["binary"]["package"]
        if not re.fullmatch(r"jdk-[\w.+]+", name):
            raise ValueError(name)
        return name, urljoin(address, package["link"]), int(package["size"]), package["checksum"]
    except (ValueError, LookupError, TypeError) as error:
        page = "a sign-in page of the network or of a proxy"
        raise Trouble(f"{host} sent an unexpected answer, perhaps {page}: {AGAIN}") from error


def get(link: str, size: int, total: str, computer: Computer, folder: Path) -> None:
    """Downloads, checks and unpacks. A failed attempt leaves nothing, and the next one starts again."""
    part = computer.cache / "jdk.part"
    with hold(folder.with_name("lock"), lambda: print("Waiting for another set-up …", flush=True)):
        if whole(folder):
            return
        try:
            with open(part, "wb") as file:
                for piece in pieces(link, size):
                    file.write(piece)
                    if sys.stdout.isatty():
                        print(f"\r{file.tell() // MEGA} of {size // MEGA} MB ", end="", flush=True)
            if sha256(part) != total:
                raise Trouble(f"the download does not match its publisher's checksum: {AGAIN}")
            print("\nUnpacking it …", flush=True)
            unpack(part, folder)
        finally:
            part.unlink(missing_ok=True)
    if not any(inspect(home, computer) for home in (folder, folder / "Contents/Home")):
        shutil.rmtree(folder)
        raise Trouble(f"{link} holds no JDK for this computer: tell its publisher")


def pieces(address: str, size: int = 0) -> Iterator[bytes]:
    """The data that a server sends, up to `size` bytes if that is known."""
    arrived, host = 0, urlsplit(address).netloc
    try:
        request = Request(address, headers={"User-Agent": "threadlab-setup"})
        with build_opener(SafeRedirect, *trusting()).open(request, timeout=PATIENCE) as answer:
            while (arrived < size or not size) and (piece := answer.read1(1 << 18)):
                arrived += len(piece)
                yield piece
        reason = "the connection was closed"
    except HTTPError as error:
        raise Trouble(f"{host} answered {error.code} {error.reason}: try again later") from error
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "reason", error)
        reason = getattr(why, "strerror", None) or str(why) or type(why).__name__
        if re.search("407|certificate", reason, re.IGNORECASE):
            reason = cause(reason)
        if not arrived or not size:
            raise Trouble(f"{host} cannot be reached ({reason}): {AGAIN}") from error
    if arrived < size:
        raise Trouble(f"the download stopped at {arrived // MEGA} of {size // MEGA} MB ({reason}): {AGAIN}")


def trusting() -> list[HTTPSHandler]:
    """Trusts the network's certificates as well as those of this Python."""
    import ssl  # not every Python has it

    context = ssl.create_default_context()
    if named := network.certificates(Computer()):
        context.load_verify_locations(named)
    return [HTTPSHandler(context=context)]


class SafeRedirect(HTTPRedirectHandler):
    """Follows no redirect from https to http, where the data could be changed on the way."""

    def redirect_request(
        self, request: Request, file: IO[bytes], code: int, message: str, headers: HTTPMessage, address: str
    ) -> "Request | None":
        if request.type == "https" and not address.startswith("https:"):
            raise Trouble(f"{request.host} redirects to {address}, which is not encrypted: {AGAIN}")
        return super().redirect_request(request, file, code, message, headers, address)


# --- Maven ---


def fetch_maven(jar: Path) -> None:
    """Unpacks Maven into the cache. The kernel's jar has a resolver, which reads the settings of Maven."""
    computer = Computer()
    say("Fetching Maven, which builds threadlab (10 MB) …")
    with hold(computer.cache / "lock", lambda: None), TemporaryDirectory(dir=computer.cache) as folder:
        if whole(computer.cache / MAVEN):
            return
        jdk = find_jdk(computer)
        java = [computer.program(jdk.home, "java"), "-XX:TieredStopAtLevel=1", "-cp", jar]
        java += network.for_java(jdk, computer)
        options = shlex.split(computer.env.get("MAVEN_OPTS", ""), posix=not WINDOWS)
        name, _, version = MAVEN.rpartition("-")
        what = f"org.apache.maven:{name}:tar.gz:bin:{version}"
        settings = filter(None, [network.maven_settings()])
        fetcher = [*java, *options, TOOLS / "bootstrap/FetchMaven.java", what, folder, *settings]
        run(fetcher, "Maven could not be fetched", network.Proxy().env(), MAVEN_LOG)
        [archive] = Path(folder).rglob("*.tar.gz")
        if sha256(archive) != MAVEN_SUM:
            sys.exit(f"Maven could not be fetched: {archive.name} does not match its checksum: {AGAIN}.")
        unpack(archive, computer.cache / MAVEN)
