"""A pytest plugin (``-p``) with faults to run the features on: the model, with one rule of the controller broken."""

from __future__ import annotations

from conformance.targets.model import ModelTarget
from conformance.targets.protocol import Target
from reference.controllers.deployment.controller import DeploymentSync
from reference.explore.mutants.mutant import syncing


class _LeftoverToTheSmallest(DeploymentSync):
    def with_leftover(self, sizes: list[int], leftover: int) -> list[int]:
        return [*sizes[:-1], max(0, sizes[-1] + leftover)]


FAULTS = {"leftover-to-the-smallest": syncing(_LeftoverToTheSmallest)}


def pytest_conformance_target(name: str) -> Target | None:
    """The model with the fault of this name."""
    return ModelTarget(controllers=FAULTS[name]) if name in FAULTS else None
