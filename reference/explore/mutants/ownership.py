"""Whose ReplicaSets and Pods they are: adoption, release, deletion."""

from __future__ import annotations

from reference.api.objects import ReplicaSet
from reference.controllers.deployment.controller import DeploymentSync
from reference.explore.mutants.mutant import Mutant, syncing
from reference.machinery.ref_manager import ControllerRefManager


class _Trusting(ControllerRefManager[ReplicaSet]):
    async def can_adopt(self) -> None:
        """Whatever the cache says is believed, as before upstream's pull request 42938."""


class _AdoptsUnchecked(DeploymentSync):
    ref_manager = _Trusting


PIECES = (
    Mutant(
        name="42639",
        title="GC should orphan RS when OrphanDependents=true",
        about="A Deployment deleted with its ReplicaSets to be kept adopts them again, so they are deleted after all.",
        controllers=syncing(_AdoptsUnchecked),
    ),
)
