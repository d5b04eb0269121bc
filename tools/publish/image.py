"""Builds the image with Docker or Podman and walks through it: make image

If Podman cannot pull the base image, a substitute is made from Debian's packages, as root with debootstrap.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "virtual-threads"
STAND_IN = "localhost/debian-stand-in"
NONE = (
    "No image can be built here: install Docker and start it, or install Podman"
    " (Debian and Ubuntu: apt install podman runc debootstrap)."
)


def base() -> str:
    """The Dockerfile's base image."""
    return re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)[0]


def succeeds(*command: str) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


@functools.cache
def engine() -> "list[str] | None":
    """The command that builds and runs images here, or None."""
    found = runner()
    if found == ["docker"] or not found:
        return found
    pulled = any(succeeds("podman", *words, base()) for words in (["image", "exists"], ["pull", "--quiet"]))
    can_stand_in = os.geteuid() == 0 and shutil.which("debootstrap")
    return found if pulled or can_stand_in else None


def required() -> list[str]:
    """The same command; ends with one sentence where there is none."""
    return engine() or sys.exit(NONE)


def runner() -> "list[str] | None":
    """The command that runs containers here, whether or not images can be built."""
    if shutil.which("docker") and succeeds("docker", "info"):
        return ["docker"]
    if not shutil.which("podman"):
        return None
    podman = ["podman"]
    if shutil.which("runc"):
        podman += ["--runtime", "runc"]
    if not Path("/run/systemd/system").exists():
        podman += ["--cgroup-manager", "cgroupfs"]
    return podman


def build() -> None:
    """Builds the parts of the image that have changed."""
    command = [*required(), "build", "--tag", IMAGE]
    if "podman" in command:
        # Without a network of its own, and without rights that a container may lack.
        command += ["--format=docker", "--isolation=chroot", "--network=host"]
        if not succeeds("podman", "image", "exists", base()):
            make_stand_in(required())
            command += ["--from", STAND_IN]
    settings = {"maven": ["~/.m2/settings.xml"]}
    settings["pip"] = ["~/.config/pip/pip.conf", "~/.pip/pip.conf", "/etc/pip.conf"]
    for name, files in settings.items():
        found = [path for path in map(os.path.expanduser, files) if os.path.isfile(path)]
        command += ["--secret", f"id={name},src={found[0]}"] if found else []
    if subprocess.call([*command, str(ROOT)]):
        sys.exit("The image could not be built: see the last lines above.")


def mirror() -> str:
    """The address from which this machine's Debian has its packages."""
    listed = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    targets = subprocess.check_output(listed, text=True).split()
    return next(target for target in targets if target.endswith("/debian/"))


def debian(suite: str, root: Path) -> None:
    """Makes a bare Debian in a folder, from the packages of this machine's own mirror, as root."""
    mine = mirror()
    made = ["debootstrap", "--variant=minbase", suite, str(root), mine]
    log = subprocess.run(made, capture_output=True, text=True)
    if log.returncode:
        sys.exit(f"debootstrap could not make Debian {suite}:\n{log.stdout[-2000:]}{log.stderr}")
    sources = f"deb {mine} {suite} main\ndeb {mine} {suite}-updates main\n"
    sources += f"deb {mine.rstrip('/')}-security {suite}-security main\n"
    (root / "etc/apt/sources.list").write_text(sources)
    # The certificates that this machine trusts, so that its mirrors are trusted too.
    own = Path("/usr/local/share/ca-certificates")
    if own.is_dir():
        shutil.copytree(own, root / "usr/local/share/ca-certificates", dirs_exist_ok=True)


def make_stand_in(podman: list[str]) -> None:
    """Makes a substitute for Debian's base image."""
    if succeeds("podman", "image", "exists", STAND_IN):
        return
    print(f"{base()} cannot be pulled; making a stand-in from Debian's packages …", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        debian(re.findall(r":([a-z]+)", base())[0], root)
        # As in the real image: no lists, no manuals, no service started.
        texts = "".join(f"path-exclude /usr/share/{name}/*\n" for name in ("info", "locale", "man", "doc"))
        for name, text in {
            "dpkg/dpkg.cfg.d/docker": texts + "path-include /usr/share/doc/*/copyright\n",
            "apt/apt.conf.d/docker-clean": 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";\n'
            'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };\n',
        }.items():
            (root / "etc" / name).write_text(text)
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)
        for gone in ("var/lib/apt/lists", "var/cache/apt", "usr/share/info", "usr/share/locale"):
            shutil.rmtree(root / gone, ignore_errors=True)
            (root / gone).mkdir()
        for file in [*root.glob("usr/share/man/**/*"), *root.glob("usr/share/doc/**/*")]:
            if (file.is_file() or file.is_symlink()) and file.name != "copyright":
                file.unlink()
        with subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE) as tar:
            imported = ["import", "--quiet", "--change", "CMD=bash", "-", STAND_IN]
            subprocess.run([*podman, *imported], stdin=tar.stdout, stdout=subprocess.DEVNULL, check=True)


def megabytes() -> int:
    inspect = [*required(), "image", "inspect", "--format", "{{.Size}}", IMAGE]
    return round(int(subprocess.check_output(inspect)) / 1e6)


def main() -> int:
    required()
    start = time.monotonic()
    set_up = [sys.executable, str(ROOT / "tools/setup.py"), "--tests"]
    # meanwhile the tests' environment is made
    with subprocess.Popen(set_up) as meanwhile:
        build()
    if meanwhile.returncode:
        return meanwhile.returncode
    print(f"Built {IMAGE}: {megabytes()} MB in {time.monotonic() - start:.0f} s", flush=True)
    walk = ["python", "-m", "pytest", "tests/publish/test_image.py", "--verbose", "--durations=0"]
    return subprocess.call([*set_up, "--", *walk], cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
