"""All tables of a ladder, made from the models, and the digest by which one schema is told from another."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import make_url, text
from sqlalchemy.orm import configure_mappers
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from ladder.store import (  # noqa: F401 (their tables are in the metadata)
    account_models,
    cluster_models,
    computing_models,
    event_models,
    table_models,
    webhook_models,
)
from ladder.store.database import Database
from ladder.store.models import Base
from ladder.store.schema import REVISION, VERSION_TABLE, revision_of

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, MetaData, Table

METADATA = Base.metadata


def all_tables() -> list[Table]:
    """List the tables of a ladder; each stands behind those that its rows refer to."""
    return METADATA.sorted_tables


def complete_models() -> None:
    """Let SQLAlchemy derive now what it would derive at the first query: how rows become objects."""
    configure_mappers()


def make_schema(connection: Connection) -> None:
    """Make the tables in a database that has none, in the transaction that *connection* is in."""
    if revision_of(connection) is not None:  # another process was quicker
        return
    connection.execute(text(CREATE_VERSION))
    connection.execute(text(f"INSERT INTO {VERSION_TABLE} (version_num) VALUES (:revision)"), {"revision": REVISION})
    METADATA.create_all(connection)


def make_ladder(url: str | URL) -> None:
    """Make a ladder with nothing in it in the empty database at *url*."""
    database = Database(url)
    try:
        with database.write() as session:
            make_schema(session.connection())
    finally:
        database.close()


def digest(metadata: MetaData = METADATA) -> str:
    """
    Compute eight hex digits that no other schema has: of the statements that make its tables and indices.

    The order of columns and constraints does not count, since a migration adds both at the end.
    """
    made: list[ExecutableDDLElement] = []
    for table in metadata.tables.values():
        made += [CreateTable(table), *map(CreateIndex, table.indexes)]
    statements = sorted(
        " ".join(sorted(line.strip(" \t,") for line in str(each.compile(dialect=dialect)).splitlines()))
        for dialect in (make_url("sqlite://").get_dialect()(), make_url("postgresql+psycopg://").get_dialect()())
        for each in made
    )
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()[:8]


CREATE_VERSION = f"""
    CREATE TABLE {VERSION_TABLE} (
        version_num VARCHAR(32) NOT NULL,
        CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)
    )
"""
"""As Alembic makes it."""
