"""Runs every notebook on newer Javas, with what Binder gives: data/recorded/claims-by-java.csv.

Runs inside the environment: make release-check PART=java, or by_java.py 05 07 for some notebooks.
THREADLAB_JAVA names homes of JDKs, as PATH does; without it 27 and 28 come from Debian's unstable suite.
Two run side by side first, each on a CPU of its own. There times are longer, so a notebook of which a claim
broke, was left open or used more than 70 % of its margin runs again alone: once, or three times if that
happens again; runs that could not be judged do not count. What is on record for this build, code and
library does not run again.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import Queue
from pathlib import Path
from typing import NamedTuple

from bootstrap.environment import choose_environment
from bootstrap.files import write_rows
from bootstrap.jdk import Computer, Jdk, find_jdk, inspect
from bootstrap.kernelspec import kernelspec
from notebooks import claims, recorded
from notebooks.claims import Judged
from notebooks.runs import DIVES, NOTEBOOKS, ROOT, Session, code_cells, errors, numbered, records, short
from publish.image import mirror

RECORD = ROOT / "data/recorded/claims-by-java.csv"
TIMES, NEAR = 3, 70  # runs of a notebook of which a claim flips or may: it used more than 70 % of its margin
COMPUTER = Computer()
OWN = find_jdk(COMPUTER)
NEWEST = ["27", "28"]
CPU = "THREADLAB_CPU"  # of a worker

# A version comes from Debian's unstable suite, built for a newer C library than the one here. apt downloads
# it with its dependencies into a folder and installs nothing; patchelf, downloaded with it, writes the path
# of these libraries into each program. Each takes 600 MB and about half a minute.
APT = """
set -e; cd "$1"; mkdir -p etc/apt/preferences.d var/lib/apt/lists/partial var/cache/apt/archives/partial
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $2 sid main" > etc/apt/sources.list
apt="apt-get -qq -o Dir=$1 -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o Debug::NoLocking=1"
$apt update
$apt install --yes --download-only --no-install-recommends \
    patchelf libfontconfig1 libfreetype6 libharfbuzz0b "openjdk-$3-jdk-headless"
for package in var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" .; done
"""


class Row(NamedTuple):
    """What the runs on one Java say of a claim; data/README.md has the units of each column."""

    lesson: str
    claim: str
    java: int
    bound: str
    runs: int
    held: int
    unjudged: int
    measured: float
    spread: float
    code: str
    library: str
    build: str

    @property
    def wrong(self) -> bool:
        """Whether it broke in most of its judged runs; on an early access it may."""
        judged = self.runs - self.unjudged
        return 2 * (judged - self.held) > judged and "-ea" not in self.build

    def __str__(self) -> str:
        return f"Java {self.java}, {short(self.lesson)}: {self.claim}: {self.measured:.4g}, {self.bound}"


def rows() -> list[Row]:
    return records(Row, RECORD)


def write(record: list[Row]) -> None:
    record = sorted(record, key=lambda row: (row.lesson, row.java))
    told = [[*row[:7], f"{row.measured:.4g}", f"{row.spread:.4g}", *row[9:]] for row in record]
    write_rows(RECORD, [Row._fields, *told])


def put(found: list[recorded.Row], jdk: Jdk) -> None:
    """Puts what the runs of one notebook say into the record, in place of what it had for this version."""
    lesson = found[0].lesson
    new = [
        Row(
            *(lesson, one.claim, jdk.version, one.bound, one.runs, one.held, one.unjudged),
            *(one.value, one.spread, one.code, one.library, jdk.build),
        )
        for one in found
    ]
    write([*(row for row in rows() if (row.lesson, row.java) != (lesson, jdk.version)), *new])


def build(version: str, root: Path) -> Path:
    """The home of a JDK whose programs find their libraries below `root`."""
    root.mkdir()
    get = ["sh", "-c", APT, "sh", str(root), mirror(), version]
    subprocess.run(get, check=True, stdout=subprocess.DEVNULL)
    home = next(root.glob(f"usr/lib/jvm/java-{version}-openjdk-*"))
    for link in [path for path in home.rglob("*") if path.is_symlink()]:
        # Debian keeps a JDK's settings in /etc; the certificates, which its scripts make, are the own JDK's
        if (target := os.readlink(link)).startswith("/"):
            inside = root / target[1:]
            link.unlink()
            link.symlink_to(inside if inside.exists() else OWN.home / link.relative_to(home))
    [libraries], [loader] = root.glob("usr/lib/*-linux-gnu*"), root.glob("usr/lib64/ld-linux*.so.*")
    command = [loader, "--library-path", libraries, root / "usr/bin/patchelf", "--force-rpath"]
    patchelf = [*map(str, command), "--set-rpath", f"{libraries}:{home}/lib:{home}/lib/server"]
    for program in [*(home / "bin").iterdir(), home / "lib/jspawnhelper"]:
        subprocess.run([*patchelf, "--set-interpreter", str(loader), program], check=True)
    subprocess.run([*patchelf, *(home / "lib").rglob("*.so")], check=True)
    return home


def javas(folder: Path) -> Iterator[Jdk]:
    """The Javas to run on; one that is not released and cannot be had today is left out."""
    for home in filter(None, os.environ.get("THREADLAB_JAVA", "").split(os.pathsep)):
        jdk = inspect(Path(home), COMPUTER)
        if not jdk or jdk.lacks:
            sys.exit(f"THREADLAB_JAVA names {home}, which {'lacks ' + jdk.lacks if jdk else 'is no JDK'}.")
        if jdk.version > OWN.version:
            yield jdk
    for version in [] if os.environ.get("THREADLAB_JAVA") else NEWEST:
        try:
            if found := inspect(build(version, folder / version), COMPUTER):
                yield found
        except (subprocess.CalledProcessError, StopIteration) as error:
            print(f"Java {version} cannot be had today: {error!r}", flush=True)
            if version == NEWEST[0]:
                raise


def measure(path: Path, jdk: Jdk) -> tuple[str, list[Judged]]:
    """Runs a notebook once; it has not held as a whole if a cell or the kernel wrote an error."""
    with tempfile.TemporaryDirectory() as name, open(Path(name) / "stderr", "w+") as said:
        kernel = Path(name) / "kernels/java/kernel.json"
        kernel.parent.mkdir(parents=True)
        kernel.write_text(kernelspec(choose_environment(), jdk, [OWN.home]))
        os.environ.pop("THREADLAB_JAVA", None)  # programs run on this Java, 21 and the course's own
        os.environ["JUPYTER_PATH"] = name
        session = Session(path, Path(name), int(os.environ[CPU]))
        with session.kernel(stderr=said):
            run = session.run_all()
            found = claims.judged(session, run, f"Java {jdk.version}")
        said.seek(0)
        wrong = [f"standard error of the kernel: {line.strip()}" for line in said if line.strip()]
    outputs = [(cell.id, output) for cell in code_cells(run.notebook) for output in cell.outputs]
    wrong += [f"{name}: {output.text}" for name, output in outputs if output.get("name") == "stderr"]
    wrong += errors(run.notebook)
    if wrong:
        found[0] = found[0]._replace(held="✘")
    broke = [f"{one.held} {one.claim}: {one.value:.4g}, {one.bound}" for one in found if one.held != "✔"]
    return "\n   ".join([f"Java {jdk.version}, {short(path.stem)}: {run.told()}", *broke, *wrong]), found


def may_flip(run: list[Judged]) -> bool:
    return any(one.held != "✔" or one.margin > NEAR for one in run)


def due(path: Path, jdk: Jdk) -> bool:
    here = (recorded.code(path), recorded.library(), jdk.build)
    old = [row[-3:] for row in rows() if (row.lesson, row.java) == (path.stem, jdk.version)]
    return not old or any(row != here for row in old)


def kept(path: Path, jdk: Jdk) -> list[list[Judged]]:
    """The runs on this build that a stopped recording has left."""
    runs = claims.kept(path, f"Java {jdk.version}")
    return [run for run in runs if run[0].machine.endswith(f"Java {jdk.build}")]


def enough(runs: list[list[Judged]]) -> list[list[Judged]]:
    """The runs that make a row, if they are enough; those that could not all be judged do not count."""
    good = [run for run in runs if not claims.unjudged(run)]
    if len(good) < TIMES and len(runs) < TIMES + claims.AGAIN and any(map(may_flip, good or runs)):
        return []
    return good or runs


def run(path: Path, jdk: Jdk, beside: bool) -> list[recorded.Row]:
    """Runs a notebook as often as it needs; nothing if it must run alone."""
    runs = [] if beside else kept(path, jdk)
    while not (found := enough(runs)):
        try:
            said, judged = measure(path, jdk)
        except Exception as error:  # of whatever kind: the kernel of a Java to come may die
            said = f"Java {jdk.version}, {short(path.stem)}: {error!r}"
            about = (f"Java {jdk.version}", path.stem, recorded.code(path), recorded.library())
            when, machine = time.strftime("%Y-%m-%dT%H:%M:%S"), f"Java {jdk.build}"
            judged = [Judged(when, *about, machine, recorded.RUN_ALL, "✘", float("nan"), "", 0)]
        print("beside another: " * beside + said, flush=True)
        if beside and may_flip(judged):
            return []
        claims.append(judged)
        runs.append(judged)
    return claims.rows(found)


def own() -> None:
    """Adds what the record of claims says of the course's own Java at the same size."""
    for path in [*NOTEBOOKS, *DIVES]:
        found = [one for one in recorded.rows() if one[:2] == ("binder", path.stem)]
        if found and "Java" in found[0].machine:
            put(found, OWN._replace(build=found[0].machine.split()[-1]))


def begin(cpus: "Queue[int]") -> None:
    """Gives a worker a CPU of its own, and a range of ports."""
    os.environ[CPU] = str(cpus.get())
    os.environ["PYTEST_XDIST_WORKER"] = f"gw{os.environ[CPU]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", help="numbers of lessons, names of dives; all without")
    asked = parser.parse_args()
    paths = [numbered(name) for name in asked.notebooks] or [*NOTEBOOKS, *DIVES]
    own()
    cpus = sorted(os.sched_getaffinity(0))[:2]
    with tempfile.TemporaryDirectory() as folder:
        jdks = list(javas(Path(folder)))
        for workers in sorted({len(cpus), 1}, reverse=True):
            free: Queue[int] = Queue()
            for cpu in cpus:
                free.put(cpu)
            with ProcessPoolExecutor(workers, initializer=begin, initargs=(free,)) as pool:
                wanted = [(path, jdk) for path in paths for jdk in jdks if due(path, jdk)]
                jobs = {pool.submit(run, *one, beside=workers > 1): one[1] for one in wanted}
                for job in as_completed(jobs):
                    if found := job.result():
                        put(found, jobs[job])
    if wrong := [str(row) for row in rows() if row.wrong]:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
