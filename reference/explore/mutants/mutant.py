"""What a piece of the museum is."""

from __future__ import annotations

from typing import Literal

import msgspec

from reference.cluster import ServerFactory
from reference.controllers.deployment.controller import DeploymentController, DeploymentSync
from reference.controllers.factories import UPSTREAM, Controllers
from reference.machinery.environment import Environment, Queue
from reference.server.server import ApiServer

Kind = Literal["fault", "fix"]


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """One switch. ``controllers`` and ``server`` are what a cluster with the switch on is made of."""

    name: str
    """The number of the issue or pull request that tells of the fault; words, for one that was found here."""

    title: str
    """What upstream's issue is called, shortened."""

    about: str
    """What goes wrong, in one sentence that an operator understands."""

    kind: Kind = "fault"
    """``fault``: on is broken. ``fix``: off is broken, as upstream is."""

    repository: str = "kubernetes/kubernetes"
    """Whose issue it is, on GitHub; empty for a fault that was found here."""

    controllers: Controllers = UPSTREAM
    server: ServerFactory = ApiServer

    @property
    def source(self) -> str:
        """Where upstream tells of it; empty if nobody does yet."""
        return f"https://github.com/{self.repository}/issues/{self.name}" if self.repository else ""


def syncing(sync: type[DeploymentSync]) -> Controllers:
    """Upstream's controllers, but for the sync of a Deployment."""

    class Syncing(DeploymentController):
        deployment_sync = sync

    return Controllers(deployment=Syncing)


def with_queue(env: Environment, queue: Queue) -> Environment:
    """The environment, but for the work queue."""
    return _Requeued(env, queue)


class _Requeued:
    def __init__(self, env: Environment, queue: Queue) -> None:
        self.client = env.client
        self.cache = env.cache
        self.queue = queue
        self.recorder = env.recorder
        self.now = env.now
        self.together = env.together
