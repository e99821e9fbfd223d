"""Everything that proves this project, one check after another; the last line counts them all.

Each static check, unit test and scenario counts as one, and so does the comparison of the two targets. An error counts
as a failure. All checks run, whatever the earlier ones said. Exit code 0 only if nothing failed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

BIN = Path(sys.executable).parent
ROOT = Path(__file__).resolve().parent.parent


class Count(NamedTuple):
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def plus(self, other: Count) -> Count:
        return Count(*(mine + its for mine, its in zip(self, other, strict=True)))


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="deployment-conformance-check-") as directory:
        results = Path(directory)
        counts = [
            check("formatting", "ruff", "format", "--check"),
            check("linting", "ruff", "check"),
            check("types", "mypy"),
            check("import contracts", "lint-imports"),
            check("steps and ids", "deployment-conformance", "steps", "--check"),
            tests("unit tests", results / "unit.xml", "tests", f"--junitxml={results / 'unit.xml'}"),
            features("model", results),
            features("local", results, "-n", "2"),
            comparison(results / "model", results / "local"),
        ]
    total = Count()
    for count in counts:
        total = total.plus(count)
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


def check(title: str, *command: str) -> Count:
    """One command that is right or wrong."""
    return Count(passed=1) if run(title, *command) == 0 else Count(failed=1)


def tests(title: str, results: Path, *arguments: str) -> Count:
    """One pytest run, by its JUnit file; a run that left none, or ended badly without a bad test, is one failure."""
    code = run(title, "pytest", "-q", *arguments)
    if not results.exists():
        return Count(failed=1)
    suites = ElementTree.parse(results).getroot().iter("testsuite")
    total = Count()
    for suite in suites:
        ran, bad, skipped = (sum(int(suite.get(name, "0")) for name in names) for names in _JUNIT)
        total = total.plus(Count(ran - bad - skipped, bad, skipped))
    return total if code == 0 or total.failed else total.plus(Count(failed=1))


_JUNIT = (("tests",), ("failures", "errors"), ("skipped",))


def features(target: str, results: Path, *arguments: str) -> Count:
    return tests(
        f"features on {target}",
        results / target / "junit.xml",
        "features",
        f"--target={target}",
        f"--report={results / target}",
        *arguments,
    )


def comparison(left: Path, right: Path) -> Count:
    """Two runs' reports, step by step."""
    return check(f"{left.name} and {right.name}, step by step", "deployment-conformance", "diff", str(left), str(right))


def run(title: str, *command: str) -> int:
    print(f"\n── {title}", flush=True)
    try:
        return subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, check=False).returncode
    except OSError as error:
        print(error)
        return 2


if __name__ == "__main__":
    sys.exit(main())
