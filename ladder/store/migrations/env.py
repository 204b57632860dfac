"""Alembic's run of the migrations: on a connection that is given, in the transaction that it is in."""

from __future__ import annotations

from alembic import context

from ladder.store.all_tables import METADATA
from ladder.store.migrations import is_other_default

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite alters hardly anything in place
    compare_server_default=is_other_default,
)
context.run_migrations()
