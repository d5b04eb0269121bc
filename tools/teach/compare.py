"""Writes the files in which JPlag compares answers."""

import re
import shutil
from pathlib import Path

from bootstrap import files
from notebooks.java import blank, statements
from teach.jobs import Homework
from teach.submission import Submission

# what no method begins with
STATEMENT = r"(?:new|return|if|for|while|do|try|switch|synchronized|throw|else|var|yield|assert)\b"
MODIFIERS = (
    r"(?:(?:@\w+(?:\([^)]*\))?|public|private|protected|static|final|abstract|sealed|synchronized)\s+)*"
)
PACKAGES = ("io", "math", "time", "util", "util.concurrent", "util.concurrent.atomic")
PACKAGES += ("util.concurrent.locks", "util.function", "util.stream")


def whole(sent: Submission, name: str) -> str:
    """An answer with the cells that the learner has added above it."""
    return "\n".join([*sent.own.get(name, []), sent.answers.get(name, "")])


def wrapped(java: str, name: str) -> str:
    """A cell as a class: what stands in it beside methods and classes goes into a method."""
    imports, members, inside = [f"import java.{name}.*;" for name in PACKAGES], [], []
    for start, end in statements(java):
        part = java[start:end].strip("\n")
        plain = blank(part).strip()
        kind = re.sub(rf"^{MODIFIERS}", "", plain)
        if re.match(r"import\s", kind):
            imports.append(part.strip())
        elif re.match(r"(?:class|record|interface|enum|@interface)\s", kind) or method(kind):
            members.append(part)
        elif plain:
            inside.append(part if plain[-1] in ";}" else part + ";")
    body = ["void cell() throws Exception {", *inside, "}"]
    return "\n".join([*imports, f"class {name} {{", *members, *body, "}", ""])


def method(plain: str) -> bool:
    head = r"(?:<[^>]*>\s*)?[\w.]+(?:<[^=;({]*>)?(?:\[\])*\s+\w+\s*\([^)]*\)\s*(?:throws[\w.,\s]+)?\{"
    return not re.match(STATEMENT, plain) and bool(re.match(head, plain))


def named(answer: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"\W+", answer))


def export(homework: Homework, sent: dict[str, Submission], aliases: dict[str, str], folder: Path) -> None:
    """Writes a folder for each learner, by pseudonym, and one with what all were given."""
    shutil.rmtree(folder, ignore_errors=True)
    released = {cell.id: cell.source for cell in homework.released.cells}
    stubs = {each.answer: released[each.answer] for each in homework.exercises}
    write(folder / "base", stubs)
    for student, one in sent.items():
        own = {name: whole(one, name) for name in stubs}
        changed = {name: java for name, java in own.items() if java.strip() not in ("", stubs[name].strip())}
        write(folder / "submissions" / aliases[student], changed)


def write(folder: Path, answers: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, java in answers.items():
        files.write(folder / f"{named(name)}.java", wrapped(java, named(name)))
