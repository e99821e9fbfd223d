"""The model gives the answers that a real API server gave, to the same manifests and patches."""

from __future__ import annotations

from typing import Any

import pytest

from reference.api.defaulting import default
from reference.api.errors import ApiError, invalid
from reference.api.kinds import DEPLOYMENT, kind_named
from reference.api.objects import Deployment, Json, from_json
from reference.api.patches import apply_patch
from reference.api.validation import validate_create, validate_update
from reference.versions import Version, version_named
from tests.api.recordings import NAME, Recording, changes, comparable, load, refusal


def _cases(recording: Recording, title: str) -> pytest.MarkDecorator:
    names = [f"{index}-{case[title]!r}"[:80] for index, case in enumerate(recording.cases)]
    return pytest.mark.parametrize("case", recording.cases, ids=names)


_VALIDATION, _PATCHES = load("validation"), load("patches")


def _place(document: Json) -> Json:
    return {**document, "metadata": {**document["metadata"], "namespace": "here"}}


def _created(document: Json, version: Version) -> Json:
    kind = kind_named(document["kind"])
    made = _place(default(kind, document, version))
    causes = validate_create(from_json(made, kind.type), version)
    if causes:
        raise invalid(kind, made["metadata"].get("name", ""), causes)
    return made


def _patched(before: Json, case: Json, version: Version) -> Json:
    after = _place(apply_patch(before, case["patch"], case["type"], DEPLOYMENT, version))
    causes = validate_update(from_json(after, Deployment), from_json(before, Deployment), version)
    if causes:
        raise invalid(DEPLOYMENT, NAME, causes)
    return after


@_cases(_VALIDATION, "document")
def test_manifests(case: dict[str, Any]) -> None:
    version = version_named(_VALIDATION.kubernetes)
    try:
        _created(case["document"], version)
        answer: Json = {"code": 201}
    except ApiError as error:
        answer = refusal(error)
    assert answer == case["answer"]


@_cases(_PATCHES, "patch")
def test_patches(case: dict[str, Any]) -> None:
    version = version_named(_PATCHES.kubernetes)
    before = _created(_PATCHES.base, version)
    try:
        after = _patched(before, case, version)
        answer: Json = {"code": 200, "changes": changes(comparable(before), comparable(after))}
    except ApiError as error:
        answer = refusal(error)
    assert answer == case["answer"]
