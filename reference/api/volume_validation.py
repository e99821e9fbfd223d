"""What the API server finds wrong with a Pod's volumes: names, how many sources, and the inside of each source.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from reference.api import fielderrors, formats
from reference.api.checks import between, given, optional_of, required_as, required_of, written_as
from reference.api.claim_validation import claim_template_causes
from reference.api.errors import Cause
from reference.api.objects import Json
from reference.api.paths import descending, no_backsteps
from reference.api.projected_validation import projected_causes
from reference.api.quantity import parse
from reference.api.volume_files import downward_causes, key_causes, mode_causes, user_causes
from reference.versions import Version

_NAMED_OTHERWISE = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
"""What upstream's errors call a second source of these types."""

_HOST_PATHS = (*("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"),)
_INITIATORS = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([0-9A-Za-z.-]+)(:[^,;*&$|\s]+)\Z", re.ASCII),
    "eui": re.compile(r"\Aeui.[0-9A-Za-z]{16}\Z", re.ASCII),
    "naa": re.compile(r"\Anaa.[0-9A-Za-z]{32}\Z", re.ASCII),
}
_LONGEST_PORTAL = 64
_LONGEST_TENANT = 64
_MANAGED_DISK = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_DISK = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"

_Check = Callable[[Json, str], list[Cause]]


def volume_causes(
    volumes: Sequence[Json], path: str, pod: str, version: Version
) -> tuple[Mapping[str, Json], list[Cause]]:
    """The volumes that are right, by name, and what is wrong with the others. ``pod`` is the Pod's name."""
    created = [f"{pod}-{volume['name']}" for volume in volumes if "ephemeral" in volume] if pod else []
    right: dict[str, Json] = {}
    causes: list[Cause] = []
    for index, volume in enumerate(volumes):
        at, name = f"{path}[{index}]", volume["name"]
        found = _sources(volume, at, pod, version)
        found += required_as(f"{at}.name", name, formats.dns_label)
        if name in right:
            found.append(fielderrors.duplicate(f"{at}.name", name))
        if found:
            causes += found
        else:
            right[name] = volume
        claim = volume.get("persistentVolumeClaim", {}).get("claimName")
        if claim in created:
            text = "must not reference a PVC that gets created for an ephemeral volume"
            causes.append(fielderrors.invalid(f"{at}.persistentVolumeClaim.claimName", claim, text))
    return right, causes


def _sources(volume: Json, path: str, pod: str, version: Version) -> list[Cause]:
    """All sources in upstream's order: the first is looked into, and there may be no other."""
    causes: list[Cause] = []
    found = False
    for source in _SOURCES:
        if source not in volume:
            continue
        if found:
            at = f"{path}.{_NAMED_OTHERWISE.get(source, source)}"
            causes.append(fielderrors.forbidden(at, "may not specify more than 1 volume type"))
        else:
            causes += _inside(source, volume[source], path, version, of_pod=bool(pod))
        if source == "iscsi":
            causes += _portal(volume, path)
        if source == "ephemeral" and not found and pod and volume["name"]:
            causes += _claim_name(f"{pod}-{volume['name']}", volume["name"], f"{path}.ephemeral")
        found = True
    return causes if found else [fielderrors.required(path, "must specify a volume type")]


def _inside(source: str, value: Json, path: str, version: Version, *, of_pod: bool) -> list[Cause]:
    if source == "projected":
        return projected_causes(value, f"{path}.projected", version)
    if source == "image":
        return _image(value, f"{path}.image", named=of_pod or version.image_reference_in_templates)
    if source == "csi":
        return _csi(value, f"{path}.csi", version)
    return _SOURCES[source](value, f"{path}.{'persistentDisk' if source == 'gcePersistentDisk' else source}")


def _portal(volume: Json, path: str) -> list[Cause]:
    portal = f"{volume['name']}:{volume['iscsi']['targetPortal']}"
    if "initiatorName" not in volume["iscsi"] or len(portal.encode()) <= _LONGEST_PORTAL:
        return []
    text = (
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is "
        "specified."
    )
    return [fielderrors.invalid(f"{path}.name", volume["name"], text)]


def _claim_name(claim: str, volume: str, path: str) -> list[Cause]:
    return [
        fielderrors.invalid(f"{path.removesuffix('.ephemeral')}.name", volume, f'PVC name "{claim}": {fault}')
        for fault in formats.dns_subdomain(claim)
    ]


def _empty_dir(value: Json, path: str) -> list[Cause]:
    if "sizeLimit" not in value or parse(value["sizeLimit"]).sign >= 0:
        return []
    return [fielderrors.forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")]


def _host_path(value: Json, path: str) -> list[Cause]:
    if not value["path"]:
        return [fielderrors.required(f"{path}.path")]
    return no_backsteps(value["path"], f"{path}.path") + optional_of(value, "type", path, _HOST_PATHS)


def _git_repo(value: Json, path: str) -> list[Cause]:
    return given(value, path, "repository") + descending(value.get("directory", ""), f"{path}.directory")


def _partitioned(member: str, value: Json, path: str) -> list[Cause]:
    """A disk; upstream's sentence does not know that 0 is none."""
    causes, partition = given(value, path, member), value.get("partition", 0)
    if not 0 <= partition <= 255:
        text = "must be between 1 and 255, inclusive"
        causes.append(fielderrors.invalid(f"{path}.partition", partition, text))
    return causes


def _files(member: str, value: Json, path: str) -> list[Cause]:
    causes = given(value, path, member) + mode_causes(value, "defaultMode", path)
    causes += user_causes(value, "defaultUser", path)
    for index, item in enumerate(value.get("items", ())):
        causes += key_causes(item, f"{path}.items[{index}]")
    return causes


def _downward(value: Json, path: str) -> list[Cause]:
    """Upstream names no index."""
    files = [cause for item in value.get("items", ()) for cause in downward_causes(item, path)]
    return mode_causes(value, "defaultMode", path) + user_causes(value, "defaultUser", path) + files


def _nfs(value: Json, path: str) -> list[Cause]:
    causes = given(value, path, "server", "path")
    if not value["path"].startswith("/"):
        causes.append(fielderrors.invalid(f"{path}.path", value["path"], "must be an absolute path"))
    return causes


def _iscsi(value: Json, path: str) -> list[Cause]:
    causes = given(value, path, "targetPortal", "iqn")
    if value["iqn"]:
        causes += _initiator(value["iqn"], f"{path}.iqn")
    causes += between(f"{path}.lun", value["lun"], 0, 255)
    if (value.get("chapAuthDiscovery") or value.get("chapAuthSession")) and "secretRef" not in value:
        causes.append(fielderrors.required(f"{path}.secretRef"))
    initiator = value.get("initiatorName")
    return causes if initiator is None else causes + _initiator(initiator, f"{path}.initiatorname")


def _initiator(name: str, path: str) -> list[Cause]:
    for prefix, pattern in _INITIATORS.items():
        if name.startswith(prefix):
            return [] if pattern.search(name) else [fielderrors.invalid(path, name, "must be valid format")]
    return [fielderrors.invalid(path, name, "must be valid format starting with iqn, eui, or naa")]


def _flocker(value: Json, path: str) -> list[Cause]:
    name, uid = value.get("datasetName", ""), value.get("datasetUUID", "")
    causes = []
    if not name and not uid:
        causes.append(fielderrors.required(path, "one of datasetName and datasetUUID is required"))
    if name and uid:
        text = "datasetName and datasetUUID can not be specified simultaneously"
        causes.append(fielderrors.invalid(path, "resource", text))
    if "/" in name:
        causes.append(fielderrors.invalid(f"{path}.datasetName", name, "must not contain '/'"))
    return causes


def _with_secret(member: str, value: Json, path: str) -> list[Cause]:
    causes = given(value, path, member)
    if "secretRef" in value:
        causes += given(value["secretRef"], f"{path}.secretRef", "name")
    return causes


def _quobyte(value: Json, path: str) -> list[Cause]:
    text = "must be a host:port pair or multiple pairs separated by commas"
    registry = value["registry"]
    if not registry:
        causes = [fielderrors.required(f"{path}.registry", text)]
    elif len(value.get("tenant", "").encode()) > _LONGEST_TENANT:
        long = f"must be a UUID and may not exceed a length of {_LONGEST_TENANT} characters"
        causes = [fielderrors.required(f"{path}.tenant", long)]
    else:
        wrong = [pair for pair in registry.split(",") if not _is_host_and_port(pair)]
        causes = [fielderrors.invalid(f"{path}.registry", registry, text) for _ in wrong]
    return causes + given(value, path, "volume")


def _is_host_and_port(text: str) -> bool:
    host, colon, port = text.rpartition(":")
    if host.startswith("["):
        return bool(colon) and host.endswith("]") and not set("[]") & set(host[1:-1] + port)
    return bool(colon) and not set(":[]") & set(host) and not set("[]") & set(port)


def _fc(value: Json, path: str) -> list[Cause]:
    names, others = value.get("targetWWNs", []), value.get("wwids", [])
    causes, at = [], f"{path}.targetWWNs"
    if not names and not others:
        causes.append(fielderrors.required(at, "must specify either targetWWNs or wwids, but not both"))
    if names and others:
        causes.append(fielderrors.invalid(at, names, "targetWWNs and wwids can not be specified simultaneously"))
    if names and "lun" not in value:
        causes.append(fielderrors.required(f"{path}.lun", "lun is required if targetWWNs is specified"))
    elif names:
        causes += between(f"{path}.lun", value["lun"], 0, 255)
    return causes


def _flex(value: Json, path: str) -> list[Cause]:
    causes = given(value, path, "driver")
    for key in sorted(value.get("options", {})):
        namespace = f".{key.partition('/')[0].lower()}"
        if namespace.endswith((".kubernetes.io", ".k8s.io")):
            text = "kubernetes.io and k8s.io namespaces are reserved"
            causes.append(fielderrors.invalid(f"{path}.options[{key}]", key, text))
    return causes


def _azure_disk(value: Json, path: str) -> list[Cause]:
    causes, uri, kind = given(value, path, "diskName", "diskURI"), value["diskURI"], value.get("kind")
    causes += optional_of(value, "cachingMode", path, ("None", "ReadOnly", "ReadWrite"))
    causes += optional_of(value, "kind", path, ("Dedicated", "Managed", "Shared"))
    start, known = ("/subscriptions/", _MANAGED_DISK) if kind == "Managed" else ("https://", _BLOB_DISK)
    if kind is not None and not uri.startswith(start):
        causes.append(fielderrors.not_supported(f"{path}.diskURI", uri, [known]))
    return causes


def _storage_os(value: Json, path: str) -> list[Cause]:
    causes = required_as(f"{path}.volumeName", value.get("volumeName", ""), formats.dns_label)
    if value.get("volumeNamespace"):
        causes += written_as(f"{path}.volumeNamespace", value["volumeNamespace"], formats.dns_label)
    return causes + (given(value["secretRef"], f"{path}.secretRef", "name") if "secretRef" in value else [])


def _csi(value: Json, path: str, version: Version) -> list[Cause]:
    causes, driver = given(value, path, "driver"), value["driver"]
    if len(driver.encode()) > formats.LABEL_LENGTH:
        causes.append(fielderrors.too_long(f"{path}.driver", formats.LABEL_LENGTH))
    if driver or version.wording_of_1_34:  # which says of an empty one as well what a name looks like
        faults = formats.dns_subdomain(driver.lower())
        causes += [fielderrors.invalid(f"{path}.driver", driver, fault) for fault in faults]
    if "nodePublishSecretRef" in value:
        secret = value["nodePublishSecretRef"].get("name", "")
        if not secret:
            return [*causes, fielderrors.required(f"{path}.nodePublishSecretRef.name")]
        causes += written_as(f"{path}.name", secret, formats.dns_subdomain)
    return causes


def _ephemeral(value: Json, path: str) -> list[Cause]:
    at = f"{path}.volumeClaimTemplate"
    if "volumeClaimTemplate" not in value:
        return [fielderrors.required(at)]
    return claim_template_causes(value["volumeClaimTemplate"], at)


def _image(value: Json, path: str, *, named: bool) -> list[Cause]:
    causes = given(value, path, "reference") if named else []
    return causes + required_of(value, "pullPolicy", path, ("Always", "IfNotPresent", "Never"))


def _of(*members: str) -> _Check:
    """A source that only has to name something."""
    return lambda value, path: given(value, path, *members)


_SOURCES: Mapping[str, _Check] = {
    "emptyDir": _empty_dir,
    "hostPath": _host_path,
    "gitRepo": _git_repo,
    "gcePersistentDisk": partial(_partitioned, "pdName"),
    "awsElasticBlockStore": partial(_partitioned, "volumeID"),
    "secret": partial(_files, "secretName"),
    "nfs": _nfs,
    "iscsi": _iscsi,
    "glusterfs": _of("endpoints", "path"),
    "flocker": _flocker,
    "persistentVolumeClaim": _of("claimName"),
    "rbd": _of("monitors", "image"),
    "cinder": partial(_with_secret, "volumeID"),
    "cephfs": _of("monitors"),
    "quobyte": _quobyte,
    "downwardAPI": _downward,
    "fc": _fc,
    "flexVolume": _flex,
    "configMap": partial(_files, "name"),
    "azureFile": _of("secretName", "shareName"),
    "vsphereVolume": _of("volumePath"),
    "photonPersistentDisk": _of("pdID"),
    "portworxVolume": _of("volumeID"),
    "azureDisk": _azure_disk,
    "storageos": _storage_os,
    "projected": _of(),  # as images are, it is looked into apart, for it depends on the version
    "scaleIO": _of("gateway", "system", "volumeName"),
    "csi": _of(),
    "ephemeral": _ephemeral,
    "image": _of(),
}
"""What each source needs, in the order in which upstream looks at them."""
