"""The API server of the golden cases: a plain one.

It checks no resourceVersion and sets none, answers a write with the object as sent, and refuses only what the world
says, what does not exist and what exists already. It writes down every call, refused or not, and names a Pod after the
number of the call. In its errors every resource is one of the group apps.

Source: ``tests/golden/README.md``; the texts of refusals, apimachinery ``api/errors``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from msgspec import Raw, json

from conformance.worlds.world import Action, Reason, World
from reference.api.conform import conform
from reference.api.errors import ApiError, Cause, internal_error, not_found
from reference.api.kinds import DEPLOYMENT, POD, REPLICA_SET, Kind
from reference.api.objects import Deployment, OwnerReference, Pod, ReplicaSet, from_json, replace
from reference.api.quoting import go_quote
from reference.api.schema import POD_SPEC
from reference.machinery.client import Call
from reference.versions import VERSIONS, Version

CONFLICT = "the object has been modified; please apply your changes to the latest version and try again"


class PlainServer:
    """The server of one world; ``actions`` are the calls so far, with what was sent as ``version`` writes it."""

    def __init__(self, world: World, version: Version) -> None:
        self.actions: list[Action] = []
        self._version = version
        self._refusals = world.failures
        self._objects: dict[tuple[str, str, str], Any] = {}
        deployments = [one for one in (world.deployment, world.fresh_deployment) if one is not None]
        self._objects |= {_key(DEPLOYMENT, deployment): deployment for deployment in deployments}
        self._objects |= {_key(REPLICA_SET, rs): rs for rs in world.replica_sets}
        self._objects |= {_key(POD, pod): pod for pod in world.pods}

    async def perform(self, call: Call) -> Any:
        """The transport. Raises ``ApiError``."""
        reason = self._refusal(call)
        self.actions.append(_action(call, reason, self._version))
        if reason is not None:
            raise _refused(call, reason)
        return getattr(self, f"_{call.verb}")(call)

    def _refusal(self, call: Call) -> Reason | None:
        """Why the call is refused: because the world says so, or it asks for what is not, or makes what is."""
        for refusal in self._refusals:
            if (
                refusal.verb == call.verb
                and refusal.resource == call.kind.resource
                and refusal.subresource == call.subresource
                and refusal.name in ("", call.name)
            ):
                return refusal.reason
        exists = _place(call) in self._objects
        if call.verb == "create":
            return "AlreadyExists" if exists else None
        return None if exists else "NotFound"

    def _get(self, call: Call) -> Any:
        return self._objects[_place(call)]

    def _create(self, call: Call) -> Any:
        obj = call.body
        if not call.name:
            name = f"{obj.metadata.generate_name}{len(self.actions):05d}"
            obj = replace(obj, metadata=replace(obj.metadata, name=name))
        self._objects[call.kind.resource, call.namespace, obj.metadata.name] = obj
        return obj

    def _update(self, call: Call) -> Any:
        self._objects[_place(call)] = call.body
        return call.body

    def _patch(self, call: Call) -> Any:
        """The object with the owner references that the patch adds or deletes: no controller patches anything else."""
        obj = self._get(call)
        references = {reference.uid: reference for reference in obj.metadata.owner_references}
        for entry in call.body["metadata"]["ownerReferences"]:
            if entry.get("$patch") == "delete":
                references.pop(entry["uid"], None)
            else:
                references[entry["uid"]] = from_json(entry, OwnerReference)
        obj = replace(obj, metadata=replace(obj.metadata, owner_references=tuple(references.values())))
        self._objects[_place(call)] = obj
        return obj

    def _delete(self, call: Call) -> None:
        del self._objects[_place(call)]


def _place(call: Call) -> tuple[str, str, str]:
    return call.kind.resource, call.namespace, call.name


def _key(kind: Kind[Any], obj: Deployment | ReplicaSet | Pod) -> tuple[str, str, str]:
    return kind.resource, obj.metadata.namespace, obj.metadata.name


def _action(call: Call, failed: Reason | None, version: Version) -> Action:
    return Action(
        verb=call.verb,
        resource=call.kind.resource,
        subresource=call.subresource,
        name=call.name,
        object=_written(call.body, version) if call.verb in ("create", "update") else None,
        patch=call.body if call.verb == "patch" else None,
        patch_type=call.patch_type or "",
        failed=failed or "",
    )


def _written(obj: Any, version: Version) -> Any:
    """The object with its PodSpec as a program of this version writes it: most are so already, and then it is itself.

    The controller keeps the spec as it came, for the hash tells ``1.5`` from ``1500m``.
    """
    match obj:
        case Pod():
            spec = _written_spec(bytes(obj.spec), version.name)
            return obj if spec is None else replace(obj, spec=spec)
        case Deployment() | ReplicaSet():
            template = obj.spec.template
            spec = _written_spec(bytes(template.spec), version.name)
            return obj if spec is None else replace(obj, spec=replace(obj.spec, template=replace(template, spec=spec)))
    return obj


@lru_cache(maxsize=1024)
def _written_spec(spec: bytes, version: str) -> Raw | None:
    """The PodSpec as this version writes it; None if it is written so."""
    given = json.decode(spec)
    written = conform(given, POD_SPEC, VERSIONS[version])
    return None if written == given else Raw(json.encode(written))


def _refused(call: Call, reason: Reason) -> ApiError:
    resource = f"{call.kind.resource}.apps"
    subject = f"{resource} {go_quote(call.name)}" if call.name else resource
    match reason:
        case "Conflict":
            return ApiError(
                409, reason, f"Operation cannot be fulfilled on {resource} {go_quote(call.name)}: {CONFLICT}"
            )
        case "NotFound":
            return not_found(resource, call.name)
        case "AlreadyExists":
            return ApiError(409, reason, f"{resource} {go_quote(call.name)} already exists")
        case "Forbidden":
            return ApiError(403, reason, f"{subject} is forbidden: exceeded quota")
        case "NamespaceTerminating":
            text = "namespace is being terminated"
            return ApiError(403, "Forbidden", f"{subject} is forbidden: {text}", (Cause("", reason, text),))
        case "ServerTimeout":
            text = "could not be completed at this time, please try again."
            return ApiError(500, reason, f"The {call.verb} operation against {resource} {text}")
    return internal_error("injected")
