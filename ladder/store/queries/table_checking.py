"""Checks that the rows of tables with people agree with each other, and with the files beside the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import exists, select

from ladder.store.table_models import PeopleChair, PeopleTable
from ladder.values.people import TableStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.results.files import TableFiles
    from ladder.store.database import Database


def table_findings(database: Database, files: TableFiles) -> Iterator[str]:
    """Look for what is wrong, a sentence for each; nothing is changed, and tables may be played meanwhile."""
    over = select(PeopleTable.id).where(PeopleTable.status == TableStatus.OVER).order_by(PeopleTable.id)
    without_place = exists().where(PeopleChair.table_id == PeopleTable.id, PeopleChair.place.is_(None))
    with database.read() as session:
        missing = [table for table in session.scalars(over) if not files.record(table).is_file()]
        for table in session.scalars(over.where(without_place)):
            yield f"Table {table} is over, and a chair of it has no place."
    with database.read() as session:  # those that were removed meanwhile are not missing
        for table in session.scalars(over.where(PeopleTable.id.in_(missing))):
            yield f"The record of table {table} is not there: {str(files.record(table))!r}."
