"""What the tools read of the Java in cells. Three seconds."""

from pathlib import Path

import pytest
from notebooks import java
from notebooks.runs import DIVES, NOTEBOOKS, code_cells, read


@pytest.mark.parametrize("path", [*NOTEBOOKS, *DIVES], ids=lambda path: path.stem)
def test_the_parser_reads_every_cell_of_the_course(path: Path) -> None:
    assert not [cell.id for cell in code_cells(read(path)) if java.broken(cell.source)]


@pytest.mark.parametrize(
    "source, names",
    [
        ("int a = 1, b[] = {2};\nvar c = a", {"a", "b", "c"}),
        ("<T> Supplier<T> f(Supplier<T> x) { int inside = 1; return x; }", {"f"}),
        ("@interface VirtualThread { }\nrecord P(int x) { }\nenum E { A }", {"VirtualThread", "P", "E"}),
        ("%libraries servers\nclass A { int field; }", {"A"}),
        ('String s = "int no = 1;";   // int neither = 2;', {"s"}),
        ("private static final int X = 3;\nvolatile boolean é = true;", {"X", "é"}),
    ],
)
def test_a_cell_declares_what_stands_at_its_top(source: str, names: set[str]) -> None:
    assert java.declared(source) == names


@pytest.mark.parametrize(
    "source, names",
    [
        ("mdc = new Mine();", {"mdc"}),
        ("{ mdc = null; { var mdc = 1; } }", {"mdc"}),
        ("{ var mdc = 1; mdc = 2; }", set()),
        ("class A { int b; void f() { b = 3; this.c = 1; } }", set()),
        ("x -> { x = 3; y++; }", {"y"}),
        ("(a, b) -> { a = 1; c += 2; }", {"c"}),
        ("try (var r = f()) { q = 3; } catch (E e) { e = null; }", {"q"}),
        ("for (int i = 0; i < 3; i++) { } if (a == 1) { }", set()),
    ],
)
def test_a_name_is_assigned_where_no_block_around_it_declares_it(source: str, names: set[str]) -> None:
    assert java.assigned(source) == names


def test_what_is_used_is_no_member_and_nothing_of_its_own() -> None:
    source = (
        "import a.b.C;\nint n = order.size() + Set.of(1).size();\ncalls.forEach(call -> call.run(n, rate));"
    )
    assert java.used(source) == {"order", "Set", "calls", "rate"}


def test_a_call_has_its_name_its_arguments_and_what_they_say() -> None:
    source = 'Check.answer(n)\n.mistake(x -> x > f(1, 2), "Too " + "many, (or not).")\n.expect(3, 0, "Yes.")'
    [mistake] = java.calls(source, r"\.mistake")
    assert (
        mistake.arguments[0] == "x -> x > f(1, 2)"
        and java.said(mistake.arguments[1]) == "Too many, (or not)."
    )
    assert [call.name for call in java.calls(source, r"Check\.answer|f")] == ["Check.answer", "f"]
    assert java.choices('a ? "x" : b ? "y" : "z"') == ['"x"', '"y"', '"z"']


@pytest.mark.parametrize(
    "source", ["(" * 20_000, "{" * 20_000, "x -> " * 4_000, "a = " * 5_000, "a<" * 10_000]
)
def test_whatever_somebody_hands_in_is_read_to_its_end_or_given_up(source: str) -> None:
    assert java.broken(source) and java.blank(source) == source
    assert java.declared(source) == set() and java.assigned(source) <= {"a"}
