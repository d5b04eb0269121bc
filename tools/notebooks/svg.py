"""The shapes that the drawings of the lessons share: a white card, legible on a light page and on a dark one.

A card is as wide as CARD. On a phone it shrinks to two thirds, so no words are smaller than SMALL.
"""

from collections.abc import Iterable
from html import escape
from math import atan2, cos, sin

CARD = 560
TEXT, SMALL = 18, 16
# the colours of threadlab/plot/Theme.java; a request has one that no thread has
INK, GREY, LINE, GRID, PALE = "#222222", "#555555", "#888888", "#DDDDDD", "#E9E9E9"
VIRTUAL, OTHERS = "#0072B2", "#A6BDE8"
REQUEST, HIGH = "#117733", "#882255"

Point = tuple[float, float]


def element(name: str, inside: str = "", /, **attributes: object) -> str:
    said = "".join(
        f' {key.replace("_", "-")}="{f"{value:.6g}" if isinstance(value, float) else escape(str(value))}"'
        for key, value in attributes.items()
        if value not in (None, "")
    )
    return f"<{name}{said}>{inside}</{name}>" if inside else f"<{name}{said}/>"


class Drawing:
    """A card; its title is for readers who cannot see it."""

    def __init__(self, height: int, title: str) -> None:
        self.height, self.title = height, title
        self.parts = [self._box(0.5, 0.5, CARD - 1, height - 1, fill="#FFFFFF", stroke=GRID, rx=8)]

    def svg(self) -> str:
        return element(
            "svg",
            "\n".join(["", element("title", escape(self.title)), *self.parts, ""]),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {CARD} {self.height}",
            width=CARD,
            height=self.height,
            role="img",
            font_family="sans-serif",
            font_size=SMALL,
        )

    def add(self, name: str, inside: str = "", /, **attributes: object) -> None:
        self.parts.append(element(name, inside, **attributes))

    def text(
        self, x: float, y: float, words: str, anchor: str = "middle", size: int = SMALL, fill: str = INK
    ) -> None:
        self.add("text", escape(words), x=x, y=y, text_anchor=anchor, fill=fill, font_size=size)

    def heading(self, x: float, y: float, words: str, anchor: str = "start", fill: str = INK) -> None:
        self.add(
            "text",
            escape(words),
            x=x,
            y=y,
            text_anchor=anchor,
            fill=fill,
            font_size=TEXT,
            font_weight="bold",
        )

    @staticmethod
    def _box(x: float, y: float, width: float, height: float, **look: object) -> str:
        return element("rect", x=x, y=y, width=width, height=height, **look)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = "none",
        stroke: str = INK,
        **look: object,
    ) -> None:
        look = {"rx": 6, "stroke_width": 1.5, **look}
        self.parts.append(self._box(x, y, width, height, fill=fill, stroke=stroke, **look))

    def dot(self, x: float, y: float, fill: str = REQUEST, r: float = 8) -> None:
        self.add("circle", cx=x, cy=y, r=r, fill=fill, stroke=INK if r > 5 else None, stroke_width=1)

    def path(self, points: str, stroke: str = GREY, **look: object) -> None:
        self.add("path", d=points, **{"fill": "none", "stroke": stroke, "stroke_width": 1.5, **look})

    def arrow(self, *points: Point, stroke: str = GREY, width: float = 1.5, dash: str = "") -> None:
        """A line whose head is at its last point."""
        (x0, y0), (x, y) = points[-2:]
        turn, long = atan2(y - y0, x - x0), 5 + 3 * width
        corners = [(x - long * cos(turn + by), y - long * sin(turn + by)) for by in (0.42, -0.42)]
        end = (x - 0.8 * long * cos(turn), y - 0.8 * long * sin(turn))
        line = " L".join(f"{a:.4g} {b:.4g}" for a, b in [*points[:-1], end])
        self.path(f"M{line}", stroke, stroke_width=width, stroke_dasharray=dash)
        self.head([(x, y), *corners], stroke)

    def head(self, corners: Iterable[Point], fill: str) -> None:
        self.add("polygon", points=" ".join(f"{a:.4g},{b:.4g}" for a, b in corners), fill=fill)

    def person(self, x: float, y: float, size: float = 1) -> None:
        """A head and shoulders, 28 wide and 36 high, around a point."""
        self.add("circle", cx=x, cy=y - 10 * size, r=7.5 * size, fill=GREY)
        wide, low = 14 * size, y + 17 * size
        self.add(
            "path",
            d=f"M{x - wide:.4g} {low:.4g} a{wide:.4g} {17 * size:.4g} 0 0 1 {2 * wide:.4g} 0 Z",
            fill=GREY,
        )

    def frames(self, x: float, y: float, name: str, own: bool, width: float = 78) -> None:
        """Three frames of a stack, with the name of their thread."""
        fill, ink = (VIRTUAL, "#FFFFFF") if own else (OTHERS, INK)
        for i in range(3):
            self.box(x, y + 20 * i, width, 18, fill, stroke="none", rx=2)
        self.text(x + width / 2, y + 35, name, fill=ink)

    def number(self, x: float, y: float, number: int) -> None:
        self.add("circle", cx=x, cy=y, r=12, fill=INK)
        self.text(x, y + 6, str(number), fill="#FFFFFF")
