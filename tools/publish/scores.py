"""What whatwaits and other tools found in services with a fault: the page score.md of the site, and the short
table in whatwaits/README.md, which python tools/publish/scores.py writes."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from notebooks import score

README = score.HOME / "README.md"
BEGIN, END = "<!-- score -->", "<!-- end of score -->"
HEAD = """# How much does whatwaits find?

**A service is slow: which limit does it meet, and in which line?** [whatwaits](whatwaits/README.md), a command that looks at a running JVM from outside, answers that; its rules also [read dumps in your browser](dump.md). Here it was asked about services whose fault is known, with one look of {seconds} seconds with a dump, and so were other tools that can be had. A tool that only its makers score proves little: take the [cases](#score-yours), and score yours.

{summary}

Found means: the *first* limit which it names is of the right kind and the right one. *Undecided* is its answer where it names nothing and says what would decide; it may point at the right line all the same. *Without dumps* is a look after it without its dump, as Java 25 gets it by default.

"""  # noqa: E501

TRIAL = """## Programs by somebody who has seen no rule

Thirty small programs with one fault each, and thirty twins which differ in one place and are healthy, written from a list of kinds alone and frozen before the first try; each was started and looked at {looks} times.

{table}

"""  # noqa: E501

FOREIGN = """## Services that are not ours

{services} services from Maven Central, each in a JVM of its own, {faults} times with a fault that was put in from outside: by their settings, by the load, by a slow partner, by a lock that somebody holds. Nobody changed their code; where a service is only a library, some thirty lines of ordinary use stand around it.

{tools}

Of the other tools, which name no limit, only the right class or method must stand in what they print, for `jfr view` in the first three rows of a view.

*Hidden* cases were written by somebody who had not read the rules, after these were frozen, and were run once. The other cases were known while the rules were made. Two earlier sets of hidden cases are among them: at their first try, with the rules of that time, 10 of 21 faults were named, then 30 of 39.

{table}

"""  # noqa: E501

OURS = """## Our own shops

Whoever made the tool made these faults, too. Their seed comes from the clock; the figure that follows from the limit must be within 30 %.

{table}

A look of 2 s took {look:,.0f} ms with the start of the command (median), and cost an idle JVM {cost:.0f} ms of CPU time.

"""  # noqa: E501

LAST = """## What was not tried

- Production: every load here is small and steady, on one machine with {cpus}, on Java {java}.
- More than one fault at a time, services that talk to each other, and faults that come and go within seconds.
- Windows and macOS.
- Commercial tools, and tools on the web that want a dump to be uploaded. async-profiler and Arthas were not asked; jstall, built from its sources, had two dumps and no profiler.

## Score yours

`make score` resolves the services, puts the faults in, and writes `build/score.zip`: for each case the look that whatwaits saved and the truth beside it (`truth.json`, and `truth.csv` for all); for services that are not ours also a recording of Flight Recorder, a dump in JSON and one in text. Nobody has to run anything to score another tool on them. [Every row](whatwaits/score/score.csv) and [what the columns mean](data/README.md).
"""  # noqa: E501

TOOLS = {"jfr view": "`jfr view`", "JDK's deadlock finder": "the JDK's deadlock finder", "jstall": "jstall"}
SETS = {
    "trial": "programs by somebody who has seen no rule, and their healthy twins",
    "hidden": "services that are not ours, faults by somebody who had not read the rules",
    "foreign": "services that are not ours, known faults",
    "own": "our own shops",
}
IDLE = ("idle", "consumers", "acceptors")
Rows = list[dict[str, str]]


def lines(heads: list[str], body: list[list[str]]) -> str:
    table = [heads, ["---"] * len(heads), *body]
    return "\n".join(f"| {' | '.join(cell.replace('|', ' or ') for cell in row)} |" for row in table)


def count(table: Rows, column: str, answer: str = "yes") -> str:
    asked = [row[column] for row in table if row[column]]
    return f"{asked.count(answer)} of {len(asked)}" if asked else "–"


def median(table: Rows, column: str) -> float:
    values = sorted(float(row[column]) for row in table if row[column])
    return values[len(values) // 2] if values else float("nan")


def split(table: Rows) -> tuple[Rows, Rows]:
    """The rows with a fault, and those of healthy services."""
    return [row for row in table if row["limit"] != "nothing"], [
        row for row in table if row["limit"] == "nothing"
    ]


def of(table: Rows, which: str) -> Rows:
    return [row for row in table if which == ("hidden" if row["hidden"] == "yes" else row["set"])]


def summary(table: Rows) -> str:
    """A line for each set that has been run."""
    heads = [
        "one look at each",
        "found",
        "right line",
        "undecided (at the right line)",
        "found without dumps",
        "healthy ones accused",
    ]
    body = []
    for which, name in SETS.items():
        faults, healthy = split(of(table, which))
        if faults:
            right = [row["found"] for row in faults if row["line right"] == "yes"]
            found = [count(faults, "found"), f"{right.count('yes')} of {len(faults)}"]
            left = count(faults, "found", "undecided")
            if there := right.count("undecided"):
                left += f" ({there})"
            body.append([name, *found, left, count(faults, "without dumps"), count(healthy, "found", "no")])
    return lines(heads, body)


def by_case(table: Rows) -> str:
    """A row for each case of which several looks were made."""
    columns = ["found", "line right", "figure right", "without dumps"]
    columns = [column for column in columns if any(row[column] for row in table)]
    heads = ["case", "what is wrong", "limit", *columns, "named otherwise"]
    body = []
    for name in dict.fromkeys(row["case"] for row in table):
        rows = [row for row in table if row["case"] == name]
        wrong = dict.fromkeys(row["named"] for row in rows if row["found"] != "yes")
        counts = [count(rows, column) for column in columns]
        body.append([name, rows[0]["what"], limit(rows[0]), *counts, "; ".join(wrong)])
    return lines(heads, body)


def tools(table: Rows) -> str:
    """A line for each tool."""
    faults, healthy = split(table)
    alarms = count(healthy, "found", "no")
    body = [["**whatwaits**", count(faults, "found"), count(faults, "line right"), alarms]]
    body += [[name, count(faults, tool), "–", "does not judge"] for tool, name in TOOLS.items()]
    return lines(["tool", "found", "line right", "false alarms"], body)


def limit(row: dict[str, str]) -> str:
    return row["limit"].replace("|", " or ").replace("_", " ").replace("nothing", "–")


def each(table: Rows) -> str:
    marks = {"yes": "✔", "no": "✘", "undecided": "?", "": "–"}
    heads = ["service", "what is wrong", "limit", "whatwaits", "line", *TOOLS.values()]
    body = []
    for row in table:
        what = f"{row['what']}{' *(hidden)*' if row['hidden'] == 'yes' else ''}"
        named = f"{marks[row['found']]} {row['named']}" if row["found"] == "no" else marks[row["found"]]
        others = [marks[row[tool]] for tool in TOOLS]
        body.append([row["service"], what, limit(row), named, marks[row["line right"]], *others])
    return lines(heads, body)


def page() -> str:
    """The page, from the recorded table."""
    table = score.rows()
    foreign, own, tried = (
        [row for row in table if row["set"] == name] for name in ("foreign", "own", "trial")
    )
    machine = {row["what"]: row["value"] for row in score.table_of(score.MACHINE)}
    parts = [HEAD.format(seconds=score.SECONDS, summary=summary(table))]
    if tried:
        parts.append(TRIAL.format(looks=score.TRIALS, table=by_case(tried)))
    if foreign:
        services, faults = len({row["service"] for row in foreign}), len(split(foreign)[0])
        told = {"tools": tools(foreign), "table": each(foreign)}
        parts.append(FOREIGN.format(services=services, faults=faults, **told))
    if own:
        idle = [row for row in own if row["case"] in IDLE]
        cost = median(idle, "CPU (ms)") - median(idle, "CPU without a look (ms)")
        parts.append(OURS.format(table=by_case(split(own)[0]), look=median(own, "look (ms)"), cost=cost))
    java = re.findall(r"\d+\.\d+\.\d+", machine["JDK"])[0]
    return "".join([*parts, LAST.format(cpus=f"{machine['CPUs'].split()[0]} CPUs", java=java)])


def publish() -> None:
    """Writes the short table between its marks."""
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    table = f"{BEGIN}\n\n{summary(score.rows())}\n\n{END}"
    README.write_text(before + table + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    publish()
