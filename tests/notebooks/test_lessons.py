"""Every lesson and every dive, run once from top to bottom with what Binder gives: one CPU, the heap of 2 GB.

Two run side by side, so nothing here judges a time or a rate: the record of claims does (test_record.py).
THREADLAB_LESSONS names those to run, such as 00,05. All of them take eight minutes.
"""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import notebook_tests
from cells import cpu
from left import Left, dumped
from notebooks import claims, recorded
from notebooks.runs import DIVES, NOTEBOOKS, Session, answers, measures_time, numbered, tagged, texts

NAMES = os.environ.get("THREADLAB_LESSONS", "all")
LESSONS = [*NOTEBOOKS, *DIVES] if NAMES == "all" else [numbered(name) for name in NAMES.split(",")]
BINDER = [row for row in recorded.rows() if (row.size, row.claim) == ("binder", recorded.RUN_ALL)]
LAST = {row.lesson: row.value for row in BINDER}
# the longest begins first, so that no worker is left with it at the end
LESSONS.sort(key=lambda path: -LAST.get(path.stem, 60))


def threads(session: Session, folder: Path) -> list[str]:
    """The threads of either kind that belong to a pool or a server, or are in a method of a cell."""
    named = re.compile(r"pool-.*|sampler|cpu share|.* × .*|http-nio.*|webflux-http.*|HikariPool.*")
    return [
        f"{thread['name'] or thread['tid']}: {' '.join(thread['stack'][:3])}"
        for thread in dumped(session, folder)
        if thread["name"] != "cells"
        if named.fullmatch(thread["name"])
        or any("REPL/" in f or f.startswith("REPL.") for f in thread["stack"])
    ]


PARAMS = [pytest.param(path, id=path.stem, marks=pytest.mark.xdist_group(path.stem)) for path in LESSONS]


@pytest.fixture(scope="module", params=PARAMS)
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    path, folder = request.param, tmp_path_factory.mktemp("temporary")
    beside = set(path.parent.rglob("*"))
    session = Session(path, folder, cpu())
    with session.kernel():
        left = Left(session.pid, folder)
        run = session.run_all()
        listed = session.claims()
        claims.stamp(session, run)
        seen = SimpleNamespace(
            path=path,
            run=run,
            notebook=run.notebook,
            claims=listed,
            checks=list(answers(session, timed=False)),
            about=session.run('Machine.here().cpus() + " " + (Runtime.getRuntime().maxMemory() >> 20)'),
            threads=threads(session, folder),
            processes=left.processes(),
            ports=left.ports(),
        )
    claims.keep(path, run, claims.SMALL)
    # some files disappear with the kernel
    seen.files = [*left.files(), *(str(made) for made in set(path.parent.rglob("*")) - beside)]
    return seen


def test_run_all_reaches_the_end(ran: SimpleNamespace) -> None:
    notebook_tests.no_cell_fails(ran.notebook)
    notebook_tests.nothing_is_written_to_standard_error(ran.notebook)
    cpus, heap = map(int, ran.about.strip('"').split())
    assert cpus == 1 and heap <= 494, "it did not run with what Binder gives"


def test_its_outputs_have_the_form_that_the_course_asks_for(ran: SimpleNamespace) -> None:
    notebook_tests.charts_are_sharp_and_say_what_they_show(ran.notebook, ran.path in NOTEBOOKS)
    notebook_tests.every_claim_is_judged_and_listed(ran.notebook, ran.claims)


def test_its_exact_claims_hold(ran: SimpleNamespace) -> None:
    broken = [row for row in ran.claims if recorded.kind(row["bound"]) == "exact" and row["held"] != "✔"]
    assert not broken, "\n".join(f"{row['claim']}: {row['measured']}, {row['bound']}" for row in broken)


def test_its_exercises_are_open_take_the_solution_and_explain_wrong_answers(ran: SimpleNamespace) -> None:
    for cell in tagged(ran.notebook, "check"):
        if not measures_time(cell):
            mark = "✘" if "repair" in cell.metadata.tags else "✎"
            assert texts(cell)[-1].startswith(mark), cell.id
    for check, mark, answer, shown in ran.checks:
        # a check that runs a load first shows its progress
        assert mark in shown, f"{check} with {answer}: {shown[-400:]}"
        assert len(shown.split()) > 5, f"{check} with {answer} explains nothing: {shown}"


def test_it_leaves_nothing_running_or_listening_or_lying_about(ran: SimpleNamespace) -> None:
    left = {"threads": ran.threads, "processes": ran.processes, "ports": ran.ports, "files": ran.files}
    assert not any(left.values()), left


@pytest.mark.skipif(not os.environ.get("THREADLAB_CUT_OFF"), reason="there is a network: needs unshare")
def test_no_lesson_had_a_network() -> None:
    names = [line.partition(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
    assert names == ["lo"]
