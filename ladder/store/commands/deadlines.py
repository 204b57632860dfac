"""Deadlines of submissions: set and lifted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete

from ladder.store.organiser_models import Deadline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session


def set_deadline(session: Session, variant: str, at: float) -> None:
    """Set the deadline of a variant, in the place of the one that it may have."""
    session.merge(Deadline(variant=variant, at=at))
    session.flush()


def lift_deadlines(session: Session, variants: Iterable[str]) -> None:
    """Lift the deadlines of variants."""
    session.execute(delete(Deadline).where(Deadline.variant.in_(list(variants))))
