"""Runs notebooks on this machine and keeps their results: data/recorded/NAME.csv and NAME.machine.csv

Runs inside the environment: make record, or make record RUN=09 for one notebook. If Go is installed, make
record also measures goroutines at the sizes of 09. With --draw it draws the pictures of the README from the
recorded data, for light and dark pages: make picture.
"""

import argparse
import base64
import io
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbclient import NotebookClient
from PIL import Image
from bootstrap.files import write
from bootstrap.places import ROOT

NOTEBOOKS = ROOT / "notebooks"
RECORDED = ROOT / "data/recorded"
DARK = 0.08  # the lightness of the darkest colour of a picture for a dark page
GOROUTINES = ROOT / "tools/notebooks/goroutines.go"
FRAMES, FRAME_MS, LAST_FRAME_MS = 60, 100, 2_500  # of a film
SIZES, TRIALS = (10_000, 100_000, 1_000_000), 5
READ = 'Table.read().csv("../data/recorded/{name}.csv")'
# what is drawn of which recorded run, as the notebook draws it; the title is the page's: the part's finding
DRAW = {
    "00-sleepers": f"""
var sleepers = {READ}.setName("n tasks that each sleep 1 s");
var chart = Plots.onPrediction(sleepers, "seconds", "one after another", n -> n);
chart.getStyler().setYAxisLogarithmic(true).setYAxisMin(null);
chart.setTitle("");
""",
    "03-replay": f"""
var replay = Plots.replay({READ}, Duration.ofMillis(50));
for (int i = 1; i <= {FRAMES}; i++)
    display(replay.at((double) i / ({FRAMES} + 1)));
replay
""",
    "09-memory": f"""
var memory = {READ}.setName("n threads that wait");
var chart = Plots.bySize(memory, "memory of the child (MB)");
chart.getStyler().setYAxisLogarithmic(true).setYAxisMin(null);
chart.setTitle("");
""",
    "07-newcomers": f"""
var recorded = {READ};
var some = Results.where(recorded, "kind", "virtual").where(rows -> rows.stringColumn("what")
        .isIn("synchronized", "file", "initializer"));
var chart = Plots.tiles(some, "newcomer waits (ms)");
chart.setTitle("");
""",
}
# the machine of the recorded run, not the one that draws
SOURCE = """
var machine = Table.read().csv("../data/recorded/{name}.machine.csv").stringColumn("value");
Plots.source(chart, "recorded: %s, %s CPUs, %s".formatted(machine.get(0).replaceFirst("[+].*", ""),
        machine.get(2).replaceFirst(" .*", ""), machine.get(1).replaceFirst(" .*", "")))
"""
# beside the file that has been recorded before, whose place it takes when all has run
KEEP = """
{variable}.write().csv("../data/recorded/{name}.csv.new");
Machine.here().table().write().csv("../data/recorded/{name}.machine.csv.new");
"""


class Run(NamedTuple):
    """A notebook, the scale to run it at, and the tables to keep of it: name in data/recorded → variable."""

    notebook: str
    scale: str
    tables: dict[str, str]
    warm: bool = False  # whether the cell that measures runs twice, and the second time is kept


PODS = {"14-pods": "pods", "14-resized": "resized", "14-gaps": "gaps", "14-bursts": "bursts"}
RUNS = [
    Run("00-start-here", "", {"00-sleepers": "measured"}),
    # else the first bars are the JVM's: they took twice the time of the others
    Run("03-watch-mount-and-unmount", "", {"03-replay": "virtualRun"}, warm=True),
    Run("09-scale-to-a-million", "full", {"09-sleepers": "trials", "09-memory": "memory"}),
    # on the Javas on this machine: name 26 and 27 in THREADLAB_JAVA
    Run("07-find-what-pins", "", {"07-newcomers": "newcomers"}),
    # as a user who may create control groups, such as root, on two CPUs or more
    Run("14-live-in-a-small-pod", "full", PODS),
    Run("deeper/compute-under-a-quota", "full", {"two-cpus": "onTwo"}),
    Run("deeper/see-newcomers-overtake", "", {"14-overtaken": "once", "14-overtaken-at-a-door": "door"}),
    Run("deeper/measure-stacks-and-pauses", "full", {"stacks": "stacks", "cold": "cold"}),
]


def execute(cells: list[nbformat.NotebookNode], scale: str = "") -> None:
    notebook = nbformat.v4.new_notebook(cells=cells)
    os.environ["THREADLAB_SCALE"] = scale
    folder = {"metadata": {"path": str(NOTEBOOKS)}}
    NotebookClient(notebook, kernel_name="java", timeout=1_200, resources=folder).execute()
    cells[:] = notebook.cells


def record(run: Run) -> None:
    """Executes the notebook's own cells up to the last one that measures a table to keep."""
    print(f"Recording {run.notebook} …", flush=True)
    cells = nbformat.read(NOTEBOOKS / f"{run.notebook}.ipynb", as_version=4).cells
    measuring = re.compile(rf"^(var|Table) ({'|'.join(run.tables.values())})( =|;)", re.MULTILINE)
    code = [(i, cell.source) for i, cell in enumerate(cells) if cell.cell_type == "code"]
    last = max(i for i, source in code if measuring.search(source))
    keep = "".join(KEEP.format(name=name, variable=variable) for name, variable in run.tables.items())
    again = [nbformat.v4.new_code_cell(cells[last].source)] if run.warm else []
    fresh = [RECORDED / f"{name}{end}.csv.new" for name in run.tables for end in ("", ".machine")]
    try:
        execute([*cells[: last + 1], *again, nbformat.v4.new_code_cell(keep)], run.scale)
        for file in fresh:
            file.replace(file.with_suffix(""))
    finally:
        for file in fresh:
            file.unlink(missing_ok=True)


def goroutines() -> None:
    """Runs the Go program at the sizes of 09 that both reach, on the same machine right after it."""
    go = shutil.which("go")
    if go is None:
        print("Go is not installed, so the goroutines in data/recorded stay as they are.")
        return
    print("Recording goroutines …", flush=True)
    rows: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "goroutines")
        subprocess.run([go, "build", "-o", program, GOROUTINES], check=True)
        for n in SIZES:
            run = subprocess.run([program, str(n), str(TRIALS)], check=True, capture_output=True, text=True)
            header, *trials = run.stdout.splitlines()
            rows += trials
    write(RECORDED / "09-goroutines.csv", "\n".join([header, *rows, ""]))


def draw() -> None:
    """Draws each picture and its version for a dark page, keeps the player's data, and says what it shows."""
    codes = {name: code + ("" if "replay" in code else SOURCE) for name, code in DRAW.items()}
    cells = [nbformat.v4.new_code_cell(code.replace("{name}", name)) for name, code in codes.items()]
    execute(cells)
    for name, cell in zip(DRAW, cells, strict=True):
        shown = [output.data for output in cell.outputs if "image/png" in output.get("data", {})]
        pictures = [base64.b64decode(data["image/png"]) for data in shown]
        images = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
        # what the player plays; the site puts the player itself before it
        if played := re.search(r"\(document\.currentScript, (.*)\)</script>", shown[-1].get("text/html", "")):
            write(RECORDED / f"{name}.json", f"{played[1]}\n")
        if len(images) > 1:
            small = [image.reduce(2) for image in images]
            film(RECORDED / f"{name}.gif", small)
            film(RECORDED / f"{name}.dark.gif", [*map(dark, small)])
        # the last picture of a film, for readers who prefer pages without motion
        write(RECORDED / f"{name}.png", pictures[-1])
        write(RECORDED / f"{name}.dark.png", packed(dark(images[-1]).quantize(256), "PNG", optimize=True))
        print(shown[-1]["text/plain"], flush=True)


def film(file: Path, frames: list[Image.Image]) -> None:
    """Writes a film, with one palette for all frames."""
    # the middle frame has the time line, the last has all bars
    both = Image.new("RGB", (frames[0].width, 2 * frames[0].height))
    both.paste(frames[len(frames) // 2])
    both.paste(frames[-1], (0, frames[0].height))
    palette = both.quantize(128, Image.Quantize.MAXCOVERAGE)  # keeps the background as it is
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    shown = [FRAME_MS] * len(others) + [LAST_FRAME_MS]
    write(
        file, packed(first, "GIF", save_all=True, append_images=others, duration=shown, loop=0, optimize=True)
    )


def packed(image: Image.Image, form: str, **options: Any) -> bytes:
    content = io.BytesIO()
    image.save(content, form, **options)
    return content.getvalue()


def dark(image: Image.Image) -> Image.Image:
    """The picture with inverted lightness: white becomes the dark page's own grey, a colour keeps its hue."""
    bright, *hue = image.convert("YCbCr").split()
    inverted = bright.point(lambda value: round(255 - (1 - DARK) * value))
    return Image.merge("YCbCr", (inverted, *hue)).convert("RGB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", nargs="?", default="", help="the number of one notebook, such as 09")
    parser.add_argument("--draw", action="store_true", help="only draw the pictures from what is recorded")
    arguments = parser.parse_args()
    if not arguments.draw:
        chosen = [run for run in RUNS if run.notebook.startswith(arguments.run)]
        if not chosen:
            names = ", ".join(run.notebook[:2] for run in RUNS)
            parser.error(f"no recorded notebook begins with {arguments.run}: choose one of {names}")
        for run in chosen:
            record(run)
            if run.notebook.startswith("09"):
                goroutines()
    draw()


if __name__ == "__main__":
    main()
