"""The life of an object of each kind, by all verbs: created, read, replaced, patched, scaled, deleted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reference.api.kinds import DEPLOYMENT, EVENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE
from reference.server.wire import Request
from tests.parity.dialogue import SPACE, Dialogue, delete, get, patch, post, put
from tests.parity.manifests import (
    ALL,
    LABELS,
    NAMESPACED,
    SCALED,
    deployment,
    manifest,
    metadata,
    named,
    pod,
    template,
    with_container,
)

_FOREGROUND = {"propagationPolicy": "Foreground"}
_ORPHAN = {"propagationPolicy": "Orphan"}


def dialogues() -> Iterator[Dialogue]:
    for kind in ALL:
        yield Dialogue(f"the life of a {kind.name}", tuple(_life(kind)))
        yield Dialogue(f"what is no {kind.name}", tuple(_absent(kind)))
        yield Dialogue(f"names of a {kind.name}", tuple(_names(kind)))
    for kind in NAMESPACED:
        yield Dialogue(f"{kind.name} with finalizers", tuple(_finalized(kind)))
        yield Dialogue(f"{kind.name} deleted on conditions", tuple(_conditional(kind)))
        yield Dialogue(f"dry runs with a {kind.name}", tuple(_dry(kind)))
    for kind in SCALED:
        yield Dialogue(f"the scale of a {kind.name}", tuple(_scale(kind)))
        yield Dialogue(f"the status of a {kind.name}", tuple(_status(kind)))
    yield Dialogue("what bumps a generation", tuple(_generation()))
    yield Dialogue("patches", tuple(_patches()))
    yield Dialogue("a Pod's status and its end", tuple(_pod()))
    yield Dialogue("a namespace that ends", tuple(_namespace()))
    yield Dialogue("methods and paths that are not served", tuple(_not_served()))
    yield Dialogue("options of a deletion", tuple(_deletions()))


def _life(kind: Kind[Any]) -> Iterator[Request]:
    name = named(kind, "web")
    yield post(kind, manifest(kind))
    yield post(kind, manifest(kind))
    yield get(kind, name)
    yield put(kind, name, manifest(kind))
    yield put(kind, name, metadata(manifest(kind), labels={"one": "1"}))
    yield put(kind, name, metadata(manifest(kind), resourceVersion="1"))
    yield put(kind, name, metadata(manifest(kind), resourceVersion="rv#2", labels={"two": "2"}))
    yield put(kind, name, metadata(manifest(kind), resourceVersion="rv#2", labels={"three": "3"}))
    yield put(kind, name, metadata(manifest(kind), uid="uid#1", annotations={"a": "b"}))
    yield put(kind, name, metadata(manifest(kind), uid="other"))
    yield put(kind, name, metadata(manifest(kind), name="other"))
    yield put(kind, name, metadata(manifest(kind), namespace="other"))
    yield patch(kind, name, {"metadata": {"labels": {"four": "4"}}})
    yield patch(kind, name, {"metadata": {"labels": {"four": "4"}}})
    yield patch(kind, name, {"metadata": {"labels": {"four": None}}}, STRATEGIC_MERGE)
    yield patch(kind, name, {"metadata": {"resourceVersion": "1"}})
    yield patch(kind, name, {"metadata": {"uid": "other"}})
    yield patch(kind, name, {"metadata": {"name": "other"}})
    yield patch(kind, name, {"metadata": {"labels": {"-": "4"}}})
    yield patch(kind, name, [{"op": "add", "path": "/metadata/labels", "value": {"five": "5"}}], JSON_PATCH)
    yield patch(kind, name, [{"op": "test", "path": "/metadata/name", "value": "x"}], JSON_PATCH)
    yield get(kind, name)
    yield delete(kind, name)
    if kind != NAMESPACE:
        yield get(kind, name)
        yield delete(kind, name)
        yield post(kind, manifest(kind))


def _absent(kind: Kind[Any]) -> Iterator[Request]:
    name = named(kind, "none")
    yield get(kind, name)
    if kind != EVENT:
        yield put(kind, name, manifest(kind, "none"))
    else:
        yield put(kind, name, manifest(kind, "none"))
        yield delete(kind, name)
    yield put(kind, name, manifest(kind, "other"))
    yield patch(kind, name, {})
    yield delete(kind, name)
    yield get(kind, name, "status")
    yield get(kind, name, "scale")
    yield post(kind, {"kind": "Service", "apiVersion": "v1", "metadata": {"name": name}})
    yield post(kind, manifest(kind, "none") | {"kind": kind.name, "apiVersion": "x/v1"})
    yield post(kind, manifest(kind, "none") | {"kind": "Nothing"})
    yield post(kind, manifest(kind, "none") | {"apiVersion": "apps/v1beta1"})
    yield post(kind, manifest(kind, "none") | {"kind": "ReplicaSet", "apiVersion": "apps/v1"})
    yield post(kind, {})
    yield post(kind, {"metadata": {"name": 3}})
    yield post(kind, {"metadata": []})
    yield post(kind, {"metadata": {"name": name, "labels": {"a": 1}}})
    yield post(kind, {"metadata": {"name": name, "labels": {"a": None}}, "spec": 3})


def _names(kind: Kind[Any]) -> Iterator[Request]:
    for name in ("-a", "a_b", "A", "a.b", "a..b", "a" * 63, "a" * 64, "a" * 253, "a" * 254, "ä", "a b"):
        if kind == NAMESPACE and len(name) < 63 and name != "-a":
            continue
        yield post(kind, metadata(manifest(kind), name=name), dryRun="All")
    yield post(kind, metadata(manifest(kind), name="", generateName="g-"), dryRun="All")
    yield post(kind, metadata(manifest(kind), name="", generateName="G"), dryRun="All")
    yield post(kind, metadata(manifest(kind), name="", generateName="a" * 70), dryRun="All")
    if kind != NAMESPACE:
        yield post(kind, metadata(manifest(kind), name="", generateName="g-"))
        yield get(kind, "name#1")
        yield post(kind, metadata(manifest(kind), namespace="other"))
        yield post(kind, metadata(manifest(kind), name="named", namespace=SPACE))


def _finalized(kind: Kind[Any]) -> Iterator[Request]:
    yield post(kind, metadata(manifest(kind), finalizers=["example.com/a"]))
    yield delete(kind, "web", dryRun="All")
    yield delete(kind, "web")
    yield delete(kind, "web")
    yield get(kind, "web")
    yield post(kind, manifest(kind))
    yield patch(kind, "web", {"metadata": {"finalizers": ["example.com/a", "example.com/b"]}})
    yield patch(kind, "web", {"metadata": {"labels": {"late": "1"}}})
    yield patch(kind, "web", {"metadata": {"deletionTimestamp": None}})
    yield patch(kind, "web", {"metadata": {"finalizers": None}})
    yield get(kind, "web")
    yield post(kind, metadata(manifest(kind), finalizers=["a"]))
    yield post(kind, metadata(manifest(kind), finalizers=["orphan", "foregroundDeletion"]))


def _conditional(kind: Kind[Any]) -> Iterator[Request]:
    yield post(kind, manifest(kind))
    yield delete(kind, "web", {"preconditions": {"uid": "other"}})
    yield delete(kind, "web", {"preconditions": {"resourceVersion": "1"}})
    yield delete(kind, "web", {"preconditions": {"uid": "uid#1", "resourceVersion": "1"}})
    yield delete(kind, "web", _FOREGROUND | {"preconditions": {"uid": "uid#1"}})
    yield get(kind, "web")
    if kind in SCALED:
        yield delete(kind, "web", _ORPHAN)
        yield delete(kind, "web", {"propagationPolicy": "Background"})
        yield get(kind, "web")
    yield post(kind, manifest(kind, "other"))
    yield delete(kind, "other", _ORPHAN)
    yield post(kind, manifest(kind, "third"))
    yield delete(kind, "third", {"orphanDependents": True})
    yield post(kind, manifest(kind, "fourth"))
    yield delete(kind, "fourth", {"orphanDependents": False, "gracePeriodSeconds": 0})


def _dry(kind: Kind[Any]) -> Iterator[Request]:
    yield post(kind, manifest(kind), dryRun="All")
    yield get(kind, "web")
    yield post(kind, manifest(kind))
    yield post(kind, manifest(kind), dryRun="All")
    yield put(kind, "web", metadata(manifest(kind), labels={"a": "b"}), dryRun="All")
    yield patch(kind, "web", {"metadata": {"annotations": {"a": "b"}}}, dryRun="All")
    yield patch(kind, "web", {"metadata": {"labels": {"-": "b"}}}, dryRun="All")
    yield delete(kind, "web", dryRun="All")
    yield delete(kind, "web", {"dryRun": ["All"], "propagationPolicy": "Foreground"})
    yield delete(kind, "", dryRun="All")
    yield get(kind, "web")
    for options in ({"dryRun": "None"}, {"dryRun": ""}, {"fieldValidation": "Most"}):
        yield post(kind, manifest(kind), **options)
        yield put(kind, "web", manifest(kind), **options)
        yield patch(kind, "web", {}, **options)
    yield delete(kind, "web", dryRun="None")
    yield delete(kind, "web", {"dryRun": ["None"]})


def _scale(kind: Kind[Any]) -> Iterator[Request]:
    def to(replicas: Any, **members: Any) -> dict[str, Any]:
        return {"metadata": {"name": "web", **members}, "spec": {"replicas": replicas}}

    yield post(kind, manifest(kind))
    yield get(kind, "web", "scale")
    for replicas in (3, 3, 0, -1, 2**31, "3", None):
        yield put(kind, "web", to(replicas), "scale")
        yield patch(kind, "web", {"spec": {"replicas": replicas}}, MERGE, "scale")
    yield put(kind, "web", to(4, resourceVersion="1"), "scale")
    yield put(kind, "web", to(4, uid="other"), "scale")
    yield put(kind, "web", to(4, name="other"), "scale")
    yield put(kind, "web", {"spec": {"replicas": 4}}, "scale")
    yield put(kind, "web", to(5, namespace="other"), "scale")
    yield patch(kind, "web", [{"op": "replace", "path": "/spec/replicas", "value": 6}], JSON_PATCH, "scale")
    yield patch(kind, "web", {"spec": {"replicas": 7}}, STRATEGIC_MERGE, "scale")
    yield patch(kind, "web", {"spec": {"other": 7}}, MERGE, "scale")
    yield patch(kind, "web", {"spec": {"replicas": 8}}, MERGE, "scale", dryRun="All")
    yield put(kind, "web", to(9), "scale", dryRun="All")
    yield put(kind, "web", to(9) | {"kind": "Deployment", "apiVersion": "apps/v1"}, "scale")
    yield get(kind, "web")
    yield get(kind, "none", "scale")
    yield put(kind, "none", to(1) | {"metadata": {"name": "none"}}, "scale")


def _status(kind: Kind[Any]) -> Iterator[Request]:
    yield post(kind, manifest(kind) | {"status": {"replicas": 3}})
    yield get(kind, "web", "status")
    for status in (
        {"replicas": 2, "readyReplicas": 1},
        {"replicas": 1, "readyReplicas": 2},
        {"replicas": -1},
        {"replicas": 3, "readyReplicas": 1, "availableReplicas": 2},
        {"replicas": 2, "observedGeneration": -1},
        {"replicas": 2, "terminatingReplicas": 1},
        {"replicas": 2, "collisionCount": 3},
        {"replicas": 2, "collisionCount": 2},
        {"replicas": 2, "nothing": 2},
        {"conditions": [{"type": "A", "status": "True"}, {"type": "A", "status": "False"}]},
    ):
        yield put(kind, "web", manifest(kind) | {"status": status}, "status")
        yield patch(kind, "web", {"status": status}, MERGE, "status")
    yield patch(kind, "web", {"spec": {"replicas": 9}, "metadata": {"labels": {"a": "b"}}}, MERGE, "status")
    yield patch(kind, "web", {"status": {"replicas": 9}})
    yield put(kind, "web", metadata(manifest(kind), resourceVersion="1"), "status")
    yield get(kind, "web")


def _generation() -> Iterator[Request]:
    yield post(DEPLOYMENT, deployment())
    for change in (
        {"metadata": {"labels": {"a": "b"}}},
        {"metadata": {"annotations": {"a": "b"}}},
        {"metadata": {"generation": 77}},
        {"spec": {"replicas": 1}},
        {"spec": {"replicas": None}},
        {"spec": {"replicas": 2}},
        {"spec": {"paused": True}},
        {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}},
        {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 30}}}},
        {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 31}}}},
        {"spec": {"strategy": {"type": "Recreate"}}},
        {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}},
        {"spec": {"strategy": None}},
        {"spec": {"selector": {"matchLabels": {"b": "c"}}}},
        {"spec": {"revisionHistoryLimit": 3, "progressDeadlineSeconds": 7, "minReadySeconds": 7}},
        {"status": {"replicas": 2}},
        {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:2"}]}}}},
    ):
        yield patch(DEPLOYMENT, "web", change)
    yield get(DEPLOYMENT, "web")


def _patches() -> Iterator[Request]:
    yield post(DEPLOYMENT, deployment(template=template(nodeSelector={"a": "b", "c": "d"})))
    container = {"name": "side", "image": "side:1", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    spec = {"template": {"spec": {"containers": [container]}}}
    yield patch(DEPLOYMENT, "web", {"spec": spec}, STRATEGIC_MERGE)
    within: tuple[Any, ...] = (
        {"containers": [{"name": "side", "env": [{"name": "A", "$patch": "delete"}]}]},
        {"containers": [{"name": "side", "$patch": "delete"}]},
        {"containers": [{"$patch": "replace"}, {"name": "only", "image": "only:1"}]},
        {"nodeSelector": {"$patch": "replace", "x": "y"}},
        {"$setElementOrder/containers": [{"name": "only"}, {"name": "main"}], "containers": [{"name": "main"}]},
        {"containers": [{"image": "nameless"}]},
        {"containers": [{"name": "main", "$patch": "wrong"}]},
        {"volumes": [{"name": "v", "$retainKeys": ["name", "emptyDir"], "emptyDir": {}}]},
        {"volumes": [{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "c"}}]},
        {"containers": "text"},
        {"containers": None},
        {"terminationGracePeriodSeconds": "text"},
    )
    for change in within:
        yield patch(DEPLOYMENT, "web", {"spec": {"template": {"spec": change}}}, STRATEGIC_MERGE)
    yield patch(
        DEPLOYMENT, "web", {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}, STRATEGIC_MERGE
    )
    all_operations: tuple[Any, ...] = (
        [{"op": "replace", "path": "/spec/replicas", "value": 3}],
        [{"op": "remove", "path": "/spec/nothing"}],
        [{"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "last", "image": "l:1"}}],
        [{"op": "copy", "from": "/metadata/name", "path": "/metadata/annotations"}],
        [{"op": "move", "from": "/spec/replicas", "path": "/spec/minReadySeconds"}],
        [{"op": "test", "path": "/spec/paused", "value": None}],
        [{"op": "nothing", "path": "/spec/paused"}],
        [{"op": "replace", "path": "", "value": {}}],
        [{"op": "add", "path": "/spec/other", "value": 1, "also": 2}],
        [],
        {},
        ["text"],
        [None],
    )
    for operations in all_operations:
        yield patch(DEPLOYMENT, "web", operations, JSON_PATCH)
    whole: tuple[Any, ...] = (
        [],
        "text",
        3,
        None,
        {"spec": None},
        {"spec": []},
        {"metadata": None},
        {"kind": "Pod"},
        {"other": 1},
    )
    for change in whole:
        yield patch(DEPLOYMENT, "web", change)
        yield patch(DEPLOYMENT, "web", change, STRATEGIC_MERGE)
    for text in (b"", b"{", b"x", b'{"spec":{"replicas":1,"replicas":2}}'):
        for patch_type in (MERGE, STRATEGIC_MERGE, JSON_PATCH):
            yield patch(DEPLOYMENT, "web", text, patch_type)
    for change in ({"spec": {"other": 1}}, {"spec": {"replicas": "1"}}):
        for validation in ("Strict", "Warn", "Ignore"):
            yield patch(DEPLOYMENT, "web", change, MERGE, fieldValidation=validation)
            yield patch(DEPLOYMENT, "web", change, STRATEGIC_MERGE, fieldValidation=validation)
    yield patch(DEPLOYMENT, "web", b'{"spec":{"replicas":1,"replicas":2}}', MERGE, fieldValidation="Strict")
    yield patch(DEPLOYMENT, "web", b'{"spec":{"replicas":1,"replicas":2}}', STRATEGIC_MERGE, fieldValidation="Strict")
    yield patch(DEPLOYMENT, "web", {}, MERGE, force="true")
    yield patch(DEPLOYMENT, "web", {}, "application/json")
    yield patch(DEPLOYMENT, "web", {}, "text/plain")
    yield patch(DEPLOYMENT, "web", {"metadata": {"labels": {"a": "b"}}}, f"{MERGE}; charset=utf-8")


def _pod() -> Iterator[Request]:
    yield post(POD, pod() | {"status": {"phase": "Running"}})
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    yield patch(POD, "web", {"status": ready}, STRATEGIC_MERGE, "status")
    yield patch(POD, "web", {"status": {"phase": "Running"}}, STRATEGIC_MERGE, "status")
    yield patch(POD, "web", {"status": {"phase": "Running"}})
    yield patch(POD, "web", {"spec": {"containers": [{"name": "main", "image": "app:2"}]}}, STRATEGIC_MERGE)
    yield patch(POD, "web", {"spec": {"restartPolicy": "Never"}})
    yield patch(POD, "web", {"spec": {"activeDeadlineSeconds": 5}})
    yield patch(POD, "web", {"spec": {"terminationGracePeriodSeconds": 1}})
    yield patch(POD, "web", {"metadata": {"labels": {"app": "other"}, "ownerReferences": None}})
    yield patch(POD, "web", {"spec": {"nodeName": "node"}})
    yield put(POD, "web", pod())
    yield delete(POD, "web", {"gracePeriodSeconds": 5})
    bound = pod("bound", nodeName="node", terminationGracePeriodSeconds=20)
    yield post(POD, bound)
    yield delete(POD, "bound", dryRun="All")
    yield delete(POD, "bound")
    yield delete(POD, "bound")
    yield delete(POD, "bound", {"gracePeriodSeconds": 40})
    yield delete(POD, "bound", {"gracePeriodSeconds": 5})
    yield get(POD, "bound")
    yield delete(POD, "bound", {"gracePeriodSeconds": 0})
    yield get(POD, "bound")
    yield post(POD, pod("done", nodeName="node"))
    yield patch(POD, "done", {"status": {"phase": "Succeeded"}}, MERGE, "status")
    yield delete(POD, "done")
    yield post(POD, pod("negative", nodeName="node", terminationGracePeriodSeconds=-3))
    yield delete(POD, "negative", {"gracePeriodSeconds": -1})
    yield post(POD, pod("account", serviceAccountName="other"))
    yield post(POD, pod("class", priorityClassName="other"))
    yield post(POD, pod("bare", automountServiceAccountToken=False))


def _namespace() -> Iterator[Request]:
    name = named(NAMESPACE, "end")
    yield post(NAMESPACE, manifest(NAMESPACE, "end"))
    yield delete(NAMESPACE, name, dryRun="All")
    yield delete(NAMESPACE, name)
    yield delete(NAMESPACE, name)
    yield get(NAMESPACE, name)
    yield patch(NAMESPACE, name, {"metadata": {"labels": {"a": "b"}}})
    yield put(NAMESPACE, name, manifest(NAMESPACE, "end") | {"spec": {"finalizers": []}}, "finalize")
    yield get(NAMESPACE, name)
    yield delete(NAMESPACE, "default")
    yield patch(NAMESPACE, SPACE, {"spec": {"finalizers": ["example.com/x"]}})
    yield patch(NAMESPACE, SPACE, {"status": {"phase": "Terminating"}}, MERGE, "status")
    yield patch(NAMESPACE, SPACE, {"metadata": {"labels": {"kubernetes.io/metadata.name": "other"}}})


def _not_served() -> Iterator[Request]:
    yield get(DEPLOYMENT, "web", "rollback")
    yield get(POD, "web", "scale")
    yield Request("POST", DEPLOYMENT.path(SPACE, "web"), body=b"{}")
    yield Request("POST", DEPLOYMENT.path(), body=b"{}")
    yield Request("PUT", DEPLOYMENT.path(SPACE), body=b"{}")
    yield Request("PATCH", DEPLOYMENT.path(SPACE), body=b"{}", content_type=MERGE)
    yield Request("DELETE", DEPLOYMENT.path(SPACE, "web", "status"))
    yield Request("DELETE", DEPLOYMENT.path())
    yield Request("DELETE", NAMESPACE.path())
    yield Request("GET", NAMESPACE.path(name=SPACE, subresource="finalize"))
    yield Request("GET", "/apis/apps/v1/nothings")
    yield Request("GET", "/apis/apps/v2/deployments")
    yield Request("GET", DEPLOYMENT.path("none"))
    yield Request("POST", DEPLOYMENT.path("none"), body=b'{"metadata":{"name":"x"}}')
    yield Request("POST", POD.path("none"), body=b'{"metadata":{"name":"x"}}')
    yield Request("POST", DEPLOYMENT.path(SPACE), body=b"{}", content_type="text/plain")
    yield Request("PUT", DEPLOYMENT.path(SPACE, "web"), body=b"{}", content_type="text/plain")


def _deletions() -> Iterator[Request]:
    yield post(REPLICA_SET, deployment())
    for options in (
        {"propagationPolicy": "Other"},
        {"propagationPolicy": "Orphan", "orphanDependents": True},
        {"propagationPolicy": 3},
        {"gracePeriodSeconds": "3"},
        {"kind": "Other"},
        {"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"]},
        {"kind": "DeleteOptions", "apiVersion": "apps/v1", "dryRun": ["All"]},
        {"kind": "DeleteOptions", "apiVersion": "apps/v1", "dryRun": ["All", "All"]},
        {"preconditions": {"uid": 3}},
        b"[]",
        b"x",
        b"{",
        b"3",
    ):
        yield delete(REPLICA_SET, "web", options)
    yield delete(REPLICA_SET, "web", propagationPolicy="Other")
    yield delete(REPLICA_SET, "web", gracePeriodSeconds="x")
    yield delete(REPLICA_SET, "web", gracePeriodSeconds="3", dryRun="All")
    yield delete(REPLICA_SET, "web", propagationPolicy="Foreground")
    yield post(REPLICA_SET, with_container())
    yield patch(REPLICA_SET, "web", {"metadata": {"labels": LABELS}})
    yield delete(REPLICA_SET, "web", {"unknown": 3})
