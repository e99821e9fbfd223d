"""The words of a kubectl command line, taken apart as kubectl takes them apart.

In come a line and what is known of each command's options; out go the command's name, its options and its arguments.
An option takes its value after ``=`` or from the next word, a short one from the rest of its own word as well; options
stand anywhere, up to ``--``; ``_`` in an option's name means ``-``. A line that kubectl would not even begin with, or
that says what is not known here, is a ``CommandError``: nothing of a line is passed over.

Source: the libraries pflag and cobra, with which kubectl v1.37 is made.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

import msgspec

_SHELL = "|&;<>()"
TRUE = frozenset(("1", "t", "T", "TRUE", "true", "True"))
FALSE = frozenset(("0", "f", "F", "FALSE", "false", "False"))
_NUMBER = re.compile(r"[+-]?(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]*|[1-9][0-9_]*)", re.ASCII)
_MOST = 1 << 63


class CommandError(ValueError):
    """A line that is no kubectl command known here; the text says why, and what is known."""


class Type(Enum):
    """What an option's value is."""

    TEXT = "text"
    NUMBER = "number"
    TRUTH = "truth"


class Option(msgspec.Struct, frozen=True):
    """An option that is known: ``--name``, and ``-short`` if it has a letter."""

    name: str
    type: Type = Type.TEXT
    short: str = ""
    bare: str | None = None
    """What it means without a value; None if it must have one."""
    required: bool = False


class Line(msgspec.Struct, frozen=True):
    """A command line that has been taken apart; of an option that is given twice the last one counts."""

    command: str
    arguments: tuple[str, ...]
    options: Mapping[str, str]

    def text(self, name: str, default: str = "") -> str:
        return self.options.get(name, default)

    def truth(self, name: str, default: bool = False) -> bool:
        return self.options[name] in TRUE if name in self.options else default

    def number(self, name: str, default: int) -> int:
        return _number(self.options[name]) if name in self.options else default


def parse(line: str, commands: Mapping[str, Sequence[Option]]) -> Line:
    """Raises CommandError."""
    words = _words(line)
    if words[:1] == ["kubectl"]:
        places = list(_plain(words))
        for length in (2, 1):
            name = " ".join(words[place] for place in places[:length])
            if name in commands and len(places) >= length:
                rest = [word for place, word in enumerate(words) if place not in (0, *places[:length])]
                return _taken_apart(name, rest, commands[name])
    raise CommandError(f"{line!r} is no command known here; known are kubectl {', '.join(sorted(commands))}")


def _words(line: str) -> list[str]:
    """As a shell splits them; a feature has no shell, so that what a shell does with signs of its own is refused."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_SHELL)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise CommandError(f"{line!r} is no command line: {error}") from error
    for word in words:
        if word and not word.strip(_SHELL):
            raise CommandError(f"{line!r} needs a shell, because of {word}: write one kubectl command")
    return words


def _plain(words: Sequence[str]) -> Iterator[int]:
    """The places of the words that may name a command: an option before it is taken to have its value behind it."""
    place = 1
    while place < len(words) and words[place] != "--":
        word = words[place]
        if not word.startswith("-"):
            yield place
        elif "=" not in word and (word.startswith("--") or len(word) == 2):
            place += 1
        place += 1


def _taken_apart(command: str, words: Sequence[str], known: Sequence[Option]) -> Line:
    arguments: list[str] = []
    options: dict[str, str] = {}
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            arguments += left
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            option = _long(command, name.replace("_", "-"), known)
            options[option.name] = _checked(option, _value(option, f"--{option.name}", equals, value, left))
        elif word.startswith("-") and word != "-":
            for option, value in _short(command, word[1:], known, left):
                options[option.name] = _checked(option, value)
        else:
            arguments.append(word)
    missing = [f'"{option.name}"' for option in known if option.required and option.name not in options]
    if missing:
        raise CommandError(f"required flag(s) {', '.join(missing)} not set for kubectl {command}")
    return Line(command, tuple(arguments), options)


def _long(command: str, name: str, known: Sequence[Option]) -> Option:
    for option in known:
        if option.name == name:
            return option
    raise _unknown(command, f"--{name}", known)


def _short(command: str, letters: str, known: Sequence[Option], left: list[str]) -> Iterator[tuple[Option, str]]:
    """The options of one word such as ``-p{}`` or ``-wn shop``."""
    while letters:
        letter, letters = letters[0], letters[1:]
        found = [option for option in known if option.short == letter]
        if not found:
            raise _unknown(command, f"-{letter}", known)
        (option,) = found
        if letters.startswith("="):
            yield option, letters[1:]
            return
        if option.bare is None:
            yield option, letters or _value(option, f"'{letter}' in -{letter}", "", "", left)
            return
        yield option, option.bare


def _value(option: Option, written: str, equals: str, value: str, left: list[str]) -> str:
    if equals:
        return value
    if option.bare is not None:
        return option.bare
    if not left:
        raise CommandError(f"flag needs an argument: {written}")
    return left.pop(0)


def _unknown(command: str, written: str, known: Sequence[Option]) -> CommandError:
    takes = ", ".join(f"--{option.name}" for option in known)
    return CommandError(f"kubectl {command} does not know {written} here; it takes {takes}")


def _checked(option: Option, value: str) -> str:
    """The value, which has to be of the option's type."""
    fault = ""
    if option.type is Type.TRUTH and value not in TRUE | FALSE:
        fault = f'strconv.ParseBool: parsing "{value}": invalid syntax'
    if option.type is Type.NUMBER:
        try:
            _number(value)
        except ValueError as error:
            fault = f'strconv.ParseInt: parsing "{value}": {error}'
    if not fault:
        return value
    shown = f"-{option.short}, --{option.name}" if option.short else f"--{option.name}"
    raise CommandError(f'invalid argument "{value}" for "{shown}" flag: {fault}')


def _number(text: str) -> int:
    """As Go reads a number in any base. Raises ValueError, which says what is wrong."""
    if not _NUMBER.fullmatch(text):
        raise ValueError("invalid syntax")
    octal = re.sub(r"^([+-]?0)(?=[0-7_])", r"\1o", text)
    try:
        number = int(octal, 0)
    except ValueError:
        raise ValueError("invalid syntax") from None
    if not -_MOST <= number < _MOST:
        raise ValueError("value out of range")
    return number
