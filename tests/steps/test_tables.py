"""Tables: what a feature's table is read as, and what is said when another one was wanted."""

from __future__ import annotations

import pytest

from conformance.tables import TableError, compare, render, rows_of


def test_a_table_is_read_by_its_header() -> None:
    assert rows_of([["image", "desired"], ["app:1", "3"]], ("image", "desired")) == [{"image": "app:1", "desired": "3"}]


def test_an_unknown_column_is_told_with_those_that_are_known() -> None:
    with pytest.raises(TableError, match="no column is called 'colour'; known are image, desired"):
        rows_of([["image", "colour"]], ("image", "desired"))


def test_columns_are_aligned() -> None:
    assert render([{"image": "app:1", "desired": "10"}], ("image", "desired")) == (
        "  | image | desired |\n  | app:1 | 10      |"
    )


def test_rows_may_come_in_any_order_and_other_columns_do_not_count() -> None:
    compare("the rows", [{"a": "1"}, {"a": "2"}], [{"a": "2", "b": "x"}, {"a": "1", "b": "y"}], ["a"])


def test_a_difference_shows_both_tables_and_marks_the_rows() -> None:
    with pytest.raises(AssertionError) as raised:
        compare("the ReplicaSets", [{"a": "1"}, {"a": "2"}], [{"a": "2"}, {"a": "3"}], ["a"])
    assert str(raised.value) == (
        "the ReplicaSets are not as wanted\n"
        "wanted:\n"
        "  | a |\n"
        "  | 1 |  <- is not there\n"
        "  | 2 |\n"
        "got:\n"
        "  | a |\n"
        "  | 2 |\n"
        "  | 3 |  <- is not wanted"
    )


def test_a_row_that_is_there_too_often_is_a_difference() -> None:
    with pytest.raises(AssertionError, match="is not wanted"):
        compare("the rows", [{"a": "1"}], [{"a": "1"}, {"a": "1"}], ["a"])
