"""Alembic's run of the migrations: on a connection that is given, in the transaction that it is in."""

from __future__ import annotations

from alembic import context

from ladder.store.all_tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite alters hardly anything in place
)
context.run_migrations()
