"""A class with a gradebook of its own."""

import shutil
from pathlib import Path

import pytest
from gradebooks import NAME, Class, played
from homeworks import FIRST
from teach.homework import grade, isolation, make


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("released")
    with pytest.MonkeyPatch.context() as patch:
        for module in (make, grade):
            patch.setattr(module, "HOMEWORK", home)
        make.write([FIRST])
        assert grade.main(["generate_assignment", NAME]) == 0
    return home


@pytest.fixture
def course(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Class:
    home = tmp_path / "homework"
    shutil.copytree(released, home)
    monkeypatch.setattr(grade, "HOMEWORK", home)
    monkeypatch.setattr(isolation, "engine", lambda: ["played"])
    monkeypatch.setattr(isolation, "run", played)
    monkeypatch.chdir(tmp_path)
    return Class(home, capfd)
