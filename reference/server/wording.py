"""What a server of 1.34 says in other words: lengths are in characters, a label's key is a qualified name.

Source: apimachinery ``util/validation``, which since 1.35 stands on ``api/validate/content``; and ``runtime.Scheme``,
whose errors tell the line of upstream's source that made it.
"""

from __future__ import annotations

import re

import msgspec

from reference.api.errors import ApiError
from reference.versions import Version

_LENGTH = re.compile(r"(must be no more than \d+) bytes")
_NOW_AND_THEN = (("a valid label key must", "a qualified name must"), ("scheme.go:111", "scheme.go:110"))


def in_words_of(version: Version, error: ApiError) -> ApiError:
    """The refusal as this version tells it."""
    if not version.wording_of_1_34 or (message := _reworded(error.message)) == error.message:
        return error
    causes = tuple(msgspec.structs.replace(cause, message=_reworded(cause.message)) for cause in error.causes)
    return ApiError(error.code, error.reason, message, causes, error.about)


def _reworded(text: str) -> str:
    text = _LENGTH.sub(r"\1 characters", text)
    for now, then in _NOW_AND_THEN:
        text = text.replace(now, then)
    return text
