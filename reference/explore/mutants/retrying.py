"""What comes of a sync that has failed, and of caches that are not what they should be."""

from __future__ import annotations

import msgspec
from immutables import Map

from reference.api.kinds import DEPLOYMENT
from reference.api.objects import Deployment
from reference.controllers.deployment.controller import MAX_RETRIES, DeploymentController
from reference.controllers.factories import Controllers
from reference.explore.mutants.mutant import Mutant
from reference.machinery.environment import Environment
from reference.versions import Version


class _TriesAgainAtOnce(DeploymentController):
    def handle_error(self, error: Exception | None, key: str) -> None:
        if error is None:
            super().handle_error(error, key)
        else:
            self.env.queue.add(key)


class _KnowsNoTermination(DeploymentController):
    def handle_error(self, error: Exception | None, key: str) -> None:
        """Where nothing can be made any more, it is tried as anywhere else."""
        if error is None or self.env.queue.retries(key) >= MAX_RETRIES:
            self.env.queue.forget(key)
        else:
            self.env.queue.add_rate_limited(key)


class _WritesIntoItsCache(DeploymentController):
    def __init__(self, env: Environment, version: Version) -> None:
        super().__init__(env, version)
        self.memory: Map[str, bytes] = Map()
        """The cache's Deployments, as the last sync left them, in JSON."""

    async def sync(self, key: str) -> None:
        """What a sync only meant to write is in the cache, whether it was written or not."""
        namespace, _, name = key.rpartition("/")
        cached = await self.env.cache.get(DEPLOYMENT, namespace, name)
        if cached is None:
            return
        known = msgspec.json.decode(self.memory[key], type=Deployment) if key in self.memory else None
        if known is not None and known.metadata.resource_version == cached.metadata.resource_version:
            cached = known
        sync = self.deployment_sync(self.env, self.version, cached)
        try:
            await sync.sync_deployment()
        finally:
            self.memory = self.memory.set(key, msgspec.json.encode(sync.deployment))


PIECES = (
    Mutant(
        name="30833",
        title="Deployment controller hot loop on API rejections",
        about="A ReplicaSet that is refused is asked for again and again, without a pause.",
        controllers=Controllers(deployment=_TriesAgainAtOnce),
    ),
    Mutant(
        name="38612",
        title="Deployment controller should be aware of namespace termination",
        about="In a namespace that is being deleted ReplicaSets are tried for again and again.",
        controllers=Controllers(deployment=_KnowsNoTermination),
    ),
    Mutant(
        name="27687",
        title="Deep-copy objects before mutating caches",
        about="A status that could not be written is taken for written, and never tried again.",
        controllers=Controllers(deployment=_WritesIntoItsCache),
    ),
)
