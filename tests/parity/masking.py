"""Answers without what no two servers share: who they are, what they count, when they were.

A uid, a resourceVersion, the token of a page and a made-up name each become the number under which the dialogue met
them first. So two answers are equal only if the same things changed, and the same stayed.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from reference.api.objects import Json
from reference.server.wire import Answer, Request

_TIMES = frozenset(("creationTimestamp", "deletionTimestamp"))
_BY_THE_SERVER = "SchedulingGated"
"""The reason of a condition that the server writes itself."""
_DROPPED = ("managedFields", "retryAfterSeconds")
_REFERENCE = re.compile(r"(uid|rv|list|continue|name)#\d+")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TOKEN_VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}")
_PATCHED_OBJECT = re.compile(r'Invalid value: "(\{.*?\})?": ', re.DOTALL)
_MADE_UP = re.compile(r"\b(G|g-|a{58})[bcdfghjklmnpqrstvwxz2456789]{5}\b")
_DIFF = re.compile(r"\n@@ .*?(?=\]?\Z)", re.DOTALL)
"""What an error shows of how two Pods differ, as Go prints them, which the model does not."""
_REVISIONS = (
    re.compile(r"(Too large resource version: \d+, current: )\d+"),
    re.compile(r"(too old resource version: )\d+ \(\d+\)"),
    re.compile(r"((?:the ResourceVersion in the precondition|does not match the ResourceVersion in record) \()\d+"),
    re.compile(r"(ResourceVersion in object meta: )\d+"),
)


class Memory:
    """What one server has said in one dialogue, by the names under which requests ask for it again."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._values: dict[str, str] = {}

    def filled(self, request: Request) -> Request:
        """The request with this server's own values in the place of ``uid#1`` and its like."""
        return msgspec.structs.replace(
            request,
            path=self._fill(request.path),
            query={name: self._fill(text) for name, text in request.query.items()},
            body=self._fill(request.body.decode("latin-1")).encode("latin-1"),
        )

    def masked(self, answer: Answer) -> Answer:
        body = self._masked(answer.body)
        events = [self._masked(event) for event in answer.events]
        return Answer(answer.code, body, answer.warnings, events)

    def _masked(self, document: Json) -> Any:
        return self._value(document, "", document.get("kind", "").endswith("List"))

    def _value(self, value: Any, path: str, is_list: bool) -> Any:
        if isinstance(value, dict):
            made = {name: self._member(value, name, f"{path}.{name}", is_list) for name in value}
            return {name: one for name, one in made.items() if name not in _DROPPED and (name, one) != ("details", {})}
        if isinstance(value, list):
            return [self._value(one, path, is_list) for one in value]
        return self._text(value) if isinstance(value, str) else value

    def _member(self, holder: Json, name: str, path: str, is_list: bool) -> Any:
        value = holder[name]
        if (name in _TIMES and value) or (name == "lastTransitionTime" and holder.get("reason") == _BY_THE_SERVER):
            return "(time)"
        if name == "resourceVersion" and isinstance(value, str):
            listed = (is_list and path == ".metadata.resourceVersion") or ("uid" not in holder and "name" not in holder)
            known = self._name("list" if listed else "rv", value)
            return "(revision)" if listed else known
        if name == "uid" and "creationTimestamp" in holder and "resourceVersion" not in holder:
            return "(a dry run's)"
        if name == "continue":
            return self._name("continue", value)
        made_up = "generateName" in holder and name == "name"
        if made_up and "resourceVersion" not in holder:
            return "(a dry run's)"
        if name == "name" and "generateName" in holder and holder["name"].startswith(holder["generateName"][:58]):
            return self._name("name", value)
        return self._value(value, path, is_list)

    def _text(self, text: str) -> str:
        text = _UID.sub(lambda match: self._name("uid", match.group()), text)
        text = text.replace("Key: /registry/", "Key: /")  # a dry run's errors name no prefix
        text = _DIFF.sub("", _MADE_UP.sub(r"\1(random)", text))
        text = _TOKEN_VOLUME.sub("kube-api-access-(random)", text)
        text = _PATCHED_OBJECT.sub("Invalid value: (object): ", text)
        for pattern in _REVISIONS:
            text = pattern.sub(r"\1(revision)", text)
        for (kind, value), name in self._names.items():
            if kind == "name":
                text = text.replace(value, name)
        return text

    def _name(self, kind: str, value: str) -> str:
        known = self._names.get((kind, value))
        if known is None:
            number = sum(1 for other, _ in self._names if other == kind) + 1
            known = self._names[kind, value] = f"{kind}#{number}"
            self._values[known] = value
        return known

    def _fill(self, text: str) -> str:
        return _REFERENCE.sub(lambda match: self._values.get(match.group(), match.group()), text)
