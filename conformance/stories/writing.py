"""Writes a story of a seed: the model plays what is written so far, and the next act is one that fits what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec

from conformance.stories import acts
from conformance.stories.playing import Said, Stage, stage
from conformance.stories.situation import Situation, scalings
from conformance.stories.story import Act, Story
from conformance.targets.model import ModelTarget
from conformance.targets.protocol import Session
from reference.api.kinds import EVENT
from reference.machinery.events import SIMILAR_MAX

_MARGIN = 1
"""Of similar events: a real controller may take a step in two that the model takes in one."""


def write(seed: int, sentences: int, kubernetes: str) -> Story:
    """The story of this seed, of that many sentences, or a few more if the last act has several."""
    random = Random(seed)
    name = f"Seed {seed}"
    target = ModelTarget(kubernetes)
    written: list[Act] = []
    while True:
        with stage(name, target) as played:
            _perform(played, written)
            try:
                while sum(len(act.sentences) for act in written) < sentences:
                    situation = Situation(played.session, random, played.scenario.look.name)
                    act = _next(situation) if written else acts.begin(situation)
                    _perform(played, [act])
                    written.append(act)
            except _NotToBeTold:
                continue  # with another act, from before this one
            return Story(name, tuple(written))


class _NotToBeTold(Exception):
    """An act that does not end in one state, or not well."""


def _perform(played: Stage, written: Sequence[Act]) -> None:
    """Raises _NotToBeTold: a Pod that was to become ready is gone by then, say."""
    for act in written:
        for sentence in act.sentences:
            if played.perform(Said(sentence)).failure:
                raise _NotToBeTold
    if _has_similar_events(played.session):
        raise _NotToBeTold


def _has_similar_events(session: Session) -> bool:
    """Whether a Deployment has so many events that of some it is chance which stands for all.

    Of ten that are similar client-go's correlator forgets one at random (``PopAny``), so whether that one's next
    occurrence counts as new is chance. What happens to Pods is told in words that never come again.
    """
    return any(ways >= SIMILAR_MAX - _MARGIN for ways in scalings(session.list(EVENT)).values())


def _next(situation: Situation) -> Act:
    kinds, weights = list(acts.KINDS), list(acts.KINDS.values())
    while True:
        kind = situation.random.choices(kinds, weights)[0]
        act = kind(situation)
        if act is not None:
            return msgspec.structs.replace(act, kind=kind.__name__)
