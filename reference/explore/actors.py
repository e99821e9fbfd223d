"""Whoever sees everything as it is: the user, the kubelet, and the controllers that are not under suspicion.

An actor looks at the server's tables and says what it could do next. A controller as an actor does one whole sync, of
the real code, over caches that are up to date; what it would remember between syncs follows from what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from reference.api.kinds import NAMESPACE, POD
from reference.api.objects import Json, Pod
from reference.controllers import kubelet
from reference.controllers.factories import ControllerFactory
from reference.controllers.replicaset.pods import is_ready
from reference.explore.desk import Desk, DeskQueue
from reference.explore.hands import Hands
from reference.explore.serving import KINDS, PLACE, Serving
from reference.explore.state import PLAN, TIME, Effect, Parts, Plan, State, Step, StepKind
from reference.explore.syncs import Silent, Surroundings, memory_of, run, set_memory
from reference.explore.world import World, check_sizes
from reference.machinery.client import MERGE, Call
from reference.machinery.driver import AskingEnvironment
from reference.machinery.environment import Controller
from reference.machinery.runner import FAULTS
from reference.machinery.store import Table
from reference.versions import Version

_DEPLOYMENTS, _REPLICA_SETS, _PODS = range(len(KINDS))
_TIMELESS = 0


class Actor(Protocol):
    """Who may act in a state."""

    name: str

    def effects(self, state: State) -> Sequence[Effect]: ...

    def due(self, state: State) -> Sequence[datetime]:
        """When something will be due by the clock alone."""
        ...


class _Remembered:
    """Effects worked out once for the slots that they depend on."""

    depends_on: tuple[int, ...]

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[tuple[Effect, ...], tuple[datetime, ...]]] = {}

    def effects(self, state: State) -> Sequence[Effect]:
        return self._of(state)[0]

    def due(self, state: State) -> Sequence[datetime]:
        return self._of(state)[1]

    def _of(self, state: State) -> tuple[tuple[Effect, ...], tuple[datetime, ...]]:
        key = tuple([state[slot] for slot in self.depends_on])
        known = self._known.get(key)
        if known is None:
            due: list[datetime] = []
            known = self._known[key] = (tuple(self._work_out(state, due)), tuple(due))
        return known

    def _work_out(self, state: State, due: list[datetime]) -> Iterator[Effect]:
        raise NotImplementedError


REFUSED = ", and is refused: "
"""What comes between an act and the reason, where the API server or the user's tool refuses it."""


class User(_Remembered):
    """Does the next act of the plan, whatever comes of it."""

    name = "the user"
    depends_on = (_DEPLOYMENTS, _REPLICA_SETS, _PODS, TIME, PLAN)

    def __init__(self, parts: Parts, serving: Serving, world: World) -> None:
        super().__init__()
        self._parts = parts
        self._serving = serving
        self._world = world

    def _work_out(self, state: State, due: list[datetime]) -> Iterator[Effect]:
        plan = self._parts.plans.values[state[PLAN]]
        if plan.done >= len(self._world.acts):
            return
        act = self._world.acts[plan.done]
        server = _AtOneGo(self._parts, self._serving, state)
        refused = ""
        try:
            act.do(Hands(server.call, self._parts.times.values[state[TIME]].now))
        except FAULTS:
            raise
        except Exception as error:
            refused = f"{REFUSED}{error}"
        check_sizes(self._world, act, server.tables(_DEPLOYMENTS, _REPLICA_SETS))
        after = self._parts.plans.number(Plan(plan.done + 1, plan.left))
        step = Step("user", self.name, act.title + refused)
        yield Effect((step,), (*server.writes(), (PLAN, after)), tuple(server.changes), fair=False)


class Kubelet(_Remembered):
    """Makes Pods ready, one at a time; lets some fail, within the budget; lets go of those that linger."""

    name = "the kubelet"
    depends_on = (_PODS, TIME, PLAN)

    def __init__(self, parts: Parts, serving: Serving, world: World) -> None:
        super().__init__()
        self._parts = parts
        self._serving = serving
        self._never_ready = world.never_ready

    def _work_out(self, state: State, due: list[datetime]) -> Iterator[Effect]:
        now = self._parts.times.values[state[TIME]].now
        plan = self._parts.plans.values[state[PLAN]]
        for number in self._parts.tables.values[state[_PODS]].objects:
            pod = self._parts.values.objects.values[number]
            assert isinstance(pod, Pod)
            metadata = pod.metadata
            if metadata.deletion_timestamp is not None:
                if metadata.finalizers:
                    call = Call("patch", POD, metadata.namespace, metadata.name, "", _LET_GO, MERGE)
                    yield self._effect(state, "kubelet", f"lets Pod {metadata.name} go", call)
                continue
            if pod.status.phase in ("Failed", "Succeeded"):
                continue
            if is_ready(pod):
                if plan.left.failures:
                    spent = msgspec.structs.replace(plan.left, failures=plan.left.failures - 1)
                    after = self._parts.plans.number(Plan(plan.done, spent))
                    call = status_call(pod, kubelet.failed(pod, now))
                    effect = self._effect(state, "fail", f"finds that Pod {metadata.name} has failed", call)
                    yield msgspec.structs.replace(effect, writes=(*effect.writes, (PLAN, after)), fair=False)
            elif image_of(pod) not in self._never_ready:
                call = status_call(pod, kubelet.ready(pod, now))
                yield self._effect(state, "kubelet", f"makes Pod {metadata.name} ready", call)

    def _effect(self, state: State, kind: StepKind, what: str, call: Call) -> Effect:
        outcome = self._serving.carry_out(self._parts.values.calls.number(call), state[_PODS], state[TIME])
        writes = ((_PODS, outcome.table), (TIME, outcome.time))
        turn = self._parts.turn(self.name, call.name)
        return Effect((Step(kind, self.name, what),), writes, outcome.changes, serves=turn)


class ControllerActor(_Remembered):
    """A controller, made anew for each state and told of all that is there. ``depends_on``: slots."""

    def __init__(
        self,
        parts: Parts,
        serving: Serving,
        version: Version,
        factory: ControllerFactory,
        namespaces: Table,
        depends_on: tuple[int, ...],
    ) -> None:
        super().__init__()
        self.depends_on = depends_on
        self._parts = parts
        self._serving = serving
        self._namespaces = namespaces
        self._make: Callable[[DeskQueue], Controller] = lambda queue: factory(
            AskingEnvironment(queue, Silent()), version
        )
        self.name = self._make(DeskQueue()).name

    def _work_out(self, state: State, due: list[datetime]) -> Iterator[Effect]:
        now = self._parts.times.values[state[TIME]].now
        queue = DeskQueue(now=now)
        controller = self._make(queue)
        around = _surroundings(self._parts, self._namespaces, state)
        keys = self._prime(controller, queue, state, around)
        seen: set[str] = set()
        for key in keys:
            if key in seen:
                continue
            seen.add(key)
            queue.desk, memory = Desk(_TIMELESS), memory_of(controller)
            server = _AtOneGo(self._parts, self._serving, state)
            self._sync(controller, key, server.call, around)
            if server.changes:
                words = f"looks at {self._named(key, state)}: {self._parts.all_words(server.changes)}"
                turn = self._parts.turn(self.name, key)
                yield Effect((Step("act", self.name, words),), server.writes(), tuple(server.changes), serves=turn)
                set_memory(controller, memory)
            else:
                keys.extend(queue.desk.ready)
                due.extend(when for _, when in queue.desk.due)

    def _prime(self, controller: Controller, queue: DeskQueue, state: State, around: Surroundings) -> list[str]:
        """Tells the controller of all there is; returns the keys that are to be looked at."""
        for kind in KINDS:
            for number in self._parts.tables.values[state[PLACE[kind.name]]].objects:
                if kind in controller.watches:
                    run(controller.on_add(self._parts.values.objects.values[number]), around, _no_call)
        return list(queue.desk.ready)

    def _sync(self, controller: Controller, key: str, call: Callable[[Call], Any], around: Surroundings) -> None:
        error: Exception | None = None
        try:
            run(controller.sync(key), around, call)
        except FAULTS:
            raise
        except Exception as failure:
            error = failure
        controller.handle_error(error, key)

    def _named(self, key: str, state: State) -> str:
        """What a key stands for; the collector's are uids."""
        task, _, rest = key.partition("/")
        for place, kind in enumerate(KINDS):
            for number in self._parts.tables.values[state[place]].objects:
                metadata = self._parts.values.objects.values[number].metadata
                if metadata.uid == rest:
                    return f"{kind.name} {metadata.name}" + (" (orphaning)" if task == "orphan" else "")
        return rest


class _AtOneGo:
    """Calls that nobody comes between, on tables of their own."""

    def __init__(self, parts: Parts, serving: Serving, state: State) -> None:
        self._parts = parts
        self._serving = serving
        self._before = state
        self._tables = list(state[: len(KINDS)])
        self._time = state[TIME]
        self.changes: list[int] = []

    def call(self, call: Call) -> Any:
        """The answer; an ApiError is a refusal."""
        place = PLACE[call.kind.name]
        number = self._parts.values.calls.number(call)
        outcome = self._serving.carry_out(number, self._tables[place], self._time)
        self._tables[place], self._time = outcome.table, outcome.time
        self.changes.extend(outcome.changes)
        return self._parts.values.answers.value(outcome.answer)

    def tables(self, *places: int) -> Iterator[Table]:
        """What these kinds' tables are by now."""
        return (self._parts.tables.values[self._tables[place]].table for place in places)

    def writes(self) -> tuple[tuple[int, int], ...]:
        """The slots that have changed."""
        after = (*enumerate(self._tables), (TIME, self._time))
        return tuple((slot, number) for slot, number in after if number != self._before[slot])


class _Container(msgspec.Struct):
    image: str = ""


class _Containers(msgspec.Struct):
    containers: list[_Container]


def image_of(pod: Pod) -> str:
    """The image of the Pod's first container."""
    return msgspec.json.decode(pod.spec, type=_Containers).containers[0].image


def status_call(pod: Pod, patch: Json) -> Call:
    """What a kubelet says of a Pod."""
    return Call("patch", POD, pod.metadata.namespace, pod.metadata.name, "status", patch, MERGE)


_LET_GO = {"metadata": {"finalizers": None}}


def _surroundings(parts: Parts, namespaces: Table, state: State) -> Surroundings:
    caches = {kind.resource: parts.tables.values[state[place]].table for place, kind in enumerate(KINDS)}
    caches[NAMESPACE.resource] = namespaces
    return Surroundings(caches, parts.times.values[state[TIME]].now)


def _no_call(call: Call) -> Any:
    raise TypeError(f"a handler asks the API server: {call}")
