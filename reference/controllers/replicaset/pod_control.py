"""Creates and deletes a ReplicaSet's Pods, and records each on the ReplicaSet as an event.

Source: ``RealPodControl`` of ``pkg/controller/controller_utils.go``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from reference.api.errors import ApiError
from reference.api.kinds import POD
from reference.api.objects import ObjectMeta, Pod, ReplicaSet
from reference.api.owners import new_controller_refs
from reference.machinery.environment import Environment

NAMESPACE_TERMINATING = "NamespaceTerminating"
"""The cause of a creation's refusal by a namespace that is being deleted."""

_DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


class PodControlError(Exception):
    """A Pod could not be created or deleted; the text is upstream's, and holds the server's."""


class PodControl:
    """``created`` is told each Pod that the server has created."""

    def __init__(self, env: Environment, created: Callable[[Pod], None]) -> None:
        self.env = env
        self.created = created

    async def create_pod(self, rs: ReplicaSet) -> None:
        """Creates one Pod from the template. Raises ``ApiError``, or ``PodControlError`` if the template has no labels.

        A refusal is recorded as an event, except while the namespace is being deleted.
        """
        pod = pod_from_template(rs)
        if not pod.metadata.labels:
            raise PodControlError("unable to create pods, no labels")
        try:
            answer = await self.env.client.create(pod, rs.metadata.namespace)
        except ApiError as error:
            if not error.has_cause(NAMESPACE_TERMINATING):
                self.env.recorder.event(rs, "Warning", "FailedCreate", f"Error creating: {error}")
            raise
        self.created(answer)
        self.env.recorder.event(rs, "Normal", "SuccessfulCreate", f"Created pod: {answer.metadata.name}")

    async def delete_pod(self, rs: ReplicaSet, name: str) -> bool:
        """Deletes one Pod; False if it was gone already. Raises ``PodControlError``, and records the refusal."""
        try:
            await self.env.client.delete(POD, rs.metadata.namespace, name)
        except ApiError as error:
            if error.code == 404:
                return False
            self.env.recorder.event(rs, "Warning", "FailedDelete", f"Error deleting: {error}")
            raise PodControlError(f"unable to delete pods: {error}") from error
        self.env.recorder.event(rs, "Normal", "SuccessfulDelete", f"Deleted pod: {name}")
        return True


def pod_from_template(rs: ReplicaSet) -> Pod:
    """The Pod to create: of the template's metadata, only labels, annotations and finalizers are taken over."""
    template = rs.spec.template
    return Pod(
        metadata=ObjectMeta(
            generate_name=_prefix(rs.metadata.name),
            labels=template.metadata.labels,
            annotations=template.metadata.annotations,
            finalizers=template.metadata.finalizers,
            owner_references=new_controller_refs(rs),
        ),
        spec=template.spec,
    )


def _prefix(name: str) -> str:
    """The name and a dash, or without it if no valid Pod name can begin so (judged with what will follow it)."""
    begun = name[:-1] + "a"
    return f"{name}-" if len(begun) <= 253 and _DNS_SUBDOMAIN.fullmatch(begun) else name
