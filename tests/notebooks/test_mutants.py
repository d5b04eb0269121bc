"""What is said of the changes to the rules; nothing is changed."""

from notebooks import mutants


def change(of: str, status: str) -> dict[str, str]:
    return {"class": f"{mutants.PACKAGE}.{of}", "status": status}


def test_the_weakest_class_comes_first_and_nested_ones_count_with_it() -> None:
    changes = [change("Pin", "KILLED"), change("Pin$Way", "TIMED_OUT"), change("Pin", "SURVIVED")]
    changes += [change("Owner", "NO_COVERAGE"), change("Owner", "KILLED")]
    lines = [" ".join(line.split()) for line in mutants.table(changes)]
    assert lines == ["Owner 1 of 2 50 %", "Pin 2 of 3 67 %", "all 3 of 5 60 %"]
    assert mutants.noticed(changes) == 0.6
