"""Rows of the record of claims, for tests."""

from typing import Any

from notebooks import recorded
from notebooks.runs import NOTEBOOKS


def row(bound: str = "at most 2", **other: Any) -> recorded.Row:
    """A good claim of the first lesson, but for what is said."""
    first, kind = NOTEBOOKS[0].stem, recorded.kind(bound)
    good = recorded.Row("usual", first, "", "", "c", kind, bound, 5, 5, 0, 1.0, 50.0, 10.0, "", "")
    return good._replace(**other)
