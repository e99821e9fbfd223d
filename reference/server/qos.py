"""A Pod's quality-of-service class, which the server writes into the status of each new Pod.

Source: upstream ``pkg/apis/core/v1/helper/qos``, for Pods without pod-level resources.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec
from msgspec import Raw

from reference.api.objects import Value
from reference.api.quantity import parse, text_of

_COUNTED = ("cpu", "memory")

_Quantities = dict[str, tuple[int, int]]


class _Resources(Value, frozen=True):
    requests: Mapping[str, str | int | float] = {}
    limits: Mapping[str, str | int | float] = {}


class _Container(Value, frozen=True):
    resources: _Resources = _Resources()


class _Spec(Value, frozen=True):
    resources: _Resources | None = None
    containers: tuple[_Container, ...] = ()
    init_containers: tuple[_Container, ...] = ()


def qos_class(spec: Raw) -> str:
    """``Guaranteed`` if every container's CPU and memory is limited to what it requests, ``BestEffort`` if none asks
    for either, else ``Burstable``.
    """
    return _qos_class(bytes(spec))


@lru_cache(maxsize=1024)
def _qos_class(spec: bytes) -> str:
    decoded = msgspec.json.decode(spec, type=_Spec)
    if decoded.resources is not None and (decoded.resources.requests or decoded.resources.limits):
        each = [decoded.resources]
    else:
        each = [container.resources for container in (*decoded.containers, *decoded.init_containers)]
    requests = [_counted(resources.requests) for resources in each]
    limits = [_counted(resources.limits) for resources in each]
    if not any(requests) and not any(limits):
        return "BestEffort"
    if all(set(limit) == set(_COUNTED) for limit in limits) and requests == limits:
        return "Guaranteed"
    return "Burstable"


def _counted(quantities: Mapping[str, str | int | float]) -> _Quantities:
    numbers = {name: parse(text_of(quantities[name])).number() for name in _COUNTED if name in quantities}
    return {name: number for name, number in numbers.items() if number[0] > 0}
