"""Every notebook with what Binder gives, one CPU and 2 GB, twice in the same kernel: at the tiny scale, since
that run only proves that each cell can run again, and at the small one.

Then the exercises are answered, rightly and wrongly, and anything the notebook leaves behind is found.
Several run in parallel, so nothing here judges a time or a claim.
"""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import notebook_tests
from cells import cpu
from left import Left
from notebooks.runs import NOTEBOOKS, Session

pytestmark = pytest.mark.deep


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
    named = re.compile(r"pool-.*|sampler|cpu share|.* × .*|http-nio.*|webflux-http.*|HikariPool.*")
    return [
        f"{thread['name'] or thread['tid']}: {' '.join(thread['stack'][:3])}"
        for container in containers
        for thread in container["threads"]
        if not thread["name"].startswith("jjava-exec")
        if named.fullmatch(thread["name"])
        or any("REPL/" in f or f.startswith("REPL.") for f in thread["stack"])
    ]


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    path: Path = request.param
    folder = tmp_path_factory.mktemp("temporary")
    beside = set(path.parent.rglob("*"))
    session = Session(path, folder, cpu())
    with session.kernel():
        left = Left(session.pid, folder)
        session.run('System.setProperty("threadlab.scale", "tiny");')
        first = session.run_all()
        session.run('System.clearProperty("threadlab.scale");')
        again = session.run_all()
        claims = session.claims()
        checks = list(notebook_tests.answers(session, timed=False))
        seen = SimpleNamespace(
            name=path.stem,
            first=first,
            again=again,
            checks=checks,
            claims=claims,
            cpus=session.run("Machine.here().cpus()"),
            heap=int(session.run("Runtime.getRuntime().maxMemory() >> 20")),
            threads=threads(session, folder),
            processes=left.processes(),
            ports=left.ports(),
        )
    # some files disappear with the kernel
    seen.files = [*left.files(), *(str(made) for made in set(path.parent.rglob("*")) - beside)]
    return seen


def test_run_all_reaches_the_end_also_a_second_time(ran: SimpleNamespace, record_property) -> None:
    record_property("told", f"{ran.name[:2]} at the small scale: {ran.again.told()}")
    for run in (ran.first, ran.again):
        notebook_tests.no_cell_fails(run.notebook)
        notebook_tests.nothing_is_written_to_standard_error(run.notebook)
        notebook_tests.no_cell_uses_a_name_before_it_is_declared(run.notebook)


def test_it_ran_with_what_binder_gives(ran: SimpleNamespace) -> None:
    assert ran.cpus == "1"
    assert ran.heap <= 494


def test_both_runs_show_the_same_charts_and_claims(ran: SimpleNamespace) -> None:
    shown = [notebook_tests.pictures(run.notebook).keys() for run in (ran.first, ran.again)]
    assert shown[0] == shown[1]
    notebook_tests.charts_are_sharp_with_both_colours_and_a_text(ran.again.notebook)
    notebook_tests.every_claim_is_judged_and_listed(ran.again.notebook, ran.claims)


def test_exercises_accept_the_solution_and_explain_wrong_answers(ran: SimpleNamespace) -> None:
    notebook_tests.solutions_are_right_and_wrong_answers_explained(ran.checks)


def test_nothing_is_left_running_or_listening_or_lying_about(ran: SimpleNamespace) -> None:
    left = {"threads": ran.threads, "processes": ran.processes, "ports": ran.ports, "files": ran.files}
    assert not any(left.values()), left
