"""Data needed to play a table with people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ladder.store.models import StoredBot, Version
from ladder.store.queries.leased_matches import SeatedVersion
from ladder.store.queries.tables import chairs_of
from ladder.store.table_models import PeopleTable
from ladder.values.people import ChairKind

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


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
