"""The score of whatwaits: its cases, how an answer is judged, what is printed. No service is started."""

import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from notebooks import score, services
from publish import scores

LIMITS = {
    *("lock", "permits", "connections", "client_connections", "threads", "carriers", "cpus", "machine"),
    *("memory", "thread", "circle", "nothing", *score.WAITS),
}
AT = "shop.Prices.kept(Prices.java:40)"
CASE = {"limit": "lock", "name": "ReentrantLock", "line": r"shop\.Prices\.kept"}
CARRIERS = {"what": "limit", "kind": "carriers", "name": "carriers"}


def named(
    what: str = "limit", kind: str = "lock", name: str = "the lock ReentrantLock", line: str = AT
) -> dict:
    place = {"line": line, "threads": 39, "names": ["one", "another"]}
    return {"what": what, "kind": kind, "name": name, "line": line, "waiters": [place], "holders": []}


def report(*findings: dict, **more: Any) -> dict:
    return {"findings": [*findings, CARRIERS], "groups": [], "circles": [], "exit": 1} | more


def test_each_case_has_a_service_a_limit_and_what_must_be_named() -> None:
    cases, known = score.cases(), services.services()
    assert len({score.key(case) for case in cases}) == len(cases)
    for case in cases:
        where = score.key(case)
        assert set(case["limit"].split("|")) <= LIMITS | ({"fault"} if case["set"] == "trial" else set()), (
            where
        )
        assert case["what"], where
        if case["set"] == "foreign":
            assert case["service"] in known and case["load"], where
        if case["limit"] != "nothing":
            assert re.compile(case["name"]) and re.compile(case["line"]), where
    healthy = {case["service"] for case in cases if case["set"] == "foreign" and case["limit"] == "nothing"}
    assert healthy == {*known}, "each service is also looked at when nothing is wrong"
    for name, service in known.items():
        assert service["licence"] and service["about"], name
        assert all(one.count(":") >= 2 for one in service["artefacts"]), f"{name}: a version is pinned"


def test_our_own_cases_are_those_of_the_programs() -> None:
    ours = {
        kind: {case["case"] for case in score.cases() if case["service"] == kind} for kind in services.OURS
    }
    java = score.HOME.parent / "threadlab/src"
    faults = (java / "main/java/threadlab/cases/Fault.java").read_text(encoding="utf-8")
    assert ours["shop"] == {
        *re.findall(r"^    ([A-Z_]+)\($", faults, re.M),
        *re.findall(r'^    ([A-Z_]+)\("', faults, re.M),
    }
    healthy = (java / "test/java/threadlab/cases/Healthy.java").read_text(encoding="utf-8")
    assert ours["healthy"] == {*re.findall(r'^            "([\w ]+)", "', healthy, re.M)}


def test_of_a_program_of_the_trial_the_line_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trial").mkdir()
    head = "program,twin_of,kind,answer,line,options,why\n"
    told = "T1.java,,a leak,fault,40|41,-Xmx9m,so\nT1Twin.java,T1.java,none,innocent,,,given back\n"
    (tmp_path / "trial/trial.csv").write_text(head + told, encoding="utf-8")
    monkeypatch.setattr(score, "HOME", tmp_path)
    fault, twin = score.trial()
    assert (fault["case"], fault["what"], fault["options"]) == ("T1", "a leak", "-Xmx9m")
    assert (twin["limit"], twin["what"]) == ("nothing", "twin of T1: given back")
    for line, answer in (("T1.a(T1.java:41)", "yes"), ("T1.a(T1.java:4)", "no"), ("T1.a(T1.java:141)", "no")):
        judged = score.judged(fault, report(named(line=line)))
        assert (judged["found"], judged["line right"]) == (answer, answer), line
    assert score.judged(fault, {"findings": [], "exit": 0})["found"] == "no"


def test_each_program_of_the_trial_is_there() -> None:
    assert {*(score.HOME / "trial").glob("*.java")} == {
        score.HOME / f"trial/{case['case']}.java" for case in score.trial()
    }


def test_the_first_limit_counts_and_its_line() -> None:
    right = score.judged(CASE, report(named()))
    assert (right["found"], right["line right"], right["line"]) == ("yes", "yes", AT)
    elsewhere = score.judged(CASE, report(named(line="shop.Prices.ask(Prices.java:9)")))
    assert (elsewhere["found"], elsewhere["line right"]) == ("yes", "no")
    assert score.judged(CASE, report(CARRIERS, named()))["found"] == "no", "another limit was named first"
    assert score.judged(CASE, report(named(name="the lock Object")))["found"] == "no", "another lock"


def test_who_computes_is_the_line_of_full_cpus() -> None:
    groups = [
        {"waitsFor": "sleep", "line": "a.B.c"},
        {"waitsFor": "nothing", "line": "shop.Sums.add(Sums.java:4)"},
    ]
    case = {"limit": "machine", "name": "machine", "line": r"Sums\.add"}
    full = {"what": "limit", "kind": "machine", "name": "the machine's CPUs", "waiters": [], "holders": []}
    assert score.judged(case, report(full, groups=groups))["line right"] == "yes"


def test_a_circle_comes_before_any_limit() -> None:
    case = CASE | {"limit": "circle", "name": "transfer", "line": "transfer"}
    threads = [{"line": "Bank.transfer(Bank.java:4)"}]
    circle = {"what": "circle", "kind": "proven", "name": "a circle of threads", "waiters": [], "holders": []}
    seen = report(circle, named(), circles=[{"threads": threads}])
    assert score.judged(case, seen)["line right"] == "yes"
    assert score.judged(CASE, seen)["found"] == "no"
    threads[0]["what"] = "HikariCP"
    assert score.judged(case | {"name": "Hikari"}, seen)["found"] == "yes", "what its threads wait for"


def test_of_a_slow_partner_nothing_else_may_be_named_but_where_most_threads_wait() -> None:
    case = {"limit": "partner", "name": "ask", "line": r"Prices\.ask"}
    ask = "shop.Prices.ask(Prices.java:9)"
    groups = [
        {"waitsFor": "socket", "what": "any of its connections", "threads": 50, "line": "Selector.select"},
        {"waitsFor": "socket", "what": "an HTTP answer", "threads": 40, "line": ask},
        {"waitsFor": "lock", "threads": 2, "line": AT},
    ]
    none = {"findings": [], "groups": groups}
    assert score.judged(case, none)["line right"] == "yes"
    assert score.judged(case, none | {"exit": score.UNDECIDED})["found"] == "yes"
    assert score.judged(case, report(named(kind="remote", line=ask), groups=groups))["line right"] == "yes"
    assert score.judged(case, report(named(), groups=groups))["found"] == "no", "a limit was accused"


@pytest.mark.parametrize("what", ["limit", "pinned", "circle"])
def test_a_healthy_service_may_not_be_accused(what: str) -> None:
    healthy = {"limit": "nothing"}
    quiet = {"findings": [{"what": "defect", "kind": "JDK-1", "name": "Java 25"}], "exit": 0}
    assert score.judged(healthy, quiet) == {"found": "yes", "named": "nothing", "line right": "", "line": ""}
    assert score.judged(healthy, {"findings": [named(what)], "exit": 1})["found"] == "no"
    assert score.judged(healthy, {"error": "could not look", "exit": 2})["found"] == "no"


def test_undecided_is_neither_found_nor_missed() -> None:
    undecided = {"findings": [], "exit": score.UNDECIDED}
    for case in (CASE, {"limit": "nothing"}):
        answer = score.judged(case, undecided)
        assert (answer["found"], answer["named"]) == ("undecided", "undecided")
    assert score.judged(CASE, undecided | {"exit": 0})["named"] == "nothing"
    for line, right in ((AT, "yes"), ("elsewhere.C.d(C.java:1)", "no")):
        points = score.judged(CASE, undecided | {"undecided": {"line": line}})
        assert (points["found"], points["line right"], points["line"]) == ("undecided", right, line)


def test_the_figures_are_those_of_the_limit_that_comes_first() -> None:
    limits = [{"name": "CPUs", "of": 2, "inUse": 1.5}, {"name": "the lock ReentrantLock", "of": 1}]
    assert score.figures(report(named(), limits=limits)) == "1 NaN"
    assert score.figures({"findings": []}) == "NaN NaN"


def test_the_partner_answers_when_its_time_is_over() -> None:
    with services.partner(200) as address:
        begun = time.monotonic()
        assert services.ask(int(address.rpartition(":")[2]), "GET", "/") == 200
        assert time.monotonic() - begun > 0.19


def test_a_recording_does_not_tell_who_made_it() -> None:
    assert {"jdk.InitialEnvironmentVariable#enabled=false", "jdk.SystemProcess#enabled=false"} <= {
        *score.UNSEEN
    }
    assert {*services.ENVIRONMENT} == {"PATH", "LC_ALL"}


ROWS = """
foreign,a,1,h2,a row is held,lock,no,yes,no,,undecided,the lock,at A,no,no,yes,,,,9,,1
foreign,b,1,h2,a table is held,lock,yes,no,no,,no,nothing,,no,no,no,,,,9,,1
foreign,c,1,h2,two readers,nothing,no,yes,,,yes,nothing,,,,,,,,9,,1
own,HOT_LOCK,1,shop,one lock,lock,no,yes,yes,yes,no,the lock,at B,,,,2100,,,9,7,1
own,HOT_LOCK,2,shop,one lock,lock,no,undecided,no,no,no,undecided,,,,,2200,,,9,8,1
own,idle,1,healthy,no request,nothing,no,no,,,yes,CPUs,,,,,2050,130,10,9,,1
"""


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(score, "FILE", tmp_path / "score.csv")
    score.FILE.write_text(",".join(score.HEADER) + ROWS, encoding="utf-8")
    return tmp_path


def test_the_page_counts_what_was_recorded(recorded: Path) -> None:
    score.write(score.rows())
    page = scores.page()
    assert "| **whatwaits** | 1 of 2 | 0 of 2 | 0 of 1 |" in page
    assert "| jstall | 1 of 2 | – | does not judge |" in page
    assert "| h2 | a table is held *(hidden)* | lock | ✘ nothing | ✘ |" in page
    assert "| HOT_LOCK | one lock | lock | 1 of 2 | 1 of 2 | 1 of 2 | 0 of 2 | undecided |" in page
    assert "A look of 2 s took 2,100 ms" in page and "cost an idle JVM 120 ms of CPU time" in page


def test_each_writing_of_the_readme_replaces_the_one_before(recorded: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(scores, "README", recorded / "README.md")
    scores.README.write_text(f"before\n{scores.BEGIN}\n{scores.END}\nafter\n", encoding="utf-8")
    scores.publish()
    text = scores.README.read_text(encoding="utf-8")
    assert "| our own shops | 1 of 2 | 1 of 2 | 1 of 2 | 0 of 2 | 1 of 1 |" in text
    scores.publish()
    assert scores.README.read_text(encoding="utf-8") == text
    assert text.startswith("before\n") and text.endswith("\nafter\n")


def test_the_readme_prints_what_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = scores.README.read_text(encoding="utf-8")
    monkeypatch.setattr(scores, "README", Path(shutil.copy(scores.README, tmp_path)))
    scores.publish()
    assert scores.README.read_text(encoding="utf-8") == before, "python tools/publish/scores.py writes it"
