"""The types of objects beside the server's own: a field that is missing here would be dropped without a word."""

from __future__ import annotations

import msgspec
import pytest

from reference.api import objects
from reference.api.objects import Value
from reference.api.schema import schema
from reference.versions import VERSIONS, Version

_OF_THE_TYPE = {"kind", "apiVersion"}
_TYPES = [
    type_
    for type_ in vars(objects).values()
    if isinstance(type_, type) and issubclass(type_, Value) and type_ is not Value
]


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
@pytest.mark.parametrize("type_", _TYPES, ids=lambda type_: type_.__name__)
def test_a_type_has_every_field_of_the_servers(type_: type[Value], version: Version) -> None:
    tables = schema(version)
    wanted = list(tables.members(f"v1.{type_.__name__}"))

    ours = [name for name in type_.__struct_encode_fields__ if name not in _OF_THE_TYPE]

    assert set(wanted) - _OF_THE_TYPE <= set(ours)


@pytest.mark.parametrize("type_", _TYPES, ids=lambda type_: type_.__name__)
def test_a_type_has_no_other_fields_in_the_newest_version(type_: type[Value]) -> None:
    tables = schema()
    known = list(tables.members(f"v1.{type_.__name__}"))

    assert [name for name in type_.__struct_encode_fields__ if name not in known and name not in _OF_THE_TYPE] == []


def test_there_are_all_the_types() -> None:
    assert len(_TYPES) > 25
    assert all(msgspec.structs.fields(type_) for type_ in _TYPES)
