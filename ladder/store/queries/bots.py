"""Every bot of a ladder, and where it plays."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, select, tuple_

from ladder.store.models import Owner, State, StoredBot, Version
from ladder.store.tables import RATING, VERSION, connection_of
from ladder.values.bots import BotEntry, BotRow
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import Row
    from sqlalchemy.orm import Session


ENTRIES: Select[Any] = select(
    VERSION.c.bot_id,
    RATING.c.version_id,
    RATING.c.variant,
    VERSION.c.number.label("version"),
    RATING.c.state,
    RATING.c.since,
    RATING.c.reason,
).join_from(RATING, VERSION, VERSION.c.id == RATING.c.version_id)
"""Columns of a `BotEntry`, behind the ids of the bot and of the version."""


def bots(
    session: Session, after: str | None = None, limit: int | None = None, owner: str | None = None
) -> list[BotRow]:
    """
    Read bots, by name.

    Args:
        session: A transaction.
        after: Only those whose names come after this one, whether there is such a bot or not; None: from the first on.
        limit: Number of bots to give at most; None: all.
        owner: Only this one's; None: everybody's.
    """
    by_name = func.lower(StoredBot.name), StoredBot.name
    wanted: Select[*tuple[Any, ...]] = (
        select(StoredBot.id, StoredBot.name, Owner.name, StoredBot.added, func.max(Version.number), StoredBot.tables)
        .join_from(StoredBot, Owner, Owner.id == StoredBot.owner_id)
        .join(Version, Version.bot_id == StoredBot.id)
        .group_by(StoredBot.id, StoredBot.name, Owner.name, StoredBot.added, StoredBot.tables)
        .order_by(*by_name)
        .limit(limit)
    )
    if after is not None:
        wanted = wanted.where(tuple_(*by_name) > tuple_(func.lower(after), after))
    if owner is not None:
        wanted = wanted.where(Owner.name == owner)
    rows = session.execute(wanted).all()
    entries = _entries(session, None if limit is None and owner is None else [row[0] for row in rows])
    return [
        BotRow(
            bot=name,
            owner=owner,
            added=time_of(added),
            newest=number,
            entries=tuple(_that_matter(entries[bot])),
            people=people,
        )
        for bot, name, owner, added, number, people in rows
    ]


def _entries(session: Session, some: Collection[int] | None) -> defaultdict[int, list[BotEntry]]:
    """Say where each bot plays, or each of *some*, by id."""
    wanted = ENTRIES.order_by(RATING.c.variant, VERSION.c.number)
    if some is not None:
        wanted = wanted.where(VERSION.c.bot_id.in_(some))
    entries: defaultdict[int, list[BotEntry]] = defaultdict(list)
    for row in connection_of(session).execute(wanted):
        entries[row.bot_id].append(BotEntry.model_validate(entry_fields(row)))
    return entries


def entry_fields(row: Row[Any]) -> dict[str, Any]:
    """Give the fields of a `BotEntry` in a row of `ENTRIES`."""
    return dict(zip(BotEntry.model_fields, row[2:], strict=True))


def _that_matter(entries: Iterable[BotEntry]) -> Iterable[BotEntry]:
    by_variant: defaultdict[str, list[BotEntry]] = defaultdict(list)
    for entry in entries:
        by_variant[entry.variant].append(entry)
    for there in by_variant.values():
        yield from [entry for entry in there if entry.state != State.RETIRED] or there[-1:]
