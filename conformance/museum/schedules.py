"""Schedules written by hand, for faults of controllers that no feature can hold up or refuse anything.

Each plays on a stage, a model cluster with a scenario's user, node and clock, and raises NotKept where a promise is not
kept. What it plays is its docstring.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.pods import Change
from conformance.scenario import Scenario
from conformance.targets.model import ModelSession, ModelTarget
from conformance.targets.protocol import TargetError
from reference.api.errors import ApiError, Cause, forbidden, timeout
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.controllers.replicaset import ReplicaSetController
from reference.machinery.client import Call


class NotKept(AssertionError):
    """A promise is not kept; the text says how."""


class Stage:
    """A cluster to play on."""

    def __init__(self, target: ModelTarget) -> None:
        self.cluster = target.new_cluster()
        self.session = ModelSession(self.cluster, "stage")
        self.scenario = Scenario(self.session, target)

    def refuse(self, verb: str, kind: Kind[Any], error: ApiError, times: int | None = None) -> None:
        """Refuses these calls, whoever makes them: so many of them, or all from now on."""
        left = iter(() if times is None else range(times))

        def refusal(call: Call) -> ApiError | None:
            if (call.verb, call.kind) != (verb, kind):
                return None
            return error if times is None or next(left, None) is not None else None

        self.cluster.refuse(refusal)

    def expect_pods(self, count: int) -> None:
        """Raises NotKept for another number of Pods."""
        pods = len(self.session.list(POD))
        if pods != count:
            raise NotKept(f"there are {pods} Pods, and there should be {count}")

    def expect_rest(self, stimulus: Callable[[], None]) -> None:
        """Raises NotKept if what follows from ``stimulus`` comes to no end."""
        try:
            stimulus()
        except TargetError as error:
            raise NotKept(str(error)) from error


def pods_seen_late(stage: Stage) -> None:
    """For ten minutes the ReplicaSet controller sees none of the Pods that it makes, and then it is woken."""
    stage.cluster.stall(POD, ReplicaSetController.name)
    stage.scenario.create_deployment("web", 2, "app:1")
    stage.scenario.advance(600)
    stage.scenario.run("kubectl annotate replicaset/{app:1} note=woken")
    stage.expect_pods(2)


def creation_timed_out(stage: Stage) -> None:
    """The creation of one of two Pods times out, and a minute passes."""
    stage.refuse("create", POD, timeout(), times=1)
    stage.scenario.create_deployment("web", 2, "app:1")
    stage.scenario.advance(60)
    stage.expect_pods(2)


def creations_denied(stage: Stage) -> None:
    """No Pod may be created."""
    stage.refuse("create", POD, forbidden(POD, "", "no Pods here"))
    stage.expect_rest(lambda: stage.scenario.create_deployment("web", 2, "app:1"))


def deletions_denied(stage: Stage) -> None:
    """No Pod may be deleted; a Deployment is scaled from 3 to 1, and one of its Pods is ready no more."""
    stage.scenario.create_deployment("web", 3, "app:1")
    stage.scenario.change_pods(Change.READY)
    stage.refuse("delete", POD, forbidden(POD, "", "all Pods stay"))
    stage.scenario.scale(1)
    stage.scenario.change_pods(Change.UNREADY, count=1)
    told = stage.session.get(DEPLOYMENT, "web")["status"].get("readyReplicas", 0)
    if told != 2:
        raise NotKept(f"the status tells of {told} ready Pods, and there are 2")


def namespace_on_its_way_out(stage: Stage) -> None:
    """A Deployment comes to be in a namespace in which nothing may be created any more."""
    gone = forbidden(REPLICA_SET, "", "the namespace is being terminated", (Cause("", "NamespaceTerminating", ""),))
    stage.refuse("create", REPLICA_SET, gone)
    stage.scenario.create_deployment("web", 1, "app:1")
    stage.scenario.advance(60)
    tries = sum((write.call.verb, write.call.kind) == ("create", REPLICA_SET) for write in stage.cluster.writes)
    if tries > 2:
        raise NotKept(f"a ReplicaSet that cannot be was tried for {tries} times")
