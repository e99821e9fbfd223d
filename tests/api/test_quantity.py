"""Quantities: upstream's forms, its canonical texts, and what must hold of every quantity."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.api.quantity import Quantity, QuantityError, canonical, default_rounding, parse, text_of

_SUFFIXES = [
    "",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "T",
    "P",
    "E",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "Pi",
    "Ei",
    "e3",
    "E-2",
    "e0",
    "e12",
]

texts = st.builds(
    lambda sign, whole, fraction, suffix: f"{sign}{whole}{fraction}{suffix}",
    st.sampled_from(["", "+", "-"]),
    st.integers(0, 10**21).map(str),
    st.sampled_from(["", ".5", ".25", ".001", ".0000000001", "."]),
    st.sampled_from(_SUFFIXES),
)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("0", "0"),
        ("0.1", "100m"),
        ("1000m", "1"),
        ("1.5", "1500m"),
        ("1.5Gi", "1536Mi"),
        ("2000M", "2G"),
        ("16Ei", "9223372036854775807"),
        ("0.5Ki", "512"),
        ("1023", "1023"),
        ("1Ki", "1Ki"),
        ("0100m", "0100m"),
        ("+5", "+5"),
        ("1E3", "1E3"),
        ("1005656.25Ki", "1029792k"),
        ("10e3", "10e3"),
        ("1e-12", "1e-9"),
        ("1000E", "1"),  # beyond the last suffix upstream drops the exponent, and so the value
        (".", "0"),
    ],
)
def test_canonical_text(text: str, stored: str) -> None:
    assert canonical(text) == stored


@pytest.mark.parametrize(
    ("text", "stored"), [("0.0001", "1m"), ("0.0015", "2m"), ("-0.0001", "-1m"), ("100m", "100m"), ("1n", "1m")]
)
def test_resource_lists_are_rounded_up_to_milli(text: str, stored: str) -> None:
    assert default_rounding(text) == stored


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("128Mi", Quantity(134217728, 0, "BinarySI")),
        ("300Mi", Quantity(314572800, 0, "BinarySI", "300Mi")),
        ("1000m", Quantity(1000, -3, "DecimalSI")),
        ("100m", Quantity(100, -3, "DecimalSI", "100m")),
        ("12e6", Quantity(12, 6, "DecimalExponent", "12e6")),
        ("1.5Gi", Quantity(1610612736 * 10**9, -9, "BinarySI", big=True)),
        ("0.0001Ki", Quantity(102400000, -9, "DecimalSI", big=True)),
    ],
)
def test_the_form_that_upstream_holds(text: str, form: Quantity) -> None:
    found = parse(text)
    assert [getattr(found, name) for name in form.__struct_fields__] == [
        getattr(form, name) for name in form.__struct_fields__
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        ("1 Gi", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        ("1Gib", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        ("1ki", "unable to parse quantity's suffix"),
        ("5-3", "unable to parse quantity's suffix"),
    ],
)
def test_no_quantity(text: str, fault: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse(text)
    assert str(caught.value) == fault


@pytest.mark.parametrize(("value", "text"), [(1, "1"), (1.5, "1.5"), (2.0, "2"), (" 1Gi ", "1Gi")])
def test_json_numbers_are_quantities(value: object, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize("value", [True, {}, [], None])
def test_other_json_is_not(value: object) -> None:
    with pytest.raises(QuantityError):
        text_of(value)


def test_quantities_compare_by_number() -> None:
    assert parse("1Gi") == parse("1024Mi")
    assert hash(parse("0.5")) == hash(parse("500m"))
    assert parse("1G") < parse("1Gi") < parse("2G")
    assert parse("-2") < parse("-1") < parse("0") < parse("1n")
    assert parse("1e1000000") > parse("1E")


@given(texts)
def test_the_canonical_text_is_a_fixed_point(text: str) -> None:
    stored = canonical(text)
    assert canonical(stored) == stored


@given(texts)
def test_rounding_before_or_after_storing_is_the_same(text: str) -> None:
    assert default_rounding(canonical(text)) == default_rounding(text)


@given(texts, texts)
def test_the_order_is_the_numbers(one: str, other: str) -> None:
    assert (parse(one) < parse(other)) is (_number(one) < _number(other))
    assert (parse(one) == parse(other)) is (_number(one) == _number(other))


def _number(text: str) -> Fraction:
    quantity = parse(text)
    return quantity.unscaled * Fraction(10) ** quantity.exponent
