"""What Go's ``Printf`` makes of a finished message that it takes for a format without arguments.

Source: package ``fmt``; until Kubernetes 1.35 some events of the Deployment controller were made this way.
"""

from __future__ import annotations

import re

_LARGEST = 1_000_000
_INDEX = r"(\[[^\]]*\]|\[)?"
_VERB = re.compile(rf"%[-+# 0]*{_INDEX}(\*|[0-9]*)(?:\.(?=.){_INDEX}(\*|[0-9]*))?{_INDEX}(.)?", re.DOTALL)


def without_arguments(message: str) -> str:
    """The message with each ``%`` mangled: ``100% of`` becomes ``100%!o(MISSING)f``."""
    printed: list[str] = []
    position = 0
    for match in _VERB.finditer(message):
        printed += message[position : match.start()], _printed(match)
        position = match.end()
        if _is_too_large(match):
            return "".join(printed)
    return "".join((*printed, message[position:]))


def _printed(match: re.Match[str]) -> str:
    first, width, second, precision, third, verb = match.groups()
    bad = ("%!(BADWIDTH)" if width == "*" else "") + ("%!(BADPREC)" if precision == "*" else "")
    if verb is None or _is_too_large(match):
        return f"{bad}%!(NOVERB)"
    if verb == "%":
        return f"{bad}%"
    return f"{bad}%!{verb}({'BADINDEX' if first or second or third else 'MISSING'})"


def _is_too_large(match: re.Match[str]) -> bool:
    """Whether the width or the precision goes on after a million is passed: Go then reads no further."""
    return any(number and number[:-1].isdigit() and int(number[:-1]) > _LARGEST for number in match.group(2, 4))
