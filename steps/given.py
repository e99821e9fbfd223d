"""How a scenario begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_bdd import given, parsers, when

from conformance import tables
from conformance.manifests import replica_set
from conformance.pods import Change
from conformance.scenario import Scenario
from reference.api.kinds import Kind
from steps.wording import DEPLOYMENT_TEXT, KINDS, deployment_options, labels

HAND_MADE = ("name", "replicas", "image")


@given(parsers.re(DEPLOYMENT_TEXT), converters={"replicas": int, "options": deployment_options})
def a_deployment(scenario: Scenario, name: str, replicas: int, options: dict[str, Any], image: str) -> None:
    scenario.create_deployment(name, replicas, image, **options)


@given(parsers.re("all (its )?Pods are ready"))
def all_its_pods_are_ready(scenario: Scenario) -> None:
    scenario.change_pods(Change.READY)


@given(parsers.parse('"{image}" has been rolled out'))
def has_been_rolled_out(scenario: Scenario, image: str) -> None:
    scenario.roll_out(image)


@given(parsers.re(r'ReplicaSets labelled "(?P<label>[^"]+)" are made by hand(?P<together>, in one second)?:'))
@when(parsers.re(r'ReplicaSets labelled "(?P<label>[^"]+)" are made by hand(?P<together>, in one second)?:'))
def replica_sets_made_by_hand(
    scenario: Scenario, label: str, together: str | None, datatable: Sequence[Sequence[str]]
) -> None:
    """A second apart in the table's order, unless in one second."""
    rows = tables.rows_of(datatable, HAND_MADE)
    manifests = [replica_set(row["name"], int(row["replicas"]), row["image"], labels(label)) for row in rows]
    scenario.create_replica_sets(manifests, same_second=together is not None)


@given(parsers.re(r"the Deployment controller's view of (?P<kind>\w+) is held"), converters={"kind": KINDS.__getitem__})
@when(parsers.re(r"the Deployment controller's view of (?P<kind>\w+) is held"), converters={"kind": KINDS.__getitem__})
def view_is_held(scenario: Scenario, kind: Kind[Any]) -> None:
    scenario.hold_view(kind)
