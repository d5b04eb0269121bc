"""Changes code one place at a time, and counts the changes that a quick test notices.

Java by pitest: the rules of whatwaits, ten minutes on two CPUs; claims, trials and the model, less. The judge
of marks, by mutmut: longer. All: make release-check PART=mutants. One class or module, with each change that
no test has noticed: python3 tools/setup.py --tests -- python tools/notebooks/mutants.py rules Owner
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from bootstrap.environment import beside, java_env
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import maven

REPORT = BUILD / "mutants"
LEAST = 0.85  # of all changes of a part together
UNNOTICED = ("SURVIVED", "NO_COVERAGE")

JUDGE = ["judge", "kept", "grading", "marks", "work"]  # of teach/homework
TESTS = ["batch", "verdicts", "rows", "marks", "work", "submissions", "homework", "course", "collect"]
NEEDED = ["notebooks", "teaching", "data", "requirements.txt", "requirements", "pom.xml", "README.md"]
# mutmut runs a copy, in which it finds the packages below src
SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {only}
also_copy = {needed}
pytest_add_cli_args = ["--quiet", "-p", "no:cacheprovider", "--deselect={clone}"]
pytest_add_cli_args_test_selection = {tests}
"""
CLONE = "tests/teach/test_collect.py::test_the_clone_for_a_class_has_no_answer_and_no_history"
RUN = "import mutmut.__main__ as it; it.cli()"
# the exit codes of pytest, and mutmut's own, for changes that nobody has noticed
SURVIVED, NO_TESTS = 0, 33


class Package(NamedTuple):
    """A package that is changed, and the tests that are to notice it."""

    module: str
    name: str
    tests: str


PACKAGES = {
    # what is said of a verdict is tested with the command
    "rules": Package("whatwaits", "whatwaits.rules", "whatwaits.rules.*,whatwaits.command.*"),
    "claim": Package("threadlab", "threadlab.claim", "threadlab.claim.*"),
    "measure": Package("threadlab", "threadlab.measure", "threadlab.measure.*"),
    "model": Package("site/model", "model", "model.*"),
}


class Change(NamedTuple):
    """A change: of which class or module, what it is, and whether a test has failed with it."""

    of: str
    what: str
    noticed: bool


def java(package: Package, name: str) -> list[Change]:
    """The changes of a package, or of one of its classes."""
    jdk = find_jdk(Computer())
    REPORT.mkdir(parents=True, exist_ok=True)
    listed = REPORT / "class-path.txt"
    resolve = ["dependency:build-classpath", f"-Dmdep.outputFile={listed}"]
    command = [
        *maven(),
        "--quiet",
        f"--projects={package.module}",
        "--also-make",
        "-Pmutants",
        "test-compile",
    ]
    subprocess.run([*command, *resolve], cwd=ROOT, check=True, env=os.environ | java_env(jdk))
    folder = ROOT / package.module
    classes = [folder / "target/classes", folder / "target/test-classes"]
    path = os.pathsep.join([*map(str, classes), listed.read_text(encoding="utf-8")])
    of = f"{package.name}.{name or '*'}"
    said = {
        "reportDir": REPORT,
        "sourceDirs": folder / "src/main/java",
        "targetClasses": f"{of},{of}$*" if name else of,
        "targetTests": package.tests,
        "excludedGroups": "deep,release",
        "outputFormats": "CSV",
        "threads": cpus(),
        "timestampedReports": "false",
        "jvmArgs": "-Djava.awt.headless=true,-Duser.language.format=en,-Duser.country.format=US",
    }
    options = [word for option, value in said.items() for word in (f"--{option}", str(value))]
    pitest = "org.pitest.mutationtest.commandline.MutationCoverageReport"
    told = subprocess.run([jdk.home / "bin/java", "-cp", path, pitest, *options], cwd=folder, text=True)
    if told.returncode:
        sys.exit(f"pitest could not change {package.name}: see above")
    names = ["file", "class", "mutator", "method", "line", "status", "test"]
    with (REPORT / "mutations.csv").open(encoding="utf-8", newline="") as text:
        return [change(row) for row in csv.DictReader(text, names)]


def change(row: dict[str, str]) -> Change:
    """A change as pitest tells it; one in a nested class counts with the class."""
    of = row["class"].rpartition(".")[2].partition("$")[0]
    mutator = row["mutator"].rpartition(".")[2].removesuffix("Mutator")
    what = f"{row['file']}:{row['line']} {row['method']}: {mutator}, {row['status'].lower()}"
    return Change(of, what, row["status"] not in UNNOTICED)


def judge(modules: list[str]) -> list[Change]:
    """The changes of modules of the judge of marks."""
    copy = REPORT / "judge"
    shutil.rmtree(copy, ignore_errors=True)
    for folder, name in (("tools", "src"), ("tests", "tests")):
        shutil.copytree(ROOT / folder, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in NEEDED:
        (copy / name).symlink_to(ROOT / name)
    settings = SETTINGS.format(
        only=[f"src/teach/homework/{name}.py" for name in modules],
        needed=NEEDED,
        clone=CLONE,
        tests=[f"tests/teach/test_{name}.py" for name in TESTS],
    )
    common = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (copy / "pyproject.toml").write_text(re.sub(r'(pythonpath = \[)"tools"', r'\1"src"', common) + settings)
    env = os.environ | {"PYTHONPATH": str(beside("mutants"))}
    command = [sys.executable, "-c", RUN, "run", f"--max-children={cpus()}"]
    if subprocess.run(command, cwd=copy, env=env).returncode:
        sys.exit("mutmut could not change the judge of marks: see above")
    return [one for name in modules for one in told(copy / f"mutants/src/teach/homework/{name}.py.meta")]


def told(file: Path) -> list[Change]:
    """The changes of a module as mutmut keeps them: the exit code of the tests for each."""
    codes = json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"]
    of = file.name.partition(".")[0]
    return [Change(of, name, code not in (SURVIVED, NO_TESTS)) for name, code in codes.items()]


def cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def noticed(changes: list[Change]) -> float:
    """The share of the changes that a test has noticed."""
    return sum(one.noticed for one in changes) / max(len(changes), 1)


def table(changes: list[Change]) -> list[str]:
    """A line for each class or module, the weakest first, and one for all."""
    groups: dict[str, list[Change]] = defaultdict(list)
    for one in changes:
        groups[one.of].append(one)
    rows = sorted(groups.items(), key=lambda row: noticed(row[1]))
    lines = []
    for name, of in [*rows, ("all", changes)]:
        killed = sum(one.noticed for one in of)
        lines.append(f"{name:<14} {killed:>5} of {len(of):>5}  {100 * noticed(of):3.0f} %")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=[*PACKAGES, "judge"])
    parser.add_argument("name", nargs="?", help="one class of it or, of the judge of marks, one module")
    asked = parser.parse_args()
    if asked.part == "judge":
        changes = judge([asked.name] if asked.name else JUDGE)
    else:
        changes = java(PACKAGES[asked.part], asked.name)
    if asked.name:
        print(*(one.what for one in changes if not one.noticed), sep="\n")
    print(*table(changes), sep="\n")
    if not changes:
        sys.exit(f"Nothing was changed: {asked.part} has no class or module {asked.name}.")
    if noticed(changes) < LEAST:
        sys.exit(f"The quick tests notice fewer than {LEAST:.0%} of the changes.")


if __name__ == "__main__":
    main()
