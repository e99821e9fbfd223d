"""What must then be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_bdd import parsers, then

from conformance.scenario import Scenario
from reference.api.kinds import Kind
from steps.wording import COUNTERS_TEXT, KINDS, counters


@then("the ReplicaSets are")
def replica_sets_are(scenario: Scenario, datatable: Sequence[Sequence[str]]) -> None:
    scenario.look.expect_replica_sets(scenario.resolve_table(datatable))


@then("the Pods are")
def pods_are(scenario: Scenario, datatable: Sequence[Sequence[str]]) -> None:
    scenario.look.expect_pods(scenario.resolve_table(datatable))


@then(parsers.re(r"there are no (?P<kind>Deployments|ReplicaSets|Pods)"), converters={"kind": KINDS.__getitem__})
def there_are_none(scenario: Scenario, kind: Kind[Any]) -> None:
    scenario.look.expect_none(kind)


@then(parsers.re(COUNTERS_TEXT), converters={"counters": counters})
def deployment_reports(scenario: Scenario, counters: Mapping[str, int]) -> None:
    scenario.look.expect_counters(counters)


@then(parsers.parse('the Deployment is at revision {revision}, running "{image}"'))
def is_at_revision(scenario: Scenario, revision: str, image: str) -> None:
    scenario.look.expect_revision(revision, image)


@then(parsers.parse("the condition {type_:w} is {status:w} because of {reason:w}"))
def condition_is(scenario: Scenario, type_: str, status: str, reason: str) -> None:
    scenario.look.expect_condition(type_, status, reason)


@then(parsers.parse("there is no condition {type_:w}"))
def no_condition(scenario: Scenario, type_: str) -> None:
    scenario.look.expect_no_condition(type_)


@then(parsers.parse('the Deployment\'s annotation "{key}" is "{value}"'))
def annotation_is(scenario: Scenario, key: str, value: str) -> None:
    scenario.look.expect_annotation(key, value)


@then(parsers.parse('the Deployment has no annotation "{key}"'))
def no_annotation(scenario: Scenario, key: str) -> None:
    scenario.look.expect_annotation(key, None)


@then(parsers.re(r'the annotation "(?P<key>[^"]+)" of \{(?P<image>\S+)\} is "(?P<value>[^"]*)"'))
def annotation_of_replica_set_is(scenario: Scenario, key: str, image: str, value: str) -> None:
    scenario.look.expect_annotation(key, value, of=image)


@then(parsers.re(r'\{(?P<image>\S+)\} has no annotation "(?P<key>[^"]+)"'))
def replica_set_has_no_annotation(scenario: Scenario, image: str, key: str) -> None:
    scenario.look.expect_annotation(key, None, of=image)


@then("the Deployment is being deleted")
def is_being_deleted(scenario: Scenario) -> None:
    scenario.look.expect_being_deleted()


@then(parsers.re(r'an? (?P<reason>\w+) event says "(?P<message>.+)"'))
def an_event_says(scenario: Scenario, reason: str, message: str) -> None:
    scenario.look.expect_event(scenario.resolve(message), reason)


@then(parsers.parse("there is no {reason:w} event"))
def no_event(scenario: Scenario, reason: str) -> None:
    scenario.look.expect_no_event(reason)


@then(parsers.re('kubectl answers "(?P<text>.+)"'))
def kubectl_answers(scenario: Scenario, text: str) -> None:
    scenario.expect_answer(text)


@then(parsers.re('kubectl\'s answer ends with "(?P<text>.+)"'))
def answer_ends(scenario: Scenario, text: str) -> None:
    scenario.expect_answer_to_end(text)


@then("kubectl answers")
def kubectl_answers_at_length(scenario: Scenario, docstring: str) -> None:
    scenario.expect_answer(docstring)
