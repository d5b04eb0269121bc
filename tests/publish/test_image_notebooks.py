"""Notebooks in containers of the image, even if these do not get what they expect.

Takes a minute and a half, or three if tests/publish/test_image.py has not built the image.
"""

import os
import re
from pathlib import Path

import nbformat
import pytest
import containers
from bootstrap.places import ROOT
from containers import run
from publish import image

pytestmark = pytest.mark.deep
SMALL = ("--env", "THREADLAB_SCALE=small")

# What a notebook does, in a few seconds: threads of both kinds, measured and drawn, and a published figure.
SHORT = nbformat.v4.new_notebook(
    metadata={"kernelspec": {"name": "java", "display_name": "Java", "language": "java"}},
    cells=[
        nbformat.v4.new_code_cell(source)
        for source in (
            """
            var measured = Trials.of("threads")
                    .platform(n -> {
                        for (int i = 0; i < n; i++) Thread.ofPlatform().start(() -> {}).join();
                    })
                    .virtual(n -> {
                        for (int i = 0; i < n; i++) Thread.ofVirtual().start(() -> {}).join();
                    })
                    .sizes(10, 100)
                    .run();
            Plots.timings(measured)
            """,
            'Table.read().csv("../data/published/published.csv").rowCount() > 5',
            "Runtime.getRuntime().maxMemory() / 1_000_000",
        )
    ],
)


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    containers.build()


def short_notebook(*options: str) -> tuple[nbformat.NotebookNode, str]:
    """Executes SHORT in a container with these options; returns it and the other output."""
    execute = "cd notebooks && exec jupyter nbconvert --stdin --to notebook --execute --stdout"
    ran = run("sh", "-c", execute, options=options, text=nbformat.writes(SHORT))
    assert ran.returncode == 0, ran.stderr
    return nbformat.reads(ran.stdout, as_version=4), ran.stderr


def assert_it_worked(notebook: nbformat.NotebookNode) -> None:
    chart, table, _ = notebook.cells
    assert any("image/png" in output.get("data", {}) for output in chart.outputs), chart
    assert table.outputs[-1]["data"]["text/plain"] == "true"


def test_a_notebook_runs_to_its_end_with_2_gb_and_1_cpu() -> None:
    execute = "jupyter nbconvert --to notebook --execute --stdout notebooks/03-watch-mount-and-unmount.ipynb"
    ran = run(*execute.split(), options=(*SMALL, "--memory=2g", "--cpus=1"))
    assert ran.returncode == 0, ran.stderr
    notebook = nbformat.reads(ran.stdout, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not [output for output in outputs if output.get("name") == "stderr"]


# --- where it is not given what it expects ---


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        (
            ["--user=1234560000:1234560000"],
            "User 1234560000 cannot write to /home/jovyan, so what you change",
        ),
        (["--user=1234560000:0"], ""),
        (["--read-only", "--tmpfs=/tmp"], "so what you change is lost"),
        ([f"--volume={ROOT / 'notebooks'}:/home/jovyan/virtual-threads/notebooks:ro"], "are not saved"),
    ],
    ids=["another user", "another user of group 0", "a read-only file system", "read-only notebooks"],
)
def test_where_it_cannot_write_it_works_and_says_that_nothing_is_kept(
    options: list[str], warning: str
) -> None:
    notebook, said = short_notebook(*options)
    assert_it_worked(notebook)
    assert warning in said and bool(warning) == ("virtual-threads:" in said)


def test_without_any_folder_to_write_in_it_says_what_to_give_it() -> None:
    # podman by itself gives temporary folders to a container that it makes read-only
    own = ("--read-only-tmpfs=false",) if "podman" in image.engine() else ()
    ended = run("true", options=("--read-only", *own))
    assert ended.returncode == 1
    assert ended.stderr.strip().endswith("give the container a temporary one (docker run --tmpfs /tmp …).")


def test_a_home_mounted_over_gets_the_notebooks_and_keeps_the_learners_work(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)
    mounted = f"--volume={home}:/home/jovyan"
    notebook, said = short_notebook(mounted)
    assert_it_worked(notebook)
    assert "virtual-threads:" not in said
    first = home / "virtual-threads/notebooks/00-start-here.ipynb"
    assert first.stat().st_uid == 1000
    first.write_text("my own")
    (first.parent / "01-measure-littles-law.ipynb").unlink()
    assert run("cat", "notebooks/00-start-here.ipynb", options=(mounted,)).stdout == "my own"
    assert (first.parent / "01-measure-littles-law.ipynb").is_file()


def test_a_home_that_the_learner_may_not_write_to_does_not_stop_it(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder that belongs to somebody else")
    tmp_path.chmod(0o755)
    notebook, said = short_notebook(f"--volume={tmp_path}:/home/jovyan")
    assert_it_worked(notebook)
    assert "User 1000 cannot write to /home/jovyan" in said


def test_with_512_megabytes_it_warns_and_runs_a_short_notebook() -> None:
    notebook, said = short_notebook("--memory=512m")
    assert_it_worked(notebook)
    heap = int(notebook.cells[-1].outputs[0]["data"]["text/plain"])
    assert 240 < heap < 280, "half of the container's memory is the heap's"
    assert re.search(r"This container has only 53\d MB of memory, and the course is made for 2 GB", said)
