"""Reads nbgrader's gradebook as JSON, or leaves checks in it to a person; runs in nbgrader's own Python.

book.py ADDRESS prints the gradebook. book.py ADDRESS HOMEWORK takes from standard input, by learner, the
checks that are to be marked by hand.
"""

import json
import sys

from nbgrader.api import Gradebook


def read(book: Gradebook) -> dict:
    """The learners, and what they have handed in; a score is nbgrader's, before the penalty."""
    found = {}
    students = [[each.id, each.first_name, each.last_name] for each in book.students]
    for homework in book.assignments:
        sent = {}
        for each in homework.submissions:
            grades = [grade for notebook in each.notebooks for grade in notebook.grades]
            open_ = [grade for grade in grades if grade.needs_manual_grade and grade.manual_score is None]
            sent[each.student.id] = {
                "score": each.score,
                "penalty": each.late_submission_penalty,
                "late": each.total_seconds_late if homework.duedate else 0,
                "due": str(each.duedate or "") if homework.duedate else "",
                "graded": any(g in open_ or (g.auto_score, g.manual_score) != (None, None) for g in grades),
                "failed": sorted(g.name for g in grades if g.score < g.max_score and g not in open_),
                "given": sum(g.manual_score or 0 for g in grades),
                "by hand": sorted(g.name for g in grades if g.manual_score is not None),
                "open": sorted(g.name for g in open_),
            }
        due = str(homework.duedate or "")
        found[homework.name] = {"due": due, "of": homework.max_score, "sent": sent}
    return {"students": students, "homework": found}


def leave_to_a_person(book: Gradebook, homework: str, asked: dict[str, list[str]]) -> None:
    for student, checks in asked.items():
        for check in checks:
            grade = book.find_grade(check, homework, homework, student)
            grade.auto_score, grade.needs_manual_grade = None, True
    book.db.commit()


address, *named = sys.argv[1:]
with Gradebook(address, "virtual-threads") as opened:
    if named:
        leave_to_a_person(opened, named[0], json.load(sys.stdin))
    else:
        json.dump(read(opened), sys.stdout)
