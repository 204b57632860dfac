"""Matches in sets that share no owner, where bots of one owner must not play at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


class DisjointSets:
    """
    Matches in the order in which they will be played, in sets of which no two matches share an owner.

    A few bots of as many owners would else play one match at a time, however many could be played at once: that a match
    of 4 of 8 bots leaves the next one all it needs happens once in 70 times.
    """

    def __init__(self, at_once: int, planned: Iterable[Collection[int]] = ()) -> None:
        """
        Begin with what is planned.

        Args:
            at_once: How many matches are played at the same time: no set has more.
            planned: The owners in each match that is being played, or waits, the first one first.
        """
        self._at_once = at_once
        self._count = 0
        self._busy: set[int] = set()
        for owners in planned:
            self.add(owners)

    def free(self, owners: Collection[int], needed: int) -> Collection[int]:
        """Give the owners who are not in the last set; all if a match needs more of them, or the set is full."""
        left = set(owners) - self._busy
        return owners if len(left) < needed or self._count >= self._at_once else left

    def add(self, owners: Collection[int]) -> None:
        """Plan one more match: part of the last set if it can be, else the first of another set."""
        if self._count >= self._at_once or not self._busy.isdisjoint(owners):
            self._count, self._busy = 0, set()
        self._count += 1
        self._busy.update(owners)
