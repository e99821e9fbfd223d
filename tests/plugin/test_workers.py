"""What workers of xdist have started is stopped, and what goes wrong then is told, however the run ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.plugin.project import COUNTED, Project

pytest_plugins = ("pytester",)
LONG = "\n  Scenario Outline: Long <n>\n    Given 1 apples\n    When a long time passes\n"
EXAMPLES = "\n    Examples:\n      | n |\n      | 1 |\n      | 2 |\n"


@pytest.mark.parametrize("whom", ["the process", "the group"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_stops_the_targets_of_its_workers(
    project: Project, number: signal.Signals, whom: str
) -> None:
    project.feature(LONG + EXAMPLES)
    command = [sys.executable, "-m", "pytest", "features", "--target=toy-slow", "-n", "2", "-p", "no:cacheprovider"]
    with subprocess.Popen(command, cwd=project.pytester.path, stdout=subprocess.PIPE, start_new_session=True) as run:
        end = time.monotonic() + 60
        while sum(line.startswith("open") for line in project.life) < 2:
            assert time.monotonic() < end
            time.sleep(0.1)
        (os.kill if whom == "the process" else os.killpg)(run.pid, number)
        said, _ = run.communicate(timeout=60)
    assert run.returncode == 2
    assert project.life.count("start") == project.life.count("stop") == 2, said.decode()


@pytest.mark.parametrize("processes", [(), ("-n", "1")], ids=["alone", "in workers"])
def test_a_target_that_does_not_stop_is_the_runs_problem_and_no_scenarios(
    project: Project, processes: tuple[str, ...]
) -> None:
    project.feature(COUNTED)
    result = project.run_apart("--report=out", *processes, target="toy-stuck")

    assert result.ret == 2
    assert result.outlines[-3:] == [
        "out/report.html", "the toy does not stop: take its battery out", "1 passed, 0 failed, 0 errors, 0 skipped",
    ]  # fmt: skip
    assert [scenario.outcome for scenario in project.report().scenarios] == ["passed"]
    assert "ERROR" not in result.stdout.str()


def test_what_a_target_says_when_it_stops_is_seen(project: Project) -> None:
    project.feature(COUNTED)
    result = project.run_apart(target="toy-talking")

    assert "the toy is put away" in result.stderr.str()
