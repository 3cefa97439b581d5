"""Two sequences laid beside each other: where they agree, and what only one of them has."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import NamedTuple

_WAYS = ((1, 100), (3, 20), (6, 1))
"""How many items in a row agree where the sequences are taken to be together again, and how much each item that is passed over
to get there weighs: one item agrees by chance often, six seldom.
"""


class Block(NamedTuple):
    """A stretch of both sequences, ends exclusive. `same`: their items agree one by one; else one side or both have their own."""

    same: bool
    left: int
    left_end: int
    right: int
    right_end: int


def align(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Block]:
    """The blocks of two sequences in order; blocks that agree and others alternate.

    After a difference the nearest place is taken up at which several items agree again, near in the sum of what is passed over
    on both sides. A search looks no further than what the best place so far costs, so the time grows with the length of the
    sequences and not with its square.
    """
    one, other = [*left, ("the end",)], [*right, ("the end",)]
    searches = [(_Search(one, other, length), weight) for length, weight in _WAYS]
    blocks: list[Block] = []
    i = j = 0
    while i < len(left) or j < len(right):
        start, start_other = i, j
        while i < len(left) and j < len(right) and one[i] == other[j]:
            i, j = i + 1, j + 1
        if i > start:
            blocks.append(Block(True, start, i, start_other, j))
        if i < len(left) or j < len(right):
            a, b = _nearest(searches, i, j, len(left) - i + len(right) - j)
            blocks.append(Block(False, i, i + a, j, j + b))
            i, j = i + a, j + b
    return blocks


def _nearest(searches: list[tuple[_Search, int]], i: int, j: int, rest: int) -> tuple[int, int]:
    """How much to pass over on each side. The ends agree, so that there is always a place."""
    steps, cost = (0, 0), rest * _WAYS[0][1] + 1
    for search, weight in searches:
        found = search.nearest(i, j, min(rest, (cost - 1) // weight))
        if found is not None:
            steps, cost = found, sum(found) * weight
    return steps


class _Search:
    """Looks for stretches of `length` items that both sequences have."""

    def __init__(self, one: list[Hashable], other: list[Hashable], length: int) -> None:
        self._one = one
        self._length = length
        self._places: dict[tuple[Hashable, ...], list[int]] = {}
        for place in range(len(other) - length + 1):
            self._places.setdefault(tuple(other[place : place + length]), []).append(place)

    def nearest(self, i: int, j: int, most: int) -> tuple[int, int] | None:
        """The steps from `i` and `j` to a common stretch with the smallest sum, if that is at most `most`."""
        best: tuple[int, int] | None = None
        a = 0
        while a <= most and i + a + self._length <= len(self._one):
            places = self._places.get(tuple(self._one[i + a : i + a + self._length]), ())
            at = bisect_left(places, j)
            if at < len(places) and a + places[at] - j <= most:
                best = (a, places[at] - j)
                most = sum(best) - 1
            a += 1
        return best
