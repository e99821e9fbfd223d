"""What to tell the author of a step that no definition matches: the sentences most like it, and how to define one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches

import pytest
from pytest_bdd.parser import ScenarioTemplate, Step
from pytest_bdd.scenario import find_fixturedefs_for_step
from pytest_bdd.steps import step_function_context_registry

from conformance.catalogue import as_said
from conformance.collection import example_of, test_name

_VALUE = re.compile(r'"[^"]*"|\b\d+\b')


def undefined_steps(item: pytest.Item, template: ScenarioTemplate, defined: set[tuple[str, str]]) -> Iterator[str]:
    """For each step of a scenario that no definition matches, where it stands, and below that what could be written.

    ``defined`` remembers those of the same file that are known to be: their type and text.
    """
    for step in template.render(example_of(item)).steps:
        if (step.type, step.name) in defined:
            continue
        if any(find_fixturedefs_for_step(step, item.session._fixturemanager, item)):
            defined.add((step.type, step.name))
        else:
            where = f"{item.nodeid.partition('::')[0]}:{step.line_number}"
            alike = "".join(f"\n    {step.keyword} {it}" for it in _most_alike(step))
            yield (
                f"{where}: no step definition matches {step.keyword} {step.name!r}\n"
                + (f"\nMost like it:\n{alike}\n" if alike else "")
                + f"\nA new one goes into steps/:\n\n{_stub(step)}"
            )


def _most_alike(step: Step) -> list[str]:
    """Sentences of the same keyword, with the words to choose from where only a few will do."""
    contexts = [it for it in step_function_context_registry.values() if it.type in (None, step.type)]
    sentences = {as_said(it.parser): as_said(it.parser, choices=True) for it in contexts}
    return [sentences[it] for it in get_close_matches(step.name, sentences)]


def _stub(step: Step) -> str:
    """A definition in the manner of the steps package, for the author to fill in."""
    seen: Counter[str] = Counter()
    parameters = ["scenario: Scenario"]

    def field(value: re.Match[str]) -> str:
        quoted = value.group().startswith('"')
        base = "text" if quoted else "number"
        seen[base] += 1
        name = base if seen[base] == 1 else f"{base}_{seen[base]}"
        parameters.append(f"{name}: {'str' if quoted else 'int'}")
        return f'"{{{name}}}"' if quoted else f"{{{name}:d}}"

    pattern = _VALUE.sub(field, step.name)
    if step.datatable:
        parameters.append("datatable: list[list[str]]")
    name = test_name(_VALUE.sub("", step.name))
    return f"    @{step.type}(parsers.parse({pattern!r}))\n    def {name}({', '.join(parameters)}) -> None: ..."
