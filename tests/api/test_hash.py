"""The pod-template-hash against upstream's: every golden template, collision count and version."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reference.api.hash import pod_template_hash, preimage
from reference.api.objects import PodTemplateSpec, from_json
from reference.versions import VERSIONS, version_named

_GOLDEN = Path(__file__).parents[1] / "golden" / "hash.json"
_RECORDED = VERSIONS["1.36"]


@cache
def _examples() -> list[dict[str, Any]]:
    examples: list[dict[str, Any]] = json.loads(_GOLDEN.read_bytes())["examples"]
    return examples


def _with(key: str) -> pytest.MarkDecorator:
    """Parametrises a test with the golden templates that have this key."""
    found = [example for example in _examples() if key in example]
    assert found, f"no golden template has {key}"
    return pytest.mark.parametrize("example", found, ids=[example["name"] for example in found])


def _hash(example: dict[str, Any], count: str, version: str, *, after_status_write: bool = False) -> str:
    template = from_json(example["defaulted"], PodTemplateSpec)
    collisions = None if count == "nil" else int(count)
    return pod_template_hash(template, collisions, version_named(version), after_status_write=after_status_write)


@_with("hash")
def test_each_collision_count_has_its_hash(example: dict[str, Any]) -> None:
    assert {count: _hash(example, count, "1.36") for count in example["hash"]} == example["hash"]


@_with("hashByVersion")
def test_each_version_has_its_hash(example: dict[str, Any]) -> None:
    wanted = example["hashByVersion"]
    found = {version: {count: _hash(example, count, version) for count in wanted[version]} for version in wanted}
    assert found == wanted


@_with("hashAfterStatusWrite")
def test_a_status_written_before_leaves_its_trace(example: dict[str, Any]) -> None:
    wanted = example["hashAfterStatusWrite"]
    assert {count: _hash(example, count, "1.36", after_status_write=True) for count in wanted} == wanted


@_with("preimage")
def test_the_text_that_is_hashed(example: dict[str, Any]) -> None:
    assert preimage(example["defaulted"], _RECORDED) == example["preimage"]


@_with("preimageLength")
def test_the_length_of_the_text(example: dict[str, Any]) -> None:
    assert len(preimage(example["defaulted"], _RECORDED).encode()) == example["preimageLength"]


def test_without_a_size_limit_a_status_written_before_leaves_none() -> None:
    example = next(one for one in _examples() if one["name"] == "minimal-nginx")
    assert _hash(example, "nil", "1.36", after_status_write=True) == example["hash"]["nil"]


def test_a_negative_collision_count_is_taken_as_unsigned() -> None:
    example = _examples()[0]
    assert _hash(example, "-1", "1.36") == _hash(example, str(2**32 - 1), "1.36")
