"""The migrations make exactly the tables of the models, and can be taken back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.exc import IntegrityError

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
    """What Alembic does not compare: CHECK constraints, parts of tables that an index is for, WITHOUT ROWID."""
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
        session.execute(text("CREATE INDEX ix_matches_queued ON matches (id)"))
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


def test_a_bot_that_was_benched_is_suspended_and_the_other_way_round(empty: Database) -> None:
    upgrade(empty.engine.url, "0001")
    with empty.write() as session:
        _enter_suspended(session.connection(), "benchings", "benched")
    upgrade(empty.engine.url)
    with empty.read() as session:
        entry = session.scalars(select(models.Rating)).one()
        assert (entry.state, entry.suspensions, entry.reason, entry.places) == ("suspended", 2, "It is noisy.", [3, 1])
        assert session.scalars(select(models.StateChange.state)).all() == ["suspended"]
    downgrade(empty.engine.url, "0001")
    with empty.read() as session:
        assert session.execute(text("SELECT state, benchings FROM ratings")).all() == [("benched", 2)]
        assert session.execute(text("SELECT state FROM state_changes")).all() == [("benched",)]


def test_only_the_newer_word_is_a_state_after_the_migration(empty: Database) -> None:
    upgrade(empty.engine.url)
    with pytest.raises(IntegrityError), empty.write() as session:
        _enter_suspended(session.connection(), "suspensions", "benched")


def test_matches_that_were_rated_without_their_boards_count_as_four(empty: Database) -> None:
    upgrade(empty.engine.url, "0003")
    with empty.write() as session:
        _enter_suspended(session.connection(), "suspensions", "suspended")
        session.execute(text("INSERT INTO pair_stats VALUES ('gongzhu', 1, 1, 1.5, 3, 2, 1)"))
    upgrade(empty.engine.url)
    with empty.write() as session:
        assert session.scalars(select(models.Rating.boards)).all() == [16]
        (pair,) = session.scalars(select(models.PairStats)).all()
        assert (pair.boards, pair.score, pair.n, pair.a_then_b, pair.b_then_a) == (4, 1.5, 3, 2, 1)
        session.execute(text("INSERT INTO pair_stats VALUES ('gongzhu', 1, 1, 16, 1.0, 2, 0, 2)"))
    downgrade(empty.engine.url, "0003")
    with empty.read() as session:
        assert session.execute(text("SELECT * FROM pair_stats")).all() == [("gongzhu", 1, 1, 2.5, 5, 2, 3)]


def test_what_was_shown_around_a_mean_is_shown_the_same_after_the_migration(empty: Database) -> None:
    upgrade(empty.engine.url, "0008")
    with empty.write() as session:
        _enter_suspended(session.connection(), "suspensions", "active")
        session.execute(text("UPDATE ratings SET rating = 1437.5"))
        session.execute(text("INSERT INTO variants (name, rules, added) VALUES ('hearts', '{}', 1.0)"))
    upgrade(empty.engine.url)
    with empty.read() as session:
        assert dict(session.execute(select(models.Variant.name, models.Variant.shift)).all()) == {
            "gongzhu": 62.5,
            "hearts": 0.0,
        }


def _enter_suspended(connection: Connection, column: str, state: str) -> None:
    """One bot in one variant, by statements that know the schema of that time."""
    for statement in (
        "INSERT INTO variants (name, rules, added) VALUES ('gongzhu', '{}', 1.0)",
        "INSERT INTO owners (id, name, added) VALUES (1, 'ada', 1.0)",
        "INSERT INTO bots (id, name, owner_id, added) VALUES (1, 'Trotter', 1, 1.0)",
        "INSERT INTO versions (id, bot_id, number, identity, sandbox, source, size, added) "
        "VALUES (1, 1, 1, 'sha256:1', 'docker', 'trotter', 1, 1.0)",
        f"INSERT INTO ratings (variant, version_id, state, since, reason, {column}, rating, matches, deals, points, "
        "places, seats, decisions, faults, takeovers, recent, history) "
        f"VALUES ('gongzhu', 1, '{state}', 1.0, 'It is noisy.', 2, 0.0, 4, 4, 4, '[3, 1]', '[]', 0, 0, 0, '', '[]')",
        f"INSERT INTO state_changes VALUES (1, 'gongzhu', 1, 1.0, '{state}', 'ladder', 'It is noisy.')",
    ):
        connection.execute(text(statement))
