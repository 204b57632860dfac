"""Schema of a database, against the one that this program knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

if TYPE_CHECKING:
    from sqlalchemy import Connection

REVISION = "0001"
"""The newest migration; a constant, so that a command that reads need not load Alembic. A test compares them."""
VERSION_TABLE = "alembic_version"


def revision_of(connection: Connection) -> str | None:
    """Read the schema's revision, as text that sorts; None if there is no schema yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar_one_or_none()
    return None if found is None else str(found)


def is_empty(connection: Connection) -> bool:
    """Tell whether the database holds no table at all."""
    return not inspect(connection).get_table_names()
