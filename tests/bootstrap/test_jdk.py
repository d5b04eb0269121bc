"""Which JDK the set-up finds on computers of every kind, and what it says when there is none. A second."""

from pathlib import Path

import pytest
from bootstrap import jdk
from computers import MODULES, computer, libjvm, make_jdk, script


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("Linux", "usr/lib/jvm/temurin-25-jdk-amd64"),
        ("Linux", "home/reader/.sdkman/candidates/java/25.0.1-tem"),
        ("Darwin", "home/reader/Library/Java/JavaVirtualMachines/openjdk-25/Contents/Home"),
        ("Darwin", "opt/homebrew/opt/openjdk@25/libexec/openjdk.jdk/Contents/Home"),
        ("Windows", "Program Files/Eclipse Adoptium/jdk-25.0.1.8-hotspot"),
        ("Windows", "conda/Library/lib/jvm"),
    ],
)
def test_finds_a_jdk_in_the_usual_folders(tmp_path: Path, system: str, place: str) -> None:
    home = make_jdk(tmp_path / place, "25.0.1", exe=".exe" if system == "Windows" else "")
    env = {"CONDA_PREFIX": str(tmp_path / "conda")} if "conda" in place else {}
    assert jdk.find_jdk(computer(tmp_path, system, **env)).home == home


@pytest.mark.parametrize(
    ("programs", "release", "fonts", "said"),
    [
        (
            "apt-get",
            'ID=debian\nVERSION_ID="13"',
            True,
            "(apt install openjdk-25-jdk, or Eclipse Temurin 25, ",
        ),
        ("apt-get", 'ID=debian\nVERSION_ID="12"', True, "install JDK 25 (for example Eclipse Temurin 25, "),
        (
            "apt-get",
            'ID=debian\nVERSION_ID="12"',
            False,
            ", and run: apt install fontconfig fonts-dejavu-core libharfbuzz0b.",
        ),
        (
            "dnf",
            "ID=fedora",
            False,
            "(dnf install java-25-openjdk-devel fontconfig dejavu-sans-fonts harfbuzz, or ",
        ),
        ("apk", "ID=alpine", True, "(apk add openjdk25, or "),
        ("brew", "", True, "(brew install openjdk@25, or "),
        ("winget scoop", "", True, "(winget install EclipseAdoptium.Temurin.25.JDK, or "),
        ("scoop", "", True, "(scoop bucket add java; scoop install java/temurin25-jdk, or "),
        ("", "", True, "install JDK 25 (for example Eclipse Temurin 25, adoptium.net)"),
    ],
)
def test_all_that_is_missing_stands_in_one_message(
    tmp_path: Path, programs: str, release: str, fonts: bool, said: str
) -> None:
    system = {"brew": "Darwin", "winget scoop": "Windows", "scoop": "Windows"}.get(programs, "Linux")
    for name in programs.split():
        script(tmp_path / "bin" / name, "")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text(release)
    if fonts:
        script(tmp_path / "usr/lib/x86_64-linux-gnu/libfontconfig.so.1", "")
        script(tmp_path / "usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "")
    with pytest.raises(jdk.NoJdk) as none:
        jdk.find_jdk(computer(tmp_path, system, PATH=str(tmp_path / "bin")))
    assert said in str(none.value)


@pytest.mark.parametrize(
    ("there", "java_home", "taken"),
    [
        # although the default java is 17, and 26 is also installed
        ({"java-17": "17.0.9", "a-26": "26", "b-25": "25.0.3"}, "java-17", "b-25"),
        ({"a": "27-ea", "b": "26.0.1"}, None, "b"),  # the lowest newer one
        ({"jdk-25": "25.0.1", "own": "25.0.1"}, "own", "own"),  # the reader's choice
        ({"a-25": "25.0.1", "incomplete": "25.0.1"}, "incomplete", "a-25"),
    ],
)
def test_takes_the_jdk_that_fits_best(tmp_path: Path, there: dict, java_home: str, taken: str) -> None:
    jvm = tmp_path / "usr/lib/jvm"
    for name, version in there.items():
        make_jdk(jvm / name, version, modules="java.base" if name == "incomplete" else MODULES)
    env = {"JAVA_HOME": str(jvm / java_home), "PATH": str(jvm / java_home / "bin")} if java_home else {}
    found = jdk.find_jdk(computer(tmp_path, **env))
    assert (found.home, found.version) == (jvm / taken, int(there[taken][:2]))


@pytest.mark.parametrize(
    "what", ["module jdk.jshell", "module java.desktop", "compiler javac", "file lib/modules", "library of"]
)
def test_names_what_a_jdk_lacks(tmp_path: Path, what: str) -> None:
    modules = MODULES.replace(what.removeprefix("module "), "")
    home = make_jdk(tmp_path / "usr/lib/jvm/small-25", "25.0.1", modules, compiler="javac" not in what)
    if "lib" in what:
        (home / ("lib/modules" if "modules" in what else libjvm())).unlink()
    with pytest.raises(SystemExit, match=rf"{home} lacks the {what}.*: install JDK 25"):
        jdk.find_jdk(computer(tmp_path))


def test_the_other_javas_are_one_of_each_version_with_virtual_threads(tmp_path: Path) -> None:
    jvm = tmp_path / "usr/lib/jvm"
    there = {"jdk-25": "25.0.1", "a": "27.0.1", "b": "27", "c": "21.0.8", "d": "17.0.9"}
    for name, version in there.items():
        make_jdk(jvm / name, version, compiler=name != "c")  # a runtime is enough for a compiled program
    found = jdk.find_others(computer(tmp_path), jdk.Jdk(jvm / "jdk-25", 25, "", ""))
    assert found == [jvm / "c", jvm / "a"]
