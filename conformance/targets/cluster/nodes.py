"""Pods that nodes run: what has to be different in their templates, so that scenarios need not know.

A scenario's images (``app:2``) exist nowhere. So what is sent has one real image in their place, and the scenario's in
a variable of the container's environment, which makes the templates as different as they were; and what comes back is
turned round again. A Pod that is to linger sleeps before it stops: its finalizer alone would keep the object, and not
the containers.

Scenarios have deadlines of a few seconds, and a node needs as long to start a container. So such deadlines are five
times as long there, and what a scenario waits as well.

Source: container lifecycle hooks (``preStop.sleep``, Kubernetes 1.34 and later), termination of Pods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.manifests import LINGER
from reference.api.objects import Json

DEFAULT_IMAGE = "registry.k8s.io/pause:3.10"
_IN_PLACE_OF = "CONFORMANCE_IMAGE"
_LINGERS = 3600
_DEFAULT_GRACE = 30
_SHORT_TIMES = range(1, 11)
"""Seconds that are too short where nodes run the Pods."""
_TIMES = ("minReadySeconds", "progressDeadlineSeconds")
_SLEEP: Json = {"preStop": {"sleep": {"seconds": _LINGERS}}}


class Wardrobe:
    """Turns what scenarios send into what nodes can run, and back. ``image`` is there to be pulled, and stays up."""

    slowness = 5
    """How many times as long a short time is."""

    def __init__(self, image: str) -> None:
        self.image = image
        self._lengthened: dict[int, int] = {}
        """What was sent instead of which short time."""

    def dress(self, body: Any) -> Any:
        """A manifest or a patch, on its way to the server."""
        return _walk(body, self._dress_container, _slow_down, self._lengthen)

    def undress(self, answer: Any) -> Any:
        """An object or a list, on its way back."""
        return _walk(answer, _undress_container, _speed_up, self._shorten)

    def lengthened(self, body: Any) -> float:
        """The shortest time of what is sent that is longer than it was, in seconds; 0 if none is."""
        longer: list[int] = []

        def look(spec: Json) -> Json:
            longer.extend(it for key, it in self._lengthen(spec).items() if key in _TIMES and it != spec[key])
            return spec

        _walk(body, _same, _same, look)
        return min(longer, default=0)

    def _lengthen(self, spec: Json) -> Json:
        ready, deadline = (spec.get(key) for key in _TIMES)
        if ready is not None and ready == deadline:  # which the server refuses, and says what it was sent
            return spec
        longer = {key: spec[key] * self.slowness for key in _TIMES if spec.get(key) in _SHORT_TIMES}
        self._lengthened |= {value: value // self.slowness for value in longer.values()}
        return {**spec, **longer}

    def _shorten(self, spec: Json) -> Json:
        return {**spec, **{key: self._lengthened.get(spec[key], spec[key]) for key in _TIMES if key in spec}}

    def _dress_container(self, container: Json) -> Json:
        if "image" not in container:
            return container
        variable = {"name": _IN_PLACE_OF, "value": container["image"]}
        return {**container, "image": self.image, "env": [*container.get("env", ()), variable]}


def _undress_container(container: Json) -> Json:
    variables = container.get("env", ())
    meant = [each["value"] for each in variables if each["name"] == _IN_PLACE_OF]
    if not meant:
        return container
    rest = [each for each in variables if each["name"] != _IN_PLACE_OF]
    return {key: value for key, value in {**container, "image": meant[0], "env": rest}.items() if value != []}


_Turn = Callable[[Json], Json]


def _same(part: Json) -> Json:
    return part


def _walk(value: Any, container: _Turn, template: _Turn, times: _Turn) -> Any:
    """All that is in ``value``, with its containers, what has a Pod's metadata and spec, and what has times, turned."""
    if isinstance(value, list):
        return [_walk(each, container, template, times) for each in value]
    if not isinstance(value, dict):
        return value
    turned = {
        key: [container(each) for each in it]
        if key == "containers" and isinstance(it, list)
        else _walk(it, container, template, times)
        for key, it in value.items()
    }
    if any(isinstance(turned.get(key), int) for key in _TIMES):
        turned = times(turned)
    return template(turned) if _lingers(turned) else turned


def _lingers(obj: Json) -> bool:
    metadata, spec = obj.get("metadata"), obj.get("spec")
    return (
        isinstance(metadata, dict)
        and isinstance(spec, dict)
        and "containers" in spec
        and LINGER in (metadata.get("finalizers") or ())
    )


def _slow_down(template: Json) -> Json:
    containers = [{**each, "lifecycle": _SLEEP} for each in template["spec"]["containers"]]
    spec = {**template["spec"], "containers": containers, "terminationGracePeriodSeconds": _LINGERS}
    return {**template, "spec": spec}


def _speed_up(template: Json) -> Json:
    if template["spec"].get("terminationGracePeriodSeconds") != _LINGERS:
        return template
    containers = [
        {key: value for key, value in each.items() if key != "lifecycle"} for each in template["spec"]["containers"]
    ]
    spec = {**template["spec"], "containers": containers, "terminationGracePeriodSeconds": _DEFAULT_GRACE}
    return {**template, "spec": spec}


def waiting_for(pods: Sequence[Json]) -> str:
    """Why a Pod's containers do not run, as its node says; empty if none says so."""
    for pod in pods:
        for status in pod.get("status", {}).get("containerStatuses", ()):
            waiting = status.get("state", {}).get("waiting", {})
            if waiting:
                return f"{waiting.get('reason', 'waiting')}: {waiting.get('message', '')}".rstrip(": ")
        for condition in pod.get("status", {}).get("conditions", ()):
            if condition["type"] == "PodScheduled" and condition["status"] == "False":
                return f"{condition.get('reason', 'not scheduled')}: {condition.get('message', '')}".rstrip(": ")
    return ""
