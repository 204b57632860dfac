"""The last batch estimate of a variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.ratings.batch import Estimate
from ladder.store import models

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def estimate_of(session: Session, variant: str) -> Estimate | None:
    """The last estimate of a variant; None before the first one."""
    blob = session.scalar(select(models.StoredEstimate.fit).where(models.StoredEstimate.variant == variant))
    return None if blob is None else Estimate.from_bytes(blob)


def los(session: Session, variant: str, a: int, b: int) -> float | None:
    """How likely version *a* is stronger than *b* in a variant, 0 to 1; None if the last estimate lacks one of them."""
    estimate = estimate_of(session, variant)
    try:
        return estimate.los(a, b) if estimate else None
    except KeyError:
        return None
