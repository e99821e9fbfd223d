"""The life of a namespace: what may be created in it, and how it ends.

A namespace goes in two steps. A request to delete it only marks it; from then on nothing new is let in. When the
namespace controller has emptied it, and takes off the finalizer that stands for the content, it is gone.

Source: apiserver ``admission/plugin/namespace/lifecycle`` and upstream ``pkg/registry/core/namespace``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from reference.api.errors import Cause, forbidden, not_found
from reference.api.kinds import NAMESPACE, Kind
from reference.api.objects import Namespace, replace
from reference.machinery.store import Store

TERMINATING = "Terminating"
_IMMORTAL = ("default", "kube-public", "kube-system")


def check_creation(store: Store, kind: Kind[Any], namespace: str, name: str) -> None:
    """Raises the 404 or 403 of an object that may not be created: no such namespace, or one that is terminating."""
    if not kind.namespaced:
        return
    found: Namespace | None = store.table(NAMESPACE).get("", namespace)
    if found is None:
        raise not_found(NAMESPACE.resource, namespace)
    if found.status.phase == TERMINATING:
        cause = Cause("metadata.namespace", "NamespaceTerminating", f"namespace {namespace} is being terminated")
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        raise forbidden(kind, name, why, (cause,))


def check_deletion(kind: Kind[Any], name: str) -> None:
    """Raises the 403 of a namespace that may not be deleted."""
    if kind == NAMESPACE and name in _IMMORTAL:
        raise forbidden(kind, name, "this namespace may not be deleted")


def terminating(namespace: Namespace, now: datetime) -> Namespace:
    """The namespace, marked to be deleted."""
    metadata = replace(namespace.metadata, deletion_timestamp=now)
    return replace(namespace, metadata=metadata, status=replace(namespace.status, phase=TERMINATING))


def holds_content(obj: Any) -> bool:
    """Whether it is a namespace that is not known to be empty."""
    return isinstance(obj, Namespace) and bool(obj.spec.finalizers)
