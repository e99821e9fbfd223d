"""What admission makes of Pods, and what it refuses: classes, selectors by label, gates, resources, Pod Security."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reference.api.kinds import DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import Json
from reference.server.wire import Request
from tests.parity.dialogue import SPACE, Dialogue, patch, post, put
from tests.parity.manifests import LABELS, deployment, metadata, named, namespace, pod, template

_LABEL = "pod-security.kubernetes.io/"
_BY_LABEL = {"labelSelector": {"matchLabels": LABELS}, "matchLabelKeys": ["version", "absent"]}
_SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
_TERM = {"topologyKey": "host", **_BY_LABEL, "mismatchLabelKeys": ["tenant"]}
_PODS: tuple[dict[str, Any], ...] = (
    {"topologySpreadConstraints": [_SPREAD | _BY_LABEL]},
    {"topologySpreadConstraints": [_SPREAD]},
    {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_TERM]}}},
    {
        "affinity": {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": _TERM}],
                "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "host", "labelSelector": {}}],
            }
        }
    },
    {"priority": 5},
    {"priority": 0},
    {"preemptionPolicy": "Never"},
    {"priorityClassName": "system-cluster-critical"},
    {"priorityClassName": "system-cluster-critical", "priority": 2_000_000_000},
    {"priorityClassName": "high"},
    {"runtimeClassName": "gvisor"},
    {"overhead": {"cpu": "1"}},
    {"schedulingGates": [{"name": "example.com/gate"}], "nodeName": "a"},
    {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}},
    {"resources": {"requests": {"cpu": "1"}}},
    {"resources": {"requests": {"cpu": "1"}}, "containers": [{"name": "a", "image": "a", "resources": {}}]},
    {
        "resources": {"requests": {"cpu": "1"}},
        "containers": [{"name": "a", "image": "a", "resources": {"limits": {"cpu": "2", "memory": "1.5Gi"}}}],
        "initContainers": [
            {"name": "b", "image": "b", "resources": {"limits": {"cpu": "3", "memory": "1Gi"}}},
            {"name": "c", "image": "c", "restartPolicy": "Always", "resources": {"limits": {"cpu": "500m"}}},
        ],
    },
    {
        "resources": {"requests": {"memory": "1Gi"}},
        "containers": [{"name": "a", "image": "a", "resources": {"limits": {"hugepages-2Mi": "4Mi", "memory": "1Gi"}}}],
    },
    {"hostNetwork": True, "containers": [{"name": "a", "image": "a", "ports": [{"containerPort": 80}]}]},
    {"hostUsers": False},
    {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "x"}]},
    {"volumes": [{"name": "kube-api-access-mine", "emptyDir": {}}]},
    {"imagePullSecrets": [{"name": "b"}, {"name": "a"}]},
    {"tolerations": [{"operator": "Exists"}]},
    {"containers": [{"name": "a", "image": "a", "securityContext": {"privileged": True}}]},
)

_GOOD: Json = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
_CONTEXTS: tuple[Json, ...] = (
    {},
    _GOOD,
    _GOOD | {"capabilities": {"drop": ["ALL"], "add": ["SYS_ADMIN", "NET_BIND_SERVICE", "CHOWN"]}},
    _GOOD | {"privileged": True, "allowPrivilegeEscalation": True},
    _GOOD | {"procMount": "Unmasked"},
    _GOOD | {"seLinuxOptions": {"type": "odd", "user": "u", "role": "r"}},
    _GOOD | {"seLinuxOptions": {"type": "container_engine_t"}},
    _GOOD | {"seccompProfile": {"type": "Unconfined"}, "appArmorProfile": {"type": "Unconfined"}},
    _GOOD | {"runAsUser": 0, "runAsNonRoot": False},
    {"windowsOptions": {"hostProcess": True}},
)
_SPECS: tuple[dict[str, Any], ...] = (
    {"hostNetwork": True, "hostPID": True, "hostIPC": True},
    {"hostUsers": False},
    {"hostUsers": False, "securityContext": {"runAsUser": 0}},
    {"os": {"name": "windows"}},
    {"volumes": [{"name": "a", "hostPath": {"path": "/a"}}, {"name": "b", "nfs": {"server": "s", "path": "/p"}}]},
    {
        "securityContext": {
            "sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}, {"name": "kernel.sem", "value": "1"}]
        }
    },
    {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_notsent_lowat", "value": "1"}]}},
    {"securityContext": _GOOD | {"runAsUser": 0}},
    {"securityContext": {"seccompProfile": {"type": "Unconfined"}, "appArmorProfile": {"type": "Unconfined"}}},
    {
        "securityContext": {"seLinuxOptions": {"user": "u"}, "windowsOptions": {"hostProcess": True}},
        "hostNetwork": True,
    },
)
_PROBES: Json = {
    "livenessProbe": {"httpGet": {"port": 80, "host": "b"}},
    "lifecycle": {"preStop": {"tcpSocket": {"port": 80, "host": "a"}}},
    "ports": [{"containerPort": 80, "hostPort": 8080}, {"containerPort": 81, "hostPort": 81}],
}
_ANNOTATIONS = {
    "container.apparmor.security.beta.kubernetes.io/main": "unconfined",
    "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
}
_POLICIES: tuple[Json, ...] = (
    {"enforce": "baseline"},
    {"enforce": "restricted", "warn": "privileged"},
    {"enforce": "restricted", "enforce-version": "v1.18"},
    {"enforce": "baseline", "enforce-version": "v1.24", "warn": "restricted"},
    {"warn": "restricted", "warn-version": "v1.30", "audit": "restricted"},
    {"warn": "baseline", "warn-version": "v1.99"},
)
_LABELS: tuple[Json, ...] = (
    {"enforce": "strict"},
    {"audit": "Baseline", "warn": "x"},
    {"enforce-version": "1.2", "warn-version": "v1.02", "audit-version": "latest"},
    {"enforce": "baseline", "enforce-version": "v1.300"},
    {"enforce": "baseline", "enforce-version": "v1.30"},
    {"enforce": "restricted"},
    {"enforce": "privileged"},
)


def dialogues() -> Iterator[Dialogue]:
    labels = LABELS | {"version": "1", "tenant": "a"}
    pods = [metadata(pod(f"web-{number}", **spec), labels=labels) for number, spec in enumerate(_PODS)]
    yield Dialogue("what admission makes of Pods", tuple(post(POD, one) for one in pods))
    gated = pod(schedulingGates=[{"name": "a.b/c"}, {"name": "a.b/d"}], nodeSelector={"a": "b"})
    yield Dialogue("a Pod that is gated", (post(POD, gated), *(patch(POD, "web", {"spec": one}) for one in _GATED)))
    for policy in _POLICIES:
        title = ", ".join(f"{mode} {value}" for mode, value in policy.items())
        yield Dialogue(f"Pod Security: {title}", (_labelled(SPACE, policy), *_secured()))
    name = named(NAMESPACE, "other")
    made = (_new_space(f"{SPACE}-{number}", one) for number, one in enumerate(_LABELS))
    yield Dialogue("Pod Security: a Namespace's labels", (*made, post(NAMESPACE, namespace(name))))
    existing = [post(POD, metadata(pod("a"), generateName="x")), post(POD, pod("b", hostNetwork=True))]
    existing += [post(POD, pod("c", hostPID=True)), post(POD, pod("d", hostNetwork=True))]
    changed = (_labelled(SPACE, one) for one in _LABELS)
    yield Dialogue("Pod Security: labels beside Pods that exist", (*existing, *changed))


_GATED: tuple[Json, ...] = (
    {"nodeSelector": {"a": "c"}},
    {"nodeSelector": {"c": "d"}},
    {"schedulingGates": [{"name": "a.b/c"}, {"name": "a.b/d"}, {"name": "a.b/e"}]},
    {"hostname": "a"},
    {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]}}}},
    {"schedulingGates": []},
    {"nodeSelector": {"e": "f"}},
)


def _labelled(name: str, policy: Json) -> Request:
    return patch(NAMESPACE, name, {"metadata": {"labels": _named_labels(policy)}})


def _new_space(name: str, policy: Json) -> Request:
    return post(NAMESPACE, metadata(namespace(name), labels=_named_labels(policy)))


def _named_labels(policy: Json) -> Json:
    return {f"{_LABEL}{mode}": value for mode, value in policy.items()}


def _secured() -> Iterator[Request]:
    """Pods and templates of all that the checks look at."""
    container = {"name": "main", "image": "app:1"}
    specs = [{"containers": [{**container, "securityContext": context}]} for context in _CONTEXTS]
    specs += [
        {"containers": [{**container, "securityContext": _GOOD}, {"name": "side", "image": "b"}]},
        {"containers": [{**container, **_PROBES}], "initContainers": [{"name": "first", "image": "b", **_PORTS}]},
        *({"containers": [{**container, "securityContext": _GOOD}], **spec} for spec in _SPECS),
    ]
    for number, spec in enumerate(specs):
        yield post(POD, pod(f"web-{number}", **spec))
    yield post(POD, metadata(pod("annotated"), annotations=_ANNOTATIONS))
    yield post(POD, metadata(pod(), name="", generateName="g-"))
    yield post(DEPLOYMENT, deployment(template=template(hostPID=True)))
    yield post(REPLICA_SET, deployment(template=template(hostIPC=True)))
    yield put(DEPLOYMENT, "web", deployment(template=template(hostNetwork=True)))
    yield patch(DEPLOYMENT, "web", {"spec": {"replicas": 2}})
    yield patch(DEPLOYMENT, "web", {"spec": {"replicas": 3}}, subresource="scale")
    yield patch(POD, "web-1", {"spec": {"containers": [{**container, "image": "app:2", "securityContext": _GOOD}]}})


_PORTS: Json = {"ports": [{"containerPort": 80, "hostPort": 80}]}
