"""One chart of a class: from files like the recorded run, beside broken and hostile ones. Takes a second."""

import base64
import csv
import io
import random
import re
from pathlib import Path

import pytest
from notebooks.runs import NOTEBOOKS, ROOT, code_cells, load, read
from teach import classroom
from teach.classroom import COLUMNS, Known, collect
from teach.questions import Question

LEARNERS = 60
CPUS = [1, 2, 4, 8, 12, 16, 64]
RECORDED = ROOT / "data/recorded"
SOURCE = "".join(cell.source for cell in code_cells(read(NOTEBOOKS[0])))
EXPERIMENT = re.findall(r'Trials.of\("([^"]+)"', SOURCE)[0]
CLAIMS = dict(zip(re.findall(r'Claim.that\("([^"]+)"', SOURCE), (1.25, 1.3), strict=False))


def handed_in(chance: random.Random) -> list[list[str]]:
    """A learner's possible file: the recorded run, on a faster or slower, larger or smaller machine."""
    slow, cpus = chance.lognormvariate(0, 0.4), chance.choice(CPUS)
    facts = {row["what"]: row["value"] for row in load(RECORDED / "00-sleepers.machine.csv")}
    facts |= {"CPUs": f"{cpus} amd64", "platform threads that fit": f"about {min(32_000, 4_000 * cpus):,}"}
    rows = [["machine", what, "", "", "", "", value, "", ""] for what, value in facts.items()]
    for row in load(RECORDED / "00-sleepers.csv")[::3]:
        seconds = f"{1 + slow * (float(row['seconds']) - 1):.6f}"
        rows.append(["figure", EXPERIMENT, row["contender"], row["n"], "seconds", seconds, "", "", ""])
    for side, most in (("guess", 900), ("measured", 2)):
        rows.append([side, "n tasks", "", "1000", "seconds", f"{chance.uniform(1, most):.1f}", "", "", ""])
    rows.append(["guess", "what stands there", "", "1", "choice", "2", "a lambda", "", ""])
    for claim, bound in CLAIMS.items():
        verdict = [f"{bound * slow / 1.6:.3f}", f"at most {bound}", "✔" if slow <= 1.6 else "✘", "50.0"]
        rows.append(["claim", claim, "", "", "", *verdict])
    return rows


def text(rows: list[list[str]], head: list[str] = COLUMNS) -> str:
    written = io.StringIO()
    csv.writer(written).writerows([head, *rows])
    return written.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file of each learner."""
    chance = random.Random(7)
    for learner in range(LEARNERS):
        file = tmp_path / f"group {learner % 9}/00-{learner:08x}.csv"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text(handed_in(chance)), encoding="utf-8")
    return tmp_path


def bad() -> dict[str, bytes]:
    """Files that cannot be drawn, by name."""
    rows = handed_in(random.Random(1))
    kinds = [row[0] for row in rows]
    figure, cpus = kinds.index("figure"), next(at for at, row in enumerate(rows) if row[1] == "CPUs")
    changes = {
        "formula": (0, 6, '=HYPERLINK("http://example.org","look")'),
        "minus": (0, 6, "-2+3+cmd|' /C calc'!A0"),
        "infinite": (figure, 5, "1e999"),
        "negative": (figure, 5, "-1"),
        "too-many-cpus": (cpus, 6, "9" * 30),
        "kind": (figure, 2, "my own"),
        "control": (0, 6, "\x1b[2J"),
        "long": (0, 6, "x" * 5_000),
    }
    spoilt = {"columns": text(rows, COLUMNS[::-1]), "other-notebook": text(rows[:figure]), "empty": ""}
    for name, (at, field, word) in changes.items():
        row = [*rows[at][:field], word, *rows[at][field + 1 :]]
        spoilt[name] = text([*rows[:at], row, *rows[at + 1 :]])
    spoilt["huge"] = text(rows) + "x" * 300_000
    return {name: content.encode() for name, content in spoilt.items()} | {"picture": bytes(range(256))}


def test_each_unusable_file_costs_one_sentence_and_no_other_machine(folder: Path) -> None:
    spoilt = bad() | {"zz again": next(folder.glob("group 0/*.csv")).read_bytes()}
    for name, content in spoilt.items():
        (folder / f"{name}.csv").write_bytes(content)
    (folder / "link.csv").symlink_to("/etc/passwd")
    (folder / "folder.csv").mkdir()
    machines, told = collect(folder, Known.of("00"))
    assert len(machines) == LEARNERS and {len(one.claims) for one in machines} == {2}
    assert {one.count("CPUs") for one in machines} == {*CPUS}
    assert len(told) == len(spoilt) + 2
    for name in [*spoilt, "link", "folder"]:
        (sentence,) = [line for line in told if line.startswith(f"{name}.csv ")]
        assert len(sentence) < 200 and sentence.endswith(".") and sentence.isprintable(), sentence


def test_what_is_written_holds_nothing_that_a_spreadsheet_calculates(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classroom, "CLASS", tmp_path / "out")
    classroom.write(collect(folder, Known.of("00"))[0], "00", [])
    for file in (tmp_path / "out").glob("*.csv"):
        for row in csv.reader(file.open(encoding="utf-8")):
            assert not [field for field in row if field[:1] in tuple("=+-@")], file
    claims = load(tmp_path / "out/claims.csv")
    assert [row["machines"] for row in claims] == [str(LEARNERS)] * 2
    assert 0 < int(claims[0]["✘"]) < LEARNERS
    machines = load(tmp_path / "out/machines.csv")
    assert {row["first ✘"] for row in machines} == {"", next(iter(CLAIMS))}


def test_one_hostile_file_does_not_decide_what_is_drawn(folder: Path) -> None:
    """Its own figure, contender and size are left out, as is a value that would flatten the chart."""
    known = Known.of("00")
    class_ = collect(folder, known)[0][:30]
    rows = handed_in(random.Random(3))
    first = next(row[1:5] for row in rows if row[0] == "figure")
    own = [list(first) for _ in first]
    for field, word in enumerate(("my experiment", "virtual, mine", "999999999", "my figure")):
        own[field][field] = word
    far = [[*row[:5], "1.0E9", *row[6:]] if row[0] == "figure" else row for row in rows]
    sent = [*(["figure", *four, "1", "", "", ""] for four in own), *far]
    (folder / "0-first.csv").write_text(text(sent), encoding="utf-8")
    (one, *_), told = collect(folder, known)
    assert not told and {key.figure for key in one.figures} == {"seconds"}
    assert classroom.drawn([*class_, one], known) == classroom.drawn(class_, known)
    assert {place for place, *_ in classroom.drawn([one, *class_], known)} == set(range(2, 32))


def test_what_a_class_believed_is_drawn_with_a_ring_for_each_machine(folder: Path) -> None:
    spec = {
        "kind": "figures",
        "about": "n tasks",
        "figure": "seconds",
        "unit": " s",
        "line": True,
        "log": True,
    }
    spec |= {"sizes": [1_000, 10_000], "low": 0.1, "high": 1_000.0}
    vote = {
        "kind": "choice",
        "about": "what stands there",
        "figure": "choice",
        "options": ["all", "a lambda"],
    }
    asked = [Question("00", "a", "How long?", spec, {}), Question("00", "b", "Which?", vote, {})]
    asked.append(Question("00", "c", "Nobody", spec | {"about": "another"}, {}))
    far = handed_in(random.Random(5))
    far += [["guess", "n tasks", "", "77", "seconds", "5", "", "", ""]]
    (folder / "far.csv").write_text(text(far), encoding="utf-8")
    machines = collect(folder, Known.of("00"))[0]
    first, second = classroom.pictures(machines, asked)
    svg = base64.b64decode(re.search(r'base64,([^"]+)"', first)[1]).decode()
    assert svg.count("<circle") == LEARNERS + 1 and f"{LEARNERS} answers" in svg, "one guess is of no size"
    assert "measured: 1." in first and f"{LEARNERS + 1} answers" in second
