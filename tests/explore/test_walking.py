"""Beyond the bound: random walks find what breadth first had no time for, the same ones for the same seed."""

from __future__ import annotations

from pathlib import Path
from random import Random

from click.testing import CliRunner, Result

from conformance.exploring.command import explore_command
from reference.explore.following import follow
from reference.explore.search import Bounds, Found, explore
from reference.explore.walking import Walks
from tests.explore.small_worlds import ORPHANING, WEDGE

WORLDS = Path(__file__).parent.parent.parent / "worlds"


def walked(seed: int) -> Found:
    return explore(WEDGE, Bounds(states=300), walks=Walks(300, Random(seed).randrange))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(explore_command, list(map(str, arguments)))


def test_what_is_broken_beyond_the_bound_is_found_and_can_be_followed() -> None:
    assert explore(WEDGE, Bounds(states=300)).verdict == "unfinished"
    found = walked(3)
    assert (found.verdict, found.states) == ("broken", 301)
    assert [broken.promise.name for broken in found.broken] == ["rollout-completes"]
    *_, last = follow(WEDGE, found.broken[0].steps)
    assert "rollout-completes" in [promise for promise, _ in last.broken]


def test_the_same_seed_walks_the_same_way_and_another_one_another() -> None:
    assert (walked(3).walked, walked(3).broken[0].steps) == (walked(3).walked, walked(3).broken[0].steps)
    assert walked(3).walked != walked(4).walked


def test_walks_that_meet_nothing_leave_the_space_unfinished() -> None:
    result = run(WORLDS / "42639.yaml", "--states", 5, "--walk", 20, "--seed", 1)
    assert result.exit_code == 2, result.output
    assert "the space is not finished" in result.output
    assert "from there 20 random walks" in result.output
    assert "what they have not met may be there all the same" in result.output


def test_a_space_that_is_finished_needs_no_walks() -> None:
    found = explore(ORPHANING, walks=Walks(5, Random(0).randrange))
    assert (found.verdict, found.walked) == ("clean", None)
