"""The files in which JPlag compares answers. Four seconds."""

import re
import subprocess
from pathlib import Path

import pytest
import variants
from homeworks import written
from teach.homework import compare, course, jobs, kept, marks
from teach.homework.submission import Submission

Class = tuple[Path, jobs.Homework, dict[str, Submission]]
# the Java compiler's parser, which JPlag uses
PARSES = """
import com.sun.source.util.JavacTask;
import java.nio.file.*;
import javax.tools.*;
class Parses {
    public static void main(String[] files) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var wrong = new DiagnosticCollector<JavaFileObject>();
        var manager = compiler.getStandardFileManager(wrong, null, null);
        var names = Files.readAllLines(Path.of(files[0])).toArray(String[]::new);
        var units = manager.getJavaFileObjects(names);
        var task = (JavacTask) compiler.getTask(null, manager, wrong, null, null, units);
        int count = 0;
        for (var unit : task.parse()) count++;
        for (var it : wrong.getDiagnostics())
            System.out.println(it.getSource().getName() + ": " + it.getCode());
        System.out.println(count);
    }
}
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Class:
    home = tmp_path_factory.mktemp("homework")
    (home / course.FILE).write_text(variants.TOML, encoding="utf-8")
    homework = written(home, variants.LESSON)
    variants.hand_in(home, 60)
    sent = dict(kept.received(home, homework))
    return home, homework, {name: one for name, one in sent.items() if not isinstance(one, str)}


def test_a_class_of_answers_that_all_differ_becomes_java_that_a_parser_reads(
    here: Class, tmp_path: Path
) -> None:
    home, homework, sent = here
    aliases = marks.aliases(home, marks.people(home, {"students": [], "homework": {}}, home / "class.csv"))
    folder = tmp_path / "compare"
    compare.export(homework, sent, aliases, folder)
    written_files = sorted(map(str, folder.rglob("*.java")))
    assert len(written_files) > 60 * 2 and (folder / "base" / "LimitedStub.java").is_file()
    assert not re.search("learner0", "\n".join(written_files)), "pseudonyms only"
    (tmp_path / "Parses.java").write_text(PARSES)
    (tmp_path / "files").write_text("\n".join(written_files))
    told = subprocess.run(
        ["java", tmp_path / "Parses.java", tmp_path / "files"], capture_output=True, text=True
    )
    *wrong, count = told.stdout.splitlines()
    assert int(count) == len(written_files), told.stderr
    broken = {
        student
        for student, one in sent.items()
        if re.search(r"Semaphore\(\w+\)\nlimited", one.answers["limited-stub"])
    }
    named = {name for name in broken if any(aliases[name] in line for line in wrong)}
    assert named == broken and len({line.split(":")[0] for line in wrong}) == len(broken)


def test_methods_and_classes_become_members_and_what_else_stands_there_a_method() -> None:
    java = compare.wrapped(
        "import java.net.*;\nint twice(int n) { return 2 * n; }\nrecord Pair(int a, int b) {}\n"
        "for (int i = 0; i < 3; i++) { twice(i); }\nvar x = new Pair(1, 2)",
        "Answer",
    )
    head, _, body = java.partition("void cell() throws Exception {")
    assert "import java.net.*;" in head.partition("class Answer {")[0]
    assert "int twice(" in head and "record Pair" in head
    assert "for (int i" in body and "var x = new Pair(1, 2);" in body
