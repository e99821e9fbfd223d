"""Circles in hand-made graphs: which of them a fair schedule can stay in."""

from __future__ import annotations

from reference.explore.circles import Circle, fair_circles

HEARING, ANSWERING = 1, 2


class Drawn:
    """States by number, each with its edges: where to, whose turn, and whether anything is written."""

    def __init__(self, *edges: tuple[int, int, int, bool], listening: dict[int, int] | None = None) -> None:
        self._edges = sorted(edges, key=lambda edge: edge[0])
        self._listening = listening or {}

    def __len__(self) -> int:
        return max(max(edge[:2]) for edge in self._edges) + 1

    def edges_of(self, state: int) -> range:
        own = [number for number, edge in enumerate(self._edges) if edge[0] == state]
        return range(own[0], own[-1] + 1) if own else range(0)

    def target(self, edge: int) -> int:
        return self._edges[edge][1]

    def serves(self, edge: int) -> int:
        return self._edges[edge][2]

    def listens(self, state: int) -> int:
        return self._listening.get(state, 0)

    def writes(self, edge: int) -> bool:
        return self._edges[edge][3]


def circles(graph: Drawn) -> list[Circle]:
    return list(fair_circles(graph))


def test_a_way_that_ends_has_no_circle() -> None:
    assert circles(Drawn((0, 1, HEARING, True), (1, 2, ANSWERING, True))) == []


def test_a_circle_with_no_way_out_is_one_to_stay_in() -> None:
    graph = Drawn((0, 1, HEARING, False), (1, 2, ANSWERING, True), (2, 1, ANSWERING, False))
    assert circles(graph) == [Circle(1, (1, 2), writes=True)]


def test_whoever_could_leave_all_the_time_does_so_some_time() -> None:
    around = ((0, 1, ANSWERING, True), (1, 0, ANSWERING, False))
    ways_out = ((0, 2, HEARING, False), (1, 2, HEARING, False))
    assert circles(Drawn(*around, *ways_out)) == []
    assert len(circles(Drawn(*around, ways_out[0]))) == 1


def test_whoever_is_told_before_the_next_look_is_ready_too() -> None:
    around = ((0, 1, ANSWERING, True), (1, 0, ANSWERING, False))
    assert circles(Drawn(*around, listening={0: HEARING, 1: HEARING})) == []


def test_a_state_that_leads_to_itself_is_a_circle() -> None:
    assert circles(Drawn((0, 0, ANSWERING, False))) == [Circle(0, (0,), writes=False)]
