"""Names and uids that the server makes up: different each time, and the same in each run.

The real server draws them at random. Here they follow from the store's revision, which no two objects share.

Source: apiserver ``storage/names`` (generateName) and apimachinery ``util/rand`` (the alphabet without vowels).
"""

from __future__ import annotations

SUFFIX_LENGTH = 5
MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH
ATTEMPTS = 8
"""How many names the server tries before it says that it cannot make up an unused one."""

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIXES = len(_ALPHABET) ** SUFFIX_LENGTH
_STRIDE = 5_570_021  # prime to _SUFFIXES, so that consecutive numbers give distinct suffixes that look like chance


def generated_name(base: str, revision: int, attempt: int = 0) -> str:
    """The name that ``generateName: base`` becomes, written at this revision."""
    return base[:MAX_BASE_LENGTH] + suffix(revision * ATTEMPTS + attempt)


def suffix(number: int) -> str:
    """Five characters that look like chance; the same for no two numbers less than 14 million apart."""
    rest = number * _STRIDE % _SUFFIXES
    made = ""
    for _ in range(SUFFIX_LENGTH):
        rest, digit = divmod(rest, len(_ALPHABET))
        made += _ALPHABET[digit]
    return made


def uid(revision: int) -> str:
    """The uid of the object created at this revision."""
    return f"{revision:08x}-0000-4000-8000-{revision:012x}"
