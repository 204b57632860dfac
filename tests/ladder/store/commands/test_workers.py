"""The table of workers: what coordinators write, what organisers want, what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from ladder.store.cluster_models import StoredWorker
from ladder.store.commands.coordinators import MAX_WORKERS, set_wanted, write_workers
from ladder.store.commands.coordinators import forget_worker as forget
from ladder.store.queries.workers import SILENT_SECONDS, worker, worker_names, worker_orders, worker_state, workers
from ladder.values.cluster import MAX_COUNT, WantedState, WorkerOrder, WorkerRow, WorkerState
from ladder.values.value import LAST_SECOND
from tests.ladder.cluster_rows import MACHINE, seen
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW

if TYPE_CHECKING:
    from ladder.store.database import Database
    from ladder.values.cluster import WorkerSeen

__all__ = ["backend"]


def write(database: Database, *some: WorkerSeen, most: int = MAX_WORKERS) -> int:
    with database.write() as session:
        return write_workers(session, some, max_workers=most)


def read(database: Database, now: float = NOW) -> dict[str, WorkerRow]:
    with database.read() as session:
        return {row.name: row for row in workers(session, now)}


def want(database: Database, name: str, wanted: WantedState, reason: str = "") -> bool:
    with database.write() as session:
        return set_wanted(session, name, wanted, reason)


def test_what_a_coordinator_writes_of_its_workers_is_read_by_name(database: Database) -> None:
    ends = NOW + 86_400
    last = seen("sty", {"certificate_ends": ends}, busy=3, tasks=40, voids=2, lies=1, speed=812.5, last_match=17)
    assert write(database, last, seen("barn")) == 2
    found = read(database)
    assert list(found) == ["barn", "sty"]
    row = found["sty"]
    assert (row.state, row.wanted, row.busy, row.slots) == (WorkerState.ACTIVE, WantedState.ACTIVE, 3, 4)
    assert (row.tasks, row.voids, row.lies, row.speed, row.last_match) == (40, 2, 1, 812.5, 17)
    assert (row.machine, row.version, row.images, row.image_bytes) == (MACHINE, "0.17.0", 12, 3 << 30)
    assert row.runtimes == ("runc", "runsc")
    assert row.certificate_ends is not None
    assert (row.seen.timestamp(), row.certificate_ends.timestamp()) == (NOW, ends)
    assert found["barn"].certificate_ends is None


@IN_BOTH
def test_the_largest_numbers_that_a_worker_may_report_are_stored_and_read(database: Database) -> None:
    machine = MACHINE.model_copy(update={"cores": MAX_COUNT})
    most = dict.fromkeys(("memory", "slots", "images", "image_bytes"), MAX_COUNT)
    times = {"certificate_ends": LAST_SECOND, "clock": LAST_SECOND}
    skew = LAST_SECOND - NOW
    assert write(database, seen("barn", {**most, **times, "machine": machine}, clock_skew=skew), seen("sty")) == 2
    row = read(database)["barn"]
    assert (row.memory, row.slots, row.images, row.image_bytes) == (MAX_COUNT,) * 4
    assert (row.machine, row.clock_skew) == (machine, skew)
    assert row.certificate_ends is not None
    assert row.certificate_ends.timestamp() == LAST_SECOND


@pytest.mark.parametrize("ends", [LAST_SECOND + 1, 1e15, 1e300])
@IN_BOTH
def test_an_impossible_time_that_an_earlier_version_has_stored_is_unknown(database: Database, ends: float) -> None:
    write(database, seen("barn"), seen("sty", {"certificate_ends": NOW}))
    with database.write() as session:
        facts = session.scalars(select(StoredWorker.facts).where(StoredWorker.name == "barn")).one()
        changed = update(StoredWorker).where(StoredWorker.name == "barn")
        session.execute(changed.values(facts=facts | {"certificate_ends": ends}))
    found = read(database)
    assert found["barn"].certificate_ends is None
    assert found["sty"].certificate_ends is not None


@IN_BOTH
def test_one_worker_is_read_without_the_others(database: Database) -> None:
    write(database, seen("barn"), seen("sty"))
    with database.write() as session:
        session.execute(update(StoredWorker).where(StoredWorker.name == "barn").values(facts={}))
    with database.read() as session:
        found = worker(session, "sty", NOW)
        assert found is not None
        assert (found.name, found.state) == ("sty", WorkerState.ACTIVE)
        assert worker(session, "coop", NOW) is None
        assert worker_state(session, "barn", NOW) is WorkerState.ACTIVE
        assert worker_state(session, "barn", NOW + SILENT_SECONDS + 1) is WorkerState.GONE
        assert worker_state(session, "coop", NOW) is None


def test_only_rows_that_have_changed_are_written_again(database: Database) -> None:
    some = [seen(f"w{number}") for number in range(5)]
    assert write(database, *some) == 5
    later = [seen(f"w{number}", {"clock": NOW + 5}, seen=NOW + 5, clock_skew=0.1) for number in range(5)]
    assert write(database, *later) == 0
    assert write(database, *later[:4], seen("w4", seen=NOW + 5, busy=1)) == 1
    assert read(database)["w4"].busy == 1


@pytest.mark.parametrize("change", [{"seen": NOW + 10}, {"clock_skew": 3600.0}])
@IN_BOTH
def test_that_a_worker_still_lives_and_that_its_clock_has_jumped_is_written_down(
    database: Database, change: dict[str, Any]
) -> None:
    write(database, seen("sty"))
    assert write(database, seen("sty", **change)) == 1


@IN_BOTH
def test_what_organisers_want_of_a_worker_stays_when_it_is_written_of(database: Database) -> None:
    write(database, seen("sty"), seen("barn"))
    assert want(database, "sty", WantedState.DRAINED, "Its disk is replaced.")
    write(database, seen("sty", busy=2), seen("barn", busy=2))
    with database.read() as session:
        assert worker_orders(session) == {
            "sty": WorkerOrder(wanted=WantedState.DRAINED, reason="Its disk is replaced."),
            "barn": WorkerOrder(wanted=WantedState.ACTIVE, reason=""),
        }
    row = read(database)["sty"]
    assert (row.busy, row.wanted, row.reason) == (2, WantedState.DRAINED, "Its disk is replaced.")


def test_a_worker_that_moves_to_another_coordinator_belongs_to_that_one(database: Database) -> None:
    write(database, seen("sty", tasks=7))
    write(database, seen("sty", coordinator="another", seen=NOW + 5, tasks=8))
    assert write(database, seen("sty", state=WorkerState.GONE, seen=NOW + 6)) == 0
    assert write(database, seen("sty", seen=NOW + 4)) == 0
    row = read(database)["sty"]
    assert (row.coordinator, row.state, row.tasks) == ("another", WorkerState.ACTIVE, 8)


def test_a_worker_not_written_of_for_a_while_is_gone_whatever_its_row_says(database: Database) -> None:
    write(database, seen("sty"))
    assert read(database, NOW + SILENT_SECONDS)["sty"].state is WorkerState.ACTIVE
    row = read(database, NOW + SILENT_SECONDS + 1)["sty"]
    assert row.state == WorkerState.GONE
    assert "coordinator has not written" in row.reason


@IN_BOTH
def test_a_worker_that_was_forgotten_comes_back_when_it_is_seen_again(database: Database) -> None:
    write(database, seen("sty"))
    want(database, "sty", WantedState.DRAINED)
    with database.write() as session:
        assert forget(session, "sty")
        assert not forget(session, "sty")
        assert worker_names(session) == []
    assert not want(database, "sty", WantedState.ACTIVE)
    assert write(database, seen("sty", state=WorkerState.GONE)) == 0
    assert read(database) == {}
    write(database, seen("sty"))
    assert read(database)["sty"].wanted is WantedState.ACTIVE


def test_a_worker_that_was_turned_away_and_forgotten_is_not_listed_again_before_it_comes_again(
    database: Database,
) -> None:
    away = seen("coop", state=WorkerState.TURNED_AWAY)
    with database.write() as session:
        assert write_workers(session, [away], NOW + 60) == 0
        assert write_workers(session, [away], NOW + 1) == 1


def test_a_worker_that_always_has_another_name_does_not_fill_the_table(database: Database) -> None:
    assert write(database, seen("sty"), seen("barn"), most=3) == 2
    assert write(database, *(seen(f"w{number}", busy=1) for number in range(9)), seen("sty", busy=1), most=3) == 2
    assert set(read(database)) == {"barn", "sty", "w0"}
