"""
The schema's migrations (Alembic): `versions/` holds one file for each, numbered by `revision`, "0001" being the first.

Imports Alembic, which takes longer than a query does: only what makes or changes a schema comes here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from ladder.store.database import WITHOUT_FOREIGN_KEYS, Database
from ladder.store.schema import REVISION

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import URL, Connection

__all__ = ["FOLDER", "config_for", "downgrade", "upgrade"]

FOLDER = Path(__file__).parent


def upgrade(url: str | URL, revision: str = REVISION) -> None:
    """Bring the schema of the database at *url* up to *revision*, all of it or nothing; make it if there is none."""
    _run(url, lambda config: command.upgrade(config, revision))


def downgrade(url: str | URL, revision: str) -> None:
    """Take the schema back to *revision*; "base" leaves no table."""
    _run(url, lambda config: command.downgrade(config, revision))


def config_for(connection: Connection | None = None) -> Config:
    """Make Alembic's configuration, without a file."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "m%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    return config


def _run(url: str | URL, change: Callable[[Config], None]) -> None:
    database = Database(url, WITHOUT_FOREIGN_KEYS)
    try:
        with database.write() as session:
            connection = session.connection()
            change(config_for(connection))
            if connection.dialect.name == "sqlite" and connection.execute(text("PRAGMA foreign_key_check")).first():
                raise RuntimeError("A migration broke a foreign key; nothing was changed.")
    finally:
        database.close()
