"""``deployment-conformance story``: what it plays, tells and keeps."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.stories.story import read
from tests.commandline import command


def story(*arguments: str) -> subprocess.CompletedProcess[str]:
    return command("story", *arguments)


def test_the_text_of_a_story_is_a_feature_that_can_be_played(tmp_path: Path) -> None:
    file = tmp_path / "seven.feature"
    file.write_text(story("--seed=7", "--text").stdout)

    played = story(str(file), "--targets=model,model")

    assert played.returncode == 0
    assert played.stdout.splitlines()[-1] == "1 story and 30 steps on model and model: no difference"


def test_a_difference_is_told_made_short_and_kept_in_a_file(tmp_path: Path) -> None:
    targets = "--targets=model,model+20853"
    found = story("--seed=1", targets, f"--output={tmp_path}")

    assert found.returncode == 1
    assert "  after step " in found.stdout
    assert found.stdout.splitlines()[-1].endswith(" steps on model and model+20853: 1 differs")
    (file,) = tmp_path.iterdir()
    (short,) = read(file)
    assert short.length() < 10
    assert story(str(file), targets, f"--output={tmp_path}").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--targets=model",), "--targets=model: there is nothing to compare; name two, such as model,local"),
        (("--seed=1", "--targets=model,moon"), "no target is called 'moon'"),
        (("none.feature",), "File 'none.feature' does not exist"),
        (("README.md", "--seed=1"), "--seed writes a story, and FILE has some: give one of the two"),
        (("Makefile",), "Makefile:20: Unexpected token found"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    ended = story(*arguments)

    assert ended.returncode == 2
    assert sentence in ended.stderr


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM])
def test_broken_off_it_says_so(blow: signal.Signals) -> None:
    words = [sys.executable, "-P", "-m", "conformance", "story", "--seed=1", "--steps=2", "--stories=100000"]
    words += ["--targets=model,model"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as playing:
        assert playing.stdout is not None
        assert playing.stdout.readline().startswith("Seed 1: ")
        playing.send_signal(blow)
        _, said = playing.communicate(timeout=60)

    assert (playing.returncode, said) == (2, "\nError: interrupted before the end\n")
