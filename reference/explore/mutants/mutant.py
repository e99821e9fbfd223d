"""What a piece of the museum is."""

from __future__ import annotations

from typing import Literal

import msgspec

from reference.cluster import ServerFactory
from reference.controllers.deployment.controller import DeploymentController, DeploymentSync
from reference.controllers.factories import UPSTREAM, Controllers
from reference.server.server import ApiServer

Kind = Literal["fault", "fix"]

_REPOSITORY = "https://github.com/kubernetes/kubernetes"


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """One switch. ``controllers`` and ``server`` are what a cluster with the switch on is made of."""

    name: str
    """The number of the issue or pull request that tells of the fault."""

    title: str
    """What upstream's issue is called, shortened."""

    about: str
    """What goes wrong, in one sentence that an operator understands."""

    kind: Kind = "fault"
    """``fault``: on is broken. ``fix``: off is broken, as upstream is."""

    controllers: Controllers = UPSTREAM
    server: ServerFactory = ApiServer

    @property
    def source(self) -> str:
        """Where upstream tells of it."""
        return f"{_REPOSITORY}/issues/{self.name}"


def syncing(sync: type[DeploymentSync]) -> Controllers:
    """Upstream's controllers, but for the sync of a Deployment."""

    class Syncing(DeploymentController):
        deployment_sync = sync

    return Controllers(deployment=Syncing)
