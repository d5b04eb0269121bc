"""What is said of the changes to the rules; nothing is changed."""

import json
from pathlib import Path

from notebooks import mutants


def change(of: str, status: str) -> mutants.Change:
    where = {"file": f"{of}.java", "line": "7", "method": "of", "mutator": "a.b.MathMutator"}
    return mutants.change({"class": f"whatwaits.rules.{of}", "status": status} | where)


def test_the_weakest_class_comes_first_and_nested_ones_count_with_it() -> None:
    changes = [change("Pin", "KILLED"), change("Pin$Way", "TIMED_OUT"), change("Pin", "SURVIVED")]
    changes += [change("Owner", "NO_COVERAGE"), change("Owner", "KILLED")]
    lines = [" ".join(line.split()) for line in mutants.table(changes)]
    assert lines == ["Owner 1 of 2 50 %", "Pin 2 of 3 67 %", "all 3 of 5 60 %"]
    assert mutants.noticed(changes) == 0.6
    assert changes[2].what == "Pin.java:7 of: Math, survived"


def test_of_a_module_what_no_test_reaches_counts_as_unnoticed(tmp_path: Path) -> None:
    file = tmp_path / "judge.py.meta"
    codes = {"a": 1, "b": 0, "c": 33, "d": 36}
    file.write_text(json.dumps({"exit_code_by_key": codes}), encoding="utf-8")
    assert [(one.what, one.noticed) for one in mutants.told(file)] == [
        ("a", True),
        ("b", False),
        ("c", False),
        ("d", True),
    ]
