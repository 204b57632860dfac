"""Whole tables, read and written row by row, in either database: what a ladder is, apart from where it is kept."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Text, cast, func, select, text, type_coerce
from sqlalchemy.exc import DBAPIError

from ladder.store.all_tables import METADATA, all_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import ColumnElement, Connection, Table

    Row = tuple[Any, ...]

BATCH = 2000
"""Rows that are in memory at once."""
DIGEST_BYTES = 16


class Digest:
    """A hash of rows, in whatever order they come."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def __str__(self) -> str:
        return f"{self._sum:0{2 * DIGEST_BYTES}x}"

    def of(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Add rows to the digest, and yield them."""
        for row in rows:
            self.take(repr(row))
            yield row

    def take(self, text: str) -> None:
        """Add one row, or any other text, to the digest."""
        part = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).digest()
        self._sum = (self._sum + int.from_bytes(part, "big")) % 256**DIGEST_BYTES
        self.rows += 1


def read_rows(connection: Connection, table: Table) -> Iterator[Row]:
    """Yield all rows of a table, in any order, `BATCH` of them in memory at once. JSON is the text that is stored."""
    columns = [_plain(column, connection.dialect.name) for column in table.columns]
    with connection.execute(select(*columns), execution_options={"yield_per": BATCH}) as found:
        for row in found:
            yield tuple(row)


def write_rows(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """
    Write rows as `read_rows` gives them.

    Raises:
        DBAPIError: If the database does not take one.
    """
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(table.columns))
        statement = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'
        with _drivers_errors(connection, statement):
            taking: Any = connection.connection.cursor()
            taking.executemany(statement, rows)
        return
    statement = f'COPY "{table.name}" ({names}) FROM STDIN'
    # The driver's own cursor: it takes what comes, one row after the other, ten times as fast as INSERT.
    with _drivers_errors(connection, statement):
        cursor: Any = connection.connection.cursor()
        with cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)


def last_ids(connection: Connection) -> dict[str, int]:
    """
    Give for each table the last number that it has given to a row; 0 if none.

    Where no number is ever used again, that may be more than the largest one that is there.
    """
    return {table.name: _last_id(connection, table) for table in all_tables() if _is_numbered(table)}


def set_last_ids(connection: Connection, numbers: dict[str, int]) -> None:
    """Let each table number new rows after its last one."""
    for name, number in numbers.items():
        if connection.dialect.name == "postgresql":
            connection.execute(
                text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :number, :is_used)"),
                {"name": name, "number": max(number, 1), "is_used": number > 0},
            )
        elif _keeps_numbers(METADATA.tables[name]):
            connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
            if number:
                statement = "INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :number)"
                connection.execute(text(statement), {"name": name, "number": number})


def reserve_ids(connection: Connection, table: Table, count: int) -> range:
    """
    Take numbers that the table gives to no new row by itself.

    Args:
        connection: In a transaction that writes.
        table: One that never uses a number again.
        count: How many; at least 1.
    """
    last = _last_id(connection, table)
    set_last_ids(connection, {table.name: last + count})
    return range(last + 1, last + count + 1)


def _plain(column: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    """Give a column as it is stored: JSON that is read and written again may have other blanks, or NULL for null."""
    if not isinstance(column.type, JSON):
        return column
    return type_coerce(column, Text) if dialect == "sqlite" else cast(column, Text)


def _is_numbered(table: Table) -> bool:
    """Tell whether the database gives its rows their numbers; the column is then called id."""
    return table.autoincrement_column is not None


def _keeps_numbers(table: Table) -> bool:
    return bool(table.dialect_options["sqlite"]["autoincrement"])


def _last_id(connection: Connection, table: Table) -> int:
    largest: int = connection.execute(select(func.max(table.c.id))).scalar_one() or 0
    if connection.dialect.name == "postgresql":
        sequence = connection.execute(select(func.pg_get_serial_sequence(table.name, "id"))).scalar_one()
        last, is_used = connection.execute(text(f"SELECT last_value, is_called FROM {sequence}")).one()
        return max(largest, last if is_used else 0) if _keeps_numbers(table) else largest
    if not _keeps_numbers(table):
        return largest
    given = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
    return max(largest, connection.execute(given, {"name": table.name}).scalar_one_or_none() or 0)


@contextmanager
def _drivers_errors(connection: Connection, statement: str) -> Iterator[None]:
    """Raise what the driver raises as SQLAlchemy would."""
    driver: Any = connection.dialect.dbapi
    try:
        yield
    except driver.Error as error:
        raise DBAPIError.instance(statement, None, error, driver.Error) from error
