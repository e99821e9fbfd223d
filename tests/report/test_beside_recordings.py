"""The model beside what a real control plane of each older version did: the runs that ``reports/`` holds.

So a change of the model is held against every version; against the newest it is held live. A scenario that is newer
than the recording is not compared here, but by ``make matrix``; ``make reports`` records anew.
"""

from __future__ import annotations

import pytest

from conformance.commands.watched import run_features
from conformance.diff import compare
from conformance.report.model import read
from reference.versions import LATEST, VERSIONS
from tests.commandline import ROOT


@pytest.mark.parametrize("version", [version for version in VERSIONS if version != LATEST.name])
def test_the_model_does_what_the_real_one_did(version: str) -> None:
    recorded = read(ROOT / "reports" / version / "local.json.gz")
    assert (recorded.target, recorded.kubernetes) == ("local", version)

    comparison = compare(recorded, run_features("model", kubernetes=version))

    differences = [
        f"{it.id} {step.heading()}: {step.differences[0]}" for it in comparison.different for step in it.different[:1]
    ]
    assert differences == []
    known = {it.id for it in recorded.scenarios}
    assert not [it.id for it in comparison.scenarios if it.could_not_run and it.id in known]
    assert len(comparison.compared) > 0.9 * len(recorded.scenarios)
