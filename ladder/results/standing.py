"""
The standing of a version in a variant, and how a match changes it.

This is the one place where results become ratings: the store keeps what comes out of here, and when all records are
rated again, the same numbers come out, to the last bit.

A pure function chooses which ratings of a version a chart shows: of many matches every second one, every fourth one, …
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING

from ladder.ratings import elo

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ladder.results.summary import MatchSummary


class RatedBy(enum.StrEnum):
    """The places in a match from which its Elo follows."""

    BOARDS = "boards"
    """The places on each board; a side that was taken over is last on all of them."""
    MATCH = "match"
    """The places in the match."""


RATED_BY = RatedBy.BOARDS
"""
The rule by which new results are rated. Each match keeps its own (`models.StoredMatch.rated_by`): no old figure
changes.
"""
TREND = 20
"""Number of ratings that the history keeps: those after the last matches, and the first one while it is among them."""


@dataclass(frozen=True)
class VersionStanding:
    """A version in a variant; the fields are those of `models.Rating`."""

    rating: float
    matches: int = 0
    boards: int = 0
    deals: int = 0
    points: int = 0
    places: tuple[int, ...] = ()
    """Times that its side came first, second, …; of two sides one is first or second."""
    seats: tuple[int, ...] = ()
    decisions: int = 0
    faults: int = 0
    takeovers: int = 0
    history: tuple[float, ...] = ()


@dataclass(frozen=True)
class PairResult:
    """The result of a match between two of its versions, a < b."""

    a: int
    b: int
    score: float
    """Of a by the places in the match: 1, ½ or 0."""
    a_then_b: int
    b_then_a: int
    boards_played: int
    """Boards of the match whose points are known."""
    board_score: float
    """Of a by the places on each of these boards, added up."""
    ties: int
    """Of these boards those on which their places were equal."""
    points: float
    """By how many points a deal a was better than b, added up over these boards."""
    squares: float
    """The squares of those, added up."""


@dataclass(frozen=True)
class RatingChange:
    """The changes that a match makes."""

    moves: tuple[elo.Move, ...]
    """One for each version, in order of the sides."""
    standings: Mapping[int, VersionStanding]
    """By version, as they are now."""
    pair_results: tuple[PairResult, ...]


def outcome(
    summary: MatchSummary,
    versions: Sequence[int],
    before: Mapping[int, VersionStanding],
    boards: int,
    rated_by: RatedBy = RATED_BY,
) -> RatingChange:
    """
    Compute what a match changes.

    A version that plays both seats of a team has played one match; its seats, decisions and faults are added up.

    Args:
        summary: The result of the match.
        versions: By number of the bot.
        before: The standing of each version before the match.
        boards: Boards by which the match is rated.
        rated_by: Whether by the places on each of them.
    """
    sides = sides_of(summary, versions, before, rated_by)
    moves = elo.moves(sides, boards)
    places = _places(sides)
    standings = {
        move.version: replace(
            _after(before[move.version], move.after, places[move.version], _numbers_of(versions, move), summary),
            boards=before[move.version].boards + boards,
        )
        for move in moves
    }
    return RatingChange(moves, standings, tuple(_pair_results(sides, summary, versions)))


def sides_of(
    summary: MatchSummary,
    versions: Sequence[int],
    before: Mapping[int, VersionStanding],
    rated_by: RatedBy = RATED_BY,
) -> tuple[elo.Side, ...]:
    """Group the versions that won or lost together, each once; the arguments are those of `outcome`."""
    board_places = _board_places(summary) if rated_by == RatedBy.BOARDS else [()] * len(summary.teams)
    return tuple(
        elo.Side(
            tuple(
                elo.SideMember(version, before[version].rating, before[version].boards)
                for version in dict.fromkeys(versions[bot] for bot in team)
            ),
            summary.bots[team[0]].place,
            places,
        )
        for team, places in zip(summary.teams, board_places, strict=True)
    )


def _board_places(summary: MatchSummary) -> list[tuple[int, ...]]:
    points = [summary.bots[team[0]].board_points for team in summary.teams]
    return places_on_boards(points, [any(summary.bots[bot].taken_over for bot in team) for team in summary.teams])


def places_on_boards(points: Sequence[Sequence[float]], taken_over: Sequence[bool]) -> list[tuple[int, ...]]:
    """
    Give the places of each side on each board.

    Args:
        points: Of each side, on each board; more is better.
        taken_over: Which sides were taken over in the match: they are last on all of its boards, as in the match.

    >>> places_on_boards([(8.0, 3.5), (1.0, 3.5), (9.0, 9.0)], [False, False, True])
    [(1, 1), (2, 1), (3, 3)]
    """
    keys = [[(offends, -each) for each in own] for own, offends in zip(points, taken_over, strict=True)]
    boards = [[1 + sum(other < key for other in board) for key in board] for board in zip(*keys, strict=True)]
    return list(zip(*boards, strict=True)) if boards else [()] * len(points)


def _places(sides: Sequence[elo.Side]) -> dict[int, int]:
    """Give the place of each version among the sides."""
    places = [1 + sum(other.place < side.place for other in sides) for side in sides]
    return {version: place for side, place in zip(sides, places, strict=True) for version in side.versions}


def _numbers_of(versions: Sequence[int], move: elo.Move) -> tuple[int, ...]:
    return tuple(bot for bot, version in enumerate(versions) if version == move.version)


def _after(
    before: VersionStanding, rating: float, place: int, numbers: tuple[int, ...], summary: MatchSummary
) -> VersionStanding:
    bots = [summary.bots[bot] for bot in numbers]
    return replace(
        before,
        rating=rating,
        matches=before.matches + 1,
        deals=before.deals + summary.deals,
        points=before.points + bots[0].points,  # partners share their points
        places=_counted(before.places, [place - 1], len(summary.teams)),
        seats=_counted(before.seats, numbers, len(summary.bots)),
        decisions=before.decisions + sum(bot.decisions for bot in bots),
        faults=before.faults + sum(bot.faults for bot in bots),
        takeovers=before.takeovers + any(bot.taken_over for bot in bots),
        history=(*(before.history or (before.rating,)), rating)[-TREND:],
    )


def _counted(counts: Sequence[int], which: Iterable[int], size: int) -> tuple[int, ...]:
    """Give the counts, one more for each of *which*."""
    new = [*counts, *[0] * (size - len(counts))]
    for place in which:
        new[place] += 1
    return tuple(new)


def _pair_results(sides: Sequence[elo.Side], summary: MatchSummary, versions: Sequence[int]) -> Iterable[PairResult]:
    right_after = [(version, versions[(bot + 1) % len(versions)]) for bot, version in enumerate(versions)]
    points = [summary.bots[team[0]].board_points for team in summary.teams]
    found = list(zip(sides, points, _board_places(summary), strict=True))
    for (one, own, places), (other, theirs, their_places) in combinations(found, 2):
        score = elo.score_of(one.place, other.place)
        board_score = sum(map(elo.score_of, places, their_places))
        ties = sum(map(int.__eq__, places, their_places))
        leads = [mine - yours for mine, yours in zip(own, theirs, strict=True)]
        squares = math.fsum(lead * lead for lead in leads)
        for a, b in product(one.versions, other.versions):
            first = a < b
            yield PairResult(
                a=min(a, b),
                b=max(a, b),
                score=score if first else 1 - score,
                a_then_b=right_after.count((min(a, b), max(a, b))),
                b_then_a=right_after.count((max(a, b), min(a, b))),
                boards_played=len(leads),
                board_score=board_score if first else len(leads) - board_score,
                ties=ties,
                points=math.fsum(leads) if first else -math.fsum(leads),
                squares=squares,
            )


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
