"""The score on services that are not ours: its cases, and how an answer is judged. No service is started."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from notebooks import foreign
from publish import scores

LIMITS = {
    *("lock", "permits", "connections", "client_connections", "threads", "carriers", "cpus", "machine"),
    *("memory", "circle", "partner", "nothing"),
}
CASE = {"limit": "lock", "name": "ReentrantLock", "line": r"shop\.Prices\.kept"}
LOCK = "The limit that is met: the lock ReentrantLock@1f."
AT = "39 virtual wait for a lock (ReentrantLock@1f), at shop.Prices.kept(Prices.java:40)"


def report(*lines: str, kind: str = "lock", name: str = "the lock ReentrantLock", **more: Any) -> dict:
    return {
        "findings": [
            {"what": "limit", "kind": kind, "name": name},
            {"what": "limit", "kind": "carriers", "name": "carriers"},
        ],
        "groups": [],
        "sections": [{"title": "Verdict", "lines": [*lines, "Do: kept", "X, W and L are unknown."]}],
    } | more


def test_each_case_has_a_service_a_limit_and_what_must_be_named() -> None:
    services, cases = foreign.services(), foreign.cases()
    assert len(services) >= 6
    for name, case in cases.items():
        assert case["service"] in services, name
        assert set(case["limit"].split("|")) <= LIMITS, name
        assert case["what"] and case["load"], name
        if case["limit"] != "nothing":
            assert re.compile(case["name"]) and re.compile(case["line"]), name
    healthy = {case["service"] for case in cases.values() if case["limit"] == "nothing"}
    assert healthy == {*services}, "each service is also looked at when nothing is wrong"
    for name, service in services.items():
        assert service["licence"] and service["about"], name
        assert all(one.count(":") >= 2 for one in service["artefacts"]), f"{name}: a version is pinned"


def test_the_first_limit_counts_and_its_line() -> None:
    right = foreign.judged(CASE, report(LOCK, AT))
    assert (right["found"], right["line right"], right["first line"]) == ("yes", "yes", AT)
    elsewhere = foreign.judged(CASE, report(LOCK, AT.replace("kept", "ask")))
    assert (elsewhere["found"], elsewhere["line right"]) == ("yes", "no")
    other = report("The limit that is met: carriers.", AT, kind="carriers", name="carriers")
    assert foreign.judged(CASE, other)["found"] == "no", "another limit was named first"
    same_kind = report("The limit that is met: the lock Object@2.", name="the lock Object")
    assert foreign.judged(CASE, same_kind)["found"] == "no", "a lock, but not that one"


def test_a_circle_comes_before_any_limit() -> None:
    case = CASE | {"limit": "circle", "name": "transfer", "line": "transfer"}
    circle = report(
        "A circle (proven): 2 threads wait.",
        "- a waits, at Bank.transfer(Bank.java:4)",
        findings=[{"what": "circle", "kind": "proven", "name": "a circle of threads"}],
    )
    assert foreign.judged(case, circle)["found"] == "yes"
    assert foreign.judged(CASE, circle)["found"] == "no"


def test_of_a_slow_partner_nothing_may_be_named_but_where_most_threads_wait() -> None:
    case = {"limit": "partner", "name": "ask", "line": r"Prices\.ask"}
    groups = [
        {"waitsFor": "socket", "what": "any of its connections", "threads": 50, "line": "Selector.select"},
        {
            "waitsFor": "socket",
            "what": "an HTTP answer",
            "threads": 40,
            "line": "shop.Prices.ask(Prices.java:9)",
        },
        {"waitsFor": "lock", "what": "", "threads": 2, "line": "shop.Prices.kept(Prices.java:40)"},
    ]
    none = "None of these limits is met: nobody is seen waiting for one."
    seen = report(none, groups=groups, findings=[])
    assert foreign.judged(case, seen)["line right"] == "yes"
    assert foreign.judged(case, report(LOCK, AT, groups=groups))["found"] == "no", "a limit was accused"


@pytest.mark.parametrize("what", ["limit", "pinned"])
def test_a_healthy_service_may_not_be_accused(what: str) -> None:
    healthy = {"limit": "nothing"}
    quiet = {"findings": [{"what": "defect", "kind": "JDK-1", "name": "Java 25"}], "sections": []}
    assert foreign.judged(healthy, quiet)["found"] == "yes"
    loud = report(LOCK, AT) if what == "limit" else {"findings": [{"what": what}]}
    assert foreign.judged(healthy, loud)["found"] == "no"
    assert foreign.judged(healthy, {"error": "could not look"})["found"] == "no"


def test_the_partner_answers_when_its_time_is_over() -> None:
    with foreign.partner(200) as address:
        begun = time.monotonic()
        assert foreign.ask(int(address.rpartition(":")[2]), "GET", "/") == 200
        assert time.monotonic() - begun > 0.19


def test_a_recording_does_not_tell_who_made_it() -> None:
    assert {"jdk.InitialEnvironmentVariable#enabled=false", "jdk.SystemProcess#enabled=false"} <= {
        *foreign.UNSEEN
    }
    assert {*foreign.ENVIRONMENT} == {"PATH", "LC_ALL"}


def test_the_page_counts_what_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "foreign.csv"
    told = [
        dict(zip(foreign.HEADER, row.split(","), strict=True))
        for row in (
            "a,h2,a row is held,lock,no,yes,no,the lock,at A,no,no,yes,9,1",
            "b,h2,a table is held,lock,yes,no,no,nothing,,no,no,no,9,1",
            "c,h2,two readers,nothing,no,yes,,nothing,,,,,9,1",
        )
    ]
    monkeypatch.setattr(foreign, "FILE", file)
    foreign.write(told)
    page = scores.page()
    assert "| **whatwaits** | 1 of 2 | 0 of 2 | 0 of 1 |" in page
    assert "| jstall | 1 of 2 | – | does not judge |" in page
    assert "Of the hidden faults it named 0 of 1, at the first try." in page
    assert "Of 1 healthy services whatwaits accused none." in page
    assert "| h2 | a table is held *(hidden)* | lock | ✘ nothing | ✘ |" in page
