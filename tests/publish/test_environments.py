"""The ways into the course (pip, conda, Docker, Binder, Codespaces) agree; workflows. Takes a second."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from bootstrap import jdk
from bootstrap.places import ROOT
from publish import pins

CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PIN = r"[\w.-]+==[\w.]+( ; [^\\\n]+)?( \\\n +--hash=sha256:[0-9a-f]{64})+\s*$"


def requirements(file: Path) -> dict[str, list[Requirement]]:
    """What a requirements file pins; a package may be pinned for several kinds of computer."""
    found: dict[str, list[Requirement]] = {}
    for line in pins.without_hashes(file.read_text(encoding="utf-8")):
        if pins.name_of(line):
            found.setdefault(pins.name_of(line), []).append(Requirement(line))
    return found


def conda(name: str) -> str:
    """The version that environment.yml requires, '' for any."""
    [line] = [line for line in CONDA["dependencies"] if isinstance(line, str) and line.split("=")[0] == name]
    return line.partition("=")[2]


@pytest.mark.parametrize("file", pins.FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_every_python_package_is_pinned_with_the_hashes_of_its_files(file: Path) -> None:
    blocks = re.split(r"\n(?=\S)", file.read_text(encoding="utf-8"))
    packages = [block for block in blocks if pins.name_of(block)]
    assert packages
    for block in packages:
        assert re.match(PIN, block), block


def test_no_two_lists_disagree_about_a_package() -> None:
    lists = [requirements(file) for file in pins.FILES]
    for further in lists[1:]:
        for name, pinned in further.items():
            for known in lists[0].get(name, []):
                assert {str(known.specifier)} == {str(one.specifier) for one in pinned}, name


def test_conda_and_binder_bring_what_the_set_up_looks_for() -> None:
    assert (CONDA["name"], CONDA["channels"]) == ("virtual-threads", ["conda-forge", "nodefaults"])
    assert conda("openjdk") == str(jdk.WANTED)
    assert tuple(map(int, conda("python").split("."))) >= (3, 11)
    for name in ("maven", "pip", "fontconfig", "font-ttf-dejavu-sans-mono"):
        conda(name)
    assert CONDA["dependencies"][-1] == {"pip": ["-r requirements.txt"]}
    # binder's packages from pip are installed by postBuild, which leaves no downloads
    binder = yaml.safe_load((ROOT / "binder/environment.yml").read_text(encoding="utf-8"))
    assert binder == CONDA | {"dependencies": CONDA["dependencies"][:-1]}
    # pinned once: none of conda's packages is also one of pip's
    names = {line.split("=")[0] for line in CONDA["dependencies"][:-1]}
    assert not names & set(requirements(ROOT / "requirements.txt"))


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    if not (hadolint := shutil.which("hadolint", path=Path(sys.executable).parent)):
        pytest.skip("hadolint is not made for this kind of computer")
    ended = subprocess.run([hadolint, str(ROOT / "Dockerfile")], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_codespaces_uses_the_same_dockerfile() -> None:
    folder = ROOT / ".devcontainer"
    about = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))
    for name, place in (("dockerfile", ROOT / "Dockerfile"), ("context", ROOT)):
        assert (folder / about["build"][name]).resolve() == place
    assert f"useradd --uid 1000 --gid 0 --create-home --shell /bin/bash {about['remoteUser']}" in DOCKERFILE
    python = about["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    environment = python.removesuffix("/bin/python")
    assert f"VIRTUAL_ENV={environment}" in DOCKERFILE and f"PATH={environment}/share/jupyter" in DOCKERFILE


# --- what runs on the repository's host ---


@pytest.mark.parametrize("name", ["release", "site"])
def test_a_release_waits_in_its_workflows_until_no_claim_is_due(name: str) -> None:
    workflow = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8"))
    [(_, job), *_] = workflow["jobs"].items()
    runs = [step.get("run", "") for step in job["steps"]]
    [guard] = [place for place, run in enumerate(runs) if run.endswith("tools/notebooks/recorded.py")]
    assert not [run for run in runs[:guard] if re.search(r"\bdocker|make site|gh release create", run)]
    assert job["steps"][guard].get("if") == ("github.event_name == 'release'" if name == "site" else None)


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
        assert writing <= {"pages", "id-token", "packages", "contents"}, name
        for step in job["steps"]:
            if "actions/checkout@" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False, name
            # text that others can write, such as a title, is never part of a script
            assert "${{" not in step.get("run", ""), name
