"""The one thing that a proxy must know of a request's body: the name that a new object gives itself.

Source: the API's JSON, and its protobuf: a magic number, then ``runtime.Unknown`` whose field 2 is the object; field 1
of an object is its metadata, of which field 1 is the name.
"""

from __future__ import annotations

import msgspec

_MAGIC = b"k8s\x00"
_NAME_IN_UNKNOWN = (2, 1, 1)
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class _Metadata(msgspec.Struct):
    name: str = ""


class _Object(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


def name_in(body: bytes) -> str:
    """The name of the object in ``body``; empty if it leaves it to the server, or this is no object."""
    try:
        if not body.startswith(_MAGIC):
            return msgspec.json.decode(body, type=_Object).metadata.name
        message = body[len(_MAGIC) :]
        for number in _NAME_IN_UNKNOWN:
            message = _field(message, number)
        return message.decode()
    except (msgspec.DecodeError, IndexError, ValueError):
        return ""


def _field(message: bytes, number: int) -> bytes:
    """The field of this number, which holds bytes; empty if there is none."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        wire_type = tag & 7
        if wire_type == _VARINT:
            _, at = _varint(message, at)
        elif wire_type == _BYTES:
            length, at = _varint(message, at)
            if tag >> 3 == number:
                return message[at : at + length]
            at += length
        elif wire_type in (_FIXED32, _FIXED64):
            at += 4 if wire_type == _FIXED32 else 8
        else:
            raise ValueError(f"wire type {wire_type} is not protobuf's")
    return b""


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """The number that begins there, and where it ends."""
    value = shift = 0
    while message[at] & 0x80:
        value |= (message[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | message[at] << shift, at + 1
