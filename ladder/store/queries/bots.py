"""Every bot of a ladder, and where it plays."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from ladder.store.models import Owner, Rating, State, StoredBot, Version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Select
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class BotEntry:
    """A version in a variant."""

    variant: str
    version: int
    """Its number among the versions of the bot."""
    state: str
    since: float
    """When it got this state."""
    reason: str


@dataclass(frozen=True)
class BotRow:
    """A bot."""

    bot: str
    owner: str
    added: float
    newest: int
    """The number of its newest version."""
    entries: tuple[BotEntry, ...]
    """Where it plays or is suspended; and where neither, the newest version that has retired there."""


def bots(session: Session) -> list[BotRow]:
    """Read every bot, by name."""
    entries: defaultdict[int, list[BotEntry]] = defaultdict(list)
    entered: Select[*tuple[Any, ...]] = select(
        Version.bot_id, Rating.variant, Version.number, Rating.state, Rating.since, Rating.reason
    ).join_from(Rating, Version, Version.id == Rating.version_id)
    for bot, *rest in session.execute(entered.order_by(Rating.variant, Version.number)):
        entries[bot].append(BotEntry(*rest))
    newest = func.max(Version.number)
    wanted: Select[*tuple[Any, ...]] = (
        select(StoredBot.id, StoredBot.name, Owner.name, StoredBot.added, newest)
        .join_from(StoredBot, Owner, Owner.id == StoredBot.owner_id)
        .join(Version, Version.bot_id == StoredBot.id)
        .group_by(StoredBot.id, StoredBot.name, Owner.name, StoredBot.added)
        .order_by(func.lower(StoredBot.name), StoredBot.name)
    )
    return [
        BotRow(name, owner, added, number, tuple(_that_matter(entries[bot])))
        for bot, name, owner, added, number in session.execute(wanted)
    ]


def _that_matter(entries: Iterable[BotEntry]) -> Iterable[BotEntry]:
    by_variant: defaultdict[str, list[BotEntry]] = defaultdict(list)
    for entry in entries:
        by_variant[entry.variant].append(entry)
    for there in by_variant.values():
        yield from [entry for entry in there if entry.state != State.RETIRED] or there[-1:]
