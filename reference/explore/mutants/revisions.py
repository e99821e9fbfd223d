"""Which ReplicaSet is the new one, what it is called, and the way back to an old one."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec

from reference.api.errors import ApiError
from reference.api.hash import preimage
from reference.api.objects import ReplicaSet, replace
from reference.api.template import equal_ignore_hash
from reference.controllers.deployment import util
from reference.controllers.deployment.controller import DeploymentSync
from reference.controllers.deployment.sync import replica_set_name
from reference.explore.mutants.mutant import Mutant, syncing


class _WeakHash(DeploymentSync):
    """Names by Adler-32, and nothing done where two names are the same."""

    def compute_hash(self) -> str:
        template = msgspec.json.decode(msgspec.json.encode(self.deployment.spec.template))
        return str(zlib.adler32(preimage(template, self.version).encode()))

    async def _existing_or_collision(self, wanted: ReplicaSet, error: ApiError) -> ReplicaSet:
        raise error


class _TakesWhatHasTheName(DeploymentSync):
    def is_new_replica_set(self, existing: ReplicaSet) -> bool:
        """The template decides, whoever owns it."""
        return equal_ignore_hash(self.deployment.spec.template, existing.spec.template)


class _TakesAnyThatMatches(DeploymentSync):
    def find_new_replica_set(self, replica_sets: Sequence[ReplicaSet]) -> ReplicaSet | None:
        """Not the oldest of those that run what is wanted, but the one that happens to come first: the newest, here."""
        return util.find_new_replica_set(self.deployment, reversed(replica_sets))


class _FindsByHash(DeploymentSync):
    def find_new_replica_set(self, replica_sets: Sequence[ReplicaSet]) -> ReplicaSet | None:
        """By the name that it would be given, which is another as soon as templates have a field more."""
        name = replica_set_name(self.deployment.metadata.name, self.compute_hash())
        return next((rs for rs in replica_sets if rs.metadata.name == name), None)


class _KeepsItsAnnotations(DeploymentSync):
    async def _rollback_to(self, rs: ReplicaSet, revision: int) -> None:
        """Takes the template back, and not what was noted on it."""
        annotations = self.deployment.metadata.annotations
        await super()._rollback_to(replace(rs, metadata=replace(rs.metadata, annotations=annotations)), revision)


PIECES = (
    Mutant(
        name="29735",
        title="Error syncing deployment, replica set already exists",
        about="Two versions get the same ReplicaSet name from a weak hash, and the second can never be rolled out.",
        controllers=syncing(_WeakHash),
    ),
    Mutant(
        name="59213",
        title="Collision avoidance isn't triggered when a non-template field of the ReplicaSet changed",
        about="A Deployment takes a ReplicaSet that is not its own for its new one, because of its name.",
        controllers=syncing(_TakesWhatHasTheName),
    ),
    Mutant(
        name="40415",
        title="Upgrading to v1.5.2 creates duplicate replica sets",
        about="Of two ReplicaSets that run what is wanted, now the one and now the other is taken for the new one.",
        controllers=syncing(_TakesAnyThatMatches),
    ),
    Mutant(
        name="26797",
        title="Deployment should not do rollout when new fields are defaulted",
        about="A Deployment does not recognise its ReplicaSet by what it runs, and rolls out the same again.",
        controllers=syncing(_FindsByHash),
    ),
    Mutant(
        name="23087",
        title="Incorrect annotation copied from deployment to RS after rolling back",
        about="A version that is rolled back to is noted with the change cause of the one that it replaces.",
        controllers=syncing(_KeepsItsAnnotations),
    ),
)
