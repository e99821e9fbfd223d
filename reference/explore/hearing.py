"""What an asynchronous controller hears: the news of its informers, which its handlers turn into keys on its desk.

In come a *view* (the numbers of its informers) and a desk, out go those after a piece of news, after a list in its
place, or after a start from nothing.

A handler may ask the API server, as the Deployment controller's did until 1.36 when a Pod was gone. It is answered at
once, from the server's *tables* as they are just then: so it matters when such a piece of news is heard.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator
from typing import Any

import msgspec

from reference.api.kinds import NAMESPACE, Kind
from reference.controllers.factories import ControllerFactory
from reference.explore.desk import Desk, DeskQueue, Telling, Told
from reference.explore.serving import PLACE, Serving
from reference.explore.state import Desks, Informer, Parts, State, Step
from reference.explore.syncs import Silent, Surroundings, memory_of, run, set_memory
from reference.explore.world import World
from reference.machinery.client import Call
from reference.machinery.driver import AskingEnvironment
from reference.machinery.environment import Controller
from reference.machinery.store import Table

View = tuple[int, ...]
"""The numbers of a controller's informers."""


class Heard(msgspec.Struct, frozen=True, gc=False):
    """A view and the desk that goes with it; what was heard to come to it, and whose turn that was.

    ``asked``: whether a handler asked the server about what was heard last.
    """

    view: View
    desk: int
    steps: tuple[Step, ...] = ()
    turn: int = 0
    asked: bool = False


class _Handled(msgspec.Struct, frozen=True, gc=False):
    """What handlers told the queue, the memory after them, and whether they asked the server."""

    told: tuple[Told, ...]
    memory: int
    asked: bool


class Hearing:
    """The ears of one controller, for the news of these kinds."""

    def __init__(
        self,
        parts: Parts,
        serving: Serving,
        world: World,
        factory: ControllerFactory,
        kinds: tuple[Kind[Any], ...],
        namespaces: Table,
        desks: Desks,
    ) -> None:
        self.kinds = kinds
        self._parts = parts
        self._serving = serving
        self._asks = False
        self._one_counter = world.counts_as_one
        self._patience = world.patience
        self._namespaces = namespaces
        self._desks = desks
        self._telling = Telling()
        self._factory = factory
        self._version = world.version
        self._controller = self._made()
        self.name = self._controller.name
        self._known: dict[tuple[View, int, int, State], tuple[Heard, ...]] = {}
        self._next: dict[tuple[View, int, int, State], tuple[Heard, ...]] = {}
        self._handled: dict[tuple[int, int, View, int, State], _Handled] = {}
        self._desks_after: dict[tuple[int, tuple[Told, ...], int, int], int] = {}
        self._moved: dict[int, tuple[int, int, Step]] = {}
        self._arounds: dict[tuple[View, int], Surroundings] = {}

    def that_matter(self, tables: State) -> State:
        """The server's tables if what is heard can depend on them: since some handler has asked for one. Else none."""
        return tables if self._asks else ()

    def all_ways(self, view: View, desk: int, time: int, tables: State) -> tuple[Heard, ...]:
        """Nothing, and every way to hear more, in any order of the kinds; the shorter first."""
        key = (view, desk, time, self.that_matter(tables))
        known = self._known.get(key)
        if known is None:
            first = Heard(view, desk)
            found = {(view, desk)}
            todo = [first]
            for heard in todo:
                for after in self.next(heard.view, heard.desk, time, tables):
                    if (after.view, after.desk) not in found:
                        found.add((after.view, after.desk))
                        steps, turn = (*heard.steps, *after.steps), heard.turn | after.turn
                        todo.append(Heard(after.view, after.desk, steps, turn, after.asked))
            known = self._known[key] = tuple(todo)
        return known

    def next(self, view: View, desk: int, time: int, tables: State) -> tuple[Heard, ...]:
        """Each of the next pieces of news, and each key that waited and is ready now."""
        key = (view, desk, time, self.that_matter(tables))
        known = self._next.get(key)
        if known is None:
            known = self._next[key] = (*self._news(view, desk, time, tables), *self._woken(view, desk))
        return known

    def waited(self, view: View) -> View | None:
        """The view when the controller begins to look; None if some news have waited for too long by then."""
        if not self._patience:
            return view
        after = tuple([self._waited(number) for number in view])
        return None if -1 in after else after

    def started(self, tables: State, time: int) -> tuple[View, int]:
        """The view and the desk of a controller that was started just now: it is told of all that there is."""
        view = tuple(self._parts.informer(Informer(self._listed(tables[PLACE[kind.name]]))) for kind in self.kinds)
        empty = self._desks.number(Desk(self._parts.memory(memory_of(self._made()))))
        around = self.around(self.caches(view), time)
        objects = [obj for kind in self.kinds for obj in _all(around.caches[kind.resource])]
        handlers = map(self._controller.on_add, objects)
        handled = self._tell(self._desks.values[empty].memory, around, handlers, tables, time)
        return view, self._desk_after(empty, handled, time)

    def relisted(self, index: int, view: View, desk: int, tables: State, time: int) -> Heard | None:
        """One informer lists, instead of hearing its news one by one; None if that could make no difference."""
        informer, place = self._parts.informers.values[view[index]], PLACE[self.kinds[index].name]
        if len(informer.pending) < 2:
            return None
        listed = self._listed(tables[place])
        after = (*view[:index], self._parts.informer(Informer(listed)), *view[index + 1 :])
        before = self._parts.tables.values[informer.cache].table
        news = _differences(before, self._parts.tables.values[listed].table)
        around = self.around(self.caches(after), time)
        handlers = (self._handler(*each) for each in news)
        handled = self._tell(self._desks.values[desk].memory, around, handlers, tables, time)
        step = Step("relist", self.name, f"lists {self.kinds[index].resource} anew, its watch being broken")
        return Heard(after, self._desk_after(desk, handled, time), (step,))

    def caches(self, view: View) -> View:
        """The tables that the caches are."""
        informers = self._parts.informers.values
        return tuple([informers[number].cache for number in view])

    def around(self, caches: View, time: int) -> Surroundings:
        """What a controller with these caches can look at."""
        key = (caches, time)
        known = self._arounds.get(key)
        if known is None:
            tables = self._parts.tables.values
            named = {kind.resource: tables[cache].table for kind, cache in zip(self.kinds, caches, strict=True)}
            named[NAMESPACE.resource] = self._namespaces
            known = self._arounds[key] = Surroundings(named, self._parts.times.values[time].now)
        return known

    def _waited(self, number: int) -> int:
        informer = self._parts.informers.values[number]
        if not informer.pending:
            return number
        if informer.waited >= self._patience:
            return -1
        return self._parts.informer(Informer(informer.cache, informer.pending, informer.waited + 1))

    def _made(self) -> Controller:
        return self._factory(AskingEnvironment(self._telling, Silent()), self._version)

    def _news(self, view: View, desk: int, time: int, tables: State) -> Iterator[Heard]:
        for index, number in enumerate(view):
            moved = self._moved_on(number)
            if moved is None:
                continue
            after, change, step = moved
            heard = (*view[:index], after, *view[index + 1 :])
            handled = self._handled_of(change, number, heard, self._desks.values[desk].memory, time, tables)
            turn = self._parts.turn(self.name, "hears", str(index))
            yield Heard(heard, self._desk_after(desk, handled, time), (step,), turn, handled.asked)

    def _woken(self, view: View, desk: int) -> Iterator[Heard]:
        for key in self._desks.values[desk].waiting:
            queue = DeskQueue(self._desks.values[desk])
            queue.wake(key)
            step = Step("wake", self.name, f"is to try {key.rpartition('/')[2]} again")
            turn = self._parts.turn(self.name, "wakes", key)
            yield Heard(view, self._desks.number(queue.desk), (step,), turn)

    def _moved_on(self, number: int) -> tuple[int, int, Step] | None:
        """The informer after its next piece of news, and the news; None if there are none."""
        informer = self._parts.informers.values[number]
        if not informer.pending:
            return None
        known = self._moved.get(number)
        if known is None:
            change, rest = informer.pending[0], informer.pending[1:]
            table = self._parts.tables.of(self._table_after(self._parts.tables.values[informer.cache].table, change))
            step = Step("deliver", self.name, f"hears: {self._parts.words(change)}")
            known = self._moved[number] = (self._parts.informer(Informer(table, rest)), change, step)
        return known

    def _table_after(self, table: Table, change: int) -> Table:
        told = self._parts.change(change)
        obj = self._parts.values.objects.values[told.object]
        revision = int(obj.metadata.resource_version) if self._one_counter else table.revision
        return table.without(obj, revision) if told.type == "DELETED" else table.with_object(obj, revision)

    def _handled_of(self, change: int, informer: int, heard: View, memory: int, time: int, tables: State) -> _Handled:
        """What the handlers make of a change."""
        before = self._parts.informers.values[informer].cache
        caches = self.caches(heard)
        key = (change, before, caches, memory, self.that_matter(tables))
        known = self._handled.get(key)
        if known is None:
            told = self._parts.change(change)
            new = self._parts.values.objects.values[told.object]
            old = self._parts.tables.values[before].table.get(new.metadata.namespace, new.metadata.name)
            handler = self._handler(old, None if told.type == "DELETED" else new, new)
            known = self._handled[key] = self._tell(memory, self.around(caches, time), (handler,), tables, time)
        return known

    def _handler(self, old: Any, new: Any, last: Any) -> Coroutine[Any, Any, None]:
        """The handler of a change from ``old`` to ``new``; ``last`` is what is known of one that is gone."""
        if new is None:
            return self._controller.on_delete(last)
        return self._controller.on_add(new) if old is None else self._controller.on_update(old, new)

    def _tell(
        self,
        memory: int,
        around: Surroundings,
        handlers: Iterable[Coroutine[Any, Any, None]],
        tables: State,
        time: int,
    ) -> _Handled:
        asked: list[Call] = []

        def answer(call: Call) -> Any:
            asked.append(call)
            return self._read(call, tables, time)

        set_memory(self._controller, self._parts.memories.values[memory])
        for handler in handlers:
            run(handler, around, answer)
        self._asks = self._asks or bool(asked)
        return _Handled(self._telling.taken(), self._parts.memory(memory_of(self._controller)), bool(asked))

    def _read(self, call: Call, tables: State, time: int) -> Any:
        values = self._parts.values
        outcome = self._serving.carry_out(values.calls.number(call), tables[PLACE[call.kind.name]], time)
        if outcome.changes:
            raise TypeError(f"a handler writes, which nobody could refuse or come before: {call}")
        return values.answers.value(outcome.answer)

    def _desk_after(self, desk: int, handled: _Handled, time: int) -> int:
        key = (desk, handled.told, handled.memory, time)
        known = self._desks_after.get(key)
        if known is None:
            queue = DeskQueue(self._desks.values[desk], self._parts.times.values[time].now)
            queue.take(handled.told)
            after = msgspec.structs.replace(queue.desk, memory=handled.memory)
            known = self._desks_after[key] = self._desks.number(after)
        return known

    def _listed(self, table: int) -> int:
        """A cache that has just been filled: what the server has, without what it alone knows."""
        return self._parts.tables.of(self._parts.tables.values[table].table)


def _differences(before: Table, after: Table) -> Iterator[tuple[Any, Any, Any]]:
    """What is gone, and then what is new or another, as a list tells it."""
    for old in _all(before):
        if after.get(old.metadata.namespace, old.metadata.name) is None:
            yield old, None, old
    for new in _all(after):
        old = before.get(new.metadata.namespace, new.metadata.name)
        if old != new:
            yield old, new, new


def _all(table: Table) -> list[Any]:
    spaces = table.by_namespace
    return [spaces[space][name] for space in sorted(spaces) for name in sorted(spaces[space])]
