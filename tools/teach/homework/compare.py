"""Writes the files in which JPlag compares answers."""

import re
import shutil
from pathlib import Path

from bootstrap import files
from notebooks.java import TYPES, parts
from teach.homework.jobs import Homework
from teach.homework.submission import Submission

PACKAGES: tuple[str, ...] = ("io", "math", "time", "util", "util.concurrent", "util.concurrent.atomic")
PACKAGES += ("util.concurrent.locks", "util.function", "util.stream")


def whole(sent: Submission, name: str) -> str:
    """An answer with the cells that the learner has added above it."""
    return "\n".join([*sent.own.get(name, []), sent.answers.get(name, "")])


def wrapped(java: str, name: str) -> str:
    """A cell as a class: what stands in it beside methods and classes goes into a method."""
    imports, members, inside = [f"import java.{name}.*;" for name in PACKAGES], [], []
    for kind, part in parts(java):
        if kind == "import_declaration":
            imports.append(part)
        elif kind in (*TYPES, "method_declaration"):
            members.append(part)
        else:
            inside.append(part)
    if inside and inside[-1][-1] not in ";}":  # JShell takes a last expression without
        inside[-1] += ";"
    body = ["void cell() throws Exception {", *inside, "}"]
    return "\n".join([*imports, f"class {name} {{", *members, *body, "}", ""])


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
