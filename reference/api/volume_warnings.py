"""What the API server warns of in a Pod's volumes: kinds that are no more, and files that hide each other.

Source: upstream ``pkg/api/pod/warnings.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reference.api.objects import Json
from reference.api.quantity import parse
from reference.api.quoting import go_quote

_DEPRECATED = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_FIELDS = {"storageos": "storageOS"}

_File = tuple[str, str]
"""A path, and what puts a file there; nothing where that is plain."""


def volume_warnings(volumes: Sequence[Json], path: str) -> Iterator[str]:
    for index, volume in enumerate(volumes):
        for source, text in _DEPRECATED.items():
            if source in volume:
                yield f"{path}[{index}].{_FIELDS.get(source, source)}: {text}"
            if source == "glusterfs":
                yield from _claim_warnings(volume, f"{path}[{index}]")
    for volume in volumes:
        yield from _overlaps(volume)


def _claim_warnings(volume: Json, path: str) -> Iterator[str]:
    """Of the claim that an ephemeral volume makes; upstream looks at it between two kinds of volumes."""
    resources = volume.get("ephemeral", {}).get("volumeClaimTemplate", {}).get("spec", {}).get("resources", {})
    for member in ("requests", "limits"):
        amount = resources.get(member, {}).get("storage", "0")
        if not parse(amount).seems_integer():
            at = f"{path}.ephemeral.volumeClaimTemplate.spec.resources.{member}[storage]"
            yield f"{at}: fractional byte value {go_quote(amount)} is invalid, must be an integer"


def _overlaps(volume: Json) -> Iterator[str]:
    for source, (word, member) in {"configMap": ("ConfigMap", "name"), "secret": ("Secret", "secretName")}.items():
        if source in volume:
            held = f"{word} {go_quote(volume[source].get(member, ''))}"
            yield from _collisions(volume["name"], held, _files(volume[source], ""))
    if "downwardAPI" in volume:
        yield from _collisions(volume["name"], "DownwardAPI", _files(volume["downwardAPI"], ""))
    if "projected" in volume:
        sources = volume["projected"].get("sources", ())
        for source in sources:
            if not source:
                yield f"volume {go_quote(volume['name'])} (Projected) has no sources provided"
        yield from _collisions(volume["name"], "Projected", [file for one in sources for file in _projected(one)])


def _projected(source: Json) -> list[_File]:
    if "configMap" in source:
        return _files(source["configMap"], f"ConfigMap {go_quote(source['configMap'].get('name', ''))}")
    if "secret" in source:
        return _files(source["secret"], f"Secret {go_quote(source['secret'].get('name', ''))}")
    if "downwardAPI" in source:
        return _files(source["downwardAPI"], "DownwardAPI")
    if "serviceAccountToken" in source:
        return [(source["serviceAccountToken"]["path"], "ServiceAccountToken")]
    if "clusterTrustBundle" in source:
        bundle = source["clusterTrustBundle"]
        name = bundle.get("name", bundle.get("signerName", ""))
        return [(bundle["path"], f"ClusterTrustBundle {go_quote(name)}")]
    certificate = source.get("podCertificate", {})
    members = {
        "certificateChainPath": "PodCertificate chain",
        "keyPath": "PodCertificate key",
        "credentialBundlePath": "PodCertificate credential bundle",
    }
    return [(certificate[member], word) for member, word in members.items() if member in certificate]


def _files(source: Json, held: str) -> list[_File]:
    return [(item["path"], held) for item in source.get("items", ())]


def _collisions(volume: str, held: str, files: Sequence[_File]) -> Iterator[str]:
    known: list[_File] = []
    for path, source in files:
        file = path.rstrip("/"), source
        for other in known:
            if file[0] and other[0] and _overlap(file[0], other[0]):
                yield f"volume {go_quote(volume)} ({held}): overlapping paths: {_shown(file)} with {_shown(other)}"
        known.append(file)


def _overlap(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _shown(file: _File) -> str:
    return f"{go_quote(file[0])} ({file[1]})" if file[1] else go_quote(file[0])
