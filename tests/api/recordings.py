"""What a real API server answered: manifests that it refused or took, and patches.

``recorded/validation.json`` and ``recorded/patches.json`` hold the questions and the answers; the tests beside this
module ask the model the same. To ask a real control plane again, and write its answers down::

    python -m tests.api.recordings
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from conformance.targets.local import LocalTarget
from conformance.targets.protocol import Session
from reference.api.errors import ApiError
from reference.api.kinds import DEPLOYMENT, kind_named
from reference.api.objects import Json
from reference.machinery.client import PatchType

NAME = "web"
_FILES = Path(__file__).parent / "recorded"
_SERVERS_OWN = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "namespace")
_PATCHED_OBJECT = re.compile(r'Invalid value: "\{.*\}": ', re.DOTALL)


class Recording(msgspec.Struct):
    """One file: the version that answered, what all patches are applied to, and the cases."""

    kubernetes: str
    cases: list[Json]
    base: Json = {}


def load(name: str) -> Recording:
    return msgspec.json.decode((_FILES / f"{name}.json").read_bytes(), type=Recording)


def refusal(error: ApiError) -> Json:
    """An error as recordings hold it. The text of a patched object is left out: it has the server's own times."""
    causes = [[cause.field, cause.reason, cause.message] for cause in error.causes if cause.field != "patch"]
    message = _PATCHED_OBJECT.sub('Invalid value: "…": ', error.message)
    return {"code": error.code, "reason": error.reason, "message": message} | ({"causes": causes} if causes else {})


def changes(before: Json, after: Json, path: str = "") -> Json:
    """The members that differ, by path, with their new value; null for what is gone."""
    found: Json = {}
    for name in sorted({**before, **after}):
        at = f"{path}.{name}" if path else name
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            found |= changes(old, new, at)
        elif old != new:
            found[at] = new
    return found


def comparable(obj: Json) -> Json:
    """An object without what the server alone decides."""
    metadata = {name: value for name, value in obj["metadata"].items() if name not in _SERVERS_OWN}
    return {"metadata": metadata, "spec": obj["spec"]}


def _record() -> None:
    target = LocalTarget()
    target.start()
    try:
        with target.session("recordings of the API server") as session:
            _write("validation", target.kubernetes, lambda recording: _record_validation(session, recording))
            _write("patches", target.kubernetes, lambda recording: _record_patches(session, recording))
    finally:
        target.stop()


def _write(name: str, kubernetes: str, fill: Callable[[Recording], None]) -> None:
    recording = load(name)
    recording.kubernetes = kubernetes
    fill(recording)
    lines = ",\n".join(msgspec.json.encode(case).decode() for case in recording.cases)
    base = f'"base":{msgspec.json.encode(recording.base).decode()},\n' if recording.base else ""
    text = f'{{"kubernetes":"{kubernetes}",\n{base}"cases":[\n{lines}\n]}}\n'
    (_FILES / f"{name}.json").write_text(text, encoding="utf-8")


def _record_validation(session: Session, recording: Recording) -> None:
    for case in recording.cases:
        kind = kind_named(case["document"]["kind"])
        try:
            made = session.create(kind, case["document"])
            session.delete(kind, made["metadata"]["name"])
            session.settle()
            case["answer"] = {"code": 201}
        except ApiError as error:
            case["answer"] = refusal(error)


def _record_patches(session: Session, recording: Recording) -> None:
    session.create(DEPLOYMENT, recording.base)
    session.settle()
    for case in recording.cases:
        session.update(DEPLOYMENT, NAME, recording.base)
        before = comparable(session.get(DEPLOYMENT, NAME))
        patch_type: PatchType = case["type"]
        try:
            after = session.patch(DEPLOYMENT, NAME, case["patch"], patch_type)
            case["answer"] = {"code": 200, "changes": changes(before, comparable(after))}
        except ApiError as error:
            case["answer"] = refusal(error)


if __name__ == "__main__":
    _record()
