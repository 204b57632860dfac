"""All there is to know of a bot."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from ladder.store import models
from ladder.store.models import Rating, StateChange, StoredFault, StoredMatch, ThinkTimes
from ladder.store.names import versions_of
from ladder.store.queries.bots import BotEntry
from ladder.store.queries.head_to_head import Opponent, head_to_head
from ladder.store.queries.standings import StandingRow, VariantStandings, standing

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

EXAMPLES = 3
"""How many of the newest faults of each kind are shown."""
CHANGES = 20
"""How many of the newest changes of state are shown."""


@dataclass(frozen=True)
class VersionRow:
    """One version of the bot."""

    number: int
    added: float
    identity: str
    sandbox: str
    source: str
    pinned: str | None
    size: int
    lock: str | None
    """Its packages with their hashes, fit to be a requirements.lock; None: it has none."""
    entries: tuple[BotEntry, ...]


@dataclass(frozen=True)
class FaultRow:
    """One thing that was held against it."""

    match: int
    variant: str
    table: int
    place: str
    """The deal, as people call it."""
    decision: int
    why: str
    exit_code: int | None
    oom: bool | None


@dataclass(frozen=True)
class FaultKind:
    """What was held against it under one verdict, in all variants."""

    verdict: str
    count: int
    newest: tuple[FaultRow, ...]


@dataclass(frozen=True)
class Change:
    """When and why its state changed."""

    variant: str
    at: float
    state: str
    by: str
    reason: str


@dataclass(frozen=True)
class InVariant:
    """The version in one variant."""

    variant: str
    standing: StandingRow
    active: int
    """How many are ranked there."""
    opponents: tuple[Opponent, ...]
    think_times: dict[str, Any]
    """By phase: how many decisions fell in each bin (`ladder.results.think_times`)."""


@dataclass(frozen=True)
class BotPage:
    """A bot, and one of its versions in detail."""

    bot: str
    owner: str
    added: float
    versions: tuple[VersionRow, ...]
    """Newest first."""
    version: int
    """Of which version the rest speaks."""
    variants: tuple[InVariant, ...]
    faults: tuple[FaultKind, ...]
    """The commonest verdict first."""
    changes: tuple[Change, ...]
    """Newest first."""


def bot_page(session: Session, version: models.Version, opponents: int, variant: str | None = None) -> BotPage:
    """
    Read the page of a bot.

    Args:
        session: A transaction.
        version: The version to tell of in detail.
        opponents: At most so many in each variant.
        variant: Tell of this variant only.
    """
    bot = session.get_one(models.StoredBot, version.bot_id)
    return BotPage(
        bot=bot.name,
        owner=session.get_one(models.Owner, bot.owner_id).name,
        added=bot.added,
        versions=_versions(session, bot),
        version=version.number,
        variants=tuple(_in_variants(session, version, opponents, variant)),
        faults=tuple(_faults(session, version)),
        changes=_changes(session, version),
    )


def _versions(session: Session, bot: models.StoredBot) -> tuple[VersionRow, ...]:
    versions = versions_of(session, bot)
    entries: defaultdict[int, list[BotEntry]] = defaultdict(list)
    wanted: Select[*tuple[Any, ...]] = (
        select(Rating.version_id, Rating.variant, models.Version.number, Rating.state, Rating.since, Rating.reason)
        .join_from(Rating, models.Version, models.Version.id == Rating.version_id)
        .where(models.Version.bot_id == bot.id)
        .order_by(Rating.variant)
    )
    for version, *rest in session.execute(wanted):
        entries[version].append(BotEntry(*rest))
    return tuple(
        VersionRow(
            each.number,
            each.added,
            each.identity,
            each.sandbox,
            each.source,
            each.pinned,
            each.size,
            each.lock,
            tuple(entries[each.id]),
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
        found.append(InVariant(variant.name, stands, field.active, tuple(duels), times.histogram if times else {}))
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
            StoredFault.match_id,
            StoredMatch.variant,
            StoredFault.rotation,
            StoredFault.place,
            StoredFault.decision,
            StoredFault.why,
            StoredFault.exit_code,
            StoredFault.oom,
        )
        .join_from(StoredFault, numbered, numbered.c.id == StoredFault.id)
        .join(StoredMatch, StoredMatch.id == StoredFault.match_id)
        .where(numbered.c.number <= EXAMPLES)
        .order_by(StoredFault.id.desc())
    )
    examples: defaultdict[str, list[FaultRow]] = defaultdict(list)
    for verdict, *rest in session.execute(newest):
        examples[verdict].append(FaultRow(*rest))
    return [FaultKind(verdict, count, tuple(examples[verdict])) for verdict, count in counts]


def _changes(session: Session, version: models.Version) -> tuple[Change, ...]:
    wanted = (
        select(StateChange.variant, StateChange.at, StateChange.state, StateChange.by, StateChange.reason)
        .where(StateChange.version_id == version.id)
        .order_by(StateChange.id.desc())
        .limit(CHANGES)
    )
    return tuple(Change(*row) for row in session.execute(wanted))
