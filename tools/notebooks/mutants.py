"""Changes the rules of whatwaits one place at a time, and counts the changes that a quick test notices.

All of them take ten minutes on two CPUs: make release-check PART=mutants. One class, with each change that no
test has noticed: python3 tools/setup.py --tests -- python tools/notebooks/mutants.py Owner
"""

import argparse
import csv
import os
import subprocess
import sys
from collections import defaultdict

from bootstrap.environment import java_env
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import maven

MODULE = ROOT / "whatwaits"
PACKAGE = "whatwaits.rules"
REPORT = BUILD / "mutants"
PATH = REPORT / "class-path.txt"
LEAST = 0.85  # of all changes together
UNNOTICED = ("SURVIVED", "NO_COVERAGE")
RESOLVE = ["dependency:build-classpath", f"-Dmdep.outputFile={PATH}"]


def mutate(classes: str) -> list[dict[str, str]]:
    """Each change, and what became of it."""
    jdk = find_jdk(Computer())
    command = [*maven(), "--quiet", "--projects=whatwaits", "-Pmutants", "test-compile", *RESOLVE]
    REPORT.mkdir(parents=True, exist_ok=True)
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | java_env(jdk))
    folders = [MODULE / "target/classes", MODULE / "target/test-classes"]
    path = os.pathsep.join([*map(str, folders), PATH.read_text(encoding="utf-8")])
    said = {
        "reportDir": REPORT,
        "sourceDirs": MODULE / "src/main/java",
        "targetClasses": classes,
        "targetTests": f"{PACKAGE}.*,whatwaits.command.*",  # what is said is tested there
        "excludedGroups": "deep,release",
        "outputFormats": "CSV",
        "threads": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "timestampedReports": "false",
    }
    options = [word for name, value in said.items() for word in (f"--{name}", str(value))]
    pitest = "org.pitest.mutationtest.commandline.MutationCoverageReport"
    told = subprocess.run([jdk.home / "bin/java", "-cp", path, pitest, *options], cwd=MODULE, text=True)
    if told.returncode:
        sys.exit("pitest could not change the rules: see above")
    names = ["file", "class", "mutator", "method", "line", "status", "test"]
    with (REPORT / "mutations.csv").open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text, names))


def noticed(changes: list[dict[str, str]]) -> float:
    """The share of the changes that a test has noticed."""
    return sum(one["status"] not in UNNOTICED for one in changes) / max(len(changes), 1)


def table(changes: list[dict[str, str]]) -> list[str]:
    """A line for each class, the weakest first, and one for all."""
    by_class = defaultdict(list)
    for one in changes:
        by_class[one["class"].removeprefix(f"{PACKAGE}.").partition("$")[0]].append(one)
    rows = sorted(by_class.items(), key=lambda row: noticed(row[1]))
    lines = []
    for name, of in [*rows, ("all", changes)]:
        killed = sum(one["status"] not in UNNOTICED for one in of)
        lines.append(f"{name:<14} {killed:>5} of {len(of):>5}  {100 * noticed(of):3.0f} %")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", help="one class of the rules")
    asked = parser.parse_args()
    name = f"{PACKAGE}.{asked.name or '*'}"
    changes = mutate(f"{name},{name}$*" if asked.name else name)
    if asked.name:
        for one in changes:
            if one["status"] in UNNOTICED:
                mutator = one["mutator"].rpartition(".")[2].removesuffix("Mutator")
                print(f"{one['file']}:{one['line']} {one['method']}: {mutator}, {one['status'].lower()}")
    print(*table(changes), sep="\n")
    if not changes:
        sys.exit("Nothing was changed: is the class one of the rules?")
    if noticed(changes) < LEAST:
        sys.exit(f"The quick tests notice fewer than {LEAST:.0%} of the changes.")


if __name__ == "__main__":
    main()
