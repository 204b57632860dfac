"""Every bot of a ladder, and where it plays."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, select

from ladder.store.models import Owner, Rating, State, StoredBot, Version
from ladder.values.bots import BotEntry, BotRow
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session


ENTRIES: Select[*tuple[Any, ...]] = select(
    Version.bot_id,
    Rating.version_id,
    Rating.variant,
    Version.number.label("version"),
    Rating.state,
    Rating.since,
    Rating.reason,
).join_from(Rating, Version, Version.id == Rating.version_id)
"""What a `BotEntry` is made of, with the ids of the bot and of the version."""


def bots(session: Session) -> list[BotRow]:
    """Read every bot, by name."""
    entries: defaultdict[int, list[BotEntry]] = defaultdict(list)
    for row in session.execute(ENTRIES.order_by(Rating.variant, Version.number)):
        entries[row.bot_id].append(BotEntry.model_validate(row))
    newest = func.max(Version.number)
    wanted: Select[*tuple[Any, ...]] = (
        select(StoredBot.id, StoredBot.name, Owner.name, StoredBot.added, newest)
        .join_from(StoredBot, Owner, Owner.id == StoredBot.owner_id)
        .join(Version, Version.bot_id == StoredBot.id)
        .group_by(StoredBot.id, StoredBot.name, Owner.name, StoredBot.added)
        .order_by(func.lower(StoredBot.name), StoredBot.name)
    )
    return [
        BotRow(bot=name, owner=owner, added=time_of(added), newest=number, entries=tuple(_that_matter(entries[bot])))
        for bot, name, owner, added, number in session.execute(wanted)
    ]


def _that_matter(entries: Iterable[BotEntry]) -> Iterable[BotEntry]:
    by_variant: defaultdict[str, list[BotEntry]] = defaultdict(list)
    for entry in entries:
        by_variant[entry.variant].append(entry)
    for there in by_variant.values():
        yield from [entry for entry in there if entry.state != State.RETIRED] or there[-1:]
