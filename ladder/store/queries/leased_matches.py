"""Data needed to play a leased match, or a leased table with people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.store.models import StoredBot, StoredMatch, StoredSeat, Variant, Version
from ladder.store.queries.people_tables import chairs_of
from ladder.store.table_models import PeopleTable
from ladder.values.people import ChairKind

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


@dataclass(frozen=True)
class LeasedChair:
    """The player in one chair."""

    kind: ChairKind
    name: str
    version: SeatedVersion | None
    """Of a bot of the ladder."""


@dataclass(frozen=True)
class LeasedTable:
    """Data needed to play a table."""

    rules: dict[str, Any]
    format: str
    seed: str
    seconds: float
    practice: bool
    take_back: int | None
    chairs: tuple[LeasedChair, ...]


def leased_table(session: Session, table: int) -> LeasedTable:
    """Read table number *table*."""
    row = session.get_one(PeopleTable, table)
    chairs = tuple(
        LeasedChair(ChairKind(each.kind), each.name, _seated(session, each.version_id))
        for each in chairs_of(session, table)
    )
    return LeasedTable(row.rules, row.format, row.seed, row.seconds, row.practice, row.take_back, chairs)


def _seated(session: Session, version: int | None) -> SeatedVersion | None:
    if version is None:
        return None
    found = session.get_one(Version, version)
    bot = session.get_one(StoredBot, found.bot_id)
    return SeatedVersion(bot.name, found.identity, found.sandbox, found.pinned, found.can_fork)
