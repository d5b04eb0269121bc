"""Lets a hall answer the questions of a plan on its phones, and shows what it believed.

make hall PLAN=teaching/plan-hall.md LISTEN=192.168.1.20

The screen, for this computer only, and the phones' page, which others reach only at an address that LISTEN
names, have a port each. No kernel is reached. What phones send is kept in memory, without names and cookies,
and is gone at the end unless the screen exports it: figures only.
"""

import argparse
import asyncio
import errno
import io
import json
import re
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import segno
from tornado.http1connection import HTTP1Connection, HTTP1ServerConnection
from tornado.httpserver import HTTPServer
from tornado.ioloop import PeriodicCallback
from tornado.iostream import IOStream, StreamClosedError
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler
from notebooks.runs import ROOT
from teach import questions
from teach.picture import picture
from teach.plans import page_text, plan_named
from teach.questions import Line, Question

HERE = Path(__file__).resolve().parent
GUESS = ROOT / "threadlab/src/main/resources/threadlab/guess"
LOOPBACK, PORT = "127.0.0.1", 8765
AT_ONCE, MOST = 12, 2_000  # connections of one address, of which a phone needs three; phones
BEAT, REDRAWN = 15, 0.25  # seconds between signs of life, and between two pictures
ASK, LINES, MEASURED = range(3)
# an answer with twelve sizes has 600 bytes
LIMITS = {"max_body_size": 4_000, "max_header_size": 8_000, "max_buffer_size": 64_000}
LIMITS |= {"idle_connection_timeout": 60, "body_timeout": 5}
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; "
HEADERS = {
    "Content-Security-Policy": POLICY + "img-src 'self' data:",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
TYPES = {".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Hall:
    """The questions, which of them is open, and the lines that the hall has drawn."""

    def __init__(self, asked: list[Question], address: str, shared: bool = False) -> None:
        """With `shared`, several phones may have the same address, as behind a router of their own."""
        self.asked, self.address, self.shared = asked, address, shared
        self.step = 0  # 0 shows the address; then three for each question
        self.lines: dict[str, dict[str, Line]] = {}
        self.live: dict[str, Line] = {}  # measured while its question was open
        self.before: Line = {}
        self.moved, self.drawn = asyncio.Event(), asyncio.Event()

    @property
    def question(self) -> Question | None:
        at = (self.step - 1) // 3
        found = self.asked[at] if 0 <= at < len(self.asked) else None
        return found and found._replace(measured=self.live.get(found.key, found.measured))

    @property
    def phase(self) -> int:
        return (self.step - 1) % 3

    def answers(self) -> list[Line]:
        return [*self.lines.get(self.question.key, {}).values()] if self.question else []

    def go(self, by: int) -> None:
        self.step = min(max(0, self.step + by), 3 * len(self.asked) + 1)
        if self.question and self.phase == ASK:
            self.before = questions.just_measured(self.question)
        self.tell("moved", "drawn")

    def tell(self, *events: str) -> None:
        """Wakes whoever waits for one of these events."""
        for name in events:
            getattr(self, name).set()
            setattr(self, name, asyncio.Event())

    def put(self, voter: str, cell: str, marks: list[dict]) -> None:
        """Keeps a voter's line in place of an earlier one; ValueError if it is none of the open question."""
        question = self.question
        if not question or question.key != cell or self.phase != ASK:
            raise ValueError("this question is closed")
        kept = self.lines.setdefault(cell, {})
        if not marks:
            kept.pop(voter, None)
        elif voter in kept or len(kept) < MOST:
            kept[voter] = questions.line(question.spec, marks)
        self.tell("drawn")

    def look(self) -> None:
        """Shows what has just been measured, once the lines are on the screen."""
        if self.question and self.phase == LINES:
            now = questions.just_measured(self.question)
            if now and now != self.before:
                self.live[self.question.key] = now
                self.go(1)

    def for_phones(self) -> dict:
        if not (question := self.question):
            return {"ask": "The next question appears here." if self.step == 0 else "Thank you."}
        ask = re.sub(r"[*`>]", "", question.ask).split("\n\n")[0]
        told = {"cell": question.key, "ask": ask, "spec": question.spec, "open": self.phase == ASK}
        if self.phase == MEASURED and question.measured:
            told["was"] = question.reveal()
        return told

    def for_screen(self) -> dict:
        question, lines, phase = self.question, self.answers(), self.phase
        told = {"step": self.step, "address": self.address, "count": len(lines), "phase": phase, "ask": ""}
        if question:
            told["ask"] = page_text(question.ask)
            shown = question if phase == MEASURED else question._replace(measured={})
            told |= {"told": shown.told(lines), "share": shown.share(lines)} if phase != ASK else {}
            if phase == MEASURED and question.replies:
                told["reply"] = question.replies[int(question.measured[1]) - 1]
            elif phase == MEASURED and not question.measured:
                told["reply"] = "Nothing has been measured here yet."
        return told

    def picture(self) -> str:
        lines = self.answers() if self.phase != ASK else []
        return picture(self.question, lines, self.phase == MEASURED, moving=True) if self.question else ""

    def code(self) -> str:
        segno.make(self.address, error="m").save(out := io.BytesIO(), "svg", omitsize=True, border=2)
        return out.getvalue().decode()


class Server(HTTPServer):
    """Takes no more than a few connections from each address, so that one phone cannot keep others out."""

    # its parent makes it by this method, whose parameters each class has as it needs them
    def initialize(self, application: Application, most: int, **settings: Any) -> None:  # type: ignore[override]
        super().initialize(application, **settings)
        self.most, self.by_address = most, Counter[str]()

    def handle_stream(self, stream: IOStream, address: tuple) -> None:
        if self.by_address[address[0]] >= self.most:
            stream.close()
            return
        self.by_address[address[0]] += 1
        super().handle_stream(stream, address)

    def on_close(self, server_conn: object) -> None:
        if isinstance(server_conn, HTTP1ServerConnection):
            context: Any = server_conn.context  # Tornado keeps the address there, for logs
            self.by_address.subtract([context.address[0]])
        super().on_close(server_conn)


class Page(RequestHandler):
    """A file, picture or state of one of the two servers; the screen's are for its own page alone."""

    def initialize(self, hall: Hall, name: str, screen: bool) -> None:
        self.hall, self.name, self.screen = hall, name, screen

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        for name, value in HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        connection = self.request.connection
        assert isinstance(connection, HTTP1Connection)
        here = f"{LOOPBACK}:{connection.stream.socket.getsockname()[1]}"
        origin = self.request.headers.get("Origin", f"http://{here}")
        if self.screen and (self.request.host, origin) != (here, f"http://{here}"):
            raise HTTPError(403, reason="not the screen's own page")

    def get(self) -> None:
        made = {"picture.svg": self.hall.picture, "code.svg": self.hall.code}.get(self.name)
        self.set_header("Content-Type", TYPES[Path(self.name).suffix])
        folder = GUESS if self.name == "guess.js" else HERE
        self.write(made() if made else (folder / self.name).read_bytes())

    def write_error(self, status_code: int, **_: object) -> None:
        self.finish(self._reason)


class Now(Page):
    """Tells a page what is open, now and whenever it changes."""

    async def get(self) -> None:  # type: ignore[override]  # Tornado waits for it
        self.set_header("Content-Type", "text/event-stream")
        try:
            while True:
                event = self.hall.drawn if self.screen else self.hall.moved
                state = self.hall.for_screen() if self.screen else self.hall.for_phones()
                self.write(f"data: {json.dumps(state)}\n\n")
                await self.flush()
                while not event.is_set():
                    try:
                        await asyncio.wait_for(event.wait(), BEAT)
                    except TimeoutError:
                        self.write(":\n\n")
                        await self.flush()
                await asyncio.sleep(REDRAWN if self.screen else 0)
        except StreamClosedError:
            return


class Answer(Page):
    """Takes the answer of a phone to the open question."""

    def post(self) -> None:
        address = str(self.request.remote_ip)
        try:
            sent = json.loads(self.request.body)
            if not re.fullmatch(r"[0-9a-f]{32}", token := sent["token"]):
                raise ValueError(token)
            # where each phone has an address of its own, another token does not give it another line
            self.hall.put(token if self.hall.shared else address, sent["cell"], [*sent["marks"]])
        except (ValueError, TypeError, KeyError, RecursionError):
            raise HTTPError(400, reason="not an answer to the open question") from None
        self.set_status(204)


class Do(Page):
    """A key pressed on the screen; only its own page sends the header."""

    def post(self) -> None:
        match self.request.headers.get("X-Key"):
            case "export":
                file = questions.export(self.hall.asked, self.hall.lines)
                self.write(file.relative_to(ROOT).as_posix())
            case "forward" | "back" as key:
                self.hall.go(1 if key == "forward" else -1)
            case _:
                raise HTTPError(400, reason="no such key")


def servers(hall: Hall) -> Iterator[Server]:
    """The server of the phones, then that of the screen."""
    phones = {"": ("phone.html", Page), "now": ("", Now), "answer": ("", Answer)}
    phones |= {name: (name, Page) for name in ("phone.js", "guess.js")}
    screen = {"": ("screen.html", Page), "now": ("", Now), "do": ("", Do)}
    screen |= {name: (name, Page) for name in ("screen.js", "picture.svg", "code.svg")}
    for pages in (phones, screen):
        given = {"hall": hall, "screen": pages is screen}
        routes = [(f"/{re.escape(path)}", of, given | {"name": name}) for path, (name, of) in pages.items()]
        made = Application(routes, log_function=lambda _: None)
        yield Server(made, most=MOST if hall.shared or pages is screen else AT_ONCE, **LIMITS)


def own_addresses() -> str:
    """The addresses of this computer that others may reach, in words."""
    found = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        if not route.connect_ex(("10.255.255.255", 1)):  # sends nothing
            found.add(route.getsockname()[0])
    return " or ".join(sorted(each for each in found if not each.startswith("127."))) or "none"


async def serve(hall: Hall, listen: str, port: int) -> None:
    try:
        if listen == "0.0.0.0":  # an address that a phone could open is wanted
            raise OSError
        sockets = [bind_sockets(port, listen), bind_sockets(port + 1, LOOPBACK)]
    except OSError as why:
        if why.errno == errno.EADDRINUSE:
            raise SystemExit(f"Port {port} or {port + 1} is taken: choose another with PORT=9000.") from None
        raise SystemExit(f'"{listen}" is no address of this computer; its own: {own_addresses()}.') from None
    for server, bound in zip(servers(hall), sockets, strict=True):
        server.add_sockets(bound)
    print(f"The screen, for this computer only: http://{LOOPBACK}:{port + 1}\nThe phones: {hall.address}")
    if listen == LOOPBACK:
        print(f"No phone can reach it yet: name an address of this computer, LISTEN={own_addresses()}.")
    print("Space or → goes on, ← back, E exports. Ctrl + C ends, and forgets all lines.", flush=True)
    PeriodicCallback(hall.look, 500).start()
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("plan", "listen", "port"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--shared", action="store_true", help="phones share an address")
    given = parser.parse_args()
    listen, port = given.listen or LOOPBACK, given.port or str(PORT)
    if not port.isdecimal() or not 1_024 <= int(port) < 65_535:
        parser.exit(2, f'"{port}" is no port for this: give a number from 1024 to 65534, such as {PORT}\n')
    asked = questions.of_plan(plan_named(given.plan or "teaching/plan-hall.md"))
    hall = Hall(asked, f"http://{listen}:{port}", given.shared or listen == LOOPBACK)
    try:
        asyncio.run(serve(hall, listen, int(port)))
    except KeyboardInterrupt:
        print("\nEnded; what was not exported is gone.")


if __name__ == "__main__":
    main()
