"""Which controllers run in a cluster: upstream's, unless somebody puts others in their places.

Source: ``NewControllerDescriptors`` in ``cmd/kube-controller-manager``, where upstream names its own.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from reference.controllers.deployment.controller import DeploymentController
from reference.controllers.garbage_collector import GarbageCollector
from reference.controllers.namespace import NamespaceController
from reference.controllers.replicaset.controller import ReplicaSetController
from reference.machinery.environment import Controller, Environment
from reference.versions import Version

ControllerFactory = Callable[[Environment, Version], Controller]
"""Makes a controller over its environment, to behave as it does in this version."""


class Controllers(msgspec.Struct, frozen=True, kw_only=True):
    """What makes each of a cluster's controllers."""

    deployment: ControllerFactory = DeploymentController
    replica_set: ControllerFactory = ReplicaSetController
    garbage_collector: ControllerFactory = GarbageCollector
    namespace: ControllerFactory = NamespaceController


UPSTREAM = Controllers()
"""All as upstream has them."""
