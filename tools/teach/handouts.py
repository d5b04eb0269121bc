"""Writes what a teacher prints into build/teaching.

make handouts                                   for the plan of 90 minutes
make handouts PLAN=teaching/plan-hall.md        for another plan; NB=05 for one notebook

handout                 two pages, with no answer that is marked
handout-with-answers    the same, and the exercises with their answers: for the time after the deadline
prediction-sheet        the questions of the plan, each with what one must know to answer it
votes.gift              the same questions as votes for Moodle, as far as the lessons have run here
wrong-answers           for the teacher: what learners answer to each exercise, and what to say
"""

import argparse
import html
import re
from pathlib import Path
from textwrap import dedent

from nbconvert.filters import markdown2html
from notebooks.runs import ROOT, numbered, opened, read, title
from teach import questions
from teach.exercises import Exercise, exercises
from teach.plans import LESSON, TEACHING, page_text, plan, plan_named, scoped, shown
from teach.questions import FACTOR, Question

PRINTED = ROOT / "build/teaching"
PAPER = (TEACHING / "paper.html").read_text(encoding="utf-8")
ASKS = "a sheet with the questions of this table"  # a plan whose questions stand alone says so


def paper(heading: str, body: list[str]) -> str:
    """A page to print."""
    return PAPER.replace("TITLE", heading).replace("<!-- BODY -->", "\n".join(body))


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A table of HTML cells; an empty one is a line to write on."""
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    lines = [[f"<td>{cell}</td>" if cell else '<td class="line"></td>' for cell in row] for row in rows]
    body = "".join(f"<tr>{''.join(line)}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


# --- the prediction sheet ---


def predictions(path: Path) -> list[tuple[str, str]]:
    """What a notebook asks its reader to predict, each with the part and the text that lead to it."""
    found, part = [], ""
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            part = (re.findall(r"^## (.*)", cell.source, re.MULTILINE) or [part])[-1]
            paragraphs = cell.source.split("\n\n")
            for place, paragraph in enumerate(paragraphs):
                if asked := re.match(r"> \*\*Predict\.\*\*\s*(.*)", paragraph, re.DOTALL):
                    own = ("#", ">", "**Finding")
                    before = [one for one in paragraphs[:place] if not one.startswith(own)]
                    setting = f"**{part}.** " + " ".join(before[-1:])
                    found.append((setting, re.sub(r"^>\s?", "", asked[1], flags=re.MULTILINE).strip()))
    return found


def sheet(asked: dict[str, list[tuple[str, str]]]) -> str:
    """A line for each question below its setting, with room for a number before and a number after."""
    body = ["<h1>What I predict</h1>"]
    body.append("<p>Write your number before the cell runs. A wrong number is worth more than none.</p>")
    for heading, each in asked.items():
        lines = [[page_text(f"{setting}\n\n{question}"), "", ""] for setting, question in each]
        body += [f"<h2>{html.escape(heading)}</h2>", table(["the question", "before", "measured"], lines)]
    return paper("What I predict", body)


def of_plan(path: Path) -> dict[str, list[tuple[str, str]]]:
    """The questions of a plan that says so; else those of its lessons, with what leads to them."""
    if ASKS not in path.read_text(encoding="utf-8"):
        return {title(lesson): predictions(lesson) for lesson in shown(path)}
    found: dict[str, list[tuple[str, str]]] = {}
    for row in (row for meeting in plan(path) for row in meeting if row.ask):
        if lesson := LESSON.match(row.do):
            found.setdefault(title(numbered(lesson[1])), []).append(("", row.ask))
    return found


# --- votes ---


def gift(asked: list[Question]) -> str:
    """The questions in Moodle's GIFT format: a number is right within a factor of two, a vote has replies."""
    found = []
    for question in asked:
        if question.replies:
            told = zip(question.spec["options"], question.replies, strict=True)
            right = int(question.measured[1])
            lines = [f"{'~='[at == right]}{bare(a)}#{bare(b)}" for at, (a, b) in enumerate(told, start=1)]
        elif question.spec["kind"] == "figures" and question.measured:
            was = question.measured[question.last]
            lines = [f"#{was / FACTOR:.4g}..{was * FACTOR:.4g}", f"####{bare(question.said(was))}"]
        else:
            continue
        ask = bare(f"{question.ask}{question.at.replace(' at', ' At')}")
        found.append("\n".join([f"::{question.lesson} {question.cell}::[markdown]{ask} {{", *lines, "}", ""]))
    return "\n".join(found)


def bare(text: str) -> str:
    """A text whose signs mean nothing in GIFT, which ends a question at an empty line."""
    return re.sub(r"([~=#{}:\\])", r"\\\1", text).replace("\n", "\\n")


# --- exercises ---


def amount(java: str) -> str:
    """A number as one writes it; a product or quotient is computed."""
    value = 1.0
    for sign, factor in re.findall(r"([*/]?)\s*([\d_.]+)", java):
        number = float(factor.replace("_", ""))
        value = value / number if sign == "/" else value * number
    return f"{value:,.4g}" if value < 1_000 else f"{value:,.0f}"


def in_words(condition: str) -> str:
    """An answer that a check knows, as a learner would say it; '' for one that only code can tell."""
    number = r"(-?[\d_.]+(?: [*/] [\d_.]+)*)"
    forms = {
        rf"\w+ == {number}": "{}",
        rf"\w+ > {number}": "more than {}",
        rf"\w+ < {number}": "less than {}",
        rf"Math\.abs\(\w+ - {number}\) < [\d_.]+": "about {}",
    }
    parts = condition.split(" || ")
    found = ((f, re.fullmatch(p, part)) for part in parts for p, f in forms.items())
    said = [form.format(amount(match[1])) for form, match in found if match]
    return " or ".join(said) if len(said) == len(parts) else ""


def answer(one: Exercise, condition: str) -> str:
    if condition == "as it stands":
        return "the cell as it is"
    return in_words(condition) if one.of_a_number else ""


def answers(paths: list[Path]) -> str:
    """For the teacher: each exercise, what is answered, and what to say to it."""
    body = ["<h1>Wrong answers to expect, and what to say</h1>"]
    for path in paths:
        body.append(f"<h2>{html.escape(title(path))}</h2>")
        for one in exercises(read(path).cells, timed=True):
            body += [f"<h3>{html.escape(one.title)}</h3>", page_text(one.question)]
            rows = [
                [html.escape(answer(one, condition)) or "(the reply says which)", html.escape(said)]
                for condition, said in one.mistakes
            ]
            rows += [["<strong>right</strong>", html.escape(one.right)]] if one.right else []
            body += [table(["the answer", "what to say"], rows)] if rows else []
    return paper("Wrong answers to expect", body)


def handout(paths: list[Path] | None = None) -> str:
    """Two pages without an answer that is marked; with notebooks, their exercises and answers below."""
    body = [scoped(markdown2html((TEACHING / "handout.md").read_text(encoding="utf-8")))]
    for path in paths or []:
        body.append(f"<h2>Answers: {html.escape(title(path))}</h2>")
        for one in exercises(read(path).cells, timed=True):
            solution = f"<pre>{html.escape(dedent(opened(one.answer)).strip())}</pre>"
            body += [f"<h3>{html.escape(one.title)}</h3>", page_text(one.question)]
            body += [f"<p>{html.escape(one.right)}</p>", solution]
    return paper("Virtual threads on two pages", body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notebook", default="")
    parser.add_argument("--plan", default="")
    asked = parser.parse_args()
    path = None if asked.notebook else plan_named(asked.plan)
    paths = shown(path) if path else [numbered(asked.notebook)]
    asks = of_plan(path) if path else {title(paths[0]): predictions(paths[0])}
    PRINTED.mkdir(parents=True, exist_ok=True)
    pages = {
        "handout": handout(),
        "handout-with-answers": handout(paths),
        "prediction-sheet": sheet(asks),
        "wrong-answers": answers(paths),
    }
    for name, page in pages.items():
        (PRINTED / f"{name}.html").write_text(page, encoding="utf-8")
    votes = questions.of_plan(path, run=False) if path else questions.of_lesson(paths[0], run=False)
    (PRINTED / "votes.gift").write_text(gift(votes), encoding="utf-8")
    print(f"{', '.join(pages)} and {len(votes)} votes: {PRINTED}")
    if not votes:
        print("Votes need results: make slides runs the lessons, then make handouts again.")


if __name__ == "__main__":
    main()
