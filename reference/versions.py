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

    restart_all_containers: bool
    """A container's restart rules may restart all, and sidecars have them: gate RestartAllContainersOnContainerExits,
    on since 1.36."""

    strict_addresses: bool
    """IP addresses with leading zeros, or of IPv4 in IPv6, are refused: gate StrictIPCIDRValidation, on since 1.36."""

    selinux_mount_option: bool
    """``seLinuxChangePolicy`` may be MountOption: gate SELinuxMount, on since 1.37."""

    pod_resources_defaulted: bool
    """A Pod's own resources get limits of what its containers have, and after admission.

    That is PodLevelResourcesFixDefaulting, on since 1.37. Before that they get requests alone, before admission."""

    init_resize_policy_checked: bool
    """An init container that is no sidecar may not be restarted to resize it, and a policy's error says that it is
    about the Pod's: since 1.36."""

    nominated_only_when_unbound: bool
    """A Pod on a node may not be nominated to one: gate ClearingNominatedNodeNameAfterBinding, on since 1.35."""

    pod_status_resources: bool
    """A Pod's status tells of resources of the whole Pod, of extended ones, and of their health: since 1.36."""

    restart_rules_counted: bool
    """Too many restart rules are too many; before 1.36 they are too long, in bytes."""

    image_reference_in_templates: bool
    """An image that is a volume has to be named in a template, too; before 1.37 in a Pod alone."""

    users_of_32_bits: bool
    """A container may be said to run as a user of a number beyond 31 bits: since 1.37."""

    sharing_beside_security: bool
    """What a Pod shares with its node is looked at apart from its security context; before 1.37 with it."""

    faults_told_once: bool
    """A fault that several checks find is one cause of the refusal; before 1.37 one for each check."""

    owner_faults_by_index: bool
    """What is wrong with an owner is told by its index, and what it lacks is required; before 1.37 neither."""

    patches_read_first: bool
    """A patch that is no JSON is refused before anything else is known of it; before 1.37 when it is applied."""

    bad_options_are_bad_requests: bool
    """A DELETE whose body is no options is refused with 400; before 1.35 with 500."""

    wording_of_1_34: bool
    """Some refusals count characters, and say "qualified name"; since 1.35 bytes, and "label key"."""


_SINCE_1_34 = {
    "terminating_replicas": False,
    "replica_set_consistency_gate": False,
    "recreate_pods_by_owner_only": False,
    "every_pod_deletion_wakes_recreate": False,
    "event_messages_are_formats": True,
    "collector_forgets_deleted": False,
    "image_volumes": False,
    "projected_certificates": False,
    "restart_all_containers": False,
    "strict_addresses": False,
    "selinux_mount_option": False,
    "pod_resources_defaulted": False,
    "init_resize_policy_checked": False,
    "restart_rules_counted": False,
    "nominated_only_when_unbound": False,
    "pod_status_resources": False,
    "image_reference_in_templates": False,
    "sharing_beside_security": False,
    "users_of_32_bits": False,
    "faults_told_once": False,
    "owner_faults_by_index": False,
    "patches_read_first": False,
    "bad_options_are_bad_requests": False,
    "wording_of_1_34": True,
}
_SINCE_1_35 = _SINCE_1_34 | {
    "terminating_replicas": True,
    "image_volumes": True,
    "nominated_only_when_unbound": True,
    "bad_options_are_bad_requests": True,
    "wording_of_1_34": False,
}
_SINCE_1_36 = _SINCE_1_35 | {
    "replica_set_consistency_gate": True,
    "recreate_pods_by_owner_only": True,
    "event_messages_are_formats": False,
    "collector_forgets_deleted": True,
    "restart_all_containers": True,
    "strict_addresses": True,
    "init_resize_policy_checked": True,
    "restart_rules_counted": True,
    "pod_status_resources": True,
}
_SINCE_1_37 = _SINCE_1_36 | {
    "every_pod_deletion_wakes_recreate": True,
    "projected_certificates": True,
    "selinux_mount_option": True,
    "pod_resources_defaulted": True,
    "image_reference_in_templates": True,
    "sharing_beside_security": True,
    "users_of_32_bits": True,
    "faults_told_once": True,
    "owner_faults_by_index": True,
    "patches_read_first": True,
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
