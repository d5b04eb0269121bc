"""A hall of three hundred phones, hostile ones, one that comes again. Takes 10 seconds, release 10 more."""

import asyncio
import contextlib
import json
import re
import resource
import statistics
import time
from collections.abc import AsyncIterator, Callable
from math import inf, nan
from pathlib import Path
from random import Random
from types import SimpleNamespace as Served
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from tornado.netutil import bind_sockets
from hall import hall as tool
from hall.hall import Hall, servers
from notebooks.runs import load, until
from teach import questions
from teach.questions import Question

SIZES = [1_000, 10_000, 100_000]
LINE = {"kind": "figures", "about": "n waits", "figure": "seconds", "unit": " s", "line": True, "log": True}
LINE |= {"sizes": SIZES, "low": 0.1, "high": 100_000.0}
CHOICE = {"kind": "choice", "about": "what stands there", "figure": "choice", "options": ["all", "a lambda"]}
KEY = "00 hundred-guess"
ASKED = [Question("00", "hundred-guess", "How long?", LINE, dict.fromkeys(SIZES, 1.4))]
ASKED.append(Question("02", "traces-guess", "Which?", CHOICE, {1: 2.0}))


@contextlib.asynccontextmanager
async def served(port: int = 0) -> AsyncIterator[Served]:
    both = [*servers(hall := Hall(ASKED, "http://192.168.1.20:8765"))]
    sockets = [bind_sockets(port, "127.0.0.1")[0], bind_sockets(0, "127.0.0.1")[0]]
    for server, socket in zip(both, sockets, strict=True):
        server.add_socket(socket)
    phones, screen = (socket.getsockname()[1] for socket in sockets)
    yield Served(hall=hall, phones=phones, screen=screen)
    for server in both:
        server.stop()
        await server.close_all_connections()


def in_a_hall(test: Callable) -> Callable:
    """Runs a test beside the servers of a hall in which each phone has an address of its own."""

    async def whole() -> None:
        async with served() as at:
            await test(at)

    def run() -> None:
        asyncio.run(whole())

    run.__name__ = test.__name__
    return run


async def opened(
    port: int, path: str, body: bytes | None = None, source: str = "127.0.0.1", **more: str
) -> tuple:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    lines = {"Host": f"127.0.0.1:{port}"} | {name.replace("_", "-"): value for name, value in more.items()}
    lines |= {} if body is None else {"Content-Length": str(len(body))}
    head = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in lines.items())]
    writer.write("\r\n".join([*head, "", ""]).encode() + (body or b""))
    return reader, writer


async def ask(*request: Any, **more: Any) -> tuple[int, str]:
    """The status of an answer, 0 for none, and its whole text."""
    reader, writer = await opened(*request, **{"Connection": "close", **more})
    told = ""
    with contextlib.suppress(ConnectionError):
        told = (await reader.read()).decode()
    writer.close()
    return int(told.split()[1]) if told else 0, told


def marks(*values: float) -> list[dict]:
    return [{"n": n, "words": "", "value": value} for n, value in zip(SIZES, values, strict=True)]


def answer(values: list[dict], phone: int = 1, cell: str = KEY) -> bytes:
    return json.dumps({"token": f"{phone:032x}", "cell": cell, "marks": values}).encode()


def address(phone: int) -> str:
    return f"127.0.{1 + phone // 200}.{1 + phone % 200}"


@pytest.mark.release
@in_a_hall
async def test_three_hundred_phones_draw_and_their_lines_are_on_the_screen_within_a_second(
    at: Served,
) -> None:
    chance, begun, delays = Random(7), list[float](), list[float]()

    async def phone(number: int) -> None:
        reader, writer = await opened(at.phones, "/now", None, address(number))
        await reader.readuntil(b"hundred-guess")  # the question is open
        await asyncio.sleep(chance.uniform(0, 5))
        begun.append(time.monotonic())
        drawn = marks(*[min(9e4, chance.lognormvariate(2, 2) + 0.2)] * 3)
        assert (await ask(at.phones, "/answer", answer(drawn, number), address(number)))[0] == 204
        writer.close()

    phones = [asyncio.create_task(phone(number)) for number in range(300)]
    reader, writer = await opened(at.screen, "/now")
    await asyncio.sleep(1)
    at.hall.go(1)
    while len(delays) < 300:
        told = (await asyncio.wait_for(reader.readuntil(b"\n\n"), 20)).decode()
        count, now = json.loads(told.partition("data: ")[2])["count"], time.monotonic()
        delays += [now - moment for moment in begun[len(delays) : count]]
    await asyncio.gather(*phones)
    writer.close()
    at.hall.go(1)
    before = time.monotonic()
    assert (await ask(at.screen, "/picture.svg"))[1].count("stroke-opacity") >= 300
    drawn = time.monotonic() - before
    late = statistics.quantiles(delays, n=20)[-1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"95 % within {late:.2f} s, their picture in {drawn:.2f} s, {memory:.0f} MiB with the phones")
    assert late + drawn <= 1 and memory <= 300


WRONG = [(1_000, inf), (1_000, nan), (1_000, -1), (77, 1), (1.5, 1), ([], {}), (1_000, "<b>")]
HOSTILE = [answer([{"n": n, "words": "", "value": value}]) for n, value in WRONG]
HOSTILE += [b"", b"[]", b"{" * 3_000, b"[" * 3_900, b"\xff\xfe", answer(marks(1, 1, 1)).replace(b'"0', b'0"')]
HOSTILE += [answer(marks(1, 1, 1) * 2), answer([{"n": 1_000}]), answer(marks(1, 2, 3)) + b" " * 5_000]
HOSTILE += [answer(marks(1, 2, 3), cell=cell) for cell in ("02 traces-guess", "hundred-guess")]


@in_a_hall
async def test_hostile_phones_change_no_picture_and_read_nothing_else(at: Served) -> None:
    at.hall.go(1)
    for number in range(40):
        await ask(at.phones, "/answer", answer(marks(1, number + 1, 3), number), address(number))
    evil, before = address(250), at.hall.answers()
    for body in HOSTILE:
        assert (await ask(at.phones, "/answer", body, evil))[0] in (400, 0), body[:60]
    for path in ("/do", "/picture.svg", "/screen.js", "/../../README.md", "/%2e%2e/hall.py", "/tree", "/api"):
        assert (await ask(at.phones, path, None, evil))[0] == 404, path
    silent = await asyncio.gather(*(opened(at.phones, "/now", None, evil) for _ in range(200)))
    assert (await ask(at.phones, "/", None, address(3)))[0] == 200, "others still come in"
    assert at.hall.answers() == before
    for _, writer in silent:
        writer.close()
    for token in range(1_000):
        await ask(at.phones, "/answer", answer(marks(5, 5, 5), 999 + token), evil)
    assert len(at.hall.answers()) == 41, "a thousand tokens are one line"


def test_a_phone_that_is_loaded_again_or_whose_hall_was_killed_loses_nothing() -> None:
    """In a browser: what a finger has drawn is there again, and is sent to a hall that has begun anew."""
    options = webdriver.ChromeOptions()
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=390,844"):
        options.add_argument(option)

    def seen(css: str, words: str = "") -> WebElement:
        found = lambda: [each for each in phone.find_elements(By.CSS_SELECTOR, css) if words in each.text]  # noqa: E731
        return until(f"{css} {words}", found)[0]

    def draw(port: int) -> None:
        phone.get(f"http://127.0.0.1:{port}")
        wide = (sheet := seen(".sheet")).size["width"]
        pen = webdriver.ActionChains(phone).move_to_element_with_offset(sheet, 5 - wide // 2, 20)
        pen.click_and_hold().move_by_offset(wide - 10, -30).release().perform()
        seen("#state", "arrived")
        phone.refresh()
        seen("output", "at 100,000")

    async def whole() -> None:
        async with served() as first:
            first.hall.go(1)
            await asyncio.to_thread(draw, first.phones)
        async with served(first.phones) as second:
            second.hall.go(1)
            await asyncio.to_thread(until, "the line again", second.hall.answers)
            assert second.hall.answers() == first.hall.answers() and [*first.hall.answers()[0]] == SIZES
            second.hall.go(2)
            await asyncio.to_thread(seen, "output", "it was 1.4 s")

    with webdriver.Chrome(options=options) as phone:
        asyncio.run(whole())
        assert not phone.get_cookies()


@in_a_hall
async def test_only_the_screen_s_own_page_goes_on_and_no_page_sets_a_cookie(at: Served) -> None:
    own, key = f"http://127.0.0.1:{at.screen}", {"X_Key": "forward"}
    assert (await ask(at.screen, "/do", b"", Origin="http://evil.example", **key))[0] == 403
    assert (await ask(at.screen, "/", Host="rebound.example"))[0] == 403
    assert (await ask(at.screen, "/do", b""))[0] == 400 and at.hall.step == 0
    assert (await ask(at.screen, "/do", b"", Origin=own, **key))[0] == 200 and at.hall.step == 1
    code = (await ask(at.screen, "/code.svg"))[1]
    assert "<svg" in code and "<script" not in code
    for path in ("/", "/phone.js", "/guess.js"):
        status, page = await ask(at.phones, path, Host="any.example")
        assert status == 200 and "Content-Security-Policy" in page and "set-cookie" not in page.lower()


def test_what_the_lecturer_s_kernel_measures_cuts_through_and_an_export_has_figures_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RESULTS", "KEPT"):
        monkeypatch.setattr(questions, name, tmp_path / name)
    (tmp_path / "RESULTS").mkdir()

    def measured(value: float) -> None:
        rows = ["what,name,contender,n,figure,value,words,held", f"guess,n waits,,1000,seconds,{value},,"]
        rows += [f"measured,n waits,,{n},seconds,{value},," for n in SIZES]
        (tmp_path / "RESULTS/start-here.csv").write_text("\n".join(rows))

    hall = Hall(ASKED, "", shared=True)
    measured(9)
    hall.go(1)
    for voter, last in (("a", 5), ("b", 90_000), ("c", 7), ("a", 2)):
        hall.put(voter, KEY, marks(1, 1, last))
    hall.put("c", KEY, [])
    hall.go(1)
    with pytest.raises(ValueError, match="closed"):
        hall.put("d", KEY, marks(9, 9, 9))
    hall.look()
    assert hall.phase == tool.LINES, "what was measured before the question does not count"
    measured(1.25)
    hall.look()
    told = hall.for_screen()
    assert hall.phase == tool.MEASURED and told["told"].endswith("measured: 1.25 s at 100,000.")
    assert told["share"].startswith("50 % of you")
    assert hall.for_phones()["was"]["series"][0]["points"][2]["value"] == 1.25
    rows = load(questions.export(ASKED, hall.lines))
    assert len(rows) == 6 and all(re.fullmatch(r"[\d.]+", row["value"]) for row in rows)
    assert questions.exported()["00", "hundred-guess"] == hall.answers()
