"""One chart of a class: files made from the recorded run, broken and hostile ones, and the page.

Costs a second; the page itself, drawn in the kernel, ten (deep).
"""

import csv
import io
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

from cells import run, value
from notebooks.runs import NOTEBOOKS, ROOT, code_cells, load, read, texts
from teach import classroom
from teach.classroom import COLUMNS, Known, collect

RECORDED = ROOT / "data/recorded"
SOURCE = "".join(cell.source for cell in code_cells(read(NOTEBOOKS[0])))
EXPERIMENT = re.findall(r'Trials.of\("([^"]+)"', SOURCE)[0]
CLAIMS = dict(zip(re.findall(r'Claim.that\("([^"]+)"', SOURCE), (1.25, 1.3), strict=False))


def handed_in(chance: random.Random) -> list[list[str]]:
    """What one learner may hand in: the recorded run, on a faster or slower, larger or smaller machine."""
    cpus = chance.choice([1, 2, 4, 4, 8, 8, 12, 16, 64])
    slow = chance.lognormvariate(0, 0.4)
    rows = []
    for fact in load(RECORDED / "00-sleepers.machine.csv"):
        words = fact["value"]
        if fact["what"] == "CPUs":
            words = f"{cpus} amd64"
        elif fact["what"] == "platform threads that fit":
            words = f"about {min(32_000, 4_000 * cpus):,}"
        rows.append(["machine", fact["what"], "", "", "", "", words, "", ""])
    trials = load(RECORDED / "00-sleepers.csv")
    for contender, n in sorted({(trial["contender"], int(trial["n"])) for trial in trials}):
        own = [float(t["seconds"]) for t in trials if (t["contender"], int(t["n"])) == (contender, n)]
        seconds = 1 + slow * (statistics.median(own) - 1)
        rows.append(
            [
                "figure",
                EXPERIMENT,
                contender,
                str(n),
                "seconds",
                f"{seconds:.6f}",
                "",
                "",
                "",
            ]
        )
    for claim, bound in CLAIMS.items():
        measured = bound * slow / 1.6
        held = "✔" if measured <= bound else "✘"
        rows.append(
            [
                "claim",
                claim,
                "",
                "",
                "",
                f"{measured:.3f}",
                f"at most {bound}",
                held,
                f"{100 / 1.6 * slow:.1f}",
            ]
        )
    return rows


def text(rows: list[list[str]], head: list[str] = COLUMNS) -> str:
    written = io.StringIO()
    csv.writer(written).writerows([head, *rows])
    return written.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two hundred learners, and some who sent something else."""
    chance = random.Random(7)
    for learner in range(200):
        place = tmp_path / f"group {learner % 9}"
        place.mkdir(exist_ok=True)
        (place / f"00-{learner:08x}.csv").write_text(text(handed_in(chance)), encoding="utf-8")
    return tmp_path


def bad() -> dict[str, bytes]:
    """Files that nobody can draw, by name."""
    rows = handed_in(random.Random(1))

    def changed(at: int, field: int, word: str) -> bytes:
        copy = [list(row) for row in rows]
        copy[at][field] = word
        return text(copy).encode()

    figure = next(at for at, row in enumerate(rows) if row[0] == "figure")
    cpus = next(at for at, row in enumerate(rows) if row[1] == "CPUs")
    return {
        "empty": b"",
        "formula": changed(0, 6, '=HYPERLINK("http://example.org","look")'),
        "formula-name": changed(figure, 2, "@SUM(A1)"),
        "formula-minus": changed(0, 6, "-2+3+cmd|' /C calc'!A0"),
        "huge": text(rows).encode() + b"x" * 300_000,
        "columns": text(rows, COLUMNS[::-1]).encode(),
        "rows": text(rows * 100).encode()[:190_000],
        "fields": text([*rows, ["claim"]]).encode(),
        "word": changed(figure, 5, "fast"),
        "infinite": changed(figure, 5, "1e999"),
        "negative": changed(figure, 5, "-1"),
        "no-cpus": changed(cpus, 6, "many"),
        "too-many-cpus": changed(cpus, 6, "9" * 30),
        "kind": changed(figure, 2, "my own"),
        "what": changed(0, 0, "person"),
        "picture": bytes(range(256)),
        "other-notebook": text([row for row in rows if row[0] == "machine"]).encode(),
        "control": changed(0, 6, "\x1b[2J"),
        "long": changed(0, 6, "x" * 5_000),
    }


def test_two_hundred_machines_are_read(folder: Path) -> None:
    machines, told = collect(folder, Known.of("00"))
    assert (len(machines), told) == (200, [])
    assert {len(one.claims) for one in machines} == {2}
    assert {one.count("CPUs") for one in machines} == {1, 2, 4, 8, 12, 16, 64}


def test_each_unusable_file_costs_one_sentence_and_no_other_machine(folder: Path) -> None:
    for name, content in bad().items():
        (folder / f"{name}.csv").write_bytes(content)
    first = next(folder.glob("group 0/*.csv"))
    (folder / "zz again.csv").write_bytes(first.read_bytes())
    (folder / "link.csv").symlink_to("/etc/passwd")
    (folder / "folder.csv").mkdir()
    machines, told = collect(folder, Known.of("00"))
    assert len(machines) == 200
    assert len(told) == len(bad()) + 3
    for name in [*bad(), "zz again", "link", "folder"]:
        (sentence,) = [line for line in told if line.startswith(f"{name}.csv ")]
        assert len(sentence) < 200 and sentence.endswith(".") and sentence.isprintable(), sentence


def test_a_folder_with_nothing_usable_is_said_in_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "tools/teach/classroom.py"]
    for place in (tmp_path, tmp_path / "none"):
        ended = subprocess.run([*command, place], capture_output=True, text=True)
        assert ended.returncode == 1
        assert re_one_line(ended.stderr), ended.stderr


def re_one_line(said: str) -> bool:
    return said.count("\n") == 1 and "Traceback" not in said


def test_what_is_written_holds_nothing_that_a_spreadsheet_calculates(
    folder: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(classroom, "CLASS", tmp_path / "out")
    classroom.write(collect(folder, Known.of("00"))[0], "00", [])
    for file in (tmp_path / "out").glob("*.csv"):
        for row in csv.reader(file.open(encoding="utf-8")):
            assert not [field for field in row if field[:1] in tuple("=+-@")], file
    claims = load(tmp_path / "out/claims.csv")
    assert [row["machines"] for row in claims] == ["200", "200"]
    assert 0 < int(claims[0]["✘"]) < 200
    machines = load(tmp_path / "out/machines.csv")
    assert {row["first ✘"] for row in machines} == {"", next(iter(CLAIMS))}


@pytest.mark.deep
def test_the_page_shows_charts_and_tables_of_all(folder: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(classroom, "CLASS", tmp_path / "out")
    (folder / "formula.csv").write_bytes(bad()["formula"])
    classroom.write(*[(made := collect(folder, Known.of("00")))[0], "00", made[1]])
    page = classroom.draw().read_text(encoding="utf-8")
    assert page.count('src="data:image/png;base64') == 2
    shutil.copytree(tmp_path / "out", ROOT / "build/class-of-200", dirs_exist_ok=True)
    shown = nbformat.read(tmp_path / "out/class.ipynb", 4)
    said = {cell.id: texts(cell) for cell in shown.cells if cell.cell_type == "code"}
    assert "200" in said["about"][-1]
    assert list(CLAIMS)[1] in said["claims"][-1]


@pytest.mark.deep
def test_what_a_kernel_shares_is_what_the_class_reads(tmp_path: Path) -> None:
    environment = os.environ | {"JPY_SESSION_NAME": NOTEBOOKS[0].name}
    manager, client = start_new_kernel(kernel_name="java", cwd=str(tmp_path), env=environment)
    try:
        trials = f'Trials.of("{EXPERIMENT}").virtual(n -> Thread.sleep(1)).platform(n -> Thread.sleep(2))'
        run(client, f"var t = {trials}.sizes(1, 2).repeat(1).warmUp(0).run();")
        value(client, f'Claim.that("{next(iter(CLAIMS))}", t).atMost(60)')
        said = value(client, 'Results.share("00")')
        assert "no names" in said
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    ((one,), told) = collect(tmp_path / "results/shared", Known.of("00"))
    assert not told
    assert len(one.figures) == 4 and len(one.claims) == 1
    assert one.count("CPUs") >= 1
