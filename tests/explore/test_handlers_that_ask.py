"""Event handlers that ask the API server are answered from its tables: so a lost wake-up is found, issue 106410."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from conformance.exploring.command import explore_command
from reference.api.kinds import POD
from reference.explore.hands import Act, Verbs
from reference.explore.properties import ROLLOUT_COMPLETES
from reference.explore.search import Found, explore
from reference.explore.system import ALL, NONE, Reductions
from reference.explore.world import World
from reference.machinery.client import MERGE
from reference.versions import version_named
from tests.explore.small_worlds import create, set_image
from tests.explore.test_reductions import held

WORLDS = Path(__file__).parent.parent.parent / "worlds"


def one_fails(hands: Verbs) -> None:
    pod = hands.list(POD)[0]["metadata"]["name"]
    hands.patch(POD, pod, {"status": {"phase": "Failed"}}, MERGE, "status")


ONE_HAS_FAILED = World(
    name="one has failed",
    given=(
        create("web", 1, "app:1", recreate=True, progress_deadline=2147483647),
        Act("finds that a Pod has failed", one_fails),
    ),
    acts=(set_image("web", "app:2"),),
    patience=1,
    properties=(ROLLOUT_COMPLETES,),
)


def found_on(kubernetes: str, reductions: Reductions = ALL) -> Found:
    return explore(replace(ONE_HAS_FAILED, version=version_named(kubernetes)), reductions=reductions)


@pytest.mark.parametrize("kubernetes", ["1.34", "1.35", "1.36"])
def test_a_failed_pod_that_is_listed_hides_the_end_of_the_last_one(kubernetes: str) -> None:
    found = found_on(kubernetes)
    assert [broken.complaint for broken in found.broken] == [
        "the rollout of Deployment web stands still: 0 updated and 0 available of 0, where 1 are wanted"
    ]
    assert found.broken[0].steps[-1].what.startswith("hears: gone Pod web-")
    assert found.states == 228


def test_since_every_end_of_a_pod_is_news_the_space_is_clean() -> None:
    found = found_on("1.37")
    assert (found.verdict, found.states) == ("clean", 6505)


def test_with_nothing_left_out_it_is_found_as_well() -> None:
    assert (found_on("1.36", NONE).verdict, found_on("1.36", NONE).states) == ("broken", 653)


def test_with_nothing_left_out_the_server_comes_to_hold_no_more() -> None:
    world = replace(ONE_HAS_FAILED, version=version_named("1.36"))
    assert held(world, ALL) == held(world, NONE)


def test_the_version_can_be_said_on_the_command_line() -> None:
    result = CliRunner().invoke(explore_command, [str(WORLDS / "106410.yaml"), "--kubernetes", "1.35"])
    assert result.exit_code == 1, result.output
    assert "rollout-completes" in result.output
