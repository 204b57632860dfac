"""Reading the tables that one person has played to their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from ladder.store.table_models import PeopleChair, PeopleTable

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def played_by(
    session: Session, account: str | None, guest: str, most: int, board: str | None = None
) -> list[tuple[PeopleTable, int, list[PeopleChair]]]:
    """
    Give tables that a person has played to their end, the newest first: each with the person's chair, and all chairs.

    Args:
        session: The database.
        account: The person's account; None: a guest.
        guest: The hash of what the guest is known by; guests are found at tables that they have opened.
        most: Tables to give at most.
        board: Only tables of this purpose, such as `today`; None: all.
    """
    if account is None:
        other = aliased(PeopleChair)
        first = select(func.min(other.chair)).where(other.table_id == PeopleTable.id, other.kind == "person")
        mine = [PeopleTable.guest == guest, PeopleTable.guest != "", PeopleChair.chair == first.scalar_subquery()]
    else:
        mine = [PeopleChair.account == account, PeopleChair.kind == "person"]
    wanted = (
        select(PeopleTable, PeopleChair.chair)
        .join(PeopleChair, PeopleChair.table_id == PeopleTable.id)
        .where(*mine, PeopleTable.status == "over", PeopleChair.points.is_not(None))
        .order_by(PeopleTable.finished.desc(), PeopleTable.id.desc())
        .limit(most)
    )
    if board is not None:
        wanted = wanted.where(PeopleTable.purpose == board)
    rows = [(table, chair) for table, chair in session.execute(wanted)]
    chairs: dict[int, list[PeopleChair]] = {table.id: [] for table, _ in rows}
    there = select(PeopleChair).where(PeopleChair.table_id.in_(chairs)).order_by(PeopleChair.chair)
    for each in session.scalars(there):
        chairs[each.table_id].append(each)
    return [(table, chair, chairs[table.id]) for table, chair in rows]
