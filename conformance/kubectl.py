"""What an operator's tool makes of the API: kubectl's commands for Deployments, over a session.

In come the objects' names and kubectl's options; out goes what kubectl prints, and on the way the same requests that
kubectl sends (which verb, which kind of patch, what is in it). A command that fails raises ``KubectlError`` with what
kubectl prints then. ``conformance.kubectl_line`` takes the same commands as they are typed.

Source: kubectl v1.37's commands scale, set image, patch, annotate, label, create, delete and rollout.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from conformance.kubectl_apply import three_way_patch
from conformance.manifests import CONTAINER
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, REPLICA_SET, Kind, kind_named
from reference.api.objects import Json
from reference.explore.hands import Verbs
from reference.machinery.client import (
    JSON_PATCH,
    MERGE,
    STRATEGIC_MERGE,
    DeleteOptions,
    PropagationPolicy,
)

HASH_LABEL = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"
ROLLBACK_TO = "deprecated.deployment.rollback.to"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
CHANGE_CAUSE = "kubernetes.io/change-cause"
RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"

_STAY_WITH_THE_DEPLOYMENT = (REVISION, REVISION_HISTORY, DESIRED_REPLICAS, MAX_REPLICAS, LAST_APPLIED, ROLLBACK_TO)
_CASCADES: dict[str, PropagationPolicy] = {
    "orphan": "Orphan",
    "background": "Background",
    "foreground": "Foreground",
}
_APPLIED_BY_HAND = (
    "Warning: resource deployments/{name} was previously managed with 'kubectl apply'. "
    "Rolling back will not update the kubectl.kubernetes.io/last-applied-configuration annotation, "
    "which may cause unexpected behavior on future 'kubectl apply' operations. "
    "Consider using 'kubectl apply' with your previous configuration file instead."
)

_NEVER_APPLIED = (
    "Warning: resource {resource}/{name} is missing the kubectl.kubernetes.io/last-applied-configuration annotation "
    "which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by "
    "either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically."
)


class KubectlError(Exception):
    """A command that failed; the text is what kubectl prints."""


class Kubectl:
    """kubectl, in the session's namespace. Every method returns what is printed, or raises KubectlError."""

    def __init__(self, session: Verbs) -> None:
        self._session = session
        self.clock: Callable[[], datetime] = session.now
        """What it stamps things with: the operator's own clock, which need not be the cluster's."""

    def create(self, manifest: Json) -> str:
        """``kubectl create -f``."""
        return self._create(manifest)

    def apply(self, manifest: Json) -> str:
        """``kubectl apply -f``: creates the object, or makes of it what the manifest says; notes what it applied."""
        kind, name = kind_named(manifest["kind"]), manifest["metadata"]["name"]
        text = json.dumps(manifest, separators=(",", ":"), sort_keys=True) + "\n"
        noted = _annotated(manifest, {LAST_APPLIED: text})
        try:
            live = self._session.get(kind, name)
        except ApiError as refusal:
            if refusal.reason == "NotFound":
                return self._create(noted)
            raise KubectlError(_printed(refusal)) from refusal
        last = json.loads(_annotations(live).get(LAST_APPLIED, "{}"))
        patch = three_way_patch(last, live, noted)
        warning = "" if last else _NEVER_APPLIED.format(resource=kind.resource, name=name) + "\n"
        if not patch:
            return f"{_resource(kind)}/{name} unchanged"
        with _as_kubectl_prints():
            self._session.patch(kind, name, patch, STRATEGIC_MERGE)
        return f"{warning}{_resource(kind)}/{name} configured"

    def delete(self, kind: Kind[Any], name: str, cascade: str = "background") -> str:
        """``kubectl delete --cascade=orphan|background|foreground``; does not wait."""
        if cascade not in _CASCADES:
            raise KubectlError(
                f'error: invalid cascade value ({cascade}). Must be "background", "foreground", or "orphan"'
            )
        with _as_kubectl_prints():
            self._session.delete(kind, name, DeleteOptions(propagation_policy=_CASCADES[cascade]))
        return f'{_resource(kind)} "{name}" deleted from {self._session.namespace} namespace'

    def scale(self, kind: Kind[Any], name: str, replicas: int) -> str:
        with _as_kubectl_prints():
            self._session.patch(kind, name, {"spec": {"replicas": replicas}}, MERGE, subresource="scale")
        return f"{_resource(kind)}/{name} scaled"

    def set_image(self, name: str, image: str, container: str = CONTAINER) -> str:
        live = self._deployment(name)
        containers = live["spec"]["template"]["spec"]["containers"]
        present = {each["name"]: each["image"] for each in containers}
        if container not in present:
            raise KubectlError(f'error: unable to find container named "{container}"')
        if present[container] == image:
            return ""
        pod = {
            "$setElementOrder/containers": [{"name": each} for each in present],
            "containers": [{"image": image, "name": container}],
        }
        self._patch(name, {"spec": {"template": {"spec": pod}}})
        return f"deployment.apps/{name} image updated"

    def patch(self, kind: Kind[Any], name: str, patch: Json) -> str:
        """``kubectl patch -p``: a strategic merge."""
        with _as_kubectl_prints():
            before = self._session.get(kind, name)
            after = self._session.patch(kind, name, patch, STRATEGIC_MERGE)
        return f"{_resource(kind)}/{name} patched{'' if before != after else ' (no change)'}"

    def annotate(
        self, kind: Kind[Any], name: str, changes: Mapping[str, str | None], *, overwrite: bool = False
    ) -> str:
        """``changes`` has a value, or None to remove, for each key."""
        taken = self._change_metadata(kind, name, "annotations", changes, overwrite, exempt=(CHANGE_CAUSE,))
        if taken:
            found = "; ".join(f"'{key}' already has a value ({value})" for key, value in taken.items())
            raise KubectlError(f"error: --overwrite is false but found the following declared annotation(s): {found}")
        return f"{_resource(kind)}/{name} annotated"

    def label(self, kind: Kind[Any], name: str, changes: Mapping[str, str | None], *, overwrite: bool = False) -> str:
        """``changes`` has a value, or None to remove, for each key."""
        taken = self._change_metadata(kind, name, "labels", changes, overwrite)
        if taken:
            found = [f"'{key}' already has a value ({value}), and --overwrite is false" for key, value in taken.items()]
            raise KubectlError(f"error: {found[0]}" if len(found) == 1 else f"error: [{', '.join(found)}]")
        return f"{_resource(kind)}/{name} {'unlabeled' if set(changes.values()) == {None} else 'labeled'}"

    def pause(self, name: str) -> str:
        if self._deployment(name)["spec"].get("paused"):
            raise KubectlError(f'error: deployments.apps "{name}" is already paused')
        self._patch(name, {"spec": {"paused": True}})
        return f"deployment.apps/{name} paused"

    def resume(self, name: str) -> str:
        if not self._deployment(name)["spec"].get("paused"):
            raise KubectlError(f'error: deployments.apps "{name}" is not paused')
        self._patch(name, {"spec": {"paused": None}})
        return f"deployment.apps/{name} resumed"

    def restart(self, name: str) -> str:
        live = self._deployment(name)
        if live["spec"].get("paused"):
            why = "can't restart paused deployment (run rollout resume first)"
            raise KubectlError(f'error: deployments.apps "{name}" {why}')
        now = self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")
        if live["spec"]["template"]["metadata"].get("annotations", {}).get(RESTARTED_AT) == now:
            wait = "if restart has already been triggered within the past second, please wait before attempting to"
            raise KubectlError(f"error: failed to create patch for {name}: {wait} trigger another")
        self._patch(name, {"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: now}}}}})
        return f"deployment.apps/{name} restarted"

    def undo(self, name: str, to_revision: int = 0) -> str:
        """``kubectl rollout undo``; revision 0 means the version before."""
        live = self._deployment(name)
        warning = _APPLIED_BY_HAND.format(name=name) + "\n" if LAST_APPLIED in _annotations(live) else ""
        source = self._replica_set_of_revision(live, to_revision)
        if live["spec"].get("paused"):
            resume_first = "resume it first with 'kubectl rollout resume' and try again"
            raise KubectlError(f"error: you cannot rollback a paused deployment; {resume_first}")
        template = _without_hash(source["spec"]["template"])
        if template == _without_hash(live["spec"]["template"]):
            skipped = f"skipped rollback (current template already matches revision {to_revision})"
            return f"{warning}deployment.apps/{name} {skipped}"
        kept = {key: value for key, value in _annotations(live).items() if key in _STAY_WITH_THE_DEPLOYMENT}
        brought = {key: value for key, value in _annotations(source).items() if key not in _STAY_WITH_THE_DEPLOYMENT}
        operations: list[Json] = [
            {"op": "replace", "path": "/spec/template", "value": template},
            {"op": "replace", "path": "/metadata/annotations", "value": kept | brought},
        ]
        with _as_kubectl_prints(f"error: failed restoring revision {to_revision}: "):
            self._session.patch(DEPLOYMENT, name, operations, JSON_PATCH)
        return f"{warning}deployment.apps/{name} rolled back"

    def history(self, name: str) -> str:
        """``kubectl rollout history``: revisions and their causes, oldest first."""
        causes: dict[int, str] = {}
        for replica_set in self._replica_sets(self._deployment(name)):
            revision = revision_of(replica_set)
            if revision is not None:
                of_template = _annotations(replica_set["spec"]["template"]).get(CHANGE_CAUSE)
                causes[revision] = _annotations(replica_set).get(CHANGE_CAUSE) or of_template or "<none>"
        if not causes:
            return f"deployment.apps/{name} \nNo rollout history found."
        rows = [("REVISION", "CHANGE-CAUSE"), *((str(revision), causes[revision]) for revision in sorted(causes))]
        width = max(len(first) for first, _ in rows) + 2
        return "\n".join([f"deployment.apps/{name} ", *(f"{first:<{width}}{second}" for first, second in rows)])

    def status(self, name: str, revision: int = 0) -> str:
        """``kubectl rollout status --watch=false``: how far the rollout is, at this moment."""
        live = self._deployment(name)
        running = revision_of(live)
        if revision and revision != running:
            why = f"desired revision ({revision}) is different from the running revision ({running})"
            raise KubectlError(f"error: {why}")
        status = live.get("status", {})
        if live["metadata"]["generation"] > status.get("observedGeneration", 0):
            return "Waiting for deployment spec update to be observed..."
        if any(_is_deadline(condition) for condition in status.get("conditions", [])):
            raise KubectlError(f'error: deployment "{name}" exceeded its progress deadline')
        wanted = live["spec"]["replicas"]
        replicas, updated = status.get("replicas", 0), status.get("updatedReplicas", 0)
        available = status.get("availableReplicas", 0)
        if updated < wanted:
            left = f"{updated} out of {wanted} new replicas have been updated"
        elif replicas > updated:
            left = f"{replicas - updated} old replicas are pending termination"
        elif available < updated:
            left = f"{available} of {updated} updated replicas are available"
        else:
            return f'deployment "{name}" successfully rolled out'
        return f'Waiting for deployment "{name}" rollout to finish: {left}...'

    def _create(self, manifest: Json) -> str:
        kind = kind_named(manifest["kind"])
        with _as_kubectl_prints():
            self._session.create(kind, manifest)
        return f"{_resource(kind)}/{manifest['metadata']['name']} created"

    def _deployment(self, name: str) -> Json:
        with _as_kubectl_prints():
            return self._session.get(DEPLOYMENT, name)

    def _patch(self, name: str, patch: Json) -> None:
        with _as_kubectl_prints("error: failed to patch: "):
            self._session.patch(DEPLOYMENT, name, patch, STRATEGIC_MERGE)

    def _change_metadata(
        self,
        kind: Kind[Any],
        name: str,
        field: str,
        changes: Mapping[str, str | None],
        overwrite: bool,
        exempt: tuple[str, ...] = (),
    ) -> dict[str, str]:
        """Merges the changes; or returns the present values that may not be overwritten, and changes nothing."""
        with _as_kubectl_prints():
            live = self._session.get(kind, name)
            present: dict[str, str] = live["metadata"].get(field, {})
            taken = {
                key: present[key]
                for key, value in changes.items()
                if key in present and value not in (None, present[key]) and key not in exempt
            }
            if taken and not overwrite:
                return taken
            patch = {key: value for key, value in changes.items() if present.get(key) != value}
            self._session.patch(kind, name, {"metadata": {field: patch}} if patch else {}, MERGE)
        return {}

    def _replica_sets(self, deployment: Json) -> list[Json]:
        """Those that the Deployment controls, as kubectl finds them."""
        uid = deployment["metadata"]["uid"]
        return [each for each in self._session.list(REPLICA_SET) if controller_uid(each) == uid]

    def _replica_set_of_revision(self, deployment: Json, to_revision: int) -> Json:
        if to_revision < 0:
            raise KubectlError(f"error: unable to find specified revision {to_revision} in history")
        revisions = [(revision_of(each), each) for each in self._replica_sets(deployment)]
        if to_revision:
            for revision, replica_set in revisions:
                if revision == to_revision:
                    return replica_set
            raise KubectlError(f"error: unable to find specified revision {to_revision} in history")
        known = sorted(((number, each) for number, each in revisions if number is not None), key=lambda pair: -pair[0])
        if len(known) < 2:
            name = deployment["metadata"]["name"]
            raise KubectlError(f'error: no rollout history found for deployment "{name}"')
        return known[1][1]


def revision_of(workload: Json) -> int | None:
    """The revision that a Deployment or ReplicaSet is annotated with: 0 without one, None if it is no number."""
    text = _annotations(workload).get(REVISION, "0")
    try:
        return int(text)
    except ValueError:
        return None


def controller_of(obj: Json) -> Json | None:
    """The owner reference of the object's controller."""
    references: list[Json] = obj["metadata"].get("ownerReferences", [])
    return next((reference for reference in references if reference.get("controller")), None)


def controller_uid(obj: Json) -> str | None:
    owner = controller_of(obj)
    return owner["uid"] if owner else None


@contextmanager
def _as_kubectl_prints(before: str = "") -> Iterator[None]:
    try:
        yield
    except ApiError as refusal:
        raise KubectlError(before + refusal.message if before else _printed(refusal)) from refusal


def _printed(refusal: ApiError) -> str:
    if refusal.reason != "Invalid":
        return f"Error from server ({refusal.reason}): {refusal.message}"
    causes = list(dict.fromkeys(f"{cause.field}: {cause.message}" for cause in refusal.causes))
    subject = refusal.message.partition(" is invalid")[0]
    kind, _, name = subject.partition(" ")
    joined = causes[0] if len(causes) == 1 else "".join(f"\n* {cause}" for cause in causes)
    return f"The {kind.partition('.')[0]} {name} is invalid: {joined}"


def _resource(kind: Kind[Any]) -> str:
    return f"{kind.name.lower()}.{kind.group}" if kind.group else kind.name.lower()


def _annotations(obj: Json) -> dict[str, str]:
    annotations: dict[str, str] = obj.get("metadata", {}).get("annotations", {})
    return annotations


def _annotated(obj: Json, annotations: Mapping[str, str]) -> Json:
    metadata = obj["metadata"]
    return {**obj, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}}


def _without_hash(template: Json) -> Json:
    metadata = template.get("metadata", {})
    labels = {key: value for key, value in metadata.get("labels", {}).items() if key != HASH_LABEL}
    return {**template, "metadata": {**metadata, "labels": labels}}


def _is_deadline(condition: Json) -> bool:
    return condition["type"] == "Progressing" and condition.get("reason") == "ProgressDeadlineExceeded"
