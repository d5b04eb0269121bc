"""A company's network: its proxy and its certificates, as pip, Maven and the fetch of a JDK each take them.

Maven and Java know neither HTTPS_PROXY nor the certificates of the system. So Java gets a file of these, and
Maven one with the proxy. It reads the password from a variable, so no file and no list of processes has it.
"""

import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies
from xml.sax.saxutils import escape

from bootstrap.files import digest
from bootstrap.jdk import Computer, Jdk
from bootstrap.places import BUILD, TOOLS
from bootstrap.steps import run

# Variables that name a file of certificates, each read by some program and none by all.
NAMED = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
# Where Linux keeps what an administrator has added, and all that the system trusts.
ADDED = ("usr/local/share/ca-certificates", "etc/pki/ca-trust/source/anchors", "etc/pki/trust/anchors")
TRUSTED = ("etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/ca-bundle.pem")
PASSWORD = "changeit"  # of a file that holds no secret; Java wants one
LOGIN = (("username", "USER"), ("password", "PASSWORD"))
ONE = Lock()  # pip and Maven run side by side


def certificates(computer: Computer) -> "Path | None":
    """The file of certificates that this network needs beyond the usual ones, if there is one."""
    for name in NAMED:
        if (path := Path(computer.env.get(name) or "/")).is_file():
            return path
    return system(computer) if any(any((computer.root / folder).glob("*.*")) for folder in ADDED) else None


def system(computer: Computer) -> "Path | None":
    return next(filter(Path.is_file, (computer.root / file for file in TRUSTED)), None)


def store(jdk: Jdk, computer: Computer) -> "Path | None":
    """A file of all that Java, the system and an administrator trust; beside it, as .pem, pip's."""
    own = (jdk.home / "lib/security/cacerts").is_file()  # a package may have made a link that leads nowhere
    named = certificates(computer) or (None if own else system(computer))
    with ONE:
        linux = computer.system == "Linux"
        return None if linux and not named else write(computer.program(jdk.home, "java"), jdk.build, named)


@cache
def write(java: Path, build: str, named: "Path | None") -> Path:
    program = TOOLS / "bootstrap/Trust.java"
    file = BUILD / f"trust-{digest(build, program, *filter(None, [named]))[:16]}.p12"
    if not named or not file.is_file():  # the stores of macOS and Windows do not say when they changed
        for old in BUILD.glob("trust-*"):
            old.unlink()
        command = [java, "-XX:TieredStopAtLevel=1", program, file, *filter(None, [named])]
        run(command, f"Java could not read the certificates of {named or 'this system'}")
    return file


def for_pip(jdk: Jdk, computer: Computer) -> dict[str, str]:
    """Variables by which pip trusts what this computer trusts, unless the reader has told it."""
    if computer.env.get("PIP_CERT") or computer.env.get("REQUESTS_CA_BUNDLE"):
        return {}
    file = store(jdk, computer)
    return {"PIP_CERT": str(file.with_suffix(".pem"))} if file else {}


def for_java(jdk: Jdk, computer: Computer) -> list[str]:
    """Options by which a Java program trusts what this computer trusts."""
    if not (file := store(jdk, computer)):
        return []
    return [f"-Djavax.net.ssl.trustStore={file}", f"-Djavax.net.ssl.trustStorePassword={PASSWORD}"]


class Proxy:
    """The proxy for HTTPS, by HTTPS_PROXY or the settings of the system; without one, `host` is empty."""

    def __init__(self, proxies: "Mapping[str, str] | None" = None) -> None:
        proxies = getproxies() if proxies is None else proxies
        told = proxies.get("https", "")
        try:
            parts = urlsplit(told if "//" in told else f"http://{told}")
            self.host, self.port = parts.hostname or "", parts.port or 8080
        except ValueError:
            sys.exit(
                "HTTPS_PROXY is no address: set it to http://HOST:PORT, or http://NAME:PASSWORD@HOST:PORT."
            )
        self.user, self.password = unquote(parts.username or ""), unquote(parts.password or "")
        # a name covers the hosts below it, which Maven wants written out
        past = [name.strip().lstrip(".") for name in proxies.get("no", "").split(",") if name.strip()]
        self.past = [part for name in past for part in (name, f"*.{name}")]

    def env(self) -> dict[str, str]:
        """What Maven's file refers to."""
        login = {"THREADLAB_PROXY_USER": self.user, "THREADLAB_PROXY_PASSWORD": self.password}
        return login if self.user else {}

    def element(self) -> str:
        """As Maven's settings name it, without its password."""
        login = "".join(f"<{name}>${{env.THREADLAB_PROXY_{value}}}</{name}>" for name, value in LOGIN)
        past = f"<nonProxyHosts>{escape('|'.join(self.past))}</nonProxyHosts>"
        rest = f"<host>{escape(self.host)}</host><port>{self.port}</port>{login if self.user else ''}{past}"
        both = [
            f"<proxy><id>{name}</id><protocol>{name}</protocol>{rest}</proxy>" for name in ("https", "http")
        ]
        return f"<proxies>{''.join(both)}</proxies>"


def maven_settings(installed: "Path | None" = None) -> "Path | None":
    """A file of Maven's global settings: the installed ones and the proxy, if they have none."""
    proxy, text = Proxy(), "<settings></settings>"
    if not proxy.host:
        return None
    if installed and installed.is_file():
        text = re.sub(r"<!--.*?-->", "", installed.read_text(encoding="utf-8"), flags=re.DOTALL)
        if "<proxy>" in text:
            return None
        text = re.sub(r"<proxies>\s*</proxies>|<proxies\s*/>", "", text)
    file = BUILD / "maven-settings.xml"
    BUILD.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    with open(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as fresh:
        fresh.write(text.replace("</settings>", proxy.element() + "</settings>"))
    return file
