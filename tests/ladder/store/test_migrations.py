"""
A ladder that is upgraded from any release has exactly the tables of the models, and what it held.

The releases are those of `released/`, and one of this moment, so that dump, restore and comparison are tested before
the first release, too. The last test rehearses the first release, and the first migration after it, in a copy of the
tree.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, Index, MetaData, String, Table, inspect, make_url, text

from ladder.settings.settings import load_settings
from ladder.store.all_tables import METADATA, digest, make_ladder, make_schema
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.upgrading import upgrade_ladder
from ladder.store.database import Database
from ladder.store.migrations import config_for, is_other_default, schema_findings
from ladder.store.schema import REVISION, REVISIONS, revision_of
from tests.ladder.databases import BACKENDS
from tests.ladder.store import releases
from tests.ladder.store.full_ladder import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).parents[3]
WAY_OUT = 'The models have changed: python -m ladder.store.migrations.write "What it is for"'
CASTS = re.compile(r"::(character varying|text)|[()\[\]\s]")
"""Parts of a condition that PostgreSQL writes otherwise when it has been dumped and restored."""


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
        name: sorted(CASTS.sub("", each["sqltext"]) for each in looking.get_check_constraints(name))
        for name in looking.get_table_names()
    }
    indices = connection.execute(text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"))
    return {**checks, **{name: CASTS.sub("", definition) for name, definition in indices}}


def test_a_new_ladder_is_what_alembic_expects(empty: Database) -> None:
    for _ in range(2):  # the second call finds it made
        with empty.write() as session:
            make_schema(session.connection())
    with empty.read() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_server_default": is_other_default})
        assert context.get_current_revision() == REVISION
        assert compare_metadata(context, METADATA) == []


def test_the_stamp_is_that_of_the_models_and_of_the_newest_migration() -> None:
    assert digest() == REVISION[5:], WAY_OUT
    assert [f"{number:04}" for number in range(len(REVISIONS))] == [each[:4] for each in REVISIONS]
    scripts = ScriptDirectory.from_config(config_for())
    assert [each.revision for each in scripts.walk_revisions()][::-1] in ([*REVISIONS], [])
    released = {dump.revision for backend in releases.BACKENDS for dump in releases.dumps(backend)}
    assert released <= set(REVISIONS)
    assert bool(scripts.get_current_head()) == bool(released), "migrations begin with the dumps of the first release"


CHANGES: dict[str, Callable[[Mapping[str, Table]], object]] = {
    "a column": lambda tables: tables["owners"].append_column(Column("mail", String)),
    "a length": lambda tables: setattr(tables["owners"].c.name, "type", String(7)),
    "a default": lambda tables: setattr(tables["matches"].c.losses, "server_default", None),
    "NOT NULL": lambda tables: setattr(tables["owners"].c.name, "nullable", True),
    "an index": lambda tables: Index("ix_owners_added", tables["owners"].c.added),
    "a condition": lambda tables: tables["matches"].constraints.remove(
        next(each for each in tables["matches"].constraints if each.name == "ck_matches_status")
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_of_the_models_is_another_schema(change: str) -> None:
    changed = MetaData(naming_convention=METADATA.naming_convention)
    for table in METADATA.tables.values():
        table.to_metadata(changed)
    assert digest(changed) == digest()
    CHANGES[change](changed.tables)
    assert digest(changed) != digest()


DUMPS = [
    pytest.param(backend.values[0], dump, marks=backend.marks, id="-".join(dump))
    for backend in BACKENDS
    for dump in [
        *(releases.Dump("now", content, str(backend.values[0])) for content in ("empty", "small")),
        *releases.dumps(str(backend.values[0])),
    ]
]


@pytest.fixture
def dumped(dump: releases.Dump, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The file of a dump; one of this moment is made first."""
    if dump.revision != "now":
        return dump.file()
    file = dump.file(tmp_path / "now")
    if dump.backend == "sqlite":
        _dump_now(f"sqlite:///{tmp_path}/now.db", dump, file)
    else:
        with request.getfixturevalue("empty_databases").one() as url:
            _dump_now(url, dump, file)
    return file


def _dump_now(url: str, dump: releases.Dump, file: Path) -> None:
    make_ladder(url)
    database = Database(url)
    if dump.content == "small":
        fill(database)
    database.close()
    releases.write_dump(make_url(url), file)


def rows(connection: Connection) -> dict[str, int]:
    names = [name for name in inspect(connection).get_table_names() if name != "alembic_version"]
    return {name: connection.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in names}


@pytest.mark.parametrize(("backend", "dump"), DUMPS)
def test_a_ladder_of_a_release_becomes_one_of_the_models_and_keeps_its_rows(
    dump: releases.Dump, dumped: Path, empty: Database, tmp_path: Path
) -> None:
    restored = empty.engine.url
    releases.restore(dumped, restored)
    with empty.read() as session:
        before, held = revision_of(session.connection()), rows(session.connection())
    assert all(held.values()) if dump.content == "small" else not any(held.values())
    settings = load_settings(data_dir=tmp_path, database_url=restored.render_as_string(hide_password=False))
    assert upgrade_ladder(settings, "now").before == before
    database = open_ladder(settings)
    with database.write() as session:
        connection = session.connection()
        assert revision_of(connection) == REVISION
        assert [*schema_findings(connection)] == [], WAY_OUT
        assert {name: count for name, count in rows(connection).items() if name in held} == held
        upgraded = tables_in_detail(connection)
        clear(connection)
        make_schema(connection)
        assert upgraded == tables_in_detail(connection), WAY_OUT
        assert {"matches", "ix_matches_queued", "alembic_version"} < set(upgraded)
    database.close()


def clear(connection: Connection) -> None:
    """Take all tables out of a database."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
        return
    connection.execute(text("PRAGMA defer_foreign_keys = ON"))
    for name in inspect(connection).get_table_names():
        connection.execute(text(f'DROP TABLE "{name}"'))


HARMS = {
    "ALTER TABLE bots DROP COLUMN tables": ["bots", "tables"],
    "ALTER TABLE owners ADD COLUMN mail VARCHAR(9)": ["owners", "mail"],
    "DROP INDEX ix_matches_queued": ["ix_matches_queued"],
    "CREATE UNIQUE INDEX mine ON matches (seed)": ["mine"],
    "DROP TABLE faults": ["faults"],
}
HARMS_OF_POSTGRESQL = {
    "ALTER TABLE matches DROP CONSTRAINT ck_matches_status": ["matches", "ck_matches_status"],
    "ALTER TABLE owners DROP CONSTRAINT uq_owners_name": ["uq_owners_name"],
    "ALTER TABLE bots DROP CONSTRAINT fk_bots_owner_id": ["fk_bots_owner_id"],
    "ALTER TABLE owners ALTER name TYPE VARCHAR(7)": ["owners", "name"],
    "ALTER TABLE owners ALTER name DROP NOT NULL": ["owners", "name"],
    "ALTER TABLE matches ALTER losses SET DEFAULT 1": ["matches", "losses"],
}
HARMFUL = [
    pytest.param(backend.values[0], statement, words, marks=backend.marks)
    for backend in BACKENDS
    for statement, words in (HARMS | (HARMS_OF_POSTGRESQL if backend.values[0] == "postgresql" else {})).items()
]


@pytest.mark.parametrize(("backend", "statement", "words"), HARMFUL)
def test_a_schema_that_is_not_the_one_of_its_stamp_is_found(
    database: Database, statement: str, words: list[str]
) -> None:
    with database.write() as session:
        connection = session.connection()
        connection.execute(text("CREATE TABLE recipes (name TEXT)"))  # an organiser's own: no finding
        connection.execute(text("CREATE INDEX quicker ON matches (seed)"))
        assert [*schema_findings(connection)] == []
        connection.execute(text(statement))
        found = [*schema_findings(connection)]
        assert found
        assert [set(words) <= set(re.findall(r"\w+", finding)) for finding in found] == [True] * len(found), found
        session.rollback()


# The first release, and the first migration after it.

COPIED = ("ladder/store", "scripts", "tests/ladder/store", "pyproject.toml")
"""Parts of the tree that the rehearsal changes."""
FOLLOWING = "\n\n\nclass StoredBot(Base):"
NEW_COLUMN = '\n    mail: Mapped[str] = mapped_column(default="", server_default="", index=True)'
FAILING = "    raise ZeroDivisionError\n"
UNDONE = """
import tempfile
from sqlalchemy import inspect, make_url
from ladder.store.database import Database
from ladder.store.migrations import upgrade
from ladder.store.schema import revision_of
from tests.ladder.postgres import running_server
from tests.ladder.store import releases

with running_server() as server, tempfile.TemporaryDirectory() as folder:
    for backend, url in (("sqlite", f"sqlite:///{folder}/ladder.db"), ("postgresql", server.url("postgres"))):
        dump = next(each for each in releases.dumps(backend) if each.content == "small")
        releases.restore(dump.file(), make_url(url))
        try:
            upgrade(url)
        except ZeroDivisionError:
            database = Database(url)
            with database.read() as session:
                owners = inspect(session.connection()).get_columns("owners")
                print(revision_of(session.connection()), *(each["name"] for each in owners))
            database.close()
"""
MODULE = "tests/ladder/store/test_migrations.py"
UPGRADES = f"{MODULE}::test_a_ladder_of_a_release_becomes_one_of_the_models_and_keeps_its_rows"
STAMP = f"{MODULE}::test_the_stamp_is_that_of_the_models_and_of_the_newest_migration"


def copy_of_the_tree(target: Path, source: Path = ROOT, copied: tuple[str, ...] = COPIED) -> None:
    """Make a tree whose parts are links, but for those that are copied."""
    target.mkdir()
    for each in source.iterdir():
        if each.name in copied:
            (shutil.copytree if each.is_dir() else shutil.copy)(each, target / each.name)
        elif inner := tuple(path.removeprefix(f"{each.name}/") for path in copied if path.startswith(f"{each.name}/")):
            copy_of_the_tree(target / each.name, each, inner)
        elif each.name not in (".git", "build"):
            (target / each.name).symlink_to(each)


def run(folder: Path, *words: str, expect: int = 0) -> str:
    """Run Python in such a tree."""
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{folder / 'sdk'}"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.sqlite
def test_the_first_release_and_the_first_migration_after_it(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    copy_of_the_tree(tree)
    if not [*releases.dumps("sqlite")]:
        run(tree, "-m", "tests.ladder.store.releases")
    models = tree / "ladder" / "store" / "models.py"
    source = models.read_text("utf-8")
    models.write_text(source.replace(FOLLOWING, NEW_COLUMN + FOLLOWING), "utf-8")
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", UPGRADES, STAMP)
    failed = run(tree, *tests, expect=1)
    dumps = [f"{REVISION}-{content}-{backend}" for content in ("empty", "small") for backend in releases.BACKENDS]
    assert [name for name in (STAMP, *dumps) if name in failed] == [STAMP, *dumps]
    run(tree, "-m", "ladder.store.migrations.write", "Addresses of owners")
    run(tree, *tests)
    (written,) = tree.glob("ladder/store/migrations/versions/*_addresses_of_owners.py")
    with written.open("a", encoding="utf-8") as file:
        file.write(FAILING)
    columns = " ".join(each.name for each in METADATA.tables["owners"].columns)
    assert run(tree, "-c", UNDONE).splitlines() == [f"{REVISION} {columns}"] * 2, (
        "an upgrade that fails changes nothing"
    )
