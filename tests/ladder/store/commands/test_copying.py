"""A ladder copied into a database of the other kind and back: all or nothing; the copy continues as the ladder."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, text

from ladder.errors import LadderError, StoreError
from ladder.store import models
from ladder.store.all_tables import all_tables
from ladder.store.bulk import last_ids, read_rows
from ladder.store.commands.computations import NewQuestion, ask
from ladder.store.commands.computations import claim as claim_computation
from ladder.store.commands.coordinators import database_time, note_alive
from ladder.store.commands.copying import copy_ladder
from ladder.store.commands.opening import check_revision, revision_in
from ladder.store.commands.people_tables import claim_tables
from ladder.store.commands.submission_queue import claim as claim_submissions
from ladder.store.database import Database
from ladder.store.schema import is_empty
from ladder.store.table_models import PeopleTable
from ladder.values.questions import Lane
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, lease, queue
from tests.ladder.store.full_ladder import fill, go_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.values.reports import DatabaseCopy

__all__ = ["backend"]

pytestmark = pytest.mark.postgres
LATER = pytest.mark.long
STUCK = """
import sys, time
from sqlalchemy import make_url
from ladder.store.commands.computations import NewQuestion, ask
from ladder.store.commands.computations import claim as claim_computation
from ladder.store.commands.coordinators import database_time, note_alive
from ladder.store.commands.copying import copy_ladder
from ladder.store.database import Database
def tell():
    print(flush=True)
    if tables.pop() == 0:
        time.sleep(600)
tables = list(range(12))
copy_ladder(Database(sys.argv[1]), make_url(sys.argv[2]), lambda holder, are_all_here: False, lambda session: 0.0, tell)
"""
"""Copies until all tables but some are written, and then no more."""


@pytest.fixture
def other(other_url: str) -> Iterator[Database]:
    """The database that is to be the copy; nothing is in it."""
    database = Database(other_url)
    yield database
    database.close()


def copy(source: Database, target: Database, advance: Callable[[], None] = lambda: None) -> DatabaseCopy:
    return copy_ladder(
        source, target.engine.url, lambda holder, are_all_here: holder == "dead", lambda session: NOW, advance
    )


def contents(database: Database) -> dict[str, object]:
    """All that a ladder's database holds: rows, and the numbers that it has given."""
    with database.read() as session:
        connection = session.connection()
        rows = {table.name: sorted(read_rows(connection, table), key=repr) for table in all_tables()}
        return {**rows, "numbers": last_ids(connection), "schema": revision_in(database)}


def ratings(database: Database) -> list[tuple[object, ...]]:
    with database.read() as session:
        rating = models.Rating
        found = select(rating.version_id, rating.rating, rating.matches, rating.history, rating.places)
        return [tuple(row) for row in session.execute(found.order_by(rating.version_id))]


def holds_nothing(database: Database) -> bool:
    with database.read() as session:
        return is_empty(session.connection())


def test_a_copy_and_a_copy_of_the_copy_hold_what_the_ladder_holds(
    database: Database, other: Database, tmp_path: Path
) -> None:
    fill(database)
    before = contents(database)
    assert [name for name, rows in before.items() if not rows] == []
    done = copy(database, other)
    assert contents(other) == before
    again = copy(other, Database(f"sqlite:///{tmp_path / 'again.db'}"))
    assert contents(Database(again.target)) == before == contents(database)
    assert again.digest == done.digest
    assert {table.name: table.rows for table in done.tables} == {
        table.name: len(before[table.name])  # type: ignore[arg-type]
        for table in all_tables()
    }


@IN_BOTH
def test_a_copy_goes_on_as_the_ladder_would_have(database: Database, other: Database) -> None:
    versions = fill(database)
    copy(database, other)
    for each in (database, other):
        check_revision(each, revision_in(each))
        go_on(each, versions, random.Random(1), count=4)
    assert ratings(other) == ratings(database)
    assert contents(other) == contents(database)


def test_the_number_of_a_match_that_was_withdrawn_is_used_in_no_copy(database: Database, other: Database) -> None:
    with database.write() as session:
        versions = [enter(session, f"bot {number}") for number in range(4)]
        withdrawn = queue(session, versions)
        for model in (models.StoredSeat, models.StoredMatch):
            session.query(model).delete()
    copy(database, other)
    with other.write() as session:
        assert queue(session, versions) == withdrawn + 1


def test_a_copy_of_a_ladder_without_rows_is_one(database: Database, other: Database) -> None:
    copy(database, other)
    with other.write() as session:
        assert queue(session, [enter(session, f"bot {number}") for number in range(4)]) == 1


@IN_BOTH
def test_a_copy_differs_from_what_differs(database: Database, other: Database, tmp_path: Path) -> None:
    fill(database)
    before = copy(database, other).digest
    with database.write() as session:
        session.execute(text("UPDATE ratings SET rating = rating + 1e-10 WHERE version_id = 1"))
    assert copy(database, Database(f"sqlite:///{tmp_path / 'again.db'}")).digest != before


def test_a_database_that_holds_something_is_left_alone(database: Database, other: Database) -> None:
    with other.write() as session:
        session.execute(text("CREATE TABLE diary (day INTEGER)"))
    with pytest.raises(LadderError, match=r"holds something already; "):
        copy(database, other)
    with other.read() as session:
        assert session.execute(text("SELECT count(*) FROM diary")).scalar_one() == 0


def test_a_ladder_is_not_copied_into_itself(database: Database) -> None:
    with pytest.raises(LadderError, match="is to be copied"):
        copy(database, database)


@pytest.mark.parametrize("until", [NOW + 90, NOW + 3600])
def test_a_ladder_whose_matches_are_played_is_not_copied(database: Database, other: Database, until: float) -> None:
    with database.write() as session:
        match = queue(session, [enter(session, f"bot {number}") for number in range(4)])
        lease(session, match, until)
    minutes = 2 if until == NOW + 90 else 60
    with pytest.raises(LadderError, match=rf"played: 1, .* tried: 0, .* {minutes} min\."):
        copy(database, other)
    assert holds_nothing(other)


def test_nor_is_one_whose_submissions_are_tried(database: Database, other: Database) -> None:
    fill(database)
    with database.write() as session:
        claim_submissions(session, "alive", NOW, 600.0, 1)
    with pytest.raises(LadderError, match=r"being played: 0, .* being tried: 1, "):
        copy(database, other)


@IN_BOTH
def test_nor_is_one_at_whose_tables_people_play(database: Database, other: Database) -> None:
    fill(database)
    with database.write() as session:
        session.query(PeopleTable).update({"status": "ready"})
        assert claim_tables(session, "alive", NOW, 60.0, 10)
    with pytest.raises(LadderError, match=r"tables .* played: 1, .* answered: 0\. .* 1 min\."):
        copy(database, other)


@IN_BOTH
def test_nor_is_one_whose_questions_are_being_answered(database: Database, other: Database) -> None:
    with database.write() as session:
        ask(session, NewQuestion("key", "short", {"kind": "why"}, "now", "ada"), NOW)
        assert claim_computation(session, Lane.SHORT, "alive", NOW, 60.0)
    with pytest.raises(LadderError, match=r"answered: 1\. .* pigpen ladder compute"):
        copy(database, other)


@pytest.mark.parametrize(("holder", "is_refused"), [("barn and so on", True), ("dead", False)])
def test_nor_is_one_at_which_a_coordinator_works(
    database: Database, other: Database, holder: str, is_refused: bool
) -> None:
    with database.write() as session:
        note_alive(session, holder, "a folder", database_time(session))
    if is_refused:
        with pytest.raises(LadderError, match=r"a coordinator .* on barn\."):
            copy(database, other)
    else:
        copy(database, other)
    assert holds_nothing(other) is is_refused


@pytest.mark.parametrize(("holder", "until"), [("dead", NOW + 1), ("alive", NOW - 1)])
@IN_BOTH
def test_what_was_leased_to_who_has_ended_is_copied_as_it_is(
    database: Database, other: Database, holder: str, until: float
) -> None:
    with database.write() as session:
        match = queue(session, [enter(session, f"bot {number}") for number in range(4)])
        lease(session, match, until)
        session.get_one(models.StoredMatch, match).holder = holder
    copy(database, other)
    assert contents(other) == contents(database)


@pytest.mark.parametrize("moment", [pytest.param(1, marks=LATER), 10, pytest.param(19, marks=LATER)])
@IN_BOTH
def test_a_copy_that_is_interrupted_leaves_nothing(database: Database, other: Database, moment: int) -> None:
    fill(database)
    advance = iter(range(moment - 1))

    def interrupt() -> None:
        if next(advance, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy(database, other, interrupt)
    assert holds_nothing(other)
    copy(database, other)
    assert contents(other) == contents(database)


@IN_BOTH
def test_a_copy_that_is_killed_leaves_nothing(database: Database, other: Database) -> None:
    fill(database)
    urls = [each.engine.url.render_as_string(hide_password=False) for each in (database, other)]
    with subprocess.Popen([sys.executable, "-c", STUCK, *urls], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for _ in range(12):
            assert process.stdout.readline()
        process.kill()
    assert holds_nothing(other)
    copy(database, other)
    assert contents(other) == contents(database)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_row_that_the_other_database_does_not_take_is_named(database: Database, other: Database) -> None:
    with database.write() as session:
        session.add(models.Owner(name="n" * 1000, added=1.0))
    with pytest.raises(LadderError, match=r"the table owners: .*\."):
        copy(database, other)
    assert holds_nothing(other)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_ladder_that_is_damaged_is_named_and_not_the_copy(database: Database, other: Database) -> None:
    with database.write() as session:
        session.execute(text("DROP TABLE login_codes"))
        session.execute(text("CREATE TABLE login_codes (id INTEGER)"))
    with pytest.raises(StoreError, match=r"ladder\.db' failed: no such"):
        copy(database, other)
    assert holds_nothing(other)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_file_that_was_begun_for_a_copy_goes_when_it_fails(database: Database, other: Database) -> None:
    fill(database)
    file = Path(str(other.engine.url.database))
    with pytest.raises(ZeroDivisionError):
        copy(database, other, lambda: 1 // 0)  # type: ignore[arg-type]
    assert not file.exists()
    copy(database, other)
    assert oct(file.stat().st_mode & 0o777) == "0o600"
