"""How Alembic runs the migrations: on a connection that is given, in the transaction that it is in."""

from __future__ import annotations

from alembic import context

from ladder.store import account_models, cluster_models, table_models  # noqa: F401 (their tables are in the metadata)
from ladder.store.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite alters hardly anything in place
)
context.run_migrations()
