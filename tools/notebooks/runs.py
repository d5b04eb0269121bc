"""The notebooks, and a kernel that runs one as the page does, for tests and measurements."""

import csv
import io
import itertools
import os
import re
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager, KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from nbclient import NotebookClient
from nbformat import NotebookNode
from bootstrap.kernelspec import ONE_CPU
from bootstrap.places import ROOT

NOTEBOOKS = sorted(ROOT.glob("notebooks/[0-9][0-9]-*.ipynb"))
DIVES = sorted(ROOT.glob("notebooks/deeper/*.ipynb"))
SECONDS = 180  # for one cell, on a slow machine


def numbered(number: str) -> Path:
    """The notebook of a number such as 05, or the dive of a name; exits with a message if there is none."""
    for path in [*NOTEBOOKS, *DIVES]:
        if path.name.startswith(f"{number}-") or path.stem == number:
            return path
    first, last = NOTEBOOKS[0].name[:2], NOTEBOOKS[-1].name[:2]
    raise SystemExit(f'There is no notebook "{number}": name one from {first} to {last}, such as NB={last}.')


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def title(path: Path) -> str:
    return read(path).cells[0].source.splitlines()[0].removeprefix("# ")


def short(name: str) -> str:
    """A lesson's number, a dive's name."""
    return name[:2] if name[:2].isdigit() else name


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tagged(notebook: NotebookNode, tag: str) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


def texts(cell: NotebookNode) -> list[str]:
    """A cell's outputs in plain text."""
    outputs = cell.get("outputs", [])
    return [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]


COLOUR = re.compile(r"\x1b\[[\d;]*m")


def errors(notebook: NotebookNode) -> list[str]:
    """The errors that no cell expects, each on one line that begins with the id of its cell."""
    return [
        f"{cell.id}: " + COLOUR.sub("", " ".join(output.traceback)).replace("\n", " ")[:1_000]
        for cell in code_cells(notebook)
        if "raises-exception" not in cell.metadata.get("tags", [])
        for output in cell.outputs
        if output.output_type == "error"
    ]


def claims(notebook: NotebookNode) -> dict[str, str]:
    """The last output of each cell that judges a claim, by the cell's id; some say that they cannot, here."""
    judging = [cell for cell in code_cells(notebook) if "Claim.that" in cell.source]
    told = {cell.id: (texts(cell) or [""])[-1] for cell in judging}
    return {cell: text for cell, text in told.items() if not text.startswith("not measured")}


def opened(solution: str) -> str:
    """A solution without its block, which keeps it from changing the reader's own answer."""
    block = re.fullmatch(r"\{(.*)\}[^}]*", solution.strip(), re.DOTALL)
    return block[1] if block else solution


class Run(NamedTuple):
    """A notebook with its outputs, and how long each of its code cells took."""

    notebook: NotebookNode
    seconds: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    def told(self, most: int = 3) -> str:
        """The time of Run All and of its slowest cells, in words."""
        slowest = sorted(self.seconds.items(), key=lambda cell: -cell[1])[:most]
        return f"{self.total:5.1f} s; slowest: " + ", ".join(f"{name} {s:.1f} s" for name, s in slowest)


class Specs(KernelSpecManager):
    """The course's kernel, with the changes for one run."""

    def __init__(
        self, folder: Path | None = None, cpu: int | None = None, scale: str = "small", phones: bool = False
    ) -> None:
        super().__init__()
        self.folder, self.cpu, self.scale, self.phones = folder, cpu, scale, phones

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        spec = super().get_kernel_spec(kernel_name)
        if self.phones:  # for which charts are then drawn, too
            spec.env["THREADLAB_NARROW"] = "yes"
        if self.folder:
            spec.argv.insert(1, f"-Djava.io.tmpdir={self.folder}")
        if self.cpu is not None:
            small = ["-Xmx494m", *ONE_CPU]
            at = spec.argv.index("-XX:MaxRAMPercentage=50")
            spec.argv[at : at + 1] = small
            if shutil.which("taskset"):
                spec.argv[:0] = ["taskset", "-c", str(self.cpu)]
            else:
                spec.argv.insert(1, "-XX:ActiveProcessorCount=1")
            spec.env["THREADLAB_SCALE"] = self.scale
        return spec


def process_of(manager: KernelManager | None) -> int:
    """The process of a running kernel."""
    found = manager and manager.provisioner
    assert isinstance(found, LocalProvisioner) and found.pid, "the kernel has not been started here"
    return found.pid


NUMBERS = itertools.count()


def own_ports() -> dict[str, int | bool]:
    """Settings for a kernel's manager: ports from a range that no other worker's kernels use.

    Ports that the system chooses are free only for the moment: another process may take them first.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", f"gw{5 + os.getpid() % 5}").removeprefix("gw"))
    found: list[int] = []
    while len(found) < 5:
        port = 10_000 + 2_000 * (worker % 10) + next(NUMBERS) % 2_000
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)):
                found.append(port)
    names = ("shell_port", "iopub_port", "stdin_port", "hb_port", "control_port")
    return dict(zip(names, found, strict=True)) | {"cache_ports": False}


class Session:
    """A kernel in the notebook's folder, as on the page; use it inside `with session.kernel():`."""

    def __init__(
        self, path: Path, folder: Path | None = None, cpu: int | None = None, scale: str = "small"
    ) -> None:
        """With a folder, the kernel keeps its temporary files there; with a CPU, it gets what Binder gives:
        only that CPU, the heap of a machine with 2 GB, and the small sizes, or those of another scale."""
        self.path = path
        self.stored = read(path)
        specs = Specs(folder, cpu, scale, phones=True)  # the site shows what such a run has drawn
        manager = AsyncKernelManager(kernel_name="java", kernel_spec_manager=specs, **own_ports())
        here = {"resources": {"metadata": {"path": str(path.parent)}}}
        own = deepcopy(self.stored)
        self.client = NotebookClient(own, km=manager, timeout=SECONDS, allow_errors=True, **here)

    @contextmanager
    def kernel(self, **process: IO[str]) -> Iterator["Session"]:
        """A kernel for the time of a block; `stderr=file` keeps what its process says beside the cells."""
        # the kernel's manager is ours, so the client leaves the kernel running unless asked to end it
        with self.client.setup_kernel(cleanup_kc=True, **process):
            yield self

    @property
    def pid(self) -> int:
        return process_of(self.client.km)

    def run_all(self) -> Run:
        self.client.nb = deepcopy(self.stored)
        seconds = {}
        for index, cell in enumerate(self.client.nb.cells):
            start = time.monotonic()
            self.client.execute_cell(cell, index)
            if cell.cell_type == "code":
                seconds[cell.id] = time.monotonic() - start
        return Run(deepcopy(self.client.nb), seconds)

    def run(self, source: str) -> str:
        """Runs one more cell, which must not fail, and returns its text."""
        cell = nbformat.v4.new_code_cell(source)
        self.client.nb.cells.append(cell)
        self.client.execute_cell(cell, len(self.client.nb.cells) - 1)
        failed = [output for output in cell.outputs if output.output_type == "error"]
        assert not failed, failed
        return "".join(texts(cell)).strip()

    def claims(self) -> list[dict[str, str]]:
        """The claims that this kernel has judged, each in its last state."""
        return self.rows("Claims.table()")

    def machine(self) -> list[dict[str, str]]:
        """The machine on which the kernel runs."""
        return self.rows("Machine.here().table()")

    def rows(self, table: str) -> list[dict[str, str]]:
        """The rows of a table that a cell can name."""
        return list(csv.DictReader(io.StringIO(self.run(f'{table}.write().toString("csv")'))))


def measures_time(check: NotebookNode) -> bool:
    """Whether a busy machine could change the verdict of an exercise; the record of claims judges those."""
    return check.metadata.get("threadlab", {}).get("in_class", False)


def answers(session: Session, timed: bool) -> Iterator[tuple[str, str, str, str]]:
    """Each check, either those that measure time or the others: the mark to expect, the answer, its text."""
    solutions = tagged(session.stored, "solution")
    for check, solution in zip(tagged(session.stored, "check"), solutions, strict=True):
        if measures_time(check) == timed:
            session.run(opened(solution.source))
            yield check.id, "✔", "the solution", session.run(check.source)
            for wrong in check.metadata.threadlab.wrong_answers:
                session.run(wrong)
                yield check.id, "✘", wrong, session.run(check.source)


def until(what: str, holds: Callable[[], Any], seconds: float = 120) -> Any:
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)
    return found


Row = TypeVar("Row", bound=NamedTuple)


def records(kind: type[Row], file: Path) -> list[Row]:
    """The rows of a CSV file, with numbers where their kind has them; a missing figure is infinite."""
    read: dict[type, Callable[[str], Any]] = {int: int, float: lambda text: float(text or "inf"), str: str}
    fields = [(name, read[kind.__annotations__[name]]) for name in kind._fields]
    return [kind._make(to(row[name]) for name, to in fields) for row in load(file)]


def load(file: Path) -> list[dict[str, str]]:
    """The rows of a CSV file; none if there is no file."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))
