"""Scores whatwaits, and other tools, on services whose fault is known: make score

Our own services, services that are not ours, and the programs of the trial: each case starts one, looks at it
by the command, and compares the first thing that is named with the truth. One that whatwaits/score/score.csv
has is not run again: repeat it, on a quiet machine, until nothing is left; delete rows to begin anew.
build/score/cases and build/score.zip hold what was seen, with the truth beside it. JSTALL may name the jar of
jstall, which has to be built from its sources.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
from bootstrap.files import digest, write_rows
from bootstrap.places import BUILD
from notebooks.services import HOME, WORK, CannotStart, java, services, start

FILE = HOME / "score/score.csv"
MACHINE = HOME / "score/score.machine.csv"
JAR = BUILD / "whatwaits.jar"
# views of a recording that show where threads wait or compute; others list options, classes, all events
VIEWS = re.compile(
    r"^ *(Contention|Pinned|Latenc|Java Methods that Execute|Waiting or Exec|File Reads|Socket Reads)", re.M
)
TOP, HIGH = 3, 3  # rows of a view that somebody reads, and lines of a row
SECONDS = 2  # of a look
TRIALS, SHOPS = 3, 5  # looks at each program of the trial, at each fault of the shop
# what a recording would tell about whoever records it
UNSEEN = [
    f"jdk.{event}#enabled=false"
    for event in ("InitialEnvironmentVariable", "InitialSystemProperty", "SystemProcess", "JVMInformation")
]
JSTALLS = (["status"], ["waiting-threads", "--stack-depth=0"])  # deadlocks are in the first
HEADER = [
    *("set", "case", "round", "service", "what", "limit", "hidden", "found", "line right", "figure right"),
    *("without dumps", "named", "line", "jfr view", "JDK's deadlock finder", "jstall"),
    *("look (ms)", "CPU (ms)", "CPU without a look (ms)", "seconds", "seed", "version"),
]
KEY = ("set", "case", "round")
TRUTH = ("service", "what", "limit", "name", "line")
# limits that have no name of their own in every version: what most threads wait for, and the kinds of a limit
WAITS = {"partner": ("socket", "result", "remote"), "condition": ("condition",)}
FOR_WORK = re.compile(r"any of its connections|a new connection|for an element")
UNDECIDED = 3  # the exit code

Case = dict[str, Any]
Report = dict[str, Any]


# --- what whatwaits says ---


def look(pid: int, folder: Path, name: str, *options: str) -> Report:
    """One look by the command; what it says, and its exit code."""
    command = [java("java"), "-jar", str(JAR), "look", str(pid), f"--seconds={SECONDS}", "--json", *options]
    run = subprocess.run(command, capture_output=True, timeout=60, text=True)
    (folder / f"{name}.json").write_text(run.stdout + run.stderr, encoding="utf-8")
    report = json.loads(run.stdout) if run.stdout.startswith("{") else {"error": run.stderr.strip()}
    return report | {"exit": run.returncode}


def places(finding: Report, report: Report) -> list[str]:
    """All lines that belong to what is named, the one to look at first before the others."""
    lines = [finding.get("line")]
    lines += [place.get("line") for who in ("waiters", "holders") for place in finding.get(who, [])]
    if finding.get("what") == "circle":
        lines += [one.get("line") for circle in report.get("circles", []) for one in circle["threads"]]
    if finding and not any(lines):  # of full CPUs; a full heap is in no line
        computes = [group.get("line") for group in report.get("groups", []) if group["waitsFor"] == "nothing"]
        lines = [*computes, finding["name"]]
    return [line for line in lines if line]


def judged(case: Case, report: Report) -> dict[str, str]:
    """Whether whatwaits has named the right limit and the right line."""
    findings = report.get("findings", [])
    named: Report = next((one for one in findings if one["what"] not in ("defect", "undecided")), {})
    kind = named.get("kind", "") if named.get("what") == "limit" else named.get("what", "")
    answer = {"named": named.get("name", ""), "line right": "", "line": ""}
    wanted = case["limit"].split("|")
    lines = places(named, report)
    if wanted == ["nothing"]:
        found = not named and "error" not in report
    elif wanted[0] in WAITS:
        largest = most(report)
        lines = lines or [largest.get("line", "")]
        answer["named"] = answer["named"] or f"most threads: {largest.get('waitsFor')}"
        found = kind in WAITS[wanted[0]] or (not kind and largest.get("waitsFor") in WAITS[wanted[0]])
    else:
        told = [named.get(key, "") for key in ("name", "class", "object")]
        names = [
            name for who in ("waiters", "holders") for one in named.get(who, []) for name in one["names"]
        ]
        if kind == "circle":
            names += [
                one.get(key, "")
                for circle in report["circles"]
                for one in circle["threads"]
                for key in ("waitsFor", "what")
            ]
        found = kind in wanted and bool(re.search(case["name"], " ".join([*told, *lines, *names])))
        if wanted == ["fault"]:
            found = any(re.search(case["line"], line) for line in lines)
    if wanted != ["nothing"]:
        right = [line for line in lines if re.search(case["line"], line)]
        answer |= {"line right": yes(found and bool(right)), "line": next(iter([*right, *lines]), "")}
    undecided = report.get("exit") == UNDECIDED and not named
    answer["found"] = "undecided" if undecided and not (found and wanted[0] in WAITS) else yes(found)
    line = report.get("undecided", {}).get("line", "")
    if answer["found"] == "undecided" and line and wanted != ["nothing"]:
        answer |= {"line right": yes(bool(re.search(case["line"], line))), "line": line}
    answer["named"] = answer["named"] or ("undecided" if undecided else report.get("error", "nothing"))
    return answer


def most(report: Report) -> Report:
    """The largest group of threads that do not wait for new work."""
    busy = [
        group
        for group in report.get("groups", [])
        if group["waitsFor"] not in ("task", "sleep") and not FOR_WORK.search(group.get("what", ""))
    ]
    return max(busy, key=lambda group: group["threads"], default={})


def figures(report: Report) -> str:
    """The places of the limit that comes first, and how many are in use."""
    first: Report = next((one for one in report.get("findings", []) if one["what"] == "limit"), {})
    limit: Report = next((one for one in report.get("limits", []) if one["name"] == first.get("name")), {})
    return f"{limit.get('of', 'NaN')} {limit.get('inUse', 'NaN')}"


def yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


# --- the other tools ---


def said(command: list[str], seconds: float = 30) -> str:
    """What a tool prints, wherever it prints it."""
    try:
        return subprocess.run(
            command,
            timeout=seconds,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ).stdout
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace")


def views(recording: Path) -> str:
    """The first rows of the views of a recording in which a wait or a computation can be read."""
    sizes = ["--width", "200", "--cell-height", str(HIGH)]
    text = said([java("jfr"), "view", *sizes, "all-views", str(recording)])
    if not VIEWS.search(text):
        raise ValueError(f"jfr view shows none of the views of {recording}: {text[:200]}")
    kept = []
    for view in re.split(r"\n\n(?= {8,}\S)", text):
        if VIEWS.match(view):
            rows = [row for row in view.splitlines() if row.strip() and not set(row) <= set("- ")]
            kept += rows[: 2 + TOP * HIGH]  # its title and its columns come first
    return "\n".join(kept)


def others(case: Case, folder: Path) -> dict[str, str]:
    """What other tools print of the same service: found if the line of the truth is in it.

    A service in which nothing is wrong is not asked about: none of these tools says that nothing is.
    """
    truth = re.compile(case["line"])
    dumps = [str(folder / name) for name in ("threads-before.txt", "threads.txt")]
    deadlocks = (
        Path(dumps[1]).read_text(encoding="utf-8", errors="replace").partition("Java-level deadlock")[2]
    )
    shown = {"jfr view": views(folder / "recording.jfr"), "JDK's deadlock finder": deadlocks}
    if jstall := os.environ.get("JSTALL"):
        asks = [[java("java"), "-jar", jstall, *what, *dumps] for what in JSTALLS]
        shown["jstall"] = "\n".join(said(one) for one in asks)
        if "Unknown option" in shown["jstall"]:
            raise ValueError(f"this jstall knows other options: {shown['jstall'][:200]}")
    for tool, text in shown.items():
        (folder / f"{tool.replace(' ', '-')}.txt").write_text(text, encoding="utf-8")
    return {tool: yes(bool(truth.search(text))) for tool, text in shown.items()}


# --- the cases ---


def toml(of: str, name: str, **more: Any) -> list[Case]:
    file = HOME / name
    told = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return [{"set": of, "case": case} | more | rest for case, rest in told.items()]


def cases() -> list[Case]:
    """All cases, in the order in which they run: first what nobody of the rules has seen."""
    hidden = toml("foreign", "foreign/hidden.toml", hidden=True)
    own = toml("own", "score/own.toml")
    shops = [case for case in own if case["service"] == "shop"]
    healthy = [case for case in own if case not in shops]
    once = [*hidden, *toml("foreign", "foreign/cases.toml"), *healthy]
    return [*rounds(TRIALS, trial()), *rounds(1, once), *rounds(SHOPS, shops)]


def rounds(times: int, of: list[Case]) -> list[Case]:
    return [case | {"round": number} for number in range(1, times + 1) for case in of]


def trial() -> list[Case]:
    """Programs by somebody who has seen no rule; each with a fault has an innocent twin; the line decides."""
    file, found = HOME / "trial/trial.csv", []
    for row in table_of(file):
        name = row["program"].removesuffix(".java")
        fault = row["answer"] == "fault"
        what = row["kind"] if fault else f"twin of {row['twin_of'].removesuffix('.java')}: {row['why']}"
        case = {"set": "trial", "case": name, "service": "program", "what": what, "name": ""}
        lines = rf"\b{name}\.java:({row['line']})\)"
        found.append(
            case | {"limit": "fault" if fault else "nothing", "line": lines, "options": row["options"]}
        )
    return found


def table_of(file: Path) -> list[dict[str, str]]:
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def folder_of(case: Case) -> Path:
    return WORK / "cases" / "-".join(key(case)).replace(" ", "-")


def run(case: Case) -> dict[str, str]:
    """Starts the service and looks with a dump, then without; keeps what other tools need."""
    folder = folder_of(case)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begun, asks_others = time.monotonic(), case["set"] == "foreign"
    drawn: Case = {"seed": int(time.time() * 1e3) % 1_000_000}
    case = drawn | case
    row = {key: str(case.get(key, "")) for key in HEADER} | {"hidden": yes(case.get("hidden", False))}
    row |= {"version": digest(JAR)[:8], "seed": str(case["seed"]) if case["service"] == "shop" else ""}
    with ExitStack() as stack:
        service = start(stack, case, folder)
        jcmd, process = [java("jcmd"), str(service.pid)], psutil.Process(service.pid)
        if asks_others:
            said([*jcmd, "JFR.start", "name=foreign", "settings=profile", *UNSEEN])
            (folder / "threads-before.txt").write_text(said([*jcmd, "Thread.print", "-l"]), encoding="utf-8")
        times = [sum(process.cpu_times()[:2])]
        if case["limit"] == "nothing":
            time.sleep(SECONDS)
        times.append(sum(process.cpu_times()[:2]))
        looked = time.monotonic()
        report = look(service.pid, folder, "look", "--dumps", f"--save={folder / 'look.zip'}")
        row["look (ms)"] = f"{1e3 * (time.monotonic() - looked):.0f}"
        times.append(sum(process.cpu_times()[:2]))
        row |= judged(case, report)
        if case["limit"] == "nothing":
            alone, beside = (1e3 * (after - before) for before, after in pairwise(times))
            row |= {"CPU without a look (ms)": f"{alone:.0f}", "CPU (ms)": f"{beside:.0f}"}
        if asks_others:
            (folder / "threads.txt").write_text(said([*jcmd, "Thread.print", "-l"]), encoding="utf-8")
            said([*jcmd, "Thread.dump_to_file", "-format=json", str(folder / "threads.json")])
            said([*jcmd, "JFR.dump", "name=foreign", f"filename={folder / 'recording.jfr'}"])
        row["without dumps"] = judged(case, look(service.pid, folder, "without-dumps"))["found"]
        if case["service"] == "shop":
            row["figure right"] = yes(service.ask(figures(report)) == "true")
    truth = {"case": folder.name} | {name: case[name] for name in TRUTH if name in case}
    truth["artefacts"] = services().get(case["service"], {}).get("artefacts", [])
    (folder / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    if asks_others and case["limit"] != "nothing":
        row |= others(case, folder)
    return row | {"seconds": f"{time.monotonic() - begun:.0f}"}


def rows() -> list[dict[str, str]]:
    return table_of(FILE)


def key(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in KEY)


def write(table: list[dict[str, str]]) -> None:
    order = {key(case): number for number, case in enumerate(cases())}
    table = sorted(table, key=lambda row: order.get(key(row), len(order)))
    write_rows(FILE, [HEADER, *([row.get(name, "") for name in HEADER] for row in table)])


def export() -> Path:
    """Puts what was seen, with the truth beside it, into one archive, for others to score theirs."""
    folder = WORK / "cases"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "truth.csv").open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["case", "artefacts", *TRUTH])
        for file in sorted(folder.glob("*/truth.json")):
            truth = json.loads(file.read_text(encoding="utf-8"))
            told = [truth.get(name, "") for name in TRUTH]
            writer.writerow([truth["case"], " ".join(truth["artefacts"]), *told])
    return Path(shutil.make_archive(str(WORK), "zip", folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=4, help="no case begins later than this")
    parser.add_argument("--try", dest="tried", nargs="+", help="run these cases once, and record nothing")
    parser.add_argument("--only", choices=["own", "foreign", "trial"], help="one of the three sets")
    asked = parser.parse_args()
    table, known = rows(), [case for case in cases() if asked.only in (None, case["set"])]
    done = {key(row) for row in table}
    left = [case for case in known if key(case) not in done]
    if asked.tried:
        left = [case for case in known if case["case"] in asked.tried and case["round"] == 1]
    end, failed, ran = time.monotonic() + 60 * asked.minutes, [], 0
    for case in left:
        if time.monotonic() > end and not asked.tried:
            break
        try:
            row = run(case)
        except (CannotStart, OSError, KeyError, ValueError, subprocess.SubprocessError, psutil.Error) as why:
            failed.append(f"{' '.join(key(case))}: {why!r}")
            continue
        ran += 1
        if asked.tried:
            print(", ".join(f"{name}: {value}" for name, value in row.items() if value and name != "what"))
        else:
            table.append(row)
            write(table)
            if (machine := folder_of(case) / MACHINE.name).exists():
                shutil.copy(machine, MACHINE)
            right = f"found {row['found']}, line right {row['line right'] or '-'}"
            print(f"{' '.join(key(row))}: {right}: {row['named']}")
        sys.stdout.flush()
    if failed:
        sys.exit("\n".join(failed))
    if not asked.tried:
        print(f"{len(left) - ran} of {len(known)} cases are left; what was seen: {export()}")


if __name__ == "__main__":
    main()
