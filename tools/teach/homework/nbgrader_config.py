# Written by make homework; teaching/homework-reference.md says what each setting is for.
import re
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import NoReturn

from dateutil import parser
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.api import Gradebook
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from traitlets import Int

c = get_config()  # type: ignore[name-defined]  # noqa: F821, nbgrader gives it
c.CourseDirectory.course_id = "virtual-threads"
# the folder of this file, wherever it lies: in a container it has another name
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.ClearSolutions.code_stub = {"java": "// or assign it here, in as many lines as you like"}
c.ClearSolutions.text_stub = "*Your answer, in words.*"


class OnlyInContainers(NbGraderPreprocessor):
    # nbgrader's own autograde and formgrader would run a submission with the rights of whoever grades it
    def preprocess(self, nb: NotebookNode, resources: dict) -> NoReturn:
        raise RuntimeError("submissions are graded by tools/teach/homework/grade.py autograde, in containers")


c.Autograde.sanitize_preprocessors = [OnlyInContainers]


def shown_from(homework: str, db_url: str) -> datetime | None:
    # when learners may see checks: the date given to generate_feedback, else the last deadline
    file = Path(c.CourseDirectory.root, "graded", homework + ".checks-from")
    if file.is_file():
        return parser.parse(file.read_text())
    with Gradebook(db_url) as book:
        made = book.find_assignment(homework)
        due = [made.duedate, *(each.duedate for each in made.submissions)]
        return max((date.replace(tzinfo=UTC) for date in due if date), default=None)


class UntilShown(NbGraderPreprocessor):
    # a check is as good as the answer: until the date, whoever may still hand in does not see it
    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        about = resources["nbgrader"]
        date = shown_from(about["assignment"], about["db_url"])
        if date and date <= datetime.now(UTC):
            return nb, resources
        when = f"after {date:%Y-%m-%d %H:%M %Z}" if date else "after the deadline"
        nb.cells = [cell for cell in nb.cells if "rubric" not in cell.metadata.get("threadlab", {})]
        for cell in nb.cells:
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
                cell.source = re.sub("// BEGIN HIDDEN TESTS(.|\n)*// END HIDDEN TESTS", "", cell.source)
                wrong = any(output.output_type == "error" for output in cell.outputs)
                text = f"✘ not right: why is shown {when}" if wrong else "✔ right"
                if said := [o.text for o in cell.outputs if o.get("text", "").startswith("◐")]:
                    text = f"{said[0].partition(':')[0]}: why is shown {when}"
                if any(output.get("text", "").startswith("✎") for output in cell.outputs):
                    text = "✎ marked by hand"
                cell.outputs = [new_output("stream", name="stdout", text=text)]
        return nb, resources


c.GenerateFeedback.preprocessors = [UntilShown, GetGrades, CSSHTMLHeaderPreprocessor]


class PerDay(LateSubmissionPlugin):
    percent = Int(0, help="of the points reached, for each day begun").tag(config=True)

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float:
        if not self.percent:
            return super().late_submission_penalty(student_id, score, total_seconds_late)
        return round(score * min(1, ceil(total_seconds_late / 86_400) * self.percent / 100), 2)


c.AssignLatePenalties.plugin_class = PerDay
