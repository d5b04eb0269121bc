"""Widgets as a page's messages reach them; test_guesses.py has the page itself. Takes ten seconds."""

from collections.abc import Callable
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from cells import Kernel

DIAL = """
var dial = threadlab.widget.Widget.of("a dial", "export default { render() {} }", Map.of("angle", 30));
var heard = Collections.synchronizedList(new ArrayList<Object>());
dial.onChange((name, value) -> heard.add(name + " " + value)).onMessage(heard::add);
"""


def run(client: BlockingKernelClient, code: str) -> list[dict[str, Any]]:
    """What a cell publishes, without its state and input."""
    told: list[dict[str, Any]] = []
    client.execute_interactive(code, output_hook=told.append, timeout=60)
    return [each for each in told if each["msg_type"] not in ("status", "execute_input")]


def shown(client: BlockingKernelClient, code: str) -> str:
    [output] = [each for each in run(client, code) if each["msg_type"] == "execute_result"]
    return output["content"]["data"]["text/plain"]


def opened(client: BlockingKernelClient, code: str) -> dict[str, Any]:
    [message] = [each for each in run(client, code) if each["msg_type"] == "comm_open"]
    return message


def say(client: BlockingKernelClient, comm: str, data: dict[str, Any]) -> str:
    """Sends what the page of a widget sends."""
    message = client.session.msg("comm_msg", {"comm_id": comm, "data": data})
    client.shell_channel.send(message)
    return message["header"]["msg_id"]


def heard(client: BlockingKernelClient, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first message to the page that fits; fails after ten seconds of silence."""
    while True:
        message = client.get_iopub_msg(timeout=10)
        if fits(message):
            return message


@pytest.fixture
def dial(shared: Kernel) -> tuple[BlockingKernelClient, str]:
    _, client = shared
    message = opened(client, DIAL)
    assert message["metadata"]["version"].startswith("2."), "a page refuses others"
    state = message["content"]["data"]["state"]
    assert state["angle"] == 30
    assert (state["_model_module"], state["_model_name"]) == ("anywidget", "AnyModel")
    return client, message["content"]["comm_id"]


def test_a_change_of_the_page_reaches_java_and_the_other_pages(
    dial: tuple[BlockingKernelClient, str],
) -> None:
    client, comm = dial
    asked = say(client, comm, {"method": "update", "state": {"angle": 45}, "buffer_paths": []})
    echo = heard(client, lambda message: message["msg_type"] == "comm_msg")
    assert echo["content"]["data"]["method"] == "echo_update"
    assert echo["content"]["data"]["state"] == {"angle": 45}
    assert echo["parent_header"]["msg_id"] == asked, "so the page that sent it knows its own"
    assert shown(client, 'heard + " " + dial.get("angle")') == "[angle 45.0] 45.0"


def test_a_message_that_precedes_a_cell_is_there_when_it_runs(dial: tuple[BlockingKernelClient, str]) -> None:
    client, comm = dial
    for turn in range(20):
        say(client, comm, {"method": "custom", "content": {"turn": turn}})
    assert shown(client, "heard.getLast()") == "{turn=19.0}"
    assert shown(client, "heard.size()") == "20"


def test_a_page_that_is_loaded_again_gets_the_state_as_it_is_now(
    dial: tuple[BlockingKernelClient, str],
) -> None:
    client, comm = dial
    [moved] = [each for each in run(client, 'dial.set("angle", 60);') if each["msg_type"] == "comm_msg"]
    assert moved["content"]["data"] == {"method": "update", "state": {"angle": 60}, "buffer_paths": []}
    control = client.session.msg(
        "comm_open", {"comm_id": "control", "target_name": "jupyter.widget.control", "data": {}}
    )
    client.shell_channel.send(control)
    say(client, "control", {"method": "request_states"})
    answer = heard(client, lambda message: message["msg_type"] == "comm_msg")
    known = answer["content"]["data"]["states"][comm]
    assert (known["model_module"], known["state"]["angle"]) == ("anywidget", 60)
    asked = say(client, comm, {"method": "request_state"})
    answer = heard(client, lambda message: message["msg_type"] == "comm_msg")
    assert answer["parent_header"]["msg_id"] == asked, "as a page expects that asks for one"
    assert answer["content"]["data"]["state"]["angle"] == 60
    assert "_esm" in answer["content"]["data"]["state"]


def test_any_thread_may_move_a_widget_while_no_cell_runs(dial: tuple[BlockingKernelClient, str]) -> None:
    client, _ = dial
    run(
        client,
        """
        var gate = new CountDownLatch(1);
        for (int i = 0; i < 8; i++) {
            int mine = i;
            Thread.ofVirtual().start(() -> {
                gate.await();
                for (int k = 0; k < 50; k++) dial.set("from " + mine, k);
                return;
            });
        }
        """.replace("gate.await();", "try { gate.await(); } catch (InterruptedException e) { }").replace(
            "return;", ""
        ),
    )
    run(client, "gate.countDown();")
    last: dict[str, int] = {}
    count = 0

    def counted(message: dict[str, Any]) -> bool:
        nonlocal count
        if message["msg_type"] == "comm_msg":
            count += 1
            last.update(message["content"]["data"]["state"])
        return len(last) == 8 and set(last.values()) == {49}

    if not run(client, "1;"):
        heard(client, counted)
    assert shown(client, 'IntStream.range(0, 8).allMatch(i -> dial.get("from " + i).equals(49))') == "true"


def test_what_a_listener_throws_is_told_and_ends_nothing(dial: tuple[BlockingKernelClient, str]) -> None:
    client, comm = dial
    run(client, 'dial.onMessage(content -> { throw new IllegalStateException("not today"); });')
    say(client, comm, {"method": "custom", "content": "turn"})
    told = heard(client, lambda message: message["msg_type"] == "stream")
    assert "IllegalStateException: not today" in told["content"]["text"]
    assert shown(client, "heard") == "[turn]"


def test_a_closed_widget_is_gone_for_the_page_and_does_nothing(
    dial: tuple[BlockingKernelClient, str],
) -> None:
    client, comm = dial
    closed = run(client, 'dial.close(); dial.set("angle", 1); dial.close();')
    assert [each["msg_type"] for each in closed] == ["comm_close"]
    say(client, comm, {"method": "custom", "content": "turn"})
    assert shown(client, "heard") == "[]"


def test_a_guess_drawn_just_before_a_cell_is_the_one_that_the_cell_uses(shared: Kernel) -> None:
    _, client = shared
    guess = 'var mine = Guess.line("n tasks", "seconds", 10, 100).between(1, 100);\nmine'
    told = run(client, guess)
    comm = next(each for each in told if each["msg_type"] == "comm_open")["content"]["comm_id"]
    [view] = [each for each in told if each["msg_type"] == "display_data"]
    assert "Where nothing can be drawn here, type it" in view["content"]["data"]["text/plain"]
    for value in range(2, 12):
        drawn = [{"n": 10, "words": "", "value": value}]
        say(client, comm, {"method": "custom", "content": {"guess": drawn, "by": "me"}})
    assert shown(client, "mine.values()") == "{10=11.0}"
    claim = run(client, 'Claim.that("a claim", 1).guess(mine).atMost(2)')
    [words] = [each for each in claim if each["msg_type"] == "update_display_data"]
    assert words["content"]["transient"] == view["content"]["transient"]
    assert list(words["content"]["data"]) == ["text/plain", "text/html"], "no widget in a stored notebook"
    assert words["content"]["data"]["text/plain"].startswith('Your guess of "n tasks": 11 s at 10.')
    assert "comm_close" in [each["msg_type"] for each in claim]
