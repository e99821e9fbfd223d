"""What Go's ``Printf`` makes of a finished message that it takes for a format without arguments.

Source: package ``fmt``; until Kubernetes 1.35 some events of the Deployment controller were made this way.
"""

from __future__ import annotations

import re

_INDEX = r"(\[[^\]]*\]|\[)?"
_VERB = re.compile(rf"%[-+# 0]*{_INDEX}(\*|[0-9]*)(?:\.(?=.){_INDEX}(\*|[0-9]*))?{_INDEX}(.)?", re.DOTALL)


def without_arguments(message: str) -> str:
    """The message with each ``%`` mangled: ``100% of`` becomes ``100%!o(MISSING)f``."""
    return _VERB.sub(_missing, message)


def _missing(match: re.Match[str]) -> str:
    first, width, second, precision, third, verb = match.groups()
    bad = ("%!(BADWIDTH)" if width == "*" else "") + ("%!(BADPREC)" if precision == "*" else "")
    if verb is None:
        return f"{bad}%!(NOVERB)"
    if verb == "%":
        return f"{bad}%"
    return f"{bad}%!{verb}({'BADINDEX' if first or second or third else 'MISSING'})"
