"""How the rating of a bot went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from ladder.store import models
from ladder.store.models import StoredMatch, StoredSeat
from ladder.store.names import versions_of
from ladder.store.queries.standings import VariantStandings
from ladder.values.site import CurvePoint, RatingCurve
from ladder.values.value import time_of

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

MOST_POINTS = 400
"""More would not be seen: a chart is some 800 pixels wide."""


def rating_curve(session: Session, bot: models.StoredBot, variant: models.Variant) -> RatingCurve:
    """
    Read the ratings of all versions of a bot after their matches in a variant.

    Args:
        session: A transaction.
        bot: The bot.
        variant: The variant.
    """
    numbers = {version.id: version.number for version in versions_of(session, bot)}
    shift = VariantStandings.of(session, variant).shift
    return RatingCurve(
        bot=bot.name,
        variant=variant.name,
        points=tuple(
            CurvePoint(
                match=row.id,
                finished=time_of(row.finished),
                version=numbers[row.version_id],
                matches=row.matches_before + 1,
                elo=row.rating_after + shift,
            )
            for row in session.execute(_thinned(variant.name, list(numbers)))
        ),
    )


def _thinned(variant: str, versions: list[int]) -> Select[*tuple[Any, ...]]:
    """Evenly chosen results, at most `MOST_POINTS`, and always the last."""
    place = func.row_number().over(order_by=StoredMatch.ordinal.desc()) - 1
    mine = (
        select(
            StoredMatch.id,
            StoredMatch.ordinal,
            StoredMatch.finished,
            StoredSeat.version_id,
            StoredSeat.matches_before,
            StoredSeat.rating_after,
            place.label("place"),
            func.count().over().label("all"),
        )
        .join_from(StoredSeat, StoredMatch, StoredMatch.id == StoredSeat.match_id)
        .where(
            StoredSeat.version_id.in_(versions),
            StoredMatch.variant == variant,
            StoredMatch.ordinal.is_not(None),
            StoredSeat.rating_after.is_not(None),
        )
        .subquery()
    )
    step = (mine.c.all + MOST_POINTS - 1) // MOST_POINTS
    return select(mine).where(mine.c.place % step == 0).order_by(mine.c.ordinal)
