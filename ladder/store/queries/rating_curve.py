"""How the rating of a bot went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.store import models
from ladder.store.models import Rating, StoredMatch, StoredSeat
from ladder.store.names import versions_of
from ladder.values.site import CurvePoint, RatingCurve
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

MAX_POINTS = 200
"""And one a version. More would hardly be seen: a chart is some 800 pixels wide."""


def rating_curve(
    session: Session, bot: models.StoredBot, variant: models.Variant, most_points: int = MAX_POINTS
) -> RatingCurve:
    """
    Read the ratings of all versions of a bot after their matches in a variant.

    Args:
        session: A transaction.
        bot: The bot.
        variant: The variant.
        most_points: The most points, and one a version.
    """
    numbers = {version.id: version.number for version in versions_of(session, bot)}
    rows = [
        row
        for version, places in _wanted(session, variant.name, list(numbers), most_points).items()
        for row in session.execute(_results(variant.name, version, places))
    ]
    return RatingCurve(
        bot=bot.name,
        variant=variant.name,
        points=tuple(
            CurvePoint(
                match=row.id,
                finished=time_of(row.finished),
                version=numbers[row.version_id],
                matches=row.matches_before + 1,
                elo=row.rating_after + variant.shift,
            )
            for row in sorted(rows, key=lambda row: row.ordinal)
        ),
    )


def _wanted(session: Session, variant: str, versions: list[int], most: int) -> dict[int, Sequence[int]]:
    """Which matches of each version to show, counted from 0: evenly chosen ones, and always the last."""
    counts = select(Rating.version_id, Rating.matches).where(
        Rating.variant == variant, Rating.version_id.in_(versions), Rating.matches > 0
    )
    found = session.execute(counts).all()
    step = -(-sum(matches for _, matches in found) // most)
    return {version: range((matches - 1) % step, matches, step) for version, matches in found}


def _results(variant: str, version: int, places: Sequence[int]) -> Select[*tuple[Any, ...]]:
    """
    Results of a version; each is looked up by itself, however many there are.

    One version at a time: for several, SQLite would go through all matches of the variant.
    """
    return (
        select(
            StoredMatch.id,
            StoredMatch.finished,
            StoredMatch.ordinal,
            StoredSeat.version_id,
            StoredSeat.matches_before,
            StoredSeat.rating_after,
        )
        .distinct()  # a version may have two seats in a match
        .join_from(StoredSeat, StoredMatch, StoredMatch.id == StoredSeat.match_id)
        .where(StoredSeat.version_id == version, StoredSeat.matches_before.in_(places))
        .where(StoredMatch.variant == variant, StoredMatch.ordinal.is_not(None))
    )
