"""What chance makes of a seed: objects that are slightly wrong in several places at once, and what is done to them.

Where hand-picked requests ask about one thing at a time, these ask how the answers combine: which fault is told first,
how several are listed, what is left after a refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE
from reference.server.wire import Request
from tests.parity.dialogue import Dialogue, delete, get, patch, post, put
from tests.parity.manifests import LABELS, deployment, metadata, pod, template

SEED = 20_260_101
_DIALOGUES = 40
_STEPS = 10
_NAMES = ("web", "api", "a.b", "UP", "x" * 64)
_PLAIN = {
    "replicas": (0, 1, 3, -1, None, "2", 2**31),
    "minReadySeconds": (0, 5, -1),
    "progressDeadlineSeconds": (600, 5, 1, -1, None),
    "revisionHistoryLimit": (0, 10, -1, None),
    "paused": (True, False, None, "yes"),
    "selector": ({"matchLabels": LABELS}, {"matchLabels": {"app": "b"}}, {}, None),
    "other": (1, {"a": 1}),
}
_STRATEGIES = (
    {"type": "Recreate"},
    {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}},
    {"rollingUpdate": {"maxSurge": "30%", "maxUnavailable": 0}},
    {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}},
    {"rollingUpdate": {"maxSurge": "101%", "maxUnavailable": "101%"}},
    {"type": "Other"},
    None,
)
_CONTAINER = {
    "name": ("main", "side", "A", ""),
    "image": ("app:1", "app:2", "app", "", " x"),
    "imagePullPolicy": ("Always", "Never", "Sometimes"),
    "env": ([{"name": "A", "value": "1"}], [{"name": ""}], [{"name": "A"}, {"name": "A"}], [{"name": "=A"}]),
    "ports": ([{"containerPort": 80}], [{"containerPort": 0}], [{"containerPort": 80, "name": "TOO-LONG-NAME-HERE"}]),
    "resources": (
        {"limits": {"cpu": "1"}},
        {"limits": {"cpu": "-1"}},
        {"requests": {"memory": "1.5Gi"}},
        {"limits": {"x": 1}},
    ),
    "terminationMessagePolicy": ("File", "Wall"),
    "tty": (True, None),
}
_POD = {
    "terminationGracePeriodSeconds": (0, 30, -1),
    "restartPolicy": ("Always", "Never", "Maybe"),
    "dnsPolicy": ("Default", "ClusterFirst", "None", "Other"),
    "nodeSelector": ({"a": "b"}, {"a b": "c"}, {"beta.kubernetes.io/os": "x"}),
    "hostNetwork": (True, False),
    "volumes": ([{"name": "v"}], [{"name": "v"}, {"name": "v"}], [{"name": "V", "emptyDir": {}}]),
    "tolerations": ([{"key": "a", "operator": "Exists"}], [{"operator": "Near"}], [{"key": "a", "value": "b c"}]),
    "activeDeadlineSeconds": (5, 0, None),
}
_META = {
    "labels": ({"a": "b"}, {"a": "b c"}, {"-": "a"}, None, {}),
    "annotations": ({"a": "anything at all"}, {"A": "x"}, {"a b": "c"}),
    "finalizers": (["example.com/x"], ["x"], ["orphan"], []),
    "generation": (7,),
    "uid": ("mine",),
    "resourceVersion": ("1", "0", ""),
}


def dialogues() -> Iterator[Dialogue]:
    for number in range(_DIALOGUES):
        chance = Random(f"{SEED}/{number}")
        kind = chance.choice((DEPLOYMENT, DEPLOYMENT, REPLICA_SET, POD))
        yield Dialogue(f"by chance {number}, {kind.resource}", tuple(_steps(chance, kind)))


def _steps(chance: Random, kind: Kind[Any]) -> Iterator[Request]:
    yield post(kind, deployment() if kind != POD else pod())
    for _ in range(_STEPS):
        yield chance.choice(_ACTIONS)(chance, kind)
    yield get(kind)


def _create(chance: Random, kind: Kind[Any]) -> Request:
    name = chance.choice(_NAMES)
    return post(kind, _manifest(chance, kind, name), **_query(chance))


def _update(chance: Random, kind: Kind[Any]) -> Request:
    return put(kind, "web", _manifest(chance, kind, "web"), **_query(chance))


def _patched(chance: Random, kind: Kind[Any]) -> Request:
    change = _manifest(chance, kind, "web")
    part = chance.choice(("metadata", "spec"))
    return patch(kind, "web", {part: change[part]}, chance.choice((MERGE, STRATEGIC_MERGE)), **_query(chance))


def _operated(chance: Random, kind: Kind[Any]) -> Request:
    paths = ("/metadata/labels", "/metadata/labels/a", "/spec/replicas", "/spec/template/spec/containers/0/image", "/x")
    operations = [
        {"op": chance.choice(("add", "replace", "remove", "test")), "path": chance.choice(paths), "value": value}
        for value in chance.sample(("x", 1, {"a": "b"}, None), 2)
    ]
    return patch(kind, "web", operations, JSON_PATCH, **_query(chance))


def _deleted(chance: Random, kind: Kind[Any]) -> Request:
    policy = chance.choice(("Foreground", "Background", "Orphan"))
    return delete(kind, chance.choice(_NAMES), {"propagationPolicy": policy})


_ACTIONS: tuple[Callable[[Random, Kind[Any]], Request], ...] = (
    *(_create, _create, _create, _update, _update, _update, _update),
    *(_patched, _patched, _patched, _patched, _operated, _deleted),
)


def _query(chance: Random) -> dict[str, str]:
    query = {}
    if chance.random() < 0.2:
        query["dryRun"] = "All"
    if chance.random() < 0.3:
        query["fieldValidation"] = chance.choice(("Strict", "Ignore", "Warn"))
    return query


def _manifest(chance: Random, kind: Kind[Any], name: str) -> Json:
    spec = _spec(chance)
    if kind == POD:
        made = pod(name) | {"spec": spec}
    else:
        made = deployment(name, template=template() | {"spec": spec}, **_some(chance, _PLAIN, 0.15))
        if kind == DEPLOYMENT and chance.random() < 0.2:
            made["spec"]["strategy"] = chance.choice(_STRATEGIES)
    return metadata(made, **_some(chance, _META, 0.12))


def _spec(chance: Random) -> Json:
    containers = [
        {"name": "main", "image": "app:1"} | _some(chance, _CONTAINER, 0.12)
        for _ in range(chance.choice((1, 1, 1, 2, 0)))
    ]
    return {"containers": containers} | _some(chance, _POD, 0.08)


def _some(chance: Random, members: dict[str, tuple[Any, ...]], share: float) -> Json:
    return {name: chance.choice(values) for name, values in members.items() if chance.random() < share}
