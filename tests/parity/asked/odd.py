"""Each kind of odd request, put to each kind of object: what a body says that it is, patches of all types, media
types, managers, selectors, options of lists and watches, preconditions, dry runs, and paths that are not served.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE
from reference.server.wire import JSON, Method, Request
from tests.parity.dialogue import SPACE, Dialogue, delete, get, patch, post, put, watch
from tests.parity.manifests import ALL, NAMESPACED, SCALED, deployment, manifest, metadata, named

_WORDS: tuple[Any, ...] = (None, 1, 1.5, True, [], {}, "", "x", "Pod", "v1", "apps/v1", "apps/v2", "a/b/c", "Scale")
_METADATA: tuple[Any, ...] = (
    None, 1, [], {}, "x", {"namespace": None}, {"namespace": ""}, {"namespace": "other"}, {"name": None},
    {"name": ""}, {"name": "other"}, {"uid": None}, {"uid": ""}, {"uid": "x"}, {"resourceVersion": None},
    {"resourceVersion": ""}, {"resourceVersion": "0"}, {"resourceVersion": "1"}, {"resourceVersion": "x"},
    {"creationTimestamp": None}, {"creationTimestamp": "x"}, {"creationTimestamp": "2020-01-01T00:00:00Z"},
    {"generation": None}, {"generation": 7}, {"generation": "x"}, {"generation": 1.5}, {"labels": None},
    {"labels": {"a": None}}, {"labels": {"a": 1}}, {"labels": []}, {"labels": {"-": "x"}}, {"labels": {"a": "-"}},
    {"annotations": {"a": "b"}}, {"annotations": {"A b": "c"}}, {"finalizers": ["x"]}, {"finalizers": []},
    {"finalizers": [1]}, {"finalizers": "x"}, {"ownerReferences": [{}]}, {"ownerReferences": [1]},
    {"ownerReferences": None}, {"selfLink": "x"}, {"generateName": "x"}, {"deletionTimestamp": None},
    {"deletionGracePeriodSeconds": 5}, {"unknown": 1}, {"managedFields": None},
)  # fmt: skip
_OPERATIONS = (
    '{"op":"test","path":"/metadata/name","value":"web"}',
    '{"op":"test","path":"/metadata/name","value":1.0}',
    '{"op":"test","path":"/spec/replicas","value":1.0}',
    '{"op":"replace","path":"/spec/replicas","value":7.0}',
    '{"op":"replace","path":"/spec/replicas","value":7.5}',
    '{"op":"replace","path":"/spec/replicas","value":1e1}',
    '{"op":"add","path":"/spec/x","value":7.5},{"op":"test","path":"/spec/x","value":7.50}',
    '{"op":"add","path":"/spec/x","value":[1,{"a":2.0}]},{"op":"test","path":"/spec/x","value":[1,{"a":2.0}]}',
    '{"op":"add","path":"/metadata/labels","value":{"a":"b"}},{"op":"copy","from":"/metadata/labels","path":"/x"}',
    '{"op":"copy","path":"/spec/x","from":1}',
    '{"op":"move","path":"/spec/x","from":[]}',
    '{"op":"copy","path":"/spec/x","from":null}',
    '{"op":"move","path":"/metadata/labels/x","from":"/metadata/none"}',
    '{"op":1,"path":"/metadata"}',
    '{"op":"add","path":{},"value":1}',
    '{"op":"add","path":null,"value":1}',
    '{"op":"add","value":1}',
    '{"path":"/metadata"}',
    '{"op":"remove","path":"/metadata/labels/none"}',
    '{"op":"remove","path":"/metadata/namespace"}',
    '{"op":"remove","path":"/metadata/uid"}',
    '{"op":"remove","path":"/metadata/name"}',
    '{"op":"remove","path":"/apiVersion"}',
    '{"op":"remove","path":"/kind"}',
    '{"op":"replace","path":"/kind","value":"Scale"}',
    '{"op":"replace","path":"/apiVersion","value":2}',
    '{"op":"add","path":"/spec/template/spec/containers/01","value":{}}',
    '{"op":"add","path":"/spec/template/spec/containers/+0","value":{"name":"x","image":"y"}},{"op":"test","path":"/x","value":1}',
    '{"op":"add","path":"/metadata/finalizers/1_0","value":"x"}',
    "1",
    "null",
    "[]",
)
_NO_OPERATIONS = ('{"op":"add"}', "5", '"x"', "null", "[", "", "[[]]", "{}")
_MEDIA_TYPES = (
    "APPLICATION/JSON",
    "application/json;charset=utf-8",
    "application/json;x",
    "application/json;;",
    "application/yaml",
    "text/yaml",
    "",
    "application/vnd.kubernetes.protobuf",
    "*/*",
    "application/json,application/yaml",
    "application/merge-patch+json",
    "APPLICATION/MERGE-PATCH+JSON",
    "application/merge-patch+json; charset=utf-8",
    "application/strategic-merge-patch+json;x",
)
_MANAGERS = ("x" * 128, "x" * 129, "x\x07", "é" * 65, "", " ", "a\nb", "\u00a0", "\u200b", "a" * 128 + "\x07")
_SELECTORS = (
    "num>-4", "num<+4", "num>04", "num > 4", "num>", "num>4.5", "num>9223372036854775808", "num>-0", "num>1,num<3",
    "tier\u00a0= fe", "tier=\u00a0fe", "a=-b", "a=b-", "a in (-b)", "a in (b,)", "a!=", "a==b", "a=b=c", "a\t=\tb",
    "a\n=b", "a=b\r", "a\x0b=b", "!a", "! a", "!", "a,", "a,,b", ",a", "(a)", "a in b", "a in", "a in ()",
    "a notin (x),b",
    "é=x", "a=é", "A/B=c", "a/b/c=d", "/a=b", "a/=b", "x" * 64 + "=a", "a=" + "x" * 64, "in in (in)", "in", "notin",
    "in=x", "a in (in,notin)", "a in (x y)",
    "a in x)", "a in ((x))", "a=(x)", "a>b", "a<1,b>2", "a = ", "a ==", "a=b c",
)  # fmt: skip
_LIST_OPTIONS: tuple[dict[str, str], ...] = (
    {"resourceVersion": "0", "limit": "2"},
    {"resourceVersion": "0", "limit": "1", "resourceVersionMatch": "NotOlderThan"},
    {"limit": "-1"}, {"limit": "x"}, {"limit": "1.5"}, {"limit": "9" * 20}, {"limit": "+2"}, {"limit": " 2"},
    {"limit": "٣"},
    {"timeoutSeconds": "x"}, {"timeoutSeconds": "-1"}, {"timeoutSeconds": "9" * 20}, {"watch": "false"}, {"watch": "0"},
    {"pretty": "true"}, {"continue": "x"}, {"continue": "e30"}, {"continue": "e30", "resourceVersion": "5"},
    {"continue": "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"}, {"allowWatchBookmarks": "x"}, {"unknown": "x"},
    {"resourceVersionMatch": "x"}, {"resourceVersionMatch": "Exact"}, {"resourceVersion": "x"},
    {"resourceVersion": "-1"},
    {"resourceVersion": "0", "resourceVersionMatch": "Exact"}, {"resourceVersion": "99999999999"},
    {"resourceVersion": "9" * 20}, {"resourceVersion": "9" * 5000}, {"resourceVersion": "²"},
    {"sendInitialEvents": "true"},
    {"sendInitialEvents": "x"}, {"fieldSelector": "metadata.name=a,metadata.name=b"},
    {"fieldSelector": "metadata.name==a"},
    {"fieldSelector": "x=y"}, {"fieldSelector": "metadata.name"}, {"fieldSelector": ",,"},
    {"fieldSelector": "metadata.name=a,"},
    {"fieldSelector": "metadata.name=\\a"}, {"fieldSelector": "metadata.name=a\\,b"},
    {"labelSelector": "a", "limit": "x"},
    {"labelSelector": "a b", "fieldSelector": "x=y"}, {"fieldSelector": "x=y", "timeoutSeconds": "x"},
)  # fmt: skip
_WATCH_OPTIONS: tuple[dict[str, str], ...] = (
    {"labelSelector": "a b"}, {"fieldSelector": "x=y"}, {"resourceVersion": "x"}, {"resourceVersion": "9" * 30},
    {"timeoutSeconds": "x"}, {"limit": "x"}, {"sendInitialEvents": "true"}, {"resourceVersionMatch": "Exact"},
    {"sendInitialEvents": "true", "resourceVersionMatch": "Exact"}, {"sendInitialEvents": "false"},
)  # fmt: skip
_ROLLBACKS = (
    "-1",
    "",
    "0",
    "007",
    "+7",
    " 7",
    "7.0",
    "x",
    "9223372036854775808",
    "-9223372036854775809",
    "1_0",
    "٣",
    "9" * 500,
)
_DEPTHS = (50, 150, 10_001)


def dialogues() -> Iterator[Dialogue]:
    for kind in ALL:
        where = kind.resource
        for patch_type in (MERGE, STRATEGIC_MERGE):
            short = patch_type.removeprefix("application/").partition("-")[0]
            yield Dialogue(f"{short} patches of what {where} are", (_made(kind), *_types(kind, patch_type)))
            yield Dialogue(f"{short} patches of the metadata of {where}", (_made(kind), *_metadata(kind, patch_type)))
        yield Dialogue(f"odd operations on {where}", (_made(kind), *_operations(kind)))
        yield Dialogue(f"media types of {where}", (_made(kind), *_media(kind)))
        yield Dialogue(f"managers of {where}", (_made(kind), *_managers(kind)))
        yield Dialogue(f"deep bodies of {where}", (_made(kind), *_deep(kind)))
        yield Dialogue(f"rehearsed writes of {where}", (_made(kind), *_rehearsed(kind)))
        yield Dialogue(f"what must hold of {where}", (_made(kind), *_preconditions(kind)))
        yield Dialogue(f"paths of {where}", (_made(kind), *_paths(kind)))
    for kind in NAMESPACED:
        where = kind.resource
        yield Dialogue(f"odd selectors of {where}", tuple(get(kind, labelSelector=text) for text in _SELECTORS))
        yield Dialogue(f"odd options of lists of {where}", (_made(kind), *(get(kind, **one) for one in _LIST_OPTIONS)))
        yield Dialogue(f"odd options of watches of {where}", tuple(watch(kind, **one) for one in _WATCH_OPTIONS))
    for kind in SCALED:
        yield Dialogue(f"odd patches of the scale of {kind.resource}", (_made(kind), *_scales(kind)))
    yield Dialogue("wishes for a rollback", tuple(_rollbacks()))


def _made(kind: Kind[Any]) -> Request:
    return post(kind, manifest(kind))


def _web(kind: Kind[Any]) -> str:
    return named(kind, "web")


def _types(kind: Kind[Any], patch_type: str) -> Iterator[Request]:
    for member in ("kind", "apiVersion"):
        for word in _WORDS:
            yield patch(kind, _web(kind), {member: word}, patch_type)
    yield patch(kind, _web(kind), {"kind": None, "apiVersion": None}, patch_type)
    yield patch(kind, _web(kind), {"kind": 1, "apiVersion": 2}, patch_type)
    yield patch(kind, _web(kind), {"apiVersion": ""}, patch_type, fieldValidation="Strict")


def _metadata(kind: Kind[Any], patch_type: str) -> Iterator[Request]:
    for change in _METADATA:
        yield patch(kind, _web(kind), {"metadata": change}, patch_type)
    yield get(kind, _web(kind))


def _operations(kind: Kind[Any]) -> Iterator[Request]:
    for operation in _OPERATIONS:
        yield patch(kind, _web(kind), f"[{operation}]".encode(), JSON_PATCH)
    for body in _NO_OPERATIONS:
        yield patch(kind, _web(kind), body.encode(), JSON_PATCH)
    yield patch(kind, _web(kind), b"[" + b",".join([b"1"] * 3) + b"]", JSON_PATCH)
    yield patch(kind, _web(kind), [{"op": "test", "path": "/metadata/name", "value": "x"}] * 10_001, JSON_PATCH)
    yield get(kind, _web(kind))


def _media(kind: Kind[Any]) -> Iterator[Request]:
    for number, content_type in enumerate(_MEDIA_TYPES):
        other = metadata(manifest(kind, f"m{number}"))
        yield _sent("POST", kind.path(SPACE), other, content_type)
        yield _sent("PUT", kind.path(SPACE, _web(kind)), manifest(kind), content_type)
        yield _sent("PATCH", kind.path(SPACE, _web(kind)), {}, content_type)
        yield _sent("DELETE", kind.path(SPACE, "none"), {}, content_type)
    yield Request("POST", kind.path(SPACE), body=b"a: [", content_type="application/json")
    yield Request("PUT", kind.path(SPACE, _web(kind)), body=b"metadata: {name: other}", content_type="application/yaml")


def _managers(kind: Kind[Any]) -> Iterator[Request]:
    for name in _MANAGERS:
        yield post(kind, manifest(kind, "other"), fieldManager=name, dryRun="All")
        yield put(kind, _web(kind), manifest(kind), fieldManager=name, dryRun="Some")
        yield patch(kind, _web(kind), {}, MERGE, fieldManager=name, fieldValidation="x")
        yield patch(kind, _web(kind), {}, STRATEGIC_MERGE, fieldManager=name, force="true")
        yield delete(kind, "none", fieldManager=name)


def _deep(kind: Kind[Any]) -> Iterator[Request]:
    for depth in _DEPTHS:
        deep = b'{"spec":{"a":' + b"[" * depth + b"]" * depth + b"}}"
        for patch_type in (MERGE, STRATEGIC_MERGE, JSON_PATCH):
            yield patch(kind, _web(kind), deep, patch_type)
        yield put(kind, _web(kind), deep)
        yield post(kind, deep)
        yield delete(kind, "none", deep)
    for body in (b'{"metadata":{"labels":{"a":"\\ud800"}}}', b'{"metadata":{"labels":{"a":"b"},"labels":{"c":"d"}}}'):
        yield patch(kind, _web(kind), body, MERGE)


def _rehearsed(kind: Kind[Any]) -> Iterator[Request]:
    labelled = metadata(manifest(kind), labels={"app": "web", "a": "b"})
    for value in ("All", "all", "", "None"):
        yield post(kind, manifest(kind, "new"), dryRun=value)
        yield post(kind, manifest(kind), dryRun=value)
        yield put(kind, _web(kind), labelled, dryRun=value)
        yield put(kind, "none", manifest(kind), dryRun=value)
        yield patch(kind, _web(kind), {"metadata": {"labels": {"a": "c"}}}, MERGE, dryRun=value)
        yield patch(kind, _web(kind), {"metadata": {"labels": {"-": "c"}}}, STRATEGIC_MERGE, dryRun=value)
        yield patch(kind, "none", {}, MERGE, dryRun=value)
        yield delete(kind, "none", dryRun=value)
    yield delete(kind, _web(kind), dryRun="All")
    yield delete(kind, _web(kind), {"dryRun": ["All"]})
    yield delete(kind, _web(kind), {"dryRun": ["All", "x"]})
    yield get(kind, _web(kind))


def _preconditions(kind: Kind[Any]) -> Iterator[Request]:
    name = _web(kind)
    conditions: tuple[Any, ...] = (
        {"uid": "x"},
        {"uid": ""},
        {"resourceVersion": "1"},
        {"resourceVersion": "x"},
        {"uid": 1},
        [],
        {"x": 1},
    )
    for holds in conditions:
        yield delete(kind, name, {"preconditions": holds, "dryRun": ["All"]})
    for sent in (
        {"uid": "x"},
        {"resourceVersion": "1"},
        {"resourceVersion": "x"},
        {"name": "other"},
        {"namespace": "other"},
    ):
        yield put(kind, name, metadata(manifest(kind), **sent))
        if "x" not in sent.values():
            yield post(kind, metadata(manifest(kind, "p"), **sent), dryRun="All")
    for options in (
        {"propagationPolicy": "x"},
        {"propagationPolicy": 1},
        {"orphanDependents": True, "propagationPolicy": "Orphan"},
        {"gracePeriodSeconds": "x"},
        {"gracePeriodSeconds": 1.5},
        {"kind": "Pod"},
        {"kind": "DeleteOptions", "apiVersion": "v2"},
        {"unknown": 1},
    ):
        yield delete(kind, "none", options)
        yield delete(kind, name, {**options, "dryRun": ["All"]})


def _paths(kind: Kind[Any]) -> Iterator[Request]:
    base, name = kind.path(SPACE), _web(kind)
    methods: tuple[Method, ...] = ("GET", "POST", "PUT", "PATCH", "DELETE")
    for method in methods:
        for path in (f"{base}/{name}/none", f"{base}/{name}/status/x", f"{base}x", f"{base}/{name}/scale/status"):
            yield _sent(method, path, {}, MERGE if method == "PATCH" else JSON)
    for method in ("PUT", "PATCH"):
        yield _sent(method, base, {}, MERGE)
    yield _sent("POST", f"{base}/{name}", {}, JSON)
    if kind.namespaced:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            yield _sent(method, kind.path(), {}, MERGE if method == "PATCH" else JSON)


def _scales(kind: Kind[Any]) -> Iterator[Request]:
    for member in ("kind", "apiVersion"):
        for word in _WORDS[1:6]:
            yield patch(kind, "web", {member: word}, MERGE, "scale")
    for body in ("[]", "5", '"x"', "null", '{"spec":[]}', '{"spec":{"replicas":"x"}}', '{"spec":{"replicas":-1}}', "{"):
        for patch_type in (MERGE, STRATEGIC_MERGE):
            if body != "null" or patch_type == MERGE:
                yield patch(kind, "web", body.encode(), patch_type, "scale")
    for body in ("[1]", '{"op":"add"}', "5", '"x"', '[{"op":"copy","path":"/x","from":1}]', '[{"op":"add"}]'):
        yield patch(kind, "web", body.encode(), JSON_PATCH, "scale")


def _rollbacks() -> Iterator[Request]:
    yield post(DEPLOYMENT, deployment())
    for text in _ROLLBACKS:
        wish = {"deprecated.deployment.rollback.to": text}
        for patch_type in (MERGE, STRATEGIC_MERGE):
            yield patch(DEPLOYMENT, "web", {"metadata": {"annotations": wish}}, patch_type)
        yield post(DEPLOYMENT, metadata(deployment(f"d{len(text)}"), annotations=wish), dryRun="All")
        yield put(DEPLOYMENT, "web", metadata(deployment(), annotations={**wish, "a": "b"}))
        for kind in (REPLICA_SET, POD):
            yield post(kind, metadata(manifest(kind, "other"), annotations=wish), dryRun="All")
    yield get(DEPLOYMENT, "web")


def _sent(method: Method, path: str, body: Any, content_type: str) -> Request:
    return Request(method, path, body=msgspec.json.encode(body), content_type=content_type)
