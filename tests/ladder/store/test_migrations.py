"""The migrations make exactly the tables of the models, and can be taken back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from ladder.store import models
from ladder.store.all_tables import make_schema
from ladder.store.database import Database
from ladder.store.migrations import config_for, downgrade, upgrade
from ladder.store.schema import REVISION, is_empty, revision_of

if TYPE_CHECKING:
    from collections.abc import Iterator

WAY_OUT = "The models have changed: python -m ladder.store.migrations.write --anew"


@pytest.fixture
def empty(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    yield database
    database.close()


def tables_in_detail(connection: Connection) -> dict[str, object]:
    """List the parts that Alembic does not compare: CHECK constraints, tables' parts of an index, WITHOUT ROWID."""
    if connection.dialect.name == "sqlite":
        rows = connection.execute(text("SELECT name, sql FROM sqlite_master"))
        return {name: sorted(re.findall(r"\w+", sql)) for name, sql in rows if sql}
    looking = inspect(connection)
    checks = {
        name: [each["sqltext"] for each in looking.get_check_constraints(name)] for name in looking.get_table_names()
    }
    indices = connection.execute(text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"))
    return {**checks, **dict(map(tuple, indices))}


def test_the_migrations_make_the_tables_of_the_models(empty: Database) -> None:
    upgrade(empty.engine.url)
    with empty.write() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_server_default": True})
        assert compare_metadata(context, models.Base.metadata) == [], WAY_OUT


def test_a_new_ladder_has_what_the_migrations_make_where_alembic_does_not_look(empty: Database) -> None:
    upgrade(empty.engine.url)
    with empty.write() as session:
        migrated = tables_in_detail(session.connection())
    downgrade(empty.engine.url, "base")
    with empty.write() as session:
        session.execute(text("DROP TABLE alembic_version"))
        make_schema(session.connection())
    with empty.read() as session:
        assert migrated == tables_in_detail(session.connection()), WAY_OUT
        assert revision_of(session.connection()) == REVISION
    assert {"matches", "ix_matches_queued", "alembic_version"} < set(migrated)


def test_a_new_ladder_is_what_alembic_expects(empty: Database) -> None:
    for _ in range(2):  # the second call finds it made
        with empty.write() as session:
            make_schema(session.connection())
    with empty.write() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_server_default": True})
        assert context.get_current_revision() == REVISION
        assert compare_metadata(context, models.Base.metadata) == [], WAY_OUT
    upgrade(empty.engine.url)
    downgrade(empty.engine.url, "base")
    with empty.read() as session:
        assert inspect(session.connection()).get_table_names() == ["alembic_version"]


def test_a_change_of_the_models_is_seen(empty: Database) -> None:
    upgrade(empty.engine.url)
    with empty.write() as session:
        before = tables_in_detail(session.connection())
        session.execute(text("DROP INDEX ix_matches_queued"))
        session.execute(text("CREATE INDEX ix_matches_queued ON matches (priority, id)"))
        assert tables_in_detail(session.connection()) != before
        session.execute(text("ALTER TABLE owners ADD COLUMN mail TEXT"))
        context = MigrationContext.configure(session.connection())
        assert len(compare_metadata(context, models.Base.metadata)) == 1


def test_an_upgrade_taken_back_leaves_no_table(empty: Database) -> None:
    upgrade(empty.engine.url)
    downgrade(empty.engine.url, "base")
    with empty.read() as session:
        assert inspect(session.connection()).get_table_names() == ["alembic_version"]
        assert revision_of(session.connection()) is None


def test_an_upgrade_keeps_what_is_there(empty: Database) -> None:
    upgrade(empty.engine.url)
    with empty.write() as session:
        session.add(models.Owner(name="ada", added=1.0))
    upgrade(empty.engine.url)
    with empty.read() as session:
        assert session.get_one(models.Owner, 1).name == "ada"
        assert revision_of(session.connection()) == REVISION


def test_an_upgrade_that_fails_leaves_nothing(empty: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    really_create = op.create_table

    def create_table(name: str, *columns: Any, **options: Any) -> object:
        if name == "seats":
            raise ZeroDivisionError
        return really_create(name, *columns, **options)

    monkeypatch.setattr(op, "create_table", create_table)
    with pytest.raises(ZeroDivisionError):
        upgrade(empty.engine.url)
    with empty.read() as session:
        assert is_empty(session.connection())


def test_the_revision_that_programs_expect_is_the_newest_migration() -> None:
    scripts = ScriptDirectory.from_config(config_for())
    assert scripts.get_current_head() == REVISION
    oldest_first = [script.revision for script in scripts.walk_revisions()][::-1]
    assert oldest_first == [f"{number + 1:04}" for number in range(len(oldest_first))], "revisions are compared as text"
