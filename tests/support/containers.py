"""Containers of the image, for tests. None of them has a network."""

import json
import os
import re
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bootstrap.files import hold
from bootstrap.places import BUILD
from notebooks.check import MARK
from notebooks.runs import until
from publish import image


def build() -> None:
    """Builds the image, once for all files of a run that test it."""
    if not image.engine():
        pytest.skip(image.NONE)
    # a run has a temporary folder of its own
    built = Path(tempfile.gettempdir(), "image") if MARK in os.environ else None
    with hold(BUILD / "image.lock", lambda: None):
        if built is None or not built.exists():
            image.build()
        if built:
            built.touch()


def limits() -> list[str]:
    """Limits that every engine can set, even if it may not raise them."""
    import resource  # not on Windows

    files = min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    return [f"--ulimit=nofile={files}:{files}", "--ulimit=nproc=20000:20000"]


def command(*options: str) -> list[str]:
    return [*image.engine(), "run", "--rm", "--network=none", "--no-healthcheck", *limits(), *options]


def run(*inside: str, options: tuple[str, ...] = (), text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a command in a container of its own."""
    whole = [*command("--interactive", *options), image.IMAGE, *inside]
    return subprocess.run(whole, input=text, capture_output=True, text=True, timeout=170)


@contextmanager
def server(*inside: str, options: tuple[str, ...] = ()) -> Iterator[str]:
    """A container that runs the image's own command, or another one, in the background."""
    name = f"threadlab-test-{uuid.uuid4().hex[:8]}"
    started = [*command("--detach", "--name", name, *options), image.IMAGE, *inside]
    subprocess.run(started, check=True, capture_output=True, timeout=60)
    try:
        yield name
    finally:
        subprocess.run([*image.engine(), "rm", "--force", name], capture_output=True, timeout=60)


def log(container: str) -> str:
    told = subprocess.run([*image.engine(), "logs", container], capture_output=True, text=True)
    return told.stdout + told.stderr


def wait_for(pattern: str, container: str) -> re.Match[str]:
    return until(f"the container says {pattern}", lambda: re.search(pattern, log(container)), 60)


def ask(container: str, script: str, *arguments: str) -> dict:
    """Runs a Python program inside a running container; gives what it prints as JSON."""
    program = [*image.engine(), "exec", "--interactive", container, "python3", "-", *arguments]
    told = subprocess.run(program, input=script, capture_output=True, text=True, timeout=90)
    assert told.returncode == 0, told.stderr + log(container)
    return json.loads(told.stdout)
