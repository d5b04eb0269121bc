"""Runs everything that must hold, and counts the tests of both languages in one last line.

Meant to run inside the environment: python3 tools/setup.py test
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

from setup import BUILD, ROOT, maven

SUREFIRE = ROOT / "threadlab/target/surefire-reports"
PYTEST = BUILD / "pytest.xml"


def count(reports: list[Path]) -> tuple[int, int, int]:
    """How many tests passed, failed and were skipped according to JUnit's XML."""
    passed = failed = skipped = 0
    for report in reports:
        for case in xml.parse(report).iter("testcase"):
            kinds = {part.tag for part in case}
            failed += bool(kinds & {"failure", "error"})
            skipped += "skipped" in kinds
            passed += not kinds & {"failure", "error", "skipped"}
    return passed, failed, skipped


def check(*command: str) -> bool:
    print("\n$", *command, flush=True)
    return subprocess.call(command, cwd=ROOT) == 0


def main() -> int:
    for stale in [PYTEST, *SUREFIRE.glob("*.xml")]:
        stale.unlink(missing_ok=True)
    python = [sys.executable, "-m"]
    held = [
        check(*maven(), "--quiet", "verify"),
        check(*python, "ruff", "check", "."),
        check(*python, "ruff", "format", "--check", "."),
        check(*python, "pytest", f"--junitxml={PYTEST}"),
    ]
    passed, failed, skipped = count([*SUREFIRE.glob("*.xml"), *PYTEST.parent.glob(PYTEST.name)])
    # A check that fails without a failing test (format, lint, a compiler's error) counts as one.
    failed = max(failed, held.count(False))
    if skipped and os.environ.get("THREADLAB_NO_SKIPS"):
        print("\nSkipped tests count as failures here (THREADLAB_NO_SKIPS is set).")
        failed, skipped = failed + skipped, 0
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
