"""Builds the site: every notebook with its results, in build/site and build/site.zip: make site

Runs inside the environment. The results are those of the last make claims; a notebook that has changed since
then runs first. With --executed (make site EXECUTED=1) nothing runs: pages show what build/executed holds. A
page says whether its results are missing or old, and which of its claims are due. build/results.zip holds the
executed notebooks, for a release.
"""

import argparse
import base64
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from bootstrap.environment import choose_environment, pip_install
from bootstrap.files import digest
from bootstrap.steps import Steps
from notebooks import recorded
from notebooks.check import speed
from notebooks.claims import EXECUTED, executed, fresh
from notebooks.reading import finding
from notebooks.record import RECORDED
from notebooks.runs import DIVES, NOTEBOOKS, ROOT, read
from publish import browser, cards, drawn, links, scores, shared, translations, words

SITE = ROOT / "site"
PLAYER = ROOT / "threadlab/src/main/resources/threadlab/plot/player.js"
REPLAY = "03-replay"
SOURCE = ROOT / "build/site-source"
PAGES = ROOT / "build/site"
CELL = "#cell-id="
# a text that can begin with a mark: words, perhaps in a quotation or a list
WORDS = re.compile(r"\A(?:> |- |\d+\. )?(?=[\w`\[(]|\*+\w)")
# what the first page says only if the clone has an address that Binder can open
WITH_BINDER = re.compile(r" ?<!--binder-->(.*?)<!--/binder--> ?")
# in a visitor's words: which runs confirm a claim, and why they are due, unless they are only too few
QUIET = {"usual": "at the sizes of this page", "binder": "on one CPU, with small sizes"}
DUE = {
    "no run": "there is no such run yet",
    "older than its code": "the code has changed",
    "older than the library": "the library that measures has changed",
}
DUE_CLAIMS = "A claim is confirmed"
INLINE = re.compile(r'src="data:image/png;base64,([^"]+)"')
# the finding of a part, which a page of the site quotes: lesson and cell
FOUND = re.compile(r"\{\{finding:([\w/-]+)#([\w-]+)\}\}")
# nobody can run a cell on a page
KEYS = re.compile(r"[^.。]*\*\*Shift \+ Enter\*\*[^.。]*[.。]")
# lesson → after which cell its slider stands
SLIDERS = {
    "01-measure-littles-law": ("pool-finding", "pool"),
    "03-watch-mount-and-unmount": ("timeline-finding", "follow"),
    "06-keep-a-server-standing": ("doors-explain", "door"),
    "07-find-what-pins": ("newcomer-finding", "carriers"),
    "14-live-in-a-small-pod": ("mixed-look", "overtake"),
}
# lesson or dive → the page on which its run can be drawn
DRAWINGS = {
    "00-start-here": "index",
    "01-measure-littles-law": "draw/pool",
    "07-find-what-pins": "draw/newcomers",
    "09-scale-to-a-million": "draw/memory",
    "measure-stacks-and-pauses": "draw/stacks",
}
# where a dump of one's own service is the next step
WITH_DUMP = ("02", "05", "07", "08", "15", "watch-what-waits")
# what a page does without of the theme: its fonts and its icons, which own.css draws
FONTS = re.compile(r"@font-face\{[^}]*\}|\.fa-[\w-]+(?:,\.fa-[\w-]+)*\{--fa:[^}]*\}")
ICONS = re.compile(r"\s*<script[^>]*/fontawesome\.js[^>]*></script>")
SEARCHES = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^>]*></script>')
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")


class Course:
    """What the pages need to know about this clone: its origin, if that is on the web, and their address."""

    def __init__(self, site: str = "") -> None:
        origin = links.git("config", "--get", "remote.origin.url")
        self.origin = origin if links.parts(origin) else ""
        self.branch = links.branch_here()
        self.given = f"{site.rstrip('/')}/" if site else ""

    @property
    def site(self) -> str:
        return self.given or (links.site(self.origin) if self.origin else "")

    @property
    def repository(self) -> str:
        return links.repository(self.origin) if self.origin else ""

    def binder(self, page: str) -> str:
        return links.binder(self.origin, self.branch, page) if self.origin else ""

    def file(self, path: str) -> str:
        """A file or folder on the repository's own page."""
        return f"{self.repository}/blob/{self.branch}/{path}" if self.origin else ""


# --- what Sphinx reads ---


def gather(course: Course, notebooks: dict[str, NotebookNode]) -> None:
    """Puts all pages and the files to which they link into one folder."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(SITE, SOURCE, ignore=shutil.ignore_patterns("java", "samples", "*.csv"))
    browser.write(SOURCE / "_static")
    drawn.write(SOURCE / "_static")
    (SOURCE / "versions.md").write_text(cards.page(), encoding="utf-8")
    (SOURCE / "score.md").write_text(scores.page(), encoding="utf-8")
    shutil.copytree(ROOT / "data", SOURCE / "data")
    for folder in ("deeper", *translations.LANGUAGES):
        (SOURCE / "stored" / folder).mkdir(parents=True)
        (SOURCE / "notebooks" / folder).mkdir(parents=True)
    for folder in ("drawings", "programs"):
        shutil.copytree(ROOT / "notebooks" / folder, SOURCE / "notebooks" / folder)
    for text in (ROOT / "notebooks").glob("*.md"):
        found = words.in_text(text.name, text.read_text(encoding="utf-8"))
        (SOURCE / "notebooks" / text.name).write_text(found, encoding="utf-8")
    pictures = SOURCE / "_static/pictures"
    pictures.mkdir(parents=True)
    shutil.copy2(RECORDED / f"{REPLAY}.png", pictures)
    run = (RECORDED / f"{REPLAY}.json").read_text(encoding="utf-8")
    play = f"({PLAYER.read_text(encoding='utf-8')})(document.currentScript, {run})"
    (pictures / f"{REPLAY}.js").write_text(play, encoding="utf-8")
    for name, notebook in notebooks.items():
        shutil.copy2(ROOT / "notebooks" / name, SOURCE / "stored" / name)
        page(course, name, notebook)
        nbformat.write(notebook, SOURCE / "notebooks" / name)
    shutil.copytree(ROOT / "teaching", SOURCE / "teaching", ignore=shutil.ignore_patterns(".*"))
    first_page(course)
    for text in SOURCE.rglob("*.md"):
        mended = lead(course, text.relative_to(SOURCE), text.read_text(encoding="utf-8"))
        text.write_text(mended, encoding="utf-8")


def page(course: Course, name: str, notebook: NotebookNode) -> None:
    """Turns an executed notebook into a page: where to run it, its pictures, the machine on which it ran.

    Each cell has an address, to which other pages and the search lead.
    """
    head, up = notebook.cells[0], "../" * len(Path(name).parts)
    buttons = [f"{{download}}`Download this notebook <{up}stored/{name}>`"]
    head.source = KEYS.sub("", head.source)
    if run := course.binder(f"lab/tree/notebooks/{name}"):
        buttons.insert(0, f"[Run this on Binder]({run}){{.do}}")
        title, _, rest = head.source.partition("\n")
        head.source = f"{title}\n\n[Run this on Binder]({run}){{.do .desk}}\n{rest}"
    for cell in notebook.cells[1:]:
        if cell.cell_type == "code":
            cell.metadata["cell"] = cell.id  # conf.py makes it an address
        else:
            mark = f'<span id="cell-{cell.id}"></span>'
            cell.source, marked = WORDS.subn(rf"\g<0>{mark}", cell.source, count=1)
            if not marked:
                cell.source = f'<div id="cell-{cell.id}"></div>\n\n{cell.source}'
            cell.source = words.in_cell(name, cell.id, cell.source)
    add_slider(notebook, Path(name).stem, up)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = lead(course, Path("notebooks", name), cell.source)
        for number, output in enumerate(cell.get("outputs", [])):
            picture(output, f"{Path(name).stem}-{cell.id}-{number}", up)
    about = notebook.metadata.get("threadlab")
    if said := [*reservations(ROOT / "notebooks" / name, about)]:
        # what is missing or old stands open; a list of claims that are due would hide a phone's lesson
        seen = "" if said[0].startswith(DUE_CLAIMS) else f"```{{note}}\n{said.pop(0)}\n```\n\n"
        due = "\n\n".join(said)
        folded = f"<details><summary>Claims of this page that are due</summary>\n\n{due}\n\n</details>"
        notebook.cells.insert(
            1, nbformat.v4.new_markdown_cell(seen + (folded if due else ""), id="reservations")
        )
    notebook.cells.append(nbformat.v4.new_markdown_cell(onward(Path(name).stem, up, buttons), id="onward"))
    if about:
        rows = [f"| {row['what']} | {row['value']} |" for row in about["machine"]]
        table = "\n".join(["| what | value |", "|---|---|", *rows])
        when = about["when"].partition("T")[0]
        text = f"## The machine of these results\n\nExecuted on {when}, with nothing else running.\n\n{table}"
        notebook.cells.append(nbformat.v4.new_markdown_cell(text, id="machine-of-the-results"))


def add_slider(notebook: NotebookNode, lesson: str, up: str) -> None:
    """Puts a lesson's slider below the finding that it moves; its scripts are loaded when it comes near."""
    after, slider = SLIDERS.get(lesson, ("", ""))
    place = next((i for i, cell in enumerate(notebook.cells) if cell.id == after), None)
    if place is None:
        return
    scripts = " ".join(f"{up}_static/{script}.js" for script in ("model", "marks", "sliders"))
    link = f'<p><a href="{up}try/{slider}.html">Move it</a></p>'
    box = f'<div class="explorable" data-explorable="{slider}" data-scripts="{scripts}">{link}</div>'
    text = f"**Move it.** What would another machine, or another load, have done?\n\n{box}"
    notebook.cells.insert(place + 1, nbformat.v4.new_markdown_cell(text, id="move-it"))


def onward(lesson: str, up: str, buttons: list[str]) -> str:
    """Where a reader goes from here: a drawing, a slider, the cards, the page for dumps; how to run this."""
    ways = []
    if page := DRAWINGS.get(lesson):
        ways.append(f'<a href="{up}{page}.html">draw its run</a>')
    if lesson in SLIDERS:
        ways.append(f'<a href="{up}try/{SLIDERS[lesson][1]}.html">move its slider</a>')
    if lesson in cards.lessons():
        ways.append(f'<a href="{up}versions.html?lesson={lesson}">what it measured on each Java</a>')
    if lesson.startswith(WITH_DUMP):
        ways.append(f'<a href="{up}dump.html">drop a dump of your own service</a>')
    here = f"**On this site:** {', '.join(ways)}.\n\n" if ways else ""
    scripts = "".join(f'<script src="{up}_static/{script}.js"></script>\n' for script in ("guess", "draw"))
    return f"{here}{' '.join(buttons)}\n\n{scripts}"


def reservations(path: Path, about: dict | None) -> Iterator[str]:
    """What a visitor should know before trusting a page: missing or old results, claims that are due."""
    if not about:
        yield "This page has not been run yet: it shows the code without results."
    elif (about.get("code"), about.get("library")) != (recorded.code(path), recorded.library()):
        yield "The course has changed since this page was run: its results are older."
    record, waiting = recorded.rows(), []
    for size, _, why in (one for one in recorded.due(record) if one[1].name == path.name):
        own = [row for row in record if row[:2] == (size, path.stem) and row.claim != recorded.RUN_ALL]
        few = [f"“{literal(row.claim)}”" for row in own if row.judged < recorded.SIZES[size]]
        which = "all claims" if why in DUE else ", ".join(few)
        waiting.append(f"- {QUIET[size]}, for {which} ({DUE.get(why, f'so far {why}')})")
    if waiting:
        sizes = " and ".join(f"{runs} {QUIET[size]}" for size, runs in recorded.SIZES.items())
        yield f"{DUE_CLAIMS} by runs on a quiet machine: {sizes}. These are still to come:"
        yield "\n".join(waiting)


def literal(text: str) -> str:
    """Words in which Markdown sees no marks."""
    return re.sub(r"([\\`*_$<>\[\]])", r"\\\1", text)


def picture(output: NotebookNode, name: str, up: str) -> None:
    """Writes the pictures of an output to files: one also there as a PNG, and its twin for phones."""
    data = output.get("data", {})
    if "image/png" not in data or not INLINE.search(data.get("text/html", "")):
        return
    ends = iter(("", "-phone"))

    def stored(found: re.Match[str]) -> str:
        file = SOURCE / f"_static/pictures/{name}{next(ends)}.png"
        file.write_bytes(base64.b64decode(found[1]))
        return f'src="{up}_static/pictures/{file.name}" loading="lazy"'

    data["text/html"] = INLINE.sub(stored, data["text/html"])
    data.pop("image/png")


def lead(course: Course, page: Path, text: str) -> str:
    """Points the links of a page to other pages, to included files, or to the repository's own page."""

    def mended(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        if anchor.startswith(CELL):
            # JupyterLab's link to a cell
            cell = anchor.removeprefix(CELL)
            place = f"{target.removesuffix('.ipynb')}.html"
            # the first cell is the page's title, and its beginning
            return f'<a href="{place}{"" if cell == "head" else f"#cell-{cell}"}">{words}</a>'
        here = (ROOT / page).parent / target
        path = Path(os.path.normpath(here)).relative_to(ROOT)
        if (SOURCE / path).is_file() or path.name in {one.name for one in [*NOTEBOOKS, *DIVES]}:
            return found[0]
        if here.is_file() and path.suffix not in (".md", ".ipynb"):
            (SOURCE / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(here, SOURCE / path)
            return found[0]
        there = course.file(path.as_posix())
        return f"[{words}]({there}{anchor})" if there else words

    def quoted(found: re.Match[str]) -> str:
        words = finding(read(ROOT / f"notebooks/{found[1]}.ipynb"), found[2])
        language = page.parent.name
        return translations.finding(language, words) if language in translations.LANGUAGES else words

    return FOUND.sub(quoted, LINK.sub(mended, text))


def first_page(course: Course) -> None:
    """Translates the first page, and fills in what depends on this clone in every language."""
    run = course.binder(links.FIRST)
    pages = {SOURCE / "index.md": (SOURCE / "index.md").read_text(encoding="utf-8")}
    for language in translations.LANGUAGES:
        lesson = f"{translations.TOCTREE}\n:hidden:\n\n{translations.LESSON.stem}\n```\n"
        text = translations.page(language, translations.INDEX) + lesson
        pages[SOURCE / f"notebooks/{language}/index.md"] = text
    for file, text in pages.items():
        filled = WITH_BINDER.sub(r" \1 " if run else " ", text).replace("{{binder}}", run)
        file.write_text(filled, encoding="utf-8")


# --- pages ---


def build(course: Course) -> None:
    """Builds the pages; a broken link ends the build."""
    shutil.rmtree(PAGES, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--quiet", "--fail-on-warning"]
    command += ["--doctree-dir", str(SOURCE.parent / "site-doctrees"), "--fresh-env", str(SOURCE), str(PAGES)]
    env = os.environ | {"THREADLAB_REPOSITORY": course.repository, "THREADLAB_SITE": course.site}
    if subprocess.call(command, env=env):
        sys.exit("Sphinx could not build the site: see its messages above.")
    for left in (*PAGES.glob(".buildinfo*"), *PAGES.rglob("*.map")):
        left.unlink()  # only needed to build the theme
    for folder in ("_sources", "_static/vendor/fontawesome"):
        shutil.rmtree(PAGES / folder, ignore_errors=True)
    for script in PAGES.glob("_static/scripts/fontawesome.js*"):
        script.unlink()
    theme = PAGES / "_static/styles/pydata-sphinx-theme.css"
    theme.write_text(FONTS.sub("", theme.read_text(encoding="utf-8")), encoding="utf-8")
    # what a result links to, such as the program of a child JVM
    shutil.copytree(SOURCE / "notebooks/programs", PAGES / "notebooks/programs", dirs_exist_ok=True)
    for file in PAGES.rglob("*.html"):
        # a screen reader speaks the visible words: show the answer
        text = file.read_text(encoding="utf-8").replace(' aria-label="Toggle hidden content"', "")
        # what stands beside the page belongs to a landmark, too
        logo = '<div class="sidebar-primary-item"'
        text = text.replace(f"{logo}>", f'{logo} role="navigation" aria-label="Course">', 1)
        # icons are in own.css, and only the page of the search needs the index
        text = ICONS.sub("", text)
        if file.name != "search.html":
            text = SEARCHES.sub("", text)
        if file.parent.name in translations.LANGUAGES:
            text = text.replace('<html lang="en"', f'<html lang="{file.parent.name}"')
        file.write_text(text, encoding="utf-8")
    shared.write_cards(PAGES, course.site)
    shared.describe(PAGES, course.site)
    # GitHub Pages would hide the folders whose names begin with _
    (PAGES / ".nojekyll").touch()


def megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def install() -> None:
    """Installs Sphinx once, beside the installed packages."""
    wanted = ROOT / "requirements/site.txt"
    own = choose_environment()
    Steps(own.own / "setup.json").step("site", digest(wanted), [], lambda: pip_install(own, wanted))


def foretell() -> None:
    """Says how long the notebooks will run whose results are missing or old."""
    if runs := [path for path in [*NOTEBOOKS, *DIVES] if not fresh(path)]:
        fast = speed()
        took = sum(recorded.seconds(path.stem) or recorded.most_seconds("usual", path.stem) for path in runs)
        print(
            f"{len(runs)} notebooks run first, one after the other: about"
            f" {math.ceil(took / min(fast, 1) / 60)} minutes on this machine (speed {fast:.2f}, 1 is usual)."
            " make site EXECUTED=1 runs none, and shows what has been run.",
            flush=True,
        )


def gathered(run: bool) -> tuple[dict[str, NotebookNode], list[str]]:
    """The notebooks by their place, and those that failed, which show what there was."""
    notebooks, failed = {}, []
    for path in [*NOTEBOOKS, *DIVES]:
        name = path.relative_to(ROOT / "notebooks").as_posix()
        try:
            notebooks[name] = executed(path, run)
        except SystemExit as end:
            print(end, flush=True)
            failed.append(path.name)
            notebooks[name] = executed(path, run=False)
    first = translations.LESSON.name
    lessons = {f"{one}/{first}": translations.lesson(one, notebooks[first]) for one in translations.LANGUAGES}
    return notebooks | lessons, failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executed", action="store_true", help="run nothing: show what build/executed holds")
    parser.add_argument("--address", default="", help="where the site will be, if the origin does not say it")
    arguments = parser.parse_args()
    if run := not arguments.executed:
        foretell()
    install()
    notebooks, failed = gathered(run)
    EXECUTED.mkdir(parents=True, exist_ok=True)
    results = shutil.make_archive(str(ROOT / "build/results"), "zip", EXECUTED)
    start = time.monotonic()
    course = Course(arguments.address)
    gather(course, notebooks)
    build(course)
    packed = shutil.make_archive(str(PAGES), "zip", PAGES)
    seconds = time.monotonic() - start
    if owed := recorded.told(recorded.due(recorded.rows())):
        print(*owed, "Their pages say so; a release waits for them: make claims.", sep="\n")
    print(f"The site: {PAGES / 'index.html'}, {megabytes(PAGES):.0f} MB, in {seconds:.0f} s.")
    if not course.site:
        print(
            "The origin of this clone does not say where the site will be, so a shared link shows its words"
            " but no picture: give the address with --address=https://…"
        )
    print(f"The site as an archive: {packed}; the results alone, for a release: {results}")
    if failed:
        sys.exit(f"It is without a new run of {', '.join(failed)}, which did not reach the end: see above.")


if __name__ == "__main__":
    main()
