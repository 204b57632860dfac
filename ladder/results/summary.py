"""Summary of a match, worked out from its record alone, before the store is asked anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.results.board_points import BoardPoints
from ladder.results.board_totals import BoardTotals
from ladder.results.faults import Faults
from ladder.results.think_times import ThinkTimes
from pigpen.rules.shuffle import commitment
from referee.records.recorded import BadRecord, Recorded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.results.think_times import Histogram
    from ladder.values.faults import FaultReport
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine, BotResult


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
