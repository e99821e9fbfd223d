"""No request makes the server raise: whatever its path, its query, its headers and its body."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from reference.api.kinds import DEPLOYMENT, EVENT, KINDS, NAMESPACE, POD, REPLICA_SET, Kind
from reference.api.objects import Json
from reference.machinery.clock import VirtualClock
from reference.machinery.store import Store
from reference.server.front import Front
from reference.server.server import SUBRESOURCES, ApiServer
from reference.server.wire import JSON, Request
from reference.versions import VERSIONS
from tests.server.conftest import SPACE, deployment, pod

_ROUNDS = 5_000
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_TYPES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/json",
    "APPLICATION/JSON; charset=utf-8",
    "application/yaml",
    "",
    "text/plain",
    "a/b;c=\x00",
)
_QUERY = (
    "allowWatchBookmarks",
    "continue",
    "dryRun",
    "fieldManager",
    "fieldSelector",
    "fieldValidation",
    "force",
    "gracePeriodSeconds",
    "labelSelector",
    "limit",
    "orphanDependents",
    "pretty",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
)
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2.0, 7.5, 1e3, 1e400, -0.0, 2**31, 2**63, 2**64, 10**400, "", "x", "2", "25%", "1Gi",
    "\x00", "\ud800", "é" * 70, "a" * 300, "2026-01-01T00:00:00Z", "9999-99-99T00:00:00Z", "10000-01-01T00:00:00Z",
    "{}", "null", [], {}, [[]], [{}], [None], {"": None}, {"x": {"x": {"x": []}}}, ["x", 1], [1.5],
    {"$patch": "replace"},
    {"$patch": "delete"}, {"$patch": 1}, {"$retainKeys": ["x"]}, {"$retainKeys": 1}, [{"$patch": "replace"}],
)  # fmt: skip
_TEXTS = (
    "", "0", "1", "-1", "2.5", "true", "All", "Strict", "Warn", "x", "x=y", "x in (a,b)", "!x", "x>1", "x>-1", "x,",
    "=", "9" * 5_000, "²",
    "\x00", "\u00a0", "\\", "metadata.name=web", "metadata.name", "status.phase!=x", "spec.nodeName=", "Exact",
    "NotOlderThan", "9" * 400, "٣", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "Foreground", "Orphan", "é" * 200, "1_0", " 1",
)  # fmt: skip
_PATHS = ("", "/", "/api", "/apis/apps/v1", "/apis/apps/v1/deployments/", "/api/v1/namespaces//x", "\x00")
_NAMES = ("web", "nope", "", "a/b", "..", "%2e", "é", "\x00", "x" * 300, SPACE)


@pytest.mark.parametrize("version", VERSIONS.values(), ids=list(VERSIONS))
def test_no_request_raises(version: Any) -> None:
    chance = random.Random(version.name)
    front = _stocked(version)
    for number in range(_ROUNDS):
        request = _request(chance)
        try:
            answer = front.answer(request)
        except Exception as error:
            raise AssertionError(f"request {number} raises {error!r}: {request}") from error
        json.dumps(answer.body)
        json.dumps(list(answer.events))
        if number % 100 == 99:
            front = _stocked(version)


@pytest.mark.parametrize("depth", [99, 101, 2_000, 10_000, 10_001, 40_000])
@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}"), ('{"a":', "")])
def test_no_depth_raises(depth: int, start: str, end: str) -> None:
    front = _stocked(VERSIONS["1.37"])
    deep = start * depth + "1" + end * depth
    for method, content_type in (
        ("POST", JSON),
        ("PUT", JSON),
        ("DELETE", JSON),
        *(("PATCH", one) for one in _TYPES[:3]),
    ):
        for body in (deep, f'{{"spec":{deep}}}', f'[{{"op":"add","path":"/spec","value":{deep}}}]'):
            path = DEPLOYMENT.path(SPACE, "" if method == "POST" else "web")
            answer = front.answer(Request(method, path, body=body.encode(), content_type=content_type))  # type: ignore[arg-type]
            assert json.dumps(answer.body)


def _stocked(version: Any) -> Front:
    front = Front(ApiServer(Store(), VirtualClock(datetime(2026, 1, 1, tzinfo=UTC)), version))
    for kind in (NAMESPACE, DEPLOYMENT, REPLICA_SET, POD, EVENT):
        made = front.answer(Request("POST", kind.path(SPACE), body=json.dumps(_manifest(kind)).encode()))
        assert made.code == 201, made
    return front


def _manifest(kind: Kind[Any]) -> Json:
    if kind == NAMESPACE:
        return {"metadata": {"name": SPACE}}
    if kind == POD:
        return pod("web")
    if kind == EVENT:
        return {"metadata": {"name": "web"}, "involvedObject": {"namespace": SPACE}, "reason": "x", "type": "Normal"}
    return deployment("web")


def _request(chance: random.Random) -> Request:
    def mostly(usual: str, others: Sequence[str]) -> str:
        return usual if chance.random() < 0.85 else chance.choice(others)

    kind = chance.choice(KINDS)
    method: Any = chance.choice((*_METHODS, "PATCH", "PATCH"))
    subresource = mostly("", (*SUBRESOURCES[kind.name], *_NAMES)) if method in ("PUT", "PATCH", "GET") else ""
    name = mostly("" if method == "POST" else _name(kind), _NAMES)
    path = mostly(kind.path(mostly(SPACE, _NAMES), name, subresource), _PATHS)
    query = {key: chance.choice(_TEXTS) for key in chance.sample(_QUERY, chance.choice((0, 0, 0, 1, 2)))}
    usual = chance.choice(_TYPES[:3]) if method == "PATCH" else JSON
    return Request(method, path, query, _body(chance, kind, usual), mostly(usual, _TYPES))


def _name(kind: Kind[Any]) -> str:
    return str(_manifest(kind)["metadata"]["name"])


def _body(chance: random.Random, kind: Kind[Any], content_type: str) -> bytes:
    match 2 if content_type == _TYPES[0] and chance.random() < 0.8 else chance.randrange(8):
        case 0:
            return chance.randbytes(chance.randrange(40))
        case 1 if chance.random() < 0.3:
            member = chance.choice(("replicas", "minReadySeconds", "x", "status"))
            return f'{{"spec":{{"{member}":{"9" * 5_000}}}}}'.encode()
        case 1:
            return json.dumps(chance.choice(_VALUES)).encode()
        case 2:
            operations = [_operation(chance, _manifest(kind)) for _ in range(chance.randrange(4))]
            return json.dumps(operations).encode()
        case 3:
            text = json.dumps(_damaged(chance, _manifest(kind)))
            at = chance.randrange(len(text))
            return (text[:at] + chance.choice(("", "\\", '"', "{", "]", "1", "\x00")) + text[at + 1 :]).encode()
        case 4:
            return json.dumps({"kind": chance.choice(_VALUES), "apiVersion": chance.choice(_VALUES)}).encode()
        case 5:
            options = ("propagationPolicy", "preconditions", "gracePeriodSeconds", "dryRun", "orphanDependents", "kind")
            return json.dumps({key: chance.choice(_VALUES) for key in chance.sample(options, 2)}).encode()
    return json.dumps(_damaged(chance, _manifest(kind))).encode()


def _operation(chance: random.Random, document: Json) -> Any:
    if chance.random() < 0.1:
        return chance.choice(_VALUES)
    paths = [
        *_paths(document, ""),
        "",
        "/",
        "//",
        "x",
        "/-",
        "/spec/-",
        "/spec/containers/-",
        "/spec/containers/-1",
        "/~2",
    ]
    operation = {
        "op": chance.choice(("add", "replace", "test", "remove", "copy", "move", "other", None)),
        "path": chance.choice((*paths, chance.choice(_VALUES))),
        "from": chance.choice((*paths, chance.choice(_VALUES))),
        "value": chance.choice(_VALUES),
    }
    for member in list(operation):
        if chance.random() < 0.1:
            del operation[member]
    return operation


def _paths(value: Any, path: str) -> list[str]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(one for name, content in members for one in _paths(content, f"{path}/{name}"))]


def _damaged(chance: random.Random, document: Any) -> Any:
    """The document with a few of its parts replaced by something else, and a few members of the API's put in."""
    known = (
        "metadata", "spec", "status", "replicas", "selector", "template", "strategy", "rollingUpdate", "maxSurge",
        "containers", "resources", "limits", "cpu", "annotations", "labels", "ownerReferences", "finalizers",
        "creationTimestamp", "deletionTimestamp", "managedFields", "conditions", "volumes", "affinity", "ports", "env",
        "resourceVersion", "generateName", "uid", "namespace", "name", "paused", "lastTransitionTime", "series",
        "matchExpressions", "tolerations", "schedulingGates", "$setElementOrder/containers",
        "$deleteFromPrimitiveList/finalizers", "deprecated.deployment.rollback.to", "firstTimestamp", "eventTime",
    )  # fmt: skip
    if chance.random() < 0.05:
        return chance.choice(_VALUES)
    if isinstance(document, dict):
        made = {name: _damaged(chance, content) for name, content in document.items() if chance.random() < 0.95}
        if chance.random() < 0.3:
            made[chance.choice(known)] = chance.choice((*_VALUES, made.get("metadata"), [made.get("metadata")]))
        return made
    if isinstance(document, list):
        return [_damaged(chance, one) for one in document] * chance.choice((1, 1, 1, 2))
    return document
