"""One controller at work in a simulated cluster: its informers, its queue, its recorder, and the syncs it does.

The cluster decides when; the runner does one thing at a time. A sync runs from its first question to its last
without anything else happening in between, so a controller sees the news of its own writes after the sync, as
upstream's caches, which lag, let it.

Source: upstream's worker loops (``processNextWorkItem``) and client-go's shared informers.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any

from reference.api.errors import ApiError
from reference.api.kinds import Kind
from reference.machinery import driver
from reference.machinery.client import Call, Client
from reference.machinery.clock import VirtualClock
from reference.machinery.driver import Answer, AskingEnvironment, Question
from reference.machinery.environment import Controller, Environment
from reference.machinery.events import EventRecorder
from reference.machinery.faults import Perform
from reference.machinery.informer import CacheOrder, Informer, by_name
from reference.machinery.queue import WorkQueue
from reference.machinery.store import Change, Store

_UNEVEN = -1
"""Stands for the revision of informers that are not all at one."""

FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError)
"""Errors of the program rather than of the sync: they end the run, where upstream would panic."""


class Runner:
    """``controller`` is made by ``factory`` for an environment that this runner answers.

    As it starts, it is told of every object that is there already.
    """

    def __init__(
        self,
        factory: Callable[[Environment], Controller],
        store: Store,
        perform: Perform,
        clock: VirtualClock,
        order: CacheOrder = by_name,
    ) -> None:
        self._store = store
        self._seen = _UNEVEN
        """The revision of the store that all informers are at."""
        self._perform = perform
        self._clock = clock
        self.queue = WorkQueue(clock)
        self._recorder = EventRecorder(clock, Client(driver.ask))
        self.controller = factory(AskingEnvironment(self.queue, self._recorder))
        self.name = self.controller.name
        informers = self.informers = {kind.resource: Informer(store, kind, order) for kind in self.controller.watches}
        self._answers: dict[type[Any], Callable[[Any], Answer]] = {
            Call: self._answer_call,
            driver.CacheGet: lambda asked: informers[asked.kind.resource].get(asked.namespace, asked.name),
            driver.CacheList: lambda asked: informers[asked.kind.resource].list(asked.namespace),
            driver.CacheControlledBy: lambda asked: informers[asked.kind.resource].controlled_by(
                asked.namespace, asked.owner_uid
            ),
            driver.CacheClaimable: lambda asked: informers[asked.kind.resource].claimable(
                asked.namespace, asked.owner_uid
            ),
            driver.CacheSelected: lambda asked: informers[asked.kind.resource].selected(
                asked.namespace, asked.selector
            ),
            driver.CacheSelecting: lambda asked: informers[asked.kind.resource].selecting(
                asked.namespace, asked.labels
            ),
            driver.CacheVersion: lambda asked: informers[asked.kind.resource].resource_version(),
            driver.Now: lambda _: clock.now(),
            driver.Together: lambda asked: tuple(self._answer(question) for question in asked.questions),
        }
        for informer in self.informers.values():
            for obj in informer.everything():
                self._run(self.controller.on_add(obj))

    def deliver(self) -> bool:
        """Tells the controller all the news that its informers are not stalled for, the oldest first, of all kinds.

        Whether there was any.
        """
        if self._seen == self._store.revision:
            return False
        heard = self._catch_up() if self._seen == _UNEVEN else self._go_on()
        self._write_events()
        return heard

    def _go_on(self) -> bool:
        """All informers are at one revision: the store tells whose turn it is, write by write."""
        store, informers, heard = self._store, self.informers, False
        written, self._seen = store.written_since(self._seen), store.revision
        for resource in written:
            informer = informers.get(resource)
            if informer is None:
                continue
            if informer.stalled:
                return self._catch_up() or heard
            self._tell(*informer.take())
            heard = True
        return heard

    def _catch_up(self) -> bool:
        """Each informer is where it is, or has to take over a whole list: what they have missed is put in order."""
        self._seen = _UNEVEN
        told = [informer for informer in self.informers.values() if not informer.stalled]
        relisted = [news for informer in told if informer.relisted is not None for news in informer.replace()]
        for change, old in relisted:
            self._tell(change, old)
        behind = _in_order_of_news(told)
        for informer in behind:
            self._tell(*informer.take())
        if len(told) == len(self.informers):
            self._seen = self._store.revision
        return bool(relisted or behind)

    def deliver_some(self, kind: str, most: int) -> bool:
        """Tells the controller the oldest news of one kind (``pods``), at ``most`` so many; whether there were any."""
        self._seen = _UNEVEN
        informer = self.informers[kind]
        news = 0 if informer.stalled else min(most, informer.pending())
        for _ in range(news):
            self._tell(*informer.take())
        self._write_events()
        return news > 0

    def sync_next(self) -> bool:
        """Does one sync, of the key that is ready the longest, and writes its events; False if none is ready.

        What the sync raises is the controller's to handle, but for FAULTS.
        """
        key = self.queue.take()
        if key is None:
            return False
        error: Exception | None = None
        try:
            self._run(self.controller.sync(key))
        except FAULTS:
            raise
        except Exception as failure:
            error = failure
        self.controller.handle_error(error, key)
        self.queue.done(key)
        self._write_events()
        return True

    def expire(self, kind: Kind[Any]) -> None:
        """The watch of this kind has expired: the controller sees next what there is now, and not how it came to it."""
        self.informers[kind.resource].expire()
        self._seen = _UNEVEN

    def next_due(self) -> datetime | None:
        """When the next delayed key becomes ready; None if none waits."""
        return self.queue.next_due()

    def _write_events(self) -> None:
        if self._recorder.pending:
            self._run(self._recorder.flush(self.name))

    def _tell(self, change: Change, old: Any | None) -> None:
        controller = self.controller
        if change.type == "DELETED":
            self._run(controller.on_delete(change.object))
        elif old is None:
            self._run(controller.on_add(change.object))
        else:
            self._run(controller.on_update(old, change.object))

    def _run(self, started: Coroutine[Any, Any, Any]) -> None:
        driver.run(started, self._answer)

    def _answer(self, question: Question) -> Answer:
        return self._answers[type(question)](question)

    def _answer_call(self, call: Call) -> Answer:
        try:
            return self._call(call)
        except ApiError as error:
            return error

    def _call(self, call: Call) -> Any:
        return self._perform(call, self.name)


def _in_order_of_news(informers: Sequence[Informer]) -> list[Informer]:
    """The informers, each as often as it has news: the one whose news is the oldest first."""
    behind = [informer for informer in informers if informer.pending()]
    news = [(revision, number) for number, informer in enumerate(behind) for revision in informer.revisions()]
    return [behind[number] for _, number in sorted(news)]
