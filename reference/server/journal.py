"""A log of writes as JSON: who asked for what, and what came of it. Two runs that are equal have equal journals."""

from __future__ import annotations

from typing import Any

import msgspec

from reference.api.errors import ApiError
from reference.api.objects import Json
from reference.server.server import Write


def told(write: Write) -> Json:
    """One write: time, actor, verb, path, body, and the resourceVersion after it or the refusal."""
    call = write.call
    document: Json = {
        "time": write.time,
        "actor": write.actor,
        "verb": call.verb,
        "path": call.kind.path(call.namespace, call.name, call.subresource),
        "body": call.body,
    }
    return msgspec.json.decode(msgspec.json.encode(document | _outcome(write.outcome)))  # type: ignore[no-any-return]


def _outcome(outcome: Any) -> Json:
    if isinstance(outcome, ApiError):
        return {"code": outcome.code, "reason": outcome.reason, "message": outcome.message}
    if outcome is None:
        return {}
    return {"name": outcome.metadata.name, "resourceVersion": outcome.metadata.resource_version}
