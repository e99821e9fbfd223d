"""What differs between the Kubernetes versions, as named behaviours.

Code asks for a behaviour by its name (``version.terminating_replicas``), never for a number. Each behaviour's
comment says since when it is so and, where known, by which change.

Source: a file-by-file comparison of v1.34.4, v1.35.4, v1.36.3 and v1.37.2.
"""

from __future__ import annotations

import msgspec


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One Kubernetes minor version, as the set of behaviours that it has."""

    name: str
    """The minor version: ``1.37``."""

    terminating_replicas: bool
    """Status counts terminating Pods: gate DeploymentReplicaSetTerminatingReplicas (KEP-3973), on since 1.35."""

    replica_set_consistency_gate: bool
    """The ReplicaSet controller waits until its caches have seen its own writes: since 1.36."""

    recreate_pods_by_owner_only: bool
    """The Pods that a Recreate rollout waits for are found by owner alone; before 1.36 also by selector."""

    every_pod_deletion_wakes_recreate: bool
    """Any deleted Pod wakes its Recreate Deployment; before 1.37 only the last one (pull request 136639)."""

    event_messages_are_formats: bool
    """A ``%`` in an error's text is mangled in some of the Deployment controller's events: until 1.35."""

    collector_forgets_deleted: bool
    """A 404 on the garbage collector's DELETE ends the matter; before 1.36 it is retried."""

    image_volumes: bool
    """Template fields of gates ImageVolume, EnvFiles, ContainerRestartRules and HostnameOverride survive creation:
    since 1.35."""

    projected_certificates: bool
    """So do those of gates ClusterTrustBundleProjection and PodCertificateRequest: since 1.37."""

    immutable_metadata_last: bool
    """Errors tell of a changed uid or creation time after labels and owners: since 1.37, which declares that check."""


_SINCE_1_34 = {
    "terminating_replicas": False,
    "replica_set_consistency_gate": False,
    "recreate_pods_by_owner_only": False,
    "every_pod_deletion_wakes_recreate": False,
    "event_messages_are_formats": True,
    "collector_forgets_deleted": False,
    "image_volumes": False,
    "projected_certificates": False,
    "immutable_metadata_last": False,
}
_SINCE_1_35 = _SINCE_1_34 | {"terminating_replicas": True, "image_volumes": True}
_SINCE_1_36 = _SINCE_1_35 | {
    "replica_set_consistency_gate": True,
    "recreate_pods_by_owner_only": True,
    "event_messages_are_formats": False,
    "collector_forgets_deleted": True,
}
_SINCE_1_37 = _SINCE_1_36 | {
    "every_pod_deletion_wakes_recreate": True,
    "projected_certificates": True,
    "immutable_metadata_last": True,
}

VERSIONS: dict[str, Version] = {
    "1.34": Version(name="1.34", **_SINCE_1_34),
    "1.35": Version(name="1.35", **_SINCE_1_35),
    "1.36": Version(name="1.36", **_SINCE_1_36),
    "1.37": Version(name="1.37", **_SINCE_1_37),
}
LATEST = VERSIONS["1.37"]


class UnknownVersion(ValueError):
    """The text names the version and those that are known."""


def version_named(text: str) -> Version:
    """The version of ``1.37``, ``v1.37``, ``1.37.2`` or ``v1.37.2``. Raises UnknownVersion."""
    minor = ".".join(text.removeprefix("v").split(".")[:2])
    if minor not in VERSIONS:
        raise UnknownVersion(f"Kubernetes {text!r} is not known here; known are {', '.join(VERSIONS)}")
    return VERSIONS[minor]
