"""
Tables by swaps: while the swap of two bots makes the tables cheaper, the best such swap is made.

All numbers are integers, and chance comes from lots, so the same seed gives the same tables on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ladder.events.lots import Lots

    IntArray = npt.NDArray[np.int64]

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
