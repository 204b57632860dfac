"""Orders with a cut: who is above it, and who plays off because a tie leaves that open."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Groups = list[list[int]]
"""An order; those in one list are level."""


@dataclass
class Contest:
    """
    An order in which a tie at a cut is played off.

    >>> pod = Contest([[3], [1, 2, 4]], cut=2)
    >>> pod.level
    [1, 2, 4]
    >>> pod.play_off({1: 5.0, 2: 9.0, 4: 5.0})
    >>> pod
    Contest(groups=[[3], [2], [1, 4]], cut=2)
    """

    groups: Groups
    cut: int
    """Number of entrants above it."""

    @property
    def level(self) -> list[int]:
        """Those who are level at the cut, if it separates them; else none."""
        ends = accumulate(map(len, self.groups))
        found = (group for group, end in zip(self.groups, ends, strict=True) if end - len(group) < self.cut < end)
        return next(found, [])

    def play_off(self, scores: Mapping[int, float]) -> None:
        """Put those who are level at the cut in the order of a play-off."""
        level = self.level
        parts = [[one for one in level if scores[one] == score] for score in sorted({scores[one] for one in level})]
        self.groups = [part for group in self.groups for part in (parts[::-1] if group is level else [group])]
