"""Every notebook, run twice in one kernel at the small scale: what a reader sees, and what stays behind.

Costs about half a minute for each notebook. Several run side by side, so nothing here judges a time or
a claim; tests/notebooks/test_usual_sizes.py does.
"""

import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbformat import NotebookNode
from PIL import Image

from cells import cpu
from left import Left
from notebooks.runs import (
    NOTEBOOKS,
    Session,
    claims,
    code_cells,
    errors,
    opened,
    tagged,
    texts,
)

PLATFORM, VIRTUAL = (0xD5, 0x5E, 0x00), (0x00, 0x72, 0xB2)


def threads(session: Session, folder: Path) -> list[str]:
    """The threads of either kind that belong to a pool or a server, or are in a method of a cell."""
    dump = folder / "threads.json"
    session.run(
        "java.lang.management.ManagementFactory.getPlatformMXBean("
        "com.sun.management.HotSpotDiagnosticMXBean.class).dumpThreads("
        f'"{dump}", com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);'
    )
    containers = json.loads(dump.read_text())["threadDump"]["threadContainers"]
    dump.unlink()
    named = re.compile(r"pool-.*|sampler|.* × .*|http-nio.*|webflux-http.*|HikariPool.*")
    return [
        f"{thread['name'] or thread['tid']}: {' '.join(thread['stack'][:3])}"
        for container in containers
        for thread in container["threads"]
        if not thread["name"].startswith("jjava-exec")
        if named.fullmatch(thread["name"])
        or any("REPL/" in f or f.startswith("REPL.") for f in thread["stack"])
    ]


def answers(session: Session) -> Iterator[tuple[str, str, str, str]]:
    """Each check with what it must begin with, the answer, and what it says to it."""
    for check, solution in zip(
        tagged(session.stored, "check"), tagged(session.stored, "solution"), strict=True
    ):
        session.run(opened(solution.source))
        yield check.id, "✔", "the solution", session.run(check.source)
        for wrong in check.metadata.threadlab.wrong_answers:
            session.run(wrong)
            yield check.id, "✘", wrong, session.run(check.source)


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A notebook run twice with what Binder gives, and its exercises answered."""
    path: Path = request.param
    folder = tmp_path_factory.mktemp("temporary")
    beside = set(path.parent.rglob("*"))
    session = Session(path, folder, cpu())
    with session.kernel():
        left = Left(session.pid, folder)
        runs = [session.run_all(), session.run_all()]
        checks = list(answers(session))
        seen = SimpleNamespace(
            name=path.stem,
            stored=session.stored,
            runs=runs,
            notebooks=[run.notebook for run in runs],
            checks=checks,
            claims=session.claims(),
            cpus=session.run("Machine.here().cpus()"),
            heap=int(session.run("Runtime.getRuntime().maxMemory() >> 20")),
            threads=threads(session, folder),
            processes=left.processes(),
            ports=left.ports(),
        )
    # some files go with the kernel
    seen.files = [*left.files(), *(str(made) for made in set(path.parent.rglob("*")) - beside)]
    return seen


def test_run_all_reaches_the_end_also_a_second_time(ran: SimpleNamespace, record_property) -> None:
    record_property("told", f"{ran.name[:2]} at the small scale: {ran.runs[0].told()}")
    for notebook in ran.notebooks:
        assert errors(notebook) == []


def test_it_ran_with_what_binder_gives(ran: SimpleNamespace) -> None:
    assert ran.cpus == "1"
    assert ran.heap <= 494


def test_no_cell_uses_a_name_before_it_is_declared(ran: SimpleNamespace) -> None:
    said = [text for notebook in ran.notebooks for cell in code_cells(notebook) for text in texts(cell)]
    assert not [text for text in said if "cannot be used until this is declared" in text]


def pictures(notebook: NotebookNode) -> dict[str, list[tuple[dict, Image.Image]]]:
    """The charts of each cell that draws one: how they are to be shown, and their pixels."""
    found: dict[str, list[tuple[dict, Image.Image]]] = {}
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if png := output.get("data", {}).get("image/png"):
                image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
                found.setdefault(cell.id, []).append((output.metadata["image/png"], image))
    return found


def test_charts_are_sharp_pictures_with_both_colours_and_a_text(ran: SimpleNamespace) -> None:
    first, again = (pictures(notebook) for notebook in ran.notebooks)
    assert first.keys() == again.keys(), "the second Run All draws the same charts"
    comparisons = 0
    for cell, shown in first.items():
        for about, image in shown:
            assert image.size == (2 * about["width"], 2 * about["height"])
            assert len(about["alt"]) > 20, f"{cell} has a chart without words"
            colours = {colour for _, colour in image.getcolors(1 << 20)}
            assert len(colours) > 10, f"{cell} shows an empty chart"
            comparisons += {PLATFORM, VIRTUAL} <= colours
            named = all(word in about["alt"] for word in ("platform", "virtual"))
            assert not named or {PLATFORM, VIRTUAL} & colours, f"{cell} names both kinds and shows neither"
    assert comparisons > 0, "no chart compares platform with virtual threads"


def test_tables_are_html_and_claims_have_a_colour(ran: SimpleNamespace) -> None:
    for cell in code_cells(ran.notebooks[0]):
        for output in cell.outputs:
            data = output.get("data", {})
            if data.get("text/plain", "").startswith(("✔", "✘", "✎")):
                assert "border-left" in data["text/html"]


def test_nothing_is_written_to_standard_error(ran: SimpleNamespace) -> None:
    for notebook in ran.notebooks:
        for cell in code_cells(notebook):
            for output in cell.outputs:
                assert output.get("name") != "stderr", f"{cell.id}: {output.text}"


def test_every_claim_is_judged_and_listed_at_the_end(ran: SimpleNamespace) -> None:
    shown = claims(ran.notebooks[0])
    assert shown
    for cell, text in shown.items():
        assert text.startswith(("✔", "✘")), f"{cell}: {text}"
    for listed in ran.claims:
        assert listed["note"] or float(listed["margin used (%)"]) >= 0, listed
    # a system without a feature may leave a claim out, but two claims with the same words would hide one
    stated = {text[2:] for text in shown.values()}
    missed = [text for text in stated if not any(text.startswith(row["claim"] + ":") for row in ran.claims)]
    assert not missed
    assert len(ran.claims) == len(shown)


def test_exercises_are_open_until_they_are_answered(ran: SimpleNamespace) -> None:
    for cell in tagged(ran.notebooks[0], "check"):
        assert texts(cell)[-1].startswith("✎"), cell.id


def test_exercises_accept_the_solution_and_explain_wrong_answers(ran: SimpleNamespace) -> None:
    assert ran.checks
    for check, mark, answer, shown in ran.checks:
        # a check that runs a load shows the progress of it first
        assert mark in shown, f"{check} with {answer}: {shown}"
        assert len(shown.split()) > 5, f"{check} with {answer} explains nothing: {shown}"


def test_nothing_is_left_running_or_listening_or_lying_about(ran: SimpleNamespace) -> None:
    left = {"threads": ran.threads, "processes": ran.processes, "ports": ran.ports, "files": ran.files}
    assert not any(left.values()), left
