"""What the suite consists of, found in the features and the steps themselves; and what is wrong with them.

A feature file that could not be run raises ``conformance.collection.BadFeature``, whatever is asked.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from pytest_bdd import parsers
from pytest_bdd.parser import ScenarioTemplate
from pytest_bdd.parser import Step as WrittenStep
from pytest_bdd.parsers import StepParser
from pytest_bdd.steps import StepFunctionContext, StepNamePrefix, step_function_context_registry

from conformance.collection import Tags, parsed, step_modules, tags_of


class Listed(msgspec.Struct, frozen=True):
    """One scenario as it is written; an outline counts for as many as it has rows of examples."""

    tags: Tags
    name: str
    feature: str
    where: str
    rows: int


class Definition(msgspec.Struct, frozen=True):
    """One wording of a step, under all keywords that it is defined for, and how often the features use it."""

    keywords: tuple[str, ...]
    pattern: str
    where: str
    """``steps.when.image_becomes``."""
    uses: int
    wording: str
    """The pattern for people: what varies is ``<name>``, and what may be left out stands in brackets."""


_FIELD = re.compile(r"\{(?P<name>\w+?)_?(?::\w+)?\}")
"""What varies, in a pattern of ``parsers.parse``."""

_GROUP = re.compile(r"\(\?P<(?P<name>\w+?)_?>(?P<body>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)(?P<optional>\?)?")
"""The same, in a regular expression."""

_CHOICE = re.compile(r"\w+(?:\|\w+)+")
"""Of which plain words one is to be said: ``Deployments|ReplicaSets|Pods``."""

_OPTIONAL = re.compile(r"\((?P<words>[^()]+)\)\?|(?P<letter>\w)\?")
"""What may be left out, in a regular expression: ``(its )?``, ``Pods?``."""


def scenarios(features: Path) -> list[Listed]:
    """All scenarios below a directory, in the order of the files."""
    return [_listed(template, features) for template in _templates(features)]


def definitions(features: Path) -> list[Definition]:
    """The step catalogue, in the order in which the steps are written."""
    written = [step for template in _templates(features) for step in _steps(template)]
    contexts = step_contexts()
    uses = Counter(_wording(context) for step in written for context in contexts if _matches(context, step))
    alike: dict[tuple[str, str], list[StepFunctionContext]] = {}
    for context in contexts:
        alike.setdefault(_wording(context), []).append(context)
    return [
        Definition(
            tuple(sorted((each.type or "any").capitalize() for each in found)),
            *wording,
            uses[wording],
            as_said(found[0].parser),
        )
        for wording, found in alike.items()
    ]


def problems(features: Path) -> list[str]:
    """A sentence for each scenario without an id of its own, and each step that is undefined, unused or ambiguous."""
    return [*_problems_of_ids(scenarios(features)), *_problems_of_steps(features)]


def step_contexts() -> list[StepFunctionContext]:
    """Every step definition of the ``steps`` package, in the order in which it is written."""
    functions = (
        inspect.unwrap(getattr(value, "__wrapped__", value))
        for module in step_modules()
        for name, value in vars(module).items()
        if name.startswith(StepNamePrefix.step_def.value)
    )
    return [step_function_context_registry[function] for function in functions]


def as_said(parser: StepParser, *, choices: bool = False) -> str:
    """A step's pattern as a sentence; with ``choices``, of a few plain words all are named: ``Deployments|Pods``."""
    if not isinstance(parser, parsers.re):
        return _FIELD.sub(r"<\g<name>>", parser.name)

    def blank(group: re.Match[str]) -> str:
        if not group["optional"]:
            return group["body"] if choices and _CHOICE.fullmatch(group["body"]) else f"<{group['name']}>"
        return f"[{group['body']}]" if re.fullmatch(r"[\w ,]+", group["body"]) else f"[<{group['name']}>]"

    return _OPTIONAL.sub(lambda found: f"[{found['words'] or found['letter']}]", _GROUP.sub(blank, parser.name))


def _templates(features: Path) -> list[ScenarioTemplate]:
    files = sorted(path for path in features.absolute().rglob("*.feature") if path.is_file())
    read = [parsed(file, str(file.relative_to(features.absolute().parent))) for file in files]
    return [template for feature in read for template in feature.scenarios.values()]


def _listed(template: ScenarioTemplate, features: Path) -> Listed:
    path = Path(template.feature.filename).relative_to(features.absolute().parent)
    rows = sum(len(examples.examples) for examples in template.examples)
    return Listed(tags_of(template), template.name, str(path), f"{path}:{template.line_number}", rows or 1)


def _steps(template: ScenarioTemplate) -> Iterator[WrittenStep]:
    """The steps of every row of examples."""
    contexts = [row for examples in template.examples for row in examples.as_contexts()] or [{}]
    for context in contexts:
        yield from template.render(context).steps


def _matches(context: StepFunctionContext, step: WrittenStep) -> bool:
    return context.type in (None, step.type) and context.parser.is_matching(step.name)


def _wording(context: StepFunctionContext) -> tuple[str, str]:
    """The pattern, and the function that it stands for."""
    return context.parser.name, f"{context.step_func.__module__}.{context.step_func.__name__}"


def _problems_of_ids(listed: Sequence[Listed]) -> Iterator[str]:
    holders: dict[str, Listed] = {}
    for it in listed:
        if "/" not in it.tags.id:
            yield f"{it.where}: the scenario needs a tag @id:theme/name"
        elif it.tags.id in holders:
            yield f"{it.where}: @id:{it.tags.id} is that of {holders[it.tags.id].where} already"
        else:
            holders[it.tags.id] = it


def _problems_of_steps(features: Path) -> Iterator[str]:
    contexts = step_contexts()
    told = set()
    for template in _templates(features):
        path = Path(template.feature.filename).relative_to(features.absolute().parent)
        for step in _steps(template):
            matching = [_wording(context) for context in contexts if _matches(context, step)]
            problem = f"{path}:{step.line_number}: {step.keyword} {step.name}: "
            if not matching:
                problem += "no step definition matches"
            elif len(matching) > 1:
                problem += "matches " + " and ".join(where for _, where in matching)
            else:
                continue
            if problem not in told:
                told.add(problem)
                yield problem
    for definition in definitions(features):
        if not definition.uses:
            yield f"{definition.where}: no feature uses {definition.pattern!r}"
