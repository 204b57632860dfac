"""
The standing of a version in a variant, and how a match changes it.

This is the one place where results become ratings: the store keeps what comes out of here, and when all records are
rated again, the same numbers come out, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ladder.ratings import elo

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ladder.results.summary import MatchSummary

TREND = 20
"""How many ratings the history keeps: those after the last matches, and the first one while it is among them."""


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
    """Of a: 1, ½ or 0."""
    a_then_b: int
    b_then_a: int


@dataclass(frozen=True)
class RatingChange:
    """What a match changes."""

    moves: tuple[elo.Move, ...]
    """One for each version, in order of the sides."""
    standings: Mapping[int, VersionStanding]
    """By version, as they are now."""
    pair_results: tuple[PairResult, ...]


def outcome(
    summary: MatchSummary, versions: Sequence[int], before: Mapping[int, VersionStanding], boards: int
) -> RatingChange:
    """
    Compute what a match changes.

    A version that plays both seats of a team has played one match; its seats, decisions and faults are added up.

    Args:
        summary: The result of the match.
        versions: By number of the bot.
        before: The standing of each version before the match.
        boards: Boards by which the match is rated.
    """
    sides = sides_of(summary, versions, before)
    moves = elo.moves(sides, boards)
    places = _places(sides)
    standings = {
        move.version: replace(
            _after(before[move.version], move.after, places[move.version], _numbers_of(versions, move), summary),
            boards=before[move.version].boards + boards,
        )
        for move in moves
    }
    return RatingChange(moves, standings, tuple(_pair_results(sides, versions)))


def sides_of(
    summary: MatchSummary, versions: Sequence[int], before: Mapping[int, VersionStanding]
) -> tuple[elo.Side, ...]:
    """Group the versions that won or lost together, each once; the arguments are the first ones of `outcome`."""
    return tuple(
        elo.Side(
            tuple(
                elo.SideMember(version, before[version].rating, before[version].boards)
                for version in dict.fromkeys(versions[bot] for bot in team)
            ),
            summary.bots[team[0]].place,
        )
        for team in summary.teams
    )


def _places(sides: Sequence[elo.Side]) -> dict[int, int]:
    """The place of each version among the sides."""
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
    """The counts, one more for each of *which*."""
    new = [*counts, *[0] * (size - len(counts))]
    for place in which:
        new[place] += 1
    return tuple(new)


def _pair_results(sides: Sequence[elo.Side], versions: Sequence[int]) -> Iterable[PairResult]:
    right_after = [(version, versions[(bot + 1) % len(versions)]) for bot, version in enumerate(versions)]
    for a, b, score in elo.pair_scores(sides):
        yield PairResult(a, b, score, right_after.count((a, b)), right_after.count((b, a)))
