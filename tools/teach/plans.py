"""The plans of teaching/: their lines, the cells that they show, and lessons' texts for paper and slides."""

import base64
import html
import re
import sys
from pathlib import Path
from typing import NamedTuple

from nbconvert.filters import markdown2html
from notebooks.runs import NOTEBOOKS, ROOT

TEACHING = ROOT / "teaching"
DRAWING = re.compile(r"!\[([^\]]*)\]\((?:\.\./)*(drawings/[\w-]+\.svg)\)")
PLANS = sorted(TEACHING.glob("plan-*.md"))
HEAD = ["min", "do", "show", "ask before it runs", "expect, and say"]
LINK = re.compile(r"\[[^\]]+\]\(\.\./notebooks/([\w-]+\.ipynb)#cell-id=([\w-]+)\)")
LESSON = re.compile(r"\*\*(\d\d) · (\d)(?:–(\d))?\*\* ")  # how a line that teaches parts of a lesson begins
BEGIN = re.compile(r"\*\*Begins with\*\* \[[^\]]+\]\((plan-[\w-]+\.md)\)")


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
    signs = {r"\lambda": "λ", r"\cdot": "·", r"\Sigma": "Σ", r"\min": "min", r"\le": "≤"}
    signs |= {"{,}": ",", "\\": ""}

    def words(formula: re.Match) -> str:
        found = re.sub(r"\\sqrt\{([^}]*)\}", r"√(\1)", formula[1])
        for sign, word in signs.items():
            found = found.replace(sign, word)
        return f"*{found.strip()}*" if len(found) < 4 else found.strip()

    # code has dollars of its own, as in a generated class's name
    parts = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.DOTALL)
    parts[::2] = [re.sub(r"\$\$?([^$]+)\$\$?", words, part) for part in parts[::2]]
    return "".join(parts)


def scoped(page: str) -> str:
    """Tells a screen reader to what each head of a table belongs; a head without words is none."""
    page = re.sub(r"<th\b([^>]*)>\s*</th>", r"<td\1></td>", page)
    return re.sub(r"<th\b(?![^>]*scope=)", '<th scope="col"', page)


def image(alt: str, svg: bytes) -> str:
    """A drawing that the page itself holds."""
    data = base64.b64encode(svg).decode()
    return f'<img alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{data}">'


def page_text(markdown: str) -> str:
    """A text of a lesson for paper or a slide: no formulas, no links to its other pages, drawings inside."""
    drawn = DRAWING.sub(lambda at: image(at[1], (ROOT / "notebooks" / at[2]).read_bytes()), markdown)
    text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", plain(drawn))
    return scoped(re.sub(r'<a class="anchor-link".*?</a>', "", markdown2html(text)))


def shown(path: Path) -> list[Path]:
    """The notebooks from which a plan shows cells."""
    names = {name for meeting in plan(path) for row in meeting for name, _ in row.cells}
    return [each for each in NOTEBOOKS if each.name in names]
