"""Text in quotes, as Go's ``%q`` shows it.

Source: package ``strconv``.
"""

from __future__ import annotations

import re

_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}
_PLAIN = re.compile(r"[ !#-\[\]-~]*")


def go_quote(text: str) -> str:
    """``text`` as Go's %q shows it."""
    if not _PLAIN.fullmatch(text):
        text = "".join(_quoted(character) for character in text)
    return f'"{text}"'


def _quoted(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
