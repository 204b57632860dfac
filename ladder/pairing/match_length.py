"""
Number of boards of the next match of a variant: the fewest with which starting is a small part of it.

A match starts every bot once for each rotation, whatever its length. Where bots answer at once a short match is mostly
starting; where they think for long even one board is mostly playing, and short matches are better: they can be chosen
by newer ratings (docs/ratings.md). Both times are those of the last matches, so the choice follows what a start costs
now and the bots that play now.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTHS = (1, 2, 4, 8, 16)
"""The boards that a match may have. Few lengths, so that a small change of the times seldom changes the length."""
UNKNOWN = 4
"""The boards of a match while little is known."""
MAX_STARTING = 0.2
"""The most of a match, in wall time, that starting may take."""
RECENT = 20
"""Number of the last matches that are looked at."""
FEWEST = 3
"""With fewer matches little is known."""


@dataclass(frozen=True)
class MatchTime:
    """The parts of a match's wall time."""

    boards: int
    starting: float
    """Seconds until the bots of its tables had taken their seats, and to clear them away; all tables added up."""
    playing: float
    """Seconds of all its deals."""


def choose_boards(recent: Sequence[MatchTime]) -> int:
    """
    Give the boards of the next match of a variant: the least length at which starting is less than 20 % of it.

    With medians of both over the matches, s seconds to start and p seconds to play a board in all rotations, starting
    is s / (s + boards · p) of a match. A few matches in which a bot hung or the machine was busy change nothing.

    >>> choose_boards([MatchTime(4, starting=2.0, playing=6.0)] * 3)
    8
    >>> choose_boards([])
    4

    Args:
        recent: The last matches of the variant, of any length.

    Returns:
        One of `LENGTHS`; the largest where none is enough, `UNKNOWN` with fewer than `FEWEST` matches.
    """
    if len(recent) < FEWEST:
        return UNKNOWN
    start = statistics.median(match.starting for match in recent)
    board = statistics.median(match.playing / match.boards for match in recent)
    return next((boards for boards in LENGTHS if start < MAX_STARTING * (start + boards * board)), LENGTHS[-1])
