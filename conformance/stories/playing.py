"""Plays a story on several targets in lockstep: after every sentence all namespaces are compared, whole.

A sentence that fails everywhere is no difference; one that fails on some only is.

On a real control plane controllers work side by side, and a few fields tell which of two was first. So where the model
differs from one, it is asked whether it ends in the same state by another *interleaving* of the same sentence
(``reference.cluster.Interleaving``), and goes on from there if it does, which the scene says. All else stays as it is:
what is compared, and that it has to be equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import permutations

import msgspec

from conformance.diff import Difference, StepDifferences, compare_snapshots
from conformance.recording import FAILURES
from conformance.scenario import Scenario
from conformance.snapshot import Snapshot, canonical, listing
from conformance.stories.sentences import say
from conformance.stories.story import Sentence, Story
from conformance.targets.model import ModelSession, ModelTarget
from conformance.targets.protocol import Capability, Session, Target, TargetError
from reference.cluster import Interleaving

INTERLEAVINGS = tuple(
    Interleaving(kinds, piecemeal, at_once, between_writes)
    for between_writes in (False, True)
    for piecemeal in (False, True)
    for at_once in (False, True)
    for kinds in sorted(permutations(Interleaving().kinds))
)


class Scene(msgspec.Struct, frozen=True):
    """What every target holds after one sentence, and in what the others differ from the first."""

    number: int
    """From 1."""
    sentence: Sentence
    snapshots: tuple[Snapshot, ...]
    failure: str = ""
    """Why the sentence failed, if it failed everywhere."""
    differences: tuple[Difference, ...] = ()
    interleaving: Interleaving | None = None
    """By which the model came to where the others are; None if by its usual one."""

    def places(self) -> set[str]:
        """What differs, whatever the names and values: another place is another difference."""
        return {f"{it.object.split(' ')[0]} {it.text.partition(' is ')[0]}" for it in self.differences}

    def told(self) -> StepDifferences:
        """The scene's differences, as ``diff`` tells them."""
        return StepDifferences(self.number, f"{self.sentence.keyword} {self.sentence.text}", self.differences)


def play(story: Story, targets: Sequence[Target]) -> Iterator[Scene]:
    """Scene by scene, to the first that differs. The targets are started. Raises TargetError, UnknownSentence."""
    reconsiders = isinstance(targets[0], ModelTarget) and not any(map(_is_a_model, targets[1:]))
    with ExitStack() as sessions:
        stages = [sessions.enter_context(stage(story.name, target)) for target in targets]
        said: list[Said] = []
        for number, sentence in enumerate(story.sentences(), start=1):
            said.append(Said(sentence))
            ends = [each.perform(said[-1]) for each in stages]
            differences = _differences(stages, ends)
            if differences and reconsiders:
                for interleaving in INTERLEAVINGS:
                    again = sessions.enter_context(stage(story.name, targets[0]))
                    otherwise = [*said[:-1], msgspec.structs.replace(said[-1], interleaving=interleaving)]
                    if (end := again.perform_all(otherwise)) and not _differences(stages, [end, *ends[1:]]):
                        stages[0], said, ends[0], differences = again, otherwise, end, ()
                        break
            failure = ends[0].failure if all(end.failure for end in ends) else ""
            snapshots = tuple(end.snapshot for end in ends)
            yield Scene(number, sentence, snapshots, failure, differences, said[-1].interleaving)
            if differences:
                return


class Said(msgspec.Struct, frozen=True):
    """A sentence, and how the model is to go about it."""

    sentence: Sentence
    interleaving: Interleaving | None = None


class End(msgspec.Struct, frozen=True):
    """What came of a sentence on one target."""

    failure: str
    """The first line of why it failed, if it did."""
    snapshot: Snapshot


class Stage:
    """One target's namespace."""

    def __init__(self, target: Target, session: Session) -> None:
        self.name = target.name
        self.session = session
        self.scenario = Scenario(session, target)

    def perform(self, said: Said) -> End:
        """Does what the sentence says. Raises TargetError, UnknownSentence."""
        if isinstance(self.session, ModelSession):
            self.session.interleave(said.interleaving)
        failure = ""
        try:
            say(self.scenario, said.sentence)
        except FAILURES as raised:
            failure = str(raised).partition("\n")[0] or type(raised).__name__
        return End(failure, canonical(self.session.namespace, listing(self.session)))

    def perform_all(self, said: Sequence[Said]) -> End | None:
        """The end of the last of these sentences; None if the target does not come to rest."""
        try:
            *_, end = map(self.perform, said)
        except TargetError:
            return None
        return end


@contextmanager
def stage(title: str, target: Target) -> Iterator[Stage]:
    """A namespace of the target, to play one story in."""
    target.check()
    with target.session(title) as session:
        yield Stage(target, session)


def _is_a_model(target: Target) -> bool:
    return Capability.VIRTUAL_TIME in target.capabilities


def _differences(stages: Sequence[Stage], ends: Sequence[End]) -> tuple[Difference, ...]:
    """In what the others differ from the first."""
    found: list[Difference] = []
    for each, end in zip(stages[1:], ends[1:], strict=True):
        names = (stages[0].name, each.name)
        if bool(end.failure) != bool(ends[0].failure):
            failed, passed = names if ends[0].failure else reversed(names)
            text = f"passed on {passed} and failed on {failed}: {ends[0].failure or end.failure}"
            found.append(Difference("the step itself", text))
        found += compare_snapshots(ends[0].snapshot, end.snapshot, names)
    return tuple(found)
