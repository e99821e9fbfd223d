"""Validation: what the API server finds wrong with a Deployment, a ReplicaSet or a Pod.

Objects come in as the server would store them, defaults included; what comes out is every fault with its field,
in the server's order, or nothing. ``errors.invalid`` makes the 422 of them.

Source: upstream ``pkg/apis/apps/validation``.
"""

from __future__ import annotations

import msgspec

from reference.api import fielderrors, formats
from reference.api.checks import not_negative, written_as
from reference.api.core_validation import event_causes, namespace_causes, namespace_status_causes
from reference.api.defaulting import ROLLBACK_ANNOTATION
from reference.api.errors import Cause
from reference.api.fielderrors import Word
from reference.api.metadata_validation import (
    annotation_causes,
    label_causes,
    metadata_causes,
    metadata_update_causes,
    path_metadata_causes,
    path_metadata_update_causes,
)
from reference.api.numbers import parse_int
from reference.api.objects import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    DeploymentStrategy,
    Event,
    IntOrString,
    LabelSelector,
    Namespace,
    Object,
    Pod,
    PodTemplateSpec,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    RollingUpdateDeployment,
    replace,
)
from reference.api.pod_status_validation import pod_status_causes
from reference.api.pod_validation import new_pod_causes, pod_causes, pod_update_causes, template_causes
from reference.api.selectors import SelectorError, check_selector, is_empty, matches
from reference.api.template import pod_spec
from reference.versions import Version

_MAX_PERCENT = 100

_Spec = DeploymentSpec | ReplicaSetSpec


def validate_create(new: Object, version: Version) -> tuple[Cause, ...]:
    """What is wrong with a new object; it has its name and namespace already."""
    match new:
        case Event():
            causes = event_causes(new) or path_metadata_causes(new.metadata, version)
        case Namespace():
            causes = namespace_causes(new, version)
        case Deployment():
            causes = _named_causes(new, version) + _deployment_spec(new, version)
        case ReplicaSet():
            causes = _named_causes(new, version) + _replica_set_spec(new.spec, version)
        case Pod():
            causes = _named_causes(new, version) + pod_causes(new.metadata, new.spec, version)
            causes += new_pod_causes(new.metadata, new.spec)
    return _told(causes, version)


def validate_update(new: Object, old: Object, version: Version) -> tuple[Cause, ...]:
    """What is wrong with an update of the main resource. ``new`` has a resourceVersion."""
    causes = _metadata_update(new, old, version)
    match new, old:
        case Deployment(), Deployment():
            causes += _deployment_spec(new, version, old.spec) + _same_selector(new.spec, old.spec)
        case ReplicaSet(), ReplicaSet():
            causes += _replica_set_spec(new.spec, version, old.spec) + _same_selector(new.spec, old.spec)
        case Pod(), Pod():
            if new.spec != old.spec or new.metadata.annotations != old.metadata.annotations:
                causes += pod_causes(new.metadata, new.spec, version)
            causes += pod_update_causes(new.spec, old.spec, "spec", version)
        case Event(), Event():
            causes += event_causes(new)
    return _told(causes, version)


def validate_status_update(new: Object, old: Object, version: Version) -> tuple[Cause, ...]:
    """What is wrong with an update of the status subresource."""
    causes = _metadata_update(new, old, version, status=True)
    match new, old:
        case Deployment(), Deployment():
            causes += _deployment_status(new.status, old.status)
        case ReplicaSet(), ReplicaSet():
            causes += _replica_set_status(new.status)
        case Pod(), Pod():
            if new.status != old.status:
                causes += pod_status_causes(new, old, version)
        case Namespace(), Namespace():
            causes += namespace_status_causes(new)
    return _told(causes, version)


def _told(causes: list[Cause], version: Version) -> tuple[Cause, ...]:
    return tuple(dict.fromkeys(causes) if version.faults_told_once else causes) if causes else ()


def _named_causes(obj: Object, version: Version) -> list[Cause]:
    return metadata_causes(obj.metadata, formats.dns_subdomain, version)


def _metadata_update(new: Object, old: Object, version: Version, *, status: bool = False) -> list[Cause]:
    """First what is checked of every kind alike; then the kind's own checks, which find most of it again."""
    after, before = new.metadata, old.metadata
    if not after.finalizers and before == replace(after, generation=before.generation):
        return []  # it was found right when it was written, and by the same checks, but for those of finalizers
    causes = path_metadata_causes(after, version, namespaced=not isinstance(new, Namespace))
    causes += path_metadata_update_causes(after, before, version)
    if isinstance(new, Event) or not (causes or after.finalizers):
        return causes  # what the kind's own checks find besides is about finalizers
    if isinstance(new, Namespace) and not status:
        causes += namespace_causes(new, version)
    causes += metadata_update_causes(after, before, version)
    if isinstance(new, Pod) and not status:
        causes += _named_causes(new, version)
    return causes


def _deployment_spec(obj: Deployment, version: Version, old: DeploymentSpec | None = None) -> list[Cause]:
    spec = obj.spec
    causes = not_negative("spec.replicas", spec.replicas)
    causes += _selector_and_template(spec, version, old)
    causes += _strategy(spec.strategy)
    causes += not_negative("spec.minReadySeconds", spec.min_ready_seconds)
    if spec.revision_history_limit is not None:
        causes += not_negative("spec.revisionHistoryLimit", spec.revision_history_limit)
    causes += not_negative("spec.rollback.version", _number(obj.metadata.annotations.get(ROLLBACK_ANNOTATION, "")))
    deadline = spec.progress_deadline_seconds
    if deadline is not None:
        path = "spec.progressDeadlineSeconds"
        causes += not_negative(path, deadline)
        if deadline <= spec.min_ready_seconds:
            causes.append(fielderrors.invalid(path, deadline, "must be greater than minReadySeconds"))
    return causes


def _replica_set_spec(spec: ReplicaSetSpec, version: Version, old: ReplicaSetSpec | None = None) -> list[Cause]:
    causes = not_negative("spec.replicas", spec.replicas)
    causes += not_negative("spec.minReadySeconds", spec.min_ready_seconds)
    return causes + _selector_and_template(spec, version, old)


def _selector_and_template(spec: _Spec, version: Version, old: _Spec | None) -> list[Cause]:
    selector, template, path = spec.selector, spec.template, "spec.selector"
    if old is not None and template is old.template and selector is old.selector:
        return []  # they were found right when they were written
    causes = [fielderrors.required(path)] if selector is None else selector_causes(selector, path)
    if is_empty(selector):
        causes.append(fielderrors.invalid(path, selector, "empty selector is invalid for deployment"))
    try:
        check_selector(selector)
    except SelectorError:
        return [*causes, fielderrors.invalid(path, selector, "invalid label selector")]
    return causes + _template(template, selector, version)


def selector_causes(selector: LabelSelector, path: str) -> list[Cause]:
    """What is wrong with a label selector."""
    causes = label_causes(selector.match_labels, f"{path}.matchLabels")
    for index, expression in enumerate(selector.match_expressions):
        at = f"{path}.matchExpressions[{index}]"
        if expression.operator in ("In", "NotIn") and not expression.values:
            text = "must be specified when `operator` is 'In' or 'NotIn'"
            causes.append(fielderrors.required(f"{at}.values", text))
        elif expression.operator in ("Exists", "DoesNotExist") and expression.values:
            text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            causes.append(fielderrors.forbidden(f"{at}.values", text))
        elif expression.operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
            text = "not a valid selector operator"
            causes.append(fielderrors.invalid(f"{at}.operator", Word(expression.operator), text))
        causes += written_as(f"{at}.key", expression.key, formats.qualified_name)
        for number, value in enumerate(expression.values):
            causes += written_as(f"{at}.values[{number}]", value, formats.label_value)
    return causes


def _template(template: PodTemplateSpec, selector: LabelSelector | None, version: Version) -> list[Cause]:
    path, labels = "spec.template", template.metadata.labels
    causes: list[Cause] = []
    if not is_empty(selector) and not matches(selector, labels):
        text = "`selector` does not match template `labels`"
        causes.append(fielderrors.invalid(f"{path}.metadata.labels", labels or None, text))
    causes += label_causes(labels, f"{path}.labels")
    causes += annotation_causes(template.metadata.annotations, f"{path}.annotations")
    causes += template_causes(template.metadata.annotations, template.spec, path, version)
    spec = pod_spec(template.spec)
    if spec.restart_policy != "Always":
        causes.append(fielderrors.not_supported(f"{path}.spec.restartPolicy", Word(spec.restart_policy), ["Always"]))
    if spec.active_deadline_seconds is not None:
        text = "activeDeadlineSeconds in ReplicaSet is not Supported"
        causes.append(fielderrors.forbidden(f"{path}.spec.activeDeadlineSeconds", text))
    return causes


class _InternalRollingUpdate(msgspec.Struct):
    max_unavailable: IntOrString = msgspec.field(name="MaxUnavailable")
    max_surge: IntOrString = msgspec.field(name="MaxSurge")


class _InternalStrategy(msgspec.Struct):
    """How the server's errors show a strategy: by the names of its internal type."""

    type: str = msgspec.field(name="Type")
    rolling_update: _InternalRollingUpdate | None = msgspec.field(name="RollingUpdate")


def _strategy(strategy: DeploymentStrategy) -> list[Cause]:
    path = "spec.strategy"
    if strategy.type == "Recreate":
        if strategy.rolling_update is None:
            return []
        text = "may not be specified when strategy `type` is 'Recreate'"
        return [fielderrors.forbidden(f"{path}.rollingUpdate", text)]
    if strategy.type == "RollingUpdate":
        return _rolling_update(strategy.rolling_update or RollingUpdateDeployment(), f"{path}.rollingUpdate")
    update = strategy.rolling_update
    shown = _InternalRollingUpdate(update.max_unavailable or 0, update.max_surge or 0) if update else None
    return [fielderrors.not_supported(path, _InternalStrategy(strategy.type, shown), ["Recreate", "RollingUpdate"])]


def _rolling_update(rolling_update: RollingUpdateDeployment, path: str) -> list[Cause]:
    unavailable = 0 if rolling_update.max_unavailable is None else rolling_update.max_unavailable
    surge = 0 if rolling_update.max_surge is None else rolling_update.max_surge
    at = f"{path}.maxUnavailable"
    causes = _number_or_percentage(unavailable, at) + _number_or_percentage(surge, f"{path}.maxSurge")
    if _size(unavailable) == 0 and _size(surge) == 0:
        causes.append(fielderrors.invalid(at, unavailable, "may not be 0 when `maxSurge` is 0"))
    if _is_percentage(unavailable) and _size(unavailable) > _MAX_PERCENT:
        causes.append(fielderrors.invalid(at, unavailable, "must not be greater than 100%"))
    return causes


def _number_or_percentage(value: IntOrString, path: str) -> list[Cause]:
    return not_negative(path, value) if isinstance(value, int) else written_as(path, value, formats.percentage)


def _is_percentage(value: IntOrString) -> bool:
    return isinstance(value, str) and not formats.percentage(value)


def _size(value: IntOrString) -> int:
    """The number or the percentage; 0 for a text that is neither."""
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%") if _is_percentage(value) else value
    return _number(digits)


def _number(text: str) -> int:
    """0 for what is none."""
    try:
        return parse_int(text)
    except ValueError:
        return 0


def _same_selector(new: _Spec, old: _Spec) -> list[Cause]:
    if new.selector == old.selector:
        return []
    return [fielderrors.invalid("spec.selector", new.selector, "field is immutable")]


def _deployment_status(new: DeploymentStatus, old: DeploymentStatus) -> list[Cause]:
    causes = _counters(
        ("observedGeneration", new.observed_generation),
        ("replicas", new.replicas),
        ("updatedReplicas", new.updated_replicas),
        ("readyReplicas", new.ready_replicas),
        ("availableReplicas", new.available_replicas),
        ("unavailableReplicas", new.unavailable_replicas),
        ("terminatingReplicas", new.terminating_replicas or 0),
        ("collisionCount", new.collision_count or 0),
    )
    causes += _bounded(
        new.replicas,
        ("updatedReplicas", new.updated_replicas),
        ("readyReplicas", new.ready_replicas),
        ("availableReplicas", new.available_replicas),
    )
    causes += _available_are_ready(new.available_replicas, new.ready_replicas)
    if old.collision_count is not None and (new.collision_count is None or new.collision_count < old.collision_count):
        shown = new.collision_count or 0
        causes.append(fielderrors.invalid("status.collisionCount", shown, "cannot be decremented"))
    return causes


def _replica_set_status(status: ReplicaSetStatus) -> list[Cause]:
    causes = _counters(
        ("replicas", status.replicas),
        ("fullyLabeledReplicas", status.fully_labeled_replicas),
        ("readyReplicas", status.ready_replicas),
        ("availableReplicas", status.available_replicas),
        ("observedGeneration", status.observed_generation),
        ("terminatingReplicas", status.terminating_replicas or 0),
    )
    causes += _bounded(
        status.replicas,
        ("fullyLabeledReplicas", status.fully_labeled_replicas),
        ("readyReplicas", status.ready_replicas),
        ("availableReplicas", status.available_replicas),
    )
    return causes + _available_are_ready(status.available_replicas, status.ready_replicas)


def _counters(*counters: tuple[str, int]) -> list[Cause]:
    return [cause for name, value in counters if value < 0 for cause in not_negative(f"status.{name}", value)]


def _bounded(replicas: int, *counters: tuple[str, int]) -> list[Cause]:
    text = "cannot be greater than status.replicas"
    return [fielderrors.invalid(f"status.{name}", value, text) for name, value in counters if value > replicas]


def _available_are_ready(available: int, ready: int) -> list[Cause]:
    if available <= ready:
        return []
    return [fielderrors.invalid("status.availableReplicas", available, "cannot be greater than readyReplicas")]
