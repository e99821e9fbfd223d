"""Makes a story that differs as short and as plain as can be: whole acts are left out, then options and numbers.

Every story tried is played again on all targets; one that no longer differs in the same way is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from conformance.stories.story import Act, Story

Differs = Callable[[Story], bool]

_OPTION = re.compile(r", (?!running)[^,\"]+(?=,)")
"""Something that is said of a Deployment, such as ``, history limit 1``."""
_NUMBER = re.compile(r"(?<=of )\d+(?= replica)|(?<=scaled to )\d+|(?<=--replicas=)\d+")
_ONE = re.compile(r"\b1 replicas")


def shrunk(story: Story, differs: Differs) -> Story:
    """The shortest story found that ``differs``, beginning with one that does."""
    story = _with_fewer_acts(story, differs)
    while (simpler := next(filter(differs, _simpler(story)), None)) is not None:
        story = simpler
    return story


def _with_fewer_acts(story: Story, differs: Differs) -> Story:
    """Halves first, then quarters, down to single acts; single ones until none of them can be left out."""
    size = len(story.acts)
    while size:
        at, before = 0, len(story.acts)
        while at < len(story.acts):
            fewer = msgspec.structs.replace(story, acts=story.acts[:at] + story.acts[at + size :])
            if fewer.acts and differs(fewer):
                story = fewer
            else:
                at += size
        if size > 1 or len(story.acts) == before:
            size //= 2
    return story


def _simpler(story: Story) -> Iterator[Story]:
    """All that comes of one sentence said in a simpler way."""
    for number, act in enumerate(story.acts):
        for index, sentence in enumerate(act.sentences):
            for text in _simpler_texts(sentence.text):
                simpler = msgspec.structs.replace(sentence, text=text)
                sentences = (*act.sentences[:index], simpler, *act.sentences[index + 1 :])
                acts = (*story.acts[:number], Act(sentences), *story.acts[number + 1 :])
                yield msgspec.structs.replace(story, acts=acts)


def _simpler_texts(text: str) -> Iterator[str]:
    for option in _OPTION.finditer(text):
        yield text[: option.start()] + text[option.end() :]
    for found in _NUMBER.finditer(text):
        number = int(found[0])
        for less in dict.fromkeys((1, number // 2, number - 1)):
            if 0 < less < number:
                yield _ONE.sub("1 replica", f"{text[: found.start()]}{less}{text[found.end() :]}")
