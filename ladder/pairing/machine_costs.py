"""
The machine time that matches with a bot take, and how much more seldom a costly bot therefore plays: pure functions.

A match holds its bots, and a place of the runner, for as long as its slowest bot takes. So a bot that sleeps within its
clock, or takes long to start, costs others their matches though it breaks no rule. The scheduler gives it fewer
matches: all of them together take no more than `TOLERATED` times the machine time of usual ones.

A match of t usual lengths has t − 1 too many. Least squares share that out among the bots that sat in it, drawn towards
0 as if each had been in one more usual match: a bot is not taken for costly because it met a costly one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]

RECENT = 9
"""Number of the last matches of each bot that are looked at."""
TOLERATED = 2.0
"""A bot whose matches take up to this multiple of the usual time plays as often as others."""
MAX_TIMES = 20.0
"""A match counts at most as this many usual ones: one that was caught by a busy machine makes no bot costly."""
PRECISION = 1e-6
"""The least squares are found when what is left of the equations is no more than this."""
MIN_SHARE = TOLERATED / MAX_TIMES
"""No bot plays more seldom than this."""


@dataclass(frozen=True)
class MatchCost:
    """The time that a match took."""

    versions: frozenset[int]
    """Its bots."""
    boards: int
    seconds: float
    """Wall time to start its bots and to play all its deals, all tables added up."""


def shares(matches: Sequence[MatchCost]) -> dict[int, float]:
    """
    Compute how often bots play compared with others that have as much to gain, by what they cost.

    >>> tables = [frozenset(range(5)) - {absent} for absent in range(5)]
    >>> seconds = [100.0 if 4 in table else 10.0 for table in tables]
    >>> once = [MatchCost(table, 4, took) for table, took in zip(tables, seconds, strict=True)]
    >>> {bot: round(share, 1) for bot, share in shares(once[:4] * 2 + once[4:] * 5).items()}
    {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0, 4: 0.2}

    Args:
        matches: The last ones of a variant, each once, in any order.

    Returns:
        For each bot that sat in one of them a number from `MIN_SHARE` to 1.
    """
    versions = sorted({version for match in matches for version in match.versions})
    if not versions:
        return {}
    place = {version: number for number, version in enumerate(versions)}
    usual = _usual(matches)
    times = [match.seconds / usual[match.boards] if usual[match.boards] > 0 else 1.0 for match in matches]
    rows = np.array([row for row, match in enumerate(matches) for _ in match.versions])
    columns = np.array([place[version] for match in matches for version in sorted(match.versions)])
    costs = 1.0 + _least_squares(rows, columns, np.minimum(times, MAX_TIMES) - 1.0)
    fewer = TOLERATED / np.maximum(costs, TOLERATED)
    return {version: max(MIN_SHARE, float(share)) for version, share in zip(versions, fewer, strict=True)}


def _least_squares(rows: IntArray, columns: IntArray, excess: FloatArray) -> FloatArray:
    """
    Share what each match has too many out among its bots, by the method of conjugate gradients.

    Args:
        rows: For each bot of each match, the place of the match in *excess*.
        columns: The bot's number.
        excess: (m,) By how many usual matches each is too long.

    Returns:
        (n,) x with the least |A x − excess|² + |x|², A having 1 for each bot of a match, and else 0.
    """
    found = np.zeros(int(columns.max()) + 1)
    rest = np.bincount(columns, excess[rows])
    step, size = rest, float(rest @ rest)
    for _ in range(len(found)):
        if size < PRECISION**2:
            break
        image = step + np.bincount(columns, np.bincount(rows, step[columns])[rows])
        length = size / float(step @ image)
        found = found + length * step
        rest = rest - length * image
        before, size = size, float(rest @ rest)
        step = rest + size / before * step
    return found


def _usual(matches: Iterable[MatchCost]) -> dict[int, float]:
    """
    Give the usual time of matches, in seconds, by their boards: a quarter of them take less.

    It is no median, because in a small ladder a single costly bot sits in half of the matches.
    """
    seconds: dict[int, list[float]] = {}
    for match in matches:
        seconds.setdefault(match.boards, []).append(match.seconds)
    return {boards: float(np.quantile(those, 0.25, method="lower")) for boards, those in seconds.items()}
