"""Data needed to play a leased match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.store.models import StoredBot, StoredMatch, StoredSeat, Variant, Version

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class SeatedVersion:
    """Program that plays a seat."""

    bot: str
    identity: str
    """Image id, or hash of a folder's content."""
    sandbox: str
    pinned: str | None
    """The image reference by digest; None: only this engine has it."""
    can_fork: bool = False
    """True if its image is a base of ours and files."""


@dataclass(frozen=True)
class LeasedMatch:
    """A match as it was scheduled."""

    rules: dict[str, Any]
    format: str
    clock: dict[str, Any]
    seed: str
    bots: tuple[SeatedVersion, ...]
    """By their numbers."""
    sealed: bool = False
    """True while the public may not know of it."""


def leased_match(session: Session, match_id: int) -> LeasedMatch:
    """Read match number *match_id*."""
    match = session.get_one(StoredMatch, match_id)
    seated = (
        select(StoredBot.name, Version.identity, Version.sandbox, Version.pinned, Version.can_fork)
        .join(Version, Version.bot_id == StoredBot.id)
        .join(StoredSeat, StoredSeat.version_id == Version.id)
        .where(StoredSeat.match_id == match_id)
        .order_by(StoredSeat.seat)
    )
    bots = tuple(SeatedVersion(*row) for row in session.execute(seated))
    return LeasedMatch(
        session.get_one(Variant, match.variant).rules, match.format, match.clock, match.seed, bots, match.sealed
    )
