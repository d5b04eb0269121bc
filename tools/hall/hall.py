"""Lets a hall answer the questions of a plan on its phones, and shows what it believed.

make hall PLAN=teaching/plan-hall.md LISTEN=192.168.1.20

The screen, for this computer only, and the phones' page, which others reach only at an address that LISTEN
names, have a port each. No kernel is reached. What phones send is kept in memory, without names and cookies,
and is gone at the end unless the screen exports it: figures only.
"""

import argparse
import asyncio
import csv
import errno
import io
import json
import re
import socket
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import segno
from tornado.http1connection import HTTP1ServerConnection
from tornado.httpserver import HTTPServer
from tornado.ioloop import PeriodicCallback
from tornado.iostream import IOStream, StreamClosedError
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler
from notebooks.runs import ROOT, load, numbered
from teach import questions
from teach.picture import picture
from teach.plans import page_text, plan_named
from teach.questions import COLUMNS, KEPT, Line, Question

HERE = Path(__file__).resolve().parent
GUESS = ROOT / "threadlab/src/main/resources/threadlab/guess"
RESULTS = ROOT / "notebooks/results"
LOOPBACK, PORT = "127.0.0.1", 8765
BODY = 4_000  # bytes of an answer; a line of twelve sizes has 600
AT_ONCE, A_SECOND = 12, 10  # connections and answers of one address: a phone needs three of each
MOST = 2_000  # phones
BEAT, REDRAWN = 15, 0.25  # seconds between signs of life, and between two pictures
ASK, LINES, MEASURED = range(3)
LIMITS = {"max_body_size": BODY, "max_header_size": 8_000, "max_buffer_size": 64_000}
LIMITS |= {"idle_connection_timeout": 60, "body_timeout": 5}
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; "
POLICY += "img-src 'self' data:"


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
        self.second, self.sent = 0, Counter()  # answers in this second, by address

    @property
    def question(self) -> Question | None:
        at = (self.step - 1) // 3
        found = self.asked[at] if 0 <= at < len(self.asked) else None
        return found and found._replace(measured=self.live.get(found.cell, found.measured))

    @property
    def phase(self) -> int:
        return (self.step - 1) % 3

    def answers(self) -> list[Line]:
        return [*self.lines.get(self.question.cell, {}).values()] if self.question else []

    def go(self, by: int) -> None:
        self.step = min(max(0, self.step + by), 3 * len(self.asked) + 1)
        if self.question and self.phase == ASK:
            self.before = self.kept()
        self.tell("moved", "drawn")

    def is_hasty(self, address: str) -> bool:
        """Whether an address sends more answers than the fingers of its phone can draw."""
        if (now := int(time.monotonic())) != self.second:
            self.second, self.sent = now, Counter()
        self.sent[address] += 1
        return not self.shared and self.sent[address] > A_SECOND

    def tell(self, *events: str) -> None:
        """Wakes whoever waits for one of these events."""
        for name in events:
            event = getattr(self, name)
            setattr(self, name, asyncio.Event())
            event.set()

    def put(self, voter: str, cell: str, marks: list[dict]) -> None:
        """Keeps a voter's line in place of an earlier one; ValueError if it is none of the open question."""
        question = self.question
        if not question or question.cell != cell or self.phase != ASK:
            raise ValueError("this question is closed")
        kept = self.lines.setdefault(cell, {})
        if not marks:
            kept.pop(voter, None)
        elif voter in kept or len(kept) < MOST:
            kept[voter] = questions.line(question.spec, marks)
        self.tell("drawn")

    def kept(self) -> Line:
        """What the lecturer's own kernel has written of this question while its lesson ran."""
        question = self.question
        file = RESULTS / f"{numbered(question.lesson).stem[3:]}.csv"
        rows = [
            row for row in load(file) if row["what"] == "measured" and row["name"] == question.spec["about"]
        ]
        return {int(row["n"]): float(row["value"]) for row in rows}

    def look(self) -> None:
        """Shows what has just been measured, once the lines are on the screen."""
        if self.question and self.phase == LINES and (now := self.kept()) and now != self.before:
            self.live[self.question.cell] = now
            self.go(1)

    def export(self) -> Path:
        KEPT.mkdir(parents=True, exist_ok=True)
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for question in self.asked:
            for number, line in enumerate(self.lines.get(question.cell, {}).values(), start=1):
                writer.writerows(
                    [question.lesson, question.cell, number, n, value] for n, value in line.items()
                )
        file = KEPT / f"{time.strftime('%Y-%m-%d-%H%M')}.csv"
        file.with_suffix(".new").write_text(out.getvalue(), encoding="utf-8")
        file.with_suffix(".new").replace(file)
        return file

    def for_phones(self) -> dict:
        question = self.question
        if not question:
            return {"ask": "The next question appears here." if self.step == 0 else "Thank you."}
        ask = re.sub(r"[*`>]", "", question.ask).split("\n\n")[0]
        told = {"cell": question.cell, "ask": ask, "spec": question.spec, "open": self.phase == ASK}
        if self.phase == MEASURED and question.measured:
            told |= {
                "was": question.words(question.measured) + question.at,
                "n": question.last,
                "value": question.measured[question.last],
            }
        return told

    def for_screen(self) -> dict:
        question, lines = self.question, self.answers()
        place = {"step": self.step, "address": self.address, "count": len(lines), "phase": self.phase}
        if not question:
            return place | {"ask": "", "end": self.step > 0}
        shown = question if self.phase == MEASURED else question._replace(measured={})
        told, share = (shown.told(lines), shown.share(lines)) if self.phase != ASK else ("", "")
        if self.phase == MEASURED and not question.measured:
            told += " Nothing has been measured here yet."
        reply = (
            question.replies[int(question.measured[1]) - 1]
            if question.replies and self.phase == MEASURED
            else ""
        )
        return place | {"ask": page_text(question.ask), "told": told, "reply": reply, "share": share}

    def picture(self) -> str:
        lines = self.answers() if self.phase != ASK else []
        return (
            picture(self.question, lines, shown=self.phase == MEASURED, moving=True) if self.question else ""
        )


class Server(HTTPServer):
    """Takes no more than a few connections from each address, so that one phone cannot keep others out."""

    def initialize(self, *args: object, most: int, **settings: object) -> None:
        super().initialize(*args, **settings)
        self.most, self.by_address = most, Counter()

    def handle_stream(self, stream: IOStream, address: tuple) -> None:
        if self.by_address[address[0]] >= self.most:
            stream.close()
            return
        self.by_address[address[0]] += 1
        super().handle_stream(stream, address)

    def on_close(self, server_conn: HTTP1ServerConnection) -> None:
        self.by_address.subtract([server_conn.context.address[0]])
        super().on_close(server_conn)


class Page(RequestHandler):
    """A page or file of one of the two servers."""

    def initialize(self, hall: Hall, name: str = "") -> None:
        self.hall, self.name = hall, name

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        for name, value in {
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }.items():
            self.set_header(name, value)

    def get(self) -> None:
        self.set_header("Content-Type", "text/html" if self.name.endswith(".html") else "text/javascript")
        self.write(((GUESS if self.name == "guess.js" else HERE) / self.name).read_bytes())

    def write_error(self, status_code: int, **_: object) -> None:
        self.finish(self._reason)


class Now(Page):
    """Tells a page what is open, now and whenever it changes."""

    async def get(self) -> None:
        self.set_header("Content-Type", "text/event-stream")
        screen = self.name == "screen"
        try:
            while True:
                event = self.hall.drawn if screen else self.hall.moved
                state = self.hall.for_screen() if screen else self.hall.for_phones()
                self.write(f"data: {json.dumps(state)}\n\n")
                await self.flush()
                while not event.is_set():
                    try:
                        await asyncio.wait_for(event.wait(), BEAT)
                    except TimeoutError:
                        self.write(":\n\n")
                        await self.flush()
                if screen:
                    await asyncio.sleep(REDRAWN)
        except StreamClosedError:
            return


class Answer(Page):
    """Takes the answer of a phone to the open question."""

    def post(self) -> None:
        address = self.request.remote_ip
        if self.hall.is_hasty(address):
            raise HTTPError(429, reason="too many answers in a second")
        try:
            sent = json.loads(self.request.body)
            if not re.fullmatch(r"[0-9a-f]{32}", token := sent["token"]) or not isinstance(
                sent["marks"], list
            ):
                raise ValueError("no answer")
            # where each phone has an address of its own, another token does not give it another line
            self.hall.put(token if self.hall.shared else str(hash(address)), sent["cell"], sent["marks"])
        except (ValueError, TypeError, KeyError, RecursionError):
            raise HTTPError(400, reason="not an answer to the open question") from None
        self.set_status(204)


class Private(Page):
    """What only the screen's own page may ask for, not another page that is open in the same browser."""

    def prepare(self) -> None:
        here = f"{LOOPBACK}:{self.request.connection.stream.socket.getsockname()[1]}"
        if (
            self.request.host != here
            or self.request.headers.get("Origin", f"http://{here}") != f"http://{here}"
        ):
            raise HTTPError(403, reason="not the screen's own page")


class Screen(Private, Page):
    pass


class ScreenNow(Private, Now):
    pass


class Picture(Private):
    def get(self) -> None:
        self.set_header("Content-Type", "image/svg+xml")
        if self.name == "code":
            segno.make(self.hall.address, error="m").save(
                out := io.BytesIO(), kind="svg", scale=1, omitsize=True, border=2
            )
            self.write(out.getvalue())
        else:
            self.write(self.hall.picture())


class Do(Private):
    """A key pressed on the screen; only its own page sends the header."""

    def post(self) -> None:
        if self.request.headers.get("X-Key") not in ("forward", "back", "export"):
            raise HTTPError(400, reason="no such key")
        if (key := self.request.headers["X-Key"]) == "export":
            self.write(self.hall.export().relative_to(ROOT).as_posix())
            return
        self.hall.go(1 if key == "forward" else -1)
        self.set_status(204)


def servers(hall: Hall) -> Iterator[tuple[Server, bool]]:
    """The server of the phones, then that of the screen."""
    of = lambda handler, name="": (handler, {"hall": hall, "name": name})  # noqa: E731
    phones = {"/": of(Page, "phone.html"), "/now": of(Now, "phones"), "/answer": of(Answer)}
    screen = {"/": of(Screen, "screen.html"), "/now": of(ScreenNow, "screen"), "/do": of(Do)}
    phones |= {f"/{name}": of(Page, name) for name in ("phone.js", "guess.js")}
    screen |= {"/screen.js": of(Screen, "screen.js"), "/picture": of(Picture), "/code": of(Picture, "code")}
    for pages in (phones, screen):
        routes = [(re.escape(path), *rest) for path, rest in pages.items()]
        made = Application(routes, log_function=lambda _: None, compress_response=False)
        yield Server(made, most=MOST if hall.shared or pages is screen else AT_ONCE, **LIMITS)


def own_addresses() -> list[str]:
    """The addresses of this computer that others may reach."""
    found = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        try:
            route.connect(("10.255.255.255", 1))  # sends nothing
            found.add(route.getsockname()[0])
        except OSError:
            pass
    return sorted(address for address in found if not address.startswith("127."))


async def serve(hall: Hall, listen: str, port: int) -> None:
    phones, screen = servers(hall)
    try:
        sockets = [bind_sockets(port, listen), bind_sockets(port + 1, LOOPBACK)]
    except OSError as why:
        taken = f"Port {port} or {port + 1} is taken: choose another with PORT=9000."
        known = ", ".join(own_addresses()) or "none"
        foreign = f'"{listen}" is no address of this computer, which has: {known}.'
        raise SystemExit(taken if why.errno == errno.EADDRINUSE else foreign) from None
    phones.add_sockets(sockets[0])
    screen.add_sockets(sockets[1])
    print(
        f"The screen, for this computer only: http://{LOOPBACK}:{port + 1}\nThe phones: {hall.address}",
        flush=True,
    )
    if listen == LOOPBACK:
        print(
            f"Phones cannot reach it: name an address, LISTEN={' or '.join(own_addresses()) or '…'}.",
            flush=True,
        )
    print("Space or → goes on, ← goes back, E exports. Ctrl + C ends, and forgets all lines.", flush=True)
    PeriodicCallback(hall.look, 500).start()
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plan", default="")
    parser.add_argument("--listen", default="")
    parser.add_argument("--port", default="")
    parser.add_argument("--shared", action="store_true")
    given = parser.parse_args()
    if not (given.port or str(PORT)).isdecimal():
        parser.exit(2, f'"{given.port}" is no port: give a number such as {PORT}\n')
    listen, port = given.listen or LOOPBACK, int(given.port or PORT)
    asked = questions.of_plan(plan_named(given.plan or "teaching/plan-hall.md"))
    hall = Hall(asked, f"http://{listen}:{port}", given.shared or listen == LOOPBACK)
    try:
        asyncio.run(serve(hall, listen, port))
    except KeyboardInterrupt:
        print("\nEnded; what was not exported is gone.")


if __name__ == "__main__":
    main()
