"""What runs on the repository's host: every action pinned, every job with few rights. Takes a second."""

import re
from pathlib import Path

import pytest
import yaml
from bootstrap.places import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_actions_are_pinned_by_digest_and_a_job_may_do_only_what_it_needs(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for used in re.findall(r"^\s*-?\s*uses:\s*(.+)$", text, re.MULTILINE):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), used
    workflow = yaml.safe_load(text)
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
