"""The score of whatwaits, as its README prints it."""

import shutil
from pathlib import Path

from notebooks import score

HEAD = (
    "what,name,round,seed,found,line right,figure right,named,line,figure,without dumps: found,"
    "without dumps: line right,attach (ms),look (ms),CPU (ms),CPU without a look (ms)"
)
ROWS = """
fault,HOT_LOCK,1,7,yes,yes,yes,the lock,Shop.java:9,41.0,no,no,300,2100,,
fault,HOT_LOCK,2,8,yes,no,yes,the lock,,41.0,yes,no,310,2200,,
healthy,idle,1,9,yes,,,no limit,,,no,,290,2050,130,10
"""


def test_the_readme_prints_what_was_recorded(tmp_path: Path) -> None:
    readme = Path(shutil.copy(score.README, tmp_path))
    before = readme.read_text(encoding="utf-8")
    score.publish(score.FILE, readme)
    assert readme.read_text(encoding="utf-8") == before, "score.py --table writes it"


def test_each_fault_counts_what_was_right_and_each_writing_replaces_the_one_before(tmp_path: Path) -> None:
    file, readme = tmp_path / "score.csv", tmp_path / "README.md"
    file.write_text(HEAD + ROWS, encoding="utf-8")
    readme.write_text(f"before\n{score.BEGIN}\n{score.END}\nafter\n", encoding="utf-8")
    score.publish(file, readme)
    text = readme.read_text(encoding="utf-8")
    assert "| HOT_LOCK | 2 of 2 | 1 of 2 | 2 of 2 | 1 of 2 | 0 of 2 |" in text
    assert "accused nothing in 1 of 1, without dumps in 0 of 1." in text
    assert "a look of 2 s took 2,100 ms, and cost an idle JVM 120 ms of CPU time" in text
    score.publish(file, readme)
    assert readme.read_text(encoding="utf-8") == text
    assert text.startswith("before\n") and text.endswith("\nafter\n")
