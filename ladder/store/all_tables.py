"""All tables of a ladder, and how a new ladder gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text
from sqlalchemy.orm import configure_mappers

from ladder.store import (  # noqa: F401 (their tables are in the metadata)
    account_models,
    cluster_models,
    computing_models,
    event_models,
    table_models,
    webhook_models,
)
from ladder.store.models import Base
from ladder.store.schema import REVISION, VERSION_TABLE, revision_of

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

METADATA = Base.metadata


def all_tables() -> list[Table]:
    """List the tables of a ladder; each stands behind those that its rows refer to."""
    return METADATA.sorted_tables


def complete_models() -> None:
    """Let SQLAlchemy derive now what it would derive at the first query: how rows become objects."""
    configure_mappers()


def make_schema(connection: Connection) -> None:
    """
    Make the tables in a database that has none, in the transaction that *connection* is in.

    They are what the migrations make, in a tenth of the time; a test compares the two.
    """
    if revision_of(connection) is not None:  # another process was quicker
        return
    connection.execute(text(CREATE_VERSION))
    connection.execute(text(f"INSERT INTO {VERSION_TABLE} (version_num) VALUES (:revision)"), {"revision": REVISION})
    METADATA.create_all(connection)


CREATE_VERSION = f"""
    CREATE TABLE {VERSION_TABLE} (
        version_num VARCHAR(32) NOT NULL,
        CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)
    )
"""
"""As Alembic makes it."""
