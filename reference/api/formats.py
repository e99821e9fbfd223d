"""How names, labels and their like must be written. Each check gives the faults as sentences, none if it is right.

The texts are those of 1.35 and later; ``reference.server.wording`` knows those of 1.34.

Source: apimachinery ``api/validate/content`` and ``util/validation``.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = _LABEL + r"(\." + _LABEL + ")*"
_LABEL_WITH_UNDERSCORE = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_WITH_UNDERSCORE = _LABEL_WITH_UNDERSCORE + r"(\." + _LABEL_WITH_UNDERSCORE + ")*"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = "(" + _QUALIFIED + ")?"
_CONFIG_MAP_KEY = "[-._a-zA-Z0-9]+"
_PERCENT = "[0-9]+%"
_HEADER_NAME = "[-A-Za-z0-9]+"

LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253
PORT_NAME_LENGTH = 15

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


_remembered = lru_cache(maxsize=4096)  # the same few keys and values come again with every write


@_remembered
def dns_label(text: str) -> list[str]:
    """RFC 1123 label: the names of containers and volumes."""
    faults = _at_most(text, LABEL_LENGTH)
    if not _matches(_LABEL, text):
        if _matches(_SUBDOMAIN, text):
            faults.append("must not contain dots")
        else:
            faults.append(_regex_fault(_LABEL_TEXT, _LABEL, "my-name", "123-abc"))
    return faults


@_remembered
def dns_subdomain(text: str, unit: str = "characters") -> list[str]:
    """RFC 1123 subdomain: the names of most objects. ``unit`` is what upstream calls the bytes that are too many."""
    faults = _at_most(text, SUBDOMAIN_LENGTH, unit)
    if not _matches(_SUBDOMAIN, text):
        faults.append(_regex_fault(_SUBDOMAIN_TEXT, _SUBDOMAIN, "example.com"))
    return faults


def dns_search(text: str) -> list[str]:
    """A domain that names are looked for in: a subdomain, but for underscores."""
    faults = _at_most(text, SUBDOMAIN_LENGTH)
    if not _matches(_SUBDOMAIN_WITH_UNDERSCORE, text):
        words = _SUBDOMAIN_TEXT.replace("characters, '-'", "characters, '_', '-'")
        faults.append(_regex_fault(words, _SUBDOMAIN_WITH_UNDERSCORE, "example.com"))
    return faults


def path_segment(text: str) -> list[str]:
    """What may stand between two slashes of a path: the names of Events."""
    if text in (".", ".."):
        return [f"may not be '{text}'"]
    return [f"may not contain '{character}'" for character in "/%" if character in text]


@_remembered
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
        faults += [f"prefix part {one}" for one in dns_subdomain(prefix, "bytes")]
    if not name:
        faults.append("name part must be non-empty")
    else:
        faults += [f"name part {one}" for one in _at_most(name, LABEL_LENGTH, "bytes")]
    if not _matches(_QUALIFIED, name):
        faults.append(f"name part {fault}")
    return faults


def domain_prefixed_key(text: str) -> list[str]:
    """``prefix/name``."""
    faults = qualified_name(text)
    if faults or "/" in text:
        return faults
    return ['must be a domain-prefixed key (such as "acme.io/foo")']


@_remembered
def label_value(text: str) -> list[str]:
    faults = _at_most(text, LABEL_LENGTH, "bytes")
    if not _matches(_LABEL_VALUE, text):
        faults.append(_regex_fault(_LABEL_VALUE_TEXT, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return faults


def percentage(text: str) -> list[str]:
    if _matches(_PERCENT, text):
        return []
    words = "a valid percent string must be a numeric string followed by an ending '%'"
    return [_regex_fault(words, _PERCENT, "1%", "93%")]


def port_number(number: int) -> list[str]:
    return [] if 1 <= number <= 65535 else ["must be between 1 and 65535, inclusive"]


def port_name(text: str) -> list[str]:
    faults = _at_most(text, PORT_NAME_LENGTH)
    if not _matches("[-a-z0-9]+", text):
        faults.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", text):
        faults.append("must contain at least one letter (a-z)")
    if "--" in text:
        faults.append("must not contain consecutive hyphens")
    if text.startswith("-") or text.endswith("-"):
        faults.append("must not begin or end with a hyphen")
    return faults


def variable_name(text: str) -> list[str]:
    """The name of an environment variable."""
    if all(" " <= character <= "~" and character != "=" for character in text):
        return []
    return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]


def config_map_key(text: str) -> list[str]:
    """A key of a ConfigMap or Secret."""
    faults = _at_most(text, SUBDOMAIN_LENGTH)
    if not _matches(_CONFIG_MAP_KEY, text):
        words = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        faults.append(_regex_fault(words, _CONFIG_MAP_KEY, "key.name", "KEY_NAME", "key-name"))
    if text in (".", ".."):
        faults.append(f"must not be '{text}'")
    elif text.startswith(".."):
        faults.append("must not start with '..'")
    return faults


def header_name(text: str) -> list[str]:
    if _matches(_HEADER_NAME, text):
        return []
    words = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return [_regex_fault(words, _HEADER_NAME, "X-Header-Name")]


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).fullmatch(text) is not None


@_remembered
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _at_most(text: str, limit: int, unit: str = "characters") -> list[str]:
    """Bytes are what is counted; what upstream calls them depends on the check."""
    return [f"must be no more than {limit} {unit}"] if len(text.encode()) > limit else []


def _regex_fault(text: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{text} (e.g. {shown}regex used for validation is '{pattern}')"
