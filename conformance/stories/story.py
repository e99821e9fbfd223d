"""What a story is: acts, each of one or more sentences of the features, and how they are written down and read back.

In a file an act begins with ``Given`` or ``When``, and ``And`` goes on with it; so any feature file is a file of
stories, and a story that was written down is a feature. An act is what shrinking takes away whole: its sentences would
not end in one state only without each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from pytest_bdd.parser import Step as BddStep

from conformance.collection import parsed
from conformance.report.model import Table
from conformance.report.terminal import table as aligned


class Sentence(msgspec.Struct, frozen=True):
    """One step."""

    text: str
    keyword: str = "When"
    """``Given``, ``When`` or ``Then``: whichever the step is defined for."""
    table: Table = ()
    text_block: str = ""


class Act(msgspec.Struct, frozen=True):
    """Sentences that belong together."""

    sentences: tuple[Sentence, ...]
    kind: str = ""
    """What the act is called in ``acts``; of one that was read, nobody knows."""


class Story(msgspec.Struct, frozen=True):
    """A scenario in acts."""

    name: str
    acts: tuple[Act, ...]

    def sentences(self) -> Iterator[Sentence]:
        """All of them, in order."""
        for act in self.acts:
            yield from act.sentences

    def length(self) -> int:
        """How many sentences there are."""
        return sum(len(act.sentences) for act in self.acts)


def act(*texts: str) -> Act:
    """An act of plain sentences."""
    return Act(tuple(map(Sentence, texts)))


def feature_text(story: Story, tag: str, why: str) -> str:
    """The story as a feature of one scenario, ``@id:tag``; ``why`` is the feature's description."""
    lines = ["Feature: Stories", *(f"  {line}" for line in why.splitlines()), ""]
    lines += [f"  @id:{tag}", f"  Scenario: {story.name}"]
    for each in story.acts:
        for number, sentence in enumerate(each.sentences):
            lines.append(f"    {'And' if number else sentence.keyword} {sentence.text}")
            lines += [f"      {row}" for row in (aligned(sentence.table) if sentence.table else ())]
            if sentence.text_block:
                lines += ['      """', *(f"      {line}" for line in sentence.text_block.splitlines()), '      """']
    return "\n".join(lines) + "\n"


def read(path: Path) -> list[Story]:
    """The stories in a feature file; an outline is one for each row of its examples. Raises BadFeature."""
    stories = []
    for template in parsed(path, str(path)).scenarios.values():
        rows = [row for examples in template.examples for row in examples.as_contexts()] or [{}]
        for number, row in enumerate(rows, start=1):
            rendered = template.render(row)
            name = f"{rendered.name} [{number}]" if len(rows) > 1 else rendered.name
            stories.append(Story(name, tuple(_acts(rendered.steps))))
    return stories


def _acts(steps: list[BddStep]) -> Iterator[Act]:
    begun: list[Sentence] = []
    for step in steps:
        if begun and step.keyword.strip() not in ("And", "But", "*"):
            yield Act(tuple(begun))
            begun = []
        rows = tuple(tuple(map(str, row)) for row in step.datatable.raw()) if step.datatable else ()
        begun.append(Sentence(step.name, step.type.capitalize(), rows, step.docstring or ""))
    yield Act(tuple(begun))
