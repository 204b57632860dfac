"""
Choice of the ratings of a version that a chart shows: of many matches every second one, every fourth one, … Pure
functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_POINTS = 200
"""Of one version, besides its last match. More would hardly be seen: a chart is some 800 pixels wide."""


def step_of(counts: Iterable[int], max_points: int = MAX_POINTS) -> int:
    """
    Give the distance between two shown matches of a version: the smallest power of 2 with which they are few enough.

    Matches 1, 1 + step, 1 + 2 step, … are shown, so a larger step needs none that a smaller one leaves out.

    >>> step_of([200]), step_of([201]), step_of([100, 101]), step_of([4000]), step_of([])
    (1, 2, 2, 32, 1)

    Args:
        counts: Matches of each version; all versions have the same step.
        max_points: Number of points of all of them together; one that has played has at least one.
    """
    counts, step = list(counts), 1
    while sum(-(-count // step) for count in counts) > max(max_points, len(counts)):
        step *= 2
    return step
