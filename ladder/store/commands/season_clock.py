"""The clock of a season: the first match that is scheduled sets it, and it stays as soon as a match has begun."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select

from ladder.store.commands.withdrawing import remove_matches
from ladder.store.models import Status, StoredMatch, Variant
from ladder.store.season_timing import clock_of, clock_text, is_same

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pigpen import ClockSetting


def take_clock(session: Session, name: str, clock: ClockSetting) -> bool:
    """
    Make *clock* that of the season if it has none yet.

    Args:
        session: A transaction that writes.
        name: The variant's.
        clock: That of a run.

    Returns:
        Whether it is the season's clock, so that matches may be scheduled with it.
    """
    variant = session.get_one(Variant, name)
    if variant.clock is None:
        variant.clock = clock_of(session, variant) or asdict(clock)
    return is_same(variant.clock, clock)


def change_clock(session: Session, name: str, clock: ClockSetting) -> str | None:
    """
    Make *clock* that of the season, if no match of it has begun; matches that wait with another clock are withdrawn.

    Args:
        session: A transaction that writes.
        name: The variant's.
        clock: That of a run which starts.

    Returns:
        Why that cannot be, in a sentence that ends with the way out; None if it is the season's clock now.
    """
    variant = session.get_one(Variant, name)
    own = clock_of(session, variant)
    if own is None or is_same(own, clock):
        return None
    if _has_begun(session, variant):
        return why_other_clock(session, name, clock)
    remove_matches(session, open_matches(session, name))
    variant.clock = asdict(clock)
    return None


def why_other_clock(session: Session, name: str, clock: ClockSetting) -> str | None:
    """Say that the season is played with another clock, and the way out; None if it is not."""
    variant = session.get_one(Variant, name)
    own = clock_of(session, variant)
    if own is None or is_same(own, clock):
        return None
    return (
        f"The season {variant.season_name} of {name} is played with {_words(own)}, and the settings give "
        f"{_words(asdict(clock))}. Set clock and limit back, or begin a new season: "
        f"pigpen ladder season new --variant {name}"
    )


def open_matches(session: Session, name: str) -> list[int]:
    """List the ladder's matches of a variant that have no result, by number: events keep theirs."""
    wanted = select(StoredMatch.id).where(StoredMatch.variant == name, StoredMatch.event_id.is_(None))
    return list(session.scalars(wanted.where(StoredMatch.status != Status.DONE)))


def _has_begun(session: Session, variant: Variant) -> bool:
    mine = StoredMatch.variant == variant.name, StoredMatch.event_id.is_(None)
    begun = or_(
        StoredMatch.ordinal > variant.season_start, (StoredMatch.status != Status.DONE) & (StoredMatch.attempt > 0)
    )
    return session.scalar(select(StoredMatch.id).where(*mine, begun).limit(1)) is not None


def _words(clock: dict[str, Any]) -> str:
    return f"clock {clock_text(clock)}, limit {clock['limit']:g}"
