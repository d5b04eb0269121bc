"""The picture of a question: empty axes, then what a hall or a class believed, then what was measured.

A yellow band holds the middle half of all lines, and each of them is thin and grey; what was measured is
black with diamonds, and each machine of a class is a small ring.
"""

from collections import Counter
from collections.abc import Callable
from html import escape
from math import ceil, floor, log10
from statistics import quantiles

from notebooks.svg import GREY, GRID, INK, element
from teach.questions import FACTOR, Line, Lines, Question, figured

WIDE, HIGH = 1232, 500
LEFT, RIGHT, TOP, BOTTOM = 140, WIDE - 50, 66, HIGH - 84
TEXT, SMALL = 32, 27
PEN, CASE = "#F0E442", "#555555"  # of a guess, as in Theme.java
BINS = 48
CUT = """
.cut { animation: cut 1.6s ease-out backwards }
@keyframes cut { from { clip-path: inset(-20px 100% -20px 0) } to { clip-path: inset(-20px -200px -20px 0) } }
@media (prefers-reduced-motion: reduce) { .cut { animation: none } }
"""


class Scale:
    """A scale from values to pixels, logarithmic or linear, with its ticks, as guess.js has them."""

    def __init__(self, low: float, high: float, log: bool, begin: float, end: float) -> None:
        self.of: Callable[[float], float] = log10 if log else float
        self.low, self.high, self.begin, self.end = low, high, begin, end
        a, b = self.of(low), self.of(high)
        ten = 10 ** floor(log10((b - a) / 5))
        nice = next(x * ten for x in (1, 2, 5, 10) if x * ten >= (b - a) / 5 * (1 - 1e-9))
        step = max(1, ceil((b - a) / 7)) if log else nice
        places = range(ceil(a / step - 1e-9), floor(b / step + 1e-9) + 1)
        self.ticks = [10 ** (i * step) if log else i * step for i in places]

    def at(self, value: float) -> float:
        a, b, at = map(self.of, (self.low, self.high, min(max(value, self.low), self.high)))
        return self.begin + (at - a) / (b - a) * (self.end - self.begin)


def text(x: float, y: float, words: str, anchor: str = "middle", size: int = TEXT, **more: object) -> str:
    return element("text", escape(words), x=x, y=y, text_anchor=anchor, font_size=size, fill=INK, **more)


def label(x: float, y: float, words: str, anchor: str = "start") -> str:
    """Words that stay legible on what is drawn below them."""
    halo: dict = {"stroke": "#FFFFFF", "stroke_width": 7, "paint_order": "stroke", "stroke_linejoin": "round"}
    x = min(max(x, 8), WIDE - 8)
    return text(x, y, words, anchor, font_weight="bold", **halo)


def path(*points: tuple[float, float]) -> str:
    return "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in points)


def diamond(x: float, y: float, half: float = 11) -> str:
    around = path((x, y - half), (x + half, y), (x, y + half), (x - half, y))
    return element("path", d=around + "Z", fill=INK, stroke="#FFFFFF", stroke_width=3)


def ring(x: float, y: float) -> str:
    return element("circle", cx=x, cy=y, r=6, fill="#FFFFFF", fill_opacity=0.6, stroke=INK, stroke_width=2)


def rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=GRID, stroke_width=2)


def bar(x: float, y: float, width: float, height: float, right: bool = False) -> str:
    pen = {"stroke": INK, "stroke_width": 6} if right else {"stroke": CASE, "stroke_width": 1.5}
    return element("rect", x=x, width=width, y=y, height=height, fill=PEN, **pen)


def revealed(*parts: str) -> str:
    """What was measured, which a screen draws from left to right."""
    return element("g", "".join(parts), **{"class": "cut"})


def over_sizes(question: Question, lines: Lines, shown: bool, machines: Lines) -> list[str]:
    spec, sizes = question.spec, question.spec["sizes"]
    up = Scale(spec["low"], spec["high"], spec["log"], BOTTOM, TOP)
    wide = sizes[-1] / sizes[0] >= 20
    across = Scale(sizes[0] if wide else 0, sizes[-1], wide, LEFT + 30, RIGHT - 170)
    parts = [text(0, 28, spec["figure"] + (", log scale" if spec["log"] else ""), "start", SMALL)]
    for tick in up.ticks:
        parts += [rule(LEFT, up.at(tick), RIGHT, up.at(tick))]
        parts += [text(LEFT - 12, up.at(tick) + 8, figured(tick), "end", SMALL)]
    for size in sizes:
        parts += [rule(across.at(size), TOP, across.at(size), BOTTOM)]
        parts += [text(across.at(size), BOTTOM + 34, f"{size:,}", size=SMALL)]
    parts.append(text((LEFT + RIGHT) / 2, HIGH - 12, spec["about"], size=SMALL))
    thin = max(0.05, min(0.6, 12 / max(1, len(lines))))
    own = {size: [one[size] for one in lines if size in one] for size in sizes}
    halves = {size: quantiles(all_, n=4) for size, all_ in own.items() if len(all_) > 3}
    if len(halves) > 1:
        band = [(across.at(size), up.at(halves[size][2])) for size in halves]
        band += [(across.at(size), up.at(halves[size][0])) for size in reversed(halves)]
        parts.append(element("path", d=path(*band) + "Z", fill=PEN, stroke=CASE, stroke_width=1.5))
    for one in lines:
        points = [(across.at(size), up.at(one[size])) for size in sizes if size in one]
        style = {"stroke_width": 5, "stroke_linecap": "round", "stroke_opacity": thin}
        parts.append(element("path", d=path(*points, points[-1]), fill="none", stroke=CASE, **style))
    if len(halves) > 1:
        begin = min(halves)
        parts.append(label(across.at(begin) + 10, up.at(halves[begin][2]) - 14, "half of you"))
    for one in machines:
        parts += [ring(across.at(n), up.at(value)) for n, value in one.items() if n in sizes]
    if shown and question.measured:
        points = [(across.at(n), up.at(value)) for n, value in sorted(question.measured.items())]
        x, was = points[-1][0], question.measured[question.last]
        near = path((x, up.at(was * FACTOR)), (x, up.at(was / FACTOR)))
        cut = [element("path", d=near, stroke=GREY, stroke_width=14, stroke_opacity=0.5)]
        cut += [element("path", d=path(*points), fill="none", stroke=INK, stroke_width=6)]
        cut += [diamond(*point) for point in points]
        high = points[-1][1]
        cut += [label(x + 20, high + (40 if high < TOP + 60 else -14), question.said(was))]
        parts.append(revealed(*cut))
    return parts


def on_a_scale(question: Question, lines: Lines, shown: bool, machines: Lines) -> list[str]:
    spec = question.spec
    low = spec.get("low", 0)
    across = Scale(low, spec.get("high", spec.get("axis", 0)), spec.get("log", False), LEFT / 2, RIGHT)
    parts = [rule(tick, TOP, tick, BOTTOM) for tick in map(across.at, across.ticks)]
    parts += [text(across.at(tick), BOTTOM + 34, figured(tick), size=SMALL) for tick in across.ticks]
    about = f"{spec['about']}: {spec['figure']}{', log scale' if spec.get('log') else ''}"
    parts.append(text((LEFT / 2 + RIGHT) / 2, HIGH - 12, about, size=SMALL))
    if shown and (was := question.measured.get(question.last)) is not None:
        a, b = across.at(max(low, was / FACTOR)), across.at(was * FACTOR)
        near = {"x": a, "y": TOP, "width": max(1.0, b - a), "height": BOTTOM - TOP}
        parts.append(element("rect", **near, fill=GREY, fill_opacity=0.2))
        parts.append(text((a + b) / 2, TOP - 8, "within a factor of two", size=SMALL))
    step = (across.end - across.begin) / BINS
    own = [across.at(line[question.last]) for line in lines if question.last in line]
    counts = Counter(min(BINS - 1, int((x - across.begin) / step)) for x in own)
    for place, count in counts.items():
        tall = count / max(4, *counts.values()) * (BOTTOM - TOP - 20)
        parts.append(bar(across.begin + place * step + 1, BOTTOM - tall, step - 2, tall))
    parts.append(element("line", x1=LEFT / 2, x2=RIGHT, y1=BOTTOM, y2=BOTTOM, stroke=INK, stroke_width=2))
    for one in machines:
        parts += [ring(across.at(value), BOTTOM - 14) for value in one.values()]
    if shown and was is not None:
        x = across.at(was)
        stroke = element("path", d=path((x, TOP), (x, BOTTOM)), stroke=INK, stroke_width=6)
        anchor, aside = ("end", -18) if x > WIDE * 0.7 else ("start", 18)
        said = label(x + aside, TOP + 40, question.said(was), anchor)
        parts.append(revealed(stroke, diamond(x, TOP + 12), said))
    return parts


def in_words(question: Question, lines: Lines, shown: bool, machines: Lines) -> list[str]:
    """A bar for each answer, or for each order that somebody gave."""
    spec = question.spec
    if spec["kind"] == "choice":
        answers: list[Line] = [{1: float(i)} for i in range(1, len(spec["options"]) + 1)]
    else:
        often = Counter(tuple(sorted(line.items())) for line in lines).most_common(6)
        answers = [dict(order) for order, _ in often]
        if shown and question.measured and question.measured not in answers:
            answers = [*answers[:5], question.measured]
    high = min(84.0, (HIGH - 20) / max(1, len(answers)))
    words = [question.words(answer) for answer in answers]
    begin = min(WIDE * 0.6, 40 + 15 * max(map(len, words), default=0))
    parts, most = [], WIDE - begin - 320
    for row, answer in enumerate(answers):
        count, y = lines.count(answer), row * high + 10
        share = count / max(1, len(lines))
        right = shown and answer == question.measured
        on = f", {machines.count(answer)} machines" if machines else ""
        parts.append(text(begin - 20, y + high / 2 + 8, words[row], "end"))
        wide = max(2.0, share * most)
        parts.append(bar(begin, y + high * 0.15, wide, high * 0.7, right))
        said = f"{count} · {100 * share:.0f} %{on}" if lines else ""
        parts.append(label(begin + wide + 14, y + high / 2 + 8, said + (" ✔" if right else "")))
    return parts


def picture(
    question: Question, lines: Lines = (), shown: bool = False, machines: Lines = (), moving: bool = False
) -> str:
    """The picture as SVG; `shown` with what was measured, `moving` as if it were measured now."""
    votes = question.spec["kind"] in ("choice", "order")
    draw = in_words if votes else over_sizes if question.spec.get("line") else on_a_scale
    parts = draw(question, lines, shown, machines)
    hidden = question if shown else question._replace(measured={})
    told = "nobody has answered yet."
    if lines or shown:
        told = f"{hidden.told(lines)} {hidden.share(lines)}".strip()
    head = element("title", escape(f"{question.spec['about']}: {told}"))
    head += element("style", CUT) if moving else ""
    high = 84 * len(question.spec.get("options", "123456")) + 20 if votes else HIGH
    around = {"viewBox": f"0 0 {WIDE} {high}", "role": "img", "font_family": "sans-serif"}
    return element("svg", head + "".join(parts), xmlns="http://www.w3.org/2000/svg", **around)
