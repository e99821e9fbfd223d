"""A few stories beside a real control plane; ``make stories`` plays thirty."""

from __future__ import annotations

from pathlib import Path

from tests.stories.test_story_command import story

KEPT = Path(__file__).with_name("kept.feature")


def test_stories_that_were_kept() -> None:
    played = story(str(KEPT), "--targets=model,local")

    assert played.stdout.splitlines()[-1] == "3 stories and 14 steps on model and local: no difference", played.stdout
    assert played.returncode == 0


def test_three_stories_on_the_model_and_on_a_real_control_plane() -> None:
    played = story("--seed=1", "--stories=3", "--steps=20", "--targets=model,local")

    assert played.stdout.splitlines()[-1].endswith(" steps on model and local: no difference"), played.stdout
    assert played.returncode == 0
