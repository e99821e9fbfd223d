"""All that can happen: a world in, its first state and each state's successors out.

    system = System(world)
    for effect, after in system.successors(system.initial):
        ...

Time passes only when nothing else can happen: then the clock moves to when the next key is due.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec

from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import replace
from reference.cluster import Cluster
from reference.controllers import kubelet
from reference.controllers.deployment.util import RECREATE
from reference.controllers.factories import ControllerFactory
from reference.controllers.replicaset.pods import is_ready
from reference.explore.actors import Actor, ControllerActor, Kubelet, User, image_of, status_call
from reference.explore.hands import NAMESPACE_NAME, Hands
from reference.explore.serving import KINDS, PLACE, STEADY, Serving, Time
from reference.explore.state import FIRST_FREE, TIME, Effect, Parts, Plan, State, Step
from reference.explore.values import Pool, digest
from reference.explore.worker import Worker
from reference.explore.world import Role, Unexplorable, World, check_sizes
from reference.machinery.client import Call
from reference.machinery.runner import FAULTS
from reference.machinery.store import Table

_DEPLOYMENTS, _REPLICA_SETS, _PODS = range(len(KINDS))
_SECOND = timedelta(seconds=1)
_ROUNDS = 1000
_LOOKS_AT: dict[Role, tuple[int, ...]] = {
    "replica_set": (_REPLICA_SETS, _PODS, TIME),
    "garbage_collector": (_DEPLOYMENTS, _REPLICA_SETS, _PODS, TIME),
    "deployment": (_DEPLOYMENTS, _REPLICA_SETS, _PODS, TIME),
}
"""The slots that a controller's next sync depends on."""


class Reductions(msgspec.Struct, frozen=True):
    """What is left out because it makes no difference."""

    lazy: bool = True
    """News are told right before a controller looks."""
    alike: bool = True
    """Pods that differ in nothing but their identity are interchangeable."""
    reads: bool = True
    """What a sync reads in its caches between two calls, it reads at once."""


ALL = Reductions()
NONE = Reductions(lazy=False, alike=False)
"""Every order of news and looks."""
EACH_READ = Reductions(reads=False)
"""News come in between any two reads of a sync."""


class System:
    """``initial`` is the state in which the world's user has done nothing yet, and all is at rest."""

    def __init__(self, world: World, reductions: Reductions = ALL) -> None:
        self.world = world
        self.parts = Parts()
        cluster = _prepared(world)
        store = cluster.server.store
        self._namespaces = store.table(NAMESPACE)
        self._serving = Serving(
            self.parts.values,
            self.parts.tables,
            self.parts.times,
            world.version,
            world.server,
            self._namespaces,
            one_counter=world.counts_as_one,
        )
        tables = tuple(self.parts.tables.of(self._steady(store.table(kind))) for kind in KINDS)
        time = self.parts.times.number(Time(cluster.now(), store.revision if world.counts_as_one else 0))
        plan = self.parts.plans.number(Plan(0, world.budget))
        self.workers = self._workers(reductions, _recreates(world, store.table(DEPLOYMENT)))
        self.alike = reductions.alike and all(POD.resource not in worker.slots for worker in self.workers)
        """Whether Pods are interchangeable: only where no asynchronous controller can remember one."""
        if self.alike:
            tables = (*tables[:_PODS], self._serving.alike(tables[_PODS]))
        state: State = (*tables, time, plan)
        for worker in self.workers:
            state = (*state, *worker.at_rest(state, time))
        self.initial = state
        self._actors = self._all_actors()
        self._listening = tuple(
            tuple(worker.slots[kind.resource] for worker in self.workers if kind.resource in worker.slots)
            for kind in KINDS
        )
        self._pools = self._pool_of_each_slot()
        self._mixed: list[dict[int, int]] = [{} for _ in state]

    def successors(self, state: State) -> list[tuple[Effect, State]]:
        """All that can happen next, each with the state that it leads to; always in the same order."""
        found = []
        fair = False
        for actor in self._actors:
            for effect in actor.effects(state):
                found.append((effect, self.after(state, effect)))
                fair = fair or effect.fair
        for worker in self.workers:
            for effect in worker.effects(state):
                found.append((effect, self.after(state, effect)))
                fair = fair or effect.fair
        if not fair:
            timer = self._timer(state)
            if timer is not None:
                found.append((timer, self.after(state, timer)))
        return found

    def after(self, state: State, effect: Effect) -> State:
        """The state that the effect makes of this one."""
        new = list(state)
        for slot, number in effect.writes:
            new[slot] = number
        if effect.changes:
            if self.alike and new[_PODS] != state[_PODS]:
                new[_PODS] = self._serving.alike(new[_PODS])
            for change in effect.changes:
                for slot in self._listening[self.parts.change(change).kind]:
                    new[slot] = self.parts.told(new[slot], change)
        return tuple(new)

    def listens(self, state: State) -> int:
        """Who has news to hear, as bits, whether or not there is a step for it."""
        ready = 0
        for worker in self.workers:
            ready |= worker.listens(state)
        return ready

    def fingerprint(self, state: State) -> int:
        """128 bits that stand for the state in every process: the digests of its parts, one put on top of the other."""
        made = 0
        for slot, number in enumerate(state):
            made ^= self._bits(slot, number)
        return made

    def changed_fingerprint(self, before: State, fingerprint: int, after: State) -> int:
        """The fingerprint of ``after``, from that of ``before``: only what has changed is looked at."""
        for slot, new in enumerate(after):
            old = before[slot]
            if old != new:
                mixed = self._mixed[slot]
                known = mixed.get(new)
                fingerprint ^= mixed[old] ^ (self._bits(slot, new) if known is None else known)
        return fingerprint

    def slot(self, kind: Kind[Any]) -> int:
        """Where a state has what the server holds of this kind."""
        return PLACE[kind.name]

    def _bits(self, slot: int, number: int) -> int:
        known = self._mixed[slot].get(number)
        if known is None:
            own = self._pools[slot].digests[number]
            known = self._mixed[slot][number] = int.from_bytes(digest(bytes([slot]), own), "big")
        return known

    def _timer(self, state: State) -> Effect | None:
        """The clock moves on to when the next key is due; None if none is."""
        due = [when for worker in self.workers for when in worker.due(state)]
        due.extend(when for actor in self._actors for when in actor.due(state))
        if not due:
            return None
        at = self.parts.times.values[state[TIME]]
        time = self.parts.times.number(Time(max(at.now, min(due)), at.revision))
        desks = ((worker.desk_slot, worker.ring(state[worker.desk_slot], time)) for worker in self.workers)
        passed = (min(due) - at.now).total_seconds()
        step = Step("timer", "the clock", f"moves on by {passed:g} seconds")
        return Effect((step,), ((TIME, time), *desks), serves=self.parts.turn("the clock"))

    def _workers(self, reductions: Reductions, recreates: bool) -> tuple[Worker, ...]:
        made: list[Worker] = []
        slot = FIRST_FREE
        for role in self.world.asynchronous:
            worker = Worker(
                self.parts,
                self._serving,
                self.world,
                self._factory(role),
                _kinds_seen_by(role, recreates),
                self._namespaces,
                slot,
                lazy=reductions.lazy,
                each_read=not reductions.reads,
            )
            made.append(worker)
            slot = worker.desk_slot + 1
        return tuple(made)

    def _factory(self, role: Role) -> ControllerFactory:
        factory: ControllerFactory = getattr(self.world.controllers, role)
        return factory

    def _all_actors(self) -> tuple[Actor, ...]:
        world = self.world
        made: list[Actor] = [User(self.parts, self._serving, world)]
        if world.kubelet:
            made.append(Kubelet(self.parts, self._serving, world))
        for role, depends_on in _LOOKS_AT.items():
            if role not in world.asynchronous:
                factory = self._factory(role)
                made.append(
                    ControllerActor(self.parts, self._serving, world.version, factory, self._namespaces, depends_on)
                )
        return tuple(made)

    def _pool_of_each_slot(self) -> tuple[Pool[Any], ...]:
        tables: list[Pool[Any]] = [self.parts.tables] * len(KINDS)
        pools = [*tables, self.parts.times, self.parts.plans]
        for worker in self.workers:
            pools.extend([self.parts.informers] * len(worker.slots))
            pools.append(worker.desks)
        return tuple(pools)

    def _steady(self, table: Table) -> Table:
        return table if self.world.counts_as_one else replace(table, revision=STEADY)


def _prepared(world: World) -> Cluster:
    """A cluster in which what is given is done, everything is at rest, and every Pod that can be is ready."""
    cluster = Cluster(world.version, controllers=world.controllers, server=world.server, keep_writes=False)
    for act in world.given:
        cluster.advance(_SECOND)
        try:
            act.do(Hands(cluster.server.perform, cluster.now()))
        except FAULTS:
            raise
        except Exception as error:
            raise Unexplorable(f"{world.name}: what is given cannot be done: {act.title}: {error}") from error
        check_sizes(world, act, (cluster.server.store.table(kind) for kind in (DEPLOYMENT, REPLICA_SET)))
        cluster.settle()
        for _ in range(_ROUNDS):
            if not (world.kubelet and _make_ready(cluster, world.never_ready)):
                break
            cluster.settle()
    cluster.advance(_SECOND)
    return cluster


def _make_ready(cluster: Cluster, never: tuple[str, ...]) -> bool:
    """Makes every Pod ready that can be; whether there was any."""
    found = False
    for pod in cluster.server.perform(Call("list", POD, NAMESPACE_NAME)):
        if pod.metadata.deletion_timestamp is None and not is_ready(pod) and image_of(pod) not in never:
            cluster.server.perform(status_call(pod, kubelet.ready(pod, cluster.now())))
            found = True
    return found


def _kinds_seen_by(role: Role, recreates: bool) -> tuple[Kind[Any], ...]:
    """The kinds whose news can make a difference: a Deployment that never recreates does not look at Pods."""
    if role == "replica_set":
        return (REPLICA_SET, POD)
    if role == "deployment" and not recreates:
        return (DEPLOYMENT, REPLICA_SET)
    return KINDS


def _recreates(world: World, deployments: Table) -> bool:
    """Whether any Deployment recreates, or may come to."""
    found = deployments.names(NAMESPACE_NAME).values()
    return world.recreates or any(deployment.spec.strategy.type == RECREATE for deployment in found)
