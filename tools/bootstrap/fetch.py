"""Fetches what the course needs and this computer lacks, into one folder that all clones of a user share.

A JDK comes from its publisher, with the standard library alone. The packages that fetch JDKs (cjdk 0.5,
install-jdk 1.1) check no sum and begin a broken download anew, so this is our own: it asks once, checks the
publisher's sum, and goes on where an earlier try has stopped. Maven comes from where its own artifacts come
from: jgo knows the place. That part runs inside the environment: python tools/bootstrap/fetch.py
"""

import errno
import hashlib
import http.client
import json
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import Request, urlopen

from bootstrap.files import hold, unpack, whole
from bootstrap.jdk import INSTALL, WANTED, Computer, NoJdk, inspect

PUBLISHER = "https://api.adoptium.net"  # THREADLAB_JDK_FROM names a mirror
PATIENCE = 30  # seconds without a byte
UNPACKED = 3  # a JDK takes less than this many times the room of its archive

MAVEN = "apache-maven-3.9.16"
MAVEN_SUM = "80ffca22aed9e8b9713a232f3394fd81d7f20322df75efdb2b047dbd3e3a23bb"

FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
AGAIN = "check the network (or the proxy) and try again"
NOT_IT = "sent something else (a sign-in page of the network, or of a proxy?)"


class Trouble(Exception):
    """Why nothing was fetched and what to do, as the end of a sentence."""


class Offer(NamedTuple):
    """What the publisher has for a kind of computer."""

    name: str
    link: str
    size: int
    sum: str


def allowed(env: "os._Environ[str] | dict[str, str]" = os.environ) -> "bool | None":
    """Whether the reader lets programs be fetched; None if nobody has said so."""
    told = env.get("THREADLAB_FETCH", "")
    if told not in ("", "yes", "no"):
        sys.exit(
            f"THREADLAB_FETCH is '{told}' and can only be yes or no: set it to one of them, or unset it."
        )
    return {"yes": True, "no": False}.get(told)


# --- a JDK ---


def fetch_jdk(computer: Computer, none: NoJdk) -> None:
    """Puts a JDK into the cache, if the reader wants it; else ends with one sentence."""
    cache, may = computer.cache, allowed(computer.env)
    if may is False:
        raise none
    # who has begun has been asked
    may = may or any(cache.glob("jdk-*.part"))
    if not may and not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.exit(
            f"{none.missing}: with THREADLAB_FETCH=yes the same command fetches one into {cache},"
            f" or {INSTALL}."
        )
    publisher = computer.env.get("THREADLAB_JDK_FROM") or PUBLISHER
    try:
        offer = ask(publisher, computer)
        print(
            f"{none.missing}. Eclipse Temurin {offer.name} {'is' if may else 'can be'} fetched from"
            f" {host(publisher)}:\n{mega(offer.size)} MB, into {cache}, for all your clones.",
            flush=True,
        )
        if not may and not agrees():
            raise none
        get(offer, computer)
    except Trouble as trouble:
        sys.exit(f"{none.missing}, and {trouble}, or {INSTALL}.")
    except OSError as error:
        sys.exit(
            f"{none.missing}, and {cache} cannot be used ({error.strerror or error}): make it writable, or"
            f" name another folder in THREADLAB_CACHE, or {INSTALL}."
        )


def agrees() -> bool:
    try:
        return input("Fetch it? [Y/n] ").strip().lower() in ("", "y", "yes")
    except EOFError:
        return False


def ask(publisher: str, computer: Computer) -> Offer:
    """Asks the publisher for the newest build of the version that the course runs on."""
    system, machine = computer.kind
    query = {"architecture": machine, "image_type": "jdk", "os": system, "vendor": "eclipse"}
    address = f"{publisher.rstrip('/')}/v3/assets/latest/{WANTED}/hotspot?{urlencode(query)}"
    try:
        with opened(address) as answer:
            listed = json.loads(answer.read())
        if listed == []:
            raise Trouble(f"{host(publisher)} has none for {system} on {machine}: use another computer")
        name, package = listed[0]["release_name"], listed[0]["binary"]["package"]
        if not re.fullmatch(r"jdk-[\w.+]+", name):
            raise ValueError(name)
        return Offer(name, urljoin(address, package["link"]), int(package["size"]), package["checksum"])
    except (ValueError, LookupError, TypeError) as error:
        raise Trouble(f"{host(publisher)} {NOT_IT}: {AGAIN}") from error
    except (OSError, http.client.HTTPException) as error:
        raise Trouble(f"{host(publisher)} cannot be reached ({why(error)}): {AGAIN}") from error


def get(offer: Offer, computer: Computer) -> None:
    """Downloads, checks and unpacks. What has arrived stays for the next try."""
    folder = computer.cache / "-".join([offer.name, *computer.kind])
    part = folder.with_name(folder.name + ".part")
    with hold(folder.with_name("lock"), lambda: print("Waiting for another set-up …", flush=True)):
        if whole(folder):
            return
        for other in set(folder.parent.glob("jdk-*.part")) - {part}:
            other.unlink()  # of an older build
        try:
            make_room(offer, part)
            download(offer, part)
            check(offer, part)
            print("Unpacking it …", flush=True)
            unpack(part, folder)
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise Trouble(no_room(offer, part)) from error
        part.unlink()
    if not any(inspect(home, computer) for home in (folder, folder / "Contents/Home")):
        shutil.rmtree(folder)
        raise Trouble(f"{offer.link} holds no JDK for this computer: tell its publisher")


def needed(offer: Offer, part: Path) -> int:
    return offer.size * (1 + UNPACKED) - (part.stat().st_size if part.exists() else 0)


def make_room(offer: Offer, part: Path) -> None:
    if shutil.disk_usage(part.parent).free < needed(offer, part):
        raise Trouble(no_room(offer, part))


def no_room(offer: Offer, part: Path) -> str:
    return (
        f"{part.parent} has {mega(shutil.disk_usage(part.parent).free)} MB free of the"
        f" {mega(needed(offer, part))} MB that it takes: make room and try again, or name a folder on another"
        " disk in THREADLAB_CACHE"
    )


def download(offer: Offer, part: Path) -> None:
    """Goes on where the last try has stopped, as long as each brings a megabyte."""
    reason = ""
    with open(part, "ab") as file:
        before = -2e6
        while before + 1e6 <= file.tell() < offer.size:
            before = file.tell()
            try:
                receive(offer, file)
                reason = "the connection was closed"
            except (OSError, http.client.HTTPException) as error:
                if getattr(error, "errno", None) in FULL:
                    raise
                reason = why(error)
        arrived = file.tell()
    if arrived < offer.size:
        raise Trouble(
            f"its download stopped at {mega(arrived)} of {mega(offer.size)} MB ({reason}): {AGAIN}, which"
            " goes on from there"
        )


def receive(offer: Offer, file: BinaryIO) -> None:
    """Appends what the publisher sends from the end of the file on."""
    start = file.tell()
    with opened(offer.link, {"Range": f"bytes={start}-"} if start else {}) as answer:
        if answer.status != http.HTTPStatus.PARTIAL_CONTENT:
            start = file.truncate(0)  # this server begins anew
            file.seek(0)
        if answer.length is not None and start + answer.length != offer.size:
            raise Trouble(f"{host(offer.link)} {NOT_IT}: {AGAIN}")
        shown, terminal = 0.0, sys.stdout.isatty()
        while file.tell() < offer.size:
            piece = answer.read1(1 << 18)
            if not piece:
                break
            if file.tell() == 0 and not piece.startswith((b"\x1f\x8b", b"PK")):
                raise Trouble(f"{host(offer.link)} {NOT_IT}: {AGAIN}")
            file.write(piece)
            if terminal and time.monotonic() > shown + 0.2:
                shown = time.monotonic()
                print(f"\r{mega(file.tell())} of {mega(offer.size)} MB ", end="", flush=True)
        if terminal:
            print(f"\r{mega(file.tell())} of {mega(offer.size)} MB ", flush=True)


def opened(address: str, headers: "dict[str, str] | None" = None) -> http.client.HTTPResponse:
    request = Request(address, headers={"User-Agent": "threadlab-setup"} | (headers or {}))
    try:
        return urlopen(request, timeout=PATIENCE)
    except HTTPError as error:
        raise Trouble(f"{host(address)} answered {error.code} {error.reason}: try again later") from error


def check(offer: Offer, part: Path) -> None:
    with open(part, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != offer.sum:
        part.unlink()
        raise Trouble(
            f"what arrived is not what its publisher made (SHA-256 {found[:8]}… instead of {offer.sum[:8]}…)"
            f" and was thrown away: {AGAIN}"
        )


def why(error: Exception) -> str:
    """The cause of a failed connection in a few words."""
    cause = getattr(error, "reason", error)
    if type(cause).__name__ == "SSLCertVerificationError":  # not every Python has the module ssl
        return (
            "this Python does not trust its certificate; on macOS run 'Install Certificates.command' in"
            " Python's folder, elsewhere name the right ones in SSL_CERT_FILE"
        )
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__


def host(address: str) -> str:
    return urlsplit(address).netloc


def mega(size: float) -> str:
    return f"{size / 1e6:.0f}"


# --- Maven, inside the environment ---


def fetch_maven(computer: Computer, repository: "Path | None") -> None:
    """Unpacks Maven into the cache. `repository` is where artifacts are kept, if not in the home folder."""
    import ssl

    from jgo.maven import MavenContext

    # jgo trusts a list of its own; the system's, as pip's, may hold the certificate of a company's proxy
    trusted = ssl.get_default_verify_paths()
    if trusted.cafile or trusted.capath:
        os.environ.setdefault("REQUESTS_CA_BUNDLE", trusted.cafile or trusted.capath)
    project = MavenContext(repo_cache=repository).project("org.apache.maven", "apache-maven")
    version = MAVEN.rpartition("-")[2]
    artifact = project.at_version(version).artifact(classifier="bin", packaging="tar.gz")
    with hold(computer.cache / "lock", lambda: None):
        try:
            archive = artifact.resolve()
            if hashlib.sha256(archive.read_bytes()).hexdigest() != MAVEN_SUM:
                sys.exit(f"{archive.name} does not match its hash")
            unpack(archive, computer.cache / MAVEN)
        finally:
            # jgo takes for whole what is there, even if it arrived in part
            if artifact.cached_path:
                artifact.cached_path.unlink(missing_ok=True)


if __name__ == "__main__":
    fetch_maven(Computer(), Path(sys.argv[1]) if sys.argv[1:] else None)
