"""Carries out a sentence by the features' step definitions, without pytest around it."""

from __future__ import annotations

import inspect
from functools import cache

from pytest_bdd.parser import Step as BddStep
from pytest_bdd.scenario import parse_step_arguments
from pytest_bdd.steps import StepFunctionContext

from conformance import catalogue
from conformance.scenario import Scenario
from conformance.stories.story import Sentence


class UnknownSentence(ValueError):
    """A sentence that no step definition matches."""


def say(scenario: Scenario, sentence: Sentence) -> None:
    """Does what the sentence says. Raises UnknownSentence, and whatever the step raises."""
    definition = _definition(sentence.keyword.lower(), sentence.text)
    step = BddStep(sentence.text, sentence.keyword.lower(), 0, 0, sentence.keyword)
    values = parse_step_arguments(step, definition)
    values["scenario"] = scenario
    if sentence.table:
        values["datatable"] = [list(row) for row in sentence.table]
    if sentence.text_block:
        values["docstring"] = sentence.text_block
    definition.step_func(**{name: values[name] for name in inspect.signature(definition.step_func).parameters})


@cache
def _definition(type_: str, text: str) -> StepFunctionContext:
    for context in catalogue.step_contexts():
        if context.type in (None, type_) and context.parser.is_matching(text):
            return context
    raise UnknownSentence(f"no step definition matches {type_.capitalize()} {text!r}; see deployment-conformance steps")
