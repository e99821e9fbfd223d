"""Makes pod templates: most fields right, some wrong, any field of the version's types.

A template has a few members of its spec, each filled to the bottom; what they refer to by name (volumes, claims,
containers) has few names, so that references are met as often as missed.
"""

from __future__ import annotations

from random import Random
from typing import Any

from reference.api.objects import Json
from reference.api.schema import MICRO_TIME, POD_SPEC, RAW, TIME, Field, schema
from reference.versions import Version
from tests.parity.templates.values import (
    ANNOTATIONS,
    BY_FIELD,
    BY_NAME,
    BY_TYPE,
    CLAIM_KEYS,
    MAP_KEYS,
    MAP_VALUES,
    Pool,
)

_RIGHT = 0.85
"""How often a field holds what is right."""
_LEFT_OUT = frozenset((TIME, MICRO_TIME, RAW, "v1.OwnerReference", "v1.ManagedFieldsEntry"))
_ONE_OF = frozenset(
    ("v1.VolumeSource", "v1.VolumeProjection", "v1.ProbeHandler", "v1.LifecycleHandler", "v1.EnvVarSource")
)
"""Structs of which one member is set, as a rule."""
_NEVER_EMPTY = frozenset(
    (
        *("claims", "ports", "resizePolicy", "restartPolicyRules", "supplementalGroups", "finalizers", "add", "drop"),
        *("ownerReferences", "managedFields"),
    )
)
"""Lists of which the server tells an empty one from one that is not there, as the README's limits say."""
_CONTAINER_LISTS = ("containers", "initContainers")


class Templates:
    """Templates of one version, made of one seed."""

    def __init__(self, random: Random, version: Version) -> None:
        self._random = random
        self._schema = schema(version)

    def template(self) -> Json:
        """A pod template: labels, perhaps annotations, and a spec."""
        metadata: Json = {"labels": {"app": "web"}}
        if self._chance(0.15):
            keys = self._random.sample(sorted(ANNOTATIONS), self._random.randint(1, 2))
            metadata["annotations"] = {key: self._pick(ANNOTATIONS[key]) for key in keys}
        return {"metadata": metadata, "spec": self.spec()}

    def spec(self) -> Json:
        random = self._random
        members = dict(self._schema.members(POD_SPEC))
        spec: Json = {"containers": [self._container("main")]}
        names = [name for name in members if name != "containers"]
        for name in random.sample(names, random.randint(0, 4)):
            spec[name] = self._field(POD_SPEC, name, members[name])
        if self._chance(0.5):
            spec["volumes"] = [self._struct("v1.Volume") for _ in range(random.randint(1, 3))]
        if self._chance(0.25):
            spec["containers"].append(self._container("side"))
        if self._chance(0.25):
            spec["initContainers"] = [self._container("first")]
        if self._chance(0.02):
            del spec["containers"]
        return spec

    def _container(self, name: str) -> Json:
        """A plain container with a few members more."""
        members = self._schema.members("v1.Container")
        made: Json = {"name": name, "image": "app:1"}
        for member in self._random.sample(sorted(members), self._random.choice((0, 1, 1, 2, 3))):
            if member not in ("name", "image") or self._chance(0.2):
                made[member] = self._field("v1.Container", member, members[member])
        return made

    def _struct(self, struct: str) -> Json:
        made: Json = {}
        for field in self._schema.fields(struct):
            if field.inline:
                made |= self._struct(field.type)
        own = [field for field in self._schema.fields(struct) if not field.inline and field.json not in ("", "-")]
        own = [field for field in own if not ({field.type, field.elem} & _LEFT_OUT)]
        if struct in _ONE_OF:
            own = self._random.sample(own, self._random.choice((0, 1, 1, 1, 1, 1, 1, 1, 2)))
            present = 1.0
        else:
            present = max(0.25, min(0.7, 2.5 / max(len(own), 1)))
        for field in own:
            if self._random.random() < (present if struct in _ONE_OF or field.omitempty else 0.92):
                made[field.json] = self._field(struct, field.json, field)
        return made

    def _field(self, struct: str, name: str, field: Field) -> Any:
        pool = self._pool(struct, name, field)
        match field.kind:
            case "ptr":
                return self._pick(pool) if pool else self._struct(field.elem)
            case "slice" if name in _CONTAINER_LISTS:
                return [self._container(self._pick(BY_FIELD["v1.Container.name"]))]
            case "slice":
                length = self._random.choice((1 if name in _NEVER_EMPTY else 0, 1, 1, 1, 2, 2, 3))
                if name in ("nameservers", "searches") and self._chance(0.1):
                    length = self._random.choice((4, 33))
                return [self._pick(pool) if pool else self._struct(field.elem) for _ in range(length)]
            case "map":
                return self._map(struct, name, field)
        return self._pick(pool) if pool else self._struct(field.type)

    def _map(self, struct: str, name: str, field: Field) -> Json:
        keys = CLAIM_KEYS if struct == "v1.VolumeResourceRequirements" else MAP_KEYS.get(name, MAP_KEYS["options"])
        values = MAP_VALUES.get(name, BY_TYPE[field.elem])
        return {self._pick(keys): self._pick(values) for _ in range(self._random.choice((1, 1, 2)))}

    def _pool(self, struct: str, name: str, field: Field) -> Pool | None:
        """The values of a field, or of what it holds; None for a struct."""
        type_ = field.elem if field.kind in ("ptr", "slice", "map") else field.type
        kind = field.elem_kind if field.kind in ("ptr", "slice", "map") else field.kind
        if kind == "struct" and type_ not in BY_TYPE:
            return None
        by_type = BY_TYPE.get(type_, BY_TYPE.get(kind, BY_TYPE["string"]))
        found = BY_FIELD.get(f"{struct}.{name}")
        if found is None and (type_ not in BY_TYPE or type_ in ("string", "int32", "int64")):
            found = BY_NAME.get(name)
        return found if found and found[0] else by_type

    def _pick(self, pool: Pool) -> Any:
        right, wrong = pool
        return self._random.choice(right if self._chance(_RIGHT) or not wrong else wrong)

    def _chance(self, often: float) -> bool:
        return self._random.random() < often
