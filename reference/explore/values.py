"""Values by number: everything that a state is made of is kept once, and a state is a tuple of numbers.

Two values are equal exactly if their numbers are. Beside its number a value has a *digest*, which is the same in every
run and every process: the fingerprint of a state is made of its parts' digests.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import msgspec
from immutables import Map

from reference.api.errors import ApiError
from reference.api.objects import Object
from reference.machinery.client import Call
from reference.machinery.store import ChangeType

V = TypeVar("V")

_DIGEST_BYTES = 16
_json = msgspec.json.Encoder(order="deterministic")


def digest(*parts: bytes) -> bytes:
    """128 bits that stand for the parts in their order."""
    made = blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        made.update(len(part).to_bytes(4, "big"))
        made.update(part)
    return made.digest()


class Pool(Generic[V]):
    """Values of one sort. ``values`` and ``digests`` are read by number; ``key`` says what makes two values equal."""

    def __init__(self) -> None:
        self.values: list[V] = []
        self.digests: list[bytes] = []
        self._numbers: dict[Hashable, int] = {}

    def known(self, key: Hashable) -> int | None:
        """The number of the value with this key, if there is one."""
        return self._numbers.get(key)

    def add(self, key: Hashable, value: V, digest_: bytes) -> int:
        """The number of the value with this key; ``value`` and its digest are kept if it is the first."""
        number = self._numbers.setdefault(key, len(self.values))
        if number == len(self.values):
            self.values.append(value)
            self.digests.append(digest_)
        return number

    def number(self, value: V) -> int:
        """The number of a value that is its own key, as those made of numbers, texts and tuples are."""
        known = self._numbers.get(value)
        return self.add(value, value, digest(plain(value).encode())) if known is None else known


class Texts(Pool[V]):
    """Values that are equal if their texts are: what has dictionaries in it cannot be a key itself."""

    def __init__(self, text: Callable[[V], bytes]) -> None:
        super().__init__()
        self._text = text
        self._by_identity: dict[int, int] = {}

    def number(self, value: V) -> int:
        known = self._by_identity.get(id(value))
        if known is not None:
            return known
        text = self._text(value)
        number = self.add(text, value, digest(text))
        if self.values[number] is value:  # it lives as long as the pool does, so nothing else can get its identity
            self._by_identity[id(value)] = number
        return number


class Change(msgspec.Struct, frozen=True):
    """What a write did to one object, as a watch tells it. ``kind`` is the kind's place among those explored."""

    type: ChangeType
    kind: int
    object: int


class Answers:
    """What a sync got told: objects, lists of them, refusals, times, or nothing."""

    def __init__(self, objects: Pool[Object]) -> None:
        self._objects = objects
        self._pool: Pool[Any] = Pool()

    def number(self, answer: Any) -> int:
        match answer:
            case tuple() | list():
                numbers = tuple(self._objects.number(each) for each in answer)
                key: tuple[str, Hashable] = ("list", numbers)
                text = b"".join(self._objects.digests[each] for each in numbers)
            case None | int() | datetime():
                key = ("plain", answer)
                text = repr(answer).encode()
            case ApiError():
                key = ("refused", answer)
                text = f"{answer!r}{answer.causes!r}".encode()
            case _:
                number = self._objects.number(answer)
                key, text = ("object", number), self._objects.digests[number]
        return self._pool.add(key, answer, digest(key[0].encode(), text))

    def value(self, number: int) -> Any:
        return self._pool.values[number]

    def digest(self, number: int) -> bytes:
        return self._pool.digests[number]


class Values:
    """The pools that hold what comes from outside the exploration: objects, calls, answers, changes."""

    def __init__(self) -> None:
        self.objects: Pool[Object] = Texts(lambda obj: type(obj).__name__.encode() + _json.encode(obj))
        self.calls: Pool[Call] = Texts(_text_of_call)
        self.changes: Pool[Change] = Pool()
        self.answers = Answers(self.objects)

    def change(self, type_: ChangeType, kind: int, obj: Object) -> int:
        number = self.objects.number(obj)
        change = Change(type_, kind, number)
        return self.changes.add(change, change, digest(type_.encode(), bytes([kind]), self.objects.digests[number]))


def plain(value: object) -> str:
    """A text that is equal for equal values: sets and maps, which have no order, in the order of their texts."""
    match value:
        case msgspec.Struct():
            return f"{type(value).__name__}({', '.join(plain(each) for each in msgspec.structs.astuple(value))})"
        case Map():
            return f"{{{', '.join(sorted(f'{plain(key)}: {plain(each)}' for key, each in value.items()))}}}"
        case frozenset():
            return f"{{{', '.join(sorted(map(plain, value)))}}}"
        case tuple():
            return f"({', '.join(map(plain, value))})"
        case _:
            return repr(value)


def _text_of_call(call: Call) -> bytes:
    where = (call.verb, call.kind.name, call.namespace, call.name, call.subresource, call.patch_type)
    return _json.encode((where, type(call.body).__name__, call.body))
