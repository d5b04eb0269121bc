"""Writes slides for a browser from the last run of notebooks: build/slides/index.html.

make slides                                the plan of 90 minutes
make slides PLAN=teaching/plan-one-day.md  another one
make slides NB=04                          one lesson in about ten slides: a finding and a chart for each part

Each line of the plan is a slide with its question, and below it a slide for each cell, with the last run's
results. The speaker's notes (key S) say what to ask, to expect and to say. The page needs no network.
"""

import argparse
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook
from traitlets.config import Config
from notebooks import form
from notebooks.claims import executed
from notebooks.runs import ROOT, numbered, read, title
from teach.handouts import LINK, TEACHING, Row, mistakes, plain, plan, plan_named

SLIDES = ROOT / "build/slides"
REVEAL = SLIDES / "reveal"
PINS = ROOT / "requirements/slides.txt"
LINES, LETTERS = 8, 100  # the most lines of code that leave room for a chart, and the most letters in a line
ALONE = "output-alone"
NEEDED = r"dist/(reveal|reset)\.(js|css)|dist/theme/white\.css|plugin/notes/"  # of reveal.js


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
            if short != name and re.match(NEEDED, short):
                target = REVEAL / short
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(files.read(name))
    shutil.rmtree(fetched)


def text(source: str, kind: str, name: str) -> NotebookNode:
    return slide(new_markdown_cell(source, id=name), kind)


def slide(cell: NotebookNode, kind: str, *tags: str) -> NotebookNode:
    cell.metadata = NotebookNode(slideshow=NotebookNode(slide_type=kind), tags=[*tags])
    return cell


def has_chart(cell: NotebookNode) -> bool:
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def parts(cell: NotebookNode) -> list[NotebookNode]:
    """A cell as slides that fit: a chart below much code gets a slide of its own."""
    lines = sum(1 + len(line) // LETTERS for line in cell.source.splitlines())
    if not has_chart(cell) or lines <= LINES:
        return [slide(cell, "subslide")]
    code, shown = cell.copy(), cell.copy()
    code.outputs = []
    shown.id += "-shown"
    return [slide(code, "subslide"), slide(shown, "subslide", ALONE)]


def notes(row: Row, checks: dict[str, str]) -> str:
    """The speaker's notes: the line of the plan, and the wrong answers of its exercises."""
    told = [f"**{row.begin}–{row.end} min** {row.do}" if row.end else row.do, row.say]
    for _, cell in row.cells:
        told += [f"*{cell}* `{condition}`: {said}" for condition, said in mistakes(checks.get(cell, ""))]
    return "\n\n".join(LINK.sub("", part) for part in told if part)


def of_lesson(path: Path) -> Iterator[Row]:
    """A lesson for a presenter: for each part its finding, its last chart, and its questions as notes."""
    core, _ = form.divided(executed(path))
    begins = [i for i, cell in enumerate(core) if re.match(r"## \d+ · ", cell.source)]
    end = next(i for i, cell in enumerate(core) if form.heading(cell)[1] in form.TAIL)
    for begin, until in pairwise([*begins, end]):
        part = core[begin:until]
        said = "\n".join(cell.source for cell in part if cell.cell_type == "markdown")
        [finding] = re.findall(rf"^{re.escape(form.FINDING)}(.*)", said, re.MULTILINE)
        questions = re.findall(r"^> (\*\*Predict\.\*\* .*)", said, re.MULTILINE)
        charts = [(path.name, cell.id) for cell in part if has_chart(cell)]
        yield Row(0, 0, form.heading(part[0])[1], charts[-1:], finding, "\n\n".join(questions))
    [points] = re.findall(r"## Key points\n(.*?)\n\n", core[-1].source, re.DOTALL)
    yield Row(0, 0, "", [], f"Key points\n\n{points}", "")


def deck(path: Path) -> NotebookNode:
    """The slides of a plan or of a lesson, as a notebook whose cells are tagged."""
    lesson = path.suffix == ".ipynb"
    heading = title(path) if lesson else path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    made = new_notebook(metadata={"title": heading})
    made.cells.append(text(f"# {heading}\n\nVirtual Threads by Experiment", "slide", "title"))
    rows = [*of_lesson(path)] if lesson else [row for meeting in plan(path) for row in meeting if row.cells]
    names = {name for row in rows for name, _ in row.cells}
    runs = {name: executed(ROOT / "notebooks" / name) for name in sorted(names)}
    checks = {
        stub.id: check.source
        for name in names
        for stub, check in pairwise(read(ROOT / "notebooks" / name).cells)
        if "check" in check.metadata.get("tags", [])
    }
    for place, row in enumerate(rows):
        question = row.ask or re.split(r"[.;:]", row.do)[0]
        made.cells.append(text(f"{'###' if lesson else '##'} {plain(question)}", "slide", f"line-{place}"))
        made.cells.append(text(notes(row, checks), "notes", f"notes-{place}"))
        for name, cell_id in row.cells:
            cell = next(cell for cell in runs[name].cells if cell.id == cell_id).copy()
            if cell.cell_type == "markdown":
                cell.source = plain(cell.source)
            cell.id = f"{name[:2]}-{cell_id}-{place}"
            made.cells += [slide(cell, "-", ALONE)] if lesson else parts(cell)
    nbformat.validate(made)
    return made


def write(path: Path) -> Path:
    """Writes the slides of a plan or a notebook as a page and as a notebook."""
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
    parser.add_argument("--notebook", default="", help="the number of one notebook, such as 05")
    asked = parser.parse_args()
    path = numbered(asked.notebook) if asked.notebook else plan_named(asked.plan)
    print(f"Slides with the speaker's notes (key S): {write(path)}")


if __name__ == "__main__":
    main()
