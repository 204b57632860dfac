"""Points of each bot on each board of a match: what the fit of points and the Elo of boards are made of."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

from referee.match.formats import by_bot
from referee.records.steps import BY_TAKEOVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.records.lines import DealLine


class BoardPoints:
    """
    The points of a match, board by board; takes its deals in any order.

    More is better in every variant: where few points are better, they are counted with a minus sign. A board that is
    played in several rotations is one observation, the mean of its deals. In a format without boards a deal is one.

    A deal in which a side was taken over is not its own play. It counts for that side as if its margin had been the
    worst at the table: the worst difference, in that deal, between the points of a side and the mean of the others.
    The points of the others stay as they are.
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
        self._deals: defaultdict[int, list[list[float]]] = defaultdict(list)

    def take(self, line: DealLine) -> None:
        """Add a finished deal."""
        seats = line.seats or tuple(range(len(line.scores)))
        scores = by_bot(line.scores, tuple(seats))
        taken_over = {seats[step.seat] for step in line.steps if step.by == BY_TAKEOVER}
        points: list[float] = [self._sign * scores[team[0]] for team in self._teams]  # partners share their points
        offenders = [side for side, team in enumerate(self._teams) if taken_over.intersection(team)]
        self._deals[line.deal].append(charged(points, offenders))

    def of_bots(self) -> list[tuple[float, ...]]:
        """Give points a deal on each board, by the numbers of the bots."""
        boards = [
            [statistics.fmean(rotations) for rotations in zip(*self._deals[number], strict=True)]
            for number in sorted(self._deals)
        ]
        side_of = {bot: side for side, team in enumerate(self._teams) for bot in team}
        return [tuple(board[side_of[bot]] for board in boards) for bot in sorted(side_of)]


def charged(points: Sequence[float], offenders: Iterable[int]) -> list[float]:
    """
    Give the sides' points in a deal, offenders with the worst margin of all.

    Args:
        points: Of each side; more is better.
        offenders: The sides that were taken over.

    >>> charged([30.0, 0.0, 0.0, -30.0], offenders=[0])
    [-50.0, 0.0, 0.0, -30.0]
    >>> charged([20.0, -20.0], offenders=[0])
    [-60.0, -20.0]
    """
    total, others = sum(points), len(points) - 1
    margins = [own - (total - own) / others for own in points]
    found = list(points)
    for side in offenders:
        found[side] += min(margins) - margins[side]
    return found
