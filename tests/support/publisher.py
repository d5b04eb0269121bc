"""A stand-in for the publisher of JDKs, on this machine."""

import hashlib
import io
import json
import tarfile
import threading
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NAME = "jdk-25.0.9+1"


class Publisher(ThreadingHTTPServer):
    """Answers like the publisher: a list with one build, and its archive. Each test breaks something."""

    def __init__(self, archive: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.archive = archive
        self.sum = hashlib.sha256(archive).hexdigest()
        self.size = len(archive)
        self.listed: bytes | None = None  # replaces the list
        self.status = 200  # of the archive
        self.cut = self.size  # after how many bytes the connection is closed
        self.stall = 0.0  # seconds of silence after the first half
        self.elsewhere = ""  # where the list is said to be
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    server: Publisher

    def do_GET(self) -> None:
        place = urllib.parse.urlsplit(self.path)
        self.server.asked.append(place.path)
        if not place.path.startswith("/v3/assets/latest/25/hotspot"):
            return self.send_archive()
        asked = urllib.parse.parse_qs(place.query)
        assert asked["image_type"] == ["jdk"] and asked["vendor"] == ["eclipse"]
        assert asked["os"][0] in ("linux", "mac", "windows") and asked["architecture"]
        package = {"link": f"/get/{NAME}", "size": self.server.size, "checksum": self.server.sum}
        listed = json.dumps([{"release_name": NAME, "binary": {"package": package}}]).encode()
        if self.server.elsewhere:
            self.send_response(302)
            self.send_header("Location", self.server.elsewhere)
            return self.end_headers()
        self.send(200, self.server.listed or listed)

    def send_archive(self) -> None:
        if self.server.status != 200:
            return self.send_error(self.server.status)
        body, half = self.server.archive[: self.server.cut], self.server.size // 2
        self.send(200, body[:half], len(self.server.archive))
        time.sleep(self.server.stall)
        self.wfile.write(body[half:])

    def send(self, status: int, body: bytes, length: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(length or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        with suppress(ConnectionError):  # the test has closed the connection
            super().handle()


def pack(home: Path, name: str = NAME) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        archive.add(home, name)
    return packed.getvalue()


@contextmanager
def serving(server: Publisher) -> Iterator[Publisher]:
    threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
