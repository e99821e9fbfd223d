"""What happens: to the Deployment, to its Pods, to the clock."""

from __future__ import annotations

from typing import Any

from pytest_bdd import given, parsers, when

from conformance.pods import Change
from conformance.scenario import Scenario
from steps.wording import DEPLOYMENT_TEXT, PODS_CHANGE_TEXT, PODS_CHANGE_TYPES, deployment_options, strategy


@when(parsers.re(DEPLOYMENT_TEXT + " is created"), converters={"replicas": int, "options": deployment_options})
def is_created(scenario: Scenario, name: str, replicas: int, options: dict[str, Any], image: str) -> None:
    scenario.create_deployment(name, replicas, image, **options)


@given(parsers.re(DEPLOYMENT_TEXT + " is applied"), converters={"replicas": int, "options": deployment_options})
@when(parsers.re(DEPLOYMENT_TEXT + " is applied"), converters={"replicas": int, "options": deployment_options})
def is_applied(scenario: Scenario, name: str, replicas: int, options: dict[str, Any], image: str) -> None:
    scenario.apply_deployment(name, replicas, image, **options)


@given(parsers.parse('the image becomes "{image}"'))
@when(parsers.parse('the image becomes "{image}"'))
def image_becomes(scenario: Scenario, image: str) -> None:
    scenario.set_image(image)


@given(parsers.parse("the Deployment is scaled to {replicas:d}"))
@when(parsers.parse("the Deployment is scaled to {replicas:d}"))
def is_scaled(scenario: Scenario, replicas: int) -> None:
    scenario.scale(replicas)


@given("the Deployment is paused")
@when("the Deployment is paused")
def is_paused(scenario: Scenario) -> None:
    scenario.pause()


@given("the Deployment is resumed")
@when("the Deployment is resumed")
def is_resumed(scenario: Scenario) -> None:
    scenario.resume()


@when(parsers.parse("the strategy becomes {text}"), converters={"text": strategy})
def strategy_becomes(scenario: Scenario, text: dict[str, Any]) -> None:
    scenario.change_strategy(text)


@given(parsers.re('the operator runs "(?P<line>kubectl .+)"'))
@when(parsers.re('the operator runs "(?P<line>kubectl .+)"'))
def operator_runs(scenario: Scenario, line: str) -> None:
    scenario.run(line)


@when(parsers.re('the operator tries "(?P<line>kubectl .+)"'))
def operator_tries(scenario: Scenario, line: str) -> None:
    scenario.try_to_run(line)


@given("the namespace is deleted")
@when("the namespace is deleted")
def namespace_is_deleted(scenario: Scenario) -> None:
    scenario.delete_namespace()


@given(parsers.re(PODS_CHANGE_TEXT), converters=PODS_CHANGE_TYPES)
@when(parsers.re(PODS_CHANGE_TEXT), converters=PODS_CHANGE_TYPES)
def pods_change(scenario: Scenario, count: int | None, terminating: bool, image: str, change: Change) -> None:
    scenario.change_pods(change, image, count, terminating=terminating)


@when("all Pods become ready")
def all_pods_become_ready(scenario: Scenario) -> None:
    scenario.change_pods(Change.READY)


@given("the rollout comes to its end")
@when("the rollout comes to its end")
def rollout_ends(scenario: Scenario) -> None:
    scenario.finish_rollout()


@given(parsers.parse("{seconds:d} seconds pass"))
@when(parsers.parse("{seconds:d} seconds pass"))
def seconds_pass(scenario: Scenario, seconds: int) -> None:
    scenario.advance(seconds)


@given("the Deployment controller catches up")
@when("the Deployment controller catches up")
def controller_catches_up(scenario: Scenario) -> None:
    scenario.catch_up()
