"""Text that somebody else wrote, made fit for a terminal, a report and a log.

A server, a controller or a file can send anything: escape sequences, lines of megabytes, the credentials that it got.
"""

from __future__ import annotations

import re

LONGEST_LINE = 2_000
MOST_LINES = 400

_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
"""Control characters but tab and newline, marks of writing direction, invisible characters, lone surrogates."""
_CREDENTIALS = re.compile(r"(?i)\b(bearer|basic)(\s+|%20)[A-Za-z0-9._~+/=%-]{6,}")
_ASCII_WITH_JSON = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


def printable(text: str) -> str:
    """The text with unfit characters escaped, credentials of an Authorization header removed, and its length bounded.

    Ordinary text of ordinary length is returned as it is.
    """
    lines = text.split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        lines[MOST_LINES] = f"… {lines[MOST_LINES].count(chr(10)) + 1} more lines"
    return "\n".join(_line(line) for line in lines)


def _line(line: str) -> str:
    shown = escaped(line[:LONGEST_LINE])
    return shown if len(line) <= LONGEST_LINE else f"{shown}… {len(line) - LONGEST_LINE} more characters"


def escaped(text: str) -> str:
    """The same at its whole length."""
    return _UNFIT.sub(_escape, _CREDENTIALS.sub(r"\1 [redacted]", text))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def printable_json(document: bytes) -> bytes:
    """A JSON document in UTF-8, without credentials, and with those control characters escaped that JSON allows."""
    text = document.decode(errors="replace").translate(_ASCII_WITH_JSON)
    return _CREDENTIALS.sub(r"\1 [redacted]", text).encode()
