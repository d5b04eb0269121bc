"""A learner on a JupyterHub, who works over HTTP like a browser."""

import json
import pwd
import time
from typing import Any
from urllib.parse import urlencode

import nbformat
import requests
import websocket
from jupyter_client.jsonutil import json_default
from jupyter_client.session import Session
from nbformat import NotebookNode
from nbformat.v4 import output_from_msg
from notebooks.runs import claims, code_cells, errors, until
from teach.hub import Hub

VERDICTS = {"✔": "held", "✘": "broken", "≈": "not judged"}
OUTPUTS = ("stream", "display_data", "execute_result", "error")


class Learner:
    """The page of one learner and, once a notebook is open, its kernel."""

    def __init__(self, place: Hub, name: str) -> None:
        self.place, self.name, self.token = place, name, ""
        self.uid = pwd.getpwnam(name).pw_uid
        self.home = f"/user/{name}"  # the prefix of their server's addresses
        self.web = requests.Session()
        self.web.trust_env = False  # no proxy for loopback
        self.messages = Session()
        self.cell = self.kernel = ""
        self.socket: websocket.WebSocket | None = None

    def ask(self, path: str, method: str = "GET", body: object = None) -> Any:
        headers = {"Authorization": f"token {self.token}"} if self.token else {}
        answer = self.web.request(method, self.place.base + path, json=body, headers=headers, timeout=180)
        answer.raise_for_status()
        return answer.json() if answer.text[:1] in ("{", "[") else answer.text

    def log_in(self) -> None:
        """Logs in through the page's form; the token is for requests that a script in the page sends."""
        self.ask("/hub/login")
        form = {"username": self.name, "password": self.place.password, "_xsrf": self.xsrf()}
        answer = self.web.post(f"{self.place.base}/hub/login?next=%2Fhub%2Fhome", form, timeout=60)
        assert self.name in answer.text, "the page after the login does not name the learner"
        address = f"/hub/api/users/{self.name}/tokens?_xsrf={self.xsrf()}"
        self.token = self.ask(address, "POST", {"note": "trial"})["token"]

    def xsrf(self) -> str:
        return next(cookie.value for cookie in self.web.cookies if cookie.name == "_xsrf")

    def start_server(self) -> None:
        self.ask(f"/hub/api/users/{self.name}/server", "POST")
        until("the server is ready", self.ready)

    def ready(self) -> bool:
        return bool(self.ask(f"/hub/api/users/{self.name}")["servers"].get("", {}).get("ready"))

    def pull(self) -> None:
        """Gets the notebooks into the folder `course`."""
        query = urlencode({"repo": self.place.repository, "branch": "lesson", "targetpath": "course"})
        said = self.ask(f"{self.home}/git-pull/api?{query}")
        assert '"finished"' in said, said[-500:]

    def contents(self, path: str, method: str = "GET", body: object = None) -> Any:
        return self.ask(f"{self.home}/api/contents/{path}", method, body)

    def open(self, path: str) -> None:
        """Opens a notebook, with a kernel of its own."""
        session = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "java"}}
        self.connect(self.ask(f"{self.home}/api/sessions", "POST", session)["kernel"]["id"])

    def connect(self, kernel: str) -> None:
        self.kernel = kernel
        address = f"{self.place.base}{self.home}/api/kernels/{kernel}/channels".replace("http", "ws", 1)
        headers = [f"Authorization: token {self.token}"]
        self.socket = websocket.create_connection(address, timeout=180, header=headers)

    def close(self) -> None:
        self.socket.close()
        self.ask(f"{self.home}/api/kernels/{self.kernel}", "DELETE")

    def run(self, code: str) -> list[NotebookNode]:
        """Runs a cell; gives its outputs."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        content |= {"allow_stdin": False, "stop_on_error": False}
        message = self.messages.msg("execute_request", content) | {"channel": "shell"}
        self.socket.send(json.dumps(message, default=json_default))
        outputs, ended = [], set()
        while not ended >= {"idle", "execute_reply"}:
            got = json.loads(self.socket.recv())
            kind, state = got["header"]["msg_type"], got["content"].get("execution_state")
            if state in ("restarting", "dead"):
                raise ConnectionError("the kernel has ended")
            if got["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                ended |= {kind, state}
                if kind in OUTPUTS:
                    outputs.append(output_from_msg(got))
        return outputs

    def said(self, code: str) -> str:
        """A cell's printed text, results and errors, in plain text."""
        return "".join(
            output.get("text") or output.get("data", {}).get("text/plain", "") or output.get("evalue", "")
            for output in self.run(code)
        )

    def run_all(self, path: str) -> dict:
        """Opens a notebook, runs its cells from the top and saves it."""
        start = time.monotonic()
        self.open(path)
        notebook = nbformat.from_dict(self.contents(path)["content"])
        for cell in code_cells(notebook):
            self.cell = cell.id
            cell.outputs = self.run(cell.source)
        self.contents(path, "PUT", {"type": "notebook", "format": "json", "content": notebook})
        told: dict = {"seconds": time.monotonic() - start, "errors": errors(notebook)}
        told |= {verdict: [] for verdict in VERDICTS.values()}
        for cell, text in claims(notebook).items():
            told[VERDICTS.get(text[:1], "errors")].append(cell)
        return told
