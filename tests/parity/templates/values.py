"""What a field of a pod template may hold: values that are right, and values that are wrong or at the edge.

A field is looked up by its struct and name, then by its name, then by its type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Pool = tuple[tuple[Any, ...], tuple[Any, ...]]
"""Right values, and wrong ones."""

LONG = "x" * 64
_NAMES: Pool = (("a", "main", "side", "a-b"), ("", "A", "a.b", "a b", LONG, "-", "a<b"))
_SUBDOMAINS: Pool = (("a", "a.b", "main"), ("", "A", "a b", "a..b", LONG * 4, "a_b", "<&>"))
_LABEL_KEYS: Pool = (("a", "app", "a.b/c", "x"), ("", "a b", "/a", "a/", "A.b/c", "a/b/c", LONG, "-a", "<"))
_LABEL_VALUES: Pool = (("a", "A.b", ""), ("a b", LONG, "-a", "ä"))
_PATHS: Pool = (("a", "a/b", "b", ".a"), ("", "/a", "..", "../a", "a/..", "..a", "a/../b", "a//b"))
_ABSOLUTE: Pool = (("/a", "/b", "/a/b"), ("", "a", "..", "/..", "/a/../b"))
_MODES: Pool = ((0, 0o644, 0o777), (-1, 0o1000, 0o7777))
_IDS: Pool = ((0, 1000, 2**31 - 1), (-1, 2**31, 2**32))
_COUNTS: Pool = ((0, 1, 5), (-1, -(2**31), 2**31 - 1))
_QUANTITIES: Pool = (("1", "500m", "1Gi", "2", "0", "64Mi"), ("-1", "1.5", "100n", "1.5Gi", "1e3", "7Ei", "-1Gi"))
_PORTS: Pool = ((80, "http", 8080, 1), (0, -1, 65536, "", "HTTP", "a--b", "80", "x" * 16, "-a"))
_ADDRESSES: Pool = (
    ("1.1.1.1", "10.0.0.1", "fd00::1"),
    ("", "1.1.1", "1.1.1.256", "01.2.3.4", "::ffff:1.2.3.4", "FD00::1", "fd00:0::1", "a", "1.1.1.1 ", "fe80::1%eth0"),
)
_WORDS: Pool = (("a", "b"), ("", "a b", "<&>", 'a"b', "ä", LONG))
_KEYS: Pool = (("a", "A_B.c"), ("", "a b", "..", "..a", ".", LONG * 4))
_SIGNERS: Pool = (
    ("example.com/a", "kubernetes.io/kubelet-serving"),
    ("", "a", "a/b", "a.b/c/d", "A.b/c", "a.b/C", "a..b/c", f"{LONG}.b/c", f"{'a.' * 130}b/c", "a.b/"),
)
_RESOURCES: Pool = (
    ("limits.cpu", "requests.memory", "limits.ephemeral-storage", "requests.hugepages-2Mi", "limits.memory"),
    ("", "cpu", "limits.gpu", "limits.hugepages"),
)


def _words(*right: str) -> Pool:
    """One of a few words, or another."""
    return right, ("", "Odd", "<&>", right[0].lower() + "x")


BY_TYPE: Mapping[str, Pool] = {
    "resource.Quantity": _QUANTITIES,
    "intstr.IntOrString": _PORTS,
    "v1.RestartPolicy": _words("Always", "Always", "Always", "Never", "OnFailure"),
    "v1.DNSPolicy": _words("ClusterFirst", "None", "Default", "ClusterFirstWithHostNet"),
    "v1.HostPathType": (
        ("", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"),
        ("Odd", "<&>"),
    ),
    "v1.StorageMedium": _words("", "Memory", "HugePages", "HugePages-2Mi"),
    "v1.AzureDataDiskCachingMode": _words("None", "ReadOnly", "ReadWrite"),
    "v1.AzureDataDiskKind": _words("Shared", "Dedicated", "Managed"),
    "v1.LabelSelectorOperator": _words("In", "NotIn", "Exists", "DoesNotExist"),
    "v1.NodeSelectorOperator": _words("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
    "v1.PersistentVolumeAccessMode": _words("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"),
    "v1.PersistentVolumeMode": _words("Filesystem", "Block"),
    "v1.PullPolicy": _words("Always", "IfNotPresent", "Never"),
    "v1.Protocol": _words("TCP", "UDP", "SCTP"),
    "v1.ResourceName": _words("cpu", "memory"),
    "v1.ResourceResizeRestartPolicy": _words("NotRequired", "RestartContainer"),
    "v1.ContainerRestartPolicy": _words("Always", "Never", "OnFailure"),
    "v1.ContainerRestartRuleAction": _words("Restart", "RestartAllContainers"),
    "v1.ContainerRestartRuleOnExitCodesOperator": _words("In", "NotIn"),
    "v1.RecursiveReadOnlyMode": _words("Disabled", "Enabled", "IfPossible"),
    "v1.MountPropagationMode": _words("None", "HostToContainer", "Bidirectional"),
    "v1.URIScheme": _words("HTTP", "HTTPS"),
    "v1.Signal": _words("SIGTERM", "SIGKILL", "SIGRTMIN+1", "SIGUSR1"),
    "v1.TerminationMessagePolicy": _words("File", "FallbackToLogsOnError"),
    "v1.Capability": _words("NET_BIND_SERVICE", "ALL", "CAP_SYS_ADMIN", "SYS_ADMIN", "CHOWN"),
    "v1.ProcMountType": _words("Default", "Unmasked"),
    "v1.SeccompProfileType": _words("RuntimeDefault", "Localhost", "Unconfined"),
    "v1.AppArmorProfileType": _words("RuntimeDefault", "Localhost", "Unconfined"),
    "v1.SupplementalGroupsPolicy": _words("Merge", "Strict"),
    "v1.PodFSGroupChangePolicy": _words("OnRootMismatch", "Always"),
    "v1.PodSELinuxChangePolicy": _words("Recursive", "MountOption"),
    "v1.TolerationOperator": _words("Equal", "Exists", "", "Lt", "Gt"),
    "v1.TaintEffect": _words("NoExecute", "NoSchedule", "PreferNoSchedule", ""),
    "v1.PreemptionPolicy": _words("PreemptLowerPriority", "Never"),
    "v1.UnsatisfiableConstraintAction": _words("DoNotSchedule", "ScheduleAnyway"),
    "v1.NodeInclusionPolicy": _words("Honor", "Ignore"),
    "v1.OSName": _words("linux", "windows"),
    "v1.PodConditionType": _LABEL_KEYS,
    "string": _WORDS,
    "int32": _COUNTS,
    "int64": _COUNTS,
    "bool": ((True, False), (True, False)),
}
"""By the Go type of the field, or of what it holds."""

BY_NAME: Mapping[str, Pool] = {
    "serviceAccountName": (("default",), ("", "A", "other", "a b")),
    "serviceAccount": (("default",), ("", "A", "other")),
    "nodeName": _SUBDOMAINS,
    "priorityClassName": (("system-node-critical", "system-cluster-critical"), ("high", "A", "")),
    "runtimeClassName": _SUBDOMAINS,
    "hostname": _NAMES,
    "subdomain": _NAMES,
    "hostnameOverride": (("a", "a.b"), ("", "A", LONG + "x", "a b")),
    "schedulerName": (("default-scheduler", "mine"), ("", "a b")),
    "terminationGracePeriodSeconds": ((30, 0, 1), (-1, -5, 2**40)),
    "activeDeadlineSeconds": ((1, 600), (0, -1, 2**31, 2**40)),
    "priority": ((0, 2_000_000_000), (5, -1)),
    "ip": _ADDRESSES,
    "hostIP": _ADDRESSES,
    "nameservers": _ADDRESSES,
    "searches": (("a", "a.b", ".", "a.b.", "a_b.c"), ("", "A", "a b", "a..b", "..", "x" * 300, "-")),
    "hostnames": _SUBDOMAINS,
    "path": _PATHS,
    "subPath": _PATHS,
    "subPathExpr": _PATHS,
    "directory": _PATHS,
    "mountPath": _ABSOLUTE,
    "devicePath": _ABSOLUTE,
    "credentialBundlePath": _PATHS,
    "keyPath": _PATHS,
    "certificateChainPath": _PATHS,
    "defaultMode": _MODES,
    "mode": _MODES,
    "user": ((0, 5), (-1, 2**32)),
    "defaultUser": ((0, 5), (-1, 2**32)),
    "partition": ((0, 1, 255), (-1, 256)),
    "lun": ((0, 255), (-1, 256)),
    "key": _KEYS,
    "divisor": (("1", "1m", "1Mi", "0", "1k"), ("2", "-1", "1n", "3Mi", "1000m")),
    "resource": _RESOURCES,
    "containerName": (("main", "side"), ("", "a b")),
    "apiVersion": (("v1",), ("", "v2", "apps/v1")),
    "fieldPath": (
        ("metadata.name", "metadata.labels['a']", "metadata.annotations['A/b']", "status.podIP", "spec.nodeName"),
        (
            "",
            "metadata",
            "metadata.labels",
            "metadata.annotations['']",
            "metadata.name['a']",
            "spec.host",
            "['a']",
            "metadata.labels['a b']",
            "status.phase",
            "metadata.uid",
            "spec.restartPolicy",
        ),
    ),
    "runAsUser": _IDS,
    "runAsGroup": _IDS,
    "fsGroup": _IDS,
    "supplementalGroups": _IDS,
    "topologyKey": _LABEL_KEYS,
    "namespaces": _NAMES,
    "matchLabelKeys": (("app", "a", "pod-template-hash"), ("", "a b", "/a")),
    "mismatchLabelKeys": (("app", "a", "b"), ("", "a b")),
    "weight": ((1, 100), (0, -1, 101)),
    "maxSkew": ((1, 2), (0, -1)),
    "minDomains": ((1, 5), (0, -1)),
    "tolerationSeconds": ((0, 300), (-1,)),
    "conditionType": _LABEL_KEYS,
    "protocol": ((), ()),
    "image": (("app:1", "app"), ("", " app", "app:1\n")),
    "containerPort": ((80, 8080, 443), (0, -1, 65536)),
    "hostPort": ((80, 8080), (0, -1, 65536)),
    "seconds": ((0, 1, 5), (-1, 31, 10**6)),
    "initialDelaySeconds": _COUNTS,
    "gmsaCredentialSpecName": _SUBDOMAINS,
    "gmsaCredentialSpec": (("a",), ("", "x" * 65537)),
    "runAsUserName": (
        ("user", "domain\\user", "NT AUTHORITY\\SYSTEM", "a.b.com\\user"),
        (
            "",
            "a\\b\\c",
            "\\a",
            "a\\",
            "...",
            "a\tb",
            "a/b",
            "x" * 105,
            "d" * 256 + "\\u",
            "a:b\\c",
            ".a\\b",
            "  ",
            "<&>",
        ),
    ),
    "localhostProfile": (("a", "profiles/a"), ("", "/a", "../a", " a", "x" * 4096)),
    "signerName": _SIGNERS,
    "keyType": (("RSA3072", "ED25519"), ("", "RSA", "<&>")),
    "maxExpirationSeconds": ((3600, 86400), (0, 3599, 86401, 7862400, 7862401)),
    "expirationSeconds": ((600, 3600), (599, 0, -1, 2**32 + 1)),
    "claimName": (("a", "web-v"), ("", "A")),
    "resourceClaimName": _SUBDOMAINS,
    "resourceClaimTemplateName": _SUBDOMAINS,
    "storageClassName": _SUBDOMAINS,
    "volumeAttributesClassName": _SUBDOMAINS,
    "apiGroup": _SUBDOMAINS,
    "podGroupName": _SUBDOMAINS,
    "prefix": (("A_", "a"), ("", "=", "a b", "ä", "1")),
    "command": (("run",), ("",)),
    "values": (("a", "A.b"), ("a b", LONG, "")),
    "iqn": (
        ("iqn.2015-02.example.com:test", "eui.0123456789abcdef", "naa.0123456789abcdef0123456789abcdef"),
        ("", "a", "iqn", "iqn.2015-02.a", "eui.1", "naa.1", "xiqn.2015-02.example.com:test"),
    ),
    "initiatorName": (
        ("iqn.2015-02.example.com:init", "eui.0123456789abcdef"),
        ("", "a", "iqn.1", "eui.1", "naa.1"),
    ),
    "targetPortal": (("10.0.0.1:3260",), ("", "x" * 70)),
    "registry": (("a:1", "a:1,b:2"), ("", "a", "a:1,", "[a:1", "::1")),
    "tenant": (("a",), ("", "x" * 65)),
    "diskURI": (
        ("https://a.blob.core.windows.net/b/c.vhd", "/subscriptions/a/resourcegroups/b"),
        ("", "a", "http://a"),
    ),
    "driver": (("a", "example.com/driver"), ("", "A.B", "a b", "x" * 64, "a_b")),
    "datasetName": (("a",), ("", "a/b")),
    "volumeNamespace": _NAMES,
    "reference": (("app:1",), ("", "a b")),
    "targetContainerName": (("main",), ("", "nobody")),
    "request": _NAMES,
    "optional": ((True, False), (True,)),
    "stopSignal": _words("SIGTERM", "SIGKILL", "SIGRTMIN+1"),
}

BY_FIELD: Mapping[str, Pool] = {
    "v1.Container.name": (("main", "side", "third"), ("", "A", LONG, "a.b")),
    "v1.EphemeralContainer.name": (("debug",), ("", "main", "A")),
    "v1.Volume.name": (("v", "w", "u", "t"), ("", "A", LONG)),
    "v1.VolumeMount.name": (("v", "w", "u"), ("", "nothing")),
    "v1.VolumeDevice.name": (("v", "w", "u"), ("", "nothing")),
    "v1.FileKeySelector.volumeName": (("v", "w"), ("", "nothing", "A b")),
    "v1.FileKeySelector.key": (("A", "a"), ("", "a=b", "a b", "ä")),
    "v1.PodResourceClaim.name": (("gpu", "nic"), ("", "A", LONG)),
    "v1.ResourceClaim.name": (("gpu", "nic"), ("", "other")),
    "v1.ContainerPort.name": (("http", "web-1"), ("", "HTTP", "x" * 16, "a--b", "80", "-a")),
    "v1.EnvVar.name": (("A", "B", "a.b"), ("", "=", "a=b", "ä", "a b", "1")),
    "v1.HTTPHeader.name": (("X-A",), ("", "a b", "ä", "a_b")),
    "v1.Sysctl.name": (
        ("kernel.shm_rmid_forced", "net.core.somaxconn", "net/core/somaxconn", "fs.mqueue.x", "a.b", "kernel.shmmax"),
        ("", "A", "a..b", "net.ipv4.*", "x" * 254, "a b"),
    ),
    "v1.HostPathVolumeSource.path": (("/a", "a"), ("", "/a/../b", "..")),
    "v1.NFSVolumeSource.path": (("/a",), ("", "a", "..")),
    "v1.HTTPGetAction.path": (("/", "/a"), ("", "a b")),
    "v1.HTTPGetAction.host": (("", "a"), ("<&>",)),
    "v1.LocalObjectReference.name": _SUBDOMAINS,
    "v1.ConfigMapEnvSource.name": _SUBDOMAINS,
    "v1.SecretEnvSource.name": _SUBDOMAINS,
    "v1.ConfigMapKeySelector.name": _SUBDOMAINS,
    "v1.SecretKeySelector.name": _SUBDOMAINS,
    "v1.Toleration.key": _LABEL_KEYS,
    "v1.Toleration.value": (("a", "", "5"), ("a b", LONG, "x", "05", "99999999999999999999")),
    "v1.LabelSelectorRequirement.key": _LABEL_KEYS,
    "v1.NodeSelectorRequirement.key": (("metadata.name", "a", "beta.kubernetes.io/os"), ("", "a b", "/a")),
    "v1.PodSchedulingGate.name": _LABEL_KEYS,
    "v1.ServiceAccountTokenProjection.audience": (("a",), ("",)),
    "v1.ClusterTrustBundleProjection.name": (("a", "example.com:a:b"), ("", "A", "a:b", ":", "a:A", "a:b:c")),
    "v1.StorageOSVolumeSource.volumeName": _NAMES,
    "v1.ContainerRestartRuleOnExitCodes.values": ((1, 42), (-1, 0)),
    "v1.RBDVolumeSource.user": _WORDS,
    "v1.QuobyteVolumeSource.user": _WORDS,
    "v1.CephFSVolumeSource.user": _WORDS,
    "v1.CephFSVolumeSource.path": _PATHS,
    "v1.SELinuxOptions.user": _WORDS,
    "v1.GRPCAction.port": ((80,), (0, -1, 65536)),
    "v1.GRPCAction.mode": _words("Plaintext", "TLS"),
    "v1.HTTPGetAction.protocol": _words("HTTP1", "HTTP2"),
    "v1.ContainerPort.protocol": _words("TCP", "UDP", "SCTP"),
    "v1.RBDVolumeSource.image": _WORDS,
    "v1.EmptyDirVolumeSource.mode": ((0o777,), (-1, 0o2000)),
    "v1.TypedLocalObjectReference.kind": (("PersistentVolumeClaim", "VolumeSnapshot"), ("",)),
    "v1.TypedObjectReference.kind": (("PersistentVolumeClaim", "VolumeSnapshot"), ("",)),
    "v1.TypedObjectReference.namespace": _NAMES,
    "v1.FlexVolumeSource.driver": _WORDS,
    "v1.EvictionResponder.name": _LABEL_KEYS,
}

MAP_KEYS: Mapping[str, Pool] = {
    "limits": (
        ("cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/gpu"),
        (
            "storage",
            "pods",
            "gpu",
            "a b",
            "",
            "hugepages-",
            "hugepages-3x",
            "requests.cpu",
            "a.kubernetes.io/b",
            f"example.com/{'x' * 64}",
            f"{'x' * 250}.a/b",
            "requests.example.com/a",
        ),
    ),
    "options": (("a", "b.io/c"), ("kubernetes.io/a", "a.k8s.io/b", "X.Kubernetes.io/a")),
    "labels": _LABEL_KEYS,
    "annotations": _LABEL_KEYS,
    "matchLabels": _LABEL_KEYS,
    "nodeSelector": (("a", "beta.kubernetes.io/os"), ("", "a b", "/")),
    "userAnnotations": (("a.b/c", "example.com/x"), ("", "a b", "a", "A.b/c")),
}
MAP_KEYS = {**MAP_KEYS, "requests": MAP_KEYS["limits"], "overhead": MAP_KEYS["limits"]}

MAP_VALUES: Mapping[str, Pool] = {
    "labels": _LABEL_VALUES,
    "matchLabels": _LABEL_VALUES,
    "nodeSelector": _LABEL_VALUES,
}

CLAIM_KEYS: Pool = (("storage",), ("cpu", "a b"))
"""The resources of a volume claim."""

ANNOTATIONS: Mapping[str, Pool] = {
    "kubernetes.io/config.mirror": (("a",), ("",)),
    "controller.kubernetes.io/pod-deletion-cost": (("1", "-5"), ("", "+1", "01", "a", "99999999999")),
    "seccomp.security.alpha.kubernetes.io/pod": (
        ("runtime/default", "unconfined", "localhost/a"),
        ("a", "localhost/../a"),
    ),
    "container.seccomp.security.alpha.kubernetes.io/main": (("runtime/default", "unconfined", "localhost/a"), ("b",)),
    "container.apparmor.security.beta.kubernetes.io/main": (
        ("runtime/default", "unconfined", "localhost/a", ""),
        ("a", "localhost/"),
    ),
    "container.apparmor.security.beta.kubernetes.io/nobody": (("runtime/default",), ("a",)),
    "scheduler.alpha.kubernetes.io/tolerations": (
        ('[{"key":"a","operator":"Exists"}]',),
        ("a", '[{"key":"a b"}]', "[]", '[{"operator":"Odd"}]'),
    ),
    "scheduler.alpha.kubernetes.io/critical-pod": (("",), ("a",)),
    "example.com/plain": (("a",), ("b",)),
    "a b": (("a",), ("b",)),
}
