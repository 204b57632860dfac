"""
All tables of a ladder, made from the models, and the digest by which one schema is told from another.

Partial indices stand here, not in the models: to name PostgreSQL in a table's arguments loads all that SQLAlchemy has
for PostgreSQL, a tenth of the time of a command that reads a ladder in SQLite.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import Index, make_url, text
from sqlalchemy.orm import configure_mappers
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from ladder.store import cluster_models, event_models, organiser_models, study_models  # noqa: F401 (their tables are in the metadata)
from ladder.store.account_models import StoredSubmission
from ladder.store.computing_models import UNANSWERED, Computation
from ladder.store.database import Database
from ladder.store.mail_models import UNSENT_LETTERS, Letter
from ladder.store.models import Base, StoredMatch, StoredSeat
from ladder.store.schema import REVISION, VERSION_TABLE, revision_of
from ladder.store.table_models import OPEN, PeopleTable
from ladder.store.webhook_models import UNSENT, WebhookMessage

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, MetaData, Table

METADATA = Base.metadata


def _partial(name: str, model: type[Base], columns: str, rows: str) -> Index:
    """Add to a table an index of some of its rows; columns with a space between, rows as a condition in SQL."""
    indexed = (METADATA.tables[model.__tablename__].c[column] for column in columns.split())
    return Index(name, *indexed, sqlite_where=text(rows), postgresql_where=text(rows))


PARTIAL_INDICES = (
    _partial("ix_matches_queued", StoredMatch, "priority id", "status = 'queued'"),
    _partial("ix_matches_leased", StoredMatch, "id", "status = 'leased'"),
    _partial("ix_matches_event", StoredMatch, "event_id", "event_id IS NOT NULL"),
    _partial("ix_seats_version_matches", StoredSeat, "version_id matches_before", "matches_before IS NOT NULL"),
    _partial("ix_submissions_open", StoredSubmission, "id", "status IN ('queued', 'leased')"),
    _partial("ix_computations_open", Computation, "id", UNANSWERED),
    _partial("ix_people_tables_open", PeopleTable, "id", OPEN),
    _partial("ix_people_tables_board", PeopleTable, "board variant", "board <> ''"),
    _partial("ix_people_tables_guest", PeopleTable, "guest", "guest <> ''"),
    _partial("ix_webhook_messages_unsent", WebhookMessage, "due id", UNSENT),
    _partial("ix_mail_letters_unsent", Letter, "due id", UNSENT_LETTERS),
)


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
