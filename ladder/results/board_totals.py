"""Points of each side on each board over all its rotations: what the places on a board of an event are made of."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ladder.events.scoring import put_last
from referee.match.formats import by_bot
from referee.records.recorded import seats_of
from referee.records.steps import BY_TAKEOVER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.records.lines import DealLine


class BoardTotals:
    """
    The points of a match, board by board, as integers; takes its deals in any order.

    More is better in every variant. A game, which has no boards, is one. Sides that were taken over on a board are
    behind all others there, and level with each other.
    """

    def __init__(self, teams: Sequence[Sequence[int]], low_is_better: bool) -> None:
        """
        Begin before the first deal.

        Args:
            teams: The sides: numbers of the bots that win and lose together.
            low_is_better: Whether few points are better.
        """
        self._teams = teams
        self._sign = -1 if low_is_better else 1
        self._points: defaultdict[int, list[int]] = defaultdict(lambda: [0] * len(teams))
        self._offenders: defaultdict[int, set[int]] = defaultdict(set)

    def take(self, line: DealLine) -> None:
        """Add a finished deal."""
        seats, board = seats_of(line), line.board or 0
        scores = by_bot(line.scores, seats)
        taken_over = {seats[step.seat] for step in line.steps if step.by == BY_TAKEOVER}
        for side, team in enumerate(self._teams):
            self._points[board][side] += self._sign * scores[team[0]]  # partners share their points
            if taken_over.intersection(team):
                self._offenders[board].add(side)

    def of_sides(self) -> tuple[tuple[int, ...], ...]:
        """Give the points of each side, by board."""
        return tuple(
            put_last(points, sorted(self._offenders[board])) if self._offenders[board] else tuple(points)
            for board, points in sorted(self._points.items())
        )
