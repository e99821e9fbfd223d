"""What catches each piece of the museum.

Recorded, and held to exactly: the scenario or the promise that is broken, and how many states and steps it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from conformance.museum import schedules
from conformance.museum.schedules import Stage


class Scenario(msgspec.Struct, frozen=True):
    """A scenario of the features, by its id. It fails, or (``error``) the cluster does not come to rest, or dies."""

    id: str
    ends: Literal["failed", "error"] = "failed"

    def __str__(self) -> str:
        return self.id


class Exploration(msgspec.Struct, frozen=True, kw_only=True):
    """All schedules of a world of ``worlds/``. ``promise`` is what the shortest of them breaks, in so many steps."""

    world: str
    promise: str
    steps: int
    states: int
    """With the fault there, until that is found."""
    clean_states: int
    """With the fault gone: all that there are."""

    def __str__(self) -> str:
        return f"worlds/{self.world}.yaml: {self.promise}"


class Schedule(msgspec.Struct, frozen=True):
    """A schedule written by hand, which raises ``schedules.NotKept`` where the fault shows."""

    play: Callable[[Stage], None]

    def __str__(self) -> str:
        return f"schedule {self.play.__name__.replace('_', '-')}"


Catcher = Scenario | Exploration | Schedule

CATCHERS: Mapping[str, Catcher] = {
    "11656": Scenario("pause/condition", ends="error"),
    "16737": Scenario("adoption-race/hand-made-other-template"),
    "20853": Scenario("pause/scaling-one-version[1]"),
    "21900": Schedule(schedules.deletions_denied),
    "21922": Scenario("new-version/by-default[1]"),
    "22298": Schedule(schedules.creations_denied),
    "22516": Scenario("rolling-update/limits[5]"),
    "23087": Scenario("rollback/wish-brings-back-the-cause"),
    "23304": Scenario("new-version/by-default[3]"),
    "24152": Scenario("ownership/the-same-labels", ends="error"),
    "26079": Scenario("min-ready-seconds/wait-and-see"),
    "26797": Scenario("adoption-race/hand-made-same-template"),
    "27362": Scenario("recreate/old-pods-go-first"),
    "27687": Exploration(world="27687", promise="rollout-completes", steps=15, states=118, clean_states=158),
    "29357": Scenario("proportional-scaling/up[1]"),
    "29735": Scenario("new-version/nearly-the-same"),
    "30028": Scenario("adoption-race/one-owner"),
    "30833": Scenario("adoption-race/orphans-stay-orphans", ends="error"),
    "32829": Scenario("ownership/pod-disowned"),
    "34052": Scenario("adoption-race/cascade-background"),
    "34458": Scenario("adoption-race/old-version-released-and-adopted"),
    "36427": Scenario("pause/no-deadline-while-paused"),
    "36488": Scenario("recreate/paused-while-waiting", ends="error"),
    "38612": Schedule(schedules.namespace_on_its_way_out),
    "38613": Scenario("ownership/dying-owner"),
    "39785": Scenario("progress-deadline/late"),
    "40415": Scenario("new-version/two-of-the-same"),
    "41641": Scenario("min-ready-seconds/rollout"),
    "41675": Exploration(world="41675", promise="no-surplus", steps=9, states=43, clean_states=224),
    "42639": Exploration(world="42639", promise="not-by-the-gone", steps=5, states=12, clean_states=32),
    "43032": Exploration(world="43032-paused", promise="not-by-the-gone", steps=7, states=101, clean_states=212),
    "44150": Scenario("ownership/dying-replica-set"),
    "44436": Scenario("proportional-scaling/notations[5]"),
    "44657": Scenario("pause/condition-mid-rollout"),
    "44734": Scenario("interrupted-scaling/second-refused[2]"),
    "49637": Scenario("new-version/deadline-begins-anew"),
    "59213": Scenario("adoption-race/released"),
    "60162": Scenario("recreate/finished-pods[1]"),
    "67662": Schedule(schedules.creation_timed_out),
    "95498": Exploration(world="95498", promise="no-crowd", steps=13, states=272, clean_states=10666),
    "101319": Scenario("min-ready-seconds/one-after-the-other"),
    "106410": Scenario("recreate/finished-while-terminating[1]"),
    "108266": Scenario("min-ready-seconds/down-and-up-again"),
    "128535": Scenario("proportional-scaling/tampered-max[10]"),
    "129795": Schedule(schedules.pods_seen_late),
    "138840": Scenario("wedged-rollout/scaled-to-what-is-left"),
    "recreate-while-scaling": Scenario("wedged-rollout/recreate-and-scaled"),
}
