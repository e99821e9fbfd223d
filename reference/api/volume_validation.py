"""What the API server finds wrong with a Pod's volumes: names, how many sources, and the common sources' inside.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api import fielderrors, formats
from reference.api.checks import required_as
from reference.api.errors import Cause
from reference.api.objects import Json
from reference.api.quantity import parse

_SOURCES = (
    *("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi"),
    *("glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc"),
    *("flexVolume", "configMap", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk"),
    *("storageos", "projected", "scaleIO", "csi", "ephemeral", "image"),
)
"""In the order in which upstream looks at them."""

_NAMED_OTHERWISE = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
"""What upstream's errors call a second source of these types."""

_SHORTEST, _LONGEST = 10 * 60, 2**32
_FILE_MODES = "must be a number between 0 and 0777 (octal), both inclusive"


def volume_causes(volumes: Sequence[Json], path: str) -> tuple[list[str], list[Cause]]:
    """The names of the volumes that are right, and what is wrong with the others."""
    names: list[str] = []
    causes: list[Cause] = []
    for index, volume in enumerate(volumes):
        at, name = f"{path}[{index}]", volume["name"]
        found = _source(volume, at)
        found += required_as(f"{at}.name", name, formats.dns_label)
        if name in names:
            found.append(fielderrors.duplicate(f"{at}.name", name))
        if found:
            causes += found
        else:
            names.append(name)
    return names, causes


def _source(volume: Json, path: str) -> list[Cause]:
    sources = [source for source in _SOURCES if source in volume]
    if not sources:
        return [fielderrors.required(path, "must specify a volume type")]
    causes = _inside(sources[0], volume[sources[0]], f"{path}.{sources[0]}")
    for extra in sources[1:]:
        at = f"{path}.{_NAMED_OTHERWISE.get(extra, extra)}"
        causes.append(fielderrors.forbidden(at, "may not specify more than 1 volume type"))
    return causes


def _inside(source: str, value: Json, path: str) -> list[Cause]:
    match source:
        case "emptyDir":
            if "sizeLimit" in value and parse(value["sizeLimit"]).sign < 0:
                text = "SizeLimit field must be a valid resource quantity"
                return [fielderrors.forbidden(f"{path}.sizeLimit", text)]
        case "hostPath":
            if not value["path"]:
                return [fielderrors.required(f"{path}.path")]
            return no_backsteps(value["path"], f"{path}.path")
        case "persistentVolumeClaim":
            return [] if value["claimName"] else [fielderrors.required(f"{path}.claimName")]
        case "secret":
            return _files(value, "secretName", path)
        case "configMap":
            return _files(value, "name", path)
        case "projected":
            return _mode(value, "defaultMode", path) + _projected(value.get("sources", []), path)
    return []


def _projected(sources: Sequence[Json], path: str) -> list[Cause]:
    """Several sources in one volume: no two files may have the same path."""
    causes: list[Cause] = []
    known: list[str] = []
    for index, source in enumerate(sources):
        for kind in ("secret", "configMap"):
            if kind in source:
                causes += _files(source[kind], "name", f"{path}.sources[{index}].{kind}")
                causes += _conflicts(source[kind], known, path, source[kind].get("name", ""))
        if "downwardAPI" in source:
            causes += _conflicts(source["downwardAPI"], known, path)
        if "serviceAccountToken" in source:
            at = f"{path}.sources[{index}].serviceAccountToken"
            causes += _token(source["serviceAccountToken"], at, path)
    return causes


def _conflicts(source: Json, known: list[str], path: str, shown: str | None = None) -> list[Cause]:
    """The files whose paths are known already; the others become known."""
    causes = []
    for item in source.get("items", []):
        if item["path"] in known:
            value = item["path"] if shown is None else shown
            causes.append(fielderrors.invalid(path, value, "conflicting duplicate paths"))
        elif item["path"]:
            known.append(item["path"])
    return causes


def _token(token: Json, path: str, volume_path: str) -> list[Cause]:
    """Upstream names the token's path after the volume."""
    at, seconds = f"{path}.expirationSeconds", token["expirationSeconds"]
    causes = []
    if seconds < _SHORTEST:
        causes.append(fielderrors.invalid(at, seconds, "may not specify a duration less than 10 minutes"))
    if seconds > _LONGEST:
        causes.append(fielderrors.invalid(at, seconds, "may not specify a duration larger than 2^32 seconds"))
    if not token["path"]:
        causes.append(fielderrors.required(f"{volume_path}.path"))
    return causes


def _files(source: Json, name: str, path: str) -> list[Cause]:
    causes = [] if source.get(name) else [fielderrors.required(f"{path}.{name}")]
    causes += _mode(source, "defaultMode", path)
    for index, item in enumerate(source.get("items", [])):
        at = f"{path}.items[{index}]"
        causes += [fielderrors.required(f"{at}.{member}") for member in ("key", "path") if not item[member]]
        if item["path"].startswith("/"):
            causes.append(fielderrors.invalid(f"{at}.path", item["path"], "must be a relative path"))
        causes += no_backsteps(item["path"], f"{at}.path")
        causes += _mode(item, "mode", at)
    return causes


def _mode(holder: Json, member: str, path: str) -> list[Cause]:
    mode = holder.get(member)
    if mode is None or 0 <= mode <= 0o777:
        return []
    return [fielderrors.invalid(f"{path}.{member}", mode, _FILE_MODES)]


def no_backsteps(path_value: str, path: str) -> list[Cause]:
    """A path that leaves its directory."""
    if ".." not in path_value.split("/"):
        return []
    return [fielderrors.invalid(path, path_value, "must not contain '..'")]
