"""All there is to know of a bot."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from ladder.store import models
from ladder.store.models import Rating, StateChange, StoredFault, StoredMatch, ThinkTimes
from ladder.store.names import versions_of
from ladder.store.queries.bots import ENTRIES
from ladder.store.queries.faults import FAULT_ROW
from ladder.store.queries.head_to_head import head_to_head
from ladder.store.queries.standings import VariantStandings, missing, standing
from ladder.values.bots import BotEntry, BotPage, Change, FaultKind, FaultRow, InVariant, VersionRow
from ladder.values.value import time_of

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

EXAMPLES = 3
"""How many of the newest faults of each kind are shown."""
CHANGES = 20
"""How many of the newest changes of state are shown."""


def bot_page(session: Session, version: models.Version, opponents: int, variant: str | None = None) -> BotPage:
    """
    Read the page of a bot.

    Args:
        session: A transaction.
        version: The version to describe in detail.
        opponents: Number of opponents to give at most in each variant.
        variant: Describe this variant only.
    """
    bot = session.get_one(models.StoredBot, version.bot_id)
    return BotPage(
        bot=bot.name,
        owner=session.get_one(models.Owner, bot.owner_id).name,
        added=time_of(bot.added),
        versions=_versions(session, bot),
        version=version.number,
        variants=tuple(_in_variants(session, version, opponents, variant)),
        faults=tuple(_faults(session, version)),
        changes=_changes(session, version),
    )


def _versions(session: Session, bot: models.StoredBot) -> tuple[VersionRow, ...]:
    versions = versions_of(session, bot)
    entries: defaultdict[int, list[BotEntry]] = defaultdict(list)
    wanted = ENTRIES.where(models.Version.bot_id == bot.id).order_by(Rating.variant)
    for row in session.execute(wanted):
        entries[row.version_id].append(BotEntry.model_validate(row))
    return tuple(
        VersionRow(
            number=each.number,
            added=time_of(each.added),
            identity=each.identity,
            sandbox=each.sandbox,
            source=each.source,
            pinned=each.pinned,
            size=each.size,
            lock=each.lock,
            can_fork=each.can_fork,
            entries=tuple(entries[each.id]),
        )
        for each in reversed(versions)
    )


def _in_variants(session: Session, version: models.Version, opponents: int, only: str | None) -> list[InVariant]:
    entered = select(models.Variant).join(Rating, Rating.variant == models.Variant.name)
    wanted = entered.where(Rating.version_id == version.id).order_by(models.Variant.added, models.Variant.name)
    found = []
    for variant in session.scalars(wanted if only is None else wanted.where(models.Variant.name == only)):
        field = VariantStandings.of(session, variant)
        stands = standing(session, variant, version, field)
        times = session.get(ThinkTimes, (variant.name, version.id))
        duels = head_to_head(session, variant.name, version.id, opponents)
        assert stands
        found.append(
            InVariant(
                variant=variant.name,
                standing=stands,
                active=field.active,
                missing_owners=missing(session, variant),
                opponents=tuple(duels),
                think_times=times.histogram if times else {},
            )
        )
    return found


def _faults(session: Session, version: models.Version) -> list[FaultKind]:
    mine = StoredFault.version_id == version.id
    counts = session.execute(
        select(StoredFault.verdict, func.count())
        .where(mine)
        .group_by(StoredFault.verdict)
        .order_by(func.count().desc(), StoredFault.verdict)
    )
    number = func.row_number().over(partition_by=StoredFault.verdict, order_by=StoredFault.id.desc()).label("number")
    numbered = select(StoredFault.id, number).where(mine).subquery()
    newest: Select[*tuple[Any, ...]] = (
        select(
            StoredFault.verdict,
            *FAULT_ROW,
        )
        .join_from(StoredFault, numbered, numbered.c.id == StoredFault.id)
        .join(StoredMatch, StoredMatch.id == StoredFault.match_id)
        .where(numbered.c.number <= EXAMPLES)
        .order_by(StoredFault.id.desc())
    )
    examples: defaultdict[str, list[FaultRow]] = defaultdict(list)
    for row in session.execute(newest):
        examples[row.verdict].append(FaultRow.model_validate(row))
    return [FaultKind(verdict=name, count=count, newest=tuple(examples[name])) for name, count in counts]


def _changes(session: Session, version: models.Version) -> tuple[Change, ...]:
    wanted = (
        select(StateChange.variant, StateChange.at, StateChange.state, StateChange.by, StateChange.reason)
        .where(StateChange.version_id == version.id)
        .order_by(StateChange.id.desc())
        .limit(CHANGES)
    )
    return tuple(Change.model_validate(row) for row in session.execute(wanted))
