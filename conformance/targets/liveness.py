"""Whether the controllers of a cluster work at all, found out by giving them something to do.

A Deployment in a namespace of its own, without Pods, is something for each controller: one makes a ReplicaSet of it,
the next tells how many Pods that has, and when the Deployment is deleted, the collector takes the ReplicaSet. Where
nodes run Pods it has one, which is to run, and to end.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from typing import Any

from conformance.manifests import deployment
from conformance.targets.api_server import ApiServer, Check
from conformance.targets.namespaces import Namespaces
from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET
from reference.api.objects import Json
from reference.controllers.kubelet import CONTAINERS_READY

_NAME = "alive"
_BOUND = 60.0
"""Seconds for one controller: one that has lost its lease is started again, and waits for the lease."""
_LOOK_AGAIN = 0.2
_LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"


class Liveness:
    """Asks the controllers of one cluster to do something. ``dress``: so do its nodes run Pods."""

    def __init__(
        self, api: ApiServer, namespaces: Namespaces, check: Check, dress: Callable[[Any], Any] | None = None
    ) -> None:
        self._api = api
        self._namespaces = namespaces
        self._check = check
        self._dress = dress
        self._worked_since = 0.0
        """When that was begun which the controllers were last seen to do."""

    def vouch(self, business: str, since: float) -> None:
        """Returns if the controllers work, though ``business`` has not been done ``since`` then.

        Raises TargetError if one does not.
        """
        if self._worked_since > since:
            return
        began = monotonic()
        namespace = self._namespaces.create("are the controllers alive")
        try:
            self._demand_work(namespace, business)
        except ApiError as error:
            raise TargetError(f"whether the controllers work cannot be found out: {error}; {business}") from error
        finally:
            self._namespaces.begin_removal(namespace)
        self._worked_since = began

    def _demand_work(self, namespace: str, business: str) -> None:
        deployments, replica_sets, pods = (kind.path(namespace) for kind in (DEPLOYMENT, REPLICA_SET, POD))
        manifest: Json = deployment(_NAME, 1 if self._dress else 0, "alive:1")
        self._api.ask("POST", deployments, self._dress(manifest) if self._dress else manifest, there="")
        self._await("the Deployment controller", lambda: all(map(_observed, self._api.list(deployments))), business)
        self._await("the ReplicaSet controller", lambda: all(map(_observed, self._api.list(replica_sets))), business)
        if self._dress:
            self._await("the scheduler or the node", lambda: any(map(_runs, self._api.list(pods))), business)
        self._api.ask("DELETE", f"{deployments}/{_NAME}", {"propagationPolicy": "Background"}, there="")
        self._await("the garbage collector", lambda: not self._api.list(replica_sets), business)
        if self._dress:
            self._await("the node", lambda: not self._api.list(pods), business)

    def _await(self, who: str, done: Callable[[], bool], business: str) -> None:
        end = monotonic() + _BOUND
        while not done():
            self._check(0)
            if monotonic() > end:
                raise TargetError(
                    f"{who} does nothing, not even for a Deployment of the suite's own within {_BOUND:g} s: {business}"
                    f"{self._lease()}; see whether it runs, was restarted or has lost its lease"
                )
            sleep(_LOOK_AGAIN)

    def _lease(self) -> str:
        """Who has the controller manager's lease, and since when it was not renewed, if we may know."""
        with suppress(ApiError, TargetError, KeyError, TypeError):
            spec = self._api.ask("GET", _LEASE)["spec"]
            return f"; the controller manager's lease is {spec['holderIdentity']}'s, renewed at {spec['renewTime']}"
        return ""


def _observed(workload: Json) -> bool:
    return bool(workload.get("status", {}).get("observedGeneration", 0) >= workload["metadata"]["generation"])


def _runs(pod: Json) -> bool:
    conditions = pod.get("status", {}).get("conditions", ())
    return any(each["type"] == CONTAINERS_READY and each["status"] == "True" for each in conditions)
