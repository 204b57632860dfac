"""
Summary of a match, worked out from its record alone, before the store is asked anything.

The points of each bot on each board are what the fit of points and the Elo of boards are made of. The points of each
side on each board, over all its rotations, are what the places on a board of an event are made of.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.events.scoring import put_last
from ladder.results.match_decisions import Faults, ThinkTimes
from pigpen.rules.shuffle import commitment
from referee.match.formats import by_bot
from referee.records.recorded import BadRecord, Recorded, seats_of
from referee.records.steps import BY_TAKEOVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ladder.results.match_decisions import Histogram
    from ladder.values.local_results import FaultReport
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine, BotResult, DealLine


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


@dataclass(frozen=True)
class BotSummary:
    """The result of one bot, by its number in the match."""

    place: int
    """1 is the best; equal places are ties; offenders stand last."""
    points: int
    """In all deals together."""
    points_per_deal: float
    board_points: tuple[float, ...]
    """On each board, as it is rated (`BoardPoints`); empty where only the place is known."""
    standard_error: float | None
    faults: int
    taken_over: bool
    timed: str
    """``cpu`` or ``wall``."""
    median_ms: float
    worst_ms: float
    decisions: int
    """Questions to it."""
    thinking: Histogram
    never_came: bool = False
    """True if it took its seat at none of several tables."""


@dataclass(frozen=True)
class MatchSummary:
    """The result of a match."""

    commitment: str
    """SHA-256 of the seed that it was played with."""
    deals: int
    teams: tuple[tuple[int, ...], ...]
    """The sides: numbers of the bots that win and lose together."""
    bots: tuple[BotSummary, ...]
    faults: tuple[FaultReport, ...]
    """All faults of all bots."""
    totals: tuple[tuple[int, ...], ...] = ()
    """On each board, or in the one game, the points of each side (`BoardTotals`)."""

    def taken_over(self, sides: Sequence[int]) -> list[int]:
        """List those of the *sides*, in their order, for which the default policy has decided in the end."""
        return [
            side for side, team in zip(sides, self.teams, strict=True) if any(self.bots[bot].taken_over for bot in team)
        ]


def teams_of(rules: Rules) -> tuple[tuple[int, ...], ...]:
    """
    Give the sides of a match, each by the numbers of its bots.

    >>> from pigpen.rules import PRESETS
    >>> teams_of(PRESETS["gongzhu-partners"])
    ((0, 2), (1, 3))
    """
    return tuple(dict.fromkeys(rules.teammates(bot) for bot in range(rules.players)))


def summarise(lines: Iterable[AnyLine]) -> MatchSummary:
    """
    Work out what the ladder keeps of a finished match.

    Raises:
        BadRecord: If the lines are not those of a finished match.
    """
    recorded = Recorded.of(lines)
    if recorded.result is None or len(recorded.result.results) != recorded.rules.players:
        raise BadRecord("the match is not finished")
    if recorded.first.people:
        raise BadRecord("a person sits in it, and nothing of such a match is ever rated")
    teams = teams_of(recorded.rules)
    faults, boards = Faults(), BoardPoints(teams, recorded.rules.low_is_better)
    totals = BoardTotals(teams, recorded.rules.low_is_better)
    thinking = ThinkTimes(recorded.rules.players)
    for line in recorded.deals:  # once: each time that a deal is unpacked costs as much as all that is counted of it
        for each in (faults, boards, totals, thinking):
            each.take(line)
    return MatchSummary(
        commitment(recorded.seed),
        recorded.result.deals,
        teams,
        tuple(
            _bot(result, faults.decisions(bot), times, points, never_came=faults.never_came(bot))
            for (bot, result), times, points in zip(
                enumerate(recorded.result.results), thinking.of_bots(), boards.of_bots(), strict=True
            )
        ),
        tuple(faults.reports),
        totals.of_sides(),
    )


def _bot(
    result: BotResult, decisions: int, thinking: Histogram, board_points: tuple[float, ...], *, never_came: bool
) -> BotSummary:
    return BotSummary(
        place=result.place,
        points=result.total,
        points_per_deal=result.points_per_deal,
        board_points=board_points,
        standard_error=result.standard_error,
        faults=result.faults,
        taken_over=result.taken_over,
        timed=result.timed,
        median_ms=result.think_ms["median"],
        worst_ms=result.think_ms["worst"],
        decisions=decisions,
        thinking=thinking,
        never_came=never_came,
    )
