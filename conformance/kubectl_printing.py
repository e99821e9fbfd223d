"""What kubectl prints, and where: its answers on stdout, its warnings and errors on stderr.

Source: kubectl v1.37's ``cmd/util.CheckErr``.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from reference.api.errors import ApiError


class Answer(msgspec.Struct, frozen=True):
    """The texts that a command prints, in order, each with whether it goes to stderr. ``str()`` is all of it."""

    texts: tuple[tuple[str, bool], ...] = ()

    def __str__(self) -> str:
        return "".join(f"{text}\n" for text, _ in self.texts).rstrip("\n")

    def __add__(self, other: Answer) -> Answer:
        return Answer(self.texts + other.texts)

    @property
    def stdout(self) -> str:
        return "".join(f"{text}\n" for text, error in self.texts if not error)

    @property
    def stderr(self) -> str:
        return "".join(f"{text}\n" for text, error in self.texts if error)


def said(text: str) -> Answer:
    return Answer(((text, False),))


def warned(text: str) -> Answer:
    return Answer(((text, True),))


class KubectlError(Exception):
    """A command that failed, at one thing or at several; the text is all that kubectl prints.

    ``alone`` is what it prints of its only error, ``among`` what it prints of this one among others, ``plain`` what it
    prints of it where an error holds others. What it has printed ``before`` comes first.
    """

    def __init__(self, alone: str, among: str, plain: str, before: Answer = Answer()) -> None:
        super().__init__(str(before + warned(alone)))
        self.alone = alone
        self.among = among
        self.plain = plain
        self.before = before

    def after(self, before: Answer) -> KubectlError:
        """The same, after what was printed before it."""
        return KubectlError(self.alone, self.among, self.plain, before)

    @property
    def answer(self) -> Answer:
        return self.before + warned(self.alone)


def failed(why: str) -> KubectlError:
    """An error of kubectl's own."""
    return KubectlError(why if why.startswith("error: ") else f"error: {why}", why, why)


def refused(refusal: ApiError) -> KubectlError:
    """An error that is the API server's."""
    among = f"Error from server ({refusal.reason}): {refusal.message}"
    if refusal.reason == "Unknown":
        among = f"Error from server: {refusal.message}"
    return KubectlError(among if refusal.reason != "Invalid" else _invalid(refusal), among, refusal.message)


def together(errors: Sequence[KubectlError], before: Answer = Answer()) -> KubectlError:
    """One error, of one or of several, after what was printed before."""
    for error in errors:
        before += error.before
    if len(errors) == 1:
        return errors[0].after(before)
    plain = "[" + ", ".join(dict.fromkeys(error.plain for error in errors)) + "]"
    return KubectlError("\n".join(error.among for error in errors), plain, plain, before)


def _invalid(refusal: ApiError) -> str:
    kind, name = refusal.about.get("kind", ""), refusal.about.get("name", "")
    subject = f'The {kind} "{name}" is invalid' if kind or name else "The request is invalid"
    causes = list(dict.fromkeys(f"{cause.field}: {cause.message}" for cause in refusal.causes))
    if not causes:
        return subject if kind or name else f"{subject}: {refusal.message}"
    return f"{subject}: {causes[0]}" if len(causes) == 1 else "\n* ".join((f"{subject}: ", *causes))
