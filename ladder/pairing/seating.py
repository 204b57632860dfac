"""In which order the bots of a match sit: the one that leaves seats and neighbours most even."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice, permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from random import Random

ORDERS = 120
"""The most orders of a table that are compared: all of five bots; of more, that many by chance."""


class Seating:
    """Counts who sat where, and beside whom, and seats the next match."""

    def __init__(
        self, seats: Mapping[int, Sequence[int]], neighbours: Mapping[tuple[int, int], int], rng: Random
    ) -> None:
        """
        Begin with what was counted before.

        Args:
            seats: By version, the times that it was bot number 0, 1, …; what is missing at the end is 0.
            neighbours: By two versions (x, y), the times that y came right after x in the order of bot numbers, the
                last one being followed by the first; what is missing is 0.
            rng: Chance, which decides between orders that are equally even.
        """
        self._recorded, self._seats = seats, dict[int, Counter[int]]()
        self._neighbours, self._added = neighbours, Counter[tuple[int, int]]()
        self._rng = rng

    def seat(self, versions: Sequence[int], players: int) -> tuple[int, ...]:
        """
        Seat a match, and count it.

        Returns:
            The version of each bot number: the order that leaves seats and neighbours most even, as often as it goes
            into *players*.
        """
        shuffled = self._rng.sample(versions, len(versions))
        for one in shuffled:
            self._seats.setdefault(one, Counter(dict(enumerate(self._recorded[one]))))
        count = len(shuffled)
        # Half of what a place, or a neighbour, adds to the sum of the squares of all counts, without a constant.
        sits = [[sum(self._seats[one][number] for number in range(place, players, count)) for place in range(count)]
                for one in shuffled]  # fmt: skip
        meets = [[self._met(one, other) * (players // count) for other in shuffled] for one in shuffled]
        order = min(_orders(count), key=lambda order: _unevenness(order, sits, meets))
        table = tuple(shuffled[place] for place in order) * (players // count)
        for number, version in enumerate(table):
            self._seats[version][number] += 1
        self._added.update(_neighbours(table))
        return table

    def _met(self, one: int, other: int) -> int:
        """Count how often *other* came right after *one*."""
        pair = one, other
        return self._neighbours.get(pair, 0) + self._added[pair] if one != other else 0


@cache
def _orders(count: int) -> tuple[tuple[int, ...], ...]:
    return tuple(islice(permutations(range(count)), ORDERS))


def _unevenness(order: Sequence[int], sits: Sequence[Sequence[int]], meets: Sequence[Sequence[int]]) -> int:
    uneven, before = 0, order[-1]
    for place, one in enumerate(order):
        uneven += sits[one][place] + meets[before][one]
        before = one
    return uneven


def _neighbours(table: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield the pairs (x, y) in which y comes right after x."""
    return zip(table, (*table[1:], table[0]), strict=True)
