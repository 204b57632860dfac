"""Reading the tables that one person has played to their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from ladder.store.table_models import PeopleChair, PeopleTable

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


def played_by(
    session: Session, account: str | None, guest: str, max_tables: int
) -> list[tuple[PeopleTable, int, list[PeopleChair]]]:
    """
    Give tables that a person has played to their end, the newest first: each with the person's chair, and all chairs.

    Args:
        session: The database.
        account: The person's account; None: a guest.
        guest: The hash of what the guest is known by; guests are found at tables that they have opened.
        max_tables: Tables to give at most.
    """
    wanted = (
        select(PeopleTable, PeopleChair.chair)
        .join(PeopleChair, PeopleChair.table_id == PeopleTable.id)
        .where(*_of(account, guest))
        .order_by(PeopleTable.finished.desc(), PeopleTable.id.desc())
        .limit(max_tables)
    )
    rows = [(table, chair) for table, chair in session.execute(wanted)]
    chairs: dict[int, list[PeopleChair]] = {table.id: [] for table, _ in rows}
    there = select(PeopleChair).where(PeopleChair.table_id.in_(chairs)).order_by(PeopleChair.chair)
    for each in session.scalars(there):
        chairs[each.table_id].append(each)
    return [(table, chair, chairs[table.id]) for table, chair in rows]


def days_played_by(session: Session, account: str | None, guest: str, max_boards: int) -> list[tuple[str, str, str]]:
    """Give the plays of days' boards by a person, the one opened last first: day, variant and table of each."""
    wanted = (
        select(PeopleTable.board, PeopleTable.variant, PeopleTable.name)
        .join(PeopleChair, PeopleChair.table_id == PeopleTable.id)
        .where(*_of(account, guest), PeopleTable.purpose == "today")
        .order_by(PeopleTable.id.desc())
        .limit(max_boards)
    )
    return [(day, variant, name) for day, variant, name in session.execute(wanted)]


def _of(account: str | None, guest: str) -> list[ColumnElement[bool]]:
    """Give the conditions for the chairs in which a person has played a table to its end."""
    done = [PeopleTable.status == "over", PeopleChair.points.is_not(None)]
    if account is not None:
        return [PeopleChair.account == account, PeopleChair.kind == "person", *done]
    other = aliased(PeopleChair)
    first = select(func.min(other.chair)).where(other.table_id == PeopleTable.id, other.kind == "person")
    is_opener = PeopleChair.chair == first.scalar_subquery()
    return [PeopleTable.guest == guest, PeopleTable.guest != "", is_opener, *done]
