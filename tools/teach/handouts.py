"""Writes what a teacher prints into build/teaching: the handout, the prediction sheet, the wrong answers.

make handouts                                   for the notebooks of the plan of 90 minutes
make handouts PLAN=teaching/plan-one-day.md     for those of another plan; NB=05 for one notebook
"""

import argparse
import html
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from nbconvert.filters import markdown2html
from notebooks.runs import NOTEBOOKS, ROOT, numbered, read, tagged, title

TEACHING = ROOT / "teaching"
PRINTED = ROOT / "build/teaching"
PLANS = sorted(TEACHING.glob("plan-*.md"))
HEAD = ["min", "do", "show", "ask before it runs", "expect, and say"]
LINK = re.compile(r"\[[^\]]+\]\(\.\./notebooks/([\w-]+\.ipynb)#cell-id=([\w-]+)\)")
BEGIN = re.compile(r"\*\*Begins with\*\* \[[^\]]+\]\((plan-[\w-]+\.md)\)")
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
@page {{ size: A4; margin: 14mm }}
.anchor-link {{ display: none }}
body {{ font: 10.5pt/1.35 sans-serif; max-width: 182mm; margin: auto }}
h1 {{ font-size: 16pt; margin: 0 0 2mm }}
h2 {{ font-size: 12pt; margin: 4mm 0 1mm; break-after: avoid }}
p {{ margin: 1.5mm 0 }}
table {{ border-collapse: collapse; width: 100% }}
td, th {{ border: 0.3mm solid #999; padding: 0.8mm 1.5mm; text-align: left; vertical-align: top }}
tr {{ break-inside: avoid }}
th:empty, .line {{ width: 28mm }}
code, pre {{ font-family: monospace; font-size: 9pt }}
pre {{ margin: 1mm 0; padding: 1mm 2mm; background: #f4f4f4 }}
</style>
{body}
<p><small>Virtual Threads by Experiment, CC BY 4.0</small></p>
</html>
"""


class Row(NamedTuple):
    """A line of a plan: from when to when, what to do, which cells to show, what to ask and what to say."""

    begin: int
    end: int
    do: str
    cells: list[tuple[str, str]]  # notebook, cell
    ask: str
    say: str


def plan(path: Path) -> list[list[Row]]:
    """The meetings of a plan, each with its lines; those of the plan with which it begins come first."""
    meetings: list[list[Row]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if begun := BEGIN.match(line):
            meetings += plan(path.with_name(begun[1]))
        fields = [field.strip() for field in line.strip("|").split("|")] if line.startswith("|") else []
        if fields == HEAD:
            meetings.append([])
        elif fields and (minutes := re.fullmatch(r"(\d+)–(\d+)", fields[0])):
            _, do, show, ask, say = fields
            meetings[-1].append(Row(int(minutes[1]), int(minutes[2]), do, LINK.findall(show), ask, say))
    return meetings


def plan_named(name: str) -> Path:
    """The plan that a command names, by default that of 90 minutes."""
    path = ROOT / (name or "teaching/plan-90-minutes.md")
    if not path.is_file() or not plan(path):
        sys.exit(f'There is no plan "{name}": name one, such as teaching/plan-90-minutes.md.')
    return path


def plain(text: str) -> str:
    """Replaces formulas by words, for paper and for slides without a network."""
    signs = {r"\lambda": "λ", r"\cdot": "·", r"\Sigma": "Σ", r"\min": "min", "{,}": ",", "\\": ""}

    def words(formula: re.Match) -> str:
        found = formula[1]
        for sign, word in signs.items():
            found = found.replace(sign, word)
        return f"*{found.strip()}*" if len(found) < 4 else found.strip()

    return re.sub(r"\$\$?([^$]+)\$\$?", words, text)


def predictions(path: Path) -> list[str]:
    """What a notebook asks its reader to predict."""
    text = "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    asked = re.findall(r"^> \*\*Predict\.\*\*\s*((?:.+\n?(?:^>.*\n?)*))", text, re.MULTILINE)
    return [plain(re.sub(r"^>\s?", "", question, flags=re.MULTILINE).strip()) for question in asked]


def tables(heading: str, columns: str, paths: list[Path], rows: Callable[[Path], list[str]]) -> str:
    """A page with a table for each notebook."""
    body = [f"<h1>{heading}</h1>"]
    for path in paths:
        body.append(f"<h2>{html.escape(title(path))}</h2><table><tr>{columns}</tr>")
        body += [*(f"<tr>{row}</tr>" for row in rows(path)), "</table>"]
    return PAGE.format(title=heading, body="\n".join(body))


def sheet(paths: list[Path]) -> str:
    """A line for each prediction, with room for a number before and a number after."""

    def rows(path: Path) -> list[str]:
        lines = '<td class="line"><td class="line">'
        return [f"<td>{markdown2html(question)}{lines}" for question in predictions(path)]

    page = tables("What I predict", "<td>the question<th>before<th>measured", paths, rows)
    advice = "<p>Write your number before the cell runs. A wrong number is worth more than none.</p>"
    return page.replace("</h1>", f"</h1>{advice}", 1)


def mistakes(check: str) -> list[tuple[str, str]]:
    """The wrong answers that a check explains: the condition, as in the code, and the explanation.

    For a cell to repair: the cell as it is, and what must hold.
    """
    if repair := re.search(r'Claim\.repair\(\s*"((?:\\.|[^"\\])*)"', check):
        return [("as it stands", f"It breaks the claim: {repair[1]}.")]
    texts = r'((?:\s*\+?\s*"(?:\\.|[^"\\])*")+)'
    found = re.findall(rf"\.mistake\(\s*\w+ -> ((?:[^\"])+?),{texts}\)", check)
    text = r'"((?:\\.|[^"\\])*)"'
    return [(re.sub(r"\s+", " ", condition), "".join(re.findall(text, said))) for condition, said in found]


def answers(paths: list[Path]) -> str:
    """For the teacher: each exercise and its wrong answers, with explanations."""

    def rows(path: Path) -> list[str]:
        stored = read(path)
        return [
            f"<td>{stub.id}<td><code>{html.escape(condition)}</code><td>{html.escape(said)}"
            for stub, check in zip(tagged(stored, "exercise"), tagged(stored, "check"), strict=True)
            for condition, said in mistakes(check.source)
        ]

    columns = "<td>exercise<td>a wrong answer<td>what to say"
    return tables("Wrong answers to expect, and what to say", columns, paths, rows)


def handout() -> str:
    text = (TEACHING / "handout.md").read_text(encoding="utf-8")
    return PAGE.format(title="Virtual threads on two pages", body=markdown2html(text))


def shown(path: Path) -> list[Path]:
    """The notebooks from which a plan shows cells."""
    names = {name for meeting in plan(path) for row in meeting for name, _ in row.cells}
    return [each for each in NOTEBOOKS if each.name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notebook", default="")
    parser.add_argument("--plan", default="")
    asked = parser.parse_args()
    paths = [numbered(asked.notebook)] if asked.notebook else shown(plan_named(asked.plan))
    PRINTED.mkdir(parents=True, exist_ok=True)
    pages = {"handout": handout(), "prediction-sheet": sheet(paths), "wrong-answers": answers(paths)}
    for name, page in pages.items():
        (PRINTED / f"{name}.html").write_text(page, encoding="utf-8")
    print(f"handout, prediction-sheet and wrong-answers: {PRINTED}")


if __name__ == "__main__":
    main()
