"""Finds what the Java of a cell declares and what it uses from other cells."""

import re
from collections.abc import Iterator

SKIPPED = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')

# what goes on with a statement after its closing brace
GOES_ON = re.compile(r"\s*(?:[;,.)]|else\b|catch\b|finally\b|while\b)")


def blank(java: str) -> str:
    """The source with blanked strings and comments, so that their braces and words do not count."""
    return SKIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), java)


def statements(java: str) -> Iterator[tuple[int, int]]:
    """Where each statement and each declaration of a cell begins and ends."""
    plain, start, depth = blank(java), 0, 0
    for at, char in enumerate(plain):
        depth += (char in "({[") - (char in ")}]")
        closed = char == "}" and not GOES_ON.match(plain, at + 1)
        if depth == 0 and (char == ";" or closed):
            yield start, at + 1
            start = at + 1
    if plain[start:].strip():
        yield start, len(java)


def declared(java: str) -> set[str]:
    """The names that a cell declares in the kernel."""
    plain = blank(java)
    names: set[str] = set()
    for start, end in statements(java):
        text = re.sub(
            r"(@\w+(\([^)]*\))?|\b(final|static|public|abstract|sealed))\s+", "", plain[start:end]
        ).strip()
        kind = r"[\w.]+(?:<[^=;(]*>)?(?:\[\])*"
        for pattern in (
            r"(?:class|record|interface|enum|@interface)\s+(\w+)",
            rf"(?:<[^>]*>\s*)?{kind}\s+(\w+)\s*\(",
            rf"{kind}\s+(\w+)(?:\[\])*\s*[=;]",
        ):
            found = re.match(pattern, text)
            if found and found[1] not in ("if", "new") and text.split()[0] not in ("return", "throw", "else"):
                names.add(found[1])
                if not pattern.endswith("[=;]"):
                    break
                names.update(re.findall(r",\s*(\w+)\s*=", text))
                break
    return names


def used(java: str) -> set[str]:
    """The names that a source takes from elsewhere, without its own members, parameters and variables."""
    plain = blank(java)
    own = set(re.findall(r"(\w+)\s*->", plain))
    for kind, name in re.findall(r"([\w>\]]+)\s+(\w+)\s*[=:;,)]", plain):
        if kind not in ("return", "throw", "new", "case", "else", "yield"):
            own.add(name)
    return set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", plain)) - own
