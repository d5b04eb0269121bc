"""Which answers are alike, and the files in which JPlag and MOSS compare them."""

import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bootstrap import files
from notebooks.java import SKIPPED, blank, statements
from teach.jobs import Homework
from teach.submission import Submission

LEAST = 25  # words and signs beyond the stub: many right answers are as short, and all alike
LEAST_WORDS = 8  # of an answer in words
OWN = "(the course's solution)"
TOKEN = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|\w+|->|[^\s\w]')
SAME, ALIKE = "the same text", "the same but for names, comments and layout"
COLUMNS = ("exercise", "how", "length", "learners")
NO_TYPE = ("new", "return", "throw", "case", "else", "yield", "instanceof")
# what no method begins with
STATEMENT = r"(?:new|return|if|for|while|do|try|switch|synchronized|throw|else|var|yield|assert)\b"
MODIFIERS = (
    r"(?:(?:@\w+(?:\([^)]*\))?|public|private|protected|static|final|abstract|sealed|synchronized)\s+)*"
)
PACKAGES = ("io", "math", "time", "util", "util.concurrent", "util.concurrent.atomic")
PACKAGES += ("util.concurrent.locks", "util.function", "util.stream")


@dataclass(frozen=True)
class Group:
    """Learners whose answers to an exercise are alike; `length` counts the words and signs of their own."""

    exercise: str
    how: str
    length: int
    learners: list[str]

    def line(self) -> list[str]:
        return [self.exercise, self.how, str(self.length), " ".join(self.learners)]


def tokens(java: str) -> list[str]:
    """The words and signs of a source, without comments."""
    plain = SKIPPED.sub(lambda found: " " if found[0].startswith("/") else found[0], java)
    return TOKEN.findall(plain)


def shape(java: str) -> tuple[str, ...]:
    """A source without its own choice of names, comments and layout: names become numbers where declared."""
    found = tokens(java)
    own = {name for names in re.findall(r"\(([\w\s,]+)\)\s*->", blank(java)) for name in names.split(",")}
    own = {name.strip() for name in own}
    named: dict[str, str] = {}
    made = []
    for before, token, after in zip(["", *found], found, [*found[1:], ""], strict=False):
        typed = re.fullmatch(r"\w+|[>\]]", before) and before not in NO_TYPE and after in tuple("=:;,()")
        if token.isidentifier() and (after == "->" or typed):
            named[token] = f"#{len(made)}"
        elif token in own:
            named.setdefault(token, f"#{len(made)}")
        made.append(token if before == "." else named.get(token, token))
    return tuple(made)


def whole(sent: Submission, name: str) -> str:
    """An answer with the cells that the learner has added above it."""
    return "\n".join([*sent.own.get(name, []), sent.answers.get(name, "")])


def alike(homework: Homework, sent: dict[str, Submission]) -> list[Group]:
    """The groups of learners whose answers are equal, the longest answers first."""
    source = {cell.id: cell.source for cell in homework.source.cells}
    released = {cell.id: cell.source for cell in homework.released.cells}
    found: list[Group] = []
    for each in homework.exercises:
        stub = len(tokens(released[each.answer]))
        answers = {student: whole(one, each.answer) for student, one in sent.items()}
        answers[OWN] = source[each.answer]
        long = {student: java for student, java in answers.items() if len(tokens(java)) >= stub + LEAST}
        found += groups(each.answer, long, shape, stub)
    for name in homework.words:
        said = {student: one.words.get(name, "") for student, one in sent.items()}
        long = {student: text for student, text in said.items() if len(text.split()) >= LEAST_WORDS}
        found += groups(name, long, lambda text: tuple(re.findall(r"\w+", text.lower())), 0)
    return sorted(found, key=lambda group: (-group.length, group.exercise, group.learners))


def groups(
    name: str, answers: dict[str, str], shape_of: Callable[[str], tuple], stub: int
) -> Iterator[Group]:
    by_shape: dict[tuple, list[str]] = defaultdict(list)
    for student, text in answers.items():
        by_shape[shape_of(text)].append(student)
    for form, students in by_shape.items():
        if len(students) > 1:
            texts = {answers[student].strip() for student in students if student != OWN}
            how = SAME if len(texts) == 1 and len(students) - (OWN in students) > 1 else ALIKE
            yield Group(name, how, len(form) - stub, students)


# --- files for JPlag and MOSS ---


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
