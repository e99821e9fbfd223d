"""An asynchronous controller: caches that lag behind the server, and syncs that others come in between.

What can happen to it: an informer hears of a change, a key that waited becomes ready, a sync starts, one of its calls
is answered or refused, the controller is restarted, a watch breaks. Each is a function of the few numbers that it
reads, and is worked out once.

A sync reads its caches at once, up to its next call, as they are just then; and the answer to a call arrives as it is
carried out. The first loses nothing while a stretch reads each informer once, for then the news in between could as
well have come before; with ``each_read``, news come between any two reads. The second leaves out that the news of a
sync's own write overtake its answer.

With ``lazy`` on, news are told only right before the controller looks: until then nobody can tell whether it has heard
of them. This is a partial-order reduction: hearing commutes with everything but this controller's own looking, and
the end of a sync, after which a key that came meanwhile queues behind the others. News whose handler asks the server
commute with nothing, and are told at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from reference.api.errors import ApiError, conflict, internal_error
from reference.api.kinds import Kind
from reference.controllers.factories import ControllerFactory
from reference.explore.desk import Desk, DeskQueue, Unfinished
from reference.explore.hearing import Heard, Hearing, View
from reference.explore.serving import KINDS, PLACE, Outcome, Serving
from reference.explore.state import PLAN, TIME, Desks, Effect, Parts, State, Step, StepKind
from reference.explore.syncs import Silent, Stretch, Syncs
from reference.explore.world import World
from reference.machinery.client import Call
from reference.machinery.driver import AskingEnvironment
from reference.machinery.store import Table
from reference.server.server import SUBRESOURCES

_READS = ("get", "list")
_NO_TABLE = -1
_SERVER = slice(len(KINDS))
"""Where a state has the server's tables."""
_Writes = tuple[tuple[int, int], ...]


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
        each_read: bool,
    ) -> None:
        self._parts = parts
        self._serving = serving
        self._world = world
        self._lazy = lazy
        self._queue = DeskQueue()
        self._handling = factory(AskingEnvironment(self._queue, Silent()), world.version)
        self._syncs = Syncs(factory, world.version, parts.values, each_read=each_read)
        self.desks = Desks(self._syncs.nodes, parts.memories, parts.values)
        self._hearing = Hearing(parts, serving, world, factory, kinds, namespaces, self.desks)
        self.name = self._hearing.name
        self.slots = {kind.resource: first_slot + index for index, kind in enumerate(kinds)}
        self.desk_slot = first_slot + len(kinds)
        self._view_slots = tuple(self.slots.values())
        self._view = slice(first_slot, self.desk_slot)
        self._starts: dict[tuple[View, int, int, State], tuple[Effect, ...]] = {}
        self._answers: dict[tuple[View, int, int, tuple[int, ...], int, State], tuple[Effect, ...]] = {}
        self._stretches: dict[tuple[str, int, tuple[int, ...], int, View, int], Stretch] = {}
        self._desks_after: dict[tuple[int, Unfinished, Stretch, int], int] = {}

    def at_rest(self, tables: State, time: int) -> tuple[int, ...]:
        """The informers and the desk of a controller that has seen and done all."""
        view, desk = self._hearing.started(tables, time)
        settled = msgspec.structs.replace(self.desks.values[desk], ready=(), waiting=(), due=())
        return (*view, self.desks.number(settled))

    def effects(self, state: State) -> Iterator[Effect]:
        """All that can happen to this controller in the state, its timers aside."""
        view, desk, time = state[self._view], state[self.desk_slot], state[TIME]
        server = state[_SERVER]
        key = (view, desk, time, self._hearing.that_matter(server))
        starts = self._starts.get(key)
        if starts is None:
            starts = self._starts[key] = tuple(self._all_starts(view, desk, time, server))
        yield from starts
        syncs = self.desks.values[desk].syncs
        if syncs:
            tables = tuple([self._table_asked(sync, state) for sync in syncs])
            asked = (view, desk, time, tables, state[PLAN], self._hearing.that_matter(server))
            answers = self._answers.get(asked)
            if answers is None:
                answers = self._answers[asked] = tuple(self._all_answers(view, desk, time, tables, state[PLAN], server))
            yield from answers
        left = self._parts.plans.values[state[PLAN]].left
        if left.restarts:
            yield self._restart(state)
        if left.relists:
            yield from self._relists(state)

    def unheard(self, state: State) -> dict[str, int]:
        """How many pieces of news are still to be heard, by resource."""
        informers = self._parts.informers.values
        return {resource: len(informers[state[slot]].pending) for resource, slot in self.slots.items()}

    def in_sync(self, state: State) -> bool:
        """Whether one of its syncs has begun and not ended."""
        return bool(self.desks.values[state[self.desk_slot]].syncs)

    def listens(self, state: State) -> int:
        """Whose turn it is to hear something, as bits."""
        view, desk, time = state[self._view], state[self.desk_slot], state[TIME]
        ready = 0
        for heard in self._hearing.next(view, desk, time, state[_SERVER]):
            ready |= heard.turn
        return ready

    def due(self, state: State) -> Iterator[datetime]:
        """When the keys that are due later are due."""
        return (when for _, when in self.desks.values[state[self.desk_slot]].due)

    def ring(self, desk: int, time: int) -> int:
        """The desk with all that is due at this time ready."""
        self._queue.desk, self._queue.now = self.desks.values[desk], self._parts.times.values[time].now
        self._queue.ring()
        return self.desks.number(self._queue.desk)

    def _all_starts(self, view: View, desk: int, time: int, server: State) -> Iterator[Effect]:
        if not self._lazy:
            yield from self._start(view, Heard(view, desk), time)
            for heard in self._hearing.next(view, desk, time, server):
                yield self._hears(view, heard)
            return
        for heard in self._hearing.all_ways(view, desk, time, server):
            yield from self._start(view, heard, time)
            if heard.asked:
                yield self._hears(view, heard)

    def _hears(self, before: View, heard: Heard) -> Effect:
        return Effect(heard.steps, self._written(before, heard.view, heard.desk), serves=heard.turn)

    def _start(self, before: View, heard: Heard, time: int) -> Iterator[Effect]:
        desk = self.desks.values[heard.desk]
        if not desk.ready or len(desk.syncs) >= self._world.workers:
            return
        view = self._hearing.waited(heard.view)
        if view is None:
            return
        key = desk.ready[0]
        sync = Unfinished(key, -1)
        stretch = self._stretch(sync, (), desk.memory, self._hearing.caches(heard.view), time)
        after = self._begun(heard.desk, sync, stretch, time)
        step = Step("start", self.name, f"looks at {key.rpartition('/')[2]}{_then(stretch)}")
        turn = heard.turn | self._parts.turn(self.name, "starts")
        yield Effect((*heard.steps, step), self._written(before, view, after), serves=turn)

    def _all_answers(
        self, view: View, desk: int, time: int, tables: tuple[int, ...], plan: int, server: State
    ) -> Iterator[Effect]:
        for sync, table in zip(self.desks.values[desk].syncs, tables, strict=True):
            if table == _NO_TABLE:
                yield from self._read(view, desk, time, sync, server)
                continue
            outcome = self._serving.carry_out(self._asked(sync), table, time)
            yield from self._answer(view, desk, sync, outcome, server)
            if self._parts.plans.values[plan].left.refusals:
                yield from self._refusals(view, desk, time, sync, plan, outcome, server)

    def _read(self, view: View, desk: int, time: int, sync: Unfinished, server: State) -> Iterator[Effect]:
        """The next read of a sync, once whatever was heard."""
        question = self._syncs.nodes.values[sync.node].read
        assert question is not None
        turn = self._parts.turn(self.name, "reads", sync.key)
        words = f"reads its {question.kind.resource} for {sync.key.rpartition('/')[2]}"
        ways = self._hearing.all_ways(view, desk, time, server) if self._lazy else (Heard(view, desk),)
        for heard in ways:
            _, steps, written, its_turn = self._going_on(view, heard, time, sync, (), "read", words)
            yield Effect(steps, written, serves=turn | its_turn)

    def _answer(self, view: View, desk: int, sync: Unfinished, outcome: Outcome, server: State) -> Iterator[Effect]:
        call = self._parts.values.calls.values[self._asked(sync)]
        answer = self._parts.values.answers.value(outcome.answer)
        told = f": {_refusal_in_words(answer)}" if isinstance(answer, ApiError) else ""
        turn = self._parts.turn(self.name, "is answered", sync.key)
        served = _served(call, outcome)
        for steps, written, heard in self._goings_on(
            view, desk, outcome.time, sync, outcome.answer, server, "answer", in_words(call) + told
        ):
            yield Effect(steps, (*served, *written), outcome.changes, serves=turn | heard, call=call)

    def _refusals(
        self, view: View, desk: int, time: int, sync: Unfinished, plan: int, outcome: Outcome, server: State
    ) -> Iterator[Effect]:
        call = self._parts.values.calls.values[self._asked(sync)]
        spent = (PLAN, self._spent(plan, "refusals"))
        for how in self._world.refused_with:
            if how != "error" and call.verb in _READS:
                continue
            error = _refusal(how, call)
            answer = self._parts.values.answers.number(error)
            carried_out = how == "lost"
            served, changes = (_served(call, outcome), outcome.changes) if carried_out else ((), ())
            words = f"{in_words(call)}{', and the answer is lost' if carried_out else ''}: {_refusal_in_words(error)}"
            at = outcome.time if carried_out else time
            for steps, written, _ in self._goings_on(view, desk, at, sync, answer, server, "refuse", words):
                yield Effect(steps, (*served, *written, spent), changes, fair=False, call=call, refused=how)

    def _goings_on(
        self,
        view: View,
        desk: int,
        time: int,
        sync: Unfinished,
        answer: int,
        server: State,
        kind: StepKind,
        words: str,
    ) -> Iterator[tuple[tuple[Step, ...], _Writes, int]]:
        """What may follow from an answer: more than one thing if the sync looks into its caches then.

        Or if it ends, and what was heard before that would, heard later, leave the queue in another order.
        """
        answers = (*sync.answers, answer)
        if len(answers) < len(self._syncs.nodes.values[sync.node].calls):
            before = self.desks.values[desk]
            syncs = tuple(Unfinished(sync.key, sync.node, answers) if each == sync else each for each in before.syncs)
            after = self.desks.number(msgspec.structs.replace(before, syncs=syncs))
            yield (Step(kind, self.name, words),), self._written(view, view, after), 0
            return
        first = self._going_on(view, Heard(view, desk), time, sync, answers, kind, words)
        yield first[1:]
        if self._lazy and first[0].looked:
            for heard in self._hearing.all_ways(view, desk, time, server)[1:]:
                yield self._going_on(view, heard, time, sync, answers, kind, words)[1:]
        elif self._lazy and first[0].node is None:
            _, desk_after = first[2][-1]
            later = {(heard.view, heard.desk) for heard in self._hearing.all_ways(view, desk_after, time, server)}
            for heard in self._hearing.all_ways(view, desk, time, server)[1:]:
                going = self._going_on(view, heard, time, sync, answers, kind, words)
                after = going[2][-1][1]
                if len(self.desks.values[after].ready) > 1 and (heard.view, after) not in later:
                    yield going[1:]

    def _going_on(
        self,
        before: View,
        heard: Heard,
        time: int,
        sync: Unfinished,
        answers: tuple[int, ...],
        kind: StepKind,
        words: str,
    ) -> tuple[Stretch, tuple[Step, ...], _Writes, int]:
        """What follows from all the answers that a sync waited for, once so much was heard."""
        memory, caches = self.desks.values[heard.desk].memory, self._hearing.caches(heard.view)
        stretch = self._stretch(sync, answers, memory, caches, time)
        after = self._gone_on(heard.desk, sync, stretch, time)
        step = Step(kind, self.name, words + _then(stretch))
        return stretch, (*heard.steps, step), self._written(before, heard.view, after), heard.turn

    def _stretch(self, sync: Unfinished, answers: tuple[int, ...], memory: int, caches: View, time: int) -> Stretch:
        key = (sync.key, sync.node, answers, memory, caches, time)
        known = self._stretches.get(key)
        if known is None:
            around, remembered = self._hearing.around(caches, time), self._parts.memories.values[memory]
            if sync.node < 0:
                known = self._syncs.begin(sync.key, remembered, around)
            else:
                known = self._syncs.go_on(sync.node, answers, remembered, around)
            self._stretches[key] = known
        return known

    def _begun(self, desk: int, sync: Unfinished, stretch: Stretch, time: int) -> int:
        """The desk after the first stretch of a sync of its first key."""
        key = (desk, sync, stretch, time)
        known = self._desks_after.get(key)
        if known is None:
            before = self.desks.values[desk]
            begun = msgspec.structs.replace(before, ready=before.ready[1:], syncs=(*before.syncs, sync))
            known = self._desks_after[key] = self._desk_after(begun, sync, stretch, time)
        return known

    def _gone_on(self, desk: int, sync: Unfinished, stretch: Stretch, time: int) -> int:
        """The desk after a stretch of one of its syncs."""
        key = (desk, sync, stretch, time)
        known = self._desks_after.get(key)
        if known is None:
            known = self._desks_after[key] = self._desk_after(self.desks.values[desk], sync, stretch, time)
        return known

    def _desk_after(self, desk: Desk, sync: Unfinished, stretch: Stretch, time: int) -> int:
        queue = self._queue
        queue.desk, queue.now = desk, self._parts.times.values[time].now
        queue.take(stretch.told)
        if stretch.node is None:
            self._handling.handle_error(stretch.error, sync.key)
            queue.done(sync)
        else:
            goes_on = Unfinished(sync.key, stretch.node)
            syncs = tuple(goes_on if each == sync else each for each in queue.desk.syncs)
            queue.desk = msgspec.structs.replace(queue.desk, syncs=syncs)
        return self.desks.number(msgspec.structs.replace(queue.desk, memory=self._parts.memory(stretch.memory)))

    def _restart(self, state: State) -> Effect:
        view, desk = self._hearing.started(state, state[TIME])
        step = Step("restart", self.name, "is restarted")
        writes = self._written(state[self._view], view, desk)
        return Effect((step,), (*writes, (PLAN, self._spent(state[PLAN], "restarts"))), fair=False)

    def _relists(self, state: State) -> Iterator[Effect]:
        view, desk, time = state[self._view], state[self.desk_slot], state[TIME]
        for index in range(len(view)):
            heard = self._hearing.relisted(index, view, desk, state, time)
            if heard is not None:
                spent = (PLAN, self._spent(state[PLAN], "relists"))
                yield Effect(heard.steps, (*self._written(view, heard.view, heard.desk), spent), fair=False)

    def _written(self, before: View, after: View, desk: int) -> _Writes:
        if before == after:
            return ((self.desk_slot, desk),)
        slots = zip(self._view_slots, before, after, strict=True)
        return (*((slot, new) for slot, old, new in slots if old != new), (self.desk_slot, desk))

    def _asked(self, sync: Unfinished) -> int:
        """The call that a sync waits for: of several side by side, one after the other."""
        return self._syncs.nodes.values[sync.node].calls[len(sync.answers)]

    def _table_asked(self, sync: Unfinished, state: State) -> int:
        """The table in which the call that a sync waits for is carried out; none if it is to read a cache."""
        if self._syncs.nodes.values[sync.node].read is not None:
            return _NO_TABLE
        return state[PLACE[self._parts.values.calls.values[self._asked(sync)].kind.name]]

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


def _served(call: Call, outcome: Outcome) -> _Writes:
    """What a call has written on the server's side."""
    return ((PLACE[call.kind.name], outcome.table), (TIME, outcome.time)) if outcome.changes else ()


def _refusal(how: str, call: Call) -> ApiError:
    if how == "conflict":
        return conflict(call.kind, call.name)
    if how == "error":
        return internal_error("etcdserver: request timed out")
    return ApiError(504, "Timeout", "Timeout: request did not complete within the allotted timeout")


def _then(stretch: Stretch) -> str:
    if stretch.node is not None:
        return ""
    if stretch.error is None:
        return "; done"
    return "; gives up for now" if isinstance(stretch.error, ApiError) else f"; gives up for now: {stretch.error}"


def _refusal_in_words(error: ApiError) -> str:
    return f"{error.code} {error.reason}"
