"""The states of tables, without what is played there."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from ladder.app.accounts.secrets import hash_of
from ladder.errors import LadderError
from ladder.people.tables.limits import guest_hash
from ladder.store.queries.tables import chairs_of, offered_bots, open_of, table_by_name
from ladder.values.people import ChairKind, TableChair, TablePurpose, TableState, TableStatus
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.store.table_models import PeopleChair, PeopleTable
    from ladder.values.people import TableVisitor

NO_TABLE = "There is no such table; it may have been removed. Open another one at /play."


def table_page(ladder: Ladder, name: str, secret: str | None = None) -> TableState:
    """
    Read a table as it looks with the secret of one of its chairs, or with none.

    Raises:
        LadderError: If there is no such table.
    """
    with ladder.database.read() as session:
        table = found_table(session, name)
        chairs = chairs_of(session, table.id)
        return state_of(table, chairs, chair_for(chairs, secret or ""))


def open_tables_of(ladder: Ladder, who: TableVisitor) -> list[TableState]:
    """Read the tables that a visitor has opened and that have not ended, the oldest first."""
    guest = guest_hash(who)
    if who.account is None and not guest:
        return []
    with ladder.database.read() as session:
        return [state_of(each, chairs_of(session, each.id), None) for each in open_of(session, who.account, guest)]


def bots_to_play_with(ladder: Ladder, variant: str) -> list[str]:
    """List the names of the bots whose owners allow it to be played with in a variant, the best first."""
    with ladder.database.read() as session:
        return offered_bots(session, variant)


def found_table(session: Session, name: str) -> PeopleTable:
    """
    Find a table.

    Raises:
        LadderError: If there is none of that name.
    """
    table = table_by_name(session, name) if name.isascii() and name.isprintable() else None
    if table is None:
        raise LadderError(NO_TABLE)
    return table


def chair_for(chairs: Sequence[PeopleChair], secret: str) -> PeopleChair | None:
    """Find the chair that a secret is for; None if it is for none of them."""
    wanted = hash_of(secret)
    return next((each for each in chairs if hmac.compare_digest(each.secret_hash or "", wanted)), None)


def is_opener(chairs: Sequence[PeopleChair], chair: PeopleChair | None) -> bool:
    """Tell whether a chair is that of who opened the table: the first one for a person."""
    return chair is next(each for each in chairs if each.kind == ChairKind.PERSON)


def state_of(table: PeopleTable, chairs: Sequence[PeopleChair], mine: PeopleChair | None) -> TableState:
    """Give the state of a table, as the person in the chair *mine* may see it, or as any visitor may."""
    is_open_to_see = table.status == TableStatus.OVER and table.purpose == TablePurpose.FREE
    return TableState(
        **{name: getattr(table, name) for name in _SAME},
        chairs=tuple(map(_chair, chairs)),
        mine=None if mine is None else mine.chair,
        is_opener=is_opener(chairs, mine),
        opener=table.owner or "",
        seed=table.seed if is_open_to_see else None,
        created=time_of(table.created),
        finished=None if table.finished is None else time_of(table.finished),
    )


_SAME = (
    "id", "name", "purpose", "board", "variant", "rules", "format", "seconds", "pace", "practice", "assisted",
    "status", "reason", "commitment",
)  # fmt: skip


def _chair(chair: PeopleChair) -> TableChair:
    return TableChair(
        kind=ChairKind(chair.kind),
        name=chair.name,
        joined=chair.kind != ChairKind.PERSON or chair.joined is not None,
        is_account=chair.account is not None,
        points=chair.points,
        place=chair.place,
    )
