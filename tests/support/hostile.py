"""Hostile submissions to the first homework, for tests: none answers the first exercise."""

import json
import os
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from notebooks.runs import NOTEBOOKS

FIRST = NOTEBOOKS[0]
ANSWER, CHECK = "virtual-pool-stub", "virtual-pool-check"
WRONG = "double secondsInVirtualPool = 7;\n"

Change = Callable[[NotebookNode, Path, str], None]


class Hostile(NamedTuple):
    """What the teacher reads about a submission, what it does, and its mark; none if it is not graded."""

    named: str
    does: "str | Change"
    mark: int | None = 2


def cell(sent: NotebookNode, name: str) -> NotebookNode:
    return next(c for c in sent.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name)


def wrong(sent: NotebookNode) -> None:
    cell(sent, ANSWER).source = WRONG


def deletes_the_check(sent: NotebookNode, folder: Path, home: str) -> None:
    wrong(sent)
    sent.cells.remove(cell(sent, CHECK))


def rewrites_the_check(sent: NotebookNode, folder: Path, home: str) -> None:
    wrong(sent)
    cell(sent, CHECK).source = 'System.out.println("✔"); 2'


def doubles_the_answer(sent: NotebookNode, folder: Path, home: str) -> None:
    wrong(sent)
    sent.cells.append(deepcopy(cell(sent, ANSWER)))


def tags_the_answer_as_the_check(sent: NotebookNode, folder: Path, home: str) -> None:
    sent.cells.remove(cell(sent, CHECK))
    about = cell(sent, ANSWER)
    about.source = "2.0"
    about.metadata.nbgrader |= {"grade_id": CHECK, "grade": True, "solution": False, "points": 1_000}


def names_an_answer_by_letters_that_look_alike(sent: NotebookNode, folder: Path, home: str) -> None:
    cell(sent, ANSWER).metadata.nbgrader.grade_id = ANSWER.replace("a", "\N{CYRILLIC SMALL LETTER A}")


def makes_the_answer_a_text(sent: NotebookNode, folder: Path, home: str) -> None:
    about = cell(sent, ANSWER)
    about.cell_type, about.source = "markdown", "<script>alert(1)</script>"
    about.pop("outputs"), about.pop("execution_count")


def brings_outputs(sent: NotebookNode, folder: Path, home: str) -> None:
    wrong(sent)
    cell(sent, CHECK).outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2.0"})]
    cell(sent, CHECK).source += "\n"
    cell(sent, CHECK).source += "2.0"


def brings_modules(sent: NotebookNode, folder: Path, home: str) -> None:
    wrong(sent)
    for module in ("csv", "nbgrader", "nbgrader_config", "sitecustomize", "usercustomize", "json"):
        (folder / f"{module}.py").write_text(f"open({home + '/planted'!r}, 'a').write({module!r})\n")


def is_a_link(sent: NotebookNode, folder: Path, home: str) -> None:
    (folder / FIRST.name).symlink_to(f"{home}/source/{FIRST.stem}/{FIRST.name}")


def is_a_link_to_a_folder(sent: NotebookNode, folder: Path, home: str) -> None:
    folder.rmdir()
    folder.symlink_to(f"{home}/source/{FIRST.stem}", target_is_directory=True)


def brings_a_link(sent: NotebookNode, folder: Path, home: str) -> None:
    wrong(sent)
    (folder / "notes.txt").symlink_to("/etc/passwd")


def is_a_pipe(sent: NotebookNode, folder: Path, home: str) -> None:
    os.mkfifo(folder / FIRST.name)


def is_huge(sent: NotebookNode, folder: Path, home: str) -> None:
    with open(folder / FIRST.name, "w") as file:
        file.truncate(3_000_000_000)  # a sparse file, with nothing on the disk


def is_nested_without_end(sent: NotebookNode, folder: Path, home: str) -> None:
    (folder / FIRST.name).write_text("[" * 1_000_000)


def is_of_other_shapes(sent: NotebookNode, folder: Path, home: str) -> None:
    shapes = [None, 1, {"metadata": 1}]
    shapes += [{"metadata": {"nbgrader": about}} for about in ([], {"grade_id": []})]
    (folder / FIRST.name).write_text(json.dumps({"cells": shapes}))


def answers_at_length(sent: NotebookNode, folder: Path, home: str) -> None:
    cell(sent, ANSWER).source = WRONG + "//" + "x" * 100_000


# Java that gives the right answer if it can do what it must not, and otherwise a wrong one
IF = WRONG + "try {{ if ({}) secondsInVirtualPool = 2; }} catch (Exception e) {{ System.out.println(e); }}"
RESULT = {CHECK: {"status": "ok", "text": "", "value": "2"}}
FILES = "java.nio.file.Files"
PATH = "java.nio.file.Path.of"

HOSTILE = {
    "shadows-threadlab": Hostile(
        "virtual-pool-stub: refused: it redeclares threadlab",
        "class threadlab { static class claim { static class Check {} } }\n" + WRONG,
    ),
    "shadows-java": Hostile(
        "virtual-pool-stub: refused: it redeclares java",
        "class java { static class lang { static class Double {} } }\n" + WRONG,
    ),
    "shadows-by-a-variable": Hostile(
        "virtual-pool-stub: refused: it redeclares java", "Object java = null;\n" + WRONG
    ),
    "shadows-by-escapes": Hostile(
        "virtual-pool-stub: refused: it redeclares threadlab", r"\u0063lass \u0074hreadlab {}" + "\n" + WRONG
    ),
    "shadows-check": Hostile(
        "virtual-pool-stub: refused: it redeclares Check", "class Check { static double OPEN = 7; }\n" + WRONG
    ),
    "looks-alike": Hostile(
        r"virtual-pool-stub: has letters of another script in names: U\+0435",
        "class thr\N{CYRILLIC SMALL LETTER IE}adlab {}\n" + WRONG,
    ),
    "deletes-check": Hostile("virtual-pool-check: deleted", deletes_the_check),
    "rewrites-check": Hostile("virtual-pool-check: changed, and restored", rewrites_the_check),
    "doubles-answer": Hostile("virtual-pool-stub: present 2 times", doubles_the_answer),
    "tags-answer-as-check": Hostile("virtual-pool-stub: deleted", tags_the_answer_as_the_check),
    "id-looks-alike": Hostile("virtual-pool-stub: deleted", names_an_answer_by_letters_that_look_alike),
    "answer-is-text": Hostile("virtual-pool-stub: no longer a cell of the kind", makes_the_answer_a_text),
    "brings-outputs": Hostile("virtual-pool-check: changed", brings_outputs),
    "exits": Hostile("virtual-pool-stub: ended its kernel", WRONG + "System.exit(0);"),
    "halts": Hostile("virtual-pool-stub: ended its kernel", WRONG + "Runtime.getRuntime().halt(0);"),
    "leaves-threads": Hostile(
        "virtual-pool-stub: uses newThread",
        WRONG
        + "for (int i = 0; i < 8; i++) new Thread(() -> { while (true) Thread.onSpinWait(); }).start();",
    ),
    "leaves-children": Hostile(
        "virtual-pool-stub: uses ProcessBuilder",
        WRONG + 'new ProcessBuilder("sh", "-c", "setsid sleep 100000 & sleep 100000").inheritIO().start();',
    ),
    "forks": Hostile(
        "virtual-pool-stub: uses ProcessBuilder",
        WRONG + 'new ProcessBuilder("sh", "-c", "f() { f | f & }; f").start();\nThread.sleep(1_000_000);',
    ),
    "takes-memory": Hostile(
        "virtual-pool-stub: (failed|ended)",
        WRONG + "var all = new ArrayList<byte[]>();\nwhile (true) all.add(new byte[1 << 24]);",
    ),
    "takes-memory-outside": Hostile(
        "virtual-pool-stub: (failed|ended|exceeded)",
        WRONG
        + 'new ProcessBuilder("python", "-c", "x = []\\nwhile True: x.append(bytearray(1 << 24))").start();'
        "\nThread.sleep(1_000_000);",
    ),
    "prints-without-end": Hostile(
        "virtual-pool-stub: printed without end",
        WRONG + 'while (true) System.out.println("✔ ".repeat(1_000));',
    ),
    "fills-the-disk": Hostile(
        "virtual-pool-stub: (failed|ended|exceeded)",
        WRONG + f'try (var file = {FILES}.newOutputStream({PATH}("/tmp/x"))) '
        "{ while (true) file.write(new byte[1 << 20]); }",
    ),
    "never-ends": Hostile("virtual-pool-stub: exceeded", WRONG + "while (true) Thread.onSpinWait();"),
    "waits": Hostile("virtual-pool-stub: exceeded", WRONG + "Thread.sleep(1_000_000);"),
    "reads-source": Hostile(
        "virtual-pool-stub: uses .*Files",
        IF.format(f'{FILES}.exists({PATH}("HOME/source")) || {FILES}.exists({PATH}("../source"))'),
    ),
    "looks-for-answers": Hostile(
        "virtual-pool-stub: uses .*Files",
        IF.format(
            f'!{FILES}.list({PATH}("/opt/course/notebooks")).toList().isEmpty()'
            f' || {FILES}.find({PATH}("/opt/course"), 4, (p, a) -> (p + "").endsWith(".ipynb"))'
            ".findAny().isPresent()"
        ),
    ),
    "reads-another": Hostile(
        "virtual-pool-stub: uses .*Files",
        IF.format(f'{FILES}.exists({PATH}("HOME/submitted/right/00-start-here"))'),
    ),
    "writes-gradebook": Hostile(
        "virtual-pool-stub: uses .*Files",
        IF.format(f'{FILES}.write({PATH}("HOME/gradebook.db"), new byte[1]) != null'),
    ),
    "writes-course": Hostile(
        "virtual-pool-stub: uses .*Files",
        IF.format(f'{FILES}.write({PATH}("/opt/course/.venv/bin/python"), new byte[1]) != null'),
    ),
    "calls-out": Hostile(
        "virtual-pool-stub: uses .*Socket", IF.format('new java.net.Socket("127.0.0.1", PORT).isConnected()')
    ),
    "prints-html": Hostile(
        "virtual-pool-stub: prints HTML",
        WRONG + 'System.out.println("<script>alert(1)</script>");\n'
        'throw new IllegalStateException("<img src=x onerror=alert(2)>");',
    ),
    "prints-check": Hostile(
        "virtual-pool-stub: prints the marks of a check",
        WRONG + 'System.out.println("✔ All sleep at the same time"); System.out.println("RIGHT\\n✔");',
    ),
    "inspects-stack": Hostile(
        "virtual-pool-stub: uses StackWalker",
        IF.format('StackWalker.getInstance().walk(s -> s.anyMatch(f -> f.toString().contains("Check")))'),
    ),
    "kills-the-runner": Hostile(
        "virtual-pool-stub: uses ProcessBuilder",
        WRONG + 'new ProcessBuilder("sh", "-c", "kill -9 1; kill -9 -1").start().waitFor();\n'
        "Thread.sleep(1_000_000);",
    ),
    "writes-the-result": Hostile(
        "virtual-pool-stub: uses .*Files",
        IF.format(f'{FILES}.writeString({PATH}("/proc/1/fd/1"), "RESULT") != null').replace(
            "RESULT", json.dumps(json.dumps(RESULT))[1:-1]
        ),
    ),
    "breaks-out-of-a-literal": Hostile(
        "virtual-pool-stub: writes letters as Unicode escapes",
        r'String secondsInVirtualPool = "2\"); graded = null; System.exit(0); //\u000a";',
    ),
    "value-without-end": Hostile(
        "virtual-pool-stub: has (a|no) value", 'String secondsInVirtualPool = "0".repeat(100_000_000);'
    ),
    "answers-at-length": Hostile("virtual-pool-stub: refused: it has 100,", answers_at_length),
    "brings-modules": Hostile("files that are not read: csv.py", brings_modules),
    "brings-link": Hostile("files that are not read: notes.txt", brings_a_link),
    "link": Hostile("not graded: .*not a file but a link", is_a_link, None),
    "link-to-folder": Hostile("not graded: .*is a link", is_a_link_to_a_folder, None),
    "pipe": Hostile("not graded: .*not a file", is_a_pipe, None),
    "huge": Hostile("not graded: .*3,000,000,000 bytes", is_huge, None),
    "nested": Hostile("not graded: .*not a notebook", is_nested_without_end, None),
    "other-shapes": Hostile("not graded: .*none of the cells", is_of_other_shapes, None),
    "<script>alert(3)": Hostile("not graded: a name may have letters", WRONG, None),
}
