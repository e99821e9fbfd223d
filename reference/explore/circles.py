"""Circles that a fair schedule can go round for ever, in a graph that was explored to its end.

A schedule is fair if whoever is ready all the time gets a turn some time: an informer that has news hears of them, a
call is answered, a Pod that can become ready does. What need not happen at all (acts, refusals) does not count.
So a set of states that all lead to each other is a place to stay in exactly if everyone who is ready in all of them has
a turn in it. States that lead nowhere else are the plainest case.

Source: weak fairness, and the strongly connected components of Tarjan's algorithm.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec


class Graph(Protocol):
    """States by number, in the order in which they were found; edges by number, those of a state side by side."""

    def edges_of(self, state: int) -> range: ...

    def target(self, edge: int) -> int: ...

    def serves(self, edge: int) -> int:
        """Whose turn the edge is, as bits; 0 for what need not happen."""
        ...

    def listens(self, state: int) -> int:
        """Who is ready in a state beside those whom its edges serve, as bits."""
        ...

    def writes(self, edge: int) -> bool: ...

    def __len__(self) -> int: ...


class Circle(msgspec.Struct, frozen=True):
    """``entry`` is the state of it that was found first; ``edges`` lead from there round to it again.

    If anything is written in the circle, then on this way round.
    """

    entry: int
    edges: tuple[int, ...]
    writes: bool


def fair_circles(graph: Graph) -> Iterator[Circle]:
    """One circle of each set of states that a fair schedule can stay in."""
    for members in _components(graph):
        inside = set(members)
        edges = [edge for state in sorted(members) for edge in graph.edges_of(state) if graph.target(edge) in inside]
        if not edges:
            continue
        served = 0
        for edge in edges:
            served |= graph.serves(edge)
        if not _starved(graph, members, served):
            yield _way_round(graph, min(members), inside, edges)


def _starved(graph: Graph, members: Sequence[int], served: int) -> int:
    """Who is ready in all these states, and gets no turn."""
    ready = -1
    for state in members:
        here = graph.listens(state)
        for edge in graph.edges_of(state):
            here |= graph.serves(edge)
        ready &= here
        if not ready & ~served:
            return 0
    return ready & ~served


def _way_round(graph: Graph, entry: int, inside: set[int], edges: Sequence[int]) -> Circle:
    sources = {edge: state for state in sorted(inside) for edge in graph.edges_of(state)}
    written = next((edge for edge in edges if graph.writes(edge)), None)
    through = edges[0] if written is None else written
    there = _way(graph, entry, lambda state: state == sources[through], inside)
    back = _way(graph, graph.target(through), lambda state: state == entry, inside)
    return Circle(entry, (*there, through, *back), written is not None)


def _way(graph: Graph, start: int, arrived: Callable[[int], bool], inside: set[int]) -> tuple[int, ...]:
    """The shortest way through the component."""
    came: dict[int, tuple[int, int]] = {start: (-1, -1)}
    todo = deque([start])
    while todo:
        state = todo.popleft()
        if arrived(state):
            way = []
            while state != start:
                state, edge = came[state]
                way.append(edge)
            return tuple(reversed(way))
        for edge in graph.edges_of(state):
            target = graph.target(edge)
            if target in inside and target not in came:
                came[target] = (state, edge)
                todo.append(target)
    raise AssertionError("all states of a component lead to each other")


def _components(graph: Graph) -> Iterator[list[int]]:
    """The strongly connected components, each as a list of states."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in range(len(graph)):
        if root in order:
            continue
        work = [(root, iter(graph.edges_of(root)))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            state, edges = work[-1]
            for edge in edges:
                target = graph.target(edge)
                if target not in order:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph.edges_of(target))))
                    break
                if target in on_stack:
                    low[state] = min(low[state], order[target])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[state])
                if low[state] == order[state]:
                    members = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        members.append(member)
                        if member == state:
                            break
                    yield members
