"""What the API server finds wrong with resource requests and limits.

Source: upstream ``pkg/apis/core/validation`` and ``pkg/apis/core/helper``.
"""

from __future__ import annotations

from reference.api import fielderrors, formats
from reference.api.checks import written_as
from reference.api.errors import Cause
from reference.api.objects import Json
from reference.api.quantity import Quantity, QuantityError, parse

_OF_CONTAINERS = ("cpu", "memory", "ephemeral-storage")
_STANDARD = (
    *_OF_CONTAINERS,
    *(f"{kind}.{name}" for kind in ("requests", "limits") for name in _OF_CONTAINERS),
    *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"),
    *("persistentvolumeclaims", "storage", "requests.storage", "services.nodeports", "services.loadbalancers"),
)
_HUGE_PAGES = "hugepages-"


def resource_causes(resources: Json, path: str) -> list[Cause]:
    """What is wrong with the ``limits`` and ``requests`` of the object at ``path``."""
    causes: list[Cause] = []
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    for name in sorted(limits):
        causes += _entry(name, limits[name], f"{path}.limits[{name}]")
    for name in sorted(requests):
        causes += _entry(name, requests[name], f"{path}.requests[{name}]")
        causes += _within_limit(name, requests[name], limits.get(name), path)
    named = [*limits, *requests]
    if any(name.startswith(_HUGE_PAGES) for name in named) and "cpu" not in named and "memory" not in named:
        causes.append(fielderrors.forbidden(path, "HugePages require cpu or memory"))
    return causes


def _entry(name: str, text: str, path: str) -> list[Cause]:
    causes = written_as(path, name, formats.qualified_name)
    native, huge = "/" not in name or "kubernetes.io/" in name, name.startswith(_HUGE_PAGES)
    if "/" not in name and name not in _OF_CONTAINERS and not huge:
        if not causes and name not in _STANDARD:
            causes.append(fielderrors.invalid(path, name, "must be a standard resource type or fully qualified"))
        causes.append(fielderrors.invalid(path, name, "must be a standard resource for containers"))
    value = parse(text)
    if value.sign < 0:
        causes.append(fielderrors.invalid(path, text, "must be greater than or equal to 0"))
    if not native and not value.is_integer():
        causes.append(fielderrors.invalid(path, text, "must be an integer"))
    if huge and not _is_whole(value, name.removeprefix(_HUGE_PAGES)):
        causes.append(fielderrors.invalid(path, text, f"{text} is not positive integer multiple of {name}"))
    return causes


def _is_whole(amount: Quantity, size: str) -> bool:
    """Whether an amount of huge pages is a number of them; none is one, too."""
    try:
        page = parse(size)
    except QuantityError:
        return False
    return page.sign > 0 and page.is_integer() and amount.value() % page.value() == 0


def _within_limit(name: str, requested: str, limit: str | None, path: str) -> list[Cause]:
    overcommits = ("/" not in name or "kubernetes.io/" in name) and not name.startswith(_HUGE_PAGES)
    if limit is None:
        if overcommits:
            return []
        return [fielderrors.required(f"{path}.limits", "Limit must be set for non overcommitable resources")]
    if not overcommits and parse(requested) != parse(limit):
        text = f"must be equal to {name} limit of {limit}"
    elif parse(requested) > parse(limit):
        text = f"must be less than or equal to {name} limit of {limit}"
    else:
        return []
    return [fielderrors.invalid(f"{path}.requests", requested, text)]
