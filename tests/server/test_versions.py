"""How the versions refuse one and the same request; ``make parity KUBERNETES=1.34`` asks real servers of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from reference.api.kinds import DEPLOYMENT
from reference.machinery.client import JSON_PATCH, MERGE, STRATEGIC_MERGE
from reference.server.front import Front
from reference.server.wire import Answer, Request
from reference.versions import VERSIONS
from tests.server.conftest import SPACE, User, deployment


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def front(version: str) -> Front:
    user = User(VERSIONS[version])
    user.create(DEPLOYMENT, deployment())
    return Front(user.server)


def _patched(front: Front, body: bytes | dict[str, Any], patch_type: str = MERGE, name: str = "web") -> Answer:
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return front.answer(Request("PATCH", DEPLOYMENT.path(SPACE, name), {}, content, patch_type))


def _fields(answer: Answer) -> Sequence[str]:
    return [cause["field"] for cause in answer.body["details"]["causes"]]


def test_each_check_tells_of_a_fault_until_1_36(front: Front, version: str) -> None:
    answer = _patched(front, {"metadata": {"labels": {"-": "x"}, "uid": "other"}})
    labels, uid = "metadata.labels", "metadata.uid"
    assert _fields(answer) == ([labels, uid] if version == "1.37" else [labels, uid, labels, uid, labels])
    assert answer.body["message"].count(labels) == answer.body["message"].count(uid) == 1


def test_owners_are_told_by_index_since_1_37(front: Front, version: str) -> None:
    owner = {"apiVersion": "a/b/c", "kind": "Pod", "name": "x", "uid": ""}
    answer = _patched(front, {"metadata": {"ownerReferences": [owner]}})
    path = "metadata.ownerReferences[0]" if version == "1.37" else "metadata.ownerReferences"
    assert [*dict.fromkeys(_fields(answer))] == [f"{path}.apiVersion", f"{path}.uid"]


@pytest.mark.parametrize(
    ("patch_type", "until_1_36"),
    [
        (MERGE, "error decoding patch: invalid character 'x' looking for beginning of value"),
        (STRATEGIC_MERGE, "invalid character 'x' looking for beginning of value"),
        (JSON_PATCH, "error decoding patch: invalid character 'x' looking for beginning of value"),
    ],
)
def test_a_patch_that_is_no_json(front: Front, version: str, patch_type: str, until_1_36: str) -> None:
    expected = "invalid JSON patch" if version == "1.37" else until_1_36
    assert _patched(front, b"x", patch_type).body["message"] == expected
    assert _patched(front, b"x", patch_type, "absent").code == (400 if version == "1.37" else 404)


def test_a_deletion_with_a_body_that_is_no_options_fails_in_1_34(front: Front, version: str) -> None:
    for body in (b"x", b'{"kind":"Other"}', b'{"gracePeriodSeconds":"3"}'):
        answer = front.answer(Request("DELETE", DEPLOYMENT.path(SPACE, "web"), {}, body))
        assert (answer.code, answer.body.get("reason")) == ((500, None) if version == "1.34" else (400, "BadRequest"))


def test_lengths_are_in_characters_in_1_34(front: Front, version: str) -> None:
    answer = _patched(front, {"metadata": {"labels": {"x": "a" * 64}}})
    unit = "characters" if version == "1.34" else "bytes"
    cause = answer.body["details"]["causes"][0]
    assert cause["message"].endswith(f"must be no more than 63 {unit}") and cause["message"] in answer.body["message"]
