"""Programs of the bots of a ladder, and whose they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import exists, func, select

from ladder.store.core_tables import BOT, MATCH, OWNER, RATING, VERSION, connection_of
from ladder.store.models import State

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class OwnedVersion:
    """A version of a bot, and its owner."""

    id: int
    bot: str
    number: int
    owner: str
    identity: str


_VERSIONS = (
    select(VERSION.c.id, BOT.c.name, VERSION.c.number, OWNER.c.name, VERSION.c.identity)
    .join_from(VERSION, BOT, BOT.c.id == VERSION.c.bot_id)
    .join(OWNER, OWNER.c.id == BOT.c.owner_id)
)
_ENTERED = exists().where(RATING.c.version_id == VERSION.c.id, RATING.c.state != State.RETIRED)
MAX_VERSIONS = 10_000
"""Versions that are looked at: the newest ones."""


def entered_versions(session: Session, limit: int = MAX_VERSIONS) -> list[OwnedVersion]:
    """Read the versions that have not retired everywhere, the newest first."""
    wanted = _VERSIONS.where(_ENTERED).order_by(VERSION.c.id.desc()).limit(limit)
    return [OwnedVersion(*row) for row in connection_of(session).execute(wanted)]


def owned_versions(session: Session, versions: Collection[int]) -> list[OwnedVersion]:
    """Read some versions, by id."""
    rows = connection_of(session).execute(_VERSIONS.where(VERSION.c.id.in_(sorted(versions))))
    return [OwnedVersion(*row) for row in rows]


def newest_ordinal(session: Session) -> int:
    """Give the number of results of the ladder."""
    return connection_of(session).execute(select(func.max(MATCH.c.ordinal))).scalar() or 0
