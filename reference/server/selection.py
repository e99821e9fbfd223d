"""Which objects a request is about: label and field selectors, read from its query and held against objects.

Source: apimachinery ``labels`` and ``fields``; the fields that upstream's registries let one select by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from reference.api.errors import ApiError, bad_request
from reference.api.kinds import Kind
from reference.api.objects import LabelSelector
from reference.api.quoting import go_quote
from reference.api.selectors import SelectorError, is_empty, matches, parse_selector

_TERMS = re.compile(r"((?:[^\\,]|\\.|\\$)*)(?:,|$)", re.DOTALL)
_TERM = re.compile(r"(.*?)(!=|==|=)(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\,=])")

Read = Callable[[Any], str]
"""Reads the text of a field of an object."""


class FieldTerm(msgspec.Struct, frozen=True):
    """One requirement: a field equals a value, or does not."""

    label: str
    value: str
    equal: bool = True


class Selection(msgspec.Struct, frozen=True):
    """All objects that meet both selectors."""

    labels: LabelSelector = LabelSelector()
    fields: tuple[FieldTerm, ...] = ()

    @property
    def is_everything(self) -> bool:
        return is_empty(self.labels) and not self.fields

    def selects(self, kind: Kind[Any], obj: Any) -> bool:
        known = _FIELDS[kind.name]
        return matches(self.labels, obj.metadata.labels) and all(
            (known[term.label](obj) == term.value) is term.equal for term in self.fields
        )


def selection(kind: Kind[Any], labels: str, fields: str) -> Selection:
    """What the two texts of a query select. Raises the 400 of one that is no selector, or not of this kind."""
    try:
        wanted = parse_selector(labels)
    except SelectorError as error:
        raise bad_request(str(error)) from None
    terms = _parsed(fields)
    for term in terms:
        if term.label not in _FIELDS[kind.name]:
            raise _unknown(kind, term.label)
    return Selection(wanted, terms)


def _parsed(text: str) -> tuple[FieldTerm, ...]:
    terms = []
    for term in _TERMS.findall(text):
        if not term:
            continue
        match = _TERM.fullmatch(term)
        if match is None:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{term}'")
        label, operator, value = match.groups()
        if not label and not value:
            continue
        terms.append(FieldTerm(label, _unescaped(value), operator != "!="))
    return tuple(terms)


def _unescaped(value: str) -> str:
    plain = _ESCAPED.sub("", value)
    if "\\" in plain:
        wrong = value[value.index("\\") :][:2]
        raise bad_request(f"invalid field selector: invalid escape sequence: {wrong}")
    if "=" in plain or "," in plain:
        character = "=" if "=" in plain else ","
        raise bad_request(f"invalid field selector: unescaped character in value: {ord(character)}")
    return _ESCAPED.sub(r"\1", value)


def _unknown(kind: Kind[Any], label: str) -> ApiError:
    if kind.group:
        known = '"metadata.name", "metadata.namespace"'
        return bad_request(f"{go_quote(label)} is not a known field selector: only {known}")
    return bad_request(f"field label not supported: {label}")


def _spec(member: str) -> Read:
    def read(pod: Any) -> str:
        value = msgspec.json.decode(pod.spec).get(member, "")
        return str(value).lower() if isinstance(value, bool) else str(value)

    return read


_NAME: Mapping[str, Read] = {"metadata.name": lambda obj: obj.metadata.name}
_NAMES: Mapping[str, Read] = {**_NAME, "metadata.namespace": lambda obj: obj.metadata.namespace}
_FIELDS: Mapping[str, Mapping[str, Read]] = {
    "Deployment": _NAMES,
    "ReplicaSet": _NAMES,
    "Pod": {
        **_NAMES,
        **{f"spec.{name}": _spec(name) for name in ("nodeName", "restartPolicy", "schedulerName")},
        "spec.serviceAccountName": _spec("serviceAccountName"),
        "spec.hostNetwork": lambda pod: _spec("hostNetwork")(pod) or "false",
        "spec.host": _spec("nodeName"),
        "status.phase": lambda pod: pod.status.phase,
        "status.podIP": lambda _: "",
        "status.podIPs": lambda _: "",
        "status.nominatedNodeName": lambda _: "",
    },
    "Event": {
        **_NAMES,
        "involvedObject.kind": lambda event: event.involved_object.kind,
        "involvedObject.namespace": lambda event: event.involved_object.namespace,
        "involvedObject.name": lambda event: event.involved_object.name,
        "involvedObject.uid": lambda event: event.involved_object.uid,
        "involvedObject.apiVersion": lambda event: event.involved_object.api_version,
        "involvedObject.resourceVersion": lambda event: event.involved_object.resource_version,
        "involvedObject.fieldPath": lambda event: event.involved_object.field_path,
        "reason": lambda event: event.reason,
        "reportingComponent": lambda event: event.reporting_component,
        "source": lambda event: event.source.component or event.reporting_component,
        "type": lambda event: event.type,
    },
    "Namespace": {**_NAME, "status.phase": lambda namespace: namespace.status.phase},
}
