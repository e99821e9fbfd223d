"""Expectations: what was asked for and not yet seen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from reference.machinery.expectations import TIMEOUT, Expectations

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = "default/web"


def test_nothing_expected_is_satisfied() -> None:
    assert Expectations().satisfied(KEY, NOW)


def test_creations_are_satisfied_by_what_is_seen_and_by_what_was_never_tried() -> None:
    expectations = Expectations()
    expectations.expect_creations(KEY, 3, NOW)
    expectations.creation_observed(KEY)
    assert not expectations.satisfied(KEY, NOW)
    expectations.creations_skipped(KEY, 2)
    assert expectations.satisfied(KEY, NOW)


def test_a_deletion_counts_once_and_only_if_it_was_expected() -> None:
    expectations = Expectations()
    expectations.expect_deletions(KEY, ["default/a", "default/b"], NOW)
    for seen in ("default/a", "default/a", "default/other"):
        expectations.deletion_observed(KEY, seen)
    assert not expectations.satisfied(KEY, NOW)
    expectations.deletion_observed(KEY, "default/b")
    assert expectations.satisfied(KEY, NOW)


def test_an_expectation_older_than_five_minutes_is_given_up() -> None:
    expectations = Expectations()
    expectations.expect_creations(KEY, 1, NOW)
    assert not expectations.satisfied(KEY, NOW + TIMEOUT)
    assert expectations.satisfied(KEY, NOW + TIMEOUT + timedelta(microseconds=1))


def test_a_new_expectation_replaces_the_old_one() -> None:
    expectations = Expectations()
    expectations.expect_creations(KEY, 5, NOW)
    expectations.expect_deletions(KEY, ["default/a"], NOW)
    expectations.deletion_observed(KEY, "default/a")
    assert expectations.satisfied(KEY, NOW)


def test_keys_do_not_mix_and_can_be_forgotten() -> None:
    expectations = Expectations()
    expectations.expect_creations(KEY, 1, NOW)
    expectations.creation_observed("default/other")
    assert not expectations.satisfied(KEY, NOW)
    expectations.forget(KEY)
    assert expectations.get(KEY) is None
    assert expectations.satisfied(KEY, NOW)
