"""How names, labels and their like must be written. Each check gives the faults as sentences, none if it is right.

Source: apimachinery ``api/validate/content`` and ``util/validation``.
"""

from __future__ import annotations

import re

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = _LABEL + r"(\." + _LABEL + ")*"
_DNS1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = "(" + _QUALIFIED + ")?"
_C_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"
_CONFIG_MAP_KEY = "[-._a-zA-Z0-9]+"
_PERCENT = "[0-9]+%"
_PORT_NAME_CHARACTERS = "^[-a-z0-9]+$"

LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253

_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character"
)
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)
_QUALIFIED_TEXT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_LABEL_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
)


def dns_label(text: str) -> list[str]:
    """RFC 1123 label: the names of containers and volumes."""
    faults = _at_most(text, LABEL_LENGTH)
    if not _matches(_LABEL, text):
        if _matches(_SUBDOMAIN, text):
            faults.append("must not contain dots")
        else:
            faults.append(_regex_fault(_LABEL_TEXT, _LABEL, "my-name", "123-abc"))
    return faults


def dns_subdomain(text: str) -> list[str]:
    """RFC 1123 subdomain: the names of most objects."""
    faults = _at_most(text, SUBDOMAIN_LENGTH)
    if not _matches(_SUBDOMAIN, text):
        faults.append(_regex_fault(_SUBDOMAIN_TEXT, _SUBDOMAIN, "example.com"))
    return faults


def qualified_name(text: str) -> list[str]:
    """``name`` or ``prefix/name``: the keys of labels and annotations, the names of resources."""
    fault = _regex_fault(_QUALIFIED_TEXT, _QUALIFIED, "MyName", "my.name", "123-abc")
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return [f"a valid label key {fault} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    faults = []
    if slash and not prefix:
        faults.append("prefix part must be non-empty")
    elif slash:
        faults += [f"prefix part {one}" for one in dns_subdomain(prefix)]
    if not name:
        faults.append("name part must be non-empty")
    else:
        faults += [f"name part {one}" for one in _at_most(name, LABEL_LENGTH)]
    if not _matches(_QUALIFIED, name):
        faults.append(f"name part {fault}")
    return faults


def label_value(text: str) -> list[str]:
    faults = _at_most(text, LABEL_LENGTH)
    if not _matches(_LABEL_VALUE, text):
        faults.append(_regex_fault(_LABEL_VALUE_TEXT, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return faults


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text, re.ASCII) is not None


def _at_most(text: str, limit: int) -> list[str]:
    return [f"must be no more than {limit} bytes"] if len(text.encode()) > limit else []


def _regex_fault(text: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{text} (e.g. {shown}regex used for validation is '{pattern}')"
