"""What the API server finds wrong with the annotations of a Pod or a template that mean something to it.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from reference.api import fielderrors
from reference.api.errors import Cause
from reference.api.json_syntax import NotJson, check_syntax
from reference.api.objects import Json
from reference.api.paths import descending
from reference.api.scheduling_validation import toleration_causes
from reference.api.security_validation import containers_at
from reference.versions import Version

MIRROR = "kubernetes.io/config.mirror"
SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"

_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
_INTEGER = re.compile("0|-[0-9]+|[1-9][0-9]*", re.ASCII)
_LOCAL = "localhost/"
_RUNTIME = ("runtime/default", "docker/default")


def pod_annotation_causes(annotations: Mapping[str, str], spec: Json, path: str, version: Version) -> list[Cause]:
    """What is wrong with them in themselves; ``path`` is theirs."""
    causes: list[Cause] = []
    if MIRROR in annotations and not spec.get("nodeName"):
        text = "must set spec.nodeName if mirror pod annotation is set"
        causes.append(fielderrors.invalid(f"{path}[{MIRROR}]", annotations[MIRROR], text))
    if annotations.get(_TOLERATIONS):
        causes += _tolerations(annotations[_TOLERATIONS], path, version)
    cost = annotations.get(_DELETION_COST, "0")
    if not (_INTEGER.fullmatch(cost) and -(2**31) <= int(cost) < 2**31):
        causes.append(fielderrors.invalid(f"{path}[{_DELETION_COST}]", cost, "must be a 32bit integer"))
    for key in sorted(annotations):
        if key == SECCOMP_POD or key.startswith(SECCOMP_CONTAINER):
            causes += _seccomp(annotations[key], f"{path}.{key}")
    names = [container["name"] for container, _ in containers_at(spec, "")]
    for key in sorted(annotations):
        if key.startswith(APP_ARMOR):
            causes += _app_armor(key, annotations[key], names, f"{path}[{key}]")
    return causes


def _tolerations(text: str, path: str, version: Version) -> list[Cause]:
    try:
        check_syntax(text.encode())
        tolerations = msgspec.json.decode(text, type=list[dict[str, str | int | None]] | None)
    except (NotJson, msgspec.ValidationError) as error:
        return [fielderrors.invalid(path, _TOLERATIONS, str(error))]
    given = [_in_public_form(one) for one in tolerations or ()]
    return toleration_causes(given, f"{path}.{_TOLERATIONS}", version)


def _in_public_form(toleration: Json) -> Json:
    """The server reads this annotation into a type whose fields have no names for JSON: any case will do."""
    known = {name.lower(): name for name in ("key", "operator", "value", "effect", "tolerationSeconds")}
    return {known.get(name.lower(), name): value for name, value in toleration.items() if value is not None}


def _seccomp(profile: str, path: str) -> list[Cause]:
    if profile in (*_RUNTIME, "unconfined"):
        return []
    if profile.startswith(_LOCAL):
        return descending(profile.removeprefix(_LOCAL), path)
    return [fielderrors.invalid(path, profile, "must be a valid seccomp profile")]


def _app_armor(key: str, profile: str, names: list[str], path: str) -> list[Cause]:
    name = key.removeprefix(APP_ARMOR)
    causes = [] if name in names else [fielderrors.invalid(path, name, "container not found")]
    if profile not in ("", "runtime/default", "unconfined") and not profile.startswith(_LOCAL):
        causes.append(fielderrors.invalid(path, profile, f'invalid AppArmor profile name: "{profile}"'))
    return causes


def profile_causes(annotations: Mapping[str, str], spec: Json, path: str) -> list[Cause]:
    """Where an annotation and a field tell of the same profile they must agree; ``path`` is the spec's."""
    return [*_seccomp_profiles(annotations, spec, path), *_app_armor_profiles(annotations, spec, path)]


def _seccomp_profiles(annotations: Mapping[str, str], spec: Json, path: str) -> Iterator[Cause]:
    for holder, at in ((spec, path), *containers_at(spec, path)):
        key = SECCOMP_POD if holder is spec else SECCOMP_CONTAINER + holder["name"]
        profile = holder.get("securityContext", {}).get("seccompProfile")
        if profile is not None and key in annotations:
            yield from _agree(profile, annotations[key], "seccomp", _RUNTIME, f"{at}.securityContext.seccompProfile")


def _app_armor_profiles(annotations: Mapping[str, str], spec: Json, path: str) -> Iterator[Cause]:
    if spec.get("os", {}).get("name") == "windows":
        return
    of_pod = spec.get("securityContext", {}).get("appArmorProfile")
    for container, at in containers_at(spec, path):
        key = APP_ARMOR + container["name"]
        profile = container.get("securityContext", {}).get("appArmorProfile", of_pod)
        if profile is not None and key in annotations:
            where = f"{at}.securityContext.appArmorProfile"
            yield from _agree(profile, annotations[key], "apparmor", _RUNTIME[:1], where)


def _agree(profile: Json, annotation: str, what: str, default: tuple[str, ...], path: str) -> Iterator[Cause]:
    known = {"Unconfined": ("unconfined",), "RuntimeDefault": default}
    text = f"{what} type in annotation and field must match"
    if profile["type"] == "Localhost":
        if not annotation.startswith(_LOCAL):
            yield fielderrors.forbidden(f"{path}.type", text)
        elif annotation.removeprefix(_LOCAL) != profile.get("localhostProfile"):
            text = f"{what} profile in annotation and field must match"
            yield fielderrors.forbidden(f"{path}.localhostProfile", text)
    elif annotation not in known.get(profile["type"], (annotation,)):
        yield fielderrors.forbidden(f"{path}.type", text)
