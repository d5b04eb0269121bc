"""What runs on the repository's host: pinned, with few rights, and free of faults that can be seen here.

Takes a second; actionlint, marked deep, takes half a minute the first time, while Go builds it.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from bootstrap.places import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
every_workflow = pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)


@every_workflow
def test_every_action_is_pinned_by_the_digest_of_its_commit(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for used in re.findall(r"^\s*-?\s*uses:\s*(.+)$", text, re.MULTILINE):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), used


@every_workflow
def test_a_workflow_may_only_read_and_a_job_only_what_it_needs(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] in ({}, {"contents": "read"})
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 120, name
        writing = {right for right, kind in job.get("permissions", {}).items() if kind == "write"}
        assert writing <= {"pages", "id-token", "packages"}, name
        for step in job["steps"]:
            if "actions/checkout@" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False, name
            # text that others can write, such as a title, is never part of a script
            assert "${{" not in step.get("run", ""), name


@pytest.mark.deep
def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    go = shutil.which("go")
    if not go:
        pytest.skip("no Go, which builds actionlint")
    built = subprocess.run(
        [go, "install", ACTIONLINT], env=os.environ | {"GOBIN": str(tmp_path)}, capture_output=True, text=True
    )
    if built.returncode and re.search("dial|lookup|proxy|unreachable", built.stderr):
        pytest.skip("no network, from which Go takes actionlint")
    if "invalid go version" in built.stderr:
        pytest.skip("actionlint needs Go 1.21 or newer, which fetches the Go that it is made for")
    assert built.returncode == 0, built.stderr
    ended = subprocess.run([tmp_path / "actionlint", *WORKFLOWS], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stdout + ended.stderr
