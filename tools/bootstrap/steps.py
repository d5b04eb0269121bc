"""The steps of the set-up: each is skipped while its key and its outputs are the same."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event
from typing import IO

from bootstrap.files import hold, write
from bootstrap.needs import DRAWING
from bootstrap.places import BUILD, LOG, ROOT, WINDOWS

RUNNING: set[subprocess.Popen] = set()
STOPPED = Event()


class Steps:
    """Remembers, inside the environment, the key with which each step was completed."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def done(self) -> dict[str, str]:
        try:
            return json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def current(self, name: str, key: str, outputs: list[Path]) -> bool:
        return self.done().get(name) == key and all(path.exists() for path in outputs)

    def step(self, name: str, key: str, outputs: list[Path], action: Callable[[], bool | None]) -> None:
        """Does a step unless it is done; an action that returns False is tried again next time."""
        if self.current(name, key, outputs):
            return
        with lock():
            # Another set-up may have done it while this one waited.
            if self.current(name, key, outputs):
                return
            if name in self.done():
                self.note(name, "")  # a step killed halfway must not count as done
            if action() is not False:
                self.note(name, key)

    def note(self, name: str, key: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        write(self.file, json.dumps(self.done() | {name: key}, indent=1))


def lock() -> AbstractContextManager[IO[str]]:
    """Lets one set-up at a time work in this clone."""
    return hold(BUILD / "setup.lock", lambda: say("Waiting for another set-up of this folder …"))


def say(line: str) -> None:
    print(line, flush=True)


def both(first: Callable[[], None], second: Callable[[], None]) -> None:
    """Does two things side by side; when one fails, or the reader interrupts, the other ends, too."""
    try:
        with ThreadPoolExecutor() as pool:
            try:
                for done in as_completed([pool.submit(first), pool.submit(second)]):
                    done.result()
            except BaseException:
                STOPPED.set()
                for process in [*RUNNING]:
                    stop(process)
                raise
    finally:
        STOPPED.clear()


def stop(process: subprocess.Popen) -> None:
    if WINDOWS:  # there mvn.cmd waits for Java, which would go on
        subprocess.call(["taskkill", "/F", "/T", "/PID", str(process.pid)], stdout=subprocess.DEVNULL)
    else:
        process.terminate()


def run(command: list, failure: str, extra: "dict[str, str] | None" = None, log: Path = LOG) -> None:
    """Runs a program with its output in a log; ends with one sentence when it fails."""
    BUILD.mkdir(exist_ok=True)
    with open(log, "a", encoding="utf-8", errors="replace") as file:
        print("$", *command, file=file, flush=True)
        start = file.tell()
        code: int | str
        try:
            with subprocess.Popen(
                [str(part) for part in command],
                cwd=ROOT,
                env=os.environ | (extra or {}),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            ) as process:
                RUNNING.add(process)
                try:
                    if STOPPED.is_set():
                        stop(process)
                    code = process.wait()
                except BaseException:
                    stop(process)
                    raise
                finally:
                    RUNNING.remove(process)
        except OSError as error:  # such as a program for another processor
            code = f"Cause: {error.strerror}"
            print(code, file=file)
    if code:
        sys.exit(f"{failure}: {cause(log.read_bytes()[start:].decode(errors='replace'))}; {log} says more.")


def cause(told: str) -> str:
    """What went wrong, in a few words on which a reader can act."""
    for pattern, words in (
        (r"no space left|disk full|not enough space", "the disk is full, so make room and try again"),
        (r"\[ERROR\] \S.*[/\\](\w+\.java:\[\d+,\d+\] .+)", r"\1"),
        (
            r"fontconfig head is null|no physical fonts|no fontmanager in|lib(fontmanager|freetype|harfbuzz)|"
            r"libfontconfig",
            f"Java finds no fonts, or not the libraries that draw them, so install both ({DRAWING})",
        ),
        (r"(?m)^Cause: (.+)", r"\1"),
        (
            r"artifact (\S+) trusted checksum mismatch|transfer artifact (\S+) .*checksum validation failed",
            r"\1\2 does not have the checksum that the course lists, so delete its file in Maven's"
            " repository (.m2/repository in your home folder) if it is there, check the network (or proxy)"
            " and try again",
        ),
        (
            r"missing from summaryFile trusted checksum\(s\).* for artifact ([\w.:-]+)",
            r"\1 is not in .mvn/checksums, so try again with the POMs as the course has them; if you have"
            " changed one, python3 tools/publish/pins.py maven lists what it needs",
        ),
        (
            r"\b407\b|proxy authentication required",
            "the proxy wants a name and a password, so set HTTPS_PROXY to http://NAME:PASSWORD@HOST:PORT",
        ),
        (
            r"hostname mismatch|doesn't match|no subject alternative|text/html.* instead of",
            "another server answered in place of the one that was asked, such as a sign-in page, so open any"
            " page in a browser, sign in and try again",
        ),
        (
            r"not ?yet ?valid|certificate has expired|validity check failed|timestamp check failed",
            "a certificate is out of date, so set this computer's clock or, if it is right, ask the network's"
            " administrator",
        ),
        (
            r"pkix|certificate.verify.failed|self.signed certificate|unable to get local issuer",
            "a certificate of this network is not trusted, so ask its administrator for the file (.pem, .crt)"
            " and set SSL_CERT_FILE to it; Python on macOS first wants 'Install Certificates.command', which"
            " lies in its folder",
        ),
        (
            r"(?:status(?: code)?:?|error|client error:) (?:401|403|405)\b|\b403 (?:client error|forbidden)",
            "the server or a proxy refuses the download, so ask the administrator of the mirror or of the"
            " network to allow it",
        ),
        (
            r"checksum validation failed|do(es)? not match (the|its) hash",
            "a download does not match its checksum, so check the network (or the proxy) and try again",
        ),
        (
            r"could not (transfer|find a version|be resolved)|name resolution|unknown host|unreachable|"
            r"connection (refused|timed out|error)|cannot access|retries exceeded|in offline mode|"
            r"not found in remote repositories|could not (resolve|connect|read from remote)|unable to access",
            "a download failed, so check the network (or the proxy) and try again",
        ),
    ):
        found = re.search(pattern, told, re.IGNORECASE)
        if found:
            return found.expand(words)
    return "the cause is unknown"
