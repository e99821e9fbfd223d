"""The simulated cluster: API server, controllers and clock, run to rest in virtual time.

One thing happens at a time: every informer that is not stalled is told the news, then one controller does one
sync, whole, and so on until nobody has anything to do. Then, and only then, time moves, and only as far as the
caller allows. So the same requests give the same world, byte for byte.

The Deployment controller comes last: it looks again only when all others have done what followed from its last
look. So its syncs meet no half-done work, which on a real cluster is a matter of milliseconds and chance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.controllers.deployment.controller import DeploymentController
from reference.controllers.factories import UPSTREAM, ControllerFactory, Controllers
from reference.machinery.client import Call
from reference.machinery.clock import VirtualClock
from reference.machinery.faults import Faults, Perform
from reference.machinery.informer import CacheOrder, by_name
from reference.machinery.runner import Runner
from reference.machinery.store import Store
from reference.server.server import ApiServer, Refusal, Write
from reference.versions import LATEST, Version

START = datetime(2026, 1, 1, tzinfo=UTC)
QUIET = timedelta(milliseconds=500)
BOUND = 100_000
_FORGET_EVERY = 100
"""Syncs. What nobody will read any more takes memory, and the time that it takes to look through that."""

ServerFactory = Callable[[Store, VirtualClock, Version, Callable[[Write], None] | None], ApiServer]
"""Makes the API server over the store; the last is told of every write."""


class Interleaving(msgspec.Struct, frozen=True):
    """How the Deployment controller's work and the others' are shuffled, where it does not look last and at leisure.

    It has a watch for each kind, looks as soon as it is free, and writes one object after the other. So which news of
    one moment it has heard when it looks, and what others make of its first writes before its last, is chance on a real
    cluster. Each interleaving is one of the ways that this may go.
    """

    kinds: tuple[str, ...] = (DEPLOYMENT.resource, POD.resource, REPLICA_SET.resource)
    """The turns of the kinds in its news: it looks after each."""
    piecemeal: bool = False
    """It looks after every single piece of news."""
    at_once: bool = False
    """It has heard all before the others do what follows from its first look."""
    between_writes: bool = False
    """The others do what follows from each of its writes before the next."""


class NotAtRest(Exception):
    """The cluster did not come to rest within the bound of syncs; the text says what keeps it busy."""


class Cluster:
    """A cluster at rest, with nothing in it but the namespace ``default``.

    ``server`` answers the user's requests, in JSON; ``writes`` is the log of all that anybody wrote, in order, the
    user included; it stays empty with ``keep_writes`` off, for it keeps all that ever was. ``faults`` are those of the
    Deployment controller's calls. ``controllers`` and ``server`` make what runs in it; ``cache_order`` is the order in
    which every cache lists.
    """

    def __init__(
        self,
        version: Version = LATEST,
        start: datetime = START,
        *,
        controllers: Controllers = UPSTREAM,
        server: ServerFactory = ApiServer,
        cache_order: CacheOrder = by_name,
        keep_writes: bool = True,
    ) -> None:
        self.version = version
        self.writes: list[Write] = []
        self._clock = VirtualClock(start)
        store = Store()
        self.server = server(store, self._clock, version, self.writes.append if keep_writes else None)

        def runner(make: ControllerFactory, perform: Perform = self.server.perform) -> Runner:
            return Runner(lambda env: make(env, version), store, perform, self._clock, cache_order)

        def deployments() -> Runner:
            return runner(controllers.deployment, self.faults.through(self._perform_for_deployments))

        self.interleaving: Interleaving | None = None
        """None: the Deployment controller hears all its news together, and the others wait for the end of its sync."""
        self._has_heard = False
        self.faults = Faults()
        self._start_deployments = deployments
        self._deployments = deployments()
        others = (controllers.replica_set, controllers.garbage_collector, controllers.namespace)
        self._others = tuple(map(runner, others))
        self._store = store
        self.server.create(NAMESPACE, "", {"metadata": {"name": "default"}})
        self.settle()
        self.writes.clear()

    def now(self) -> datetime:
        """The cluster's time."""
        return self._clock.now()

    def settle(self, quiet: timedelta = QUIET, bound: int = BOUND) -> None:
        """Runs all that is due, and lets time pass through timers that fire within ``quiet`` of the last change.

        Raises NotAtRest after ``bound`` syncs.
        """
        syncs = _counted(bound)
        changed, revision = self._clock.now(), self._store.revision
        while True:
            self._run_ready(syncs)
            if self._store.revision != revision:
                changed, revision = self._clock.now(), self._store.revision
            due = self._next_due()
            if due is None or due - changed > quiet:
                return
            self._clock.move_to(due)

    def advance(self, time: timedelta, bound: int = BOUND) -> None:
        """Lets ``time`` pass, firing every timer on the way, then settles. Raises NotAtRest after ``bound`` syncs."""
        end = self._clock.now() + time
        syncs = _counted(bound)
        self._run_ready(syncs)
        while (due := self._next_due()) is not None and due <= end:
            self._clock.move_to(due)
            self._run_ready(syncs)
        self._clock.move_to(end)
        self.settle(bound=bound)

    def stall(self, kind: Kind[Any], controller: str = DeploymentController.name) -> None:
        """From now on the controller sees no news of this kind."""
        self._runner(controller).informers[kind.resource].stalled = True

    def resume(self, kind: Kind[Any], controller: str = DeploymentController.name) -> None:
        """The controller sees all that it missed, in order, when the cluster next runs."""
        self._runner(controller).informers[kind.resource].stalled = False

    def expire(self, kind: Kind[Any]) -> None:
        """The Deployment controller's watch of this kind has expired: it sees next what there is now, all at once."""
        self._deployments.expire(kind)

    def restart_deployment_controller(self) -> None:
        """The Deployment controller is gone, and another one starts that has seen nothing yet, and sees all."""
        self._deployments = self._start_deployments()

    def meanwhile(self, act: Callable[[], None]) -> None:
        """``act`` is done, and all others do what follows from it, while the next late answer is on its way.

        That is an answer to the Deployment controller, which waits for it in the middle of its work.
        """

        def others_go_on() -> None:
            act()
            self._let_others_work()

        self.faults.meanwhile(others_go_on)

    def refuse(self, refusal: Refusal) -> Callable[[], None]:
        """Refuses the calls that ``refusal`` answers with an error; returns what ends that."""
        return self.server.refuse(refusal)

    @property
    def _runners(self) -> tuple[Runner, ...]:
        return (*self._others, self._deployments)

    def _runner(self, controller: str) -> Runner:
        return next(runner for runner in self._runners if runner.name == controller)

    def _run_ready(self, syncs: Iterator[int]) -> None:
        """One sync after the other, each after the news, until there is neither news nor a key that is ready."""
        while self._sync_one():
            done = next(syncs, None)
            if done is None:
                raise NotAtRest(self._what_keeps_it_busy())
            if done % _FORGET_EVERY == _FORGET_EVERY - 1:
                self._forget_what_all_have_seen()
        self._forget_what_all_have_seen()

    def _sync_one(self) -> bool:
        """One sync, of the first controller that has anything to do; False if none has."""
        if self.interleaving is not None:
            return self._hear_and_sync(self.interleaving)
        for runner in self._runners:
            runner.deliver()
        return any(runner.sync_next() for runner in self._runners)

    def _hear_and_sync(self, order: Interleaving) -> bool:
        """The same, with the Deployment controller's news in pieces; whether anything was done or heard."""
        others_wait = order.at_once and self._has_heard
        if not others_wait and self._sync_another():
            return True
        most = 1 if order.piecemeal else sys.maxsize
        self._has_heard = any(self._deployments.deliver_some(kind, most) for kind in order.kinds)
        synced = self._deployments.sync_next()
        return self._has_heard or synced or (others_wait and self._sync_another())

    def _sync_another(self) -> bool:
        """One sync, of a controller other than the Deployment controller."""
        for runner in self._others:
            runner.deliver()
        return any(runner.sync_next() for runner in self._others)

    def _perform_for_deployments(self, call: Call, actor: str) -> Any:
        answer = self.server.perform(call, actor)
        if self.interleaving is not None and self.interleaving.between_writes:
            self._let_others_work()
        return answer

    def _let_others_work(self) -> None:
        syncs = _counted(BOUND)
        while self._sync_another():
            if next(syncs, None) is None:
                raise NotAtRest(self._what_keeps_it_busy())

    def _next_due(self) -> datetime | None:
        return min((due for runner in self._runners if (due := runner.next_due()) is not None), default=None)

    def _forget_what_all_have_seen(self) -> None:
        positions: dict[str, int] = {}
        for runner in self._runners:
            for resource, informer in runner.informers.items():
                positions[resource] = min(informer.position, positions.get(resource, informer.position))
        self._store.forget_before(positions)

    def _what_keeps_it_busy(self) -> str:
        keys = [f"{runner.name} on {', '.join(ready)}" for runner in self._runners if (ready := runner.queue.ready())]
        last = [f"{write.actor}: {write.call.verb} {_path(write.call)}" for write in self.writes[-10:]]
        return f"the cluster does not come to rest: {'; '.join(keys) or 'no queue'}; the last writes: {'; '.join(last)}"


def _path(call: Call) -> str:
    return call.kind.path(call.namespace, call.name, call.subresource)


def _counted(bound: int) -> Iterator[int]:
    return iter(range(bound))
