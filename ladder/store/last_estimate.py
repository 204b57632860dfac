"""The last fits of a variant, of places and of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select

from ladder.ratings.elo import START
from ladder.store import models
from ladder.store.core_tables import ESTIMATE, VARIANT, connection_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate


MAX_KEPT = 16
"""4 MB for 1,000 bots in one variant."""
_KEPT: dict[tuple[str, str, str], tuple[tuple[int, int, int], Estimate]] = {}
"""
By database, variant and kind: a fit, its season, last result and size. It follows from the results and the entries.
"""


def estimate_of(session: Session, variant: str) -> Estimate | None:
    """Give the last estimate of a variant by places, read once by each process; None before the first one."""
    return _last(session, variant, "fit", START)


def margins_of(session: Session, variant: str) -> Estimate | None:
    """Give that by points likewise, in points a deal; it knows the same versions."""
    return _last(session, variant, "margins", 0.0)


_MARKS = {
    column: select(VARIANT.c.season, ESTIMATE.c.ordinal, func.length(ESTIMATE.c[column]))
    .join_from(ESTIMATE, VARIANT, VARIANT.c.name == ESTIMATE.c.variant)
    .where(ESTIMATE.c.variant == bindparam("variant_"))
    for column in ("fit", "margins")
}
_BLOBS = {column: select(ESTIMATE.c[column]).where(ESTIMATE.c.variant == bindparam("variant_")) for column in _MARKS}


def _last(session: Session, variant: str, column: str, mean: float) -> Estimate | None:
    connection, wanted = connection_of(session), {"variant_": variant}
    found = connection.execute(_MARKS[column], wanted).first()
    if found is None or found[2] is None:
        return None
    place, mark = (str(session.get_bind().engine.url), variant, column), (int(found[0]), int(found[1]), int(found[2]))
    kept = _KEPT.get(place)
    if kept is None or kept[0] != mark:
        from ladder.ratings.batch import Estimate  # a new ladder has none, and numpy takes long to load

        if len(_KEPT) >= MAX_KEPT:
            _KEPT.clear()
        blob = connection.execute(_BLOBS[column], wanted).scalar_one()
        kept = _KEPT[place] = mark, Estimate.from_bytes(blob or b"", mean)
    return kept[1]


def last_ordinal(session: Session, variant: str) -> int:
    """Give the last result that the estimate of a variant knows; before the first one, the last season's last."""
    stored = models.StoredEstimate
    known = session.scalar(select(stored.ordinal).where(stored.variant == variant))
    if known is not None:
        return known
    return session.scalar(select(models.Variant.season_start).where(models.Variant.name == variant)) or 0


def los(session: Session, variant: str, a: int, b: int) -> float | None:
    """Give how likely *a* is stronger than *b* in a variant, 0 to 1; None if the last estimate lacks one of them."""
    estimate = estimate_of(session, variant)
    try:
        return estimate.los(a, b) if estimate else None
    except KeyError:
        return None
