"""What whatwaits and other tools found in services with a fault: the page score.md of the site."""

import csv
import re
from pathlib import Path

from bootstrap.places import ROOT
from notebooks import foreign, score

HEAD = """# How much does whatwaits find?

**A service is slow: which limit does it meet, and in which line?** Here [whatwaits](whatwaits/README.md) was asked about services whose fault is known, with one look each, and so were other tools that can be had. A tool that only its makers score proves little: take the [cases](#score-yours), and score yours.

"""  # noqa: E501

FOREIGN = """## Services that are not ours

{services} services from Maven Central, each in a JVM of its own, {faults} times with a fault that was put in from outside: by their settings, by the load, by a slow partner, by a lock that somebody holds. Nobody changed their code; where a service is only a library, some thirty lines of ordinary use stand around it. One look of {seconds} seconds with a dump.

{summary}

Found means: for whatwaits, that the *first* limit which it names is of the right kind and the right one; of the others, which name no limit, only that the right class or method stands in what they print, for `jfr view` in the first three rows of a view. Of {healthy} healthy services whatwaits accused {alarms}.

{hidden}

{table}

*Hidden* cases were written by somebody who had not read the rules, after these were frozen, and were run once. The other cases were known while the rules were made, and {known} Two earlier sets of hidden cases are among them: at their first try, with the rules of that time, 10 of 21 faults were named, then 30 of 39.

"""  # noqa: E501

OURS = """## Our own shops

Whoever made the tool made these faults, too. One look of two seconds each; *without dumps* is the same look without its dump.

{table}

"""  # noqa: E501

END = """## What was not tried

- Production: every load here is small and steady, on one machine with {cpus}, on Java {java}.
- More than one fault at a time, services that talk to each other, and faults that come and go within seconds.
- Windows and macOS.
- Commercial tools, and tools on the web that want a dump to be uploaded. async-profiler and Arthas were not asked; jstall, built from its sources, had two dumps and no profiler.

## Score yours

`make score` resolves the services, puts the faults in, and writes `build/foreign.zip`: for each case a recording of Flight Recorder, a dump in JSON and one in text, the look that whatwaits saved, and the truth beside them (`truth.json`, and `truth.csv` for all). Nobody has to run anything to score another tool on them. [Every row](data/recorded/foreign.csv) and [what the columns mean](data/README.md).
"""  # noqa: E501

TOOLS = {"jfr view": "`jfr view`", "JDK's deadlock finder": "the JDK's deadlock finder", "jstall": "jstall"}


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def lines(heads: list[str], body: list[list[str]]) -> str:
    table = [heads, ["---"] * len(heads), *body]
    return "\n".join(f"| {' | '.join(cell.replace('|', ' or ') for cell in row)} |" for row in table)


def count(table: list[dict[str, str]], column: str) -> str:
    asked = [row[column] for row in table if row[column]]
    return f"{asked.count('yes')} of {len(asked)}" if asked else "not asked"


def summary(faults: list[dict[str, str]], healthy: list[dict[str, str]]) -> str:
    """A line for each tool."""
    alarms = f"{[row['found'] for row in healthy].count('no')} of {len(healthy)}"
    body = [["**whatwaits**", count(faults, "found"), count(faults, "line right"), alarms]]
    body += [[name, count(faults, tool), "–", "does not judge"] for tool, name in TOOLS.items()]
    return lines(["tool", "found", "line right", "false alarms"], body)


def each(table: list[dict[str, str]]) -> str:
    marks = {"yes": "✔", "no": "✘", "": "–"}
    heads = ["service", "what is wrong", "limit", "whatwaits", "line", *TOOLS.values()]
    body = []
    for row in table:
        what = f"{row['what']}{' *(hidden)*' if row['hidden'] == 'yes' else ''}"
        named = f"{marks[row['found']]} {row['named']}" if row["found"] == "no" else marks[row["found"]]
        limit = row["limit"].replace("|", " or ").replace("_", " ").replace("nothing", "–")
        others = [marks[row[tool]] for tool in TOOLS]
        body.append([row["service"], what, limit, named, marks[row["line right"]], *others])
    return lines(heads, body)


def page() -> str:
    """The page, from the recorded tables."""
    table = foreign.rows()
    machine = {row["what"]: row["value"] for row in rows(ROOT / "data/recorded/score.machine.csv")}
    faults = [row for row in table if row["limit"] != "nothing"]
    healthy = [row for row in table if row["limit"] == "nothing"]
    unseen = [row for row in faults if row["hidden"] == "yes"]
    alarms = [row["found"] for row in healthy].count("no")
    known = [row for row in faults if row["hidden"] != "yes"]
    text = FOREIGN.format(
        services=len({row["service"] for row in table}),
        faults=len(faults),
        seconds=foreign.SECONDS,
        summary=summary(faults, healthy),
        healthy=len(healthy),
        alarms=alarms or "none",
        hidden=f"Of the hidden faults it named {count(unseen, 'found')}, at the first try." if unseen else "",
        table=each(table),
        known=f"{count(known, 'found')} of them were found.",
    )
    java = re.search(r"\d+\.\d+\.\d+", machine["JDK"])[0]
    end = END.format(cpus=f"{machine['CPUs'].split()[0]} CPUs", java=java)
    return HEAD + (text if table else "") + OURS.format(table=score.table(rows(score.FILE))) + end
