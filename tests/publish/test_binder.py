"""What Binder would build, and its scripts in an environment as bare as its own. Takes two minutes."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
import short
from bootstrap import jdk
from bootstrap.places import ROOT
from bootstrap.threadlab_build import maven

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Binder builds on Linux")
WANTED = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
[PYTHON] = [line[len("python=") :] for line in WANTED if isinstance(line, str) and line.startswith("python=")]
PREFIXES = ("NB_PYTHON_PREFIX", "KERNEL_PYTHON_PREFIX", "CONDA_DEFAULT_ENV")
USER = [] if os.geteuid() == 0 else ["--map-root-user"]


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    """The files of this clone, as Binder would get them. Other users can read the folder."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", ROOT / "requirements/binder.txt"], check=True)
    folder = Path(tempfile.mkdtemp(prefix="threadlab-"))
    folder.chmod(0o755)
    (folder / "home").mkdir()
    listed = "git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -Pp -t"
    subprocess.run(f'{listed} "{folder}/home"', shell=True, cwd=ROOT, check=True)
    yield folder / "home"
    shutil.rmtree(folder, ignore_errors=True)


def test_what_binder_would_build_has_our_python_packages_and_scripts(clone: Path) -> None:
    # the options are those that mybinder.org uses
    options = "--no-build --debug --user-id=1000 --user-name=jovyan --Repo2Docker.default_buildpack=None"
    command = [sys.executable, "-m", "repo2docker", *options.split(), str(clone)]
    told = subprocess.run(command, capture_output=True, text=True)
    built = told.stdout + told.stderr
    assert told.returncode == 0, built
    for line in (
        f"Building conda environment for python={PYTHON}",
        'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"',
        "RUN ./binder/postBuild",
        'ENV R2D_ENTRYPOINT="${REPO_DIR}/binder/start"',
        "COPY --chown=1000:1000 src/ ${REPO_DIR}/",
    ):
        assert line in built


def base() -> list[str]:
    """What repo2docker installs first, at the versions of its lock, but from PyPI."""
    import repo2docker

    lock = Path(repo2docker.__file__).with_name("buildpacks") / f"conda/environment.py-{PYTHON}-linux-64.lock"
    names = "ipywidgets jupyterhub-base jupyterlab notebook jupyter-offlinenotebook jupyter-resource-usage"
    found = {name: re.search(rf"/{name}-([0-9.]+)-", lock.read_text())[1] for name in names.split()}
    return [f"{name.removesuffix('-base')}=={version}" for name, version in found.items()]


class Bare:
    """Only what Binder's image has before postBuild, a clone as home; the system's Java is covered."""

    def __init__(self, home: Path) -> None:
        self.home, self.prefix = home, home.parent / "notebook"
        bin = self.prefix / "bin"
        subprocess.run([sys.executable, "-m", "venv", self.prefix], check=True)
        subprocess.run([bin / "pip", "install", "--quiet", "--no-compile", *base()], check=True)
        (self.prefix / "lib/jvm").mkdir()
        for name in ("java", "javac"):
            (bin / name).symlink_to(f"../lib/jvm/bin/{name}")
        (bin / "mvn").symlink_to(Path(maven()[0]).resolve())
        if not USER:
            subprocess.run(["chown", "-R", "1000:1000", home, self.prefix], check=True)

    def run(self, *inside: str, text: str = "") -> subprocess.CompletedProcess[str]:
        """Runs a command in the clone as Binder's user."""
        cover = 'mount --bind "$1" "$2" && if [ -d /usr/lib/jvm ]; then mount -t tmpfs none /usr/lib/jvm; fi'
        # root's own Python may lie where only root can read, so reading stays allowed, but not writing
        read = [f"--{kind}-caps=+dac_read_search" for kind in ("inh", "ambient")]
        drop = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", *read] if not USER else []
        unshare = ["unshare", *USER, "--mount", "--", "sh", "-c"]
        places = [str(jdk.find_jdk(jdk.Computer()).home), str(self.prefix / "lib/jvm")]
        command = [*unshare, f'{cover} && shift 2 && exec "$@"', "sh", *places, *drop, *inside]
        env = {"PATH": f"{self.prefix}/bin:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        env |= dict.fromkeys(("HOME", "REPO_DIR"), str(self.home)) | dict.fromkeys(PREFIXES, str(self.prefix))
        return subprocess.run(command, cwd=self.home, env=env, input=text, capture_output=True, text=True)


@pytest.fixture(scope="module")
def bare(clone: Path) -> Bare:
    if subprocess.call(["unshare", *USER, "--mount", "true"], stderr=subprocess.DEVNULL):
        pytest.skip("this machine lets nobody cover its own Java (unshare --mount)")
    environment = Bare(clone)
    built = environment.run("./binder/postBuild")
    assert built.returncode == 0, built.stdout + built.stderr
    return environment


def test_post_build_makes_the_kernel_of_the_environments_own_jdk_and_leaves_no_downloads(bare: Bare) -> None:
    kernel = json.loads((bare.prefix / "share/jupyter/kernels/java/kernel.json").read_text(encoding="utf-8"))
    assert Path(kernel["argv"][0]) == bare.prefix / "lib/jvm/bin/java"
    assert all((bare.prefix / f"share/threadlab/{cache}.aot").is_file() for cache in ("kernel", "servers"))
    # as Binder's user, who sees no other Java
    assert bare.run("sh", "-c", "id -u; ls /usr/lib/jvm").stdout.split() in (["1000"], ["0"])
    left = (".cache/pip", ".cache/threadlab", ".m2", ".venv", "build", "threadlab/target", "whatwaits/target")
    assert not [name for name in left if (bare.home / name).exists()]


def test_start_runs_a_notebook_at_the_small_scale(bare: Bare) -> None:
    ran = bare.run("./binder/start", "sh", "-c", short.EXECUTE, text=short.TEXT)
    assert ran.returncode == 0, ran.stderr
    assert short.heap(ran.stdout)
    told = bare.run("./binder/start", "sh", "-c", 'echo "$THREADLAB_SCALE" "$MALLOC_ARENA_MAX"; exit 7')
    assert (told.stdout, told.returncode) == ("small 2\n", 7)
