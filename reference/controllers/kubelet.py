"""The node's part in a Pod's life, as pure functions: a Pod and the time in, the patch of its status out.

The patches are JSON merge patches for ``pods/status``. They tell the whole of what controllers look at: the phase, and
the conditions of every readiness gate, of the containers, and of the Pod. A condition keeps the time of its last
transition while its status stays. No node, no scheduler and no container is behind it, so nothing is said of those.

Source: the Pod lifecycle (phases and conditions), and KEP-580 (readiness gates).
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from reference.api.objects import Json, Pod, PodCondition

CONTAINERS_READY = "ContainersReady"
READY = "Ready"


class _Gate(msgspec.Struct, rename="camel"):
    condition_type: str


class _Spec(msgspec.Struct, rename="camel"):
    readiness_gates: list[_Gate] = []


def ready(pod: Pod, now: datetime) -> Json:
    """Running, with every readiness gate open."""
    return _status(pod, now, "Running", is_ready=True)


def not_ready(pod: Pod, now: datetime) -> Json:
    """Running, with every readiness gate shut: what an application that does not answer looks like."""
    return _status(pod, now, "Running", is_ready=False, reason="ReadinessGatesNotReady")


def failed(pod: Pod, now: datetime) -> Json:
    """Over for good, some container having failed: an evicted Pod, say."""
    return _status(pod, now, "Failed", is_ready=False, reason="PodFailed")


def succeeded(pod: Pod, now: datetime) -> Json:
    """Over for good, every container having ended well."""
    return _status(pod, now, "Succeeded", is_ready=False, reason="PodCompleted")


def _status(pod: Pod, now: datetime, phase: str, *, is_ready: bool, reason: str = "") -> Json:
    gates = [gate.condition_type for gate in msgspec.json.decode(pod.spec, type=_Spec).readiness_gates]
    now = now.replace(microsecond=0)  # the API keeps whole seconds
    running = phase == "Running"
    wanted = [*((gate, is_ready, "") for gate in gates), (CONTAINERS_READY, running, reason * (not running))]
    conditions = [_condition(pod, now, *each) for each in [*wanted, (READY, is_ready, reason)]]
    return {"status": {"phase": phase, "conditions": conditions}}


def _condition(pod: Pod, now: datetime, type_: str, holds: bool, reason: str) -> Json:
    status = "True" if holds else "False"
    since = next(
        (each.last_transition_time for each in pod.status.conditions if (each.type, each.status) == (type_, status)),
        now,
    )
    condition = PodCondition(type=type_, status=status, last_transition_time=since, reason=reason)
    return msgspec.to_builtins(condition)  # type: ignore[no-any-return]
