"""Prints the links that open this clone's branch elsewhere.

python3 tools/links.py [HUB]      HUB is the address of your JupyterHub, for the class link
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, urlencode

ROOT = Path(__file__).resolve().parent.parent
FIRST = "lab/tree/notebooks/00-start-here.ipynb"
BINDER = "https://mybinder.org/v2"
HUB = "https://hub.example.org"
# Where Binder knows a host, its links name the repository; for others they name the whole address.
HOSTS = {"github.com": "gh", "gitlab.com": "gl"}


def address(origin: str) -> tuple[str, str]:
    """Host and path of a remote in any of git's forms, without what may stand there to sign in."""
    found = re.fullmatch(r"(?:https?|ssh|git)://(?:[^@/]*@)?([^:/]+)(?::\d+)?/(.+?)", origin) or re.fullmatch(
        r"(?:[^@/]+@)?([^:/\\]{2,}):(?!\\)([^/].*?)", origin
    )
    if not found:
        sys.exit(
            f"The origin of this clone ({origin}) is not on the web, so no link can open it: push it first."
        )
    return found[1].lower(), found[2].strip("/").removesuffix(".git")


def binder(origin: str, branch: str) -> str:
    """The link that opens JupyterLab on the first notebook at mybinder.org."""
    host, path = address(origin)
    if host == "github.com":
        repository = path
    elif host == "gitlab.com":
        repository = quote(path, safe="")
    else:
        repository = quote(f"https://{host}/{path}", safe="")
    place = f"{HOSTS.get(host, 'git')}/{repository}/{quote(branch, safe='')}"
    return f"{BINDER}/{place}?{urlencode({'urlpath': FIRST})}"


def nbgitpuller(origin: str, branch: str, hub: str = HUB) -> str:
    """The link with which a class gets the notebooks, in the learner's own folder on a JupyterHub."""
    host, path = address(origin)
    folder = path.rpartition("/")[2]
    query = {
        "repo": f"https://{host}/{path}",
        "branch": branch,
        "urlpath": FIRST.replace("lab/tree", f"lab/tree/{folder}", 1),
    }
    return f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(query)}"


def git(*arguments: str) -> str:
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return told.stdout.strip()


def main(arguments: list[str]) -> None:
    hub = arguments[0] if arguments else HUB
    if not re.fullmatch(r"https?://[^/\s]+(/\S*)?", hub):
        sys.exit(f"The hub {hub} is not an address: {HUB} is one.")
    origin = git("config", "--get", "remote.origin.url")
    if not origin:
        sys.exit("This clone has no origin: push it to a host such as GitHub, then its links can be printed.")
    branch = git("symbolic-ref", "--short", "--quiet", "HEAD") or git("rev-parse", "HEAD")
    print("Binder:      ", binder(origin, branch))
    print("a JupyterHub:", nbgitpuller(origin, branch, hub))


if __name__ == "__main__":
    main(sys.argv[1:])
