"""What a bare system lacks, in one message with the command of its package manager."""

import importlib.util
import re
import shutil
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bootstrap.jdk import Computer


class Manager(NamedTuple):
    """How it installs, and its packages for a JDK, for Python's venv and for what draws text, if apart."""

    command: str
    jdk: str
    venv: str = ""
    fonts: str = ""


MANAGERS = {  # by the program that must be there
    "apt-get": Manager(
        "apt install", "openjdk-{}-jdk", "python3-venv", "fontconfig fonts-dejavu-core libharfbuzz0b"
    ),
    "dnf": Manager("dnf install", "java-{}-openjdk-devel", "", "fontconfig dejavu-sans-fonts harfbuzz"),
    "apk": Manager("apk add", "openjdk{}", "", "fontconfig font-dejavu harfbuzz"),
    "brew": Manager("brew install", "openjdk@{}"),
    "winget": Manager("winget install", "EclipseAdoptium.Temurin.{}.JDK"),
    "scoop": Manager("scoop bucket add java; scoop install", "java/temurin{}-jdk"),
}
# The first release of a distribution that has the course's JDK; others have packages of their own publisher.
SINCE = {"debian": 13, "ubuntu": 25.10}
DRAWING = "; ".join(f"{each.command} {each.fonts}" for each in MANAGERS.values() if each.fonts)
FONTS = ("usr/share/fonts", "usr/local/share/fonts", "usr/share/X11/fonts")


def manager(computer: "Computer") -> "Manager | None":
    found = (name for name in MANAGERS if shutil.which(name, path=computer.env.get("PATH", "")))
    return MANAGERS.get(next(found, ""))


def packaged(computer: "Computer") -> bool:
    """Whether this system's packages have the course's JDK."""
    file = computer.root / "etc/os-release"
    facts = (
        dict(re.findall(r'^(\w+)="?([^"\n]*)', file.read_text("utf-8"), re.MULTILINE))
        if file.is_file()
        else {}
    )
    since = SINCE.get(facts.get("ID", ""))
    return since is None or float(facts.get("VERSION_ID") or 99) >= since


def without_fonts(computer: "Computer") -> bool:
    """Whether Java will find no fonts: Linux draws text with fontconfig, of which nothing is here."""
    if computer.system != "Linux" or manager(computer) is None:
        return False
    places = ("usr/lib*/libfontconfig.so*", "usr/lib/*/libfontconfig.so*")
    library = any(any(computer.root.glob(place)) for place in places)
    return not library or not any(any((computer.root / folder).rglob("*.[ot]t[fc]")) for folder in FONTS)


def without_venv() -> bool:
    """Whether this Python came without what makes virtual environments, as Debian's does."""
    return any(importlib.util.find_spec(name) is None for name in ("ensurepip", "venv"))


def command(computer: "Computer", jdk: int = 0) -> str:
    """What installs all that is missing, as a line for a terminal; empty if there are no such packages."""
    known = manager(computer)
    if not known:
        return ""
    wanted = (
        known.jdk.format(jdk) if jdk and packaged(computer) else "",
        known.venv if without_venv() else "",
        known.fonts if without_fonts(computer) else "",
    )
    packages = " ".join(filter(None, wanted))
    return f"{known.command} {packages}" if packages else ""
