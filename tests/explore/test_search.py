"""The faults that the explorer is for are found, by the shortest schedule; and a world without a fault is finished."""

from __future__ import annotations

from msgspec.structs import replace

from reference.explore.mutants import named
from reference.explore.properties import ADOPTION_HAPPENS, ORPHANING_HAPPENS, SIZES_REACHED
from reference.explore.search import Bounds, explore
from reference.explore.state import Step
from reference.explore.system import NONE
from reference.explore.world import World
from tests.explore.small_worlds import ONE, ORPHANING, WEDGE, create, scale


def test_without_the_recheck_an_orphan_is_adopted_by_the_dead_in_five_steps() -> None:
    found = explore(replace(ORPHANING, controllers=named("42639").controllers))
    assert found.verdict == "broken"
    assert [broken.promise.name for broken in found.broken] == ["not-by-the-gone"]
    assert [step.kind for step in found.broken[0].steps] == ["user", "act", "deliver", "start", "answer"]
    assert found.states == 12


def test_with_the_recheck_the_space_is_finished_and_clean() -> None:
    found = explore(ORPHANING)
    assert (found.verdict, found.states, found.broken) == ("clean", 32, ())


def test_without_reductions_the_verdict_is_the_same() -> None:
    assert (explore(ORPHANING, reductions=NONE).verdict, explore(ORPHANING, reductions=NONE).states) == ("clean", 79)


def test_the_wedge_is_found_by_exploring_alone() -> None:
    found = explore(WEDGE)
    assert [broken.promise.name for broken in found.broken] == ["rollout-completes"]
    assert "stands still: 0 updated and 2 available of 2, where 2 are wanted" in found.broken[0].complaint


def test_a_bound_is_no_verdict() -> None:
    assert explore(ORPHANING, Bounds(states=10)).verdict == "unfinished"
    assert explore(ORPHANING, Bounds(depth=2)).verdict == "unfinished"
    assert explore(ORPHANING, Bounds(enough=lambda: True)).verdict == "unfinished"


def test_a_collector_that_lags_as_well_finds_the_orphan_sooner() -> None:
    """Between its patch of the ReplicaSet and that of the Deployment there is time."""
    both = replace(ORPHANING, asynchronous=("deployment", "garbage_collector"), patience=1)
    assert (explore(both).verdict, explore(both).states) == ("clean", 771)
    found = explore(replace(both, controllers=named("42639").controllers))
    assert [broken.promise.name for broken in found.broken] == ["not-by-the-dying"]
    assert found.broken[0].steps[-2:] == (
        Step("start", "deployment-controller", "looks at web"),
        Step("answer", "deployment-controller", "patches ReplicaSet web-74c77c866; done"),
    )


def test_a_replica_set_controller_that_lags_waits_for_its_own_writes() -> None:
    world = World(name="shrunk", given=ONE, acts=(scale("web", 0),), asynchronous=("replica_set",))
    assert (explore(world).verdict, explore(world).states) == ("clean", 65)


def test_what_should_happen_sometimes_and_never_does_is_told() -> None:
    found = explore(replace(ORPHANING, properties=(ORPHANING_HAPPENS, ADOPTION_HAPPENS)))
    assert [each.name for each in found.never] == ["adoption-happens"]


def test_whoever_writes_for_ever_does_not_come_to_rest() -> None:
    """By labels alone, two Deployments that select the same fight for ever: issue 30028."""
    given = (create("web", 1, "app:1"), create("shop", 1, "app:2", labels={"app": "web"}))
    fighting = World(name="fighting", given=given[:1], acts=given[1:], patience=1, properties=(SIZES_REACHED,))
    found = explore(replace(fighting, controllers=named("30028").controllers), Bounds(states=3_000))
    assert [broken.promise.name for broken in found.broken] == ["comes-to-rest"]
    assert explore(fighting, Bounds(states=3_000)).broken == ()
