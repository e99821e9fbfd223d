"""What kubelets write: statuses of Pods with all that they hold, right and wrong, whole and in patches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reference.api.kinds import EVENT, NAMESPACE, POD
from reference.api.objects import Json
from reference.machinery.client import STRATEGIC_MERGE
from reference.server.wire import Request
from tests.parity.dialogue import SPACE, Dialogue, get, patch, post, put
from tests.parity.manifests import event, pod

_TERMINATED = {"terminated": {"exitCode": 1, "startedAt": "2026-01-01T01:00:00.5+01:00", "reason": "Error"}}
_RUNNING = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
_WHOLE: Json = {
    "phase": "Running",
    "hostIP": "10.0.0.1",
    "hostIPs": [{"ip": "10.0.0.1"}],
    "podIP": "10.1.0.1",
    "podIPs": [{"ip": "10.1.0.1"}, {"ip": "fd00::1"}],
    "startTime": "2026-01-01T02:00:00.25+02:00",
    "message": "said",
    "reason": "Why",
    "conditions": [
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00.9Z", "observedGeneration": 1},
        {"type": "example.com/gate", "status": "False"},
    ],
    "containerStatuses": [
        {
            "name": "main",
            "ready": True,
            "restartCount": 2,
            "image": "app:1",
            "imageID": "app@sha256:0",
            "containerID": "containerd://1",
            "started": True,
            "state": _RUNNING,
            "lastState": _TERMINATED,
            "allocatedResources": {"cpu": "0.5"},
            "resources": {"requests": {"cpu": "500m"}},
            "volumeMounts": [{"name": "v", "mountPath": "/v", "readOnly": True, "recursiveReadOnly": "Disabled"}],
            "user": {"linux": {"uid": 1, "gid": 2, "supplementalGroups": [3]}},
            "stopSignal": "SIGTERM",
            "other": 1,
        }
    ],
    "initContainerStatuses": [{"name": "first", "state": _TERMINATED}],
    "ephemeralContainerStatuses": [{"name": "debug", "state": {"waiting": {"reason": "Pulling", "message": "m"}}}],
    "observedGeneration": 1,
    "resize": "Proposed",
    "allocatedResources": {"cpu": "1"},
    "resources": {"limits": {"cpu": "1"}},
}
_CHANGES: tuple[Json, ...] = (
    {"podIP": "10.1.0.1"},
    {"podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}]},
    {"podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.2"}]},
    {"podIP": "a", "podIPs": [{"ip": "a"}]},
    {"podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}, {"ip": "10.1.0.2"}]},
    {"podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}, {"ip": "fd00::1"}, {"ip": "fd00::2"}]},
    {"podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}, {"ip": "b"}]},
    {"hostIP": "10.0.0.1", "hostIPs": [{"ip": "10.0.0.2"}]},
    {"hostIP": "010.0.0.1", "hostIPs": [{"ip": "010.0.0.1"}]},
    {"hostIPs": [{"ip": "::ffff:1.2.3.4"}]},
    {"nominatedNodeName": "node-a"},
    {"nominatedNodeName": "A b"},
    {"observedGeneration": -1},
    {"qosClass": "Guaranteed"},
    {"conditions": [{"type": "a b", "status": "True"}, {"type": "Ready", "status": "odd", "observedGeneration": -2}]},
    {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "yesterday"}]},
    {"containerStatuses": [{"name": "main", "state": _TERMINATED}]},
    {"containerStatuses": [{"name": "main", "state": _RUNNING}]},
    {"containerStatuses": [{"name": "main", "user": {"linux": {"uid": -1, "gid": 2**31, "supplementalGroups": [-3]}}}]},
    {"ephemeralContainerStatuses": [{"name": "debug", "state": _TERMINATED}]},
    {"ephemeralContainerStatuses": [{"name": "debug", "state": _RUNNING}]},
    {"containerStatuses": [{"name": "main", "ready": "yes"}]},
    {"containerStatuses": None, "initContainerStatuses": []},
)


def dialogues() -> Iterator[Dialogue]:
    for policy in ("Always", "OnFailure", "Never"):
        changes = [patch(POD, "web", {"status": change}, subresource="status") for change in _CHANGES]
        yield Dialogue(f"a kubelet's patches of a Pod's status, {policy}", (_new(policy), *changes, get(POD, "web")))
    statuses: tuple[Json, ...] = (_WHOLE, {}, {"phase": "Failed", "conditions": [{"type": "Ready", "status": "False"}]})
    writes = [put(POD, "web", pod("web") | {"status": status}, "status") for status in statuses]
    whole = patch(POD, "web", {"status": _WHOLE}, STRATEGIC_MERGE, "status")
    yield Dialogue("a Pod's status, whole", (_new("Always"), *writes, whole, get(POD, "web")))
    yield Dialogue("a bound Pod's status", (_new("Always", nodeName="node-a"), *_some(("nominatedNodeName", "node-b"))))
    told: dict[str, Any] = {"action": "Killing", "related": {"kind": "Pod", "name": "a"}}
    told |= {"eventTime": "2026-01-01T01:00:00.5+01:00", "series": {"count": 2, "lastObservedTime": None}}
    whole_time = {"eventTime": "2026-01-01T01:00:00.500000+01:00", "reportingComponent": "me", "reportingInstance": "1"}
    events: tuple[dict[str, Any], ...] = (
        told,
        told | {"eventTime": "2026-01-01T01:00:00Z"},
        told | {"eventTime": "2026-01-01T01:00:00.5000001Z"},
        {"eventTime": whole_time["eventTime"], "message": "x" * 1025, "action": "x" * 129, "reportingComponent": "a b"},
        told | whole_time,
        told | whole_time | {"series": {"count": 2, "lastObservedTime": "2026-01-01T00:00:00.000001Z"}},
    )
    posts = [post(EVENT, event(f"told-{number}", **members)) for number, members in enumerate(events)]
    yield Dialogue("an Event with all its members", (*posts, get(EVENT)))
    metadata = {"name": "kept", "selfLink": "/a", "managedFields": [{"manager": "me", "operation": "Update"}]}
    yield Dialogue("metadata that the server writes itself", (post(POD, pod() | {"metadata": metadata}),))
    condition = {"type": "A", "status": "True", "lastTransitionTime": "2026-01-01T01:00:00.5+01:00"}
    change = {"status": {"conditions": [condition]}}
    yield Dialogue("a Namespace's conditions", (patch(NAMESPACE, SPACE, change, subresource="status"),))


def _new(policy: str, **spec: Any) -> Request:
    return post(POD, pod("web", restartPolicy=policy, **spec))


def _some(*members: tuple[str, Any]) -> list[Request]:
    return [patch(POD, "web", {"status": dict([member])}, subresource="status") for member in members]
