"""What is left out makes no difference: verdicts, and all that the server can come to hold, are the same without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from reference.api.kinds import DEPLOYMENT, REPLICA_SET
from reference.explore.following import follow
from reference.explore.mutants import named
from reference.explore.search import explore
from reference.explore.state import TIME, Effect, State
from reference.explore.system import ALL, EACH_READ, NONE, Reductions, System
from reference.explore.world import World
from tests.explore.small_worlds import ORPHANING, TEN, TWO_AT_ONCE

STATES = {
    "orphaning": (79, 32),
    "from nothing": (1719, 621),
    "grown": (5701, 1506),
    "shrunk to nothing": (191, 70),
    "rolled out": (6811, 1862),
    "adopting": (10800, 3275),
    "deleted": (1618, 549),
    "refused once": (3843, 1317),
    "restarted once": (3329, 1222),
    "recreated": (39381, 12113),
}
"""How many there are with nothing left out, and with all reductions: three times fewer, or four with several Pods."""


@pytest.mark.parametrize("world", TEN, ids=lambda world: world.name)
def test_a_small_world_is_as_clean_with_nothing_left_out(world: World) -> None:
    full, reduced = explore(world, reductions=NONE), explore(world)
    assert (full.verdict, reduced.verdict) == ("clean", "clean")
    assert (full.states, reduced.states) == STATES[world.name]


WITH_EACH_READ = {
    "orphaning": (159, 109),
    "from nothing": (3876, 2555),
    "shrunk to nothing": (445, 311),
    "deleted": (2525, 1528),
}
"""How many there are if news also come in between two reads of a sync: with nothing left out, and with the rest."""


@pytest.mark.parametrize(
    "world", [world for world in TEN if world.name in WITH_EACH_READ], ids=lambda world: world.name
)
def test_news_in_between_two_reads_make_no_difference(world: World) -> None:
    full, reduced = explore(world, reductions=replace(NONE, reads=False)), explore(world, reductions=EACH_READ)
    assert (full.verdict, reduced.verdict) == ("clean", "clean")
    assert (full.states, reduced.states) == WITH_EACH_READ[world.name]
    assert held(world, ALL) == held(world, EACH_READ)


def test_a_fault_is_found_two_reads_later() -> None:
    world = replace(ORPHANING, controllers=named("42639").controllers)
    found = explore(world, reductions=EACH_READ)
    assert [broken.promise.name for broken in found.broken] == ["not-by-the-gone"]
    assert [step.kind for step in found.broken[0].steps] == [
        "user",
        "act",
        "deliver",
        "start",
        "read",
        "read",
        "answer",
    ]
    assert [promise for promise, _ in list(follow(world, found.broken[0].steps))[-1].broken] == ["not-by-the-gone"]


@pytest.mark.parametrize(
    "world", [world for world in TEN if STATES[world.name][0] < 5000], ids=lambda world: world.name
)
def test_the_server_comes_to_hold_the_same(world: World) -> None:
    assert held(world, ALL) == held(world, NONE)


def test_a_broken_promise_is_found_with_nothing_left_out_as_well() -> None:
    found = explore(replace(ORPHANING, controllers=named("42639").controllers), reductions=NONE)
    assert [broken.promise.name for broken in found.broken] == ["not-by-the-gone"]
    assert len(found.broken[0].steps) == 5


@pytest.mark.parametrize(
    "world",
    [*(world for world in TEN if STATES[world.name][0] < 2000), TWO_AT_ONCE],
    ids=lambda world: world.name,
)
def test_the_controller_begins_to_look_at_the_same(world: World) -> None:
    """With two keys it matters which is first in the queue."""
    assert begun(world, Reductions(lazy=True, alike=False)) == begun(world, Reductions(lazy=False, alike=False))


def begun(world: World, reductions: Reductions) -> set[tuple[object, ...]]:
    """What the server and the controller's caches hold when it begins to look at a key, in any schedule."""
    system = System(world, reductions)
    [worker] = system.workers
    tables, informers = system.parts.tables.digests, system.parts.informers.values
    found: set[tuple[object, ...]] = set()
    for state, effect, after in transitions(system):
        if effect.steps[-1].kind == "start":
            caches = (tables[informers[after[slot]].cache] for slot in worker.slots.values())
            found.add((effect.steps[-1].what, *(tables[table] for table in state[:TIME]), *caches))
    return found


def transitions(system: System) -> Iterator[tuple[State, Effect, State]]:
    seen = {system.initial}
    todo = [system.initial]
    while todo:
        state = todo.pop()
        for effect, after in system.successors(state):
            yield state, effect, after
            if after not in seen:
                seen.add(after)
                todo.append(after)


def held(world: World, reductions: Reductions) -> set[tuple[bytes, bytes]]:
    """All that the server holds of Deployments and ReplicaSets in any state that can be reached."""
    system = System(world, reductions)
    seen = [system.initial, *(after for _, _, after in transitions(system))]
    digests = system.parts.tables.digests
    slots = [system.slot(kind) for kind in (DEPLOYMENT, REPLICA_SET)]
    return {(digests[state[slots[0]]], digests[state[slots[1]]]) for state in seen}


@pytest.mark.parametrize(
    "world", [world for world in TEN if STATES[world.name][0] < 2000], ids=lambda world: world.name
)
def test_counting_an_objects_own_writes_makes_no_difference(world: World) -> None:
    assert explore(replace(world, one_counter=True)).verdict == "clean"
    assert explore(replace(world, one_counter=True)).states >= STATES[world.name][1]
