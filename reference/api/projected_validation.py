"""What the API server finds wrong with a projected volume: several sources whose files lie in one directory.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.api import fielderrors, formats
from reference.api.checks import given, required_as
from reference.api.errors import Cause
from reference.api.internal_form import internal_form
from reference.api.metadata_validation import ANNOTATIONS_SIZE
from reference.api.objects import Json, LabelSelector, from_json
from reference.api.paths import not_reserved
from reference.api.quoting import go_quote
from reference.api.scheduling_validation import label_selector_causes
from reference.api.volume_files import downward_causes, key_causes, mode_causes, user_causes
from reference.versions import Version

_SHORTEST_TOKEN, _LONGEST_TOKEN = 10 * 60, 2**32
_KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_SHORTEST_CERTIFICATE = 3600
_LONGEST_CERTIFICATE, _LONGEST_OF_KUBERNETES = 91 * 24 * 60 * 60, 24 * 60 * 60
_CERTIFICATE_PATHS = ("credentialBundlePath", "keyPath", "certificateChainPath")
_LONGEST_SIGNER = 253 + 253 + 63 + 1 + 1
_TAKEN = "conflicting duplicate paths"


def projected_causes(volume: Json, path: str, version: Version) -> list[Cause]:
    causes = mode_causes(volume, "defaultMode", path) + user_causes(volume, "defaultUser", path)
    known: list[str] = []
    for index, source in enumerate(volume.get("sources", ())):
        causes += _source(source, f"{path}.sources[{index}]", path, known, version)
    return causes


def _source(source: Json, path: str, volume_path: str, known: list[str], version: Version) -> list[Cause]:
    """``known`` are the files of the sources before it; those of this one are added."""
    causes: list[Cause] = []
    for kind in ("secret", "configMap"):
        if kind in source:
            causes += _keys(source[kind], f"{path}.{kind}", volume_path, known)
    if "downwardAPI" in source:
        for item in source["downwardAPI"].get("items", ()):
            causes += downward_causes(item, f"{path}.downwardAPI")
            causes += _taken(item["path"], item["path"], volume_path, known)
    if "serviceAccountToken" in source:
        causes += _token(source["serviceAccountToken"], f"{path}.serviceAccountToken", volume_path)
    if "clusterTrustBundle" in source:
        bundle = source["clusterTrustBundle"]
        causes += _bundle(bundle, f"{path}.clusterTrustBundle", version)
        causes += _taken(bundle["path"], bundle["path"], volume_path, known, empty=True)
    if "podCertificate" in source:
        causes += _certificate(source["podCertificate"], f"{path}.podCertificate", volume_path, known)
    if len(source) > 1:
        causes.append(fielderrors.forbidden(path, "may not specify more than 1 volume type per source"))
    return causes


def _taken(file: str, shown: str, path: str, known: list[str], *, empty: bool = False) -> list[Cause]:
    """A file whose path another one has already."""
    if not file and not empty:
        return []
    if file in known:
        return [fielderrors.invalid(path, shown, _TAKEN)]
    known.append(file)
    return []


def _keys(source: Json, path: str, volume_path: str, known: list[str]) -> list[Cause]:
    causes = given(source, path, "name")
    for index, item in enumerate(source.get("items", ())):
        causes += key_causes(item, f"{path}.items[{index}]")
        causes += _taken(item["path"], source.get("name", ""), volume_path, known)
    return causes


def _token(token: Json, path: str, volume_path: str) -> list[Cause]:
    """Upstream names the token's path after the volume."""
    at, seconds = f"{path}.expirationSeconds", token["expirationSeconds"]
    causes = []
    if seconds < _SHORTEST_TOKEN:
        causes.append(fielderrors.invalid(at, seconds, "may not specify a duration less than 10 minutes"))
    if seconds > _LONGEST_TOKEN:
        causes.append(fielderrors.invalid(at, seconds, "may not specify a duration larger than 2^32 seconds"))
    if not token["path"]:
        causes.append(fielderrors.required(f"{volume_path}.path"))
    else:
        causes += not_reserved(token["path"], f"{volume_path}.path")
    return causes + user_causes(token, "user", path)


def _bundle(bundle: Json, path: str, version: Version) -> list[Cause]:
    name, signer, selector = bundle.get("name"), bundle.get("signerName"), bundle.get("labelSelector")
    causes: list[Cause] = []
    if name is not None and signer is not None:
        shown = internal_form(bundle, "v1.ClusterTrustBundleProjection", version)
        causes.append(fielderrors.invalid(path, shown, "only one of name and signerName may be used"))
    elif name is not None:
        if not name:
            causes.append(fielderrors.required(f"{path}.name", "must be a valid object name"))
        text = "not a valid clustertrustbundlename: "
        causes += [fielderrors.invalid(f"{path}.name", name, text + fault) for fault in _bundle_name_faults(name)]
        if selector is not None:
            text = "labelSelector must be unset if name is specified"
            shown_selector = from_json(selector, LabelSelector)
            causes.append(fielderrors.invalid(f"{path}.labelSelector", shown_selector, text))
    elif signer is not None:
        if not signer:
            causes.append(fielderrors.required(f"{path}.signerName", "must be a valid signer name"))
        causes += _signer(signer, f"{path}.signerName")
        causes += label_selector_causes(selector, f"{path}.labelSelector")
    else:
        causes.append(fielderrors.required(path, "either name or signerName must be specified"))
    causes += given(bundle, path, "path") + user_causes(bundle, "user", path)
    return causes + not_reserved(bundle["path"], f"{path}.path")


def _bundle_name_faults(name: str) -> list[str]:
    """A bundle of a signer begins with the signer's name, its slashes as colons."""
    prefix, colon, rest = name.rpartition(":")
    if not colon:
        return list(formats.dns_subdomain(name))
    signer = prefix.replace(":", "/")
    if not signer:
        return ['ClusterTrustBundle without signer name must not have ":" in its name']
    if not name.startswith(f"{signer.replace('/', ':')}:"):
        return [f"ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}:"]
    return list(formats.dns_subdomain(rest))


def _signer(name: str, path: str) -> list[Cause]:
    """``domain/path``, each of labels."""
    if not name:
        return [fielderrors.required(path)]
    if name.count("/") != 1:
        text = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        return [fielderrors.invalid(path, name, text)]
    domain, _, rest = name.partition("/")
    causes = [fielderrors.too_long(path, formats.SUBDOMAIN_LENGTH)] if len(domain) > formats.SUBDOMAIN_LENGTH else []
    labels = domain.split(".")
    causes += _first_wrong(labels, {label: formats.dns_label(label) for label in labels}, domain, path)
    if len(labels) < 2:
        text = "should be a domain with at least two segments separated by dots"
        causes.append(fielderrors.invalid(path, domain, text))
    parts = rest.split(".")
    causes += _first_wrong(parts, {part: formats.dns_subdomain(part) for part in parts}, rest, path)
    return causes + ([fielderrors.too_long(path, _LONGEST_SIGNER)] if len(name) > _LONGEST_SIGNER else [])


def _first_wrong(labels: Sequence[str], faults: dict[str, list[str]], shown: str, path: str) -> list[Cause]:
    wrong = next((label for label in labels if faults[label]), None)
    if wrong is None:
        return []
    return [fielderrors.invalid(path, shown, f"validating label {go_quote(wrong)}: {fault}") for fault in faults[wrong]]


def _certificate(certificate: Json, path: str, volume_path: str, known: list[str]) -> list[Cause]:
    signer, key_type = certificate.get("signerName", ""), certificate.get("keyType", "")
    causes = _signer(signer, f"{path}.signerName")
    causes += _user_annotations(certificate.get("userAnnotations", {}), f"{path}.userAnnotations")
    causes += user_causes(certificate, "user", path)
    if key_type not in _KEY_TYPES:
        causes.append(fielderrors.not_supported(f"{path}.keyType", key_type, _KEY_TYPES))
    seconds = certificate.get("maxExpirationSeconds")
    if seconds is not None:
        causes += _certificate_life(seconds, signer, f"{path}.maxExpirationSeconds")
    files = [member for member in _CERTIFICATE_PATHS if certificate.get(member)]
    for member in files:
        causes += not_reserved(certificate[member], f"{path}.{member}")
        causes += _taken(certificate[member], certificate[member], volume_path, known)
    if not files:
        text = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        causes.append(fielderrors.required(path, text))
    return causes


def _certificate_life(seconds: int, signer: str, path: str) -> list[Cause]:
    host = signer.partition("/")[0]
    of_kubernetes = host == "kubernetes.io" or host.endswith(".kubernetes.io")
    longest = _LONGEST_OF_KUBERNETES if of_kubernetes else _LONGEST_CERTIFICATE
    causes = []
    for wrong, bound in (
        (seconds < _SHORTEST_CERTIFICATE, f">= {_SHORTEST_CERTIFICATE}"),
        (seconds > longest, f"<= {longest}"),
    ):
        if wrong:
            text = f"if provided, maxExpirationSeconds must be {bound}"
            causes.append(fielderrors.invalid(path, seconds, text))
    return causes


def _user_annotations(annotations: Json, path: str) -> list[Cause]:
    causes = [cause for key in sorted(annotations) for cause in _domain_key(key.lower(), path)]
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > ANNOTATIONS_SIZE:
        causes.append(fielderrors.too_long(path, ANNOTATIONS_SIZE))
    return causes


def _domain_key(key: str, path: str) -> list[Cause]:
    """``domain/path``: a domain of labels, and what may follow it in a path."""
    return required_as(path, key, formats.domain_prefixed_key)
