"""What the ReplicaSet controller looks for in a Pod.

Source: ``pkg/api/v1/pod/util.go`` and ``pkg/controller/controller_utils.go``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from reference.api.objects import Pod, PodCondition
from reference.api.template import pod_spec

_TERMINAL = ("Succeeded", "Failed")


def pod_key(pod: Pod) -> str:
    """``namespace/name``."""
    return f"{pod.metadata.namespace}/{pod.metadata.name}"


def is_active(pod: Pod) -> bool:
    """Neither ended nor being deleted: such a Pod counts as a replica."""
    return pod.status.phase not in _TERMINAL and pod.metadata.deletion_timestamp is None


def by_activity(pods: Sequence[Pod]) -> tuple[Sequence[Pod], Sequence[Pod]]:
    """The active ones, and the others."""
    others = [pod for pod in pods if pod.metadata.deletion_timestamp is not None or pod.status.phase in _TERMINAL]
    return ([pod for pod in pods if is_active(pod)] if others else pods), others


def is_terminating(pod: Pod) -> bool:
    """Being deleted, and not ended yet."""
    return pod.metadata.deletion_timestamp is not None and pod.status.phase not in _TERMINAL


def ready_condition(pod: Pod) -> PodCondition | None:
    """The Ready condition, whatever its status."""
    for condition in pod.status.conditions:
        if condition.type == "Ready":
            return condition
    return None


def is_ready(pod: Pod) -> bool:
    for condition in pod.status.conditions:
        if condition.type == "Ready":
            return condition.status == "True"
    return False


def only_ready(pods: Iterable[Pod]) -> list[Pod]:
    """Those that are ready; a call for each would take twice as long, and every sync counts all."""
    ready = []
    for pod in pods:
        for condition in pod.status.conditions:
            if condition.type == "Ready":
                if condition.status == "True":
                    ready.append(pod)
                break
    return ready


def is_available(pod: Pod, min_ready_seconds: int, now: datetime) -> bool:
    """Ready for at least ``min_ready_seconds``. A Pod ready since no known time is available only if that is 0."""
    condition = ready_condition(pod)
    if condition is None or condition.status != "True":
        return False
    if min_ready_seconds == 0:
        return True
    since = condition.last_transition_time
    return since is not None and now - since >= timedelta(seconds=min_ready_seconds)


def next_availability(pod: Pod, min_ready_seconds: int, now: datetime) -> timedelta | None:
    """How long until a ready Pod becomes available; None if it isn't ready, or is available, or nobody knows."""
    condition = ready_condition(pod)
    if condition is None or condition.status != "True" or condition.last_transition_time is None:
        return None
    wait = timedelta(seconds=min_ready_seconds) - (now - condition.last_transition_time)
    return wait if wait > timedelta() else None


def first_to_become_available(pods: Iterable[Pod], min_ready_seconds: int, now: datetime) -> Pod | None:
    """The Pod that becomes available next, the first of several at once; None if no Pod will by time alone."""
    waits = [(wait, pod) for pod in pods if (wait := next_availability(pod, min_ready_seconds, now)) is not None]
    return min(waits, key=lambda entry: entry[0])[1] if waits else None


def node_name(pod: Pod) -> str:
    """The node that the Pod is bound to; empty if none."""
    return pod_spec(pod.spec).node_name


def node_names(pods: Sequence[Pod]) -> list[str]:
    """The node of each."""
    names = {spec: node_name(pod) for spec, pod in _one_of_each_spec(pods).items()}
    return [names[id(pod.spec)] for pod in pods]


def are_on_several_nodes(pods: Sequence[Pod]) -> bool:
    """Whether not all are on one node; those that are on none count as one node's."""
    return len(set(map(node_name, _one_of_each_spec(pods).values()))) > 1


def _one_of_each_spec(pods: Sequence[Pod]) -> dict[int, Pod]:
    """Most Pods share their spec, which need be read only once."""
    return {id(pod.spec): pod for pod in pods}


def sidecar_names(pod: Pod) -> frozenset[str]:
    """The init containers that are always restarted."""
    return frozenset(
        container.name for container in pod_spec(pod.spec).init_containers if container.restart_policy == "Always"
    )
