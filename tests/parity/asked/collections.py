"""Lists, pages, watches, and the deletion of whole collections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reference.api.kinds import DEPLOYMENT, EVENT, NAMESPACE, POD, REPLICA_SET, Kind
from reference.machinery.client import MERGE
from reference.server.wire import Request
from tests.parity.dialogue import SPACE, Dialogue, delete, get, patch, post, watch
from tests.parity.manifests import NAMESPACED, deployment, event, manifest, metadata, pod

_NAMES = ("a", "a-b", "a.b", "b", "c")


def dialogues() -> Iterator[Dialogue]:
    for kind in NAMESPACED:
        yield Dialogue(f"selected {kind.resource}", (*_five(kind), *_selected(kind)))
        yield Dialogue(f"pages of {kind.resource}", (*_five(kind), *_pages(kind)))
        yield Dialogue(f"{kind.resource} deleted together", (*_five(kind), *_deleted(kind)))
        yield Dialogue(f"{kind.resource} watched", (*_five(kind), *_watched(kind)))
    yield Dialogue("watches that begin with all", tuple(_from_the_beginning()))
    yield Dialogue("fields of Pods", tuple(_pods()))
    yield Dialogue("fields of Events", tuple(_events()))
    yield Dialogue("fields of Namespaces", tuple(_namespaces()))
    yield Dialogue("selectors that are none", tuple(_no_selectors()))
    yield Dialogue("options of a list", tuple(_options()))


def _five(kind: Kind[Any]) -> Iterator[Request]:
    for index, name in enumerate(_NAMES):
        yield post(kind, metadata(manifest(kind, name), labels={"tier": str(index % 2), "name": name[0]}))


def _selected(kind: Kind[Any]) -> Iterator[Request]:
    yield get(kind)
    for labels in (
        "tier=1",
        "tier==1",
        "tier!=1",
        "tier in (0,1),name=a",
        "tier notin (1)",
        "tier",
        "!tier",
        "other!=1",
        "name=a,name=b",
        "tier in (,1)",
        "tier=",
        "tier>0",
        "tier<1",
        " tier = 1 , name = a ",
    ):
        yield get(kind, labelSelector=labels)
    for fields in (
        "metadata.name=a",
        "metadata.name!=a",
        f"metadata.namespace={SPACE}",
        "metadata.namespace!=other,metadata.name=b",
        "metadata.name=a,metadata.name=b",
        "metadata.name==a.b",
        "",
    ):
        yield get(kind, fieldSelector=fields)
    yield get(kind, labelSelector="tier=1", fieldSelector="metadata.name=a-b")
    yield Request("GET", kind.path(), {"fieldSelector": f"metadata.namespace={SPACE}"})


def _pages(kind: Kind[Any]) -> Iterator[Request]:
    yield get(kind, limit="2")
    yield get(kind, limit="2", **{"continue": "continue#1"})
    yield delete(kind, "c")
    yield patch(kind, "b", {"metadata": {"labels": {"new": "1"}}})
    yield get(kind, **{"continue": "continue#2"})
    yield get(kind, limit="1", labelSelector="tier=1")
    yield get(kind, limit="1", labelSelector="tier=1", **{"continue": "continue#3"})
    yield get(kind, limit="4")
    yield get(kind, limit="0")
    yield get(kind, limit="-1")
    yield get(kind, limit="x")
    yield get(kind, limit="2", resourceVersion="rv#3")
    yield get(kind, resourceVersion="rv#3", resourceVersionMatch="Exact")
    yield get(kind, resourceVersion="rv#3", resourceVersionMatch="NotOlderThan")
    yield get(kind, limit="2", resourceVersion="1", **{"continue": "continue#1"})
    yield get(kind, limit="2", resourceVersion="0", **{"continue": "continue#1"})
    yield get(kind, **{"continue": "nonsense"})
    yield get(kind, **{"continue": "e30"})
    yield get(kind, **{"continue": "!"})


def _deleted(kind: Kind[Any]) -> Iterator[Request]:
    yield delete(kind, labelSelector="tier=7")
    yield delete(kind, fieldSelector="metadata.name=c")
    yield delete(kind, labelSelector="tier=1", limit="1")
    yield delete(kind, labelSelector="?")
    yield delete(kind, fieldSelector="other=1")
    yield delete(kind, "", {"dryRun": ["All"]})
    yield delete(kind, "", {"propagationPolicy": "Other"})
    yield delete(kind, "", b"x")
    yield delete(kind, "", {"preconditions": {"resourceVersion": "1"}})
    yield get(kind)
    yield delete(kind, "", {"propagationPolicy": "Foreground"})
    yield get(kind)
    yield delete(kind)
    yield get(kind)


def _watched(kind: Kind[Any]) -> Iterator[Request]:
    yield patch(kind, "a", {"metadata": {"labels": {"tier": "1"}}})
    yield patch(kind, "a", {"metadata": {"labels": {"tier": "2"}}})
    yield delete(kind, "a-b")
    yield delete(kind, "b")
    yield patch(kind, "c", {"metadata": {"labels": {"tier": "1"}}})
    yield watch(kind, resourceVersion="rv#3")
    yield watch(kind, resourceVersion="rv#3", labelSelector="tier=1")
    yield watch(kind, resourceVersion="rv#5", fieldSelector="metadata.name!=a", allowWatchBookmarks="true")
    yield get(kind)
    yield watch(kind, resourceVersion="0")


def _from_the_beginning() -> Iterator[Request]:
    kind = DEPLOYMENT
    yield post(kind, deployment("b"))
    yield post(kind, deployment("a"))
    yield get(kind)  # for which the server's cache has to be up to date; asked for revision 0 it may lag
    yield watch(kind, resourceVersion="0")
    yield watch(kind, resourceVersion="0", allowWatchBookmarks="true")
    initial = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
    yield watch(kind, **initial)
    for resource in (DEPLOYMENT, REPLICA_SET, POD):
        yield watch(resource, allowWatchBookmarks="true", **initial)
    yield watch(kind, allowWatchBookmarks="true", **initial | {"sendInitialEvents": "false"})
    yield watch(kind, sendInitialEvents="true")
    yield watch(kind, resourceVersionMatch="NotOlderThan")
    yield watch(kind, resourceVersionMatch="Exact", sendInitialEvents="true")
    yield watch(kind, resourceVersion="x")
    yield watch(kind, resourceVersion="99999999")
    yield watch(kind, labelSelector="?")
    yield watch(kind, fieldSelector="other=1")
    yield get(kind, "a", watch="1", timeoutSeconds="1")


def _pods() -> Iterator[Request]:
    yield post(POD, pod("free"))
    yield post(POD, pod("bound", nodeName="node", restartPolicy="Never", schedulerName="mine"))
    yield patch(POD, "bound", {"status": {"phase": "Running"}}, MERGE, "status")
    for fields in (
        "status.phase=Running",
        "status.phase!=Running",
        "spec.nodeName=",
        "spec.nodeName=node",
        "spec.host=node",
        "spec.restartPolicy=Never,spec.schedulerName=mine",
        "spec.serviceAccountName=default",
        "spec.hostNetwork=false",
        "spec.hostNetwork=true",
        "status.podIP=",
        "status.nominatedNodeName=x",
    ):
        yield get(POD, fieldSelector=fields)


def _events() -> Iterator[Request]:
    yield post(EVENT, event("one", source={"component": "tester"}))
    yield post(
        EVENT, event("two", type="Warning", reason="Other", reportingComponent="reporter", reportingInstance="r")
    )
    for fields in (
        "type=Warning",
        "reason=Told",
        "involvedObject.kind=Deployment,involvedObject.name=web",
        f"involvedObject.namespace={SPACE}",
        "involvedObject.uid=",
        "involvedObject.apiVersion!=v1",
        "source=tester",
        "source=reporter",
        "reportingComponent=reporter",
        "involvedObject.fieldPath=x",
        "involvedObject.resourceVersion=",
    ):
        yield get(EVENT, fieldSelector=fields)
    yield post(EVENT, event("three", involvedObject={"name": "x"}))
    yield post(EVENT, event("four", involvedObject={"name": "x", "namespace": "other"}))
    yield post(EVENT, event("five", count=-3, type="Other", firstTimestamp="2026-01-01T00:00:00.5Z"))


def _namespaces() -> Iterator[Request]:
    yield get(NAMESPACE, fieldSelector=f"metadata.name={SPACE}")
    yield get(NAMESPACE, fieldSelector=f"metadata.name={SPACE},status.phase=Active")
    yield get(NAMESPACE, labelSelector=f"kubernetes.io/metadata.name={SPACE}")
    yield get(NAMESPACE, fieldSelector="metadata.namespace=x")


def _no_selectors() -> Iterator[Request]:
    for labels in (
        "a=b=c",
        "a in b",
        "a in (",
        "a in (b",
        "=a",
        ",a",
        "a,",
        "a b",
        "-a",
        "a=-",
        "a>b",
        "!",
        "!a=b",
        "a!",
        "(a)",
    ):
        yield get(DEPLOYMENT, labelSelector=labels)
    for fields in (
        "a",
        "a=b",
        "metadata.name=a=b",
        "=",
        ",",
        "metadata.name=a,",
        r"metadata.name=a\,b",
        "spec.replicas=1",
    ):
        yield get(DEPLOYMENT, fieldSelector=fields)
    for kind in (REPLICA_SET, POD, EVENT, NAMESPACE):
        yield get(kind, fieldSelector="status.replicas=1")


def _options() -> Iterator[Request]:
    kind = REPLICA_SET
    yield post(kind, deployment())
    yield get(kind)
    yield get(kind, resourceVersion="0")
    yield get(kind, resourceVersion="x")
    yield get(kind, resourceVersion="-1")
    yield get(kind, "web", resourceVersion="0")
    yield get(kind, "web", resourceVersion="rv#1")
    yield get(kind, "web", resourceVersion="x")
    yield get(kind, resourceVersionMatch="Exact")
    yield get(kind, resourceVersion="0", resourceVersionMatch="Exact")
    yield get(kind, resourceVersion="1", resourceVersionMatch="Other")
    yield get(kind, resourceVersion="1", resourceVersionMatch="Exact", **{"continue": "x"})
    yield get(kind, sendInitialEvents="true")
    yield get(kind, resourceVersion="99999999")
