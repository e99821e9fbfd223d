"""What an operator's tool makes of the API: kubectl's commands for Deployments, over a session, for one object each.

In come an object's name and kubectl's options; out goes what kubectl prints, and on the way the same requests that
kubectl sends (which verb, which kind of patch, what is in it). A command that fails raises ``KubectlError`` with what
kubectl prints then. ``conformance.kubectl_line`` takes the same commands as they are typed, for several objects too.

Source: kubectl v1.37's commands scale, set image, patch, annotate, label, create, apply, delete and rollout.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from conformance.kubectl_apply import three_way_patch
from conformance.kubectl_printing import Answer, KubectlError, failed, refused, said, together, warned
from reference.api.errors import ApiError, bad_request
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind, kind_named
from reference.api.objects import Json, from_json
from reference.api.selectors import matches
from reference.explore.hands import Verbs
from reference.machinery.client import (
    JSON_PATCH,
    MERGE,
    STRATEGIC_MERGE,
    DeleteOptions,
    PatchType,
    PropagationPolicy,
)
from reference.server.selection import selection

T = TypeVar("T")

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
_APPLIED_BY_HAND = (
    "Warning: resource {resource}/{name} was previously managed with 'kubectl apply'. "
    "Rolling back will not update the kubectl.kubernetes.io/last-applied-configuration annotation, "
    "which may cause unexpected behavior on future 'kubectl apply' operations. "
    "Consider using 'kubectl apply' with your previous configuration file instead."
)

_NEVER_APPLIED = (
    "Warning: resource {resource}/{name} is missing the kubectl.kubernetes.io/last-applied-configuration annotation "
    "which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by "
    "either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically."
)

_SCALE: Kind[Any] = Kind(DEPLOYMENT.type, "Scale", "scales", "autoscaling")
_POD_SPECS: Mapping[str, tuple[str, ...]] = {
    DEPLOYMENT.name: ("spec", "template", "spec"),
    REPLICA_SET.name: ("spec", "template", "spec"),
    POD.name: ("spec",),
}
"""Where a kind has its containers."""


class How(msgspec.Struct, frozen=True):
    """What a command's options say of all that it does and prints."""

    dry_run: bool = False
    """``--dry-run=client``: nothing is written."""
    names_alone: bool = False
    """``-o name``."""

    def done(self, kind: Kind[Any], name: str, what: str) -> Answer:
        """That this was done to an object, or would be."""
        if self.names_alone:
            return said(f"{_resource(kind)}/{name}")
        return said(f"{_resource(kind)}/{name} {what}{' (dry run)' if self.dry_run else ''}")


class Kubectl:
    """kubectl, in the session's namespace. Every method returns what is printed, or raises KubectlError."""

    def __init__(self, session: Verbs) -> None:
        self._session = session
        self.namespace = session.namespace
        self.clock: Callable[[], datetime] = session.now
        """What it stamps things with: the operator's own clock, which need not be the cluster's."""

    def get(self, kind: Kind[Any], name: str) -> Json:
        return self._ask(lambda: self._session.get(kind, name))[0]

    def select(self, kind: Kind[Any], labels: str, fields: str) -> list[str]:
        """The names of the objects that both selectors select."""
        try:
            wanted = selection(kind, labels, fields)
        except ApiError as refusal:
            where = f'label selector "{labels}", field selector "{fields}"'
            what = f'"{kind.group}/{kind.version}, Resource={kind.resource}" that match {where}'
            raise refused(bad_request(f"Unable to find {what}: {refusal.message}")) from refusal
        found, _ = self._ask(lambda: self._session.list(kind))
        return [each["metadata"]["name"] for each in found if wanted.selects(kind, from_json(each, kind.type))]

    def create(self, manifest: Json) -> Answer:
        """``kubectl create -f``."""
        kind = kind_named(manifest["kind"])
        _, warnings = self._ask(lambda: self._session.create(kind, manifest))
        return warnings + How().done(kind, manifest["metadata"]["name"], "created")

    def apply(self, manifest: Json) -> Answer:
        """``kubectl apply -f``: creates the object, or makes of it what the manifest says; notes what it applied."""
        kind, name = kind_named(manifest["kind"]), manifest["metadata"]["name"]
        text = json.dumps(manifest, separators=(",", ":"), sort_keys=True) + "\n"
        noted = _annotated(manifest, {LAST_APPLIED: text})
        try:
            live = self._session.get(kind, name)
        except ApiError as refusal:
            if refusal.reason == "NotFound":
                return self.create(noted)
            raise refused(refusal) from refusal
        known = LAST_APPLIED in _annotations(live)
        try:
            last = json.loads(_annotations(live).get(LAST_APPLIED) or "{}")
        except ValueError as error:
            raise failed(f"the annotation {LAST_APPLIED} of {name} is no JSON: {error}") from error
        patch = three_way_patch(last, live, noted)
        if not patch:
            return How().done(kind, name, "unchanged")
        warning = Answer() if known else warned(_NEVER_APPLIED.format(resource=kind.resource, name=name))
        _, warnings = self._patched(kind, name, patch)
        return warning + warnings + How().done(kind, name, "configured")

    def delete(
        self,
        kind: Kind[Any],
        name: str,
        policy: PropagationPolicy = "Background",
        grace_period: int | None = None,
        how: How = How(),
    ) -> Answer:
        """``kubectl delete``; does not wait."""
        options = DeleteOptions(propagation_policy=policy, grace_period_seconds=grace_period)
        warnings = Answer()
        if not how.dry_run:
            _, warnings = self._ask(lambda: self._session.delete(kind, name, options))
        if how.names_alone:
            return warnings + how.done(kind, name, "")
        what = "force deleted" if grace_period == 0 else "deleted"
        where = f" from {self.namespace} namespace" if kind.namespaced else ""
        return warnings + said(f'{_resource(kind)} "{name}" {what}{where}{" (dry run)" if how.dry_run else ""}')

    def scale(
        self,
        kind: Kind[Any],
        name: str,
        replicas: int,
        *,
        current: int = -1,
        revision: str = "",
        how: How = How(),
    ) -> Answer:
        """``current`` and ``revision`` are what must hold; -1 and nothing ask nothing."""
        if how.dry_run:
            return how.done(kind, name, "scaled")
        if current == -1 and not revision:
            _, warnings = self._patched(kind, name, {"spec": {"replicas": replicas}}, MERGE, "scale")
            return warnings + how.done(kind, name, "scaled")
        before, _ = self._ask(lambda: self._session.get(kind, name, "scale"))
        size = before["spec"].get("replicas", 0)
        if current not in (-1, size):
            raise failed(f"Expected replicas to be {current}, was {size}")
        if revision not in ("", before["metadata"]["resourceVersion"]):
            was = before["metadata"]["resourceVersion"]
            raise failed(f"Expected resource version to be {revision}, was {was}")
        wanted = {**before, "spec": {"replicas": replicas}}
        _, warnings = self._ask(lambda: self._session.update(kind, name, wanted, "scale"))
        return warnings + how.done(kind, name, "scaled")

    def set_image(self, kind: Kind[Any], name: str, images: Mapping[str, str], how: How = How()) -> Answer:
        """``images`` by container; ``*`` stands for all, and those that come first are containers too."""
        path = _POD_SPECS[kind.name]
        live = self.get(kind, name)
        pod: Json = live
        for member in path:
            pod = pod[member]
        change: Json = {}
        for field in ("initContainers", "containers"):
            containers = pod.get(field, [])
            wanted = {each["name"]: images.get(each["name"], images.get("*")) for each in containers}
            changed = [
                {"image": wanted[each["name"]], "name": each["name"]}
                for each in containers
                if wanted[each["name"]] not in (None, each["image"])
            ]
            if changed:
                change[f"$setElementOrder/{field}"] = [{"name": each} for each in wanted]
                change[field] = changed
        present = {each["name"] for field in ("initContainers", "containers") for each in pod.get(field, [])}
        missing = [each for each in images if each != "*" and each not in present]
        answer = Answer()
        if change:
            for member in reversed(path):
                change = {member: change}
            if not how.dry_run:
                _, answer = self._patched(kind, name, change, before="failed to patch image update to pod template: ")
            answer += how.done(kind, name, "image updated")
        if missing:
            raise together([failed(f'error: unable to find container named "{each}"') for each in missing], answer)
        return answer

    def patch(
        self,
        kind: Kind[Any],
        name: str,
        patch: Any,
        patch_type: PatchType = STRATEGIC_MERGE,
        subresource: str = "",
        how: How = How(),
    ) -> Answer:
        """``kubectl patch -p``."""
        before, _ = self._ask(lambda: self._session.get(kind, name, subresource))
        after, warnings = self._patched(kind, name, patch, patch_type, subresource)
        what = "patched" if before != after else "patched (no change)"
        return warnings + how.done(_SCALE if subresource == "scale" else kind, name, what)

    def annotate(
        self,
        kind: Kind[Any],
        name: str,
        changes: Mapping[str, str | None],
        *,
        overwrite: bool = False,
        revision: str = "",
        how: How = How(),
    ) -> Answer:
        """``changes`` has a value, or None to remove, for each key; ``revision`` is the only one to be changed."""
        present = _annotations(self.get(kind, name))
        taken = {key: old for key, old in _taken(present, changes).items() if key != CHANGE_CAUSE}
        if taken and not overwrite:
            found = "; ".join(f"'{key}' already has a value ({value})" for key, value in taken.items())
            raise failed(f"--overwrite is false but found the following declared annotation(s): {found}")
        warnings = self._change_metadata(kind, name, "annotations", _news(present, changes), revision, how)
        return warnings + how.done(kind, name, "annotated")

    def label(
        self,
        kind: Kind[Any],
        name: str,
        changes: Mapping[str, str | None],
        *,
        overwrite: bool = False,
        revision: str = "",
        how: How = How(),
    ) -> Answer:
        """``changes`` has a value, or None to remove, for each key; ``revision`` is the only one to be changed."""
        present: dict[str, str] = self.get(kind, name)["metadata"].get("labels", {})
        absent = Answer()
        if not how.dry_run:
            for key, value in changes.items():
                if value is None and key not in present:
                    absent += said(f'label "{key}" not found.')
        taken = _taken(present, changes)
        if taken and not overwrite:
            has = "already has a value ({}), and --overwrite is false"
            raise together([failed(f"'{key}' {has.format(old)}") for key, old in taken.items()], absent)
        news = _news(present, changes)
        warnings = self._change_metadata(kind, name, "labels", news, revision, how) if news else Answer()
        comes, goes = (any((value is None) is gone for value in news.values()) for gone in (False, True))
        what = {(True, True): "modified", (True, False): "labeled", (False, True): "unlabeled"}
        return absent + warnings + how.done(kind, name, what.get((comes, goes), "not labeled"))

    def pause(self, kind: Kind[Any], name: str, how: How = How()) -> Answer:
        self._deployment(kind, name, "pausing is not supported", "is already paused", paused=True)
        return self._rolled(name, {"spec": {"paused": True}}) + how.done(kind, name, "paused")

    def resume(self, kind: Kind[Any], name: str, how: How = How()) -> Answer:
        self._deployment(kind, name, "resuming is not supported", "is not paused", paused=False)
        return self._rolled(name, {"spec": {"paused": None}}) + how.done(kind, name, "resumed")

    def restart(self, kind: Kind[Any], name: str, how: How = How()) -> Answer:
        first = "can't restart paused deployment (run rollout resume first)"
        live = self._deployment(kind, name, "restarting is not supported", first, paused=True)
        now = self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")
        if _annotations(live["spec"]["template"]).get(RESTARTED_AT) == now:
            wait = "if restart has already been triggered within the past second, please wait before attempting to"
            raise failed(f"failed to create patch for {name}: {wait} trigger another")
        change = {"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: now}}}}}
        return self._rolled(name, change) + how.done(kind, name, "restarted")

    def undo(self, kind: Kind[Any], name: str, to_revision: int = 0, how: How = How()) -> Answer:
        """``kubectl rollout undo``; revision 0 means the version before."""
        live = self.get(kind, name)
        applied = LAST_APPLIED in _annotations(live)
        warning = warned(_APPLIED_BY_HAND.format(resource=kind.resource, name=name)) if applied else Answer()
        try:
            return warning + self._undone(kind, live, to_revision, how)
        except KubectlError as error:
            raise error.after(warning + error.before) from error

    def history(self, kind: Kind[Any], name: str) -> Answer:
        """``kubectl rollout history``: revisions and their causes, oldest first."""
        causes: dict[int, str] = {}
        live = self.get(kind, name)
        if kind != DEPLOYMENT:
            raise failed(f'no history viewer has been implemented for "{_group_kind(kind)}"')
        for replica_set in self._replica_sets(live):
            revision = revision_of(replica_set)
            if revision is not None:
                of_template = _annotations(replica_set["spec"]["template"]).get(CHANGE_CAUSE)
                causes[revision] = _annotations(replica_set).get(CHANGE_CAUSE) or of_template or "<none>"
        if not causes:
            return said(f"{_resource(kind)}/{name} \nNo rollout history found.")
        rows = [("REVISION", "CHANGE-CAUSE"), *((str(revision), causes[revision]) for revision in sorted(causes))]
        width = max(len(first) for first, _ in rows) + 2
        lines = [f"{_resource(kind)}/{name} ", *(f"{first:<{width}}{second}" for first, second in rows)]
        return said("\n".join((*lines, "")))

    def status(self, kind: Kind[Any], name: str, revision: int = 0) -> Answer:
        """``kubectl rollout status --watch=false``: how far the rollout is, at this moment."""
        live = self.get(kind, name)
        if kind != DEPLOYMENT:
            raise failed(f"no status viewer has been implemented for {_group_kind(kind)}")
        running = revision_of(live)
        if revision and revision != running:
            raise failed(f"desired revision ({revision}) is different from the running revision ({running})")
        status = live.get("status", {})
        if live["metadata"]["generation"] > status.get("observedGeneration", 0):
            return said("Waiting for deployment spec update to be observed...")
        if any(_is_deadline(condition) for condition in status.get("conditions", [])):
            raise failed(f'deployment "{name}" exceeded its progress deadline')
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
            return said(f'deployment "{name}" successfully rolled out')
        return said(f'Waiting for deployment "{name}" rollout to finish: {left}...')

    def _ask(self, act: Callable[[], T], before: str | None = None) -> tuple[T, Answer]:
        """What the API answers, and the warnings that come with it; a refusal as kubectl prints it.

        Where there is a text ``before`` it, the refusal is no more than its message.
        """
        try:
            answer = act()
        except ApiError as refusal:
            error = refused(refusal) if before is None else failed(before + refusal.message)
            raise error.after(self._warnings()) from refusal
        return answer, self._warnings()

    def _warnings(self) -> Answer:
        texts: list[str] = getattr(self._session, "warnings", [])  # which somebody else's target may not have
        warnings = Answer(tuple((f"Warning: {text}", True) for text in texts))
        texts.clear()
        return warnings

    def _patched(
        self,
        kind: Kind[Any],
        name: str,
        patch: Any,
        patch_type: PatchType = STRATEGIC_MERGE,
        subresource: str = "",
        before: str | None = None,
    ) -> tuple[Json, Answer]:
        return self._ask(lambda: self._session.patch(kind, name, patch, patch_type, subresource), before)

    def _rolled(self, name: str, patch: Json) -> Answer:
        """What a command of ``kubectl rollout`` changes in a Deployment."""
        return self._patched(DEPLOYMENT, name, patch, before="failed to patch: ")[1]

    def _deployment(self, kind: Kind[Any], name: str, no_deployment: str, wrong: str, *, paused: bool) -> Json:
        """The Deployment, if it is one; it goes wrong if that is ``paused``."""
        live = self.get(kind, name)
        if kind != DEPLOYMENT:
            raise failed(f'error: {kind.qualified_resource} "{name}" {no_deployment}')
        if bool(live["spec"].get("paused")) is paused:
            raise failed(f'error: {kind.qualified_resource} "{name}" {wrong}')
        return live

    def _change_metadata(
        self, kind: Kind[Any], name: str, field: str, news: Mapping[str, str | None], revision: str, how: How
    ) -> Answer:
        if how.dry_run:
            return Answer()
        metadata: Json = {field: news} if news else {}
        if revision:
            metadata["resourceVersion"] = revision
        return self._patched(kind, name, {"metadata": metadata} if metadata else {}, MERGE)[1]

    def _undone(self, kind: Kind[Any], live: Json, to_revision: int, how: How) -> Answer:
        if kind != DEPLOYMENT:
            raise failed(f'no rollbacker has been implemented for "{_group_kind(kind)}"')
        name = live["metadata"]["name"]
        source = self._replica_set_of_revision(live, to_revision)
        if live["spec"].get("paused"):
            resume_first = "resume it first with 'kubectl rollout resume' and try again"
            raise failed(f"you cannot rollback a paused deployment; {resume_first}")
        template = _without_hash(source["spec"]["template"])
        if template == _without_hash(live["spec"]["template"]):
            skipped = f"skipped rollback (current template already matches revision {to_revision})"
            return how.done(kind, name, skipped)
        kept = {key: value for key, value in _annotations(live).items() if key in _STAY_WITH_THE_DEPLOYMENT}
        brought = {key: value for key, value in _annotations(source).items() if key not in _STAY_WITH_THE_DEPLOYMENT}
        operations: Sequence[Json] = [
            {"op": "replace", "path": "/spec/template", "value": template},
            {"op": "replace", "path": "/metadata/annotations", "value": kept | brought},
        ]
        before = f"failed restoring revision {to_revision}: "
        _, warnings = self._patched(kind, name, operations, JSON_PATCH, before=before)
        return warnings + how.done(kind, name, "rolled back")

    def _replica_sets(self, deployment: Json) -> list[Json]:
        """Those that the Deployment selects and controls, as kubectl finds them."""
        uid, selector = deployment["metadata"]["uid"], from_json(deployment, DEPLOYMENT.type).spec.selector
        found, _ = self._ask(lambda: self._session.list(REPLICA_SET))
        return [
            each
            for each in found
            if controller_uid(each) == uid and matches(selector, each["metadata"].get("labels", {}))
        ]

    def _replica_set_of_revision(self, deployment: Json, to_revision: int) -> Json:
        missing = failed(f"unable to find specified revision {to_revision} in history")
        if to_revision < 0:
            raise missing
        revisions = [(revision_of(each), each) for each in self._replica_sets(deployment)]
        if to_revision:
            for revision, replica_set in revisions:
                if revision == to_revision:
                    return replica_set
            raise missing
        known = sorted(((number, each) for number, each in revisions if number is not None), key=lambda pair: -pair[0])
        if len(known) < 2:
            raise failed(f'no rollout history found for deployment "{deployment["metadata"]["name"]}"')
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


def _taken(present: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """The values that would be overwritten."""
    return {key: present[key] for key, value in changes.items() if key in present and value not in (None, present[key])}


def _news(present: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str | None]:
    """The changes that change anything."""
    return {key: value for key, value in changes.items() if present.get(key) != value}


def _resource(kind: Kind[Any]) -> str:
    return f"{kind.name.lower()}.{kind.group}" if kind.group else kind.name.lower()


def _group_kind(kind: Kind[Any]) -> str:
    return f"{kind.name}.{kind.group}" if kind.group else kind.name


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
