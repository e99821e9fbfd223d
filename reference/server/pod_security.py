"""The admission of Pods by their namespace's labels: which level is enforced, and which is warned of.

What a level has against a Pod says ``reference.api.pod_security``. The audit level only writes to the audit log, which
the model has not.

Source: ``k8s.io/pod-security-admission`` (``admission`` and ``api``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from reference.api import fielderrors
from reference.api.errors import Cause, forbidden, invalid
from reference.api.kinds import NAMESPACE, POD
from reference.api.objects import Deployment, Json, Namespace, ObjectMeta, Pod, ReplicaSet
from reference.api.owners import controller_of
from reference.api.pod_security import LEVELS, PRIVILEGED, RESTRICTED, violations
from reference.api.quoting import go_quote
from reference.machinery.store import Store
from reference.versions import Version

_LABEL = "pod-security.kubernetes.io/"
_LATEST = "latest"
_VERSION = re.compile(r"v1\.(0|[1-9][0-9]*)", re.ASCII)
_MOST_PODS = 3000
"""As many existing Pods are looked at when a namespace's level changes."""

Warn = Callable[[str], None]


class _Level(msgspec.Struct, frozen=True):
    level: str = PRIVILEGED
    version: str = _LATEST

    def __str__(self) -> str:
        return f"{self.level}:{self.version}"


class _Policy(msgspec.Struct, frozen=True):
    enforce: _Level
    warn: _Level


_OPEN = _Policy(_Level(), _Level())


class PodSecurity:
    """The plugin of one server."""

    def __init__(self, store: Store, version: Version) -> None:
        self._store = store
        self._minor = int(version.name.partition(".")[2])

    def check(self, new: Any, old: Any | None, warn: Warn) -> None:
        """Looks at an object that is valid and about to be stored. Raises the 403 or 422 of one that is refused."""
        if isinstance(new, Namespace):
            self._check_namespace(new, old, warn)
            return
        policy = self._policy(new.metadata.namespace)
        if policy == _OPEN:
            return
        match new:
            case Pod():
                if old is None or _images(new) != _images(old):
                    self._check_pod(new, policy, warn)
            case Deployment() | ReplicaSet():
                self._warn(policy, new.spec.template.metadata, new.spec.template.spec, warn)

    def _policy(self, name: str) -> _Policy:
        namespace = self._store.table(NAMESPACE).get("", name)
        if namespace is None or len(namespace.metadata.labels) <= 1:
            return _OPEN  # it has but its name for a label
        return _parsed(namespace.metadata.labels)[0]

    def _check_pod(self, pod: Pod, policy: _Policy, warn: Warn) -> None:
        found = self._found(policy.enforce, pod.metadata, pod.spec)
        if found:
            why = f"violates PodSecurity {go_quote(str(policy.enforce))}: {_at_length(found)}"
            raise forbidden(POD, pod.metadata.name, why)
        self._warn(policy, pod.metadata, pod.spec, warn)

    def _warn(self, policy: _Policy, metadata: ObjectMeta, spec: msgspec.Raw, warn: Warn) -> None:
        found = self._found(policy.warn, metadata, spec)
        if found:
            warn(f"would violate PodSecurity {go_quote(str(policy.warn))}: {_at_length(found)}")

    def _found(self, level: _Level, metadata: ObjectMeta, spec: msgspec.Raw) -> list[tuple[str, str]]:
        if level.level == PRIVILEGED:
            return []
        asked = self._minor if level.version == _LATEST else int(level.version.partition(".")[2])
        return violations(level.level, min(asked, self._minor), metadata.annotations, msgspec.json.decode(spec))

    def _check_namespace(self, new: Namespace, old: Any | None, warn: Warn) -> None:
        policy, causes = _parsed(new.metadata.labels)
        before, known = _parsed({} if old is None else old.metadata.labels)
        if causes and causes != known:
            raise invalid(NAMESPACE, new.metadata.name, tuple(causes))
        level, former = policy.enforce, before.enforce
        stricter = LEVELS.index(level.level) > LEVELS.index(former.level)
        if old is None or level == former or level.level == PRIVILEGED:
            return
        if stricter or level.version != former.version:
            for text in self._existing(new.metadata.name, level):
                warn(text)

    def _existing(self, namespace: str, level: _Level) -> list[str]:
        """What there is already that a new level would not let in; one Pod of each controller comes first."""
        pods = sorted(self._store.table(POD).names(namespace).values(), key=lambda pod: str(pod.metadata.name))
        first: list[Pod] = []
        others: list[Pod] = []
        seen: set[str] = set()
        for pod in pods:
            owner = controller_of(pod.metadata)
            (others if owner is not None and owner.uid in seen else first).append(pod)
            if owner is not None:
                seen.add(owner.uid)
        looked_at = [*first, *others][:_MOST_PODS]
        names: dict[str, list[str]] = {}
        for pod in looked_at:
            found = self._found(level, pod.metadata, pod.spec)
            if found:
                names.setdefault(", ".join(reason for reason, _ in found), []).append(pod.metadata.name)
        texts = []
        if len(looked_at) < len(pods):
            first_of = f"the first {len(looked_at)} of {len(pods)} existing pods"
            texts.append(f"new PodSecurity enforce level only checked against {first_of}")
        if names:
            shown = f"{go_quote(namespace)} violate the new PodSecurity enforce level {go_quote(str(level))}"
            texts.append(f"existing pods in namespace {shown}")
        return texts + sorted(f"{_some(found)}: {reason}" for reason, found in names.items())


def _some(names: Sequence[str]) -> str:
    others = len(names) - 1
    also = f" (and {others} other {'pod' if others == 1 else 'pods'})" if others else ""
    return f"{min(names)}{also}"


def _at_length(found: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{reason} ({text})" if text else reason for reason, text in found)


def _images(pod: Pod) -> list[list[tuple[str, str]]]:
    """What an update has to change for the Pod to be looked at again."""
    spec: Json = msgspec.json.decode(pod.spec)
    kinds = ("containers", "initContainers", "ephemeralContainers")
    return [[(one["name"], one.get("image", "")) for one in spec.get(kind, ())] for kind in kinds]


def _parsed(labels: Mapping[str, str]) -> tuple[_Policy, list[Cause]]:
    """The policy of a namespace's labels, and what is wrong with them, which counts as the strictest."""
    causes: list[Cause] = []
    levels = {}
    for mode in ("enforce", "audit", "warn"):
        level, version = labels.get(f"{_LABEL}{mode}"), labels.get(f"{_LABEL}{mode}-version")
        if level is not None and level not in LEVELS:
            text = f"must be one of {', '.join(LEVELS)}"
            causes.append(fielderrors.invalid(f"metadata.labels[{_LABEL}{mode}]", level, text))
            level = RESTRICTED if mode == "enforce" else PRIVILEGED
        if version is not None and version != _LATEST and not _VERSION.fullmatch(version):
            text = 'must be "latest" or "v1.x"'
            causes.append(fielderrors.invalid(f"metadata.labels[{_LABEL}{mode}-version]", version, text))
            version = _LATEST
        levels[mode] = _Level(level or PRIVILEGED, version or _LATEST)
    enforce, warn = levels["enforce"], levels["warn"]
    if f"{_LABEL}warn" not in labels and labels.get(f"{_LABEL}enforce") in LEVELS and enforce.level != PRIVILEGED:
        warn = _Level(enforce.level, warn.version if f"{_LABEL}warn-version" in labels else enforce.version)
    return _Policy(enforce, warn), causes
