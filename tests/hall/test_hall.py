"""A hall: three hundred phones that draw at once, hostile ones, one that comes again. Takes 20 seconds."""

import asyncio
import contextlib
import csv
import json
import re
import resource
import statistics
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from nbformat.v4 import new_code_cell, new_output
from tornado.testing import bind_unused_port
from hall import hall as tool
from hall.hall import Hall, servers
from notebooks.runs import numbered, read
from teach import picture, questions
from teach.questions import FIGURES, Question, guessed, line, voted

LINE = {
    "kind": "figures",
    "about": "n waits",
    "figure": "seconds",
    "unit": " s",
    "line": True,
    "whole": False,
}
LINE |= {"sizes": [1_000, 10_000, 100_000], "low": 0.1, "high": 100_000.0, "log": True, "kept": False}
NUMBER = LINE | {
    "line": False,
    "sizes": [1],
    "about": "carriers",
    "figure": "carriers",
    "unit": "",
    "whole": True,
}
CHOICE = {
    "kind": "choice",
    "about": "what stands there",
    "figure": "choice",
    "options": ["all", "a lambda", "nothing"],
}
ORDER = {"kind": "order", "about": "the least first", "figure": "order", "items": ["a", "b", "c"]}
LANES = {"kind": "lanes", "about": "two", "figure": "time (ms)", "lanes": ["one", "two"], "axis": 100}
LANES |= {"bars": [["v1", 30], ["v2", 30]]}
ASKED = [
    Question("00", "hundred-guess", "How long?", LINE, {1_000: 1.0, 10_000: 1.1, 100_000: 1.4}),
    Question("00", "carriers-guess", "How many?", NUMBER, {1: 2.0}),
    Question("02", "traces-guess", "Which?", CHOICE, {1: 2.0}),
]


def marks(*values: float) -> list[dict]:
    return [{"n": n, "words": "", "value": value} for n, value in zip(LINE["sizes"], values, strict=True)]


class Served(NamedTuple):
    hall: Hall
    phones: int
    screen: int


@contextlib.asynccontextmanager
async def served(shared: bool = False) -> AsyncIterator[Served]:
    hall = Hall(ASKED, "http://192.168.1.20:8765", shared)
    ports = []
    both = [*servers(hall)]
    for server in both:
        socket, port = bind_unused_port()
        server.add_socket(socket)
        ports.append(port)
    yield Served(hall, *ports)
    for server in both:
        server.stop()
        await server.close_all_connections()


async def ask(
    port: int, path: str, body: bytes | None = None, source: str = "127.0.0.1", **headers: str
) -> tuple[int, str]:
    """One request from an address of its own, as each phone has one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    lines = {"Host": f"127.0.0.1:{port}", "Connection": "close"} | {
        k.replace("_", "-"): v for k, v in headers.items()
    }
    if body is not None:
        lines["Content-Length"] = str(len(body))
    head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\n"
    writer.write(
        (head + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n").encode() + (body or b"")
    )
    try:
        told = (await reader.read()).decode()
    except ConnectionError:
        told = ""
    writer.close()
    first, _, rest = told.partition("\r\n")
    return int(first.split()[1]) if first else 0, rest.partition("\r\n\r\n")[2]


def answer(values: list[dict], token: int = 1, cell: str = "hundred-guess") -> bytes:
    return json.dumps({"token": f"{token:032x}", "cell": cell, "marks": values}).encode()


def address(phone: int) -> str:
    return f"127.0.{1 + phone // 200}.{1 + phone % 200}"


def test_three_hundred_phones_draw_and_their_lines_are_on_the_screen_within_a_second() -> None:
    chance, begun, delays = Random(7), {}, []

    async def phone(at: Served, number: int) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", at.phones, local_addr=(address(number), 0)
        )
        writer.write(f"GET /now HTTP/1.1\r\nHost: 127.0.0.1:{at.phones}\r\n\r\n".encode())
        await reader.readuntil(b"hundred-guess")  # the question is open
        await asyncio.sleep(chance.uniform(0, 5))
        begun[number] = time.monotonic()
        value = chance.lognormvariate(2, 2) + 0.2
        status, _ = await ask(
            at.phones, "/answer", answer(marks(value, value, value), number), address(number)
        )
        assert status == 204
        writer.close()

    async def whole() -> None:
        async with served() as at:
            phones = [asyncio.create_task(phone(at, number)) for number in range(300)]
            reader, writer = await asyncio.open_connection("127.0.0.1", at.screen)
            writer.write(f"GET /now HTTP/1.1\r\nHost: 127.0.0.1:{at.screen}\r\n\r\n".encode())
            await asyncio.sleep(1)
            at.hall.go(1)
            count = 0
            while count < 300:
                told = (await asyncio.wait_for(reader.readuntil(b"\n\n"), 20)).decode()
                count = json.loads(told.partition("data: ")[2])["count"]
                shown = time.monotonic()
                delays.extend(shown - moment for moment in sorted(begun.values())[len(delays) : count])
            await asyncio.gather(*phones)
            writer.close()
            at.hall.go(1)
            before = time.monotonic()
            _, svg = await ask(at.screen, "/picture")
            assert svg.count("stroke-opacity") >= 300 and time.monotonic() - before < 1
            at.hall.go(1)
            assert "within a factor of two" in at.hall.for_screen()["share"]

    asyncio.run(whole())
    late = statistics.quantiles(delays, n=20)[-1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"95 % of 300 lines within {late:.2f} s; {memory:.0f} MiB with the phones")
    assert late <= 1 and memory <= 300


HOSTILE = [
    b"",
    b"[]",
    b"{" * 3_000,
    b"[" * 3_900,
    b"\xff\xfe\x00",
    b'{"token": 1, "cell": "hundred-guess", "marks": []}',
    answer([{"n": 1_000, "words": "", "value": 1e999}]).replace(b"Infinity", b"1e999"),
    answer([{"n": 1_000, "words": "", "value": float("nan")}]),
    answer([{"n": 1_000, "words": "", "value": -1}]),
    answer([{"n": 77, "words": "", "value": 1}]),
    answer([{"n": 1_000.5, "words": "", "value": 1}]),
    answer([{"n": 1_000, "words": "", "value": "<script>"}]),
    answer([{"n": 1_000, "words": "", "value": 1}] * 2),
    answer([{"n": 1_000}]),
    answer(marks(1, 2, 3), cell="carriers-guess"),
    answer(marks(1, 2, 3), cell="../../etc/passwd"),
    answer(marks(1, 2, 3)) + b" " * 5_000,
]


def test_hostile_phones_change_no_picture_and_read_nothing_else() -> None:
    async def whole() -> None:
        async with served() as at:
            at.hall.go(1)
            for number in range(40):
                await ask(at.phones, "/answer", answer(marks(1, number + 1, 3), number), address(number))
            at.hall.step = 2
            before = await ask(at.screen, "/picture")
            at.hall.step = 1
            evil = address(250)
            for body in HOSTILE:
                status, _ = await ask(at.phones, "/answer", body, evil)
                assert status in (400, 429, 0), body[:60]
                await asyncio.sleep(0.11)
            for path in (
                "/do",
                "/picture",
                "/screen.js",
                "/../../README.md",
                "/%2e%2e/hall.py",
                "/tree",
                "/api",
            ):
                assert (await ask(at.phones, path, source=evil))[0] == 404
            silent = [
                asyncio.open_connection("127.0.0.1", at.phones, local_addr=(evil, 0)) for _ in range(200)
            ]
            opened = await asyncio.gather(*silent)
            assert (await ask(at.phones, "/", source=address(3)))[0] == 200, "others still come in"
            for _, writer in opened:
                writer.close()
            at.hall.step = 2
            assert await ask(at.screen, "/picture") == before
            at.hall.step = 1
            await asyncio.sleep(1.1)
            # a thousand tokens from one phone are one line, its last one
            many = [ask(at.phones, "/answer", answer(marks(5, 5, 5), 1_000 + i), evil) for i in range(1_000)]
            statuses = [(await one)[0] for one in many]
            assert len(at.hall.lines["hundred-guess"]) == 41 and statuses.count(204) < 200

    asyncio.run(whole())


def test_a_phone_that_is_loaded_again_replaces_its_line_and_may_take_it_back() -> None:
    async def whole() -> None:
        async with served(shared=True) as at:
            assert (await ask(at.phones, "/answer", answer(marks(1, 2, 3))))[0] == 400, "nothing is open yet"
            at.hall.go(1)
            for values in (marks(1, 2, 3), marks(4, 5, 6)):
                assert (await ask(at.phones, "/answer", answer(values)))[0] == 204
            assert at.hall.answers() == [{1_000: 4.0, 10_000: 5.0, 100_000: 6.0}]
            assert (await ask(at.phones, "/answer", answer(marks(1, 1, 1), 2)))[0] == 204
            assert len(at.hall.answers()) == 2, "two phones behind one router"
            await ask(at.phones, "/answer", answer([]))
            assert at.hall.answers() == [{1_000: 1.0, 10_000: 1.0, 100_000: 1.0}]
            at.hall.go(1)
            assert (await ask(at.phones, "/answer", answer(marks(9, 9, 9))))[0] == 400, "the lines are shown"

    asyncio.run(whole())


def test_only_the_screen_s_own_page_goes_on_and_no_answer_sets_a_cookie() -> None:
    async def whole() -> None:
        async with served() as at:
            own, key = f"http://127.0.0.1:{at.screen}", {"X_Key": "forward"}
            assert (await ask(at.screen, "/do", b"", Origin="http://evil.example", **key))[0] == 403
            assert (await ask(at.screen, "/", Host="rebound.example"))[0] == 403
            assert (await ask(at.screen, "/do", b""))[0] == 400 and at.hall.step == 0
            assert (await ask(at.screen, "/do", b"", Origin=own, **key))[0] == 204 and at.hall.step == 1
            _, code = await ask(at.screen, "/code")
            assert "<svg" in code and "script" not in code
            for path in ("/", "/phone.js", "/guess.js"):
                reader, writer = await asyncio.open_connection("127.0.0.1", at.phones)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
                head = (await reader.read()).partition(b"\r\n\r\n")[0]
                assert b" 200 " in head and b"ookie" not in head and b"Content-Security-Policy" in head
                writer.close()

    asyncio.run(whole())


def test_what_the_lecturer_s_kernel_measures_cuts_through_and_an_export_has_figures_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "RESULTS", tmp_path)
    monkeypatch.setattr(tool, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(questions, "KEPT", tmp_path / "kept")

    def measured(value: float) -> None:
        rows = ["what,name,contender,n,figure,value,words,held,margin used (%)"]
        rows += [f"measured,n waits,,{n},seconds,{value},,," for n in LINE["sizes"]]
        (tmp_path / "start-here.csv").write_text("\n".join(rows))

    async def whole() -> None:
        hall = Hall(ASKED, "", shared=True)
        measured(9)
        hall.go(1)
        hall.put("a", "hundred-guess", marks(1, 1, 2))
        hall.put("b", "hundred-guess", marks(1, 1, 90_000))
        hall.go(1)
        hall.look()
        assert hall.phase == tool.LINES, "what was measured before the question does not count"
        measured(1.25)
        hall.look()
        assert (
            hall.phase == tool.MEASURED
            and "measured: 1.25 s at 100,000." in hall.for_screen()["told"]
            and hall.for_screen()["share"].startswith("50 % of you")
        )
        assert hall.for_phones()["was"] == "1.25 s at 100,000" and "1.25 s" in hall.picture()
        file = hall.export()
        with file.open() as rows:
            kept = list(csv.DictReader(rows))
        assert len(kept) == 6 and all(re.fullmatch(r"[\d.]+", row["value"]) for row in kept)
        assert questions.exported()["00", "hundred-guess"] == hall.answers()

    asyncio.run(whole())


@pytest.mark.parametrize("spec", [LINE, NUMBER, CHOICE, ORDER, LANES], ids=lambda spec: spec["about"])
def test_each_kind_of_question_has_empty_axes_then_its_lines_then_what_was_measured(spec: dict) -> None:
    made = {
        "figures": [{"n": n, "words": "", "value": 3} for n in spec.get("sizes", [])],
        "choice": [{"n": 1, "words": "a lambda", "value": 2}],
        "order": [{"n": n, "words": "abc"[item - 1], "value": item} for n, item in ((1, 2), (2, 1), (3, 3))],
        "lanes": [{"n": 1, "words": "one", "value": 0}, {"n": 2, "words": "two", "value": 20}],
    }[spec["kind"]]
    one = line(spec, made)
    question = Question("00", "x", "?", spec, one)
    empty = picture.picture(question)
    shown = picture.picture(question, [one] * 9, shown=True, machines=[one])
    assert "measured" not in empty and "answers" not in empty and "✔" not in empty
    assert "9 answers" in shown and "100 % of you" in shown and "NaN" not in shown
    for wrong in (
        made[:-1] if len(made) > 1 and spec is not LINE else [],
        [{**made[0], "value": 1e9}],
        made * 2,
    ):
        with pytest.raises(ValueError):
            line(spec, wrong)


def test_a_vote_has_three_wrong_answers_each_with_the_reply_of_its_check() -> None:
    for lesson, stub in (
        ("00", "fair-stub"),
        ("01", "switch-stub"),
        ("03", "three-stub"),
        ("04", "next-stub"),
    ):
        cells = read(numbered(lesson)).cells
        vote = voted(lesson, cells, next(cell for cell in cells if cell.id == stub))
        assert len(vote.spec["options"]) == len({*vote.replies}) == 4
    cells = read(numbered("01")).cells
    vote = voted("01", cells, next(cell for cell in cells if cell.id == "switch-stub"))
    for option, reply in zip(vote.spec["options"], vote.replies, strict=True):
        wrong = {*option.split(", ")} - {"A", "E"}
        assert reply.startswith(tuple(wrong) or "A and E"), (option, reply)


def test_a_question_comes_from_a_notebook_that_has_run() -> None:
    cell = new_code_cell("Guess.line()", id="hundred-guess")
    assert guessed("00", cell) is None
    data = {FIGURES: {"spec": LINE, "measured": marks(1, 1, 2)}}
    cell.outputs = [new_output("display_data", data)]
    assert guessed("00", cell).measured == {1_000: 1.0, 10_000: 1.0, 100_000: 2.0}
