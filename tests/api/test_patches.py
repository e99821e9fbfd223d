"""Patches: the laws of merging, and what is refused before anything is merged. The rest is recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.api.defaulting import default
from reference.api.errors import ApiError
from reference.api.json_patch import json_patch
from reference.api.kinds import DEPLOYMENT
from reference.api.objects import Json
from reference.api.patches import JSON_PATCH, MERGE, STRATEGIC_MERGE, apply_patch, merge_patch
from reference.api.schema import schema
from reference.api.strategic import strategic_merge
from reference.versions import LATEST

_names = st.sampled_from(["a", "b", "c"])
_scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "x"]))
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3), max_leaves=8
)
_objects = st.dictionaries(_names, _values, max_size=3)
_variables = st.lists(
    st.builds(lambda name, value: {"name": name, "value": value}, _names, st.sampled_from("123")),
    unique_by=lambda variable: variable["name"],
    max_size=3,
)

_STORED = default(
    DEPLOYMENT,
    {
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"template": {"spec": {"containers": [{"name": "c", "image": "app:1"}]}}},
    },
    LATEST,
)


@given(_objects)
def test_the_empty_merge_patch_changes_nothing(target: Json) -> None:
    assert merge_patch(target, {}) == target


@given(_objects, _objects)
def test_a_merge_patch_twice_is_once(target: Json, patch: Json) -> None:
    once = merge_patch(target, patch)
    assert merge_patch(once, patch) == once


@given(_objects, _objects)
def test_a_merge_patch_changes_neither_of_its_arguments(target: Json, patch: Json) -> None:
    before = json.dumps([target, patch])
    merge_patch(target, patch)
    assert json.dumps([target, patch]) == before


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "foo"}, None, None),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_examples_of_rfc_7396(target: Any, patch: Any, result: Any) -> None:
    assert merge_patch(target, patch) == result


def _container(**members: Any) -> Json:
    return {"name": "c", **members}


def _merged(original: Json, patch: Json) -> Json:
    return strategic_merge(original, patch, "v1.Container", schema())


@given(_variables, _variables)
def test_a_strategic_merge_keeps_one_element_a_key(original: list[Json], patch: list[Json]) -> None:
    merged = _merged(_container(env=original), _container(env=patch)).get("env", [])
    names = [variable["name"] for variable in merged]
    assert sorted(names) == sorted({variable["name"] for variable in (*original, *patch)})
    assert all(variable in merged for variable in patch)


@given(_variables, _variables)
def test_a_strategic_merge_twice_is_once(original: list[Json], patch: list[Json]) -> None:
    once = _merged(_container(env=original), _container(env=patch))
    assert _merged(once, _container(env=patch)) == once


@given(_variables, _variables)
def test_a_strategic_merge_changes_neither_of_its_arguments(original: list[Json], patch: list[Json]) -> None:
    arguments = _container(env=original), _container(env=patch)
    before = json.dumps(arguments)
    _merged(*arguments)
    assert json.dumps(arguments) == before


@given(_variables, st.permutations(["a", "b", "c"]))
def test_the_order_that_a_patch_sets(original: list[Json], order: list[str]) -> None:
    patch = {"$setElementOrder/env": [{"name": name} for name in order]}
    names = [variable["name"] for variable in _merged(_container(env=original), patch)["env"]]
    assert names == [name for name in order if name in names]


@given(_objects, st.sampled_from(["a", "b"]), _values)
def test_what_a_json_patch_adds_it_can_test_and_remove(target: Json, name: str, value: Any) -> None:
    path = f"/{name}"
    added = json_patch(
        target, [{"op": "add", "path": path, "value": value}, {"op": "test", "path": path, "value": value}]
    )
    assert added == {**target, name: value}
    assert json_patch(added, [{"op": "remove", "path": path}]) == {k: v for k, v in target.items() if k != name}


def test_a_json_patch_is_all_or_nothing() -> None:
    target = {"a": [1]}
    with pytest.raises(ApiError):
        json_patch(target, [{"op": "add", "path": "/a/-", "value": 2}, {"op": "test", "path": "/a/0", "value": True}])
    assert target == {"a": [1]}


@pytest.mark.parametrize(
    ("patch_type", "patch", "code", "message"),
    [
        (STRATEGIC_MERGE, [], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        (STRATEGIC_MERGE, "x", 400, "json: cannot unmarshal string into Go value of type map[string]interface {}"),
        (
            MERGE,
            5,
            400,
            "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}",
        ),
        (MERGE, None, 400, "Invalid JSON Patch"),
        (
            JSON_PATCH,
            {},
            400,
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
        (
            JSON_PATCH,
            [1],
            400,
            "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
        ),
        (
            "text/plain",
            {},
            415,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json",
        ),
    ],
)
def test_what_is_no_patch(patch_type: str, patch: Any, code: int, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        apply_patch(_STORED, patch, patch_type, DEPLOYMENT, LATEST)
    assert (caught.value.code, caught.value.message) == (code, message)


@pytest.mark.parametrize("patch_type", [STRATEGIC_MERGE, MERGE])
def test_the_empty_patch_changes_nothing(patch_type: str) -> None:
    assert json.dumps(apply_patch(_STORED, {}, patch_type, DEPLOYMENT, LATEST)) == json.dumps(_STORED)


def test_defaults_are_in() -> None:
    patch = {"spec": {"strategy": {"rollingUpdate": None}}}
    assert apply_patch(_STORED, patch, STRATEGIC_MERGE, DEPLOYMENT, LATEST) == _STORED


def test_the_result_is_of_the_objects_kind() -> None:
    made = apply_patch({**_STORED, "kind": "Deployment"}, {"kind": "Job"}, STRATEGIC_MERGE, DEPLOYMENT, LATEST)
    assert made["kind"] == "Deployment"
    with pytest.raises(ApiError, match='no kind "Job" is registered for version "apps/v1"'):
        apply_patch(_STORED, {"kind": "Job"}, MERGE, DEPLOYMENT, LATEST)
