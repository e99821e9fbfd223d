"""How Python collects garbage is changed for as long as it is wanted, and no longer."""

from __future__ import annotations

import gc
import weakref

import pytest

from conformance.garbage import collected_seldom, not_collected


class Circle:
    def __init__(self) -> None:
        self.itself = self


def test_nothing_is_collected_until_it_is_over_however_it_ends() -> None:
    assert gc.isenabled()
    with pytest.raises(KeyboardInterrupt), not_collected():
        assert not gc.isenabled()
        raise KeyboardInterrupt
    assert gc.isenabled()


def test_what_another_has_left_goes_first() -> None:
    with not_collected():
        left = weakref.ref(Circle())
    assert left() is not None
    with not_collected():
        assert left() is None


def test_within_another_it_does_not_begin_again() -> None:
    with not_collected():
        with not_collected():
            pass
        assert not gc.isenabled()


def test_seldom_ends_as_it_was() -> None:
    ours = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        with collected_seldom():
            assert gc.get_threshold() > (700, 10, 10)
        assert gc.get_threshold() == (700, 10, 10)
    finally:
        gc.set_threshold(*ours)
