"""Which kinds an API server serves: the collector knows them all, and so an owner of any of them that is not there.

Objects of most of these kinds are never stored here; one of them can only be looked up in vain.

Source: the discovery of kube-apiserver with its own default flags; a kind is served since the version that stands
before it, or in all versions.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from reference.api.errors import ApiError, not_found
from reference.api.kinds import KINDS
from reference.versions import Version


class Served(msgspec.Struct, frozen=True):
    """A kind as discovery tells of it."""

    resource: str
    group: str
    namespaced: bool

    def absent(self, name: str) -> ApiError:
        """What a read is answered with, as there are no objects of the kind."""
        return not_found(f"{self.resource}.{self.group}" if self.group else self.resource, name)


_NAMESPACED = """
v1: Binding ConfigMap Endpoints LimitRange PersistentVolumeClaim PodTemplate ReplicationController ResourceQuota Secret
v1: ServiceAccount Service
apps/v1: ControllerRevision DaemonSet StatefulSet
authorization.k8s.io/v1: LocalSubjectAccessReview
autoscaling/v1: HorizontalPodAutoscaler
autoscaling/v2: HorizontalPodAutoscaler
batch/v1: CronJob Job
certificates.k8s.io/v1: 1.37:PodCertificateRequest
coordination.k8s.io/v1: Lease
discovery.k8s.io/v1: EndpointSlice
events.k8s.io/v1: Event
networking.k8s.io/v1: Ingress NetworkPolicy
policy/v1: PodDisruptionBudget
rbac.authorization.k8s.io/v1: RoleBinding Role
resource.k8s.io/v1: ResourceClaim ResourceClaimTemplate
storage.k8s.io/v1: CSIStorageCapacity
"""
_CLUSTER = """
v1: ComponentStatus Node PersistentVolume
admissionregistration.k8s.io/v1: 1.36:MutatingAdmissionPolicy 1.36:MutatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1: MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1: ValidatingWebhookConfiguration
apiextensions.k8s.io/v1: CustomResourceDefinition
apiregistration.k8s.io/v1: APIService
authentication.k8s.io/v1: SelfSubjectReview TokenReview
authorization.k8s.io/v1: SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview
certificates.k8s.io/v1: CertificateSigningRequest 1.37:ClusterTrustBundle
flowcontrol.apiserver.k8s.io/v1: FlowSchema PriorityLevelConfiguration
networking.k8s.io/v1: IngressClass IPAddress ServiceCIDR
node.k8s.io/v1: RuntimeClass
rbac.authorization.k8s.io/v1: ClusterRoleBinding ClusterRole
resource.k8s.io/v1: DeviceClass 1.37:DeviceTaintRule ResourceSlice
scheduling.k8s.io/v1: PriorityClass
storage.k8s.io/v1: CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass
storagemigration.k8s.io/v1: 1.37:StorageVersionMigration
"""
_PLURALS = {"Endpoints": "endpoints"}
"""Resources that are not called after their kind by rule."""


def served(api_version: str, kind: str, version: Version) -> Served | None:
    """What is served of this name; None if nothing is."""
    since, found = _ALL.get((api_version, kind), ("", None))
    return found if tuple(map(int, version.name.split("."))) >= tuple(map(int, (since or "0").split("."))) else None


def _read(table: str, namespaced: bool) -> Mapping[tuple[str, str], tuple[str, Served]]:
    made = {}
    for line in table.strip().splitlines():
        api_version, _, kinds = line.partition(": ")
        for word in kinds.split():
            since, _, kind = word.rpartition(":")
            group = api_version.rpartition("/")[0]
            made[api_version, kind] = since, Served(_resource(kind), group, namespaced)
    return made


def _resource(kind: str) -> str:
    name = kind.lower()
    if name.endswith("y"):
        return f"{name[:-1]}ies"
    return _PLURALS.get(kind) or f"{name}{'es' if name.endswith(('s', 'ss')) else 's'}"


_ALL: Mapping[tuple[str, str], tuple[str, Served]] = {
    **_read(_NAMESPACED, namespaced=True),
    **_read(_CLUSTER, namespaced=False),
    **{(kind.api_version, kind.name): ("", Served(kind.resource, kind.group, kind.namespaced)) for kind in KINDS},
}
NAMES = tuple(_ALL)
"""apiVersion and kind of all that any version serves."""
