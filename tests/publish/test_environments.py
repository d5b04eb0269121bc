"""The ways into the course (pip, conda, Docker, Binder, Codespaces) agree, and Binder's is tried in full.

Takes ten seconds; the deep tests (a bare environment for Binder, the licences) take two minutes.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import nbformat
import pytest
import yaml
from packaging.requirements import Requirement
from bootstrap import jdk
from bootstrap.places import ROOT
from bootstrap.threadlab_build import maven
from publish import licences, pins

CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


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


# --- pins ---


@pytest.mark.parametrize("file", pins.FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_every_python_package_is_pinned_with_the_hashes_of_its_files(file: Path) -> None:
    blocks = re.split(r"\n(?=\S)", file.read_text(encoding="utf-8"))
    packages = [block for block in blocks if pins.name_of(block)]
    assert packages
    for block in packages:
        assert re.match(r"[\w.-]+==[\w.]+( ; [^\\\n]+)?( \\\n +--hash=sha256:[0-9a-f]{64})+\s*$", block), (
            block
        )


def test_a_new_library_of_maven_is_listed_without_the_set_up_that_refuses_it() -> None:
    pinning = str(ROOT / "tools/publish/pins.py")
    bare = [sys.executable, "-I", "-S"]  # no packages, no PYTHONPATH
    subprocess.run([*bare, "-c", "import runpy, sys; runpy.run_path(sys.argv[1])", pinning], check=True)


def test_no_two_lists_disagree_about_a_package() -> None:
    lists = [requirements(file) for file in pins.FILES]
    for further in lists[1:]:
        for name, pinned in further.items():
            for known in lists[0].get(name, []):
                assert {str(known.specifier)} == {str(one.specifier) for one in pinned}, name


def test_conda_brings_what_the_set_up_looks_for_and_takes_python_packages_from_the_one_list() -> None:
    assert (CONDA["name"], CONDA["channels"]) == ("virtual-threads", ["conda-forge", "nodefaults"])
    assert conda("openjdk") == str(jdk.WANTED)
    assert tuple(map(int, conda("python").split("."))) >= (3, 11)
    for name in ("maven", "pip", "fontconfig", "font-ttf-dejavu-sans-mono"):
        conda(name)
    assert CONDA["dependencies"][-1] == {"pip": ["-r requirements.txt"]}
    # pinned once: none of conda's packages is also one of pip's
    names = {line.split("=")[0] for line in CONDA["dependencies"][:-1]}
    assert not names & set(requirements(ROOT / "requirements.txt"))


# --- licences ---


@pytest.mark.deep
def test_the_list_of_licences_names_every_library_that_is_installed() -> None:
    licences.main()
    page = licences.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+) \|$", page, re.MULTILINE)
    assert not [row for row in rows if re.search("unknown|none", row[2], re.IGNORECASE)]
    listed = {f"{name}-{number}" for name, number, _ in rows}
    installed = {jar.stem for jar in Path(sys.prefix, "share/threadlab").rglob("*.jar")}
    assert len(installed) > 10
    assert installed - listed == {"threadlab", "threadlab-servers"}
    for name, pinned in requirements(ROOT / "requirements.txt").items():
        if any(pin.marker is None or pin.marker.evaluate() for pin in pinned):
            assert f"{name}-{version(name)}" in listed


# --- Docker and Codespaces ---


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    hadolint = shutil.which("hadolint", path=Path(sys.executable).parent)
    if not hadolint:
        pytest.skip("hadolint is not made for this kind of computer")
    ended = subprocess.run([hadolint, str(ROOT / "Dockerfile")], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_codespaces_uses_the_same_dockerfile() -> None:
    about = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    folder = ROOT / ".devcontainer"
    assert (folder / about["build"]["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (folder / about["build"]["context"]).resolve() == ROOT
    assert f"useradd --uid 1000 --gid 0 --create-home --shell /bin/bash {about['remoteUser']}" in DOCKERFILE
    python = about["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert f"VIRTUAL_ENV={python.removesuffix('/bin/python')}" in DOCKERFILE
    assert f"JUPYTER_PATH={python.removesuffix('/bin/python')}/share/jupyter" in DOCKERFILE


# --- Binder ---

deep = pytest.mark.deep
linux = pytest.mark.skipif(sys.platform != "linux", reason="Binder builds on Linux")


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    """The files of this clone, as Binder would get them. Other users can read the folder."""
    folder = Path(tempfile.mkdtemp(prefix="threadlab-"))
    folder.chmod(0o755)
    listed = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    )
    for name in listed.split("\0"):
        source, target = ROOT / name, folder / "home" / name
        if name and (source.is_symlink() or source.is_file()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    yield folder / "home"
    shutil.rmtree(folder, ignore_errors=True)


def test_binder_reads_the_same_files() -> None:
    text = (ROOT / "binder/environment.yml").read_text(encoding="utf-8")
    # without the packages from pip: postBuild installs them, and leaves no downloads
    assert yaml.safe_load(text) == CONDA | {"dependencies": CONDA["dependencies"][:-1]}


@linux
def test_what_binder_would_build_has_our_python_packages_and_scripts(clone: Path) -> None:
    # the options are those that mybinder.org uses
    options = "--no-build --debug --user-id=1000 --user-name=jovyan --Repo2Docker.default_buildpack=None"
    command = [sys.executable, "-m", "repo2docker", *options.split(), str(clone)]
    told = subprocess.run(command, capture_output=True, text=True)
    built = told.stdout + told.stderr
    assert told.returncode == 0, built
    assert f"Building conda environment for python={conda('python')}" in built
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in built
    assert "RUN ./binder/postBuild" in built
    assert 'ENV R2D_ENTRYPOINT="${REPO_DIR}/binder/start"' in built
    assert "COPY --chown=1000:1000 src/ ${REPO_DIR}/" in built


class Bare:
    """An environment that has only what Binder's image has before postBuild, and a clone as its home.

    The packages come from PyPI at the versions that repo2docker takes from conda-forge. The system's
    Java cannot be seen from inside: its folder is covered, and JAVA_HOME is unset.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.prefix = home.parent / "notebook"
        bin = self.prefix / "bin"
        subprocess.run([sys.executable, "-m", "venv", self.prefix], check=True)
        pip = [bin / "python", "-m", "pip", "install", "--quiet", "--no-compile"]
        subprocess.run([*pip, "--disable-pip-version-check", *self.base()], check=True)
        self.java = Path(jdk.find_jdk(jdk.Computer()).home)
        (self.prefix / "lib/jvm").mkdir()
        for name in ("java", "javac"):
            (bin / name).symlink_to(f"../lib/jvm/bin/{name}")
        (bin / "mvn").symlink_to(Path(maven()[0]).resolve())
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", "1000:1000", home, self.prefix], check=True)

    @staticmethod
    def base() -> list[str]:
        """What repo2docker installs first, at the versions of its lock."""
        import repo2docker

        lock = Path(repo2docker.__file__).with_name("buildpacks") / "conda"
        text = (lock / f"environment.py-{conda('python')}-linux-64.lock").read_text(encoding="utf-8")
        names = ["ipywidgets", "jupyterhub-base", "jupyterlab", "notebook"]
        names += ["jupyter-offlinenotebook", "jupyter-resource-usage"]
        found = {name: re.search(rf"/{name}-([0-9.]+)-", text)[1] for name in names}
        return [f"{name.removesuffix('-base')}=={version}" for name, version in found.items()]

    def command(self, *inside: str) -> list[str]:
        root = os.geteuid() == 0
        cover = 'mount --bind "$1" "$2" && if [ -d /usr/lib/jvm ]; then mount -t tmpfs none /usr/lib/jvm; fi'
        # Root's own Python may lie where only root can read, so reading stays allowed, but not writing.
        read = [f"--{kind}-caps=+dac_read_search" for kind in ("inh", "ambient")]
        drop = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", *read] if root else []
        unshare = ["unshare", *([] if root else ["--map-root-user"]), "--mount", "--", "sh", "-c"]
        places = [str(self.java), str(self.prefix / "lib/jvm")]
        return [*unshare, f'{cover} && shift 2 && exec "$@"', "sh", *places, *drop, *inside]

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "REPO_DIR": str(self.home),
            "NB_PYTHON_PREFIX": str(self.prefix),
            "KERNEL_PYTHON_PREFIX": str(self.prefix),
            "CONDA_DEFAULT_ENV": str(self.prefix),
            "PATH": f"{self.prefix}/bin:/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, *inside: str) -> subprocess.CompletedProcess[str]:
        where = {"cwd": self.home, "env": self.environment}
        return subprocess.run(self.command(*inside), **where, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def bare(clone: Path) -> Bare:
    """A bare environment in which postBuild has run."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    if subprocess.call(["unshare", *user, "--mount", "true"], stderr=subprocess.DEVNULL):
        pytest.skip("this machine lets nobody cover its own Java (unshare --mount)")
    environment = Bare(clone)
    built = environment.run("./binder/postBuild")
    assert built.returncode == 0, built.stdout + built.stderr
    return environment


@deep
@linux
def test_post_build_makes_the_kernel_of_the_environments_own_jdk(bare: Bare) -> None:
    kernel = json.loads((bare.prefix / "share/jupyter/kernels/java/kernel.json").read_text(encoding="utf-8"))
    assert Path(kernel["argv"][0]) == bare.prefix / "lib/jvm/bin/java"
    assert all((bare.prefix / f"share/threadlab/{cache}.aot").is_file() for cache in ("kernel", "servers"))
    # as Binder's user, who sees no other Java
    assert bare.run("sh", "-c", "id -u; ls /usr/lib/jvm").stdout.split() in (["1000"], ["0"])
    # the future image contains no leftovers of the build
    downloads = (".cache/pip", ".cache/threadlab", ".m2")
    assert not [
        name for name in (*downloads, ".venv", "build", "threadlab/target") if (bare.home / name).exists()
    ]


@deep
@linux
def test_start_runs_a_notebook_at_the_small_scale(bare: Bare) -> None:
    execute = ["jupyter", "nbconvert", "--to", "notebook", "--execute", "--stdout"]
    ran = bare.run("./binder/start", *execute, "notebooks/00-start-here.ipynb")
    assert ran.returncode == 0, ran.stderr
    outputs = [out for cell in nbformat.reads(ran.stdout, 4).cells for out in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    told = bare.run("./binder/start", "sh", "-c", 'echo "$THREADLAB_SCALE" "$MALLOC_ARENA_MAX"; exit 7')
    assert (told.stdout, told.returncode) == ("small 2\n", 7)
