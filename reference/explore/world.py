"""A small world to explore: what is there, who works in it, what the user means to do, and what may go wrong.

Controllers run in one of two ways. An *asynchronous* one has caches that lag, and syncs that others come in between:
this is whoever is under suspicion. All others are *actors*, who see everything as it is and do a whole sync at once.
That keeps the space of schedules small, and what is found in it can happen; but a fault that needs another controller
to be late is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from reference.cluster import ServerFactory
from reference.controllers.factories import UPSTREAM, Controllers
from reference.explore.hands import NAMESPACE_NAME, Act
from reference.explore.looks import Property
from reference.explore.properties import PROMISES
from reference.machinery.store import Table
from reference.server.server import ApiServer
from reference.versions import LATEST, Version

Role = Literal["deployment", "replica_set", "garbage_collector"]
ROLES: tuple[Role, ...] = ("deployment", "replica_set", "garbage_collector")
MOST_REPLICAS = 100
"""That an object of a world may want: of more, no exploration would see much."""

Refusal = Literal["conflict", "error", "lost"]
"""How a call can fail that would have succeeded: 409, 500, or a time-out after it was carried out all the same."""


class Unexplorable(ValueError):
    """A world in which something can't be explored; the text says what."""


class Budget(msgspec.Struct, frozen=True):
    """How often what need not happen may happen."""

    refusals: int = 0
    """Calls of asynchronous controllers that are refused, in one of the world's ways."""
    restarts: int = 0
    """An asynchronous controller is started anew: it forgets all but what the server has."""
    relists: int = 0
    """A watch breaks, and its informer lists instead: what came and went meanwhile it never sees."""
    failures: int = 0
    """A ready Pod fails for good."""


class World(msgspec.Struct, frozen=True, kw_only=True):
    """``given`` is done before, one act after the other, each until all is at rest and every Pod ready; ``acts`` are
    what the user then does, in this order and at any moment.

    Pods of ``never_ready`` images never become ready. ``workers`` are those of each asynchronous controller.
    With ``patience``, news that have waited while a controller began to look so many times are heard before it looks
    again. Without a limit some spaces have no end: who never hears that a thing is gone may make it again and again.
    ``recreates`` is to be said if some act makes a Deployment one that recreates: it then looks at Pods as well.
    ``one_counter``: see ``reference.explore.serving``.
    """

    name: str
    about: str = ""
    given: tuple[Act, ...] = ()
    acts: tuple[Act, ...] = ()
    asynchronous: tuple[Role, ...] = ("deployment",)
    kubelet: bool = True
    budget: Budget = Budget()
    refused_with: tuple[Refusal, ...] = ("conflict",)
    never_ready: tuple[str, ...] = ()
    workers: int = 1
    patience: int = 0
    recreates: bool = False
    one_counter: bool = False
    version: Version = LATEST
    controllers: Controllers = UPSTREAM
    server: ServerFactory = ApiServer
    properties: tuple[Property, ...] = PROMISES

    @property
    def counts_as_one(self) -> bool:
        """Whether the server counts all writes together: if it is told to, or a controller compares such numbers."""
        compares = "replica_set" in self.asynchronous and self.version.replica_set_consistency_gate
        return self.one_counter or compares


def check_sizes(world: World, act: Act, tables: Iterable[Table]) -> None:
    """Raises Unexplorable if after this act one of the objects wants more than ``MOST_REPLICAS``."""
    for table in tables:
        for name, obj in table.names(NAMESPACE_NAME).items():
            if obj.spec.replicas > MOST_REPLICAS:
                raise Unexplorable(
                    f"{world.name}: {act.title}: {name} then wants {obj.spec.replicas} replicas, and every "
                    f"schedule can be tried of {MOST_REPLICAS} at most: take fewer"
                )
