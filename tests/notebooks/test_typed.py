"""What people type, and what they must then see: nothing is lost, silent or hung. Takes a minute.

typed.txt is the table.

After each case the next cell answers, prints, and finds the variables of the first cell as they were.
"""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from bootstrap.places import ROOT
from notebooks.runs import process_of, until
from typist import Answer, Desk, Interrupt, Typed, Wait

FIRST = """
import java.util.concurrent.locks.*;
import org.knowm.xchart.*;
int number = 7;
var kept = new ArrayList<>(List.of(1, 2));
record Tea(String name) {}
var tea = new Tea("green");
double[] xs = {1, 2};
"""
# one expression, of a type that can be written: JShell compiles each statement by itself, others twice
NEXT = 'List.<Object>of(Stream.of("said").peek(IO::println).toList(), 1 + 1, number, kept, tea)'
UNCHANGED = "said\n«text/plain» [[said], 2, 7, [1, 2], Tea[name=green]]"

TYPED = Path(__file__).with_name("typed.txt").read_text(encoding="utf-8")
SENTENCES = ROOT / "threadlab/src/main/resources/threadlab/kernel/advice.txt"

LONG = {
    "3,000 terms": (" + ".join(["1"] * 3_000), "«1» («text/plain» 3000|«error»)"),
    "3,000 strings": (" + ".join(["number", *['"a"'] * 3_000]), "«1» («text/plain» 7aaa|«error»)"),
    "500 parentheses": ("(" * 500 + "1" + ")" * 500, "«1» («text/plain» 1$|«error»)"),
    "a method of 70 KB": (
        "void big() { int[] all = {" + "1234, " * 10_000 + "}; }",
        "code too large…at most 65,535",
    ),
    "a text of 77 kB": (
        'var t = """\n' + "abcdefghij\n" * 7_000 + '""";',
        "65,535 bytes…This one has 77,000",
    ),
    "a sum of 80 kB": (
        f'String kept = "{"ab" * 20_000}" + "{"cd" * 20_000}";',
        "65,535 bytes…This one has 80,000",
    ),
    "a text of other letters": (f'"{"茶" * 30_000}"', "65,535 bytes…This one has 90,000"),
}


class Case(NamedTuple):
    name: str
    cells: list[Typed]
    shows: list[str]
    never: list[str]
    values: dict[str, str]
    within: float = 5
    kernel: str = "shared"


FLAGS = re.MULTILINE | re.IGNORECASE
ENDING = ("heap",)  # kernels that may end, with a sentence
SIGNS = str.maketrans({"⏎": "\n", "␍": "\r", "⇥": "\t", "⍽": "\u00a0"})


def cases(text: str) -> Iterator[Case]:
    """The rows of the table, each with what holds for its kind."""
    kind, common, row = "", [], []
    for line in [*text.splitlines(), "# end"]:
        if line.startswith(" "):
            row.append(line)
        elif line:
            if row and row[0].startswith("#"):
                kind, *common = row
            elif row and kind:
                yield case(kind.removeprefix("# "), row + common)
            row = [line]


def case(kind: str, row: list[str]) -> Case:
    name, *lines = row
    made = Case(f"{kind}: {name}", [], [], ["«hung»"], {})
    for line in re.sub(r"\n {8}", "⏎", "\n".join(lines)).splitlines():
        word, _, text = line.strip().partition(" ")
        text = text.translate(SIGNS)
        pattern = text.replace("…", r"[\s\S]*")
        match word:
            case "type" | "then":
                made.cells.append(text)
            case "interrupt":
                made.cells.append(Interrupt(float(text or 0.4)))
            case "answer":
                made.cells.append(Answer(None if text == "nobody" else text))
            case "wait":
                made.cells.append(Wait(float(text)))
            case "shows":
                made.shows.append(pattern)
            case "not":
                made.never.append(pattern)
            case "so":
                left, right = text.split(" → ")
                made.values[left] = right
            case "within":
                made = made._replace(within=float(text))
            case "kernel":
                made = made._replace(kernel=text)
            case _:
                raise ValueError(f"{kind}: {name}: no line begins with {word}: see the head of typed.txt")
    return made


def long() -> Iterator[Case]:
    """What no table can show: the cell, then an import and a value, which a failure would spoil."""
    for name, (cell, shows) in LONG.items():
        pattern = shows.replace("…", r"[\s\S]*")
        yield Case(f"long: {name}", [cell, "// c\nimport java.util.zip.*;"], [pattern], ["«hung»"], {}, 20)


def sentences() -> Iterator[Case]:
    """The rows of the kernel's own table that say how to see them."""
    for block in re.split(r"\n\s*\n", SENTENCES.read_text(encoding="utf-8")):
        row = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith("#"))
        if "typed" in row:
            typed = row["typed"].translate(SIGNS)
            said = re.escape(row["say"]).replace(r"\{java\}", r"\d+")
            errors = [[], ["«error»"]] if "legal" not in row else [["«error»"], []]
            yield Case(f"sentence: {typed}", [typed], [*errors[1], said], [*errors[0], "«hung»"], {}, 8)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("temporary"), FIRST)
    with desk.open:
        yield desk


COMPLETIONS = {  # with the cursor at |, and what one of the suggestions makes of it
    "kept.siz|": "kept.size()",
    '"😀".leng|': '"😀".length()',
    'var e = "😀😀"; kept.isEmp|': 'var e = "😀😀"; kept.isEmpty()',
    "// 😀\nkept.isEmp|ty": "// 😀\nkept.isEmpty()ty",
    "/* 😀 */ number + kep|": "/* 😀 */ number + kept",
    'var größe = "😀数"; größe.isBl|': 'var größe = "😀数"; größe.isBlank()',
    "// 😀\n%lib|": "// 😀\n%libraries",
    'String.valueOf("😀").lengt| + "😀"': 'String.valueOf("😀").length() + "😀"',
    "import java.util.conc|": "import java.util.concurrent.",
}


@pytest.mark.parametrize(("source", "whole"), COMPLETIONS.items())
def test_a_suggestion_replaces_what_was_typed(desk: Desk, source: str, whole: str) -> None:
    cell, at = source.replace("|", ""), source.index("|")
    reply = desk.typist_of("shared").client.complete(cell, at, reply=True, timeout=5)["content"]
    made = [cell[: reply["cursor_start"]] + match + cell[reply["cursor_end"] :] for match in reply["matches"]]
    assert whole in made


TABLE = [*long(), *cases(TYPED)]
MIDDLE = next(i for i, case in enumerate(TABLE) if case.name.startswith("output:"))
SHARED_OUT = {Path(__file__).stem: TABLE[:MIDDLE], "typed, its end": TABLE[MIDDLE:], "sentences": sentences()}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=pytest.mark.xdist_group(group))  # each by another worker
        for group, some in SHARED_OUT.items()
        for case in some
    ],
)
def test_what_people_type(desk: Desk, case: Case) -> None:
    typist = desk.typist_of(case.kernel)
    page = typist.type(*case.cells, within=case.within)
    missing = [pattern for pattern in case.shows if not re.search(pattern, page, FLAGS)]
    wrong = [pattern for pattern in case.never if re.search(pattern, page, FLAGS)]
    found = {what: typist.value(what) for what in case.values if typist.usable}
    next_cell = typist.value(NEXT, within=2) if typist.usable else ""
    typist.usable = next_cell == UNCHANGED  # else the next case gets another kernel
    assert not missing and not wrong, page[:3_000]
    assert found == case.values
    assert next_cell == UNCHANGED or (case.kernel in ENDING and "«ended»" in page + next_cell)


def test_a_heap_that_stays_full_ends_the_kernel_with_a_sentence(desk: Desk) -> None:
    typist = desk.typist_of("heap kept full")
    page = typist.type(
        "var hoard = new ArrayList<long[]>();\nwhile (true) { hoard.add(new long[100_000]); }", within=20
    )
    typist.usable = False
    until("the kernel has ended", lambda: not typist.manager.is_alive(), 10)
    assert "the kernel ends" in page, page


@pytest.mark.parametrize(
    "print", ['System.out.println("line " + i)', "System.out.print(\"line \" + i + '\\n')"]
)
def test_200_000_lines_arrive_or_it_is_said_how_many_were_cut(desk: Desk, print: str) -> None:
    typist = desk.typist_of("output")
    begin = time.monotonic()
    page = typist.type(f"for (int i = 0; i < 200_000; i++) {print};", within=30)
    took, lines = time.monotonic() - begin, re.findall(r"line (\d+)$", page, re.MULTILINE)
    cut = re.search(r"(?i)([\d,]+) lines? .*(cut|not shown)", page)
    missing = int(cut[1].replace(",", "")) if cut else 0
    assert typist.usable and len(lines) + missing == 200_000, page[-1_000:]
    assert lines == sorted(lines, key=int)
    assert psutil.Process(process_of(typist.manager)).memory_info().rss < 900e6
    assert typist.value(NEXT, within=2) == UNCHANGED
    assert took < 3
