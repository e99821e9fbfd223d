"""What the API server finds wrong with resource requests, limits and claims, of a container or of a whole Pod.

Source: upstream ``pkg/apis/core/validation`` and ``pkg/apis/core/helper``, component-helpers ``resource``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from reference.api import fielderrors, formats
from reference.api.checks import written_as
from reference.api.errors import Cause
from reference.api.fielderrors import Word
from reference.api.objects import Json
from reference.api.quantity import Quantity, QuantityError, parse, total

_OF_CONTAINERS = ("cpu", "memory", "ephemeral-storage")
_COUNTED = (
    *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"),
    *("persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
)
_STANDARD = (
    *_OF_CONTAINERS,
    *(f"{kind}.{name}" for kind in ("requests", "limits") for name in _OF_CONTAINERS),
    *_COUNTED,
    *("storage", "requests.storage"),
)
_HUGE_PAGES = "hugepages-"
_OF_PODS = ("cpu", _HUGE_PAGES, "memory")

_Name = Callable[[str, str], list[Cause]]
"""What is wrong with the name of a resource, at a path."""


def resource_causes(resources: Json, path: str, claims: Collection[str] = ()) -> list[Cause]:
    """What is wrong with the resources of a container; ``claims`` are the names of its Pod's claims."""
    return _resources(resources, path, claims, _container_name)


def pod_resource_causes(spec: Json, path: str, claims: Collection[str]) -> list[Cause]:
    """What is wrong with the resources of a whole Pod, in themselves and beside those of its containers."""
    if "resources" not in spec:
        return []
    resources, path = spec["resources"], f"{path}.resources"
    if spec.get("os", {}).get("name") == "windows":
        return [fielderrors.forbidden(path, "may not be set for a windows pod")]
    causes = []
    if "claims" in resources:
        causes.append(fielderrors.forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level"))
    return causes + _resources(resources, path, claims, _pod_name) + _beside_containers(spec, path)


def _resources(resources: Json, path: str, claims: Collection[str], check_name: _Name) -> list[Cause]:
    causes: list[Cause] = []
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    for name in sorted(limits):
        causes += _entry(name, limits[name], f"{path}.limits[{name}]", check_name)
        causes += _pages(name, limits[name], f"{path}.limits[{name}]")
    for name in sorted(requests):
        causes += _entry(name, requests[name], f"{path}.requests[{name}]", check_name)
        causes += _within_limit(name, requests[name], limits.get(name), path)
        causes += _pages(name, requests[name], f"{path}.requests[{name}]")
    named = [*limits, *requests]
    if any(map(is_huge, named)) and "cpu" not in named and "memory" not in named:
        causes.append(fielderrors.forbidden(path, "HugePages require cpu or memory"))
    return causes + _claims(resources.get("claims", ()), claims, f"{path}.claims")


def is_huge(name: str) -> bool:
    """Whether a resource is a size of huge pages."""
    return name.startswith(_HUGE_PAGES)


def overcommits(name: str) -> bool:
    """Whether more of a resource may be used than is requested."""
    return _is_native(name) and not is_huge(name)


def for_pods(name: str) -> bool:
    """Whether a resource may be given to a whole Pod."""
    return name in ("cpu", "memory") or is_huge(name)


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_extended(name: str) -> bool:
    if _is_native(name) or name.startswith("requests."):
        return False
    return not formats.qualified_name(f"requests.{name}")


def _known_name(name: str, path: str) -> list[Cause]:
    causes = [fielderrors.invalid(path, Word(name), fault) for fault in formats.qualified_name(name)]
    if causes or "/" in name or name in _STANDARD or name.startswith((_HUGE_PAGES, f"requests.{_HUGE_PAGES}")):
        return causes
    return [fielderrors.invalid(path, Word(name), "must be a standard resource type or fully qualified")]


def _container_name(name: str, path: str) -> list[Cause]:
    causes = _known_name(name, path)
    if "/" not in name:
        if name not in _OF_CONTAINERS and not is_huge(name):
            causes.append(fielderrors.invalid(path, Word(name), "must be a standard resource for containers"))
    elif not _is_native(name) and not _is_extended(name):
        causes.append(fielderrors.invalid(path, Word(name), "doesn't follow extended resource name standard"))
    return causes


def _pod_name(name: str, path: str) -> list[Cause]:
    causes = _known_name(name, path)
    if causes or for_pods(name):
        return causes
    return [fielderrors.not_supported(path, Word(name), _OF_PODS)]


def _entry(name: str, text: str, path: str, check_name: _Name) -> list[Cause]:
    causes, value = check_name(name, path), parse(text)
    if value.sign < 0:
        causes.append(fielderrors.invalid(path, text, "must be greater than or equal to 0"))
    if (name in _COUNTED or _is_extended(name)) and not value.seems_integer():
        causes.append(fielderrors.invalid(path, text, "must be an integer"))
    return causes


def _pages(name: str, text: str, path: str) -> list[Cause]:
    if not is_huge(name) or _is_whole(parse(text), name.removeprefix(_HUGE_PAGES)):
        return []
    return [fielderrors.invalid(path, text, f"{text} is not positive integer multiple of {name}")]


def _is_whole(amount: Quantity, size: str) -> bool:
    """Whether an amount of huge pages is a number of them; none is one, too."""
    try:
        page = parse(size)
    except QuantityError:
        return False
    return page.sign > 0 and page.is_integer() and amount.value() % page.value() == 0


def _within_limit(name: str, requested: str, limit: str | None, path: str) -> list[Cause]:
    if limit is None:
        if overcommits(name):
            return []
        return [fielderrors.required(f"{path}.limits", "Limit must be set for non overcommitable resources")]
    if not overcommits(name) and parse(requested) != parse(limit):
        text = f"must be equal to {name} limit of {limit}"
    elif parse(requested) > parse(limit):
        text = f"must be less than or equal to {name} limit of {limit}"
    else:
        return []
    return [fielderrors.invalid(f"{path}.requests", requested, text)]


def _claims(used: Sequence[Json], known: Collection[str], path: str) -> list[Cause]:
    """Each claim whole, or requests of it, and nothing twice."""
    causes: list[Cause] = []
    seen: list[str] = []
    for index, claim in enumerate(used):
        at, name, request = f"{path}[{index}]", claim["name"], claim.get("request", "")
        if not name:
            causes.append(fielderrors.required(at))
            continue
        if name in seen:
            causes.append(fielderrors.duplicate(at, name))
        else:
            key = f"{name}/{request}" if request else name
            if request:
                causes += written_as(f"{at}.request", request, formats.dns_label)
            if key in seen:
                causes.append(fielderrors.duplicate(at, key))
            elif not request:
                causes += [fielderrors.duplicate(at, name) for one in seen if one.startswith(f"{name}/")]
            if key not in seen:
                seen.append(key)
        if name not in known:
            listed = f": {', '.join(sorted(known))}" if known else " which is empty"
            text = f"must be one of the names in pod.spec.resourceClaims{listed}"
            causes.append(fielderrors.not_found(at, name, text))
    return causes


def _beside_containers(spec: Json, path: str) -> list[Cause]:
    requests, limits = spec["resources"].get("requests", {}), spec["resources"].get("limits", {})
    causes: list[Cause] = []
    for name, amount in aggregate(spec, "requests").items():
        if name in requests and amount > parse(requests[name]):
            text = f"must be greater than or equal to aggregate container requests of {amount.canonical()}"
            causes.append(fielderrors.invalid(f"{path}.requests[{name}]", requests[name], text))
    for name, amount in aggregate(spec, "limits").items():
        if is_huge(name) and name in limits and amount > parse(limits[name]):
            text = f"must be greater than or equal to aggregate container limits of {amount.canonical()}"
            causes.append(fielderrors.invalid(f"{path}.limits[{name}]", limits[name], text))
    for index, container in enumerate(spec.get("containers", ())):
        for name, limit in container["resources"].get("limits", {}).items():
            if name in limits and parse(limit) > parse(limits[name]):
                text = f"must be less than or equal to pod limits of {limits[name]}"
                causes.append(fielderrors.invalid(f"{path}.containers[{index}][{name}].limits", limit, text))
    return causes


def aggregate(spec: Json, kind: str) -> dict[str, Quantity]:
    """What all containers have of each resource at most at one time: ``requests`` or ``limits``."""
    running: dict[str, Quantity] = {}
    for container in spec.get("containers", ()):
        _add(running, _amounts(container, kind))
    sidecars: dict[str, Quantity] = {}
    starting: dict[str, Quantity] = {}
    for container in spec.get("initContainers", ()):
        amounts = _amounts(container, kind)
        if container.get("restartPolicy") == "Always":
            _add(running, amounts)
            _add(sidecars, amounts)
            _raise(starting, sidecars)
        else:
            _add(amounts, sidecars)
            _raise(starting, amounts)
    _raise(running, starting)
    return dict(sorted(running.items()))


def _amounts(container: Json, kind: str) -> dict[str, Quantity]:
    return {name: parse(text) for name, text in container["resources"].get(kind, {}).items()}


def _add(amounts: dict[str, Quantity], more: dict[str, Quantity]) -> None:
    for name, amount in more.items():
        amounts[name] = total(amounts[name], amount) if name in amounts else amount


def _raise(amounts: dict[str, Quantity], others: dict[str, Quantity]) -> None:
    for name, amount in others.items():
        if name not in amounts or amount > amounts[name]:
            amounts[name] = amount
