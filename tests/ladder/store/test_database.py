"""Transactions of a ladder's database: many read, one writes."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import TextClause, select, text
from sqlalchemy.exc import DataError, IntegrityError, InternalError

from ladder.errors import LadderError, StoreError, Unstorable
from ladder.store import models
from ladder.store.database import Database
from ladder.store.driver_failures import HELD
from tests.ladder.databases import BACKENDS
from tests.waiting import is_in, until

if TYPE_CHECKING:
    from ladder.store.database import Database


def test_what_was_written_can_be_read(database: Database) -> None:
    with database.write() as session:
        session.add(models.Owner(name="ada", added=1.0))
    with database.read() as session:
        assert session.scalars(select(models.Owner.name)).all() == ["ada"]


def add_twice(database: Database, name: str) -> None:
    with database.write() as session:
        session.add(models.Owner(name=name, added=1.0))
        session.flush()
        session.add(models.Owner(name=name, added=2.0))


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(IntegrityError):
        add_twice(database, "ada")
    with database.read() as session:
        assert session.scalars(select(models.Owner)).all() == []


@pytest.mark.parametrize("table", [models.Owner, models.Variant])
def test_the_database_itself_takes_no_second_name_that_looks_like_one(
    database: Database, table: type[models.Owner | models.Variant]
) -> None:
    values: dict[str, dict[str, str]] = {"rules": {}} if table is models.Variant else {}
    with pytest.raises(IntegrityError, match="skeleton"), database.write() as session:
        session.add_all([table(name=name, added=1.0, **values) for name in ("hearts", "h\u0435arts")])
    with database.read() as session:
        assert session.scalars(select(table)).all() == []


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_sqlite_keeps_what_was_committed(database: Database) -> None:
    with database.read() as session:
        found = {name: session.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")}
    assert found == {"journal_mode": "wal", "synchronous": 2}


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_sqlite_says_whether_anything_was_committed_by_this_process_or_another(database: Database) -> None:
    before = database.changes()
    with database.read() as session:
        session.scalars(select(models.Owner)).all()
    with database.write():
        pass
    assert before == database.changes() is not None
    with database.write() as session:
        session.add(models.Owner(name="ada", added=1.0))
    after = database.changes()
    assert before != after
    other = Database(database.engine.url)
    with other.write() as session:
        session.add(models.Owner(name="ben", added=1.0))
    other.close()
    assert after != database.changes()


@pytest.mark.parametrize("backend", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
def test_postgresql_does_not_say_it(database: Database) -> None:
    assert database.changes() is None


def count_up(url: str) -> None:
    database = Database(url)
    for _ in range(100):
        with database.write() as session:
            owner = session.scalars(select(models.Owner)).one()
            owner.added = owner.added + 1  # read, then written: lost if another one came between
    database.close()


COUNT = f"""
import sys
from sqlalchemy import select
from ladder.store import models
from ladder.store.database import Database
{inspect.getsource(count_up)}
count_up(sys.argv[1])
"""


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_writers_in_several_processes_lose_no_update(database: Database) -> None:
    with database.write() as session:
        session.add(models.Owner(name="ada", added=0.0))
    url = database.engine.url.render_as_string(hide_password=False)
    writers = [subprocess.Popen([sys.executable, "-c", COUNT, url]) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    with database.read() as session:
        assert session.scalars(select(models.Owner.added)).one() == 200


@pytest.mark.parametrize("backend", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
def test_writers_in_several_connections_lose_no_update(database: Database) -> None:
    """To PostgreSQL a connection is what a process is to SQLite."""
    with database.write() as session:
        session.add(models.Owner(name="ada", added=0.0))
    url = database.engine.url.render_as_string(hide_password=False)
    with ThreadPoolExecutor() as pool:
        assert [*pool.map(count_up, [url] * 3)] == [None] * 3
    with database.read() as session:
        assert session.scalars(select(models.Owner.added)).one() == 300


def test_a_reader_sees_one_state_whatever_is_written_meanwhile(database: Database) -> None:
    with database.read() as reading:
        assert reading.scalars(select(models.Owner.name)).all() == []
        with database.write() as writing:
            writing.add(models.Owner(name="ada", added=1.0))
        assert reading.scalars(select(models.Owner.name)).all() == []
    with database.read() as reading:
        assert reading.scalars(select(models.Owner.name)).all() == ["ada"]


def test_a_writer_sees_what_was_committed_while_it_waited(database: Database) -> None:
    """Its state is that of the moment at which it is alone, not that of the moment at which it asked."""
    first_is_in, seen = threading.Event(), list[str]()

    def second() -> None:
        first_is_in.wait()
        with database.write() as session:
            seen.extend(session.scalars(select(models.Owner.name)))

    waiting = threading.Thread(target=second)
    waiting.start()
    with database.write() as session:
        first_is_in.set()
        until(lambda: is_in(waiting, Database.write.__wrapped__.__code__) or not waiting.is_alive())  # type: ignore[attr-defined]
        session.add(models.Owner(name="ada", added=1.0))
    waiting.join()
    assert seen == ["ada"]


def test_text_that_cannot_be_kept_is_a_mistake_in_a_sentence(database: Database) -> None:
    wanted = select(models.Owner).where(models.Owner.name == "Tr\udcff")
    sentence = r"^'Tr\\udcff' is not UTF-8, and a ladder stores nothing else\.$"
    with pytest.raises(LadderError, match=sentence), database.read() as session:
        session.scalars(wanted)


def impatient(database: Database) -> Database:
    """Open the same database with a short time limit for its lock."""
    return Database(database.engine.url, busy_seconds=0.05)


def write_nothing(database: Database) -> None:
    with database.write():
        pass


def test_a_database_that_another_program_holds_is_told_in_a_sentence(database: Database) -> None:
    other = impatient(database)
    with database.write(), pytest.raises(StoreError, match=re.escape(HELD)):
        write_nothing(other)
    write_nothing(other)
    other.close()


def test_readers_do_not_wait_for_a_writer(database: Database) -> None:
    other = impatient(database)
    with database.write() as writing:
        writing.add(models.Owner(name="ada", added=1.0))
        writing.flush()
        with other.read() as reading:
            assert reading.scalars(select(models.Owner.name)).all() == []
    other.close()


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_full_disk_is_the_platforms_failure(database: Database) -> None:
    with database.read() as session:
        pages = session.execute(text("PRAGMA page_count")).scalar_one()
    small = Database(database.engine.url, [f"max_page_count={pages}"])
    with pytest.raises(StoreError, match=r"ladder\.db' cannot .* no room"):
        fill(small)
    small.close()
    with database.read() as session:
        assert session.scalars(select(models.Owner)).all() == []


def fill(database: Database) -> None:
    with database.write() as session:
        session.add_all([models.Owner(name=f"{number:064}", added=1.0) for number in range(1000)])


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_server_that_goes_away_is_the_platforms_failure_and_may_come_back(database: Database) -> None:
    cut = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
               " AND pid <> pg_backend_pid()")  # fmt: skip
    with pytest.raises(StoreError, match="failed: "):
        end_each_other(database, cut)
    write_nothing(database)


def end_each_other(database: Database, cut: TextClause) -> None:
    with database.write() as session:
        with database.read() as other:
            other.execute(cut)
        session.add(models.Owner(name="ada", added=1.0))


ONLY_POSTGRESQL = pytest.mark.parametrize(
    "backend", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)


@ONLY_POSTGRESQL
def test_a_server_that_only_reads_is_the_platforms_failure_and_its_connection_is_not_used_again(
    database: Database,
) -> None:
    """As after a failover: what was the first server is a copy of the new one."""
    with database.write() as session:
        session.execute(text("SET default_transaction_read_only = on"))
    with pytest.raises(StoreError, match=r"INSERT in a read-only transaction\.$"):
        fill(database)
    fill(database)


@ONLY_POSTGRESQL
def test_a_transaction_that_the_server_has_ended_is_the_platforms_failure(database: Database) -> None:
    with pytest.raises(StoreError, match="failed: "):
        wait_too_long(database)
    write_nothing(database)


def wait_too_long(database: Database) -> None:
    with database.write() as session:
        number = session.execute(text("SELECT pg_backend_pid()")).scalar_one()
        session.execute(text("SET idle_in_transaction_session_timeout = 1"))
        until(lambda: not is_connected(database, number))
        session.add(models.Owner(name="ada", added=1.0))


def is_connected(database: Database, number: int) -> bool:
    with database.read() as session:
        found = session.execute(text("SELECT 1 FROM pg_stat_activity WHERE pid = :number"), {"number": number})
        return found.first() is not None


@ONLY_POSTGRESQL
def test_a_statement_after_one_that_failed_is_a_mistake_of_ours(database: Database) -> None:
    with pytest.raises(InternalError):
        read_after_a_failure(database)


def read_after_a_failure(database: Database) -> None:
    with database.write() as session:
        with pytest.raises(DataError):
            session.execute(text("SELECT 1 / 0"))
        session.execute(text("SELECT 1"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_number_that_no_database_holds_is_refused_in_a_sentence(database: Database) -> None:
    sentence = "stores no number of more than 64 bits|cannot store this: .*out of range"
    with pytest.raises(Unstorable, match=sentence), database.write() as session:
        session.add(models.Owner(id=2**70, name="ada", added=1.0))
    write_nothing(database)


@pytest.mark.parametrize("backend", [pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_postgresql_holds_no_nul(database: Database) -> None:
    sentence = "cannot store a text with a NUL character"
    with pytest.raises(Unstorable, match=sentence), database.write() as session:
        session.add(models.Owner(name="a\0da", added=1.0))
    write_nothing(database)
