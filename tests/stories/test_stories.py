"""Stories on the model: what is written of a seed, what it can show, and what is told of a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.snapshot import Snapshot
from conformance.stories import acts
from conformance.stories.playing import Scene, play
from conformance.stories.shrinking import shrunk
from conformance.stories.story import Sentence, Story, act, feature_text, read
from conformance.stories.writing import write
from conformance.targets.model import ModelSession, ModelTarget
from conformance.targets.naming import namespace_name
from conformance.targets.protocol import Capability
from reference.cluster import Interleaving
from tests.mutants.faulty import FAULTS

SEEDS = range(1, 31)
LENGTH = 30
SIZE = "ReplicaSet spec.replicas"


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    return [write(seed, LENGTH, "1.37") for seed in SEEDS]


def end(story: Story, fault: str) -> Scene:
    """The last scene on the model and on the model with this fault."""
    *_, last = play(story, [ModelTarget(), ModelTarget(name=fault, controllers=FAULTS[fault])])
    return last


def test_a_seed_is_a_story(stories: list[Story]) -> None:
    assert write(7, LENGTH, "1.37") == stories[6]
    assert len({story.acts for story in stories}) == len(stories)


def test_every_kind_of_act_is_in_some_story(stories: list[Story]) -> None:
    done = Counter(each.kind for story in stories for each in story.acts)
    assert done.keys() == {"begin", *(kind.__name__ for kind in acts.KINDS)}


def test_a_story_is_read_as_it_was_written(stories: list[Story], tmp_path: Path) -> None:
    for story in stories:
        file = tmp_path / f"{story.name}.feature"
        file.write_text(feature_text(story, "story/some", "Why."))
        (found,) = read(file)
        assert [each.sentences for each in found.acts] == [each.sentences for each in story.acts]


def test_a_fault_is_found_made_short_and_told(stories: list[Story]) -> None:
    fault = "leftover-to-the-smallest"
    differing = next(story for story in stories if SIZE in end(story, fault).places())

    short = shrunk(differing, lambda story: SIZE in end(story, fault).places())

    assert short.length() <= 8
    told = [str(difference) for difference in end(short, fault).differences]
    assert any(f"on {fault}" in text and "spec.replicas is" in text for text in told)


REPLACED_AT_FULL_SIZE = Story(
    "Replaced at full size",
    (
        act('a Deployment "web" of 2 replicas, running "web:1" is created'),
        act('the operator runs "kubectl delete replicaset/{web:1} --cascade=foreground"'),
        act("the Deployment is scaled to 3"),
    ),
)
"""What the Deployment says of its progress depends on whether its controller looks before it has heard of the Pods."""


class _Hasty(ModelSession):
    """The Deployment controller looks after every piece of news, whatever it is told."""

    def interleave(self, interleaving: Interleaving | None) -> None:
        super().interleave(Interleaving(piecemeal=True))


class _HastyTarget(ModelTarget):
    @contextmanager
    def session(self, title: str) -> Iterator[ModelSession]:
        yield _Hasty(self.new_cluster(), namespace_name(title))


def reasons(snapshots: Sequence[Snapshot]) -> list[str]:
    """Why the Deployment progresses, on each target."""
    conditions = (snapshot.deployments[0]["status"]["conditions"] for snapshot in snapshots)
    return [next(each["reason"] for each in of_one if each["type"] == "Progressing") for of_one in conditions]


def test_two_models_are_held_to_the_same_interleaving() -> None:
    *_, last = play(REPLACED_AT_FULL_SIZE, [ModelTarget(), _HastyTarget(name="hasty")])

    assert last.number == 2
    assert reasons(last.snapshots) == ["NewReplicaSetCreated", "ReplicaSetUpdated"]
    assert "Deployment status.conditions[Progressing].reason" in last.places()


def test_beside_a_real_control_plane_the_model_may_take_another_interleaving_and_goes_on_from_there() -> None:
    real = _HastyTarget(name="real")
    real.capabilities -= {Capability.VIRTUAL_TIME}

    scenes = list(play(REPLACED_AT_FULL_SIZE, [ModelTarget(), real]))

    assert [scene.differences for scene in scenes] == [(), (), ()]
    assert [scene.interleaving is None for scene in scenes] == [True, False, True]
    assert reasons(scenes[1].snapshots) == ["ReplicaSetUpdated", "ReplicaSetUpdated"]


def test_a_step_that_fails_everywhere_is_no_difference() -> None:
    created = act('a Deployment "web" of 1 replica, running "web:1" is created')
    story = Story("Refused", (created, act('the operator runs "kubectl rollout undo deployment/web"')))
    *_, last = play(story, [ModelTarget(), ModelTarget()])
    assert (last.number, last.differences) == (2, ())
    assert last.failure.startswith("kubectl failed: error: no rollout history found")


def test_sentences_keep_their_tables_and_texts(tmp_path: Path) -> None:
    file = tmp_path / "some.feature"
    file.write_text(
        "Feature: Some\n\n  Scenario: One\n"
        '    Given ReplicaSets labelled "app=web" are made by hand:\n      | name | replicas | image |\n'
        "      | hand | 2        | app:1 |\n"
        "    And 1 seconds pass\n    When the Deployment is scaled to 2\n"
    )
    (story,) = read(file)
    table = (("name", "replicas", "image"), ("hand", "2", "app:1"))
    given = 'ReplicaSets labelled "app=web" are made by hand:'
    assert [each.sentences for each in story.acts] == [
        (Sentence(given, "Given", table), Sentence("1 seconds pass", "Given")),
        (Sentence("the Deployment is scaled to 2"),),
    ]
