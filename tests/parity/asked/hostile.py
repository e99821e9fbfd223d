"""What nobody in their right mind sends: numbers in every notation, fields that aren't, bodies that are no objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from reference.api.kinds import DEPLOYMENT, EVENT, NAMESPACE, POD, REPLICA_SET
from reference.api.objects import Json
from reference.machinery.client import MERGE
from reference.server.wire import Request
from tests.parity.dialogue import Dialogue, patch, post, put
from tests.parity.manifests import LABELS, deployment, metadata, pod, template, with_container

_DRY = {"dryRun": "All"}
_QUANTITIES: tuple[Any, ...] = (
    *(
        "0",
        "1",
        "1.5",
        "100m",
        "0.1",
        "1e3",
        "1E3",
        "1e-3",
        "12e6",
        "1k",
        "1Ki",
        "1.5Gi",
        "0.5Ki",
        "1M",
        "1Mi",
        "1E",
        "1Ei",
    ),
    *(
        "-1",
        "-1m",
        "+1",
        "1n",
        "1u",
        "0.0001",
        "1.0",
        "01",
        " 1",
        "1 ",
        "1 k",
        "",
        "k",
        "1K",
        "1kB",
        "0x1",
        "1e",
        "1e400",
    ),
    *(
        "9223372036854775807",
        "9223372036854775808",
        "99999999999999999999Ei",
        ".5",
        "5.",
        ".",
        "1_000",
        "١",
        "NaN",
        "Inf",
    ),
    *(1, 1.5, 0, -1, 1e3, 100000000000000000000, True, None, [], {}),
)
_SHARES: tuple[Any, ...] = (
    "25%",
    "101%",
    "100%",
    "0%",
    "1.5%",
    "-5%",
    "%",
    "5",
    "a",
    "",
    " 5%",
    "5 %",
    "٥%",
    0,
    1,
    -1,
    2**31,
    1.5,
    True,
)
_INTEGERS: tuple[Any, ...] = (
    0,
    -1,
    1,
    2**31 - 1,
    2**31,
    -(2**31),
    2**63,
    10**30,
    1.0,
    1.5,
    1e2,
    "1",
    True,
    None,
    [],
    {},
)
_LABELS = ("a" * 63, "a" * 64, "", "-", "a-", "A.b_c", "ä", "a b", "a/b")


def dialogues() -> Iterator[Dialogue]:
    yield Dialogue("quantities", tuple(_quantities()))
    yield Dialogue("shares", tuple(_shares()))
    yield Dialogue("integers", tuple(_integers()))
    yield Dialogue("labels", tuple(_labels()))
    yield Dialogue("selectors and templates", tuple(_selectors()))
    yield Dialogue("bodies", tuple(_bodies()))
    yield Dialogue("large bodies", tuple(_large()))
    yield Dialogue("unknown and doubled fields", tuple(_strict()))
    yield Dialogue("warnings", tuple(_warned()))


def _quantities() -> Iterator[Request]:
    for quantity in _QUANTITIES:
        yield post(DEPLOYMENT, with_container(resources={"limits": {"cpu": quantity}}), **_DRY)
    for quantity in ("100m", "1.5", "1Ki", "1e3", "-1", "0.5"):
        yield post(POD, pod(containers=[_limited("memory", quantity)]), **_DRY)
    for name in ("storage", "example.com/gpu", "hugepages-2Mi", "-", "a b", "ephemeral-storage"):
        yield post(DEPLOYMENT, with_container(resources={"limits": {name: "1.5"}}), **_DRY)
    yield post(DEPLOYMENT, with_container(resources={"limits": {"cpu": 1}, "requests": {"cpu": 2}}), **_DRY)


def _limited(resource: str, quantity: Any) -> dict[str, Any]:
    return {"name": "main", "image": "app:1", "resources": {"limits": {resource: quantity}}}


def _shares() -> Iterator[Request]:
    for share in _SHARES:
        rolling = {"maxSurge": share, "maxUnavailable": 1}
        yield post(DEPLOYMENT, deployment(strategy={"rollingUpdate": rolling}), **_DRY)
        rolling = {"maxSurge": 0, "maxUnavailable": share}
        yield post(DEPLOYMENT, deployment(strategy={"rollingUpdate": rolling}), **_DRY)
    strategies: tuple[Any, ...] = (
        {"type": "Recreate", "rollingUpdate": {}},
        {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}},
        {"type": "Other"},
        {"type": ""},
        {"type": 3},
        {},
        [],
        None,
    )
    for strategy in strategies:
        yield post(DEPLOYMENT, deployment(strategy=strategy), **_DRY)


def _integers() -> Iterator[Request]:
    for member in ("replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"):
        for number in _INTEGERS:
            yield post(DEPLOYMENT, _with_spec(member, number), **_DRY)
    for text in (b"1e2", b"1.0", b"-0", b"1E400", b"00", b"+1", b".5", b"1.", b"0x10", b"NaN", b"1e", b"-"):
        body = json.dumps(deployment(replicas="here")).encode().replace(b'"here"', text)
        yield post(DEPLOYMENT, body, **_DRY)
    for number in _INTEGERS:
        yield post(REPLICA_SET, deployment(replicas=number), **_DRY)
        yield post(POD, pod(terminationGracePeriodSeconds=number), **_DRY)
        yield post(DEPLOYMENT, with_container(ports=[{"containerPort": number}]), **_DRY)


def _with_spec(member: str, value: Any) -> Json:
    made = deployment()
    made["spec"][member] = value
    return made


def _labels() -> Iterator[Request]:
    for label in _LABELS:
        yield post(DEPLOYMENT, metadata(deployment(), labels={label: "x"}), **_DRY)
        yield post(DEPLOYMENT, metadata(deployment(), labels={"x": label}), **_DRY)
        yield post(DEPLOYMENT, metadata(deployment(), annotations={label: "x"}), **_DRY)
    no_texts: tuple[Any, ...] = (1, True, None, [], {})
    for value in no_texts:
        yield post(DEPLOYMENT, metadata(deployment(), labels={"x": value}), **_DRY)
    for key in ("a" * 253 + "/b", "a" * 254 + "/b", "/b", "a/", "a/b/c", "A/b", "x.y/" + "b" * 64):
        yield post(DEPLOYMENT, metadata(deployment(), labels={key: "x"}), **_DRY)
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y"}
    for changes in (
        {},
        {"uid": ""},
        {"apiVersion": "a/b/c"},
        {"kind": "Event"},
        {"controller": True},
        {"controller": "x"},
    ):
        yield post(DEPLOYMENT, metadata(deployment(), ownerReferences=[owner | changes]), **_DRY)
    yield post(DEPLOYMENT, metadata(deployment(), ownerReferences=[owner, owner]), **_DRY)
    both = [owner | {"controller": True}, owner | {"controller": True, "name": "z", "uid": "z"}]
    yield post(DEPLOYMENT, metadata(deployment(), ownerReferences=both), **_DRY)


def _selectors() -> Iterator[Request]:
    selectors: tuple[Any, ...] = (
        {},
        None,
        {"matchLabels": {}},
        {"matchLabels": {"app": "other"}},
        {"matchLabels": {"a b": "c"}},
        {"matchLabels": {"app": "a" * 64}},
        {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]},
        {"matchExpressions": [{"key": "app", "operator": "In", "values": []}]},
        {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "app", "operator": "Exists", "values": ["x"]}]},
        {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]},
        {"matchExpressions": [{"key": "app", "operator": "Near"}]},
        {"matchExpressions": [{"key": "", "operator": "Exists"}]},
        {"matchExpressions": [{"operator": "NotIn", "key": "app", "values": ["a b", "c"]}]},
        {"matchExpressions": [{}]},
        {"matchLabels": []},
        "app=web",
    )
    for selector in selectors:
        yield post(DEPLOYMENT, deployment(selector=selector), **_DRY)
        yield post(REPLICA_SET, deployment(selector=selector), **_DRY)
    templates: tuple[Any, ...] = (
        {"metadata": {}},
        {"metadata": {"labels": LABELS | {"more": "1"}}},
        {"metadata": {"labels": {"app": "x"}}},
        {"spec": {}},
        {"spec": {"containers": []}},
        {"spec": None},
        {"spec": {"containers": [{}]}},
        {"spec": {"containers": [{"name": "A", "image": "x"}]}},
        {"spec": {"containers": [{"name": "a", "image": " "}]}},
        {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "a", "image": "y"}]}},
    )
    for changed in templates:
        yield post(DEPLOYMENT, deployment(template=template() | changed), **_DRY)
        yield post(REPLICA_SET, deployment(template=template() | changed), **_DRY)
    for member, value in {"restartPolicy": "Never", "activeDeadlineSeconds": 3, "dnsPolicy": "None"}.items():
        yield post(DEPLOYMENT, deployment(template=template(**{member: value})), **_DRY)
    yield post(DEPLOYMENT, deployment(template=None), **_DRY)


def _bodies() -> Iterator[Request]:
    texts = (
        *(
            b"",
            b" ",
            b"null",
            b"true",
            b"3",
            b'"text"',
            b"[]",
            b"[1]",
            b"{}",
            b"{",
            b"}",
            b"{]",
            b"not json",
            b"nul",
            b"tru",
        ),
        *(
            b'{"a"}',
            b'{"a":}',
            b'{"a":1,}',
            b'{"a":1 "b":2}',
            b"{a:1}",
            b"{'a':1}",
            b'{"a":1}x',
            b'{"a":1}{}',
            b"[1,]",
            b"[1 2]",
        ),
        *(
            b'{"a":"\x01"}',
            b'{"a":"\\x"}',
            b'{"a":"\\u12g4"}',
            b'{"a":"b',
            b'{"a":"\xff"}',
            b"\xef\xbb\xbf{}",
            b"kind: Deployment",
        ),
        *(
            b'{"kind":3}',
            b'{"apiVersion":{}}',
            b'{"apiVersion":"a/b/c"}',
            b'{"kind":null}',
            b'{"metadata":"x"}',
            b'{"spec":[]}',
        ),
        *(
            b'{"a":-}',
            b'{"a":01}',
            b'{"a":1.}',
            b'{"a":1e}',
            b'{"a":.5}',
            b'{"a":+1}',
            b'{"a":NaN}',
            b"[" * 20,
            b"<html>",
        ),
    )
    for text in texts:
        yield post(DEPLOYMENT, text)
    for text in texts[:16]:
        yield put(DEPLOYMENT, "web", text)
        yield patch(DEPLOYMENT, "web", text, MERGE)
        yield put(DEPLOYMENT, "web", text, "scale")
    for kind in (POD, EVENT, NAMESPACE):
        for text in texts[6:12]:
            yield post(kind, text)
    yield post(DEPLOYMENT, b"x" * 3000)
    yield post(DEPLOYMENT, b"{" + b"x" * 3000)


def _large() -> Iterator[Request]:
    yield post(DEPLOYMENT, with_container(env=[{"name": "A", "value": "x" * 2_000_000}]))
    yield post(DEPLOYMENT, with_container(env=[{"name": "A", "value": "x" * 3_200_000}]))
    yield post(DEPLOYMENT, metadata(deployment(), annotations={"a": "x" * 2_000_000}))
    yield post(DEPLOYMENT, metadata(deployment(), annotations={"a": "x" * 262_143}), **_DRY)
    yield post(DEPLOYMENT, metadata(deployment(), annotations={"a": "x" * 262_144}), **_DRY)
    yield post(DEPLOYMENT, with_container(env=[{"name": "A", "value": "x" * 1_000_000}]))
    yield patch(DEPLOYMENT, "web", {"metadata": {"annotations": {"a": "x" * 3_200_000}}})
    yield put(DEPLOYMENT, "web", with_container(env=[{"name": "A", "value": "x" * 2_000_000}]))
    yield post(DEPLOYMENT, json.dumps(deployment("spaced")).encode() + b" " * 2_000_000)


def _strict() -> Iterator[Request]:
    plain = json.dumps(deployment())
    bodies = (
        json.dumps(deployment() | {"other": 1, "Spec": {}}),
        json.dumps(deployment(other=1, Replicas=1)),
        json.dumps(with_container(other=1, resources={"limits": {"cpu": 1}, "other": {}})),
        json.dumps(deployment(strategy={"rollingUpdate": {"maxSurge": 1, "other": 2}, "other": 3})),
        json.dumps(metadata(deployment(), other={"a": 1}, labels={"a": "b"})),
        json.dumps(deployment(replicas="x", other=1)),
        json.dumps(deployment(replicas=-1, other=1)),
        json.dumps(deployment() | {"kind": "Pod", "apiVersion": "v1", "other": 1}),
        plain[:-1] + ', "spec": {"replicas": 1, "replicas": 2}}',
        plain[:-1] + ', "metadata": {"name": "other", "labels": {"a": "b", "a": "c"}}}',
        plain[:-2] + ', "replicas": 1, "replicas": 2}}',
        plain[:-2] + ', "replicas": 1, "replicas": 1, "replicas": 3, "other": {"a": 1, "a": 2}}}',
        plain.replace('"image": "app:1"', '"image": "app:1", "image": "app:2"'),
        plain.replace('"matchLabels": {"app": "web"}', '"matchLabels": {"app": "x", "app": "web"}'),
    )
    for body in bodies:
        for validation in ("Strict", "Warn", "Ignore"):
            yield post(DEPLOYMENT, body.encode(), fieldValidation=validation, **_DRY)
    yield post(DEPLOYMENT, deployment())
    for body in bodies[:3]:
        yield put(DEPLOYMENT, "web", body.encode(), **_DRY)
        yield put(DEPLOYMENT, "web", body.encode(), "status", fieldValidation="Strict", **_DRY)
    scale = {"metadata": {"name": "web"}, "spec": {"replicas": 2, "other": 1}}
    yield put(DEPLOYMENT, "web", scale, "scale", fieldValidation="Strict")
    yield put(DEPLOYMENT, "web", scale, "scale")


def _warned() -> Iterator[Request]:
    ports = [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80, "hostPort": 8080}]
    items = [{"key": "a", "path": "x"}, {"key": "b", "path": "x/y"}, {"key": "c", "path": "x"}]
    term = {"topologyKey": "x"}
    for spec in (
        {"nodeSelector": {"beta.kubernetes.io/os": "linux"}},
        {"terminationGracePeriodSeconds": -1},
        {"imagePullSecrets": [{"name": "a"}, {"name": "a"}, {}]},
        {"hostAliases": [{"ip": "1.2.3.4", "hostnames": ["a"]}, {"ip": "1.2.3.4", "hostnames": ["b"]}]},
        {"volumes": [{"name": "v", "configMap": {"name": "c", "items": items}}]},
        {"volumes": [{"name": "v", "secret": {"secretName": "s", "items": items}}]},
        {"volumes": [{"name": "v", "projected": {"sources": [{"configMap": {"name": "c", "items": items}}, {}]}}]},
        {"volumes": [{"name": "v", "rbd": {"monitors": ["a"], "image": "b"}}]},
        {"volumes": [{"name": "v", "gitRepo": {"repository": "a"}}]},
        {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}},
        {
            "topologySpreadConstraints": [
                {"maxSkew": 1, "topologyKey": "beta.kubernetes.io/arch", "whenUnsatisfiable": "DoNotSchedule"}
            ]
        },
    ):
        yield post(DEPLOYMENT, deployment(template=template(**spec)), **_DRY)
        yield post(POD, pod(**spec), **_DRY)
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "A", "value": "$(A)3"}]
    for container in (
        {"env": env},
        {"ports": ports},
        {"ports": [{"containerPort": 80, "name": "x"}, {"containerPort": 81, "name": "y"}]},
        {"resources": {"requests": {"memory": "100m", "ephemeral-storage": "1.5"}, "limits": {"memory": "1.5"}}},
    ):
        yield post(DEPLOYMENT, with_container(**container), **_DRY)
    names = [
        {"name": name, "image": "x", "ports": [{"containerPort": port, "name": "p"}]}
        for name, port in (("a", 1), ("b", 2))
    ]
    yield post(DEPLOYMENT, deployment(template=template(containers=names)), **_DRY)
    annotations = {
        "scheduler.alpha.kubernetes.io/critical-pod": "",
        "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
        "container.seccomp.security.alpha.kubernetes.io/main": "runtime/default",
        "container.apparmor.security.beta.kubernetes.io/main": "runtime/default",
    }
    for key, value in annotations.items():
        yield post(
            DEPLOYMENT,
            deployment(
                template={"metadata": {"labels": LABELS, "annotations": {key: value}}, "spec": template()["spec"]}
            ),
            **_DRY,
        )
    yield post(
        DEPLOYMENT, metadata(deployment(template=template(nodeSelector={"beta.kubernetes.io/os": "x"})), name="a.b")
    )
    yield post(DEPLOYMENT, metadata(deployment(), name="a.b"))
    yield patch(DEPLOYMENT, "a.b", {"metadata": {"labels": {"a": "b"}}})
    yield patch(DEPLOYMENT, "a.b", {"metadata": {"annotations": {"a": "b"}}})
    yield patch(DEPLOYMENT, "a.b", {"spec": {"replicas": 2}})
    yield post(REPLICA_SET, metadata(deployment(), name="a.b"))
    yield post(POD, metadata(pod(), name="a.b"))
