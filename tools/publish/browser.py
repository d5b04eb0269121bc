"""Compiles what runs on the pages of the site to JavaScript, in build/browser, and writes it beside them.

The scripts are classic ones, so that a page also works from a disk. Maven runs only if a source has changed;
the first time it fetches TeaVM.
"""

import csv
import json
import os
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from statistics import median

from bootstrap.environment import java_env
from bootstrap.files import digest, hold
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import LISTED, maven

HOME = ROOT / "site/java"
POM = "site/java/pom.xml"
# the libraries come beside the classes, for what runs these on the JVM
GOALS = ["process-classes", "dependency:copy-dependencies", "-DincludeScope=runtime"]
BUILT = BUILD / "browser"
RULES = ROOT / "whatwaits/src/main/java/whatwaits/rules"
MODEL = ROOT / "site/model/src/main/java"
SAMPLES = {
    "circle": ROOT / "site/samples/circle.json",
    "connections": ROOT / "whatwaits/src/test/resources/whatwaits/rules/hikari.json",
    "lock": ROOT / "site/samples/lock.txt",
    "log": ROOT / "site/samples/log.txt",
    "beans": ROOT / "site/samples/beans.json",
    "debugger": ROOT / "site/samples/debugger.txt",
    "javacore": ROOT / "site/samples/javacore.txt",
}
RECORDED = ROOT / "data/recorded"
# a script that the page runs and whose text a worker gets: as a function, it can do both
AS_FUNCTION = (
    "window.{name} = function {name}() {{ const module = {{exports: {{}}}}; const exports = module.exports;\n"
    "{script}\nreturn module.exports; }};\n"
)


def sources() -> str:
    """A fingerprint of all that is compiled."""
    files = [
        HOME / "pom.xml",
        *(file for part in (HOME, RULES, MODEL) for file in sorted(part.rglob("*.java"))),
    ]
    return digest(*(file.read_text(encoding="utf-8") for file in files))


def compiled() -> Path:
    """The folder with the compiled scripts; one process compiles, others wait for it."""
    stamp = BUILT / "sources"
    with hold(BUILD / "browser.lock", lambda: None):
        if stamp.is_file() and stamp.read_text() == sources():
            return BUILT
        shutil.rmtree(BUILT, ignore_errors=True)
        command = [*maven(POM), "--quiet", LISTED, *GOALS]
        subprocess.run(command, cwd=ROOT, env=os.environ | java_env(find_jdk(Computer())), check=True)
        stamp.write_text(sources())
    return BUILT


def rows(file: Path, *numbers: str) -> list[dict[str, str | float]]:
    """A table, with numbers in some of its columns."""
    with file.open(encoding="utf-8", newline="") as table:
        return [
            row | {name: float(row[name]) for name in numbers if row[name]} for row in csv.DictReader(table)
        ]


def overtaken() -> list[dict[str, object]]:
    """How late a woken thread was, the median of the trials."""
    late: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for name, permits in (("14-overtaken", 0), ("14-overtaken-at-a-door", 4)):
        for row in rows(RECORDED / f"{name}.csv", "java", "late (ms)"):
            late[row["java"], row["what"], permits].append(float(row["late (ms)"]))
    return [
        {"java": java, "what": what, "permits": permits, "late": median(trials)}
        for (java, what, permits), trials in late.items()
    ]


def marks() -> dict[str, object]:
    """What was measured, for the pages with sliders."""
    newcomers = rows(RECORDED / "07-newcomers.csv", "java", "newcomer waits (ms)")
    return {
        "pool": rows(RECORDED / "01-pool.csv", "n", "requests/s"),
        "doors": rows(RECORDED / "06-doors.csv", "good/s", "p99 (ms)"),
        "newcomers": [
            {
                "kind": row["kind"],
                "java": row["java"],
                "what": row["what"],
                "waits": row["newcomer waits (ms)"],
            }
            for row in newcomers
        ],
        "replay": rows(RECORDED / "03-replay.csv", "from (ms)", "until (ms)"),
        "overtaken": overtaken(),
        "holds": rows(ROOT / "data/pinning/holds-a-carrier.csv", "from", "until"),
    }


def write(folder: Path) -> None:
    """Puts the scripts, the samples of dumps and what was measured into a folder."""
    built = compiled()
    for script, name, target in (("dump", "whatwaitsRules", "dump-rules"), ("model", "waitsModel", "model")):
        text = (built / f"{script}.js").read_text(encoding="utf-8")
        (folder / f"{target}.js").write_text(AS_FUNCTION.format(name=name, script=text), encoding="utf-8")
    texts = {name: file.read_text(encoding="utf-8") for name, file in SAMPLES.items()}
    (folder / "dump-samples.js").write_text(
        f"window.whatwaitsSamples = {json.dumps(texts)};\n", encoding="utf-8"
    )
    (folder / "marks.js").write_text(f"window.waitsMarks = {json.dumps(marks())};\n", encoding="utf-8")
