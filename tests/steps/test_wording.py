"""What features may say of a Deployment and of Pods, and what that means to the harness."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.looks import COUNTERS, POD_COLUMNS, REPLICA_SET_COLUMNS
from conformance.pods import State
from conformance.tables import TableError
from conformance.targets.protocol import Capability
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET
from reference.machinery.faults import Amiss
from steps.given import HAND_MADE
from steps.wording import (
    CHANGES,
    DEPLOYMENT_TEXT,
    KINDS,
    OPTIONS,
    PODS_CHANGE_TEXT,
    PODS_CHANGE_TYPES,
    REFUSALS,
    VERBS,
    calls,
    counters,
    deployment_options,
    labels,
    refusal,
    strategy,
)


def said(text: str) -> dict[str, str]:
    found = re.fullmatch(DEPLOYMENT_TEXT, text)
    assert found, text
    return found.groupdict()


def test_a_deployment_may_be_described_in_one_sentence() -> None:
    found = said('a Deployment "web" of 10 replicas, maxSurge 30%, paused, labelled "app=shop", running "app:1"')
    assert (found["name"], found["replicas"], found["image"]) == ("web", "10", "app:1")
    assert deployment_options(found["options"]) == {"max_surge": "30%", "paused": True, "labels": {"app": "shop"}}


def test_one_replica_and_no_options() -> None:
    found = said('a Deployment "web" of 1 replica, running "app:1"')
    assert found["replicas"] == "1"
    assert deployment_options(found["options"]) == {}


def test_an_unknown_option_is_told_with_those_that_are_known() -> None:
    with pytest.raises(TableError, match=r"cannot be 'purple'; what may be said of it: maxSurge N or N%, .*Recreate"):
        deployment_options(", maxSurge 1, purple")


@pytest.mark.parametrize(
    ("text", "count", "terminating", "change"),
    [
        ('2 Pods of "app:1" become ready', 2, False, "ready"),
        ('1 Pod of "app:1" fails', 1, False, "fail"),
        ('all Pods of "app:1" are gone', None, False, "let go"),
        ('1 terminating Pod of "app:1" succeeds', 1, True, "succeed"),
    ],
)
def test_what_becomes_of_pods(text: str, count: int | None, terminating: bool, change: str) -> None:
    found = re.fullmatch(PODS_CHANGE_TEXT, text)
    assert found
    meant = {name: PODS_CHANGE_TYPES[name](found[name]) for name in PODS_CHANGE_TYPES}
    assert meant == {"count": count, "terminating": terminating, "change": change}


def test_counters_labels_and_strategies() -> None:
    assert counters("33 replicas, 8 available") == {"replicas": 33, "available": 8}
    assert counters("1 replica") == {"replicas": 1}
    assert labels("app=web,tier=front") == {"app": "web", "tier": "front"}
    assert strategy("Recreate") == {"type": "Recreate", "rollingUpdate": None}
    assert strategy("RollingUpdate, maxSurge 1, maxUnavailable 0") == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
    }


def test_of_two_limits_the_one_that_is_not_named_stays_as_it_is() -> None:
    assert strategy("RollingUpdate, maxSurge 2") == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2}}


@pytest.mark.parametrize("text", ["Recreate, maxSurge 1", "RollingUpdate, paused", "BlueGreen"])
def test_what_is_no_strategy_is_told_with_those_that_are(text: str) -> None:
    with pytest.raises(TableError, match=f"a strategy cannot be '{text}'; .* Recreate, or RollingUpdate"):
        strategy(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("next creation of a ReplicaSet", ("create", "", REPLICA_SET, "", 0, 1)),
        ("next update of ReplicaSets", ("update", "", REPLICA_SET, "", 0, 1)),
        ("next 2 status updates of Deployments", ("update", "status", DEPLOYMENT, "", 0, 2)),
        ("3rd next update of a ReplicaSet", ("update", "", REPLICA_SET, "", 2, 1)),
        ("2nd next 4 patches of Pods", ("patch", "", POD, "", 1, 4)),
        ('next deletion of the ReplicaSet of "app:1"', ("delete", "", REPLICA_SET, "app:1", 0, 1)),
        ("next 10 reads of a Deployment", ("get", "", DEPLOYMENT, "", 0, 10)),
    ],
)
def test_calls_of_the_controller(text: str, meant: tuple[object, ...]) -> None:
    assert tuple(calls(text)[name] for name in ("verb", "subresource", "kind", "image", "skip", "times")) == meant


@pytest.mark.parametrize("text", ["creation of a ReplicaSet", "next creation of a Node", "next 2 thoughts of Pods"])
def test_what_are_no_calls_is_told_with_those_that_are(text: str) -> None:
    with pytest.raises(TableError, match=f"{text!r} are no calls of the Deployment controller; .* creation, update"):
        calls(text)


def test_refusals() -> None:
    assert refusal("a conflict") == {"answer": Amiss.CONFLICT, "seconds": 0}
    assert refusal("too many requests") == {"answer": Amiss.TOO_MANY_REQUESTS, "seconds": 1}
    assert refusal("an internal error, to be tried again in 2 seconds") == {
        "answer": Amiss.INTERNAL_ERROR,
        "seconds": 2,
    }
    with pytest.raises(TableError, match=r"the API server cannot refuse with 'a shrug'; .*: a conflict, AlreadyExists"):
        refusal("a shrug")


def test_the_guide_names_all_that_may_be_put_into_a_sentence() -> None:
    guide = (Path(__file__).parents[2] / "features" / "README.md").read_text(encoding="utf-8")
    many = {change: text for text, change in reversed(CHANGES.items())}.values()
    words = [*many, *COUNTERS, *KINDS, *HAND_MADE, *REPLICA_SET_COLUMNS, *POD_COLUMNS, *State]
    words += [*VERBS, *REFUSALS]
    quoted = [f"`{word}`" for word in words]
    quoted += [f"`, {option.words}`" for option in OPTIONS] + [f"`@needs:{need}`" for need in Capability]

    assert [each for each in quoted if each not in guide] == []
