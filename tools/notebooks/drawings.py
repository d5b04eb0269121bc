"""Draws what no run can show, such as where a stack is, into notebooks/drawings: make drawings

The dots of `pause` are what a queue with one server does, not placed by hand.
"""

from typing import NamedTuple

from bootstrap.places import ROOT
from notebooks.svg import CARD, GREY, GRID, HIGH, INK, LINE, PALE, TEXT, VIRTUAL, Drawing

FOLDER = ROOT / "notebooks/drawings"


# --- the shop of the course ---


def place(drawing: Drawing, name: str, x: float, y: float) -> None:
    """One of those for whom an order waits: its sign, 44 wide and 40 high, above its name."""
    left, top = x - 22, y - 20
    if name == "database":
        drawing.path(f"M{left} {top + 8} v25 a22 7 0 0 0 44 0 v-25", INK, fill=PALE)
        drawing.add("ellipse", cx=x, cy=top + 8, rx=22, ry=7, fill="#FFFFFF", stroke=INK, stroke_width=1.5)
        drawing.path(f"M{left} {top + 20} a22 7 0 0 0 44 0", INK)
    elif name == "warehouse":
        drawing.path(f"M{left} {top + 40} v-26 l22 -13 l22 13 v26 z", INK, fill=PALE)
        for across, up in ((-13, 14), (1, 14), (-6, 27)):
            drawing.box(x + across, top + 40 - up, 12, 13, "#FFFFFF", rx=0)
    elif name == "partner":
        drawing.path(f"M{left} {top + 20} l14 -16 h30 v32 h-30 z", INK, fill=PALE)
        drawing.add("circle", cx=left + 13, cy=top + 20, r=3.5, fill="#FFFFFF", stroke=INK)
        drawing.text(x + 7, top + 26, "€")
    else:
        drawing.path(f"M{left} {top + 14} l22 -13 l22 13 z", INK, fill=PALE)
        for across in (-15, -5, 5, 15):
            drawing.path(f"M{x + across} {top + 15} v17", INK, stroke_width=4)
        drawing.path(f"M{left} {top + 37} h44", INK, stroke_width=5)
    drawing.text(x, y + 38, name)


def shop() -> Drawing:
    drawing = Drawing(418, "The shop, and two boxes in which L is counted")
    for y in (150, 205, 260):
        drawing.person(46, y)
    drawing.text(46, 306, "visitors")
    drawing.arrow((74, 205), (142, 205), width=2)
    drawing.text(97, 192, "λ", size=TEXT)
    drawing.box(116, 20, 300, 342, stroke=INK, stroke_width=2.5, stroke_dasharray="9 6", rx=12)
    drawing.heading(132, 48, "queue and servers")
    drawing.heading(132, 346, "W = wait + S")
    drawing.box(262, 66, 140, 246, stroke=INK, stroke_width=2.5, rx=12)
    drawing.heading(332, 92, "servers", anchor="middle")
    drawing.heading(332, 300, "W = S", anchor="middle")
    for i in range(5):
        drawing.dot(240 - 21 * i, 205)
    drawing.text(197, 240, "queue")
    for i, name in enumerate(("database", "warehouse", "partner", "bank")):
        middle, y = 122 + 46 * i, 56 + 92 * i
        drawing.path(f"M381 {middle} C420 {middle} 420 {y} 462 {y}")
        drawing.box(282, middle - 18, 100, 36, PALE)
        drawing.dot(332, middle)
        place(drawing, name, 492, y)
    drawing.text(CARD / 2, 396, "In each box: L = λ · W", size=TEXT)
    return drawing


# --- closed and open loop ---


def server(drawing: Drawing, y: float, height: float) -> None:
    drawing.box(408, y, 100, height, PALE)
    drawing.text(458, y + 24, "server")
    drawing.dot(458, y + height / 2)


def loops() -> Drawing:
    drawing = Drawing(448, "A closed loop and an open loop")
    drawing.heading(24, 36, "Closed loop")
    drawing.text(24, 60, "A client sends again only after its answer.", anchor="start")
    server(drawing, 92, 136)
    for y in (116, 160, 204):
        drawing.person(52, y, 0.9)
        drawing.path(f"M404 {y + 9} H96 a9 9 0 0 1 0 -18")
        drawing.arrow((96, y - 9), (404, y - 9))
        drawing.arrow((250, y + 9), (240, y + 9))
    drawing.dot(210, 107)
    drawing.dot(310, 213)
    drawing.text(250, 98, "request")
    drawing.text(250, 236, "answer")
    drawing.path(f"M24 252 h{CARD - 48}", PALE)
    drawing.heading(24, 286, "Open loop")
    drawing.text(24, 310, "Requests arrive whatever happens to the others.", anchor="start")
    server(drawing, 338, 86)
    for across, up in ((36, -22), (64, -8), (30, 20), (62, 26)):
        drawing.person(across, 381 + up, 0.62)
    drawing.arrow((90, 381), (300, 381))
    for across in (112, 134, 206, 226, 274):
        drawing.dot(across, 381)
    for i in range(4):
        drawing.dot(390 - 20 * i, 381)
    drawing.text(360, 414, "queue")
    drawing.text(190, 414, "requests")
    drawing.arrow((508, 381), (546, 381))
    return drawing


# --- a pause, seen from both loops ---


class Request(NamedTuple):
    """When a request was due and when it was answered, in ms; one that was not sent has no answer."""

    due: int
    answered: int | None

    @property
    def late(self) -> bool:
        return self.answered is not None and self.answered - self.due > SERVICE


# the server answers one after the other, and stands still in the pause
EVERY, FIRST, UNTIL, SERVICE = 50, 25, 2_000, 10
PAUSE = (500, 1_000)


def queue(closed: bool) -> list[Request]:
    """The requests of one client that sends every 50 ms, or as soon after as its loop allows."""
    requests, free = [], 0
    for due in range(FIRST, UNTIL, EVERY):
        if closed and free > due:
            requests.append(Request(due, None))  # the client still waits for an answer
            continue
        begins = max(due, free)
        if PAUSE[0] <= begins < PAUSE[1]:
            begins = PAUSE[1]
        free = begins + SERVICE
        requests.append(Request(due, free))
    return requests


def around_a_pause(drawing: Drawing, top: float, loop: str, requests: list[Request]) -> None:
    left, right, low = 74, CARD - 28, top + 208
    sent = [one for one in requests if one.answered is not None]
    drawing.heading(24, top, f"{loop}: {sum(one.late for one in sent)} of {len(sent)} late")

    def x(ms: float) -> float:
        return left + (right - left) * ms / UNTIL

    def y(ms: float) -> float:
        return low - 0.29 * ms

    begin, end = map(x, PAUSE)
    drawing.box(begin, top + 34, end - begin, low - top - 34, PALE, stroke="none", rx=0)
    drawing.text((begin + end) / 2, top + 28, "server stops")
    drawing.text(24, top + 28, "latency (ms)", anchor="start")
    for ms in (0, 250, 500):
        drawing.path(f"M{left} {y(ms):.4g} H{right}", LINE if ms == 0 else GRID, stroke_width=1)
        drawing.text(left - 8, y(ms) + 6, str(ms), anchor="end")
    for ms in range(0, UNTIL + 1, 500):
        drawing.text(x(ms), low + 24, f"{ms / 1_000:g}")
    for due, answered in requests:
        if answered is None:
            for tilt in (-4, 4):
                drawing.path(f"M{x(due) - 4:.4g} {low - tilt} l8 {2 * tilt}", HIGH, stroke_width=2)
        elif answered - due > SERVICE:
            drawing.path(f"M{x(due):.4g} {low} V{y(answered - due):.4g}", HIGH)
            drawing.dot(x(due), y(answered - due), HIGH, r=5)
        else:
            drawing.dot(x(due), y(answered - due), GREY, r=3)
    if len(sent) < len(requests):
        drawing.text((begin + end) / 2 + 6, low - 14, "not sent", fill=HIGH)


def pause() -> Drawing:
    closed, opened = queue(closed=True), queue(closed=False)
    drawing = Drawing(576, "Requests around a stop of the server")
    around_a_pause(drawing, 36, "Closed loop", closed)
    around_a_pause(drawing, 308, "Open loop", opened)
    drawing.text(303, 562, "when the request was due (s)")
    return drawing


# --- where a stack is ---

STAGES = (
    ("runs", ("v1", "v3"), ""),
    ("sleeps or waits", ("v2", "v3"), "down"),
    ("wants a carrier", ("v2", "v3"), "queue"),
    ("runs again", ("v2", "v1"), "up"),
)


def stack() -> Drawing:
    drawing = Drawing(674, "Where the stack of a virtual thread is")
    for i, (words, on, move) in enumerate(STAGES):
        stage(drawing, 8 + 276 * (i % 2), 10 + 306 * (i // 2), i + 1, words, on, move)
    drawing.text(24, 638, "What moves: the frames. What stays: the thread v1,", anchor="start")
    drawing.text(24, 660, "an object in the heap, and both carriers.", anchor="start")
    return drawing


def stage(
    drawing: Drawing, x: float, y: float, number: int, words: str, on: tuple[str, ...], move: str
) -> None:
    drawing.number(x + 24, y + 20, number)
    drawing.heading(x + 44, y + 26, f"v1 {words}")
    drawing.box(x + 12, y + 40, 244, 32, "#FFFFFF", stroke_dasharray="5 4")
    drawing.text(x + 20, y + 62, "queue", anchor="start")
    for i, thread in enumerate(on):
        left = x + 12 + 128 * i
        drawing.box(left, y + 82, 116, 92, "#FFFFFF")
        drawing.text(left + 58, y + 102, f"carrier {i + 1}")
        drawing.frames(left + 19, y + 110, thread, own=thread == "v1")
    drawing.box(x + 12, y + 206, 244, 80, PALE)
    drawing.text(x + 248, y + 228, "heap", anchor="end")
    thread_object(drawing, x + 186, y + 256)
    if move in ("down", "queue"):
        drawing.frames(x + 31, y + 217, "v1", own=True)
    if move == "down":
        drawing.arrow((x + 70, y + 176), (x + 70, y + 214), stroke=VIRTUAL, width=4)
    if move == "queue":
        thread_object(drawing, x + 112, y + 56)
    if move == "up":
        for i in range(3):
            drawing.box(x + 31, y + 217 + 20 * i, 78, 18, stroke=LINE, rx=2, stroke_dasharray="4 3")
        drawing.arrow((x + 104, y + 212), (x + 168, y + 177), stroke=VIRTUAL, width=4)


def thread_object(drawing: Drawing, x: float, y: float) -> None:
    drawing.box(x - 22, y - 13, 44, 26, "#FFFFFF", stroke=VIRTUAL, rx=13, stroke_width=2)
    drawing.text(x, y + 6, "v1")


# --- for how long a request holds a connection ---

Step = tuple[str, int, int]
Span = tuple[int, int]


class Held(NamedTuple):
    """A way to write a request: its steps, while its transaction is open, and while it holds a connection."""

    name: str
    steps: tuple[Step, ...]
    transaction: Span
    connection: Span


# on one time axis, without a unit
PAY = (("bank", 60, 360), ("insert", 360, 440))
RECEIPT = (("query", 0, 60), ("bank", 60, 360), ("answer", 360, 440))
HELD = (
    Held("wide", PAY, (40, 440), (40, 440)),
    Held("narrow", PAY, (360, 440), (360, 440)),
    Held("wide, connection taken lazily", PAY, (40, 440), (360, 440)),
    Held("open in view", RECEIPT, (0, 60), (0, 440)),
)


def holds() -> Drawing:
    drawing = Drawing(540, "For how long four requests hold a connection")
    left, wide, high = 126, 0.92, 118

    def bracket(y: float, span: Span, words: str, stroke: str, width: float) -> None:
        begin, end = left + wide * span[0], left + wide * span[1]
        drawing.path(
            f"M{begin} {y - 6} v12 M{begin} {y} H{end} M{end} {y - 6} v12", stroke, stroke_width=width
        )
        drawing.text(left - 10, y + 6, words, anchor="end", fill=stroke)

    for i, held in enumerate(HELD):
        top = 32 + high * i
        drawing.heading(left, top, held.name)
        for words, begin, end in held.steps:
            drawing.box(left + wide * begin, top + 12, wide * (end - begin), 28, PALE, rx=2)
            drawing.text(left + wide * (begin + end) / 2, top + 32, words)
        bracket(top + 55, held.transaction, "transaction", GREY, 1.5)
        bracket(top + 77, held.connection, "connection", HIGH, 4)
    drawing.arrow((left, 502), (left + wide * 440, 502))
    drawing.text(left + wide * 220, 526, "time of one request")
    return drawing


# --- ten payments that each want a second connection ---


def nested() -> Drawing:
    drawing = Drawing(384, "Ten payments hold all ten connections, and each wants a second one")
    drawing.box(150, 24, 260, 64, "#FFFFFF", stroke_dasharray="7 5", stroke_width=2)
    drawing.heading(CARD / 2, 52, "pool of 10 connections", anchor="middle")
    drawing.text(CARD / 2, 76, "none left")
    for i in range(10):
        x, y = 72 + 104 * (i % 5), 190 + 118 * (i // 5)
        you = i == 9
        drawing.person(x, y, 1.1)
        # the one in its hand, and the hand out for another
        connection(drawing, x + 30, y + 8)
        drawing.arrow((x - 19, y + 2), (x - 19, y - 48), stroke=HIGH, width=2, dash="5 4")
        drawing.text(x, y + 44, "you" if you else f"payment {i + 1}", fill=HIGH if you else INK)
    return drawing


def connection(drawing: Drawing, x: float, y: float) -> None:
    drawing.path(f"M{x - 10} {y - 12} v22 a10 4 0 0 0 20 0 v-22", INK, fill=PALE)
    drawing.add("ellipse", cx=x, cy=y - 12, rx=10, ry=4, fill="#FFFFFF", stroke=INK, stroke_width=1.5)


DRAWINGS = (shop, loops, pause, stack, holds, nested)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for draw in DRAWINGS:
        (FOLDER / f"{draw.__name__}.svg").write_text(draw().svg() + "\n", encoding="utf-8")
        print(f"notebooks/drawings/{draw.__name__}.svg")


if __name__ == "__main__":
    main()
