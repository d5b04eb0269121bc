"""Prints the links that open this clone's branch elsewhere; writes them into its README and JBang's catalog.

python3 tools/publish/links.py [HUB]      HUB is the address of your JupyterHub, for the class link
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, urlencode

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
CATALOG = ROOT / "jbang-catalog.json"
FIRST = "lab/tree/notebooks/00-start-here.ipynb"
BINDER = "https://mybinder.org"
HUB = "https://hub.example.org"
# If Binder knows a host, its links name the repository; otherwise they name the whole address.
HOSTS = {"github.com": "gh", "gitlab.com": "gl"}
PAGES = {"github.com": "github.io", "gitlab.com": "gitlab.io"}
# A place in the README: its name and its content, without an address if there is no origin.
PLACE = re.compile(r"(<!--links:([\w-]+)-->).*?(<!--/links-->)", re.DOTALL)


def parts(origin: str) -> tuple[str, str] | None:
    """Host and path of a remote in any of git's forms, without credentials."""
    found = re.fullmatch(r"(?:https?|ssh|git)://(?:[^@/]*@)?([^:/]+)(?::\d+)?/(.+?)", origin) or re.fullmatch(
        r"(?:[^@/]+@)?([^:/\\]{2,}):(?!\\)([^/].*?)", origin
    )
    return (found[1].lower(), found[2].strip("/").removesuffix(".git")) if found else None


def address(origin: str) -> tuple[str, str]:
    """Host and path of a remote; ends with one sentence if it is not on the web."""
    return parts(origin) or sys.exit(
        f"The origin of this clone ({origin}) is not on the web, so no link can open it: push the clone to a"
        " host such as GitHub first."
    )


def binder(origin: str, branch: str, page: str = FIRST) -> str:
    """The link that opens JupyterLab at mybinder.org, on the first notebook or on another page."""
    host, path = address(origin)
    named = quote(path if host in HOSTS else repository(origin), safe="/" if host == "github.com" else "")
    place = f"{HOSTS.get(host, 'git')}/{named}/{quote(branch, safe='')}"
    return f"{BINDER}/v2/{place}?{urlencode({'urlpath': page})}"


def nbgitpuller(origin: str, branch: str, hub: str = HUB) -> str:
    """The link with which a class gets the notebooks, in the learner's own folder on a JupyterHub."""
    place = FIRST.replace("lab/tree", f"lab/tree/{address(origin)[1].rpartition('/')[2]}", 1)
    query = {"repo": repository(origin), "branch": branch, "urlpath": place}
    return f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(query)}"


def repository(origin: str) -> str:
    """The page of the repository."""
    host, path = address(origin)
    return f"https://{host}/{path}"


def site(origin: str) -> str:
    """The address where the host shows the repository's pages; '' if it has none."""
    host, path = address(origin)
    owner, _, name = path.partition("/")
    if host not in PAGES:
        return ""
    own = f"{owner.lower()}.{PAGES[host]}"
    return f"https://{own}/" if name.lower() == own else f"https://{own}/{name}/"


def place(name: str, origin: str, branch: str) -> str:
    """The content of a place in the README; without an origin, no word that promises a link."""
    pages = site(origin) if origin else ""

    def link(words: str, target: str) -> str:
        return f"[{words}]({target})" if target else words

    if name == "badges":
        badges = [f"[![Binder]({BINDER}/badge_logo.svg)]({binder(origin, branch)})"] if origin else []
        if origin and address(origin)[0] == "github.com":
            tests = f"{repository(origin)}/actions/workflows/tests.yml"
            badges.append(f"[![tests]({tests}/badge.svg)]({tests})")
        if pages:
            badges.append(f"[All results]({pages})")
        return "\n" + "\n".join(badges) + "\n" if badges else ""
    if name == "site":
        return link("the site", pages)
    if name == "binder":
        return link("Binder", binder(origin, branch) if origin else "")
    if not origin:
        return ""
    [notebook] = ROOT.glob(f"notebooks/{name}-*.ipynb")
    results = link("results", f"{pages}notebooks/{notebook.stem}.html" if pages else "")
    return f"{results} · {link('run', binder(origin, branch, f'lab/tree/notebooks/{notebook.name}'))}"


def filled(text: str, origin: str, branch: str) -> str:
    """The README with the links of an origin, or without any."""
    return PLACE.sub(lambda found: found[1] + place(found[2], origin, branch) + found[3], text)


def catalog(text: str, origin: str) -> str:
    """JBang's catalog: the command from the newest release, where the host has a lasting address for it."""
    jar = "releases/latest/download/whatwaits.jar"
    known = address(origin)[0] == "github.com"
    return text.replace('"build/whatwaits.jar"', f'"{repository(origin)}/{jar}"') if known else text


def git(*arguments: str) -> str:
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return told.stdout.strip()


def branch_here() -> str:
    return git("symbolic-ref", "--short", "--quiet", "HEAD") or git("rev-parse", "HEAD")


def main(arguments: list[str]) -> None:
    hub = arguments[0] if arguments else HUB
    if not re.fullmatch(r"https?://[^/\s]+(/\S*)?", hub):
        sys.exit(f"The hub {hub} is not an address: give one such as {HUB}.")
    origin = git("config", "--get", "remote.origin.url")
    if not origin:
        sys.exit("This clone has no origin, so it has no links: push it to a host such as GitHub first.")
    branch = branch_here()
    print("Binder:      ", binder(origin, branch))
    print("a JupyterHub:", nbgitpuller(origin, branch, hub))
    if site(origin):
        print("the site:    ", site(origin))
    before = README.read_text(encoding="utf-8")
    if (after := filled(before, origin, branch)) != before:
        README.write_text(after, encoding="utf-8")
        print("README.md now has these links: commit it.")
    if (after := catalog(before := CATALOG.read_text(encoding="utf-8"), origin)) != before:
        CATALOG.write_text(after, encoding="utf-8")
        print("jbang-catalog.json now names the newest release: commit it.")


if __name__ == "__main__":
    main(sys.argv[1:])
