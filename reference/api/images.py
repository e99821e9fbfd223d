"""Image references: which tag, if any, an image is pulled by.

Source: the grammar of ``github.com/distribution/reference``, and upstream ``pkg/util/parsers``.
"""

from __future__ import annotations

import re

_DOMAIN_COMPONENT = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_DOMAIN_COMPONENT}(?:\.{_DOMAIN_COMPONENT})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_TAG = r"[\w][\w.-]{0,127}"
_DIGEST = "sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}"
_REFERENCE = re.compile(
    rf"(?P<name>(?:{_DOMAIN}/)?{_COMPONENT}(?:/{_COMPONENT})*)(?::(?P<tag>{_TAG}))?(?:@(?P<digest>{_DIGEST}))?",
    re.ASCII,
)
_IDENTIFIER = re.compile("[a-f0-9]{64}", re.ASCII)
_MAX_NAME = 255


def tag_of(image: str) -> str:
    """The tag: ``latest`` where neither tag nor digest is given, empty where only a digest is, or for no reference."""
    domain, slash, rest = image.partition("/")
    if not slash or not (set(".:") & set(domain) or domain == "localhost" or domain != domain.lower()):
        domain, rest = "docker.io", image
        if "/" not in rest:
            rest = f"library/{rest}"
    match = _REFERENCE.fullmatch(f"{domain}/{rest}")
    if match is None or _IDENTIFIER.fullmatch(image) or len(match["name"]) > _MAX_NAME:
        return ""
    return match["tag"] or ("" if match["digest"] else "latest")
