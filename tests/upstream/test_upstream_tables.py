"""The tables of upstream's API types that are kept are those that upstream's own types give."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.upstream import supported
from conformance.upstream.update import TABLES, print_table, table_file
from conformance.upstream.versions import Version


@pytest.mark.parametrize("version", supported(), ids=lambda version: version.minor)
@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_what_the_types_say(table: str, version: Version) -> None:
    assert table_file(table, version).read_text() == print_table(table, version), (
        "make them anew with `python -m conformance.upstream.update --tables`"
    )


@pytest.mark.parametrize("version", supported(), ids=lambda version: version.minor)
@pytest.mark.parametrize("table", TABLES)
def test_every_struct_that_a_field_holds_has_its_table(table: str, version: Version) -> None:
    structs = json.loads(table_file(table, version).read_text())["structs"]
    assert set(held_structs(structs)) - {"time.Location"} <= set(structs)


def test_merge_keys_are_told() -> None:
    structs = json.loads(table_file("types", supported()[-1]).read_text())["structs"]
    (containers,) = (field for field in structs["v1.PodSpec"] if field["go"] == "Containers")
    assert (containers["patchStrategy"], containers["patchMergeKey"]) == ("merge", "name")
    (conditions,) = (field for field in structs["v1.DeploymentStatus"] if field["go"] == "Conditions")
    assert (conditions["patchStrategy"], conditions["patchMergeKey"]) == ("merge", "type")


def held_structs(structs: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    for fields in structs.values():
        for field in fields:
            if field["kind"] == "struct":
                yield field["type"]
            elif field.get("elemKind") == "struct":
                yield field["elem"]
