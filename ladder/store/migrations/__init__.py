"""
Migrations of the schema (Alembic), from that of a release to that of the models; a new ladder comes from the models.

`versions/` holds one file for each, named by its revision, and nothing before the first release. Alembic takes longer
to load than a query takes: only an upgrade and a check of the schema come here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import CheckConstraint, inspect, text

from ladder.store.all_tables import METADATA, all_tables
from ladder.store.database import WITHOUT_FOREIGN_KEYS, Database
from ladder.store.schema import REVISION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection

__all__ = ["FOLDER", "VERSIONS", "config_for", "is_other_default", "schema_findings", "upgrade"]

FOLDER = Path(__file__).parent
VERSIONS = FOLDER / "versions"


def is_other_default(*about: Any) -> bool | None:
    """
    Tell Alembic that a default is no other one if both are the empty text, which it takes for different in SQLite.

    Returns:
        None for any other default: Alembic is to compare it itself.
    """
    *_, there, _, of_models = about
    are_empty = all(each is not None and not each.strip("\"()'") for each in (there, of_models))
    return False if are_empty else None


def upgrade(url: str | URL, revision: str = REVISION) -> None:
    """Bring the schema of the database at *url* up to *revision*, all of it or nothing."""
    database = Database(url, WITHOUT_FOREIGN_KEYS)
    try:
        with database.write() as session:
            connection = session.connection()
            command.upgrade(config_for(connection), revision)
            if connection.dialect.name == "sqlite" and connection.execute(text("PRAGMA foreign_key_check")).first():
                raise RuntimeError("A migration broke a foreign key; nothing was changed.")
    finally:
        database.close()


def config_for(connection: Connection | None = None) -> Config:
    """Make Alembic's configuration, without a file."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "m%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    return config


def schema_findings(connection: Connection) -> Iterator[str]:
    """
    Compare the tables that are there with the models; give a sentence for each difference.

    Tables and indices that an organiser has added are no differences, unless an index refuses rows. Conditions of
    CHECK constraints and of partial indices are not compared, only their names.
    """
    context = MigrationContext.configure(connection, opts={"compare_server_default": is_other_default})
    for found in compare_metadata(context, METADATA):
        for change in found if isinstance(found, list) else [found]:
            if difference := _in_words(*change):
                yield f"The schema differs from {REVISION}: {difference}."
    there = inspect(connection)
    for table in all_tables():
        if there.has_table(table.name):
            names = {each["name"] for each in there.get_check_constraints(table.name)}
            for check in table.constraints:
                if isinstance(check, CheckConstraint) and check.name not in names:
                    yield f"The schema differs from {REVISION}: {table.name} lacks the constraint {check.name}."


_MODIFIED = {"modify_type": "another type", "modify_nullable": "another NOT NULL", "modify_default": "another default"}


def _in_words(kind: str, *what: Any) -> str | None:
    """Put a difference in words: one of those that Alembic's `compare_metadata` lists."""
    verb, _, noun = kind.partition("_")
    if noun == "column":
        _, table, column = what
        return f"{table} lacks the column {column.name}" if verb == "add" else f"{table} has a column {column.name}"
    if verb == "modify":
        _, table, column, *_ = what
        return f"the column {column} of {table} has {_MODIFIED.get(kind, 'another definition')}"
    (thing,) = what
    if verb == "add":
        return f"the table {thing.name} is missing" if noun == "table" else f"{thing.table.name} lacks {thing.name}"
    if noun == "table" or (noun == "index" and not thing.unique):
        return None
    return f"{thing.table.name} has {thing.name}"
