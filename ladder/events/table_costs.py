"""
The cost of a table, by its pairs, and a search for tables that cost little.

A cost has three parts, and the first that differs decides: bots of one owner, bots that have met, and bots apart in the
standings. So two bots of one owner sit at a table only where that cannot be avoided, two that have met likewise, and
only then the standings count. While the swap of two bots makes the tables cheaper, the best such swap is made.

All numbers are integers, and chance comes from lots, so the same seed gives the same tables on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ladder.events.entrants import LOT, MEETING, OWNER, Cost, is_stand_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from ladder.events.entrants import Lots, Table

    IntArray = npt.NDArray[np.int64]

MAX_GAP = 24
"""Half place points; a larger difference costs no more."""
STAND_IN = "stand-in"
"""The one name of all stand-ins where meetings are counted."""


@dataclass(frozen=True)
class PairCosts:
    """The cost of each pair, by two places in `numbers`."""

    numbers: tuple[int, ...]
    owners: IntArray
    meetings: IntArray
    places: IntArray

    @property
    def total(self) -> IntArray:
        """(n, n) As `Cost.total`."""
        return self.owners * OWNER + self.meetings * MEETING + self.places

    def of(self, tables: Iterable[Sequence[int]]) -> Cost:
        """Add up the pairs of *tables*, of places in `numbers`."""
        parts = [0, 0, 0]
        for table in tables:
            chosen = np.ix_(list(table), list(table))
            for part, matrix in enumerate((self.owners, self.meetings, self.places)):
                parts[part] += int(matrix[chosen].sum()) // 2
        return Cost(*parts)


def pair_costs(
    numbers: Sequence[int],
    owner: Mapping[int, str],
    rounds: Sequence[Sequence[Table]],
    score: Callable[[int], int] | None,
    lots: Lots | None,
    *words: str | int,
) -> PairCosts:
    """
    Compute what the pairs cost.

    Args:
        numbers: Those who play the round, stand-ins included.
        owner: By number; stand-ins are left out, and count as bots of one owner.
        rounds: The tables of the rounds so far, the last one last.
        score: Half place points of each; None: the standings do not count.
        lots: Where the lots come from; None: none.
        words: What the lots are for.
    """
    count = len(numbers)
    place = {number: index for index, number in enumerate(numbers)}
    names = [STAND_IN if is_stand_in(number) else owner[number] for number in numbers]
    same = np.array([[a == b for b in names] for a in names], dtype=np.int64).reshape(count, count)
    met = _meetings(numbers, place, rounds)
    gaps = np.zeros((count, count), dtype=np.int64)
    if score is not None:
        scores = np.array([score(number) for number in numbers], dtype=np.int64)
        gaps = np.minimum(np.abs(scores[:, None] - scores[None, :]), MAX_GAP) ** 2 * LOT
    if lots is not None:
        for a in range(count):
            for b in range(a):
                low, high = sorted((numbers[a], numbers[b]))
                gaps[a, b] = gaps[b, a] = gaps[a, b] + lots.number(*words, "pair", low, high) % LOT
    for matrix in (same, met, gaps):
        np.fill_diagonal(matrix, 0)
    return PairCosts(tuple(numbers), same, met, gaps)


def _meetings(numbers: Sequence[int], place: Mapping[int, int], rounds: Sequence[Sequence[Table]]) -> IntArray:
    """Give the squares of all meetings; a stand-in has met whom any stand-in has met."""
    count = len(numbers)
    met, last = np.zeros((count, count), dtype=np.int64), np.zeros((count, count), dtype=np.int64)
    stand_ins = [index for index, number in enumerate(numbers) if is_stand_in(number)]
    for number, tables in enumerate(rounds, 1):
        for table in tables:
            here = [place[one] for one in table if not is_stand_in(one) and one in place]
            beside = stand_ins if any(map(is_stand_in, table)) else []
            for chosen in (np.ix_(here, here), np.ix_(here, beside), np.ix_(beside, here)):
                met[chosen] += 1
                if number == len(rounds):
                    last[chosen] = 2
    return met**2 + last


KICKS = 400
"""Times that a few bots change tables by lot, in search of something better."""
MOVED = 3
"""Swaps of one such kick."""


def by_swaps(
    cost: IntArray, start: Sequence[Sequence[int]], lots: Lots, *words: str | int, kicks: int = KICKS
) -> list[list[int]]:
    """
    Search for tables that cost little.

    Args:
        cost: (n, n) What each pair costs.
        start: Tables of equal size, of 0 to n − 1, from which the search begins.
        lots: Where chance comes from.
        words: What the lots are for.
        kicks: Number of kicks; the search ends before if its tables cost nothing.
    """
    count, at = len(cost), np.zeros(len(cost), dtype=np.int64)
    for number, table in enumerate(start):
        at[list(table)] = number
    if len(start) > 1:
        best, total = _descended(cost, at)
        for kick in range(kicks):
            if total == 0:
                break
            other = best.copy()
            for move in range(MOVED):
                drawn = lots.number(*words, "kick", kick, move)
                a, b = drawn % count, drawn // count % count
                other[a], other[b] = other[b], other[a]
            other, other_total = _descended(cost, other)
            if other_total <= total:
                best, total = other, other_total
        at = best
    return [[int(one) for one in np.flatnonzero(at == number)] for number in range(len(start))]


def _descended(cost: IntArray, at: IntArray) -> tuple[IntArray, int]:
    """Give the tables, by bot, after all swaps that help; and what they cost."""
    tables = int(at.max()) + 1
    everyone = np.arange(len(at))
    while True:
        beside = cost @ (at[:, None] == np.arange(tables)).astype(np.int64)  # (n, tables): of each at each table
        own = beside[everyone, at]
        there = beside[:, at]  # (n, n): what one would cost at the table of another
        gain = there - own[:, None]
        change = gain + gain.T - 2 * cost
        change[at[:, None] == at[None, :]] = 0
        best = int(change.argmin())
        a, b = divmod(best, len(at))
        if change[a, b] >= 0:
            return at, int(own.sum()) // 2
        at = at.copy()
        at[a], at[b] = at[b], at[a]
