"""What visitors of the site draw before they see it: recorded runs.

A page says in words what is asked (`data-about`, `data-figure`, `data-names`, `data-note` of its `div.draw`);
what was measured comes from data/recorded, at the sizes that were measured there and at no other. The scripts
are classic ones, so that a page also works from a disk.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bootstrap.places import ROOT
from publish.browser import RECORDED, rows

MODULE = ROOT / "threadlab/src/main/resources/threadlab/guess/guess.js"


class Axes(NamedTuple):
    """Where a line is drawn: its sizes, the scale of its values, and their unit as it follows a number."""

    sizes: list[int]
    low: float
    high: float
    unit: str

    def spec(self) -> dict[str, object]:
        wide = self.low > 0 and self.high >= 20 * self.low
        return {"kind": "figures", "line": True, "whole": False, "log": wide, **self._asdict()}


Points = list[dict[str, float]]


def spread(run: str, figure: str, chosen: Callable[[dict], bool], size: str = "n") -> Points:
    """The median of the trials at each size, with the lowest and the highest."""
    trials: dict[float, list[float]] = defaultdict(list)
    for row in rows(RECORDED / f"{run}.csv", size, figure):
        if chosen(row) and row[figure] != "":
            trials[float(row[size])].append(float(row[figure]))
    return [
        {"n": int(n), "value": median(each), "low": min(each), "high": max(each)}
        for n, each in sorted(trials.items())
    ]


def sizes_of(points: Points) -> list[int]:
    return [int(point["n"]) for point in points]


def series(points: Points, kind: str, **more: object) -> dict[str, object]:
    return {"points": points, "kind": kind, **more}


def named(name: object) -> Callable[[dict], bool]:
    return lambda row: row["contender"] == name


def of_kind(kind: str) -> Callable[[dict], bool]:
    return lambda row: row["kind"] == kind


def sleepers() -> tuple[Axes, list[dict]]:
    """Two runs on two days: the one of lesson 00 at three sizes, that of 09 at four."""
    return Axes([1_000, 10_000, 100_000, 1_000_000, 5_000_000], 0.1, 10_000, " s"), [
        series(spread("09-sleepers", "seconds", of_kind("virtual")), "virtual"),
        series(spread("00-sleepers", "seconds", of_kind("virtual")), "virtual", apart=True),
        series(spread("09-sleepers", "seconds", of_kind("platform")), "platform"),
    ]


def newcomers(what: str) -> tuple[Axes, list[dict]]:
    def chosen(row: dict) -> bool:
        return row["kind"] == "virtual" and row["what"] == what

    points = spread("07-newcomers", "newcomer waits (ms)", chosen, "java")
    return Axes(sizes_of(points), 0, 500, " ms"), [series(points, "virtual")]


def crossing() -> tuple[Axes, list[dict]]:
    """Behind a slow file, and for comparison what has been drawn before."""
    axes, lines = newcomers("file")
    return axes, [*lines, newcomers("synchronized")[1][0] | {"kind": "other"}]


def pool() -> tuple[Axes, list[dict]]:
    """Beside the run the law, which nobody measured: clients ÷ 50 ms up to 200 threads, then a ceiling."""
    runs = rows(RECORDED / "01-pool.csv", "n", "requests/s")
    found = {
        name: spread("01-pool", "requests/s", named(name)) for name in {row["contender"] for row in runs}
    }
    sizes = sorted({int(row["n"]) for row in runs})
    law: Points = [{"n": n, "value": 20 * min(n, 200)} for n in (sizes[0], 200, sizes[-1])]
    return Axes(sizes, 0, 25_000, "/s"), [
        series(found["pool of 200"], "platform"),
        series(found["virtual"], "virtual"),
        series(law, "other", law=True),
    ]


def memory() -> tuple[Axes, list[dict]]:
    of = "memory of the child (MB)"
    virtual, platform = (spread("09-memory", of, of_kind(kind)) for kind in ("virtual", "platform"))
    return Axes(sizes_of(virtual), 10, 1_000_000, " MB"), [
        series(virtual, "virtual"),
        series(platform, "platform"),
    ]


def stacks() -> tuple[Axes, list[dict]]:
    """One trial with each of four collectors, so the range is theirs."""
    points = spread("stacks", "heap (MB)", lambda row: row["n"] == "100000", "frames")
    return Axes(sizes_of(points), 0, 2_000, " MB"), [series(points, "virtual")]


DRAWN = {
    "sleepers": sleepers,
    "synchronized": lambda: newcomers("synchronized"),
    "file": crossing,
    "pool": pool,
    "memory": memory,
    "stacks": stacks,
}


def module() -> str:
    """The notebooks' own module as a classic script, without what only anywidget calls."""
    text = MODULE.read_text(encoding="utf-8").partition("export default")[0]
    text = text.replace("export function", "function")
    return f"window.threadlabGuess = (() => {{\n{text}\nreturn guess;\n}})();\n"


def write(folder: Path) -> None:
    found = {name: drawn() for name, drawn in DRAWN.items()}
    data = {name: {"spec": axes.spec(), "series": lines} for name, (axes, lines) in found.items()}
    (folder / "guess.js").write_text(module(), encoding="utf-8")
    (folder / "drawn.js").write_text(f"window.threadlabDrawn = {json.dumps(data)};\n", encoding="utf-8")
