"""
Bots of a ladder: the list of all, where each plays, and the page of one with all there is to know of it.

To the page belong its newest faults; the faults of one match are read here too.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Select, and_, bindparam, func, select, tuple_

from ladder.store.core_tables import BOT, CHANGE, FAULT, MATCH, OWNER, RATING, THINKING, VERSION, connection_of
from ladder.store.models import Owner, State, StoredBot, StoredFault, StoredMatch, Version
from ladder.store.queries.head_to_head import head_to_head
from ladder.store.queries.standings import standings_of
from ladder.values.bots import BotEntry, BotPage, BotRow, FaultRow, InVariant
from ladder.values.local_results import FaultReport
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from sqlalchemy import ColumnElement, Result, Row, RowMapping
    from sqlalchemy.orm import Session

    from ladder.store import models
    from ladder.store.lookup import NamedVersion

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


def faults_of(session: Session, match: int) -> list[FaultReport]:
    """Read all faults of a match, by seat and rotation."""
    wanted: Select[*tuple[Any, ...]] = (
        select(
            StoredFault.seat,
            StoredFault.rotation,
            StoredFault.place,
            StoredFault.decision,
            StoredFault.verdict,
            StoredFault.why,
            StoredFault.exit_code,
            StoredFault.oom,
        )
        .where(StoredFault.match_id == match)
        .order_by(StoredFault.seat, StoredFault.rotation, StoredFault.decision, StoredFault.id)
    )
    return [FaultReport.model_validate(row) for row in session.execute(wanted)]


FAULT_ROW: tuple[ColumnElement[Any], ...] = (
    FAULT.c.match_id.label("match"),
    MATCH.c.variant,
    FAULT.c.rotation,
    FAULT.c.place,
    FAULT.c.decision,
    FAULT.c.why,
    FAULT.c.exit_code,
    FAULT.c.oom,
)
"""The columns of a `FaultRow`."""


class NewFault(NamedTuple):
    """A fault of a version."""

    seat: int
    """The bot's number in the match."""
    verdict: str
    fault: FaultRow


def newest_faults(session: Session, version: int, limit: int, variant: str | None = None) -> list[NewFault]:
    """
    Read the newest faults of a version, the newest one first.

    Args:
        session: A transaction.
        version: Its id.
        limit: Number of faults to give at most.
        variant: Only those in this variant.
    """
    wanted: Select[*tuple[Any, ...]] = (
        select(
            *FAULT_ROW,
            StoredFault.seat,
            StoredFault.verdict,
        )
        .join(StoredMatch, StoredMatch.id == StoredFault.match_id)
        .where(StoredFault.version_id == version)
        .order_by(StoredFault.id.desc())
        .limit(limit)
    )
    if variant is not None:
        wanted = wanted.where(StoredMatch.variant == variant)
    rows = session.execute(wanted).mappings()
    return [
        NewFault(row["seat"], row["verdict"], FaultRow(**{name: row[name] for name in FaultRow.model_fields}))
        for row in rows
    ]


EXAMPLES = 3
"""Number of the newest faults of each kind that are shown."""
CHANGES = 20
"""Number of the newest changes of state that are shown."""


def bot_page(
    session: Session,
    version: NamedVersion | models.Version,
    opponents: int,
    variant: str | None = None,
    house_bots: bool = False,
) -> BotPage:
    """
    Read the page of a bot.

    Args:
        session: A transaction.
        version: The version to describe in detail.
        opponents: Number of opponents to give at most in each variant.
        variant: Describe this variant only.
        house_bots: House bots stand in for owners that are missing.
    """
    rows = connection_of(session).execute(_VERSIONS, {"bot_": version.bot_id}).mappings().all()
    return BotPage.model_validate(  # all of it in one go: that takes half the time
        {
            "bot": rows[0]["bot"],
            "owner": rows[0]["owner"],
            "added": rows[0]["bot_added"],
            "versions": list(_versions(session, version.bot_id, rows)),
            "version": version.number,
            "variants": list(_in_variants(session, version.id, opponents, variant, house_bots)),
            "faults": _faults(session, version.id),
            "changes": _dicts(connection_of(session).execute(_CHANGES, {"version_": version.id})),
        }
    )


def _versions(session: Session, bot: int, rows: Iterable[RowMapping]) -> Iterator[dict[str, Any]]:
    """Give the fields of each `VersionRow`, the newest first."""
    entries: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in connection_of(session).execute(_ENTRIES, {"bot_": bot}):
        entries[row.version_id].append(entry_fields(row))
    for each in rows:
        yield {**{name: each[name] for name in OF_VERSION}, "entries": entries[each["id"]]}


def _in_variants(
    session: Session, version: int, opponents: int, only: str | None, house_bots: bool
) -> Iterator[InVariant]:
    times = {name: each for name, each in connection_of(session).execute(_THINKING, {"version_": version})}  # noqa: C416
    for field, standing in standings_of(session, version):
        if only in (None, field.variant):
            yield InVariant(
                variant=field.variant,
                standing=standing,
                active=field.active,
                missing_owners=field.missing(house_bots),
                opponents=tuple(head_to_head(session, field.variant, version, opponents)),
                think_times=times.get(field.variant, {}),
            )


def _faults(session: Session, version: int) -> list[dict[str, Any]]:
    """Give the fields of each `FaultKind`, the commonest one first."""
    kinds: dict[str, dict[str, Any]] = {}
    for row in _dicts(connection_of(session).execute(_FAULTS, {"version_": version, "examples_": EXAMPLES})):
        verdict, count = row.pop("verdict"), row.pop("count")
        kind = kinds.setdefault(verdict, {"verdict": verdict, "count": count, "newest": []})
        kind["newest"].append(row)
    return sorted(kinds.values(), key=lambda kind: (-kind["count"], kind["verdict"]))


def _dicts(rows: Result[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows.mappings()]


def _fault_rows() -> Select[Any]:
    """Select the newest faults of each verdict, and how many there are of it."""
    same = FAULT.c.verdict
    number = func.row_number().over(partition_by=same, order_by=FAULT.c.id.desc()).label("number")
    count = func.count().over(partition_by=same).label("count")
    mine = select(FAULT.c.id, number, count).where(FAULT.c.version_id == bindparam("version_")).subquery()
    return (
        select(same, mine.c.count, *FAULT_ROW)
        .select_from(mine.join(FAULT, FAULT.c.id == mine.c.id).join(MATCH, MATCH.c.id == FAULT.c.match_id))
        .where(mine.c.number <= bindparam("examples_"))
        .order_by(FAULT.c.id.desc())
    )


OF_VERSION = ("number", "added", "identity", "sandbox", "source", "pinned", "size", "lock", "can_fork")
"""The columns that a `VersionRow` has."""
_VERSIONS = (
    select(
        VERSION.c.id, *(VERSION.c[name] for name in OF_VERSION),
        BOT.c.name.label("bot"), BOT.c.added.label("bot_added"), OWNER.c.name.label("owner"),
    )
    .select_from(VERSION.join(BOT, BOT.c.id == VERSION.c.bot_id).join(OWNER, OWNER.c.id == BOT.c.owner_id))
    .where(VERSION.c.bot_id == bindparam("bot_"))
    .order_by(VERSION.c.number.desc())
)  # fmt: skip
_ENTRIES = ENTRIES.where(VERSION.c.bot_id == bindparam("bot_")).order_by(ENTRIES.selected_columns.variant)
_THINKING = (
    select(THINKING.c.variant, THINKING.c.histogram)
    .join_from(
        RATING,
        THINKING,
        and_(THINKING.c.variant == RATING.c.variant, THINKING.c.version_id == RATING.c.version_id),
    )
    .where(RATING.c.version_id == bindparam("version_"))
)
_FAULTS = _fault_rows()
_CHANGES = (
    select(CHANGE.c.variant, CHANGE.c.at, CHANGE.c.state, CHANGE.c.by, CHANGE.c.reason)
    .where(CHANGE.c.version_id == bindparam("version_"))
    .order_by(CHANGE.c.id.desc())
    .limit(CHANGES)
)
