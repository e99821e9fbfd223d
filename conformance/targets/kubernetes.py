"""Sessions on any real API server: a namespace a scenario, spoken to over plain HTTP.

What a target adds to the API itself comes in as ``Powers``: what stands between a controller and
the server, whose queues can be looked into, which components can die.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from math import inf
from typing import Any, Protocol

import msgspec

from conformance.targets.api_server import GRACE, JSON, Address, ApiServer, Check, delete_options
from conformance.targets.foresight import owed
from conformance.targets.liveness import Liveness
from conformance.targets.namespaces import Namespaces
from conformance.targets.protocol import NO_RESTART, NONE_LATE, Capability, TargetError
from conformance.targets.rest import Pace, Patience, Rest, Vouch, uncounted
from conformance.targets.view import View
from reference.api.kinds import NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.machinery.client import DeleteOptions, PatchType
from reference.machinery.faults import Fault
from reference.versions import LATEST, Version

_LOOK_AGAIN = 0.05
_NAMESPACE_CONTROLLER_WAITS = 5.0
_UNTIL_IT_STRIKES = 10.0


class Between(Protocol):
    """What stands between the Deployment controller and the API server, and does as it is told: a proxy."""

    def hold(self, resource: str) -> None: ...

    def release(self, resource: str) -> None: ...

    def inject(self, fault: Fault) -> None: ...

    def struck(self) -> Sequence[tuple[Fault, int]]: ...

    def clear(self) -> None: ...

    def break_watches(self, resource: str) -> None: ...

    def expire_watches(self, resource: str) -> None: ...


class Nodes(Protocol):
    """How what scenarios send and get is turned where nodes run the Pods."""

    slowness: int
    """How many times as long a scenario's time is, once it has sent a time that was lengthened."""

    def lengthened(self, body: Any) -> float:
        """The shortest time of what is sent that was, in seconds; 0 if none was."""
        ...

    def dress(self, body: Any) -> Any: ...

    def undress(self, answer: Any) -> Any: ...


class Powers(msgspec.Struct, frozen=True, kw_only=True):
    """What a target can do and tell beyond the API."""

    check: Check = lambda _: None
    busy: Callable[[], str] = lambda: ""
    """What a controller still has in its queue, in words; nothing if all are idle or nobody knows."""
    between: Between | None = None
    restart: Callable[[], None] | None = None
    """Kills the Deployment controller and starts it anew."""
    logs: Callable[[], Mapping[str, bytes]] = dict
    """What the controllers have said, by name, as far as it can be reached."""
    nodes: Nodes | None = None
    """If nodes run the Pods."""
    foresee: bool = False
    """Whether what upstream's controllers have yet to write is waited for: where nobody tells of their queues."""
    vouch: bool = False
    """Whether the controllers are asked to do something where a fact does not come."""
    remove_namespaces: bool = True
    """False where the whole cluster goes at the end, and no node holds what runs in them."""
    await_removal: bool = True
    """False where the whole cluster goes at the end."""


class KubernetesSessions:
    """The sessions of one run on one API server, in namespaces whose names begin with ``prefix``."""

    def __init__(self, address: Address, pace: Pace = Pace(), powers: Powers = Powers(), prefix: str = "") -> None:
        self.api = ApiServer(address, powers.check)
        self.pace = pace
        self.powers = powers
        """Of all sessions from now on, as is the pace."""
        self._views: tuple[View, ...] = ()
        self.version = LATEST
        """The Kubernetes version that the controllers are to behave as."""
        self._patience = Patience()
        self._namespaces = Namespaces(self.api, powers.check, prefix)
        self._liveness: Liveness | None = None

    @contextmanager
    def session(self, title: str) -> Iterator[KubernetesSession]:
        """A new namespace, in which Pods can be created; its removal begins on leaving."""
        namespace = self._namespaces.create(title)
        try:
            self._namespaces.await_ready(namespace)
            view = View(self.api.requests, namespace)
            try:
                self.api.background.call(view.open(), timeout=None)
                self._views = (*self._views, view)
                session = self._session(namespace, view)
                try:
                    yield session
                finally:
                    session.clear()
            finally:
                self._views = tuple(other for other in self._views if other is not view)
                self.api.background.call(view.close())
        finally:
            if self.powers.remove_namespaces:
                self._namespaces.begin_removal(namespace)

    def _session(self, namespace: str, view: View) -> KubernetesSession:
        powers = self.powers
        if powers.vouch and self._liveness is None:
            dress = powers.nodes.dress if powers.nodes else None
            self._liveness = Liveness(self.api, self._namespaces, powers.check, dress)
        vouch = self._liveness.vouch if self._liveness else lambda *_: None
        return KubernetesSession(
            self.api, namespace, view, self.pace, powers, version=self.version, vouch=vouch, patience=self._patience
        )

    def uncounted(self) -> bool:
        """Whether in some open session a ReplicaSet's status is about to be written. For any thread."""
        return any(uncounted(view.objects(REPLICA_SET, POD)) for view in self._views)

    @property
    def namespaces(self) -> Namespaces:
        """Those of this run, and what earlier ones have left."""
        return self._namespaces

    def stop(self) -> None:
        """Waits until every namespace is gone, and closes all connections. Raises TargetError if one stays."""
        try:
            if self.powers.remove_namespaces and self.powers.await_removal:
                self._namespaces.await_removal()
        finally:
            self.api.close()


class KubernetesSession:
    """One namespace of a real API server; ``protocol.Session``."""

    def __init__(
        self,
        api: ApiServer,
        namespace: str,
        view: View,
        pace: Pace,
        powers: Powers,
        *,
        version: Version,
        vouch: Vouch,
        patience: Patience,
    ) -> None:
        self.namespace = namespace
        self.warnings: list[str] = []
        self._api = api
        self._view = view
        self._powers = powers
        self._version = version
        self._slowness = 1
        self._shortest = inf
        """Seconds of the shortest time that a node's slowness has lengthened."""
        self._acted = time.monotonic()
        """When the scenario last did something, or had waited."""
        self._deleted_at = inf
        """When the namespace itself was deleted."""
        self._rest = Rest(
            view,
            pace,
            powers.busy,
            powers.check,
            foreseen=self._foreseen,
            vouch=vouch,
            patience=patience,
            on_nodes=powers.nodes is not None,
        )
        self._held: list[str] = []
        self._meanwhile = _nothing
        """What is still to be done while an answer is late."""
        self._has_relisted = False

    def get(self, kind: Kind[Any], name: str, subresource: str = "") -> Json:
        return self._ask("GET", self._path(kind, name, subresource))

    def list(self, kind: Kind[Any]) -> Sequence[Json]:
        items = self._undressed(lambda: self._api.list(self._path(kind)))
        return sorted(items, key=lambda item: item["metadata"]["name"])

    def create(self, kind: Kind[Any], manifest: Json) -> Json:
        there = self._view.uid_of(kind, manifest.get("metadata", {}).get("name", ""))
        return self._write(kind, "POST", self._path(kind), manifest, there=there)

    def update(self, kind: Kind[Any], name: str, manifest: Json, subresource: str = "") -> Json:
        return self._write(kind, "PUT", self._path(kind, name, subresource), manifest)

    def patch(
        self,
        kind: Kind[Any],
        name: str,
        patch: Json | Sequence[Json],
        patch_type: PatchType,
        subresource: str = "",
    ) -> Json:
        return self._write(kind, "PATCH", self._path(kind, name, subresource), patch, patch_type)

    def delete(self, kind: Kind[Any], name: str, options: DeleteOptions = DeleteOptions()) -> None:
        there = self._view.uid_of(kind, name)
        self._write(kind, "DELETE", self._path(kind, name), delete_options(options), there=there)
        if (kind, name) == (NAMESPACE, self.namespace):
            self._deleted_at = time.monotonic()

    def settle(self) -> None:
        meanwhile, self._meanwhile = self._meanwhile, _nothing
        meanwhile()
        self._rest.wait(held=bool(self._held) or self._deleted_at < inf)  # no generation is owed in what is deleted

    def wait(self, seconds: float) -> None:
        """Returns when something in the namespace changes, or after that time."""
        self._view.wait(seconds)

    def advance(self, seconds: float) -> None:
        self._rest.pause(seconds * self._slowness)
        self._acted = time.monotonic()
        self._view.touch()
        self.settle()

    def now(self) -> datetime:
        return self._api.time()

    def next_second(self) -> None:
        newest = max((seen.metadata.creation_timestamp or "" for _, seen in self._view.objects()), default="")
        while self.now().strftime("%Y-%m-%dT%H:%M:%SZ") <= newest:
            self._rest.pause(_LOOK_AGAIN)

    def stall(self, kind: Kind[Any]) -> None:
        self._between(Capability.STALLED_WATCHES).hold(kind.resource)
        self._held.append(kind.resource)

    def resume(self, kind: Kind[Any]) -> None:
        self._between(Capability.STALLED_WATCHES).release(kind.resource)
        self._held.remove(kind.resource)
        self._view.touch()

    def inject(self, fault: Fault) -> None:
        between = self._between(Capability.FAULT_INJECTION)
        between.inject(msgspec.structs.replace(fault, namespace=self.namespace))

    def meanwhile(self, act: Callable[[], None]) -> None:
        before = self.strikes()

        def once_it_has_struck() -> None:
            end = time.monotonic() + _UNTIL_IT_STRIKES
            while self.strikes() == before:
                if time.monotonic() > end:
                    raise TargetError(NONE_LATE)
                self._rest.pause(_LOOK_AGAIN)
            act()

        self._meanwhile = once_it_has_struck

    def strikes(self) -> int:
        struck = self._between(Capability.FAULT_INJECTION).struck()
        return sum(times for fault, times in struck if fault.namespace == self.namespace)

    def break_watch(self, kind: Kind[Any]) -> None:
        self._between(Capability.FAULT_INJECTION).break_watches(kind.resource)
        self._view.touch()

    def expire_watch(self, kind: Kind[Any]) -> None:
        self._between(Capability.FAULT_INJECTION).expire_watches(kind.resource)
        self._has_relisted = True
        self._view.touch()

    def restart_controller(self) -> None:
        if self._powers.restart is None:
            raise TargetError(_cannot("restart the Deployment controller", Capability.RESTARTS))
        if self._held:
            raise TargetError(NO_RESTART)
        self._powers.restart()
        self._view.touch()

    def clear(self) -> None:
        """Lets go of every view that this session still holds, and ends all faults.

        A controller that has had to list again waits twice as long the next time, up to a minute: it starts anew.
        """
        if self._powers.between is None:
            return
        for resource in self._held:
            self._powers.between.release(resource)
        self._held.clear()
        self._powers.between.clear()
        if self._has_relisted and self._powers.restart is not None:
            self._powers.restart()

    def evidence(self) -> Mapping[str, bytes]:
        return {"watch.jsonl": self._view.journal(), **self._powers.logs()}

    def missing(self) -> Sequence[str]:
        return self._rest.missing

    def late(self) -> str:
        passed = time.monotonic() - self._acted
        if passed < self._shortest:
            return ""
        return (
            f"the cluster is too slow for this scenario: it was looked at {passed:.0f} s after the last act, and "
            f"there is a deadline of {self._shortest:g} s, so what that tells of the controllers is not known"
        )

    def _foreseen(self) -> Iterator[str]:
        """What the controllers have yet to write."""
        if not self._powers.foresee or self._held:
            return
        now = self._api.requests.clock.now()
        terminating = self._deleted_at < inf
        yield from owed(self._view.documents(), now, self._version, terminating=terminating)
        if time.monotonic() - self._deleted_at > _NAMESPACE_CONTROLLER_WAITS:
            for _, pod in self._view.objects(POD):
                if not pod.metadata.deletion_timestamp:
                    yield f"the namespace controller has yet to delete Pod {pod.metadata.name}"

    def _write(
        self, kind: Kind[Any], method: str, path: str, body: Any, content_type: str = JSON, there: str | None = None
    ) -> Json:
        answer = self._ask(method, path, body, content_type, there)
        self._acted = time.monotonic()
        self._view.touch()
        self._view.expect(kind, answer)
        return answer

    def _ask(
        self, method: str, path: str, body: Any = None, content_type: str = JSON, there: str | None = None
    ) -> Json:
        nodes, sent = self._powers.nodes, body
        if nodes and body is not None:
            sent = nodes.dress(body)
            if lengthened := nodes.lengthened(body):
                self._slowness = nodes.slowness
                self._shortest = min(self._shortest, lengthened)
        answer: Json = self._undressed(
            lambda: self._api.ask(method, path, sent, content_type, there=there, warnings=self.warnings)
        )
        return answer

    def _undressed(self, ask: Callable[[], Any]) -> Any:
        try:
            answer = ask()
        except TargetError:
            self._powers.check(GRACE)  # which knows better why nobody answers
            raise
        return self._powers.nodes.undress(answer) if self._powers.nodes else answer

    def _path(self, kind: Kind[Any], name: str = "", subresource: str = "") -> str:
        return kind.path(self.namespace, name, subresource)

    def _between(self, needed: Capability) -> Between:
        if self._powers.between is None:
            raise TargetError(_cannot("come between the Deployment controller and the API server", needed))
        return self._powers.between


def _nothing() -> None:
    pass


def _cannot(act: str, needed: Capability) -> str:
    return f"nothing on this target can {act}: tag the scenario @needs:{needed}"
