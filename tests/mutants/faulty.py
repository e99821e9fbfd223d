"""A pytest plugin (``-p``) with faults to run the features on: the model, with one rule of the controller broken."""

from __future__ import annotations

from conformance.targets.model import ModelTarget
from conformance.targets.protocol import Target
from reference.api.objects import ReplicaSet
from reference.controllers.deployment.controller import DeploymentController, DeploymentSync
from reference.machinery.ref_manager import ControllerRefManager


class _LeftoverToTheSmallest(DeploymentSync):
    def with_leftover(self, sizes: list[int], leftover: int) -> list[int]:
        return [*sizes[:-1], max(0, sizes[-1] + leftover)]


class _NoRecheck(ControllerRefManager[ReplicaSet]):
    async def can_adopt(self) -> None:
        """Whatever the cache says is believed, as before upstream's pull request 42938."""


class _Readopting(DeploymentSync):
    ref_manager = _NoRecheck


class _WithLeftoverToTheSmallest(DeploymentController):
    deployment_sync = _LeftoverToTheSmallest


class _WithoutRecheck(DeploymentController):
    deployment_sync = _Readopting


FAULTS = {"leftover-to-the-smallest": _WithLeftoverToTheSmallest, "no-recheck": _WithoutRecheck}


def pytest_conformance_target(name: str) -> Target | None:
    """The model with the fault of this name."""
    return ModelTarget(deployment_controller=FAULTS[name]) if name in FAULTS else None
