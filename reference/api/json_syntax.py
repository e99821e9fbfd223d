"""What is wrong with a text that is no JSON, in the words of Go's scanner.

Source: ``encoding/json`` (scanner).
"""

from __future__ import annotations

_SPACE = b" \t\r\n"
_DIGITS = b"0123456789"
_HEX = b"0123456789abcdefABCDEF"
_LITERALS = {b"t": b"true", b"f": b"false", b"n": b"null"}
_CLOSED = {b"{": b"}", b"[": b"]"}
_END = "unexpected end of JSON input"

MAX_DEPTH = 10_000
"""How deep objects and lists may be in each other, as Go reads them."""
TOO_DEEP = "exceeded max depth"


class NotJson(ValueError):
    """The text is not JSON; ``str()`` is what Go says of it."""


def check_syntax(text: bytes) -> None:
    """Raises NotJson at the first byte that cannot be."""
    scanner = _Scanner(text)
    scanner.value("looking for beginning of value")
    scanner.space()
    if not scanner.ended:
        scanner.fail("after top-level value")


class _Scanner:
    """Reads a text from its beginning, byte by byte."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._at = 0

    @property
    def ended(self) -> bool:
        return self._at >= len(self._text)

    def space(self) -> None:
        while self._peek() in _SPACE and not self.ended:
            self._at += 1

    def value(self, wanted: str) -> None:
        """A value with all that is in it; what is open at a place is on a list, and not on Python's own stack."""
        opened: list[bytes] = []
        while True:
            self.space()
            first = self._peek()
            if first in (b"{", b"["):
                if self._opened(first, opened):
                    wanted = "looking for beginning of value"
                    continue
            else:
                self._scalar(first, wanted)
            while opened and not self._goes_on(opened[-1]):
                opened.pop()
            if not opened:
                return
            wanted = "looking for beginning of value"

    def _opened(self, first: bytes, opened: list[bytes]) -> bool:
        """Goes into an object or a list; whether there is anything in it."""
        if len(opened) == MAX_DEPTH:
            raise NotJson(f"invalid character '{first.decode()}' {TOO_DEEP}")
        self._at += 1
        self.space()
        if self._peek() == _CLOSED[first]:
            self._at += 1
            return False
        if first == b"{":
            self._key()
        opened.append(first)
        return True

    def _goes_on(self, opened: bytes) -> bool:
        """Whether another value comes in what is open, or its end."""
        if opened == b"[":
            return self._expect(b",]", "after array element") == b","
        if self._expect(b",}", "after object key:value pair") == b"}":
            return False
        self._key()
        return True

    def _key(self) -> None:
        self.space()
        if self._peek() != b'"':
            self.fail("looking for beginning of object key string")
        self._string()
        self._expect(b":", "after object key")

    def _scalar(self, first: bytes, wanted: str) -> None:
        if first == b'"':
            self._string()
        elif first in _LITERALS:
            self._literal(_LITERALS[first])
        elif first == b"-" or (first in _DIGITS and first):
            self._number()
        else:
            self.fail(wanted)

    def fail(self, where: str) -> None:
        if self.ended and not where.startswith(("in ", "after decimal")):
            raise NotJson(_END)
        byte = 0x20 if self.ended else self._text[self._at]  # at the end, Go's scanner is fed a space
        shown = {0x27: "'\\''", 0x22: "'\"'"}.get(byte) or f"'{_quoted(byte)}'"
        raise NotJson(f"invalid character {shown} {where}")

    def _string(self) -> None:
        self._at += 1
        while (byte := self._peek()) != b'"':
            if self.ended:
                raise NotJson(_END)
            if byte < b" ":
                self.fail("in string literal")
            self._at += 1
            if byte == b"\\":
                self._escape()
        self._at += 1

    def _escape(self) -> None:
        kind = self._peek()
        if self.ended or kind not in b'bfnrt\\/"u':
            self.fail("in string escape code")
        self._at += 1
        for _ in range(4 if kind == b"u" else 0):
            if self.ended or self._peek() not in _HEX:
                self.fail("in \\u hexadecimal character escape")
            self._at += 1

    def _literal(self, literal: bytes) -> None:
        for index, expected in enumerate(literal):
            if self._peek() != bytes([expected]):
                self.fail(f"in literal {literal.decode()} (expecting '{chr(expected)}')" if index else "")
            self._at += 1

    def _number(self) -> None:
        if self._peek() == b"-":
            self._at += 1
            self._digit("in numeric literal")
        elif self._peek() == b"0":
            self._at += 1
        else:
            self._digits()
        if self._peek() == b".":
            self._at += 1
            self._digit("after decimal point in numeric literal")
            self._digits()
        if self._peek() in b"eE" and not self.ended:
            self._at += 1
            if self._peek() in b"+-" and not self.ended:
                self._at += 1
            self._digit("in exponent of numeric literal")
            self._digits()

    def _digit(self, where: str) -> None:
        first = self._peek()
        if self.ended or first not in _DIGITS:
            self.fail(where)
        self._at += 1
        if where == "in numeric literal" and first != b"0":
            self._digits()

    def _digits(self) -> None:
        while not self.ended and self._peek() in _DIGITS:
            self._at += 1

    def _expect(self, one_of: bytes, where: str) -> bytes:
        self.space()
        found = self._peek()
        if self.ended or found not in one_of:
            self.fail(where)
        self._at += 1
        return found

    def _peek(self) -> bytes:
        return self._text[self._at : self._at + 1]


def _quoted(byte: int) -> str:
    """A byte as Go quotes it; it takes it for a code point."""
    character = chr(byte)
    return {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character) or (
        character if character.isprintable() else f"\\x{byte:02x}" if byte < 0x80 else f"\\u{byte:04x}"
    )
