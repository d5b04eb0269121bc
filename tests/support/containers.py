"""Containers of the image, for tests. None of them has a network."""

import json
import re
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from notebooks.runs import until
from publish import image


@cache
def build() -> None:
    """Builds the image, once for all files of a run that test it."""
    if not image.engine():
        pytest.skip(image.NONE)
    image.build()


def command(*options: str) -> list[str]:
    """Starts a container, with limits that every engine can set, even if it may not raise them."""
    import resource  # not on Windows

    files = min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    limits = [f"--ulimit=nofile={files}:{files}", "--ulimit=nproc=20000:20000"]
    return [*image.required(), "run", "--rm", "--network=none", "--no-healthcheck", *limits, *options]


def run(*inside: str, options: tuple[str, ...] = (), text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a command in a container of its own."""
    whole = [*command("--interactive", *options), image.IMAGE, *inside]
    return subprocess.run(whole, input=text, capture_output=True, text=True, timeout=170)


@contextmanager
def server() -> Iterator[str]:
    """A container that runs the image's own command in the background."""
    name = f"threadlab-test-{uuid.uuid4().hex[:8]}"
    subprocess.run([*command("--detach", "--name", name), image.IMAGE], check=True, capture_output=True)
    try:
        yield name
    finally:
        subprocess.run([*image.required(), "rm", "--force", name], capture_output=True)


def wait_for(pattern: str, container: str) -> re.Match[str]:
    def said() -> "re.Match[str] | None":
        told = subprocess.run([*image.required(), "logs", container], capture_output=True, text=True)
        return re.search(pattern, told.stdout + told.stderr)

    return until(f"the container says {pattern}", said, 60)


def ask(container: str, script: str, *arguments: str) -> dict:
    """Runs a Python program inside a running container; gives what it prints as JSON."""
    program = [*image.required(), "exec", "--interactive", container, "python3", "-", *arguments]
    return json.loads(subprocess.check_output(program, input=script, text=True))
