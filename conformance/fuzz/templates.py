"""Random pod templates: plain ones that differ by an image, and wild ones with any field of the version's PodSpec.

Templates come as the API server stores them: pruned, and with quantities in their canonical text.
"""

from __future__ import annotations

from random import Random
from typing import Any

from reference.api.conform import conform
from reference.api.objects import Json
from reference.api.schema import INT_OR_STRING, MICRO_TIME, POD_SPEC, POD_TEMPLATE, QUANTITY, RAW, TIME, Field, schema
from reference.versions import Version

IMAGES = ("registry.example/app:1", "registry.example/app:2", "registry.example/app:3")

_WORDS = (
    "",
    "a",
    "web",
    "x y",
    "a-b.c/d",
    "é",
    "日本",
    'a "quoted" word',
    "<&>",
    "two\nlines",
    "back\\slash",
    "0",
    "-",
)
_QUANTITIES = (
    "0",
    "1",
    "500m",
    "1500m",
    "0.1",
    "64Mi",
    "1Gi",
    "1.5Gi",
    "2k",
    "1e3",
    "100n",
    "12345678901234567890",
    "7Ei",
)
_MANY_PRESENT, _FEW_PRESENT = 0.3, 0.12
_LEFT_OUT = frozenset((TIME, MICRO_TIME, RAW))
"""Upstream's hash of a time depends on the machine, and raw data is in no pod template."""


class Templates:
    """Makes templates of one version."""

    def __init__(self, random: Random, version: Version) -> None:
        self._random = random
        self._version = version
        self._schema = schema(version)

    def plain(self, labels: Json) -> Json:
        """A template as most are, with one of three images."""
        container = {
            "name": "app",
            "image": self._random.choice(IMAGES),
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
        }
        spec = {
            "containers": [container],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "securityContext": {},
            "schedulerName": "default-scheduler",
        }
        return {"metadata": {"labels": labels}, "spec": spec}

    def wild(self, labels: Json) -> Json:
        """A template with any fields at all, filled as no validation would let pass."""
        spec = self._struct(POD_SPEC, _MANY_PRESENT) | {"containers": [self._struct("v1.Container", _FEW_PRESENT)]}
        metadata: Json = {"labels": labels}
        if self._random.random() < 0.3:
            metadata["annotations"] = {word: self._random.choice(_WORDS) for word in self._random.sample(_WORDS, 2)}
        if self._random.random() < 0.1:
            metadata["finalizers"] = ["example.com/hold"]
        return conform({"metadata": metadata, "spec": spec}, POD_TEMPLATE, self._version)

    def same_in_other_words(self, template: Json) -> Json:
        """A template that means the same: fields in another order, and zero values written out."""
        spec = {"hostNetwork": False, "nodeName": "", "volumes": [], "nodeSelector": {}, **template["spec"]}
        return {"metadata": template["metadata"], "spec": self._shuffled(spec)}

    def _shuffled(self, value: Any) -> Any:
        if isinstance(value, dict):
            keys = list(value)
            self._random.shuffle(keys)
            return {key: self._shuffled(value[key]) for key in keys}
        return [self._shuffled(one) for one in value] if isinstance(value, list) else value

    def _struct(self, name: str, present: float) -> Json:
        made = {}
        for key, field in self._schema.members(name).items():
            if field.type not in _LEFT_OUT and field.elem not in _LEFT_OUT and self._random.random() < present:
                made[key] = self._field(field)
        return made

    def _field(self, field: Field) -> Any:
        match field.kind:
            case "ptr":
                return self._value(field.elem, field.elem_kind)
            case "slice":
                return [self._value(field.elem, field.elem_kind) for _ in range(self._random.randint(0, 2))]
            case "map":
                keys = self._random.sample(_WORDS, self._random.randint(0, 2))
                return {key: self._value(field.elem, field.elem_kind) for key in keys}
        return self._value(field.type, field.kind)

    def _value(self, type_: str, kind: str) -> Any:
        random = self._random
        match type_, kind:
            case (type_, _) if type_ == QUANTITY:
                return random.choice(_QUANTITIES)
            case (type_, _) if type_ == INT_OR_STRING:
                return random.choice((0, 8080, "http", "25%"))
            case _, "struct":
                return self._struct(type_, _FEW_PRESENT)
            case _, "bool":
                return random.random() < 0.5
            case _, "string":
                return random.choice(_WORDS)
            case _, "uint8":
                return 0
        return random.choice((0, 1, 30, -1, 2**31 - 1, -(2**31)))
