"""A controller of the user's own under the suite: the reference live, started by a command as any program would be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conformance.report.model import read

HERE = Path(sys.executable).with_name("deployment-conformance")
SCENARIO = "pause/no-new-replica-set"


def run(command: str, report: Path) -> subprocess.CompletedProcess[str]:
    arguments = [
        f"--controller-command={command}",
        f"--report={report}",
        "-k",
        SCENARIO,
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    return subprocess.run(
        [HERE, "run", "--target=local", *arguments],
        env=os.environ | {"PATH": f"{HERE.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_features_run_on_it_and_the_report_names_it(tmp_path: Path) -> None:
    ended = run("deployment-conformance controller --no-leader-elect --kubeconfig {kubeconfig}", tmp_path)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    report = read(tmp_path)
    assert (report.target, report.counts()["passed"]) == ("local+deployment-conformance", 1)


def test_a_command_that_does_not_stay_is_an_error_with_what_it_said(tmp_path: Path) -> None:
    ended = run("deployment-conformance controller --kubeconfig nowhere", tmp_path)

    assert ended.returncode == 2
    (problem,) = read(tmp_path).problems
    assert problem.startswith("the controller command has died (exit code 2); the end of its log:")
    assert "there is no kubeconfig nowhere" in problem
