"""An asynchronous controller: caches that lag behind the server, and syncs that others come in between.

What can happen to it: an informer hears of a change, a key that waited becomes ready, a sync starts, one of its calls
is answered or refused, the controller is restarted, a watch breaks. Each is a function of the few numbers that it
reads, and is worked out once.

A sync reads its caches at once, up to its next call, as they are just then; and the answer to a call arrives as it is
carried out. The first loses nothing while a stretch reads each informer once, for then the news in between could as
well have come before. Where it reads one twice, and where the news of a sync's own write could overtake its answer,
``free_reads`` makes every cache read a call of its own, and the tests compare.

With ``lazy`` on, news are told only right before the controller looks: until then nobody can tell whether it has heard
of them. This is a partial-order reduction: hearing commutes with everything but this controller's own looking.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any

import msgspec

from reference.api.errors import ApiError, conflict, internal_error
from reference.api.kinds import NAMESPACE, Kind
from reference.controllers.factories import ControllerFactory
from reference.explore.desk import Desk, DeskQueue, Unfinished
from reference.explore.serving import PLACE, Outcome, Serving
from reference.explore.state import PLAN, TIME, Desks, Effect, Informer, Parts, State, Step
from reference.explore.syncs import Silent, Stretch, Surroundings, Syncs, memory_of, run, set_memory
from reference.explore.world import World
from reference.machinery.client import Call
from reference.machinery.driver import AskingEnvironment
from reference.machinery.store import Table
from reference.server.server import SUBRESOURCES

View = tuple[int, ...]
"""The numbers of a controller's informers."""
_Heard = tuple[View, int, tuple[Step, ...], int]
"""A view, the desk that goes with it, what was heard to come to it, and whose turn that was."""

_READS = ("get", "list")


class Worker:
    """``slots`` has the slot of each kind's informer; ``desk_slot`` that of the desk."""

    def __init__(
        self,
        parts: Parts,
        serving: Serving,
        world: World,
        factory: ControllerFactory,
        kinds: tuple[Kind[Any], ...],
        namespaces: Table,
        first_slot: int,
        *,
        lazy: bool,
    ) -> None:
        self._parts = parts
        self._serving = serving
        self._world = world
        self._lazy = lazy
        self._namespaces = namespaces
        self._queue = DeskQueue()
        self._controller = factory(AskingEnvironment(self._queue, Silent()), world.version)
        self._factory = factory
        self.name = self._controller.name
        self.kinds = kinds
        self.slots = {kind.resource: first_slot + index for index, kind in enumerate(kinds)}
        self.desk_slot = first_slot + len(kinds)
        self._view_slots = tuple(self.slots.values())
        self._view = slice(first_slot, self.desk_slot)
        self._syncs = Syncs(factory, world.version, parts.values)
        self.desks = Desks(self._syncs.nodes, parts.memories, parts.values)
        self._starts: dict[tuple[View, int, int], tuple[Effect, ...]] = {}
        self._answers: dict[tuple[View, int, int, tuple[int, ...], int], tuple[Effect, ...]] = {}
        self._hearings: dict[tuple[View, int, int], tuple[_Heard, ...]] = {}

    def at_rest(self, tables: State, time: int) -> tuple[int, ...]:
        """The informers and the desk of a controller that has seen and done all."""
        view, desk = self._started(tables, time)
        settled = msgspec.structs.replace(self.desks.values[desk], ready=(), waiting=(), due=())
        return (*view, self.desks.number(settled))

    def effects(self, state: State) -> Iterator[Effect]:
        """All that can happen to this controller in the state, its timers aside."""
        view, desk, time = state[self._view], state[self.desk_slot], state[TIME]
        key = (view, desk, time)
        starts = self._starts.get(key)
        if starts is None:
            starts = self._starts[key] = tuple(self._all_starts(view, desk, time))
        yield from starts
        syncs = self.desks.values[desk].syncs
        if syncs:
            tables = tuple(state[self._place_asked(sync)] for sync in syncs)
            asked = (view, desk, time, tables, state[PLAN])
            answers = self._answers.get(asked)
            if answers is None:
                answers = self._answers[asked] = tuple(self._all_answers(*asked))
            yield from answers
        left = self._parts.plans.values[state[PLAN]].left
        if left.restarts:
            yield self._restart(state)
        if left.relists:
            yield from self._relists(state)

    def due(self, state: State) -> Iterable[Any]:
        """When the keys that are due later are due."""
        return (when for _, when in self.desks.values[state[self.desk_slot]].due)

    def ring(self, desk: int, time: int) -> int:
        """The desk with all that is due at this time ready."""
        self._queue.desk, self._queue.now = self.desks.values[desk], self._parts.times.values[time].now
        self._queue.ring()
        return self.desks.number(self._queue.desk)

    # what it hears

    def _all_starts(self, view: View, desk: int, time: int) -> Iterator[Effect]:
        if self._lazy:
            for heard in self._heard(view, desk, time):
                yield from self._start(view, heard, time)
            return
        yield from self._start(view, (view, desk, (), 0), time)
        for after, desk_after, steps, turn in self._next_heard((view, desk, (), 0), time):
            yield Effect(steps, self._written(view, after, desk_after), serves=turn)

    def _heard(self, view: View, desk: int, time: int) -> tuple[_Heard, ...]:
        """All that it can have heard before it looks: the view as it is, and every way to go on from it."""
        key = (view, desk, time)
        known = self._hearings.get(key)
        if known is None:
            found: dict[tuple[View, int], _Heard] = {(view, desk): (view, desk, (), 0)}
            todo = list(found.values())
            for heard in todo:
                for after in self._next_heard(heard, time):
                    if after[:2] not in found:
                        found[after[:2]] = after
                        todo.append(after)
            known = self._hearings[key] = tuple(todo)
        return known

    def _next_heard(self, heard: _Heard, time: int) -> Iterator[_Heard]:
        view, desk, steps, turn = heard
        for index, number in enumerate(view):
            informer = self._parts.informers.values[number]
            if informer.pending:
                change = informer.pending[0]
                table = self._parts.tables.of(self._after(informer.cache, change))
                after = self._parts.informer(Informer(table, informer.pending[1:]))
                view_after = (*view[:index], after, *view[index + 1 :])
                old = self._parts.tables.values[informer.cache].table
                desk_after = self._handled(view_after, desk, time, [(old, change)])
                step = Step("deliver", self.name, f"hears: {self._parts.words(change)}")
                yield view_after, desk_after, (*steps, step), turn | self._parts.turn(self.name, "hears", str(index))
        for key in self.desks.values[desk].waiting:
            self._queue.desk = self.desks.values[desk]
            self._queue.wake(key)
            step = Step("wake", self.name, f"is to try {_short(key)} again")
            woken = self.desks.number(self._queue.desk)
            yield view, woken, (*steps, step), turn | self._parts.turn(self.name, "wakes", key)

    def _after(self, cache: int, change: int) -> Table:
        table, told = self._parts.tables.values[cache].table, self._parts.change(change)
        obj = self._parts.values.objects.values[told.object]
        revision = int(obj.metadata.resource_version) if self._world.one_counter else table.revision
        return table.without(obj, revision) if told.type == "DELETED" else table.with_object(obj, revision)

    def _handled(self, view: View, desk: int, time: int, news: Iterable[tuple[Table, int]]) -> int:
        """The desk after its handlers were told of changes, each in the place of what the table before it had."""

        def tell() -> Iterator[Coroutine[Any, Any, None]]:
            for before, change in news:
                told = self._parts.change(change)
                obj = self._parts.values.objects.values[told.object]
                old = before.get(obj.metadata.namespace, obj.metadata.name)
                if told.type == "DELETED":
                    yield self._controller.on_delete(obj)
                elif old is None:
                    yield self._controller.on_add(obj)
                else:
                    yield self._controller.on_update(old, obj)

        return self._told(view, desk, time, tell())

    def _told(self, view: View, desk: int, time: int, handlers: Iterable[Coroutine[Any, Any, None]]) -> int:
        around = self._around(view, time)
        before = self.desks.values[desk]
        self._queue.desk, self._queue.now = before, around.now
        set_memory(self._controller, self._parts.memories.values[before.memory])
        for handler in handlers:
            run(handler, around, _no_call)
        memory = self._parts.memory(memory_of(self._controller))
        return self.desks.number(msgspec.structs.replace(self._queue.desk, memory=memory))

    # what it does

    def _start(self, before: View, heard: _Heard, time: int) -> Iterator[Effect]:
        view, number, steps, turn = heard
        desk = self.desks.values[number]
        if not desk.ready or len(desk.syncs) >= self._world.workers:
            return
        key, *rest = desk.ready
        began = msgspec.structs.replace(desk, ready=tuple(rest), syncs=(*desk.syncs, Unfinished(key, -1)))
        memory = self._parts.memories.values[desk.memory]
        stretch = self._syncs.begin(key, memory, self._around(view, time))
        after = self._gone_on(began, began.syncs[-1], stretch, time)
        step = Step("start", self.name, f"looks at {_short(key)}{self._then(stretch)}")
        served = turn | self._parts.turn(self.name, "starts")
        yield Effect((*steps, step), self._written(before, view, after), serves=served)

    def _all_answers(self, view: View, desk: int, time: int, tables: tuple[int, ...], plan: int) -> Iterator[Effect]:
        for sync, table in zip(self.desks.values[desk].syncs, tables, strict=True):
            call = self._asked(sync)
            outcome = self._serving.carry_out(call, table, time)
            yield from self._answer(view, desk, time, sync, outcome)
            if self._parts.plans.values[plan].left.refusals:
                yield from self._refusals(view, desk, time, sync, table, plan, outcome)

    def _answer(self, view: View, desk: int, time: int, sync: Unfinished, outcome: Outcome) -> Iterator[Effect]:
        call = self._parts.values.calls.values[self._asked(sync)]
        answer = self._parts.values.answers.value(outcome.answer)
        told = f": {_first_line(answer)}" if isinstance(answer, ApiError) else ""
        step = Step("answer", self.name, f"{in_words(call)}{told}")
        turn = self._parts.turn(self.name, "is answered", sync.key)
        served = ((PLACE[call.kind.name], outcome.table), (TIME, outcome.time)) if outcome.changes else ()
        for written, then, steps, heard in self._goings_on(view, desk, outcome.time, sync, outcome.answer):
            last = Step(step.kind, step.who, step.what + then)
            yield Effect((*steps, last), (*served, *written), outcome.changes, serves=turn | heard)

    def _goings_on(
        self, view: View, desk: int, time: int, sync: Unfinished, answer: int
    ) -> Iterator[tuple[tuple[tuple[int, int], ...], str, tuple[Step, ...], int]]:
        """What may follow from an answer: more than one thing if the sync looks into its caches then."""
        looked = False
        for heard_view, heard_desk, steps, turn in (
            self._heard(view, desk, time) if self._lazy else ((view, desk, (), 0),)
        ):
            before = self.desks.values[heard_desk]
            answers = (*sync.answers, answer)
            if len(answers) < len(self._syncs.nodes.values[sync.node].calls):
                waits = tuple(
                    Unfinished(sync.key, sync.node, answers) if each == sync else each for each in before.syncs
                )
                after = self.desks.number(msgspec.structs.replace(before, syncs=waits))
                yield self._written(view, heard_view, after), "", steps, turn
                return
            memory = self._parts.memories.values[before.memory]
            stretch = self._syncs.go_on(sync.node, answers, memory, self._around(heard_view, time))
            after = self._gone_on(before, sync, stretch, time)
            yield self._written(view, heard_view, after), self._then(stretch), steps, turn
            looked = stretch.looked
            if not looked:
                return

    def _refusals(
        self, view: View, desk: int, time: int, sync: Unfinished, table: int, plan: int, outcome: Outcome
    ) -> Iterator[Effect]:
        call = self._parts.values.calls.values[self._asked(sync)]
        spent = self._spent(plan, "refusals")
        for how in self._world.refused_with:
            if how != "error" and call.verb in _READS:
                continue
            error = _refusal(how, call)
            answer = self._parts.values.answers.number(error)
            carried_out = how == "lost" and outcome.changes
            step = Step("refuse", self.name, f"{in_words(call)}: {how}, {_first_line(error)}")
            served = ((PLACE[call.kind.name], outcome.table), (TIME, outcome.time)) if carried_out else ()
            for written, then, steps, _ in self._goings_on(view, desk, time, sync, answer):
                last = Step(step.kind, step.who, step.what + then)
                changes = outcome.changes if carried_out else ()
                yield Effect((*steps, last), (*served, *written, (PLAN, spent)), changes, fair=False)

    def _gone_on(self, desk: Desk, sync: Unfinished, stretch: Stretch, time: int) -> int:
        """The desk after a stretch of one of its syncs."""
        queue = self._queue
        queue.desk, queue.now = desk, self._parts.times.values[time].now
        for verb, key, delay in stretch.told:
            if verb == "add_after":
                queue.add_after(key, delay)
            else:
                getattr(queue, verb)(key)
        if stretch.node is None:
            self._controller.handle_error(stretch.error, sync.key)
            queue.done(sync)
        else:
            goes_on = Unfinished(sync.key, stretch.node)
            syncs = tuple(goes_on if each == sync else each for each in queue.desk.syncs)
            queue.desk = msgspec.structs.replace(queue.desk, syncs=syncs)
        return self.desks.number(msgspec.structs.replace(queue.desk, memory=self._parts.memory(stretch.memory)))

    def _restart(self, state: State) -> Effect:
        view, desk = self._started(state, state[TIME])
        step = Step("restart", self.name, "is restarted")
        writes = (*zip(self._view_slots, view, strict=True), (self.desk_slot, desk))
        return Effect((step,), (*writes, (PLAN, self._spent(state[PLAN], "restarts"))), fair=False)

    def _started(self, tables: State, time: int) -> tuple[View, int]:
        """The informers and the desk of a controller that was started just now."""
        fresh = self._factory(AskingEnvironment(self._queue, Silent()), self._world.version)
        view = tuple(self._parts.informer(Informer(self._listed(tables[PLACE[kind.name]]))) for kind in self.kinds)
        empty = self.desks.number(Desk(self._parts.memory(memory_of(fresh))))
        around = self._around(view, time)
        objects = (obj for kind in self.kinds for obj in _all(around.caches[kind.resource]))
        return view, self._told(view, empty, time, (self._controller.on_add(obj) for obj in objects))

    def _relists(self, state: State) -> Iterator[Effect]:
        view, desk, time = state[self._view], state[self.desk_slot], state[TIME]
        for index, kind in enumerate(self.kinds):
            informer = self._parts.informers.values[view[index]]
            if len(informer.pending) < 2:
                continue
            before = self._parts.tables.values[informer.cache].table
            listed = self._listed(state[PLACE[kind.name]])
            after = self._parts.informer(Informer(listed))
            view_after = (*view[:index], after, *view[index + 1 :])
            news = self._differences(PLACE[kind.name], before, self._parts.tables.values[listed].table)
            desk_after = self._handled(view_after, desk, time, [(before, change) for change in news])
            step = Step("relist", self.name, f"lists {kind.resource} anew, its watch being broken")
            spent = (PLAN, self._spent(state[PLAN], "relists"))
            yield Effect((step,), (*self._written(view, view_after, desk_after), spent), fair=False)

    def _differences(self, place: int, before: Table, after: Table) -> Iterator[int]:
        for old in _all(before):
            if after.get(old.metadata.namespace, old.metadata.name) is None:
                yield self._parts.values.change("DELETED", place, old)
        for new in _all(after):
            if before.get(new.metadata.namespace, new.metadata.name) != new:
                yield self._parts.values.change("MODIFIED", place, new)

    def _listed(self, table: int) -> int:
        """A cache that has just been filled: what the server has, without what it alone knows."""
        return self._parts.tables.of(self._parts.tables.values[table].table)

    def _around(self, view: View, time: int) -> Surroundings:
        tables = self._parts.tables.values
        caches = {
            kind.resource: tables[self._parts.informers.values[number].cache].table
            for kind, number in zip(self.kinds, view, strict=True)
        }
        caches[NAMESPACE.resource] = self._namespaces
        return Surroundings(caches, self._parts.times.values[time].now)

    def _written(self, before: View, after: View, desk: int) -> tuple[tuple[int, int], ...]:
        changed = ((slot, new) for slot, old, new in zip(self._view_slots, before, after, strict=True) if old != new)
        return (*changed, (self.desk_slot, desk))

    def _asked(self, sync: Unfinished) -> int:
        """The call that a sync waits for: of several side by side, one after the other."""
        return self._syncs.nodes.values[sync.node].calls[len(sync.answers)]

    def _place_asked(self, sync: Unfinished) -> int:
        return PLACE[self._parts.values.calls.values[self._asked(sync)].kind.name]

    def _then(self, stretch: Stretch) -> str:
        if stretch.node is not None:
            return ""
        return f"; gives up for now: {_first_line(stretch.error)}" if stretch.error is not None else "; done"

    def _spent(self, plan: int, what: str) -> int:
        before = self._parts.plans.values[plan]
        left = msgspec.structs.replace(before.left, **{what: getattr(before.left, what) - 1})
        return self._parts.plans.number(msgspec.structs.replace(before, left=left))


def in_words(call: Call) -> str:
    """A call as an operator would call it."""
    name = call.name or getattr(getattr(call.body, "metadata", None), "generate_name", "")
    part = f"'s {call.subresource}" if call.subresource in SUBRESOURCES[call.kind.name][1:] else ""
    return f"{_VERBS[call.verb]} {call.kind.name} {name}{part}"


_VERBS = {
    "get": "reads",
    "list": "lists",
    "create": "creates",
    "update": "updates",
    "patch": "patches",
    "delete": "deletes",
    "deletecollection": "deletes every",
}


def _refusal(how: str, call: Call) -> ApiError:
    if how == "conflict":
        return conflict(call.kind, call.name)
    if how == "error":
        return internal_error("etcdserver: request timed out")
    return ApiError(504, "Timeout", "Timeout: request did not complete within the allotted timeout")


def _no_call(call: Call) -> Any:
    raise TypeError(f"a handler {in_words(call)}, as before 1.37: this is explored from 1.37 on")


def _all(table: Table) -> list[Any]:
    spaces = table.by_namespace
    return [spaces[space][name] for space in sorted(spaces) for name in sorted(spaces[space])]


def _first_line(error: object) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _short(key: str) -> str:
    return key.rpartition("/")[2]


Refuser = Callable[[Call], ApiError]
