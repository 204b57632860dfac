"""The batch estimate of a variant, kept up to date beside the ratings: ±, rank intervals, likelihood of superiority."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, or_, select

from ladder.ratings.batch import Estimate, fit, pair_weight
from ladder.ratings.elo import STANDARD_BOARDS
from ladder.results.summary import teams_of
from ladder.store import models
from ladder.store.commands.rank_intervals import active_versions, intervals, write_intervals
from ladder.store.models import State
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt
    from sqlalchemy.orm import Session

    from ladder.store.database import Database

SHARE = 0.02
"""The most of a runner's time that estimates may take."""
MAX_VERSIONS = 2000
"""
Versions in an estimate. All that play are in it, whatever their number; of the retired ones, the newest up to this.

A fit takes the cube of that number and its covariance the square; in years of new versions both would grow without end.
"""


LAST = select(func.max(models.StoredMatch.ordinal)).where(models.StoredMatch.variant == models.Variant.name)
NEWEST = select(models.Variant.name, LAST.scalar_subquery().label("last")).order_by(models.Variant.name)
KNOWN = select(models.StoredEstimate.variant, models.StoredEstimate.ordinal)
LACKING = (
    select(models.Rating.variant)
    .where(models.Rating.state == State.ACTIVE, or_(models.Rating.error.is_(None), models.Rating.rank_low.is_(None)))
    .distinct()
)
"""What `stale` asks at every step of a runner; to put a query together takes longer than to run it."""


@dataclass
class RefreshRate:
    """When the next estimate is due: after each one the runner does other things for 49 times as long."""

    due: float = 0.0
    """Seconds by the runner's clock."""

    def is_due(self, now: float) -> bool:
        """Whether an estimate may be made."""
        return now >= self.due

    def took(self, began: float, ended: float) -> None:
        """Count one that was made."""
        self.due = ended + (ended - began) * (1 - SHARE) / SHARE


def stale(session: Session, variants: Collection[str] | None = None) -> list[str]:
    """
    The variants whose estimate does not know the newest result, or lacks a bot that plays; the oldest one first.

    Args:
        session: A transaction.
        variants: Only these; None: all.
    """
    newest: dict[str, int] = {
        row.name: row.last or 0 for row in session.execute(NEWEST) if variants is None or row.name in variants
    }
    known: dict[str, int] = {row.variant: row.ordinal for row in session.execute(KNOWN)}
    lacking = set(session.scalars(LACKING))
    found = [name for name in newest if known.get(name, 0) < newest[name] or name in lacking]
    return sorted(found, key=lambda name: known.get(name, 0))


def refresh(database: Database, variant: str, most: int = MAX_VERSIONS) -> Estimate | None:
    """
    Make the estimate of a variant anew, without blocking other writers.

    Args:
        database: The ladder.
        variant: Which one.
        most: How many versions it has at most; the oldest retired ones are left out.

    Returns:
        The estimate of all that have been entered there; None if there are none.
    """
    with database.read() as session:
        ordinal = (
            session.scalar(select(func.max(models.StoredMatch.ordinal)).where(models.StoredMatch.variant == variant))
            or 0
        )
        estimate = _fitted(session, variant, most)
        active = active_versions(session, variant)
    if estimate is None:
        return None
    rows, blob = intervals(estimate, active), estimate.to_bytes()
    with database.write() as session:
        known = session.get(models.StoredEstimate, variant)
        if known is not None and known.ordinal > ordinal:  # another coordinator was quicker, and knows more
            return estimate
        session.merge(models.StoredEstimate(variant=variant, ordinal=ordinal, fit=blob))
        write_intervals(session, variant, rows)
    return estimate


def _versions(session: Session, variant: str, most: int) -> list[int]:
    """Who is in the estimate: all that play or are suspended, and the newest of the others."""
    rating = models.Rating
    entered = select(rating.version_id).where(rating.variant == variant).order_by(rating.version_id.desc())
    playing = list(session.scalars(entered.where(rating.state != State.RETIRED)))
    room = max(0, most - len(playing))
    return sorted([*playing, *session.scalars(entered.where(rating.state == State.RETIRED).limit(room))])


def _fitted(session: Session, variant: str, most: int) -> Estimate | None:
    versions = _versions(session, variant, most)
    if not versions:
        return None
    rules = rules_from(session.get_one(models.Variant, variant).rules)
    a, b, score, n, boards = _meetings(session, variant).T
    known = np.isin(a, versions) & np.isin(b, versions)
    weight = pair_weight(len(teams_of(rules)))
    ones, others = a[known].astype(np.int64), b[known].astype(np.int64)
    steepness = np.sqrt(boards[known] / STANDARD_BOARDS)
    return fit(versions, ones, others, score[known], n[known], weight, steepness)


def _meetings(session: Session, variant: str) -> npt.NDArray[np.float64]:
    """(m, 5) Of each pair in matches of one length: version a, version b, the score of a, matches, boards of each."""
    pair = models.PairStats
    columns = select(pair.a, pair.b, pair.score, pair.n, pair.boards)
    met = session.connection().execute(columns.where(pair.variant == variant))
    # Straight from the driver's cursor: half a million rows of SQLAlchemy's would take longer than the fit.
    assert met.cursor is not None
    numbers = np.fromiter(chain.from_iterable(met.cursor.fetchall()), dtype=np.float64)
    met.close()
    return numbers.reshape(-1, 5)
