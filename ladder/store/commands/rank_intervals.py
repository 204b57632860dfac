"""The rank intervals of a variant: by the last batch estimate, among the bots that play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select, update

from ladder.store.last_estimate import estimate_of
from ladder.store.models import Rating, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate


def active_versions(session: Session, variant: str) -> list[int]:
    """The versions that play in a variant."""
    found = select(Rating.version_id).where(Rating.variant == variant, Rating.state == State.ACTIVE)
    return list(session.scalars(found.order_by(Rating.version_id)))


def intervals(estimate: Estimate, versions: Sequence[int]) -> list[dict[str, float]]:
    """For each of these versions its ± and its ranks, among them."""
    among = estimate.among(versions)
    return [
        {"version_": version, "error": among.error(version), "rank_low": low, "rank_high": high}
        for version in versions
        for low, high in [among.ranks(version)]
    ]


def write_intervals(session: Session, variant: str, rows: list[dict[str, float]], keep_errors: bool = False) -> None:
    """
    Write them into the standings.

    Args:
        session: A transaction that writes.
        variant: Where.
        rows: What `intervals` gives.
        keep_errors: A bot that has a ± keeps it.
    """
    rating: Any = Rating.__table__
    error: Any = bindparam("error")
    if rows:
        session.connection().execute(
            update(Rating)
            .where(rating.c.variant == variant, rating.c.version_id == bindparam("version_"))
            .values(
                error=func.coalesce(rating.c.error, error) if keep_errors else error,
                rank_low=bindparam("rank_low"),
                rank_high=bindparam("rank_high"),
            ),
            rows,
        )


def follow_states(session: Session, variant: str) -> None:
    """
    Rank those that play among themselves, after a bot has left or come back; no ± changes without a match.

    A bot that the last estimate lacks has no interval before the next one.
    """
    session.flush()
    rating: Any = Rating.__table__
    left = rating.c.variant == variant, rating.c.state != State.ACTIVE, rating.c.rank_low.is_not(None)
    session.connection().execute(update(rating).where(*left).values(rank_low=None, rank_high=None))
    estimate = estimate_of(session, variant)
    if estimate is not None:
        known = {int(version) for version in estimate.versions}
        playing = [version for version in active_versions(session, variant) if version in known]
        write_intervals(session, variant, intervals(estimate, playing), keep_errors=True)
