"""All there is to know of a bot."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, func, select

from ladder.store.queries.bots import ENTRIES, entry_fields
from ladder.store.queries.faults import FAULT_ROW
from ladder.store.queries.head_to_head import head_to_head
from ladder.store.queries.standings import standings_of
from ladder.store.tables import BOT, CHANGE, FAULT, MATCH, OWNER, RATING, THINKING, VERSION, connection_of
from ladder.values.bots import BotPage, InVariant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Result, RowMapping, Select
    from sqlalchemy.orm import Session

    from ladder.store import models
    from ladder.store.names import NamedVersion

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
