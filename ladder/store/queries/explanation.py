"""Explanation of the changes of ratings by a match."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.ratings import elo
from ladder.results.standing import RatedBy, places_on_boards
from ladder.values.matches import Explanation, MoveAgainst, MoveExplained
from ladder.values.names import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ladder.store import models
    from ladder.values.matches import MatchRow, SeatRow

EXACT = 1e-6
"""By how much a stored rating may differ from one that is computed again, in Elo."""


@dataclass(frozen=True)
class Explained:
    """Explanation of the change of one version's rating."""

    seat: SeatRow
    """Its first seat in the match."""
    move: elo.Move
    """Computed again from the places, and from the ratings before."""

    @property
    def agrees(self) -> bool:
        """True if the store has the same rating, to `EXACT`."""
        stored = self.seat.rating_after
        return stored is not None and math.isclose(stored, self.move.after, rel_tol=0, abs_tol=EXACT)


def explanation(match: MatchRow, variant: models.Variant) -> Explanation:
    """Explain a match that is done; the arguments are those of `explain`."""
    names = {seat.version_id: label(seat.bot, seat.version) for seat in match.seats}
    return Explanation(
        match=match.id,
        variant=match.variant,
        format=match.format,
        boards=match.boards,
        rated_by=match.rated_by,
        finished=match.finished,
        shift=variant.shift,
        moves=tuple(_value(one, names) for one in explain(match, variant)),
    )


def _value(one: Explained, names: Mapping[int, str]) -> MoveExplained:
    move, seat = one.move, one.seat
    assert seat.place is not None  # `sides_of` has seen to it
    assert seat.matches_before is not None
    assert seat.boards_before is not None
    return MoveExplained(
        bot=names[move.version],
        place=seat.place,
        taken_over=bool(seat.taken_over),
        matches_before=seat.matches_before,
        boards_before=seat.boards_before,
        k=move.k,
        before=move.before,
        after=move.after,
        stored=seat.rating_after,
        agrees=one.agrees,
        against=tuple(
            MoveAgainst(**vars(other), bots=tuple(names[each] for each in other.versions)) for other in move.against
        ),
    )


def explain(match: MatchRow, variant: models.Variant) -> list[Explained]:
    """
    Compute the moves of a match that is done again, the best place first.

    Args:
        match: The match.
        variant: Its variant: partners win or lose together.
    """
    first = {seat.version_id: seat for seat in reversed(match.seats)}
    found = [Explained(first[move.version], move) for move in elo.moves(sides_of(match, variant), match.boards)]
    return sorted(found, key=lambda one: (one.seat.place or 0, one.seat.seat))


def sides_of(match: MatchRow, variant: models.Variant) -> list[elo.Side]:
    """Say who won or lost together in a match that is done, as they stood before it."""
    teams: dict[int, list[SeatRow]] = {}
    for seat in match.seats:
        if seat.place is None or seat.rating_before is None or seat.boards_before is None:
            raise ValueError(f"Seat {seat.seat} has no result yet.")
        teams.setdefault(seat.seat % 2 if variant.rules.get("partners") else seat.seat, []).append(seat)
    sides = list(teams.values())
    board_places: list[tuple[int, ...]] = [()] * len(sides)
    if match.rated_by == RatedBy.BOARDS:
        points = [side[0].board_points or () for side in sides]
        board_places = places_on_boards(points, [any(seat.taken_over for seat in side) for side in sides])
    return [
        elo.Side(tuple(_members(side)), side[0].place or 0, places)
        for side, places in zip(sides, board_places, strict=True)
    ]


def _members(side: Iterable[SeatRow]) -> Iterable[elo.SideMember]:
    members = {
        seat.version_id: elo.SideMember(seat.version_id, seat.rating_before or 0.0, seat.boards_before or 0)
        for seat in side
    }
    return members.values()
