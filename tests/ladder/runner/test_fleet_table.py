"""The table of workers, as a coordinator writes and reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from ladder.runner.executor import Judgement
from ladder.runner.fleet import MAX_REASON, Fleet, FleetTable
from ladder.runner.fleet_roster import MAX_LIES
from ladder.store.cluster_models import StoredWorker
from ladder.store.commands.coordinators import forget_worker as forget
from ladder.store.commands.coordinators import set_wanted
from ladder.store.queries.workers import worker_orders, workers
from ladder.values.cluster import WantedState, WorkerState
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.runner.fleets import DEMANDS, HandClock, calibrate, joined, left

if TYPE_CHECKING:
    from ladder.store.database import Database
    from ladder.values.cluster import WorkerRow


__all__ = ["backend"]


class Run:
    """The parts of one coordinator."""

    def __init__(self, database: Database, coordinator: str = "first") -> None:
        self.clock = HandClock()
        self.fleet = Fleet(DEMANDS, self.clock, self.clock)
        self.table = FleetTable(database, coordinator, self.clock)

    async def exchange(self) -> None:
        """Write and read."""
        await self.table.exchange(self.fleet)

    def lie(self, times: int = MAX_LIES, reason: str = "It is another match's.") -> None:
        """Let the worker lie."""
        for number in range(times):
            self.fleet.place(f"match-{number}-1", ())
            self.fleet.judge(f"match-{number}-1", Judgement.INVALID, reason)


def rows(database: Database) -> dict[str, WorkerRow]:
    with database.read() as session:
        return {row.name: row for row in workers(session, 1000.0)}


def worker_orders_of(database: Database) -> dict[str, str]:
    """The reasons of all orders."""
    with database.read() as session:
        return {name: order.reason for name, order in worker_orders(session).items()}


async def test_what_is_seen_of_the_workers_is_written(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    calibrate(run.fleet, speed=120.0)
    run.fleet.place("match-7-1", (), 7)
    run.fleet.place("match-8-1", (), 8)
    run.fleet.judge("match-7-1", Judgement.COUNTED)
    await run.exchange()
    row = rows(database)["barn"]
    assert (row.state, row.coordinator, row.address) == (WorkerState.ACTIVE, "first", "tls://barn")
    assert (row.busy, row.slots, row.tasks, row.last_match, row.speed) == (1, 2, 1, 7, 120.0)


async def test_a_worker_that_has_come_and_gone_between_two_exchanges_is_listed_until_it_is_forgotten(
    database: Database,
) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    run.fleet.take_report(left())
    run.clock.time += 60
    await run.exchange()
    assert rows(database)["barn"].state is WorkerState.GONE
    with database.write() as session:
        assert forget(session, "barn")
    await run.exchange()
    assert rows(database) == {}


async def test_a_worker_that_has_gone_is_shown_with_the_reason(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    await run.exchange()
    run.fleet.take_report(left())
    await run.exchange()
    row = rows(database)["barn"]
    assert (row.state, row.reason) == (WorkerState.GONE, "Its connection was closed.")


async def test_an_organiser_drains_a_worker_and_lets_it_play_again(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    calibrate(run.fleet)
    await run.exchange()
    with database.write() as session:
        set_wanted(session, "barn", WantedState.DRAINED, "Its fan is loud.")
    await run.exchange()
    await run.exchange()
    assert (rows(database)["barn"].state, run.fleet.slots) == (WorkerState.DRAINED, 0)
    with database.write() as session:
        set_wanted(session, "barn", WantedState.ACTIVE, "")
    await run.exchange()
    calibrate(run.fleet)
    assert run.fleet.slots == 2


async def test_a_worker_that_has_lied_three_times_stays_drained_in_the_next_run(database: Database) -> None:
    first = Run(database)
    first.fleet.take_report(joined())
    calibrate(first.fleet)
    first.lie()
    await first.exchange()
    assert first.fleet.drains == {}
    with database.read() as session:
        assert worker_orders(session)["barn"].reason.endswith("It is another match's.")
    second = Run(database, "second")
    await second.exchange()
    second.fleet.take_report(joined(process="2"))
    worker = second.fleet.workers["barn"]
    assert (worker.state, worker.lies, second.fleet.checks()) == (WorkerState.DRAINED, MAX_LIES, [])


async def test_a_drain_is_not_undone_by_what_the_table_said_before(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    calibrate(run.fleet)
    await run.exchange()
    run.lie()
    run.fleet.order("barn", None)
    assert run.fleet.workers["barn"].state is WorkerState.DRAINED
    await run.exchange()
    await run.exchange()
    assert run.fleet.workers["barn"].state is WorkerState.DRAINED


async def test_counts_go_on_where_an_earlier_run_has_left_them(database: Database) -> None:
    first = Run(database)
    first.fleet.take_report(joined())
    calibrate(first.fleet)
    first.fleet.place("match-1-1", (), 1)
    first.fleet.judge("match-1-1", Judgement.COUNTED)
    await first.exchange()
    second = Run(database, "second")
    await second.exchange()
    second.fleet.take_report(joined())
    await second.exchange()
    row = rows(database)["barn"]
    assert (row.tasks, row.last_match, row.coordinator, row.state) == (1, 1, "second", WorkerState.CALIBRATING)


@IN_BOTH
async def test_what_a_worker_has_sent_keeps_no_worker_from_being_written_or_drained(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    calibrate(run.fleet)
    run.fleet.take_report(joined("sty", version="\0"))
    run.lie(reason="\0" + "x" * MAX_REASON)
    await run.exchange()
    found = rows(database)
    assert "needs 1.0" in found["sty"].reason
    for reason in (found["barn"].reason, worker_orders_of(database)["barn"]):
        assert len(reason) == MAX_REASON
        assert "The last one: \ufffdxxx" in reason
    await run.exchange()
    await run.exchange()
    assert run.fleet.workers["barn"].state is WorkerState.DRAINED


@IN_BOTH
async def test_a_run_begins_where_an_earlier_version_has_stored_an_impossible_time(database: Database) -> None:
    first = Run(database)
    first.fleet.take_report(joined(process="1"))
    calibrate(first.fleet)
    first.lie(1)
    await first.exchange()
    with database.write() as session:
        facts = session.scalars(select(StoredWorker.facts)).one()
        session.execute(update(StoredWorker).values(facts=facts | {"certificate_ends": 1e15}))
    second = Run(database, "second")
    await second.exchange()
    second.fleet.take_report(joined())
    assert second.fleet.workers["barn"].lies == 1
