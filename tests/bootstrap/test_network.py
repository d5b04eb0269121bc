"""A company's network: its proxy demands a password, only it knows its certificate. Takes half a minute."""

import base64
import shutil
import socket
import ssl
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar
from urllib.parse import quote

import pytest
from bootstrap import fetch, network, steps
from bootstrap.environment import choose_environment
from bootstrap.jdk import Computer, find_jdk
from bootstrap.network import Proxy, maven_settings
from bootstrap.threadlab_build import maven, maven_env
from computers import computer, make_jdk

USER, PASSWORD = "reader", "p@ss&<word>"
MODEL = "<project><modelVersion>4.0.0</modelVersion>{}<packaging>pom</packaging></project>"
NAMES = "<groupId>org.a</groupId><artifactId>{}</artifactId><version>1</version>"
PARENT = MODEL.format(NAMES.format("parent"))
CHILD = MODEL.format(f"<parent>{NAMES.format('parent')}<relativePath/></parent>{NAMES.format('own')}")


class Tunnel(BaseHTTPRequestHandler):
    """A proxy that leads to this computer alone, and demands a name and a password."""

    tunnels: ClassVar[list[str]] = []  # the places to which one led

    protocol_version = "HTTP/1.1"
    wanted = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()

    def do_CONNECT(self) -> None:
        if self.headers.get("Proxy-Authorization") != self.wanted:
            self.send_response(407, "Proxy Authentication Required")
            self.send_header("Proxy-Authenticate", 'Basic realm="company"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        with socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2]))) as there:
            self.tunnels.append(self.path)
            self.send_response(200)
            self.end_headers()
            back = Thread(target=pump, args=(there, self.connection))
            back.start()
            pump(self.connection, there)
            back.join()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


def pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class Company:
    """Its folder, its certificate, the address of its mirror, and its proxy."""

    def __init__(self, root: Path) -> None:
        self.root, self.ca = root, root / "company's ca.pem"
        self.certify()
        pages = root / "pages"
        (pages / "org/a/parent/1").mkdir(parents=True)
        (pages / "org/a/parent/1/parent-1.pom").write_text(PARENT)
        (pages / "simple/tiny").mkdir(parents=True)
        wheel = "tiny-1-py3-none-any.whl"
        with zipfile.ZipFile(pages / "simple/tiny" / wheel, "w") as packed:
            packed.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
            packed.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            packed.writestr("tiny-1.dist-info/RECORD", "")
        (pages / "simple/tiny/index.html").write_text(f'<a href="{wheel}">{wheel}</a>')
        self.mirror = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(pages)))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(root / "server.pem", root / "server.key")
        self.mirror.socket = context.wrap_socket(self.mirror.socket, server_side=True)
        self.proxy = ThreadingHTTPServer(("127.0.0.1", 0), Tunnel)
        for server in (self.mirror, self.proxy):
            server.daemon_threads = True
            Thread(target=server.serve_forever, daemon=True).start()
        self.address = f"https://localhost:{self.mirror.server_port}"

    def certify(self) -> None:
        def openssl(*words: str) -> None:
            subprocess.run(["openssl", *words], cwd=self.root, check=True, capture_output=True)

        fresh = ("req", "-newkey", "rsa:2048", "-nodes", "-sha256")
        openssl(
            *fresh, "-x509", "-days", "2", "-subj", "/CN=company", "-keyout", "ca.key", "-out", self.ca.name
        )
        openssl(*fresh, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "asked.pem")
        (self.root / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        signed = (
            "-CA",
            self.ca.name,
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-days",
            "2",
            "-extfile",
            "names",
        )
        openssl("x509", "-req", "-in", "asked.pem", *signed, "-out", "server.pem")

    def through(self, user: str = USER, password: str = PASSWORD) -> str:
        login = f"{quote(user)}:{quote(password, safe='')}@" if user else ""
        return f"http://{login}127.0.0.1:{self.proxy.server_port}"

    def close(self) -> None:
        for server in (self.mirror, self.proxy):
            server.shutdown()
            server.server_close()


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    if not shutil.which("openssl"):
        pytest.skip("no openssl, which makes the certificates of this test")
    here = Company(tmp_path_factory.mktemp("company of one"))
    yield here
    here.close()


@pytest.fixture
def desk(company: Company, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The variables of an employee's computer; their files lie in the test's folder."""
    for name in (*network.NAMED, "SSL_CERT_DIR", "PIP_FIND_LINKS", "NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", company.through())
    monkeypatch.setenv("SSL_CERT_FILE", str(company.ca))
    monkeypatch.setattr(network, "BUILD", tmp_path / "build")
    (tmp_path / "build").mkdir()
    network.write.cache_clear()
    return monkeypatch


def by_maven(company: Company, folder: Path) -> str:
    """What the real Maven says about a project whose parent lies behind proxy and certificate."""
    (folder / "pom.xml").write_text(CHILD)
    mirror = f"<id>company</id><mirrorOf>*</mirrorOf><url>{company.address}</url>"
    (folder / "settings.xml").write_text(f"<settings><mirrors><mirror>{mirror}</mirror></mirrors></settings>")
    own = ["--settings", folder / "settings.xml", f"-Dmaven.repo.local={folder / 'here'}"]
    return said([*maven(str(folder / "pom.xml")), *own, "validate"], maven_env(find_jdk(Computer())), folder)


def by_pip(company: Company, folder: Path) -> str:
    python, index = choose_environment().python, f"--index-url={company.address}/simple"
    command = [
        python,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--retries=1",
        index,
        f"--dest={folder}",
        "tiny==1",
    ]
    return said(command, network.for_pip(find_jdk(Computer()), Computer()), folder)


def by_python(company: Company, folder: Path) -> str:
    try:
        return "" if b"".join(fetch.pieces(f"{company.address}/simple/tiny/")) else "nothing came"
    except fetch.Trouble as trouble:
        return str(trouble)


def said(command: list, env: dict[str, str], folder: Path) -> str:
    log = folder / "log"
    try:
        steps.run(command, "It failed", env, log)
        return ""
    except SystemExit as ended:
        return str(ended)
    finally:
        assert "p@ss" not in log.read_text(encoding="utf-8") and quote(PASSWORD) not in log.read_text()


WAYS = pytest.mark.parametrize("way", [by_maven, by_pip, by_python])


@WAYS
def test_each_download_goes_through_the_proxy_and_trusts_the_companys_certificate(
    company: Company, desk: pytest.MonkeyPatch, tmp_path: Path, way: partial
) -> None:
    before = len(Tunnel.tunnels)
    assert way(company, tmp_path) == ""
    assert len(Tunnel.tunnels) > before


@WAYS
def test_a_missing_password_has_its_sentence(
    company: Company, desk: pytest.MonkeyPatch, tmp_path: Path, way: partial
) -> None:
    desk.setenv("HTTPS_PROXY", company.through(user=""))
    assert "set HTTPS_PROXY to http://NAME:PASSWORD@HOST:PORT" in way(company, tmp_path)


@WAYS
def test_an_unknown_certificate_has_its_sentence(
    company: Company, desk: pytest.MonkeyPatch, tmp_path: Path, way: partial
) -> None:
    desk.delenv("SSL_CERT_FILE")
    desk.setattr(network, "ADDED", ())
    assert "set SSL_CERT_FILE to it" in way(company, tmp_path)


def test_mavens_file_has_the_proxy_and_no_password(desk: pytest.MonkeyPatch, tmp_path: Path) -> None:
    desk.setenv("NO_PROXY", "localhost, .company.example")
    installed = tmp_path / "settings.xml"
    installed.write_text("<settings><!-- <proxy> --><proxies></proxies><offline>false</offline></settings>")
    text = maven_settings(installed).read_text()
    assert "<offline>" in text and text.count("<proxies>") == 1 and PASSWORD not in text
    assert "<nonProxyHosts>localhost|*.localhost|company.example|*.company.example<" in text
    installed.write_text("<settings><proxies><proxy><host>own</host></proxy></proxies></settings>")
    assert maven_settings(installed) is None  # what an administrator has set is left alone
    assert Proxy({"https": "proxy.example"}).port == 8080 and not Proxy({}).host


def test_certificates_that_an_administrator_has_added_are_found(tmp_path: Path) -> None:
    bundle = tmp_path / "etc/pki/tls/certs/ca-bundle.crt"
    bundle.parent.mkdir(parents=True)
    bundle.touch()
    assert network.certificates(computer(tmp_path)) is None
    added = tmp_path / "etc/pki/ca-trust/source/anchors/company.crt"
    added.parent.mkdir(parents=True)
    added.touch()
    assert network.certificates(computer(tmp_path)) == bundle
    assert network.certificates(computer(tmp_path, SSL_CERT_FILE=sys.executable)) == Path(sys.executable)


def test_a_jdk_without_certificates_of_its_own_trusts_what_the_system_trusts(
    desk: pytest.MonkeyPatch, company: Company, tmp_path: Path
) -> None:
    bundle = tmp_path / network.TRUSTED[0]
    bundle.parent.mkdir(parents=True)
    shutil.copy(company.ca, bundle)
    home = make_jdk(tmp_path / "jdk", "25.0.1")
    java = find_jdk(Computer())
    (home / "bin/java").write_text(f'#!/bin/sh\nexec "{java.home}/bin/java" "$@"\n')
    bare = java._replace(home=home)
    assert network.store(bare, computer(tmp_path)) is None
    (home / "lib/security/cacerts").unlink()
    assert "BEGIN CERTIFICATE" in network.store(bare, computer(tmp_path)).with_suffix(".pem").read_text()
