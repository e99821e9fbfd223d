"""``deployment-conformance story``: random stories, played on several targets in lockstep.

Exit codes: 0 no difference, 1 a difference, 2 could not run.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from conformance.collection import BadFeature
from conformance.parameters import KubernetesVersion
from conformance.report.writers import write_own
from conformance.stories.playing import Scene, play
from conformance.stories.sentences import UnknownSentence
from conformance.stories.shrinking import shrunk
from conformance.stories.story import Story, feature_text, read
from conformance.stories.writing import write
from conformance.targets import registry
from conformance.targets.options import Options
from conformance.targets.protocol import Target, TargetError
from reference.cluster import Interleaving
from reference.versions import LATEST, Version

DIFFERENT = 1
COULD_NOT_RUN = 2
_SENTENCES = 30


class CouldNotPlay(click.ClickException):
    exit_code = COULD_NOT_RUN


@click.command("story", short_help="Play random stories on several targets in lockstep.")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seed", type=click.IntRange(min=0), help="Of the first story; else a random one.")
@click.option(
    "--stories", type=click.IntRange(min=1), default=1, show_default=True, help="How many, of the next seeds."
)
@click.option("--steps", type=click.IntRange(1, 200), default=_SENTENCES, show_default=True, help="How long each is.")
@click.option("--targets", default="model,local", show_default=True, help="The first is what others are compared with.")
@click.option("--kubernetes", type=KubernetesVersion(), default=LATEST.name, show_default=True)
@click.option("--binaries", metavar="DIR", type=click.Path(path_type=Path), help="Run these on the local target.")
@click.option("--text", is_flag=True, help="Only print the stories, as features.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The folder for a story that differs.",
)
def story_command(
    file: Path | None,
    seed: int | None,
    stories: int,
    steps: int,
    targets: str,
    kubernetes: Version,
    binaries: Path | None,
    text: bool,
    output: Path,
) -> None:
    """Play stories on all targets, step by step, until they differ: those of FILE, or random ones.

    Every scenario of a feature file is a story. One that differs is made as short as can be, and written to a file.
    """
    if file and seed is not None:
        raise click.UsageError("--seed writes a story, and FILE has some: give one of the two")
    try:
        if file:
            told: Iterable[Story] = read(file)
        else:
            first = secrets.randbelow(2**32) if seed is None else seed
            told = (write(each, steps, kubernetes.name) for each in range(first, first + stories))
        if text:
            for story in told:
                click.echo(feature_text(story, tag_of(story), "A random story."), nl=False)
            return
        with _started(targets, kubernetes, binaries) as running:
            different = _Playing(running, kubernetes, output).all_of(told)
    except (TargetError, BadFeature, UnknownSentence) as error:
        raise CouldNotPlay(str(error)) from error
    if different:
        raise click.exceptions.Exit(DIFFERENT)


def tag_of(story: Story) -> str:
    """``story/seed-7``."""
    return "story/" + re.sub(r"\W+", "-", story.name.lower()).strip("-")


@contextmanager
def _started(names: str, kubernetes: Version, binaries: Path | None) -> Iterator[list[Target]]:
    """The targets, running. Raises TargetError."""
    chosen = names.split(",")
    if len(chosen) < 2:
        raise click.UsageError(f"--targets={names}: there is nothing to compare; name two, such as model,local")
    with ExitStack() as stops:
        targets = []
        for name in chosen:
            its_own = binaries if name.startswith("local") else None
            targets.append(registry.create(name, Options(kubernetes=kubernetes.name, binaries=its_own)))
        for target in targets:
            stops.callback(target.stop)
            target.start()
        yield targets


class _Playing:
    """Plays stories on running targets, and tells what comes of it."""

    def __init__(self, targets: Sequence[Target], kubernetes: Version, output: Path) -> None:
        self._targets = targets
        self._kubernetes = kubernetes
        self._output = output
        self._names = " and ".join(target.name for target in targets)

    def all_of(self, stories: Iterable[Story]) -> bool:
        """Whether any of them differs."""
        played, steps, different = 0, 0, 0
        for story in stories:
            began = time.monotonic()
            for last in play(story, self._targets):
                steps += 1
                if last.interleaving:
                    click.echo(f"  {last.told().heading()}: {_in_words(last.interleaving)}")
                if last.failure:
                    click.echo(f"  {last.told().heading()}: fails on all: {last.failure}")
            played += 1
            click.echo(f"{story.name}: {last.number} steps, {time.monotonic() - began:.1f} s")
            if last.differences:
                different += 1
                self._tell(story, last)
        verdict = "no difference" if not different else f"{different} {'differs' if different == 1 else 'differ'}"
        number = "1 story" if played == 1 else f"{played} stories"
        click.echo(f"{number} and {steps} steps on {self._names}: {verdict}")
        return bool(different)

    def _tell(self, story: Story, last: Scene) -> None:
        """The difference in words, and the shortest story that has it, in a file. Ctrl-C leaves it as long as it is."""
        _show(last)
        shortest, end = story, last

        def differs(candidate: Story) -> bool:
            nonlocal shortest, end
            found = self._end(candidate)
            if found is None or not found.places() & last.places():
                return False
            shortest, end = candidate, found
            return True

        click.echo("making it short …", err=True)
        try:
            shrunk(story, differs)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
        path = self._output / f"{tag_of(story).replace('/', '-')}.feature"
        why = f"Found on {self._names}, Kubernetes {self._kubernetes.name}:\n" + "\n".join(map(str, end.differences))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_own(path, feature_text(shortest, tag_of(story), why).encode())
        except OSError as error:
            raise CouldNotPlay(f"--output: {path} cannot be written: {error.strerror}") from error
        click.echo(f"\nThe shortest that was found, of {shortest.length()} steps:\n")
        for sentence in shortest.sentences():
            click.echo(f"  {sentence.keyword} {sentence.text}")
        _show(end)
        options = f"--targets {','.join(it.name for it in self._targets)} --kubernetes {self._kubernetes.name}"
        click.echo(f"\nPlayed again: deployment-conformance story {path} {options}")

    def _end(self, story: Story) -> Scene | None:
        """The scene in which the targets differ, if they do; one that never ends is of no use."""
        try:
            *_, last = play(story, self._targets)
        except TargetError:
            for target in self._targets:
                target.check()
            return None
        return last


def _show(scene: Scene) -> None:
    told = scene.told()
    click.echo(f"  {told.heading()}:")
    for difference in told.differences:
        click.echo(f"    {difference}")


def _in_words(interleaving: Interleaving) -> str:
    """Behind what happened: ``so it is if the Deployment controller looks after every piece of news, …``."""
    pieces = "every piece of news" if interleaving.piecemeal else "each kind of news"
    others = "hears the rest before others go on" if interleaving.at_once else "others go on meanwhile"
    words = f"after {pieces} ({', '.join(interleaving.kinds)}), {others}"
    return f"equal if the controller looks {words}{', and between its writes' * interleaving.between_writes}"
