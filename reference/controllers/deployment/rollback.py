"""The rollback that an annotation asks for: the template of an earlier revision becomes the Deployment's.

Source: ``pkg/controller/deployment/rollback.go``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api.objects import ReplicaSet, replace
from reference.api.quoting import go_quote
from reference.api.template import equal_ignore_hash, without_hash_label
from reference.controllers.deployment import bookkeeping
from reference.controllers.deployment.sync import SyncBase, all_replica_sets

NOT_FOUND = "DeploymentRollbackRevisionNotFound"
TEMPLATE_UNCHANGED = "DeploymentRollbackTemplateUnchanged"
DONE = "DeploymentRollback"


class Rollback(SyncBase):
    """The rollback path. Whatever comes of it, the annotation is cleared, and the write wakes the next sync."""

    async def rollback(self, revision: int, replica_sets: Sequence[ReplicaSet]) -> None:
        """Rolls back to this revision; to the last one if it is 0."""
        all_ = all_replica_sets(*await self.get_all_replica_sets_and_sync_revision(replica_sets, create=True))
        if revision == 0:
            revision = bookkeeping.last_revision(all_)
            if revision == 0:
                return await self._give_up(NOT_FOUND, "Unable to find last revision.")
        for rs in all_:
            if bookkeeping.revision(rs) == revision:
                return await self._rollback_to(rs, revision)
        return await self._give_up(NOT_FOUND, "Unable to find the revision to rollback to.")

    async def _rollback_to(self, rs: ReplicaSet, revision: int) -> None:
        d = self.deployment
        if equal_ignore_hash(d.spec.template, rs.spec.template):
            name = d.metadata.name
            message = f"The rollback revision contains the same template as current deployment {go_quote(name)}"
            return await self._give_up(TEMPLATE_UNCHANGED, message)
        spec = replace(d.spec, template=without_hash_label(rs.spec.template))
        self.deployment = bookkeeping.set_deployment_annotations_to(replace(d, spec=spec), rs)
        await self._clear_rollback_to()
        return self.record("Normal", DONE, f"Rolled back deployment {go_quote(d.metadata.name)} to revision {revision}")

    async def _give_up(self, reason: str, message: str) -> None:
        self.record("Warning", reason, message)
        await self._clear_rollback_to()

    async def _clear_rollback_to(self) -> None:
        """Writes the Deployment without the annotation. Raises ``ApiError``."""
        metadata = self.deployment.metadata
        others = {key: value for key, value in metadata.annotations.items() if key != bookkeeping.ROLLBACK_TO}
        self.deployment = replace(self.deployment, metadata=replace(metadata, annotations=others))
        await self.env.client.update(self.deployment)
