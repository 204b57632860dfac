"""The rank intervals of a variant, by places and by points: by the last fits, among the bots that play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select, update

from ladder.store.last_estimate import estimate_of, margins_of
from ladder.store.models import Rating, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate


MARGIN = ("margin", "margin_error", "margin_rank_low", "margin_rank_high")
COLUMNS = ("error", "rank_low", "rank_high", *MARGIN, "outplaced_by")
"""Results of the fits for a bot, as columns of its rating."""
KEPT = ("error", "margin", "margin_error")
"""Those that do not change without a match."""
AT_ONCE = 128
"""Versions that are compared with all others at a time: 10 MB for 10,000."""


def active_versions(session: Session, variant: str) -> list[int]:
    """List the versions that play in a variant."""
    found = select(Rating.version_id).where(Rating.variant == variant, Rating.state == State.ACTIVE)
    return list(session.scalars(found.order_by(Rating.version_id)))


def intervals(estimate: Estimate, margins: Estimate | None, versions: Sequence[int]) -> list[dict[str, Any]]:
    """
    Compute for each of these versions its ± and its ranks, among them.

    Args:
        estimate: By places.
        margins: By points; None: there is none yet.
        versions: Those that play; both know them.
    """
    among, points = estimate.among(versions), margins and margins.among(versions)
    starts = range(0, len(versions), AT_ONCE)
    return [row for start in starts for row in _rows(among, points, versions[start : start + AT_ONCE])]


def _rows(among: Estimate, points: Estimate | None, versions: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Compute those of some versions: to compare one after the other with all would take several times as long."""
    from ladder.ratings.batch import ranks_by  # numpy takes long to load, and an estimate has loaded it
    from ladder.ratings.points import outplaced_by

    by_points = None if points is None else points.leads_of(versions)
    for number, (version, leads) in enumerate(zip(versions, among.leads_of(versions), strict=True)):
        low, high = ranks_by(leads)
        row = {"version_": version, "error": among.error(version), "rank_low": low, "rank_high": high}
        if points is None or by_points is None:
            yield {**row, **dict.fromkeys(MARGIN), "outplaced_by": None}
            continue
        margin = (points.value(version), points.error(version), *ranks_by(by_points[number]))
        better = outplaced_by(among, leads, by_points[number])
        yield {**row, **dict(zip(MARGIN, margin, strict=True)), "outplaced_by": better}


def write_intervals(session: Session, variant: str, rows: list[dict[str, Any]], keep_errors: bool = False) -> None:
    """
    Write them into the standings.

    Args:
        session: A transaction that writes.
        variant: Where.
        rows: What `intervals` gives.
        keep_errors: A bot that has a ± keeps it, and its margin.
    """
    rating: Any = Rating.__table__
    new: dict[str, Any] = {name: bindparam(name) for name in COLUMNS}
    if keep_errors:
        new |= {name: func.coalesce(rating.c[name], new[name]) for name in KEPT}
    if rows:
        session.connection().execute(
            update(Rating).where(rating.c.variant == variant, rating.c.version_id == bindparam("version_")).values(new),
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
    gone = [name for name in COLUMNS if name not in KEPT]
    session.connection().execute(update(rating).where(*left).values(dict.fromkeys(gone)))
    estimate, margins = estimate_of(session, variant), margins_of(session, variant)
    if estimate is not None:
        known = {int(version) for version in estimate.versions}
        playing = [version for version in active_versions(session, variant) if version in known]
        write_intervals(session, variant, intervals(estimate, margins, playing), keep_errors=True)
