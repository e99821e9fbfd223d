"""The reference model as a target: a simulated cluster of its own for each scenario, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

import msgspec

from conformance.targets.api_server import refusal
from conformance.targets.naming import namespace_name
from conformance.targets.protocol import NO_RESTART, NONE_LATE, Capability, TargetError
from reference.api.kinds import DEPLOYMENT, EVENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.cluster import Cluster, Interleaving, NotAtRest, ServerFactory
from reference.controllers.factories import UPSTREAM, Controllers
from reference.machinery.client import DeleteOptions, PatchType
from reference.machinery.faults import Fault
from reference.server.front import Front
from reference.server.server import ApiServer
from reference.server.wire import JSON, Method, Request
from reference.versions import LATEST, UnknownVersion, version_named

_SECOND = timedelta(seconds=1)
_BOUND = 5_000
"""Syncs that one stimulus may take: more than the largest scenario needs, and few enough to fail in seconds."""
_CAPABILITIES = frozenset(
    (
        Capability.VIRTUAL_TIME,
        Capability.STALLED_WATCHES,
        Capability.FAULT_INJECTION,
        Capability.RESTARTS,
        Capability.EVENTS,
        Capability.FREE_PODS,
    )
)


class ModelTarget:
    """``protocol.Target`` over ``reference.cluster``. ``kubernetes`` is the version that the model behaves as.

    Other ``controllers`` or another ``server`` take the reference's place: such as have a fault put into them, say.
    """

    def __init__(
        self,
        kubernetes: str = LATEST.name,
        name: str = "model",
        *,
        controllers: Controllers = UPSTREAM,
        server: ServerFactory = ApiServer,
    ) -> None:
        try:
            self._version = version_named(kubernetes)
        except UnknownVersion as error:
            raise TargetError(str(error)) from error
        self.name = name
        self.kubernetes = self._version.name
        self._controllers = controllers
        self._server = server
        counted = (Capability.TERMINATING_REPLICAS,) if self._version.terminating_replicas else ()
        self.capabilities = _CAPABILITIES.union(counted)

    def start(self) -> None:
        """There is nothing to start."""

    def stop(self) -> None:
        """There is nothing to stop."""

    def check(self) -> None:
        """There is nothing that could have died."""

    @contextmanager
    def session(self, title: str) -> Iterator[ModelSession]:
        yield ModelSession(self.new_cluster(), namespace_name(title))

    def new_cluster(self) -> Cluster:
        """A cluster as every session gets one."""
        return Cluster(self._version, controllers=self._controllers, server=self._server)


class ModelSession:
    """One namespace of a cluster that holds nothing else; ``protocol.Session``."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self.namespace = namespace
        self.warnings: list[str] = []
        self._cluster = cluster
        self._server = cluster.server
        self._front = Front(cluster.server)
        self._held: set[Kind[Any]] = set()
        self._outstanding = False
        """Whether something is still to be done while an answer is late."""
        self._server.create(NAMESPACE, "", {"metadata": {"name": namespace}})
        self.settle()

    def get(self, kind: Kind[Any], name: str, subresource: str = "") -> Json:
        return self._server.get(kind, self._scope(kind), name, subresource)

    def list(self, kind: Kind[Any]) -> Sequence[Json]:
        return self._server.list(kind, self._scope(kind))

    def create(self, kind: Kind[Any], manifest: Json) -> Json:
        return self._ask("POST", kind.path(self.namespace), manifest)

    def update(self, kind: Kind[Any], name: str, manifest: Json, subresource: str = "") -> Json:
        return self._ask("PUT", kind.path(self.namespace, name, subresource), manifest)

    def patch(
        self,
        kind: Kind[Any],
        name: str,
        patch: Json | Sequence[Json],
        patch_type: PatchType,
        subresource: str = "",
    ) -> Json:
        return self._ask("PATCH", kind.path(self.namespace, name, subresource), patch, patch_type)

    def delete(self, kind: Kind[Any], name: str, options: DeleteOptions = DeleteOptions()) -> None:
        self._server.delete(kind, self._scope(kind), name, options)

    def settle(self) -> None:
        try:
            self._cluster.settle(bound=_BOUND)
        except NotAtRest as error:
            raise TargetError(str(error)) from error
        if self._outstanding:
            raise TargetError(NONE_LATE)

    def advance(self, seconds: float) -> None:
        try:
            self._cluster.advance(timedelta(seconds=seconds), _BOUND)
        except NotAtRest as error:
            raise TargetError(str(error)) from error

    def now(self) -> datetime:
        return self._cluster.now()

    def next_second(self) -> None:
        created = [
            datetime.fromisoformat(obj["metadata"]["creationTimestamp"])
            for kind in (DEPLOYMENT, REPLICA_SET, POD, EVENT)
            for obj in self.list(kind)
        ]
        later = max(created, default=self.now() - _SECOND) + _SECOND
        if later > self.now():
            self.advance((later - self.now()).total_seconds())

    def stall(self, kind: Kind[Any]) -> None:
        self._cluster.stall(kind)
        self._held.add(kind)

    def resume(self, kind: Kind[Any]) -> None:
        self._cluster.resume(kind)
        self._held.discard(kind)

    def inject(self, fault: Fault) -> None:
        self._cluster.faults.add(msgspec.structs.replace(fault, namespace=self.namespace))

    def meanwhile(self, act: Callable[[], None]) -> None:
        def acting() -> None:
            self._outstanding = False
            act()

        self._outstanding = True
        self._cluster.meanwhile(acting)

    def strikes(self) -> int:
        return sum(times for _, times in self._cluster.faults.struck())

    def break_watch(self, kind: Kind[Any]) -> None:
        """Nothing comes of it: an informer's place in the log is kept, as a controller keeps the resourceVersion."""

    def expire_watch(self, kind: Kind[Any]) -> None:
        self._cluster.expire(kind)

    def restart_controller(self) -> None:
        if self._held:
            raise TargetError(NO_RESTART)
        self._cluster.restart_deployment_controller()

    def interleave(self, interleaving: Interleaving | None) -> None:
        """From now on the Deployment controller's work and the others' are shuffled so; None: it works last."""
        self._cluster.interleaving = interleaving

    def _ask(self, method: Method, path: str, body: Any, content_type: str = JSON) -> Json:
        """What a client gets that writes."""
        answer = self._front.answer(Request(method, path, body=msgspec.json.encode(body), content_type=content_type))
        self.warnings += answer.warnings
        if answer.code >= HTTPStatus.BAD_REQUEST:
            raise refusal(answer.code, msgspec.json.encode(answer.body))
        return answer.body

    def _scope(self, kind: Kind[Any]) -> str:
        return self.namespace if kind.namespaced else ""
