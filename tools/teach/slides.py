"""Writes slides for a browser from the last run of notebooks: build/slides/index.html.

make slides                                the plan of 90 minutes
make slides PLAN=teaching/plan-hall.md     another one
make slides NB=04                          one lesson: for each part its question, a chart and its finding

Each line of a plan is a column of slides: its question, then each cell as code and result, then the findings.
Each slide has notes (key S): what to ask, to expect and to say. The page needs no network and no mouse.
"""

import argparse
import html
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from itertools import pairwise, takewhile
from math import ceil
from pathlib import Path
from typing import NamedTuple

from nbconvert.filters import Highlight2HTML
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter
from notebooks import form, reading
from notebooks.claims import executed
from notebooks.java import blank, calls, declared, used
from notebooks.java import parts as java_parts
from notebooks.recorded import numbers
from notebooks.recorded import rows as record
from notebooks.runs import ROOT, numbered, read, title
from teach.exercises import exercise_of
from teach.picture import picture
from teach.plans import LESSON, LINK, TEACHING, Row, page_text, plain, plan, plan_named, scoped
from teach.questions import Line, Question, asks, exported, guessed, of_row, voted

SLIDES = ROOT / "build/slides"
REVEAL = SLIDES / "reveal"
PINS = ROOT / "requirements/slides.txt"
TEMPLATE = TEACHING / "slides/page.html"
NEEDED = r"(?:dist/(?:reveal|reset)\.(?:js|css)|dist/theme/white\.css|plugin/notes/)"  # of reveal.js
WIDTH, HEIGHT = 1232, 668  # of a slide, without its margins
# a chart of the course is 700 pixels wide, and the numbers at its axes are 13 high; on a picture that is 4 m
# wide, letters of 20 are twice as high as the smallest that normal sight reads from 17 m
CHART, TICKS, LEAST = 700, 13, 20
# the most lines of code, of output, rows and letters of a table on one slide
CODE, LINES, ROWS, LETTERS = 22, 14, 11, 600
PROGRESS = re.compile(r"(trials?|loads?|requests?|rounds?) (and|in)\b.* in [\d.,]+ s\s*$")
# what the library says of its own work: it goes into the notes
ASIDE = re.compile(
    r" rounds? at the small scale|\bis left out: |were the bottleneck|^Added the libraries|this machine only"
    r"|when the next cell began"
)
WARNING = re.compile(r"\[[\d.]+s\]\[warning\]")  # the JVM's own, which a hall need not read
# what a page asks its reader to do with a cell
DIRECTION = re.compile(r" ?(?:Run the next cell and draw|Draw) a line\.")
BUSY = '<p class="busy">Drawn while other programs used the CPUs.</p>'
KEYS = (
    "Keys: → and ↓ go on, Space does both, Esc shows all slides, F fills the screen, S opens these notes in"
    " a window of their own, B makes the picture black. Everything works without a mouse."
)


class Slide(NamedTuple):
    heading: str
    body: str  # HTML
    notes: str  # Markdown
    kind: str = "words"  # question, code, result, chart or finding: how the page draws it
    first: bool = False  # of a column


def reveal() -> None:
    """Puts reveal.js beside the page, from the pinned package that ships it."""
    if (REVEAL / "dist/reveal.js").is_file():
        return
    fetched = SLIDES / "package"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    if subprocess.call([*pip, "--require-hashes", f"--dest={fetched}", "-r", str(PINS)]):
        sys.exit("reveal.js could not be fetched: pip says above why.")
    (package,) = fetched.glob("*.whl")
    with zipfile.ZipFile(package) as files:
        for name in files.namelist():
            if found := re.match(rf"sphinx_revealjs/_static/revealjs/({NEEDED}.*)", name):
                target = REVEAL / found[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(files.read(name))
    shutil.rmtree(fetched)


# --- code ---


def experiment(source: str) -> str:
    """The code of a cell without what only draws, and nothing if the rest only judges a claim."""
    for live in reversed(calls(source, r"\.live")):
        source = source[: live.begin].rstrip() + source[live.end :]
    whole = [part for _, part in java_parts(source)]
    drawn = [part for part in whole if re.search(r"\bPlots\.|\.setTitle\(", blank(part))]
    kept = [part for part in whole if part not in drawn]
    named = {name for part in drawn for name in used(part)}

    def only_a_title(part: str) -> bool:
        others = {name for other in kept if other != part for name in used(other)}
        text = re.match(r"\s*(?:String|var) \w+ = .*\.formatted\(", part, re.DOTALL)
        return bool(text and declared(part) & named and not declared(part) & others)

    kept = [part for part in kept if not only_a_title(part)]
    judges = any(re.search(r"\bClaims?\.", part) for part in kept)
    if judges and not re.search(rf"{reading.THREADS.pattern}|\.run\(|\.call\(", "\n".join(kept)):
        return ""  # what it says of itself is enough
    if all(re.fullmatch(r"\s*(\w+\s*|System\.out\.println\(.*)", part, re.DOTALL) for part in kept):
        return ""
    return "\n".join(kept).strip("\n")


def code(heading: str, source: str, notes: str) -> Iterator[Slide]:
    """The code on as many slides as it needs."""
    lines = source.splitlines()
    count = ceil(len(lines) / CODE)
    for place in range(count):
        part = lines[place * len(lines) // count : (place + 1) * len(lines) // count]
        shown = Highlight2HTML(pygments_lexer="java")("\n".join(part), None)
        yield Slide(heading + (f" ({place + 1} of {count})" if count > 1 else ""), shown, notes, "code")


# --- results ---


def chart(output: NotebookNode, notes: str) -> Iterator[Slide]:
    """A chart over the whole slide; one that would be too small is shown from the top, then further down."""
    size, picture = output.metadata["image/png"], output.data["image/png"].replace("\n", "")
    alt = html.escape(size.get("alt", "A chart."), quote=True)
    least = LEAST / TICKS * CHART / size["width"]
    fits = min(WIDTH / size["width"], HEIGHT / size["height"])
    scale = fits if fits >= least else least
    high = size["height"] * scale
    count = ceil(high / HEIGHT - 0.001)
    for place in range(count):
        up = (high - HEIGHT) * place / (count - 1) if count > 1 else 0
        image = (
            f'<img alt="{alt}" src="data:image/png;base64,{picture}" width="{size["width"] * scale:.0f}"'
            f' height="{high:.0f}" style="margin-top:-{up:.0f}px">'
        )
        said = re.sub(r"^Chart: |\.(?:\s.*|$)", "", size.get("alt", "A chart"), flags=re.DOTALL)
        more = f" ({place + 1} of {count})" if count > 1 else ""
        yield Slide(said + more, f'<div class="window">{image}</div>', notes, "chart")


def tables(found: str) -> Iterator[str]:
    """A table in pieces that fit on a slide, each with its head."""
    [(head, body)] = re.findall(r"(<thead>.*?</thead>)\s*<tbody>(.*?)</tbody>", found, re.DOTALL)
    rows = re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    letters = sum(len(re.sub("<[^>]*>", "", row)) for row in rows)
    count = max(1, ceil(len(rows) / ROWS), min(len(rows), ceil(letters / LETTERS)))
    for place in range(count):
        some = rows[place * len(rows) // count : (place + 1) * len(rows) // count]
        yield scoped(f"<table>{head}<tbody>{''.join(some)}</tbody></table>")


def printed(text: str) -> str:
    lines = re.sub(r"\x1b\[[\d;]*m", "", text).strip("\n").splitlines()
    lines = [line for line in lines if not WARNING.match(line)] or lines
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], f"… and {len(lines) - LINES + 1} lines more"]
    return f"<pre>{html.escape(chr(10).join(lines))}</pre>"


def on_a_quiet_day(output: NotebookNode) -> str:
    """A claim that could not be judged because other programs used the CPUs: as the record has it."""
    found = claim(output)
    if not found or found[0] != "≈":
        return ""
    for row in record():
        if (row.size, row.claim) == ("usual", found[1]) and row.judged:
            told = f"{row.value:,.4g}, allowed: {row.bound}; recorded with {row.machine}, {row.date[:10]}"
            statement = f"<strong>{'✔' if row.held else '✘'} {html.escape(found[1])}</strong><br>"
            return f"<p>{statement}{html.escape(told)}</p>"
    return ""


def results(cell: NotebookNode, heading: str, notes: str) -> Iterator[Slide]:
    """What a cell has shown: its charts, its tables, and all short results together."""
    short, aside, large = list[str](), list[str](), list[Slide]()
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            large += chart(output, notes)
        elif "<thead" in data.get("text/html", ""):
            large += [Slide(heading, table, notes, "result") for table in tables(data["text/html"])]
        elif "text/html" in data:
            data = data | {"text/html": on_a_quiet_day(output) or data["text/html"]}
            if not PROGRESS.search(re.sub("<[^>]*>", "", data.get("text/plain", ""))):
                short.append(data["text/html"])
        elif "text/markdown" in data:
            short.append(page_text(data["text/markdown"]))
        elif output.output_type == "error":
            short.append(printed("\n".join(output.traceback)))
        elif text := (output.get("text") or data.get("text/plain", "")).strip():
            (aside if ASIDE.search(text) else short).append(printed(text))
    if any(slide.kind == "chart" for slide in large):
        aside, short = aside + short, []
    words = html.unescape(re.sub("<[^>]*>", " ", "\n\n".join(aside)))
    notes = f"{notes}\n\n{words}" if words else notes
    first = [Slide(heading, "\n".join(short), notes, "result")] if short else []
    yield from (slide._replace(notes=notes) for slide in first + large)


# --- notes and texts ---


def around(cells: list[NotebookNode], at: int) -> tuple[str, str]:
    """The text before a cell, from the last code on, and the text after it, up to the next code."""
    before = [*takewhile(is_text, reversed(cells[:at]))]
    begin = next((i for i, cell in enumerate(before) if reading.heading(cell)[0] <= 3), len(before))
    before = before[begin::-1]  # from the heading of the part on
    after = takewhile(lambda cell: is_text(cell) and reading.heading(cell)[0] > 3, cells[at + 1 :])
    # without what the next cell asks
    return words_of(before), re.sub(r"^> \*\*Predict.*", "", words_of(after), flags=re.MULTILINE)


def is_text(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown"


def words_of(cells: Iterable[NotebookNode]) -> str:
    return "\n\n".join(cell.source for cell in cells if is_text(cell))


def minutes(row: Row) -> str:
    return f"**{row.begin}–{row.end} min** {row.do}" if row.end else row.do


def exercise(cells: list[NotebookNode], at: int, shown: set[str], row: Row) -> Iterator[Slide]:
    """The question above its stub, and the code that it starts from; the answers are in the notes."""
    one = exercise_of(cells, cells[at])
    heading, begin, stub = one.title, cells.index(one.text), one.stub.source
    told = [f"`{condition}`: {said}" for condition, said in one.mistakes]
    answer = f"The answer:\n\n```java\n{one.answer}\n```"
    notes = "\n\n".join([minutes(row), row.say, "Wrong answers:" if told else "", *told, answer])
    short = stub.count("\n") < 6
    if vote := voted("", cells, cells[at]):  # what a hall chooses from
        block = "".join(f"<li>{html.escape(option)}</li>" for option in vote.spec["options"])
        block = f'<ol class="vote">{block}</ol>'
    else:
        block = Highlight2HTML(pygments_lexer="java")(stub, None) if short else ""
    yield Slide(heading, page_text(vote.ask if vote else one.question) + block, notes, "exercise")
    if not short and not vote:
        yield from code(heading, stub, notes)
    for cell in cells[begin + 1 : at]:
        if cell.cell_type == "code" and cell.id not in shown:
            yield from code(heading, experiment(cell.source), f"What the exercise starts from. {row.say}")


def lesson_cell(cells: list[NotebookNode], cell_id: str, row: Row, heading: str) -> Iterator[Slide]:
    """A cell that a plan shows, as slides: its code, then what it has shown."""
    at = next((i for i, cell in enumerate(cells) if cell.id == cell_id), None)
    if at is None:
        sys.exit(f'There is no cell "{cell_id}" in the lesson: mend the link in the plan.')
    cell = cells[at]
    if "exercise" in reading.tags(cell):
        yield from exercise(cells, at, {name for _, name in row.cells}, row)
        return
    if asks(cell):
        return  # its axes stand on the slide of the question
    if is_text(cell):
        apart = r"^#+ .*\n|^> \*\*Predict.*|^\*\*(Finding|Look)\.\*\*.*"
        text = page_text(re.sub(apart, "", cell.source, flags=re.MULTILINE))
        yield Slide(heading, text, f"{minutes(row)}\n\n{row.say}", "words")
        return
    before, after = around(cells, at)
    notes = [re.sub(r"^#+ ", "", text, flags=re.MULTILINE) for text in (before, after)]
    # whoever discusses a result, or has a break, needs no code again
    if LESSON.match(row.do) and (source := experiment(cell.source)):
        yield from code(heading, source, notes[0] or minutes(row))
    yield from results(cell, heading, notes[1] or row.say or minutes(row))


# --- a chart of claims, for a part that draws nothing ---


def claim(output: NotebookNode) -> tuple[str, str, float, str] | None:
    """The mark, words, figure and bound of a claim, as its cell shows it."""
    text = output.get("data", {}).get("text/html", "").replace("<br>", "\n")
    figure = r"(?:.*?: )?(-?[\d,.]+(?:E-?\d+)?)(?: \(.*?\))?"
    shown = html.unescape(re.sub("<[^>]*>", "", text))
    found = re.match(rf"([✔✘≈]) (.*)\n{figure}, allowed: (.*?)(?:; |\. )", shown)
    return (found[1], found[2], float(found[3].replace(",", "")), found[4]) if found else None


def claims_of(part: list[NotebookNode]) -> list[tuple[str, str, float, str]]:
    return [one for cell in part for output in cell.get("outputs", []) if (one := claim(output))]


def of_claims(part: list[NotebookNode]) -> str:
    """Up to four claims of a part: what was measured, on a line with what is allowed."""
    shown = claims_of([cell for cell in part if reading.is_claim(cell)])[:4]
    # counts share an axis; other figures have units of their own
    counts = all(bound.startswith("exactly ") for *_, bound in shown)
    most = 1.15 * max((value for _, _, value, _ in shown), default=0)
    lanes = []
    for mark, words, value, bound in shown:
        first, *rest = numbers(bound)
        around = rest[-1] if rest else first
        low, high = around, around
        if bound.startswith("within "):
            low, high = around * (1 - first / 100), around * (1 + first / 100)
        end = (most if counts else 1.15 * max(value, high, first if "at " in bound else 0)) or 1
        if bound.startswith("at least "):
            low, high = first, end
        elif bound.startswith("at most "):
            low, high = 0, first
        left, right, dot = (100 * max(0, x) / end for x in (low, high, value))
        lanes.append(
            f'<li><p>{mark} {html.escape(words)}</p><div class="lane" aria-hidden="true">'
            f'<span class="allowed" style="left:{left:.1f}%;width:{max(right - left, 0.6):.1f}%"></span>'
            f'<span class="dot" style="left:{dot:.1f}%"></span></div>'
            f"<p><strong>{value:,g}</strong> measured; allowed, grey: {html.escape(bound)}</p></li>"
        )
    return f'<ul class="lanes">{"".join(lanes)}</ul>' if lanes else ""


def figure(part: list[NotebookNode], heading: str, notes: str) -> list[Slide]:
    """A part's last chart; without one, its claims as a chart, a table, or what a cell has printed."""
    own = [cell for cell in part if not reading.tags(cell) & {"exercise", "check", "solution"}]
    shown = [found for cell in own if (found := [*results(cell, heading, notes)])]
    charts = [[slide for slide in found if slide.kind == "chart"] for found in shown]
    if drawn := [*filter(None, charts)]:
        return drawn[-1]
    if lanes := of_claims(own):
        return [Slide(heading, lanes, notes, "claims")]
    if not shown and (lines := re.search(r"(?:^\|.*\n?)+", words_of(own), re.MULTILINE)):
        return [Slide(heading, table, notes, "result") for table in tables(page_text(lines[0]))]
    return shown[-1] if shown else []


def busy(lesson: NotebookNode) -> set[str]:
    """The cells of parts in which a claim could not be judged, because other programs used the CPUs."""
    open_ = [part for part in parts(lesson).values() if "≈" in {mark for mark, *_ in claims_of(part)}]
    return {cell.id for part in open_ for cell in part}


def parts(lesson: NotebookNode) -> dict[int, list[NotebookNode]]:
    """The cells of each part of a lesson's core, with the last run's results."""
    core, _ = reading.divided(lesson)
    begins = [i for i, cell in enumerate(core) if re.match(r"## \d+ · ", cell.source)]
    end = next(i for i, cell in enumerate(core) if reading.heading(cell)[1] in form.TAIL)
    return {int(core[a].source.split()[1]): core[a:b] for a, b in pairwise([*begins, end])}


def said(part: list[NotebookNode]) -> tuple[str, list[str]]:
    """The finding of a part, and what it asks to predict."""
    texts = words_of(part)
    [finding] = re.findall(rf"^{re.escape(reading.FINDING)}(.*)", texts, re.MULTILINE)
    return finding, re.findall(r"^> \*\*Predict\.\*\* (.*)", texts, re.MULTILINE)


# --- decks ---


def axes(question: Question, notes: str, first: bool) -> Slide:
    """A question above its empty axes."""
    return Slide(plain(re.sub(r"[*`]", "", question.ask)), picture(question), notes, "axes", first)


def believed(question: Question, lines: list[Line], notes: str) -> Slide:
    """What a hall has drawn, and what was measured."""
    told = f"<p>{html.escape(question.told(lines))} <strong>{html.escape(question.share(lines))}</strong></p>"
    return Slide("What you drew", picture(question, lines, shown=True) + told, notes, "axes")


def of_lesson(path: Path) -> Iterator[Slide]:
    """A lesson for a presenter: for each part its question, its chart and its finding."""
    for part in parts(executed(path)).values():
        heading = reading.heading(part[0])[1]
        finding, asked = said(part)
        explained = re.findall(r"^\*\*(?:Look|Explain)\.\*\* .*", words_of(part), re.MULTILINE)
        notes, slides = "\n\n".join(explained) or finding, list[Slide]()
        if asked:
            body = "".join(page_text(DIRECTION.sub("", one)) for one in asked[-2:])
            ask = "Let everybody write an answer down before you go on."
            slides.append(Slide(heading, body, f"{ask}\n\n{notes}", "question"))
            drawn = filter(None, (guessed(path.name[:2], cell) for cell in part if asks(cell)))
            slides += [axes(question, ask, False) for question in drawn]
        slides += figure(part, heading, notes)
        own = f"Say it in your own words first.\n\n{notes}"
        slides.append(Slide(heading, page_text(finding), own, "finding"))
        yield from (slide._replace(first=not place) for place, slide in enumerate(slides))
    [points] = re.findall(r"## Key points\n(.*?)\n\n", read(path).cells[-1].source, re.DOTALL)
    yield Slide("Key points", page_text(points), "Which of these surprised you?", "words", first=True)


def of_plan(path: Path) -> Iterator[Slide]:
    """Each line of a plan: its question, its cells, and the findings of its parts."""
    rows = [row for meeting in plan(path) for row in meeting if row.cells]
    names = sorted({name for row in rows for name, _ in row.cells})
    lessons = {name: executed(ROOT / "notebooks" / name) for name in names}
    drawn, unquiet = exported(), {name: busy(lesson) for name, lesson in lessons.items()}
    for row in rows:
        done = re.split(r"[.;:]", LESSON.sub("", row.do))[0]
        told = LINK.sub("", "\n\n".join([minutes(row), f"Expect, and say: {row.say}" if row.say else ""]))
        asked = [question for question in of_row(row, lessons) if not question.replies]
        for place, question in enumerate(asked):
            yield axes(question, told, first=not place)
        if row.ask and not asked:
            yield Slide(plain(done), page_text(row.ask), told, "question", first=True)
        shown = []
        for name, cell in row.cells:
            for one in lesson_cell(lessons[name].cells, cell, row, plain(done)):
                note = BUSY if one.kind == "chart" and cell in unquiet[name] else ""
                shown.append(one._replace(body=one.body + note))
        if not row.ask:  # what the lecturer does is in the notes
            shown = shown or [Slide(plain(done), "", "", "words")]
            shown[0] = shown[0]._replace(first=True, notes=f"{told}\n\n{shown[0].notes}")
        yield from shown
        for question in of_row(row, lessons):
            if lines := drawn.get((question.lesson, question.cell)):
                yield believed(question, lines, told)
        if label := LESSON.match(row.do):
            first, last = int(label[2]), int(label[3] or label[2])
            own = parts(lessons[numbered(label[1]).name])
            taught = [part for number, part in own.items() if first <= number <= last]
            body = "".join(page_text(said(part)[0]) for part in taught)
            yield Slide("Finding" + "s" * (len(taught) > 1), body, row.say or minutes(row), "finding")


def deck(path: Path) -> str:
    """The page of a plan or of a lesson."""
    lesson = path.suffix == ".ipynb"
    heading = title(path) if lesson else path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    slides = [Slide(heading, "<p>Virtual Threads by Experiment</p>", KEYS, "title", first=True)]
    slides += of_lesson(path) if lesson else of_plan(path)
    columns: list[list[str]] = []
    for slide in slides:
        if slide.first:
            columns.append([])
        columns[-1].append(
            f'<section class="{slide.kind}"><h1>{html.escape(slide.heading)}</h1>'
            f'<div class="body">{slide.body}</div>'
            f'<aside class="notes">{page_text(slide.notes)}</aside></section>'
        )
    body = "\n".join(f"<section>{''.join(column)}</section>" for column in columns)
    look = HtmlFormatter(style="default").get_style_defs(".highlight")
    made = TEMPLATE.read_text(encoding="utf-8").replace("/* CODE */", look)
    return made.replace("TITLE", html.escape(heading)).replace("<!-- SLIDES -->", body)


def write(path: Path) -> Path:
    """Writes the slides of a plan or a notebook as a page."""
    SLIDES.mkdir(parents=True, exist_ok=True)
    reveal()
    (SLIDES / "index.html").write_text(deck(path), encoding="utf-8")
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
