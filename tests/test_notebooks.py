"""Every notebook, executed with the real kernel: what a reader sees, and what stays behind."""

import base64
import io
import json
import os
import re
import shutil
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from copy import deepcopy
from multiprocessing import get_context
from pathlib import Path
from queue import Queue
from types import SimpleNamespace

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
RUN_ALL_SECONDS = 180  # a bound for a slow machine; the aim is 60


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tagged(notebook: NotebookNode, tag: str) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


def texts(cell: NotebookNode) -> list[str]:
    """What a cell's outputs say in plain text."""
    return [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.get("outputs", [])
    ]


def errors(notebook: NotebookNode) -> list[str]:
    return [
        f"{cell.id}: " + "\n".join(output.traceback)
        for cell in code_cells(notebook)
        if "raises-exception" not in cell.metadata.get("tags", [])
        for output in cell.outputs
        if output.output_type == "error"
    ]


def claims(notebook: NotebookNode) -> dict[str, str]:
    """What the cells that judge a claim show at last."""
    return {
        cell.id: (texts(cell) or [""])[-1] for cell in code_cells(notebook) if "Claim.that" in cell.source
    }


def opened(solution: str) -> str:
    """A solution stands in a block, to leave the reader's own answer alone; here it is the answer."""
    block = re.fullmatch(r"\{(.*)\}[^}]*", solution.strip(), re.DOTALL)
    return block[1] if block else solution


class Session:
    """One kernel with the notebook's folder as its own, as on the page."""

    def __init__(self, path: Path, kernel: str = "java") -> None:
        self.stored = nbformat.read(path, as_version=4)
        self.client = NotebookClient(
            deepcopy(self.stored),
            kernel_name=kernel,
            timeout=RUN_ALL_SECONDS,
            allow_errors=True,
            resources={"metadata": {"path": str(path.parent)}},
        )

    def run_all(self) -> NotebookNode:
        self.client.nb = deepcopy(self.stored)
        for index, cell in enumerate(self.client.nb.cells):
            self.client.execute_cell(cell, index)
        return deepcopy(self.client.nb)

    def run(self, source: str) -> str:
        cell = nbformat.v4.new_code_cell(source)
        self.client.nb.cells.append(cell)
        self.client.execute_cell(cell, len(self.client.nb.cells) - 1)
        failed = [output for output in cell.outputs if output.output_type == "error"]
        assert not failed, failed
        return "".join(texts(cell)).strip()


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def executed(request: pytest.FixtureRequest) -> Iterator[SimpleNamespace]:
    """A notebook run at its usual sizes, and its exercises answered.

    A machine that is busy for a moment may break a claim: then the notebook runs once more.
    """
    session = Session(request.param)
    with session.client.setup_kernel():
        start = time.monotonic()
        runs = [session.run_all()]
        seconds = time.monotonic() - start
        if not all(claim.startswith("✔") for claim in claims(runs[0]).values()):
            runs.append(session.run_all())
        checks = []
        for check, solution in zip(
            tagged(session.stored, "check"), tagged(session.stored, "solution"), strict=True
        ):
            session.run(opened(solution.source))
            checks.append((check.id, "✔", "solution", session.run(check.source)))
            for wrong in check.metadata.threadlab.wrong_answers:
                session.run(wrong)
                checks.append((check.id, "✘", wrong, session.run(check.source)))
        threads = session.run(
            "Thread.getAllStackTraces().keySet().stream().map(Thread::getName)"
            '.filter(name -> name.matches("pool-.*|sampler|.* × .*|http-nio.*|webflux-http.*|HikariPool.*"))'
            ".sorted().toList()"
        )
    yield SimpleNamespace(
        name=request.param.stem,
        stored=session.stored,
        first=runs[0],
        runs=runs,
        seconds=seconds,
        checks=checks,
        threads=threads,
    )


def test_run_all_reaches_the_end(executed: SimpleNamespace) -> None:
    assert errors(executed.first) == []


def test_no_cell_uses_a_name_before_it_is_declared(executed: SimpleNamespace) -> None:
    said = [text for cell in code_cells(executed.first) for text in texts(cell)]
    assert not [text for text in said if "cannot be used until this is declared" in text]


def test_run_all_takes_no_longer_than_a_reader_waits(executed: SimpleNamespace) -> None:
    print(f"{executed.name}: Run All took {executed.seconds:.1f} s")
    assert executed.seconds < RUN_ALL_SECONDS


def test_every_claim_holds(executed: SimpleNamespace) -> None:
    """A wrong claim breaks twice."""
    assert claims(executed.first)
    for cell, shown in claims(executed.first).items():
        texts_of_all_runs = [claims(run)[cell] for run in executed.runs]
        assert all(text.startswith(("✔", "✘")) for text in texts_of_all_runs), shown
        assert any(text.startswith("✔") for text in texts_of_all_runs), texts_of_all_runs


def test_the_last_code_cell_shows_every_claim(executed: SimpleNamespace) -> None:
    last = code_cells(executed.first)[-1]
    shown = "".join(output.get("data", {}).get("text/html", "") for output in last.outputs)
    judged = [cell for cell in code_cells(executed.first) if "Claim.that" in cell.source]
    assert shown.count("✔") + shown.count("✘") == len(judged)
    assert "margin used (%)" in shown


def test_charts_are_sharp_pictures_with_both_colours(executed: SimpleNamespace) -> None:
    platform, virtual = (0xD5, 0x5E, 0x00), (0x00, 0x72, 0xB2)
    comparisons = 0
    for cell in code_cells(executed.first):
        for output in cell.outputs:
            if png := output.get("data", {}).get("image/png"):
                image = Image.open(io.BytesIO(base64.b64decode(png)))
                shown = output.metadata["image/png"]
                assert image.size == (2 * shown["width"], 2 * shown["height"])
                colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20)}
                assert len(colours) > 10, f"{cell.id} shows an empty chart"
                comparisons += {platform, virtual} <= colours
    assert comparisons > 0, "no chart compares platform with virtual threads"


def test_tables_are_html_and_claims_have_a_colour(executed: SimpleNamespace) -> None:
    for cell in code_cells(executed.first):
        for output in cell.outputs:
            data = output.get("data", {})
            if data.get("text/plain", "").startswith(("✔", "✘", "✎")):
                assert "border-left" in data["text/html"]


def test_nothing_is_written_to_standard_error(executed: SimpleNamespace) -> None:
    for cell in code_cells(executed.first):
        for output in cell.outputs:
            assert output.get("name") != "stderr", f"{cell.id}: {output.text}"


def test_exercises_accept_the_solution_and_explain_wrong_answers(executed: SimpleNamespace) -> None:
    assert executed.checks
    for check, mark, answer, shown in executed.checks:
        assert shown.startswith(mark), f"{check} with {answer}: {shown}"
        assert len(shown.split()) > 5, f"{check} with {answer} explains nothing: {shown}"


def test_exercises_are_open_until_they_are_answered(executed: SimpleNamespace) -> None:
    for cell in tagged(executed.first, "check"):
        assert texts(cell)[-1].startswith("✎"), cell.id


def test_no_thread_is_left_running(executed: SimpleNamespace) -> None:
    assert executed.threads == "[]"


def run_twice_on_one_cpu(path: Path, cpu: int, folder: Path) -> SimpleNamespace:
    """Runs a notebook twice in a kernel with what Binder gives: one CPU, the heap of 2 GB, small sizes."""
    spec = KernelSpecManager().get_kernel_spec("java").to_dict()
    spec["argv"] = ["taskset", "-c", str(cpu), *spec["argv"]]
    spec["argv"][spec["argv"].index("-XX:MaxRAMPercentage=50")] = "-Xmx494m"
    spec["env"] |= {"THREADLAB_SCALE": "small"}
    kernel = folder / str(cpu) / "kernels/small"
    kernel.mkdir(parents=True, exist_ok=True)
    (kernel / "kernel.json").write_text(json.dumps(spec))
    os.environ["JUPYTER_PATH"] = str(folder / str(cpu))
    session = Session(path, "small")
    with session.client.setup_kernel():
        start = time.monotonic()
        first = session.run_all()
        seconds = time.monotonic() - start
        again = session.run_all()
        cpus = session.run("Machine.here().cpus()")
        heap = int(session.run("Runtime.getRuntime().maxMemory() >> 20"))
    return SimpleNamespace(first=first, again=again, seconds=seconds, cpus=cpus, heap=heap)


@pytest.fixture(scope="session")
def small_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Path, Future]]:
    """All notebooks at the small scale, side by side, a CPU for each: no timing is judged here."""
    if not shutil.which("taskset"):
        pytest.skip("no taskset on this system, so no kernel on one CPU")
    folder = tmp_path_factory.mktemp("small")
    cpus = Queue()
    for cpu in sorted(os.sched_getaffinity(0))[:4]:
        cpus.put(cpu)

    def run(path: Path) -> SimpleNamespace:
        cpu = cpus.get()
        try:
            # a process of its own, for each client wants an event loop and an environment of its own
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                return process.submit(run_twice_on_one_cpu, path, cpu, folder).result()
        finally:
            cpus.put(cpu)

    with ThreadPoolExecutor(cpus.qsize()) as pool:
        yield {path: pool.submit(run, path) for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_run_all_works_twice_on_one_cpu_with_a_small_heap(path: Path, small_runs: dict[Path, Future]) -> None:
    small = small_runs[path].result()
    print(f"{path.stem}: Run All on one CPU took {small.seconds:.1f} s")
    assert small.cpus == "1"
    assert small.heap <= 494
    assert errors(small.first) == []
    assert errors(small.again) == [], "a second Run All in the same kernel"
    pictures = [
        o for cell in code_cells(small.first) for o in cell.outputs if "image/png" in o.get("data", {})
    ]
    assert pictures


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_stored_notebook_has_the_course_s_form(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "java"
    assert all(not cell.outputs and cell.execution_count is None for cell in code_cells(notebook))

    head, tail = notebook.cells[0].source, notebook.cells[-1].source
    assert re.match(rf"# {path.name[:2]} · [A-Z]\w+ ", head), "the title starts with the number and a verb"
    for part in ("What you'll do", "What you'll learn", "What you'll need", "Time"):
        assert f"**{part}" in head
    for part in ("Key points", "In practice", "Further reading"):
        assert f"## {part}" in tail
    assert any("On your own" in cell.source for cell in notebook.cells)
    assert code_cells(notebook)[-1].source == "Claims.table()"
    statements = [
        s for cell in code_cells(notebook) for s in re.findall(r'Claim\.that\(\s*"(.*?)"', cell.source)
    ]
    assert len(statements) == len(set(statements)), (
        "claims with the same words replace each other in the table"
    )

    lines = [
        sum(1 for line in cell.source.splitlines() if line.strip())
        for cell in code_cells(notebook)
        if "solution" not in cell.metadata.get("tags", [])
    ]
    assert statistics.median(lines) <= 6
    assert statistics.quantiles(lines, n=10)[-1] <= 15
    assert max(lines) <= 30
    wide = [line for cell in code_cells(notebook) for line in cell.source.splitlines() if len(line) > 100]
    assert not wide, "lines that need a scroll bar on the page"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_between_the_files_lead_somewhere(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", cell.source):
            assert (path.parent / target.partition("#")[0]).exists(), f"{cell.id}: {target}"
