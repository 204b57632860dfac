"""The clock of a season, and how it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.store.models import StoredMatch, Variant

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pigpen import ClockSetting


def clock_of(session: Session, variant: Variant) -> dict[str, Any] | None:
    """Give the clock of the season that is played now, field for field; None: no match of it has been scheduled."""
    return variant.clock or session.scalar(
        select(StoredMatch.clock)
        .where(StoredMatch.variant == variant.name, StoredMatch.ordinal > variant.season_start)
        .order_by(StoredMatch.ordinal.desc())
        .limit(1)
    )


def is_same(own: dict[str, Any], clock: ClockSetting) -> bool:
    """Tell whether bots have as much time by one clock as by another; how long a start may take does not count."""
    return (own["bank"], own["increment"], own["limit"]) == (clock.bank, clock.increment, clock.limit)


def clock_text(clock: dict[str, Any]) -> str:
    """Write a clock as the settings have it: ``60+0.1``."""
    return f"{clock['bank']:g}+{clock['increment']:g}"
