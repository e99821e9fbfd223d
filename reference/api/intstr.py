"""Numbers or percentages: a rollout's ``maxSurge`` and ``maxUnavailable``.

Source: apimachinery ``util/intstr``, and the Deployment controller's ``util.ResolveFenceposts``.
"""

from __future__ import annotations

import math

from reference.api.numbers import parse_int
from reference.api.objects import IntOrString
from reference.api.quoting import go_quote


def scaled_value(value: IntOrString | None, total: int, round_up: bool) -> int:
    """The number itself, or that percentage of ``total``, rounded up or down.

    Raises ValueError, with upstream's text, for None and for a string that is no percentage.
    """
    if value is None:
        raise ValueError("nil value for IntOrString")
    if isinstance(value, int):
        return value
    if not value.endswith("%"):
        raise ValueError("invalid value for IntOrString: invalid type: string is not a percentage")
    try:
        percentage = _atoi(value.removesuffix("%"))
    except ValueError as error:
        raise ValueError(f"invalid value for IntOrString: invalid value {go_quote(value)}: {error}") from None
    share = float(percentage) * float(total) / 100
    return math.ceil(share) if round_up else math.floor(share)


def resolve_fenceposts(
    max_surge: IntOrString | None, max_unavailable: IntOrString | None, desired: int
) -> tuple[int, int]:
    """How many Pods a rollout may add, and how many it may lack: surge rounded up, unavailable down, never both 0.

    Raises ValueError as ``scaled_value`` does; None counts as 0.
    """
    surge = scaled_value(0 if max_surge is None else max_surge, desired, round_up=True)
    unavailable = scaled_value(0 if max_unavailable is None else max_unavailable, desired, round_up=False)
    if surge == 0 and unavailable == 0:
        return 0, 1
    return surge, unavailable


def _atoi(text: str) -> int:
    """Go's strconv.Atoi, with its errors."""
    return parse_int(text, "Atoi")
