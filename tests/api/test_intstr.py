"""Numbers or percentages: rounding, bounds and upstream's texts."""

from __future__ import annotations

import pytest

from reference.api.intstr import resolve_fenceposts, scaled_value
from reference.api.objects import IntOrString


@pytest.mark.parametrize(
    ("value", "total", "up", "down"),
    [
        (3, 10, 3, 3),
        (0, 10, 0, 0),
        ("25%", 10, 3, 2),
        ("0%", 10, 0, 0),
        ("150%", 3, 5, 4),
        ("100%", 7, 7, 7),
        ("+5%", 20, 1, 1),
    ],
)
def test_a_percentage_is_of_the_total(value: IntOrString, total: int, up: int, down: int) -> None:
    assert scaled_value(value, total, round_up=True) == up
    assert scaled_value(value, total, round_up=False) == down


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nil value for IntOrString"),
        ("5", "invalid value for IntOrString: invalid type: string is not a percentage"),
        ("a%", 'invalid value for IntOrString: invalid value "a%": strconv.Atoi: parsing "a": invalid syntax'),
        (
            "99999999999999999999%",
            'invalid value for IntOrString: invalid value "99999999999999999999%": '
            'strconv.Atoi: parsing "99999999999999999999": value out of range',
        ),
    ],
)
def test_faults_in_upstreams_words(value: IntOrString | None, text: str) -> None:
    with pytest.raises(ValueError) as caught:
        scaled_value(value, 10, round_up=True)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("max_surge", "max_unavailable", "desired", "wanted"),
    [
        ("25%", "25%", 10, (3, 2)),
        ("25%", "25%", 1, (1, 0)),
        (0, "10%", 5, (0, 1)),
        (None, None, 5, (0, 1)),
        ("0%", "0%", 0, (0, 1)),
        (2, None, 5, (2, 0)),
    ],
)
def test_a_rollout_can_always_move(
    max_surge: IntOrString | None, max_unavailable: IntOrString | None, desired: int, wanted: tuple[int, int]
) -> None:
    assert resolve_fenceposts(max_surge, max_unavailable, desired) == wanted
