"""What is known of the bots of a variant when matches are chosen: the last estimate, and what was played since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.pairing.information import Information
from ladder.ratings.batch import pair_weight
from ladder.store import models
from ladder.store.last_estimate import MAX_KEPT, estimate_of, last_ordinal

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate
    from ladder.store.commands.entrants import VariantEntrants

MAX_SINCE = 1000
"""Results that the last estimate does not know, the newest ones, that are counted; a runner has a few of them."""
_KEPT: dict[tuple[str, str], tuple[Estimate | None, tuple[int, ...], Information]] = {}
"""By database and variant: what an estimate says of those who may play. For 1,000 bots it takes 0.1 s to find out."""


def knowledge_of(session: Session, variant: str, field: VariantEntrants, boards: int, boundary: int = 0) -> Information:
    """
    Give what is known of those who may play, for the caller to change.

    Args:
        session: A transaction.
        variant: Which variant.
        field: Those who may play there, and the tables that are still to be played.
        boards: Boards that these are taken to have, and the matches that the last estimate does not know.
        boundary: The rank for which nearness to it is kept, as long as the estimate is; 0: for none.
    """
    kept = _by_estimate(session, variant, field)
    kept.near(boundary)
    known = kept.copy()
    for table in (*_since(session, variant), *field.pending):
        known.expect(tuple(dict.fromkeys(table)), boards)
    return known


def _by_estimate(session: Session, variant: str, field: VariantEntrants) -> Information:
    place = str(session.get_bind().engine.url), variant
    estimate, versions = estimate_of(session, variant), tuple(one.version for one in field.entrants)
    kept = _KEPT.get(place)
    if kept is None or kept[0] is not estimate or kept[1] != versions:
        if len(_KEPT) >= MAX_KEPT:
            _KEPT.clear()
        kept = _KEPT[place] = estimate, versions, Information.of(estimate, versions, pair_weight(field.sides))
    return kept[2]


def _since(session: Session, variant: str) -> list[tuple[int, ...]]:
    """The tables of the results that the last estimate does not know: versions by number of the bot."""
    match, seat = models.StoredMatch, models.StoredSeat
    newest = (
        select(match.id)
        .where(match.variant == variant, match.ordinal > last_ordinal(session, variant))
        .order_by(match.ordinal.desc())
        .limit(MAX_SINCE)
        .subquery()
    )
    rows = session.execute(
        select(seat.match_id, seat.version_id)
        .join(newest, newest.c.id == seat.match_id)
        .order_by(seat.match_id, seat.seat)
    )
    tables: dict[int, list[int]] = {}
    for number, version in rows:
        tables.setdefault(number, []).append(version)
    return [tuple(table) for table in tables.values()]
