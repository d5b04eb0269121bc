"""Reads what a learner has submitted: the text of the answers, and anything else the teacher should see.

Nothing in it runs here, no link is followed, and only the text of the notebook's answer cells is kept, and of
the learner's own code cells above them.
"""

import codecs
import json
import re
import stat
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from notebooks.java import assigned, blank, declared, mentioned, types, variables
from notebooks.runs import code_cells
from teach.homework import pseudonyms, work
from teach.homework.isolation import printable
from teach.homework.work import in_words, names, own_id, text

MOST_BYTES = 2_000_000  # of a notebook
MOST_ANSWER = 20_000  # characters
MOST_OWN = 20  # code cells that a learner has added
# letters of all scripts, also those whose accents are characters of their own: o'hara, mu\u0308ller
NAME_RULE = "a name has letters, digits and @ . _ + - ' ’, at most a hundred"
STUDENT = re.compile(r"\w(?:[\w@.+'’-]|[\u0300-\u036f]){0,99}")
# with a class of such a name, a cell would replace a library in its kernel
PACKAGES = {"java", "javax", "jdk", "sun", "com", "org", "threadlab"}
CLASSES = {"Check", "String", "Math", "Double", "System", "Object", "Thread", "Executors"}
# what no answer needs: reported to the teacher, even if the answer is right
ODD = {"StackWalker", "getStackTrace", "ProcessBuilder", "ProcessHandle", "getRuntime", "System.exit"}
ODD |= {"Runtime", "reflect", "setAccessible", "Unsafe", "Files", "FileWriter", "FileOutputStream", "File"}
ODD |= {"RandomAccessFile", "Socket", "HttpClient", "URL", "URI", "InetAddress", "System.getenv"}
ODD |= {"Thread.ofPlatform", "new Thread"}
LAST_LATIN = "\N{LATIN SMALL LETTER Y WITH STROKE}"  # of the blocks of Latin letters
UNICODE = re.compile(r"\\u+([0-9a-fA-F]{4})")


class Refused(Exception):
    """A submission that cannot be graded: the reason and the remedy."""


@dataclass
class Submission:
    """The content of a submission, by the ids of the cells for answers, and notes for the teacher.

    `answers` are run, and `own` holds the code cells that the learner has added above them. `doubts` says why
    a wrong one gets no 0, and `by_hand` why a person must look at an answer; `pieces` are all that may belong
    to it, and `words` the answers that are no code.
    """

    answers: dict[str, str] = field(default_factory=dict)
    own: dict[str, list[str]] = field(default_factory=dict)
    doubts: dict[str, str] = field(default_factory=dict)
    by_hand: dict[str, str] = field(default_factory=dict)
    pieces: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    pseudonym: str = ""
    notes: list[str] = field(default_factory=list)

    def told(self) -> list[str]:
        """The notes, and what a person must look at."""
        return [*self.notes, *(f"{name}: by hand: {why}" for name, why in self.by_hand.items())]


def read(folder: Path, name: str, released: NotebookNode) -> Submission:
    """Reads a learner's submission to a homework."""
    for place in (folder.parent, folder):
        if place.is_symlink():
            raise Refused(f"{place.name} is a link, which is not followed; put a folder in its place")
    sent = Submission()
    if others := sorted({path.name for path in folder.iterdir()} - {name, "timestamp.txt", "programs"}):
        sent.notes.append("files that are not read: " + printable(", ".join(others))[:200])
    take(sent, cells(folder / name), released)
    return sent


def regular(file: Path, most: int) -> str:
    """The text of a file, which must be a regular one of at most `most` bytes."""
    try:
        about = file.lstat()
    except OSError:
        raise Refused(f"there is no {file.name}; ask for it, under the name that the release has") from None
    if not stat.S_ISREG(about.st_mode):
        raise Refused(f"{file.name} is not a file but a link, a folder or a device; ask for the file")
    if about.st_size > most:
        size = f"{about.st_size:,} bytes, and at most {most:,} are read"
        raise Refused(f"{file.name} has {size}; ask for a smaller one")
    data = file.read_bytes()
    # Windows' editors and shells put a byte-order mark first
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8-sig", "replace")


def cells(file: Path) -> list[dict]:
    """The cells of an untrusted notebook."""
    try:
        found = json.loads(regular(file, MOST_BYTES))["cells"]
        return [cell for cell in found if isinstance(cell, dict)]
    except (ValueError, RecursionError, KeyError, TypeError):
        why = f"{file.name} is not a notebook of the current format; ask for one saved by JupyterLab"
        raise Refused(why) from None


def take(sent: Submission, there: list[dict], released: NotebookNode) -> None:
    """Takes the answers. Notes other changes to the released cells, which are restored before grading."""
    known = {own_id(cell): cell for cell in released.cells if own_id(cell)}
    named = list(zip(names(there, known), there, strict=True))
    if not any(name in known for name, _ in named):
        raise Refused("it has none of the cells that were released; ask for the notebook of this homework")
    for name, cell in known.items():
        same = [each for other, each in named if other == name]
        if len(same) != 1:
            sent.notes.append(f"{name}: {'deleted' if not same else f'present {len(same)} times'}")
        elif same[0].get("cell_type") != cell.cell_type:
            sent.notes.append(f"{name}: no longer a cell of the kind that was released")
        elif name == pseudonyms.CELL:
            sent.pseudonym = "".join(re.findall(r'"([a-z2-7]*)"', text(same[0])[:1_000])[:1])
        elif not cell.metadata.nbgrader.solution and text(same[0]).strip() != cell.source.strip():
            sent.notes.append(f"{name}: changed, and restored before grading")
    found = work.find(named, known)
    waiting: list[str] = []  # added cells above an answer that is not run: the next one may rely on them
    for name, task in found.items():
        waiting += map(printable, task.above)
        if in_words(known[name]):
            sent.words[name] = words(sent, name, task)
            continue
        answer, reason = printable(task.answer), task.by_hand
        reason = reason or refusal(answer, given(released))
        sent.pieces[name] = [printable(piece)[:MOST_ANSWER] for piece in task.pieces]
        if reason:
            sent.by_hand[name] = reason
        else:
            sent.answers[name] = answer
            sent.doubts |= {name: task.doubt} if task.doubt else {}
            sent.notes += [f"{name}: {note}" for note in oddities(answer)]
            sent.own[name] = helpers(sent, name, waiting, given(released))
            waiting = []


def words(sent: Submission, name: str, task: work.Task) -> str:
    """An answer in words."""
    said = printable("\n\n".join(task.pieces)).strip()
    if len(said) > MOST_ANSWER:
        sent.notes.append(f"{name}: cut after {MOST_ANSWER:,} of {len(said):,} characters")
    return said[:MOST_ANSWER]


def helpers(sent: Submission, name: str, own: list[str], given: set[str]) -> list[str]:
    """The code of the cells that a learner has added above an answer and on which it may rely."""
    kept: list[str] = []
    for code in own:
        reason = refusal(code, given)
        if len(kept) + sum(map(len, sent.own.values())) >= MOST_OWN:
            reason = f"at most {MOST_OWN} added cells are run"
        sent.notes += [f"{name}: an added cell {note}" for note in oddities(code)]
        if reason:
            sent.notes.append(f"{name}: an added cell is not run: {reason}")
        else:
            kept.append(code)
    return kept


def plain(java: str) -> str:
    """The source as a compiler reads it."""
    return UNICODE.sub(lambda found: chr(int(found[1], 16)), java)


def given(released: NotebookNode) -> set[str]:
    """The names that the cells around the answers declare and on which checks rely."""
    locked = [cell for cell in code_cells(released) if not cell.metadata.get("nbgrader", {}).get("solution")]
    return {name for cell in locked for name in declared(cell.source)}


def refusal(answer: str, given: Collection[str] = ()) -> str:
    """The reason why an answer is not run at all."""
    if len(answer) > MOST_ANSWER:
        return f"it has {len(answer):,} characters, and at most {MOST_ANSWER:,} are allowed"
    source = plain(answer)
    found = [name for name in types(source) if name in PACKAGES | CLASSES]
    if found := found + sorted(variables(source) & PACKAGES):
        return f"it redeclares {found[0]}, a name of a library"
    if replaced := sorted((declared(source) | assigned(source)) & set(given)):
        return f"it replaces {', '.join(replaced)}, declared in the cells around it"
    return ""


def oddities(answer: str) -> list[str]:
    """Features that an honest answer seldom has."""
    source, notes = plain(answer[:MOST_ANSWER]), []
    if used := sorted(ODD & mentioned(source)):
        notes.append("uses " + ", ".join(used))
    if alike := sorted({char for char in blank(source) if char.isalpha() and char > LAST_LATIN}):
        codes = " ".join(f"U+{ord(char):04X}" for char in alike[:5])
        notes.append(f"has letters of another script in names: {codes}")
    if UNICODE.search(answer):
        notes.append("writes letters as Unicode escapes")
    return notes
