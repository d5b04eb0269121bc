"""A stand-in for the publisher of JDKs, on this machine: a list with one build, and its archive."""

import hashlib
import io
import json
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

NAME = "jdk-25.0.9+1"


class Publisher(ThreadingHTTPServer):
    """Answers like the publisher. Each test breaks something by giving one of the fields another value."""

    def __init__(self, archive: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.archive, self.sum, self.size = archive, hashlib.sha256(archive).hexdigest(), len(archive)
        self.listed = b""  # replaces the list
        self.status = 200  # of the archive
        self.cut = len(archive)  # after how many bytes the connection is closed
        self.stalls = 0  # seconds until the second half is sent
        self.asked: list[str] = []


class Answer(BaseHTTPRequestHandler):
    server: Publisher

    def do_GET(self) -> None:
        here, place = self.server, urlsplit(self.path)
        here.asked.append(place.path)
        if place.path == f"/get/{NAME}":
            return self.send(here.archive[: here.cut], here.status, str(here.size))
        asked = parse_qs(place.query)
        assert place.path.startswith("/v3/assets/latest/25/hotspot") and asked["image_type"] == ["jdk"]
        assert asked["os"] and asked["architecture"]
        package = {"link": f"/get/{NAME}", "size": here.size, "checksum": here.sum}
        listed = json.dumps([{"release_name": NAME, "binary": {"package": package}}]).encode()
        self.send(here.listed or listed, 200)

    def send(self, body: bytes, status: int, length: str = "") -> None:
        self.send_response(status)
        if length:
            self.send_header("Content-Length", length)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        time.sleep(self.server.stalls if length else 0)
        self.wfile.write(body[len(body) // 2 :])

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
