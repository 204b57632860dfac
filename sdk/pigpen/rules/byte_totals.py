"""Points of sets of cards, by one look-up for each byte of a mask."""

from __future__ import annotations

from functools import lru_cache

Totals = tuple[tuple[int, ...], ...]
"""Seven tables, one for each byte of a mask: from the value of the byte, 0…255, to the points of its cards."""


@lru_cache(maxsize=64)
def byte_totals(points: tuple[int, ...]) -> Totals:
    """Make the tables for cards with these *points*, one number for each of the 52 cards."""
    tables = []
    for place in range(0, 52, 8):
        totals = [0]
        for worth in points[place : place + 8]:
            totals += [total + worth for total in totals]
        tables.append(tuple(totals))
    return tuple(tables)
