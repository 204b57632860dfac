"""Entries of versions in variants, and the rating that a new entry begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.ratings.elo import START
from ladder.store import models
from ladder.store.models import State

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

PLAYING = (State.ACTIVE, State.SUSPENDED)
"""States of those that have not retired."""


def entries_of(session: Session, bot: int, variant: str | None = None) -> list[models.Rating]:
    """Give all entries of the bot with that id, or those in one variant, the oldest version first."""
    wanted = select(models.Rating).join(models.Version, models.Version.id == models.Rating.version_id)
    wanted = wanted.where(models.Version.bot_id == bot).order_by(models.Version.number, models.Rating.variant)
    return list(session.scalars(wanted if variant is None else wanted.where(models.Rating.variant == variant)))


def first_rating(session: Session, bot: int, variant: str) -> float:
    """
    Give the rating with which a new version of a bot begins in a variant, as it is stored.

    That is its predecessor's: of those that play, or else of all, the newest. For a bot without one it is what is
    shown as `START`.
    """
    before = entries_of(session, bot, variant)
    if before:
        return ([entry for entry in before if entry.state in PLAYING] or before)[-1].rating
    return START - shift_of(session, variant)


def shift_of(session: Session, variant: str) -> float:
    """Give what to add to a rating in a variant before it is shown."""
    return session.get_one(models.Variant, variant).shift


def left_suspended(session: Session, entry: models.Rating) -> models.StateChange | None:
    """Find the suspension during which an entry retired, or None: leaving and coming back ends no suspension."""
    changes = select(models.StateChange).order_by(models.StateChange.id.desc()).limit(1)
    changes = changes.where(models.StateChange.variant == entry.variant)
    changes = changes.where(models.StateChange.version_id == entry.version_id)
    last = session.scalar(changes.where(models.StateChange.state != State.RETIRED))
    return last if last is not None and last.state == State.SUSPENDED else None
