"""Types cells as a reader does, and notes what the page then shows, cell by cell."""

import re
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Empty
from typing import NamedTuple

from bs4 import BeautifulSoup
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from cells import started
from notebooks.runs import COLOUR


class Interrupt(NamedTuple):
    """The button, this many seconds after the cell before it began."""

    seconds: float = 0.4


class Answer(NamedTuple):
    """What the reader types when the cell before it reads."""

    text: str | None  # None where nobody can be asked


class Wait(NamedTuple):
    """Nothing runs meanwhile."""

    seconds: float


Typed = str | Interrupt | Answer | Wait


class Typist:
    """A kernel, and whoever types into it."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager, self.client = manager, client
        self.cells: dict[str, int] = {}  # the number of each cell by the id of its request
        self.page: dict[int, list[str]] = {}
        self.usable = True

    def type(self, *typed: Typed, within: float = 10) -> str:
        """The page, with «2» before the outputs of the second cell; «hung» or «ended» at its end."""
        self.cells, self.page = {}, {}
        for number, one in enumerate(typed):
            if isinstance(one, Wait):
                self.listen(until=time.monotonic() + one.seconds)
            elif isinstance(one, str):
                after = typed[number + 1] if number + 1 < len(typed) else None
                self.run(one, after, within)
            elif isinstance(one, Interrupt) and not self.cells:
                self.manager.interrupt_kernel()
        return "".join(f"«{number}» {''.join(said)}\n" for number, said in self.page.items())

    def run(self, source: str, after: Typed | None, within: float) -> None:
        begin = time.monotonic()
        nobody = isinstance(after, Answer) and after.text is None
        request = self.client.execute(source, allow_stdin=not nobody)
        number = self.cells[request] = len(self.cells) + 1
        self.page[number] = []
        if isinstance(after, Interrupt) and not self.listen(request, begin + after.seconds):
            self.manager.interrupt_kernel()
        if isinstance(after, Answer) and after.text is not None:
            with suppress(Empty):
                asked = self.client.get_stdin_msg(timeout=within)["content"]["prompt"]
                self.client.input(after.text)
                self.page[number].append(asked)
        if not self.listen(request, begin + within):
            self.usable = False
            alive = self.manager.is_alive()
            self.page[number].append(
                f"«{'hung' if alive else 'ended'}» after {time.monotonic() - begin:.0f} s"
            )

    def listen(self, request: str = "", until: float = 0) -> bool:
        """Notes what is published, until the request's cell has ended or the time is over."""
        while (left := until - time.monotonic()) > 0:
            try:
                message = self.client.get_iopub_msg(timeout=min(left, 0.5))
            except Empty:
                if not self.manager.is_alive():
                    break
                continue
            of, content = message["parent_header"].get("msg_id"), message["content"]
            if content.get("execution_state") == "idle" and of == request:
                return self.replied(request, until)
            if of in self.cells:
                self.page[self.cells[of]].append(text(message["msg_type"], content))
        return False

    def replied(self, request: str, until: float) -> bool:
        while (left := until - time.monotonic()) > 0:
            try:
                reply = self.client.get_shell_msg(timeout=left)
            except Empty:
                break
            if reply["parent_header"].get("msg_id") == request:
                return True
        return False

    def value(self, expression: str, within: float = 5) -> str:
        """The text of a value, or what the page says instead."""
        page = self.type(expression, within=within).removeprefix("«1» ").rstrip("\n")
        return re.sub(r"^«[^»]*/[^»]*» ", "", page)


def text(kind: str, content: dict) -> str:
    """What a reader sees of a message; a result begins with its kinds, an error with its name and message."""
    if kind == "stream":
        return content["text"]
    if kind == "error":
        trace = COLOUR.sub("", "\n".join(content["traceback"]))
        return f"«error» {content['ename']}: {content['evalue']}\n{trace}\n"
    if data := content.get("data"):
        shown = "\n".join(filter(None, (data.get("text/plain"), html(data.get("text/html", "")))))
        return f"«{' '.join(sorted(data))}» {shown}\n"
    return ""


def html(source: str) -> str:
    return BeautifulSoup(source, "html.parser").get_text(" ") if source else ""


class Desk:
    """One kernel at a time; another is started when it is asked for by another name, or cannot be used."""

    def __init__(self, folder: Path, begin: str = "") -> None:
        self.folder, self.begin = folder, begin
        self.name, self.open = "", ExitStack()
        self.typist: Typist | None = None

    def typist_of(self, name: str) -> Typist:
        if self.typist is None or name != self.name or not self.typist.usable:
            self.open.close()
            env = {"JDK_JAVA_OPTIONS": "-Xmx256m"} if name.startswith("heap") else {}
            typist = Typist(*self.open.enter_context(started(self.folder, **env)))
            typist.type(self.begin)
            self.name, self.typist = name, typist
        return self.typist
