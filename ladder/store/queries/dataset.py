"""Queries for the data set of a ladder: all that is public of matches that are done, and of versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, union_all

from ladder.store.models import (
    FinishedSeason,
    Status,
    StoredBot,
    StoredMatch,
    Variant,
    Version,
    visible_matches,
)
from ladder.values.names import owner_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


def done_matches(session: Session) -> list[int]:
    """Read the numbers of all public matches that are done, in order."""
    wanted = select(StoredMatch.id).where(StoredMatch.status == Status.DONE, visible_matches())
    return list(session.scalars(wanted.order_by(StoredMatch.id)))


def seasons_of(session: Session, matches: Sequence[int]) -> dict[int, str]:
    """Read the names of the seasons of *matches*, by number; those of no season, and without a result, are missing."""
    mine = StoredMatch.id.in_(matches)
    finished = select(StoredMatch.id, FinishedSeason.name).where(
        mine, StoredMatch.variant == FinishedSeason.variant,
        StoredMatch.ordinal > FinishedSeason.after, StoredMatch.ordinal <= FinishedSeason.last,
    )  # fmt: skip
    now = select(StoredMatch.id, Variant.season_name).where(
        mine, StoredMatch.variant == Variant.name, StoredMatch.ordinal > Variant.season_start
    )
    return {row.id: row.name for row in session.execute(union_all(finished, now))}


def all_versions(session: Session) -> list[tuple[str, int, str, str, float]]:
    """Read bot, number, the code of the owner, identity and time of entry of all versions."""
    wanted = (
        select(StoredBot.name, Version.number, StoredBot.owner_id, Version.identity, Version.added)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .order_by(StoredBot.name, Version.number)
    )
    found = session.execute(wanted)
    return [(bot, number, owner_code(owner), identity, added) for bot, number, owner, identity, added in found]
