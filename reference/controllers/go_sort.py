"""The order in which Go's ``sort.Sort`` leaves a slice, ties included.

Up to twelve elements are sorted by insertion, which keeps ties in their order; more go through a pattern-defeating
quicksort, which does not, but is deterministic. Pods created within one second tie often, so which of them
a ReplicaSet deletes is decided here. The order also holds for a ``less`` that is no total order, as that of Pods is
not, nor that of revisions some of which are no numbers.

Source: the algorithm of Orson Peters (arXiv 2106.05123) with the parameters of Go's ``sort`` package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

_INSERTION = 12
"""Up to this length, insertion sort."""
_LONG = 50
"""From this length on, the pivot is a median of medians, and misplaced elements are first shifted a little."""
_SHIFTS = 5
_MOST_SWAPS = 12
"""All the swaps that a median of medians can take: the slice probably descends."""

Hint = Literal["ascending", "descending", "unknown"]


def go_sort(items: list[T], less: Callable[[T, T], bool]) -> None:
    """Sorts ``items`` in place by ``less``, with every tie where Go would leave it."""
    _Sorter(items, less).sort(0, len(items), bad_pivots=len(items).bit_length())


class _Sorter(Generic[T]):
    """One sort of one list; ranges are half open, as Python's are."""

    def __init__(self, items: list[T], less: Callable[[T, T], bool]) -> None:
        self.items = items
        self._less = less

    def less(self, i: int, j: int) -> bool:
        return self._less(self.items[i], self.items[j])

    def swap(self, i: int, j: int) -> None:
        self.items[i], self.items[j] = self.items[j], self.items[i]

    def sort(self, start: int, end: int, bad_pivots: int) -> None:
        """Quicksort, the shorter part first; ``bad_pivots`` more uneven parts, and it gives up for a heap sort."""
        balanced = partitioned = True
        while (length := end - start) > _INSERTION:
            if bad_pivots == 0:
                self.heap_sort(start, end)
                return
            if not balanced:
                self.scatter(start, end)
                bad_pivots -= 1
            pivot, hint = self.choose_pivot(start, end)
            if hint == "descending":
                self.items[start:end] = self.items[start:end][::-1]
                pivot, hint = end - 1 - (pivot - start), "ascending"
            if balanced and partitioned and hint == "ascending" and self.shift_a_little(start, end):
                return
            if start > 0 and not self.less(start - 1, pivot):
                start = self.partition_equal(start, end, pivot)
                continue
            middle, partitioned = self.partition(start, end, pivot)
            left, right = middle - start, end - middle
            balanced = min(left, right) >= length // 8
            if left < right:
                self.sort(start, middle, bad_pivots)
                start = middle + 1
            else:
                self.sort(middle + 1, end, bad_pivots)
                end = middle
        self.insertion_sort(start, end)

    def insertion_sort(self, start: int, end: int) -> None:
        for i in range(start + 1, end):
            self.sink(i, start)

    def sink(self, i: int, start: int) -> None:
        """Moves the element at ``i`` down to its place, as far as ``start``."""
        while i > start and self.less(i, i - 1):
            self.swap(i, i - 1)
            i -= 1

    def heap_sort(self, start: int, end: int) -> None:
        length = end - start
        for root in range((length - 1) // 2, -1, -1):
            self.sift_down(start, root, length)
        for last in range(length - 1, -1, -1):
            self.swap(start, start + last)
            self.sift_down(start, 0, last)

    def sift_down(self, start: int, root: int, length: int) -> None:
        while (child := 2 * root + 1) < length:
            if child + 1 < length and self.less(start + child, start + child + 1):
                child += 1
            if not self.less(start + root, start + child):
                return
            self.swap(start + root, start + child)
            root = child

    def choose_pivot(self, start: int, end: int) -> tuple[int, Hint]:
        """A median of three elements a quarter apart, or of their neighbourhoods, and what the swaps it took tell."""
        quarter = (end - start) // 4
        places = [start + quarter, start + 2 * quarter, start + 3 * quarter]
        swaps = 0
        if end - start >= _LONG:
            medians = [self.median(place - 1, place, place + 1) for place in places]
            places = [place for place, _ in medians]
            swaps = sum(count for _, count in medians)
        pivot, count = self.median(*places)
        swaps += count
        hint: Hint = "ascending" if swaps == 0 else "descending" if swaps == _MOST_SWAPS else "unknown"
        return pivot, hint

    def median(self, a: int, b: int, c: int) -> tuple[int, int]:
        """The place of the median of three, and the swaps that finding it took."""
        swaps = 0
        if self.less(b, a):
            a, b, swaps = b, a, swaps + 1
        if self.less(c, b):
            b, c, swaps = c, b, swaps + 1
        if self.less(b, a):
            a, b, swaps = b, a, swaps + 1
        return b, swaps

    def partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        """Less than the pivot to its left, the rest to its right: its new place, and whether it was so already."""
        self.swap(start, pivot)
        low, high = self.skip(start + 1, end - 1, start)
        already = low > high
        while low <= high:
            self.swap(low, high)
            low, high = self.skip(low + 1, high - 1, start)
        self.swap(high, start)
        return high, already

    def skip(self, low: int, high: int, pivot: int) -> tuple[int, int]:
        """Past what is on its right side of the pivot, from both ends."""
        while low <= high and self.less(low, pivot):
            low += 1
        while low <= high and not self.less(high, pivot):
            high -= 1
        return low, high

    def partition_equal(self, start: int, end: int, pivot: int) -> int:
        """Equal to the pivot first, then the greater; where those begin. Nothing here is less than the pivot."""
        self.swap(start, pivot)
        low, high = start + 1, end - 1
        while True:
            while low <= high and not self.less(start, low):
                low += 1
            while low <= high and self.less(start, high):
                high -= 1
            if low > high:
                return low
            self.swap(low, high)
            low, high = low + 1, high - 1

    def shift_a_little(self, start: int, end: int) -> bool:
        """Puts a few misplaced elements of a long slice in place; whether the slice is sorted by that."""
        i = start + 1
        for _ in range(_SHIFTS):
            while i < end and not self.less(i, i - 1):
                i += 1
            if i == end:
                return True
            if end - start < _LONG:
                return False
            self.swap(i, i - 1)
            if i - start >= 2:
                self.sink(i - 1, 0)
            if end - i >= 2:
                self.rise(i + 1, end)
        return False

    def rise(self, i: int, end: int) -> None:
        """Moves the element before ``i`` up to its place."""
        while i < end and self.less(i, i - 1):
            self.swap(i, i - 1)
            i += 1

    def scatter(self, start: int, end: int) -> None:
        """Moves three elements of the middle elsewhere, to break the pattern that made a partition uneven."""
        length = end - start
        chance, mask = _xorshift(length), (1 << length.bit_length()) - 1
        middle = start + length // 4 * 2
        for place in (middle - 1, middle, middle + 1):
            other = next(chance) & mask
            self.swap(place, start + (other - length if other >= length else other))


def _xorshift(seed: int) -> Iterator[int]:
    """Marsaglia's generator of 64-bit numbers, with shifts of 13, 7 and 17: the same numbers for the same seed."""
    while True:
        seed ^= seed << 13 & 0xFFFF_FFFF_FFFF_FFFF
        seed ^= seed >> 7
        seed ^= seed << 17 & 0xFFFF_FFFF_FFFF_FFFF
        yield seed
