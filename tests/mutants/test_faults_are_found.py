"""A fault put into the reference on purpose is found by the features and by ``diff``, and told in words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.report.model import Report, read
from tests.commandline import ROOT, SPARED, command


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


def run(target: str, selection: str, reports: Path) -> tuple[int, Path]:
    """The exit code of the features on the target, and the report."""
    directory = reports / target
    words = ["-m", "pytest", "features", f"--target={target}", "-k", selection, f"--report={directory}", "-q"]
    done = subprocess.run(
        [sys.executable, *words, *SPARED, "-p", "tests.mutants.faulty"], cwd=ROOT, capture_output=True
    )
    return done.returncode, directory / "report.json"


def failed(report: Report) -> set[str]:
    return {scenario.id for scenario in report.scenarios if scenario.outcome == "failed"}


def test_diff_tells_where_leftovers_went_to_the_smallest(reports: Path) -> None:
    sound, wanted = run("model", "ties-by-age", reports)
    faulty, got = run("leftover-to-the-smallest", "ties-by-age", reports)
    assert (sound, faulty) == (0, 1)
    assert failed(read(wanted)) == set()

    compared = command("diff", str(wanted), str(got))
    assert compared.returncode == 1
    told = " ".join(compared.stdout.split())
    assert "`When the Deployment is scaled to" in told
    assert "spec.replicas is" in told
    assert "ReplicaSet a-young" in told


@pytest.mark.parametrize(("target", "outcome"), [("model", "known-fault"), ("model+138840", "passed")])
def test_the_wedge_is_a_known_fault_until_its_fix_is_switched_on(target: str, outcome: str, reports: Path) -> None:
    code, file = run(target, "wedged-rollout/scaled-to-what-is-left", reports)
    assert code == 0
    assert {scenario.outcome for scenario in read(file).scenarios} == {outcome}
