"""Several processes at one queue: a lease ends by the clock that they share, or when its process has surely ended."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from ladder.computing.computation_work import ComputationRows
from ladder.people.playing.table_run import TableRows
from ladder.runner import leased_rows
from ladder.runner.leased_rows import LeasedRows
from ladder.store.commands.outbox import post
from ladder.store.commands.webhooks import add_webhook
from ladder.values.questions import Lane
from ladder.values.webhooks import MessageKind
from ladder.webhooks.message_work import OutboxRows
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.runner.test_presence import ended_here, of_another_boot
from tests.ladder.store.lease_queues import QUEUES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.store.database import Database
    from ladder.store.leases import Lease

__all__ = ["backend"]

YEAR = 365 * 86_400.0


@pytest.fixture(autouse=True)
def long_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """No lease runs out because the machine is slow."""
    monkeypatch.setattr(leased_rows, "LEASE_SECONDS", YEAR / 2)


def clock(seconds: float) -> Callable[[], float]:
    """The clock of a machine that is wrong by that many seconds."""
    return lambda: time.time() + seconds


async def a_table(database: Database, holder: str, seconds: float = 0.0) -> tuple[LeasedRows[Any], Sequence[Lease]]:
    """Let a process, whose clock is wrong by some seconds, lease one."""
    with database.write() as session:
        QUEUES["tables"].add(session, "ada")
    rows = TableRows(database, clock(seconds), 600.0, 7, holder)
    return rows, await rows.claim(8, ())


async def a_question(database: Database, holder: str, seconds: float = 0.0) -> tuple[LeasedRows[Any], Sequence[Lease]]:
    """Do the same with a visitor's question."""
    with database.write() as session:
        QUEUES["computations"].add(session, "ada")
    rows = ComputationRows(database, clock(seconds), holder=holder)
    return rows, await rows.claim(list(Lane))


async def a_message(database: Database, holder: str, seconds: float = 0.0) -> tuple[LeasedRows[Any], Sequence[Lease]]:
    """Do the same with the message of a webhook."""
    with database.write() as session:
        add_webhook(session, "https://hooks.example/1", None, [], "ab" * 16, "cd" * 32, 0.0)
        post(session, MessageKind.BOT_ENTERED, {"bot": "Trotter"}, 0.0)
    rows = OutboxRows(database, clock(seconds), holder)
    return rows, await rows.claim(8)


LEASED = pytest.mark.parametrize("leased", [a_table, a_question, a_message])


async def is_held(database: Database, rows: LeasedRows[Any], lease: Lease, seconds: float = 0.0) -> bool:
    """Let another process, whose clock is wrong by some seconds, look for what is lost; say whether a lease is not."""
    other = LeasedRows(database, rows.queue, clock(seconds), "another")
    await other.renew(())
    for each in (rows, other):
        each.close()
    with database.read() as session:
        return rows.queue.held(session, lease) is not None


@LEASED
@pytest.mark.parametrize(("seconds", "other_seconds"), [(-YEAR, 0.0), (0.0, YEAR)])
@pytest.mark.parametrize("backend", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
async def test_a_clock_that_is_wrong_ends_no_lease_of_another_machine(
    database: Database, leased: Any, seconds: float, other_seconds: float
) -> None:
    rows, (lease,) = await leased(database, "one", seconds)
    assert await is_held(database, rows, lease, other_seconds)


@IN_BOTH
@LEASED
async def test_a_lease_that_has_run_out_is_lost(
    database: Database, leased: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_rows, "LEASE_SECONDS", -1.0)
    rows, (lease,) = await leased(database, "one")
    assert not await is_held(database, rows, lease)


@IN_BOTH
async def test_the_leases_of_a_process_are_lost_when_it_has_surely_ended(database: Database, backend: str) -> None:
    """With PostgreSQL another machine may have the name of this one; see `ladder.runner.leased_rows`."""
    rows, (lease,) = await a_question(database, of_another_boot())
    assert await is_held(database, rows, lease) is (backend == "postgresql")
    rows, (lease,) = await a_question(database, ended_here())
    assert not await is_held(database, rows, lease)


async def test_a_process_keeps_what_it_works_on_and_loses_what_else_it_has_leased(database: Database) -> None:
    rows, (known,) = await a_question(database, "one")
    rows.close()
    rows, (unknown,) = await a_question(database, "one")
    await rows.renew({(known.id, known.attempt)})
    rows.close()
    with database.read() as session:
        assert rows.queue.held(session, known) is not None
        assert rows.queue.held(session, unknown) is None
