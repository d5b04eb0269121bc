"""Grades homework: runs nbgrader and replaces its steps for submissions, which run in containers.

python3 tools/setup.py -- python tools/teach/homework/grade.py generate_assignment 00-start-here
python3 tools/setup.py -- python tools/teach/homework/grade.py submissions.zip 00-start-here

`autograde` runs the answers of a submission in one container and judges their values in another, which has
never seen an answer; nbgrader then imports the results. teaching/homework-reference.md has all commands and
options; what is not among them goes to nbgrader.
"""

import argparse
import csv
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

from dateutil import parser
from bootstrap.files import hold, write
from bootstrap.places import ROOT
from teach.homework import collect, compare, course, gradebook, isolation, marks, platforms, pseudonyms, trial
from teach.homework.grading import Batch
from teach.homework.isolation import printable
from teach.homework.jobs import Homework
from teach.homework.judge import Judge
from teach.homework.kept import Book, Graded, Records, SentIn, received

HOMEWORK = Path(os.environ.get("THREADLAB_HOMEWORK", ROOT / "homework"))


def nbgrader(*words: str) -> int:
    return gradebook.nbgrader(HOMEWORK, *words)


def asked(words: list[str], *names: str, more: bool = False) -> tuple[argparse.Namespace, list[str]]:
    """What a command is asked for, and the words for nbgrader if it takes more."""
    parse = argparse.ArgumentParser("grade.py", allow_abbrev=False)
    for name in names:
        parse.add_argument(name.rstrip("?"), **OPTIONS.get(name.lstrip("-"), {}))
    found, rest = parse.parse_known_args(words)
    if rest and not more:
        parse.error(f"{rest[0]} is not known here")
    return found, rest


def number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not a number from {least} to {most}")
        return int(text)

    return parse


def date(text: str) -> str:
    try:
        found = parser.parse(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f'"{text}" is no date such as "2026-03-09 12:00 UTC"') from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()


OPTIONS: dict[str, dict] = {
    "student": {"default": "*"},
    "jobs": {"type": number(1, 99)},
    "seconds": {"type": number(1, 600), "default": 60},
    "memory": {"type": number(256, 65_536), "default": 1_500},
    "late": {"type": number(0, 100)},
    "force": {"action": "store_true"},
    "trust-submissions": {"action": "store_true"},
    "checks-from": {"type": date},
    "for": {"dest": "system", "choices": ["moodle", "canvas"]},
    "class": {"dest": "people", "type": Path},
    "pseudonyms": {"action": "store_true"},
    "archive": {"type": Path},
    "homework?": {"nargs": "?", "default": ""},
}


def feedback(words: list[str]) -> int:
    """Writes the pages for learners, and keeps from when they show checks, rubrics and reasons."""
    given, more = asked(words, "--checks-from", more=True)
    if given.checks_from:
        named = [word for word in more if not word.startswith("-")]
        if len(named) != 1 or not (HOMEWORK / "source" / named[0]).is_dir():
            sys.exit("--checks-from needs one homework: generate_feedback 00-start-here --checks-from=DATE.")
        (HOMEWORK / "graded").mkdir(exist_ok=True)
        write(HOMEWORK / "graded" / f"{named[0]}.checks-from", given.checks_from)
    for name, about in gradebook.read(HOMEWORK)["homework"].items():
        known = about["due"] or (HOMEWORK / "graded" / f"{name}.checks-from").exists()
        if name in more and not known:
            print(f"{name}: {marks.no_deadline(name)}, and --checks-from=DATE a date for the checks alone")
    return nbgrader("generate_feedback", *more)


def autograde(words: list[str], alone: bool = True) -> int:
    """Runs and judges answers; `alone`, it also names who needs a person."""
    names = ("--student", "--jobs", "--seconds", "--memory", "--late", "--force", "--trust-submissions")
    given, more = asked(words, "homework", *names, more=True)
    engine = None if given.trust_submissions else isolation.engine()
    if not engine and not given.trust_submissions:
        sys.exit(isolation.NONE)
    start = time.monotonic()
    homework = Homework(HOMEWORK, given.homework, given.seconds)
    with one_at_a_time():
        more += [] if given.late is None else [f"--PerDay.percent={given.late}"]
        limits = isolation.Limits(memory=given.memory)
        jobs = isolation.at_once(limits, given.jobs)
        kept, book = Records(HOMEWORK, homework, lasting(given.homework, more)), gradebook.read(HOMEWORK)
        kept.book = book["homework"].get(given.homework, kept.book)
        kept.aliases = aliases(book)
        batch = Batch(kept, Judge(homework, engine, limits), jobs)
        with staging() as staged:
            done = batch.grade(given.student, given.force, staged)
            options = [f"--CourseDirectory.submitted_directory={staged}"]
            options += ["--Autograde.sanitize_preprocessors=[]"]
            options += [f"--Autograde.autograde_preprocessors={gradebook.IMPORT}"]
            if done and nbgrader("autograde", given.homework, "--force", *options, *kept.options):
                sys.exit(gradebook.not_accepted(HOMEWORK))
        asked_for = gradebook.leave_to_a_person(HOMEWORK, homework, done)
        kept.taken(done)
    if any(graded.why for graded in done):
        changes(done, kept.book["sent"], gradebook.read(HOMEWORK)["homework"][given.homework]["sent"])
    if alone and asked_for:
        count = sum(bool(graded.by_hand()) for graded in done)
        print(f"These {count} need your eyes, with formgrader:", *asked_for, sep="\n")
    before = f", {batch.before} had been graded before" if batch.before else ""
    seconds = time.monotonic() - start
    print(f"{len(done)} of {batch.sent} graded in {seconds:.0f} s, {jobs} at a time{before}")
    return 0 if len(done) + batch.before == batch.sent else 1


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Holds the lock of the class; nbgrader inherits it, because it goes on if this process is killed."""
    with hold(
        HOMEWORK / "grading.lock", lambda: print("Waiting for another run of autograde …", flush=True)
    ) as lock:
        os.set_inheritable(lock.fileno(), True)
        yield


@contextmanager
def staging() -> Iterator[Path]:
    """A folder for what nbgrader is to import; it removes that of a run that was killed."""
    folder = HOMEWORK / ".staged"
    try:
        shutil.rmtree(folder, ignore_errors=True)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def lasting(homework: str, given: list[str]) -> tuple[str, ...]:
    """The options for nbgrader: those given now, else those of the run before, so that all learners have the
    same penalty.
    """
    file = HOMEWORK / "graded" / f"{homework}.options"
    if given:
        file.parent.mkdir(exist_ok=True)
        write(file, "\n".join(given))
    elif kept := marks.options(HOMEWORK, homework):
        said = " ".join(word.replace("--PerDay.percent", "--late") for word in kept)
        print(f"With {said}, as in the run before", flush=True)
    return marks.options(HOMEWORK, homework)


def changes(done: list[Graded], old: dict[str, SentIn], new: dict[str, SentIn]) -> None:
    """Says what has become of the marks of those who are graded again."""
    changed: dict[str, list[bool]] = {}
    for graded in (each for each in done if each.why and each.student in old):
        was, now = ((marks.mark(each[graded.student]), each[graded.student]["failed"]) for each in (old, new))
        changed.setdefault(graded.why, []).append(was != now)
        if was != now:
            print(f"{graded.student}: {was[0]:g} → {now[0]:g}: {graded.why}")
    for why, which in changed.items():
        marks_have = "mark has" if sum(which) == 1 else "marks have"
        print(f"{len(which)} graded again because {why}; {sum(which)} {marks_have} changed")


def try_exercises(words: list[str]) -> int:
    homework = Homework(HOMEWORK, asked(words, "homework")[0].homework, 60)
    cells = course.load(HOMEWORK).cells(ROOT / "notebooks" / homework.file)
    learners = [pseudonyms.pseudonym(HOMEWORK, f"learner {number}") for number in range(4)]
    found = list(trial.problems(homework, cells, learners))
    print("\n".join(found) or f"{homework.name}: each solution is right, and no wrong answer is.")
    return 1 if found else 0


def print_alike(words: list[str]) -> int:
    homework = Homework(HOMEWORK, asked(words, "homework")[0].homework, 60)
    found = dict(received(HOMEWORK, homework))
    sent = {student: one for student, one in found.items() if not isinstance(one, str)}
    folder = HOMEWORK / "compare" / homework.name
    compare.export(homework, sent, aliases(gradebook.read(HOMEWORK)), folder)
    print(f"{len(sent)} submissions as Java, by pseudonym; in {folder}:")
    print("java -jar jplag.jar -l java -bc base submissions")
    return 0


def print_packed(words: list[str]) -> int:
    name = asked(words, "homework")[0].homework
    if not any(HOMEWORK.glob(f"feedback/*/{name}/{name}.html")):
        sys.exit(f"There is no feedback to {name}: run generate_feedback {name} first.")
    file, count, left = platforms.pack(HOMEWORK, name)
    for student in left:
        print(f"{student}: left out, because the submission did not come from a platform's archive")
    print(f"{count} pages in {file}")
    return 1 if left else 0


def class_list(named: "Path | None" = None) -> "Path | None":
    kept = HOMEWORK / "class.csv"
    return named or (kept if kept.is_file() else None)


def aliases(book: Book) -> dict[str, str]:
    return marks.aliases(HOMEWORK, marks.people(HOMEWORK, book, class_list()))


def print_pseudonyms(words: list[str]) -> int:
    people = class_list(asked(words, "--class")[0].people)
    if not people:
        where = HOMEWORK / "class.csv"
        sys.exit(f"Pseudonyms need the class list: put it into {where}, or add --class=FILE.")
    return printed(marks.pseudonyms(HOMEWORK, marks.people(HOMEWORK, gradebook.read(HOMEWORK), people)))


def printed(lines: list[list[str]]) -> int:
    csv.writer(sys.stdout, lineterminator="\n").writerows(lines)
    return 0


def print_marks(words: list[str]) -> int:
    given, _ = asked(words, "homework?", "--for", "--class", "--pseudonyms")
    name, system, people = given.homework, given.system, class_list(given.people)
    if not people and system:
        sys.exit(f"A file for {system} needs the class list that it exports: name it with --class=FILE.")
    if not people:
        without = f"Without {HOMEWORK / 'class.csv'} or --class=FILE"
        print(f"{without}, whoever handed in nothing may be missing.", file=sys.stderr)
    book = gradebook.read(HOMEWORK)
    if name and name not in book["homework"]:
        sys.exit(f"There is no homework {name} in the gradebook: run generate_assignment first.")
    if system and not name and len(book["homework"]) != 1:
        sys.exit(f"A file for {system} has one homework: name it, as in marks 00-start-here --for={system}.")
    found = marks.rows(HOMEWORK, book, people, name)
    if system == "canvas" and people:
        return printed(platforms.for_canvas(found, people))
    return printed(platforms.for_moodle(found) if system else marks.table(HOMEWORK, found, given.pseudonyms))


def collected(words: list[str]) -> int:
    """Sorts a platform's archive into the folder of each learner."""
    given, _ = asked(words, "archive", "homework", "--class")
    people = given.people or HOMEWORK / "class.csv"
    if not (HOMEWORK / "source" / given.homework).is_dir():
        sys.exit(f'There is no homework "{given.homework}": make homework writes it.')
    for file in (given.archive, people):
        if not file.is_file():
            sys.exit(f"There is no file {file}: name the archive, and the class list with --class=FILE.")
    print(*collect.collect(HOMEWORK, given.archive, given.homework, people), sep="\n")
    return 0


def whole(words: list[str]) -> int:
    """From a platform's archive to the feedback packed for it; ends with what a person must look at."""
    given, more = asked(words, "archive", "homework", "--class", more=True)
    name, people = given.homework, class_list(given.people)
    collected([str(given.archive), name, *([f"--class={people}"] if people else [])])
    autograde([name, *more], alone=False)
    if feedback([name]) or print_packed([name]):
        return 1
    found = marks.rows(HOMEWORK, gradebook.read(HOMEWORK), people, name)
    rest = [row for row in found if not row.decided and row.status is not marks.Status.OPEN]
    mine = [row for row in rest if not row.words]
    print(f"{len(found) - len(rest)} of {len(found)} need nothing more from you.")
    for asked_for, count in Counter(row.words for row in rest if row.words).items():
        print(f"{count} wait only for points for their words, with formgrader: {asked_for}.")
    print(f"These {len(mine)} need your eyes:" if mine else "None needs your eyes.")
    for row in mine:
        print(f"  {printable(row.learner.name)}: {printable(row.status)}: {printable(row.why)}")
    return 0


def main(words: list[str]) -> int:
    if not (HOMEWORK / "source").is_dir():
        sys.exit("There is no homework yet: run make homework.")
    if words[:1] == ["validate"]:
        sys.exit("validate would run a notebook on this machine: use autograde, which has containers.")
    if words and words[0].endswith(".zip"):
        return whole(words)
    own: dict[str, Callable[[list[str]], int]]
    own = {"autograde": autograde, "marks": print_marks, "pseudonyms": print_pseudonyms, "try": try_exercises}
    own |= {"generate_feedback": feedback, "collect": collected, "compare": print_alike, "pack": print_packed}
    own |= {"formgrader": lambda more: gradebook.formgrader(HOMEWORK, more)}
    if run := own.get(words[0]) if words else None:
        return run(words[1:])
    failed = nbgrader(*words)
    if words[:1] == ["generate_assignment"] and not failed:
        print(f"Hand out a folder of {HOMEWORK / 'release'}.")
    return failed


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(
            f"{error.filename or HOMEWORK} cannot be used ({error.strerror}): make room there or make it"
            " writable, and give the command again; what has been graded stays."
        )
    except KeyboardInterrupt:
        sys.exit("Interrupted; the next run continues from here.")
