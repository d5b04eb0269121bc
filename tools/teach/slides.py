"""Writes slides for a browser from a plan and the last run of its notebooks: build/slides/index.html.

make slides                                the plan of 90 minutes
make slides PLAN=teaching/plan-one-day.md  another one

Each line of the plan is a slide with its question, and below it a slide for each cell, with what the last run
showed. What to do, to expect and to say stands in the speaker's notes (key S). The page needs no network.
"""

import argparse
import re
import shutil
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook
from traitlets.config import Config

from notebooks.contact_sheet import executed
from notebooks.runs import ROOT, read
from teach.handouts import LINK, TEACHING, Row, mistakes, plain, plan

SLIDES = ROOT / "build/slides"
REVEAL = SLIDES / "reveal"
PINS = ROOT / "requirements/slides.txt"
LINES, LETTERS = 8, 100  # of code that leave room for a chart, and in a line
ALONE = "output-alone"


def reveal() -> None:
    """Puts reveal.js beside the page, from the pinned package that ships it."""
    if (REVEAL / "dist/reveal.js").is_file():
        return
    fetched = SLIDES / "package"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    if subprocess.call([*pip, "--require-hashes", f"--dest={fetched}", "-r", str(PINS)]):
        sys.exit("reveal.js could not be fetched: pip says above why.")
    (package,) = fetched.glob("*.whl")
    inside = "sphinx_revealjs/_static/revealjs/"
    with zipfile.ZipFile(package) as files:
        for name in files.namelist():
            short = name.removeprefix(inside)
            if short != name and re.match(
                r"dist/(reveal|reset)\.(js|css)|dist/theme/white\.css|plugin/notes/", short
            ):
                target = REVEAL / short
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(files.read(name))
    shutil.rmtree(fetched)


def slide(cell: NotebookNode, kind: str) -> NotebookNode:
    cell.metadata = NotebookNode(slideshow=NotebookNode(slide_type=kind))
    return cell


def text(source: str, kind: str, name: str) -> NotebookNode:
    return slide(new_markdown_cell(source, id=name), kind)


def parts(cell: NotebookNode) -> list[NotebookNode]:
    """A cell as it fits: below much code there is no room for a chart, so that gets a slide of its own."""
    lines = sum(1 + len(line) // LETTERS for line in cell.source.splitlines())
    charts = [some for some in cell.get("outputs", []) if "image/png" in some.get("data", {})]
    if not charts or lines <= LINES:
        return [slide(cell, "subslide")]
    code, shown = cell.copy(), cell.copy()
    code.outputs = []
    shown.id += "-shown"
    slide(shown, "subslide").metadata.tags = [ALONE]
    return [slide(code, "subslide"), shown]


def notes(row: Row, checks: dict[str, str]) -> str:
    """What only the speaker sees: the line of the plan, and the wrong answers of its exercises."""
    told = [f"**{row.begin}–{row.end} min** {row.do}", row.say]
    for _, cell in row.cells:
        told += [f"*{cell}* `{condition}`: {said}" for condition, said in mistakes(checks.get(cell, ""))]
    return "\n\n".join(LINK.sub("", part) for part in told if part)


def deck(path: Path) -> NotebookNode:
    """A notebook whose cells are tagged as slides."""
    heading = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    made = new_notebook(metadata={"title": heading})
    made.cells.append(text(f"# {heading}\n\nVirtual Threads by Experiment", "slide", "title"))
    rows = [row for meeting in plan(path) for row in meeting if row.cells]
    names = {name for row in rows for name, _ in row.cells}
    runs = {name: executed(ROOT / "notebooks" / name) for name in sorted(names)}
    checks = {}
    for name in names:
        stored = read(ROOT / "notebooks" / name).cells
        for stub, check in pairwise(stored):
            if "check" in check.metadata.get("tags", []):
                checks[stub.id] = check.source
    for place, row in enumerate(rows):
        question = row.ask or re.split(r"[.;:]", row.do)[0]
        made.cells.append(text(f"## {plain(question)}", "slide", f"line-{place}"))
        made.cells.append(text(notes(row, checks), "notes", f"notes-{place}"))
        for name, cell_id in row.cells:
            cell = next(cell for cell in runs[name].cells if cell.id == cell_id).copy()
            if cell.cell_type == "markdown":
                cell.source = plain(cell.source)
            cell.id = f"{name[:2]}-{cell_id}-{place}"
            made.cells += parts(cell)
    nbformat.validate(made)
    return made


def write(path: Path) -> Path:
    """The page, and a notebook of the same."""
    SLIDES.mkdir(parents=True, exist_ok=True)
    reveal()
    made = deck(path)
    settings = Config()
    settings.SlidesExporter.reveal_url_prefix = "reveal"
    settings.SlidesExporter.reveal_theme = "white"
    settings.TagRemovePreprocessor.enabled = True
    settings.TagRemovePreprocessor.remove_input_tags = {ALONE}
    settings.SlidesExporter.template_name = "slides"
    settings.SlidesExporter.extra_template_basedirs = [str(TEACHING)]
    page, _ = SlidesExporter(config=settings).from_notebook_node(made)
    (SLIDES / "index.html").write_text(page, encoding="utf-8")
    nbformat.write(made, SLIDES / "slides.ipynb")
    return SLIDES / "index.html"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plan", default="")
    name = parser.parse_args().plan or "teaching/plan-90-minutes.md"
    path = ROOT / name
    if not path.is_file() or not plan(path):
        sys.exit(f'There is no plan "{name}": teaching/plan-90-minutes.md is one.')
    print(f"Slides with the speaker's notes (key S): {write(path)}")


if __name__ == "__main__":
    main()
