"""Certainty of the order of the standings."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store.last_estimate import estimate_of, margins_of
from ladder.store.models import Rating, State, StoredBot, Version
from ladder.store.queries.standings import best_first
from ladder.values.order import Order

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def neighbours(
    session: Session, variant: str, first: int | None = None, skipped: int = 0, by: Order = Order.ELO
) -> dict[tuple[str, int], float]:
    """
    Read how likely each active version is stronger than the one ranked next, 0 to 1.

    Args:
        session: A transaction.
        variant: The variant's name.
        first: Number of entries to give; None: all.
        skipped: How many to leave out before them.
        by: What they are ranked by.

    Returns:
        By bot and number of the version; without the last one, and those that the last estimate does not know.
    """
    estimate = (margins_of if by == Order.POINTS else estimate_of)(session, variant)
    if estimate is None:
        return {}
    wanted = (
        select(Version.id, StoredBot.name, Version.number)
        .join_from(Rating, Version, Version.id == Rating.version_id)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .where(Rating.variant == variant, Rating.state == State.ACTIVE)
        .order_by(*best_first(by))
        .limit(None if first is None else first + 1)
        .offset(skipped)
    )
    known = set(estimate.versions.tolist())
    return {
        (one.name, one.number): estimate.los(one.id, other.id)
        for one, other in pairwise(session.execute(wanted).all())
        if {one.id, other.id} <= known
    }
