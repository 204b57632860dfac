"""The loop of a process that leases: it works on what it holds, and on nothing that it has lost."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from structlog.testing import capture_logs

from ladder.errors import SandboxError, StoreError, Unstorable
from ladder.results import files as folder_watch
from ladder.results.files import WakeFile
from ladder.runner import leased_rows
from ladder.runner.lease_loop import LeaseLoop
from ladder.runner.leased_rows import LONGEST_PAUSE, LeasedRows, RowsWork
from ladder.runner.run_log import Outage
from ladder.store.leases import MAX_FAILURES, Lease
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.store.lease_queues import QUEUES
from tests.waiting import comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from ladder.store.database import Database

__all__ = ["backend"]

TRIED = QUEUES["tables"]


class Tables(RowsWork[Lease, None]):
    """Works on tables, two at once, until it is told to end one."""

    name = "table"

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.rows = LeasedRows(database, TRIED.queue, lambda: NOW)
        super().__init__(self.rows, WakeFile(folder), retry_seconds=0.0)
        self.loop = LeaseLoop([self], LONGEST_PAUSE)
        self.began: list[tuple[int, int]] = []
        self.cancelled: list[int] = []
        self.goes_on: dict[int, asyncio.Event] = {}
        self.error: Exception | None = None
        self.unrecordable: Exception | None = None
        self.cleared = asyncio.Event()
        self.looks = 0

    async def check(self) -> None:
        self.looks += 1

    @property
    def running(self) -> list[tuple[int, int]]:
        return [(lease.id, lease.attempt) for lease in self.loop.leases(self)]

    async def take(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        room = 2 - len(leases)
        return await self.rows.write(lambda session: list(TRIED.claim(session, self.rows.holder, NOW, room)))

    async def work(self, lease: Lease) -> None:
        self.began.append((lease.id, lease.attempt))
        if self.error is not None:
            raise self.error
        try:
            await self.goes_on.setdefault(lease.id, asyncio.Event()).wait()
        except asyncio.CancelledError:
            self.cancelled.append(lease.id)
            await self.cleared.wait()
            raise

    async def keep(self, lease: Lease, result: None) -> None:
        if self.unrecordable is not None:
            raise self.unrecordable
        await self.rows.write(lambda session: TRIED.finish(session, lease))


@pytest.fixture
def loop(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tables:
    monkeypatch.setattr(leased_rows, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(leased_rows, "IDLE_LOOK_SECONDS", 0.0)
    return Tables(database, tmp_path / "wakes")


@asynccontextmanager
async def running(loop: Tables) -> AsyncIterator[None]:
    task = asyncio.ensure_future(loop.loop.run())
    try:
        yield
    finally:
        loop.cleared.set()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        loop.rows.close()


def add(database: Database, *owners: str) -> list[int]:
    with database.write() as session:
        return [TRIED.add(session, owner) for owner in owners]


def row(database: Database, number: int) -> Any:
    with database.read() as session:
        return session.get_one(TRIED.queue.row, number)


async def test_when_one_ends_the_next_begins_and_at_the_end_the_rest_is_given_back(
    loop: Tables, database: Database
) -> None:
    first, second, third = add(database, "ada", "ben", "cid")
    async with running(loop):
        await comes(lambda: len(loop.began) == 2)
        loop.goes_on[first].set()
        await comes(lambda: len(loop.began) == 3)
    assert loop.began == [(first, 1), (second, 1), (third, 1)]
    assert row(database, first).status == "over"
    found = [row(database, number) for number in (second, third)]
    assert [(each.status, each.failures, each.losses) for each in found] == [("ready", 0, 0)] * 2


async def test_work_whose_lease_is_lost_is_cancelled_once_and_its_row_is_left_to_others(
    loop: Tables, database: Database
) -> None:
    (number,) = add(database, "ada")
    async with running(loop):
        await comes(lambda: len(loop.began) == 1)
        with database.write() as session:
            TRIED.queue.requeue_dead(session, NOW, lambda holder: True)
            assert TRIED.claim(session, "another", NOW * 2, 1)  # in PostgreSQL, leases end by its clock
        await comes(lambda: loop.cancelled == [number])
        looks = list[None]()
        really_look = loop.rows.look

        async def look(count: int) -> Any:
            looks.append(None)
            return await really_look(count)

        loop.rows.look = look  # type: ignore[method-assign]
        await comes(lambda: len(looks) > 2)
        assert loop.running, "it is still clearing away: nothing has disturbed that"
        loop.cleared.set()
        await comes(lambda: not loop.running)
    assert (row(database, number).holder, row(database, number).attempt) == ("another", 2)


async def test_work_that_begins_again_while_the_old_work_clears_away_stays_under_way(
    loop: Tables, database: Database
) -> None:
    (number,) = add(database, "ada")
    async with running(loop):
        await comes(lambda: len(loop.began) == 1)
        (old,) = loop.loop.attempts
        with database.write() as session:
            TRIED.queue.requeue_dead(session, NOW, lambda holder: True)
        add(database, "ben")  # something is ready, so the loop claims
        await comes(lambda: (number, 2) in loop.began)
        loop.cleared.set()
        await comes(lambda: old not in loop.loop.attempts)
        assert (number, 2) in loop.running
        loop.goes_on[number].set()
        await comes(lambda: (number, 2) not in loop.running)
    assert row(database, number).status == "over"


@pytest.mark.parametrize("error", [SandboxError("No engine answers."), ZeroDivisionError("7")])
async def test_what_fails_is_tried_a_limited_number_of_times(
    loop: Tables, database: Database, error: Exception
) -> None:
    (number,) = add(database, "ada")
    loop.error = error
    async with running(loop):
        await comes(lambda: row(database, number).status == "ended")
    assert loop.began == [(number, attempt + 1) for attempt in range(MAX_FAILURES)]
    assert str(error) in row(database, number).reason


@pytest.mark.parametrize("is_failure", [False, True])
async def test_what_could_not_be_stored_is_stored_later_and_nothing_is_done_twice(
    loop: Tables, database: Database, monkeypatch: pytest.MonkeyPatch, is_failure: bool
) -> None:
    for name in ("RENEW_SECONDS", "NOTIFIED_WAKE_SECONDS", "WAKE_SECONDS", "IDLE_WAKE_SECONDS"):
        monkeypatch.setattr(leased_rows, name, 0.0)
    monkeypatch.setattr(Outage, "wait", lambda outage, count: None)
    (number,) = add(database, "ada")
    if is_failure:
        loop.error = SandboxError("No engine answers.")
    tries: list[None] = []
    really = loop.rows.write

    async def write(work: Any) -> Any:
        if loop.began and loop.loop.attempts and loop.loop.attempts[0].task.done() and len(tries) < 3:
            tries.append(None)
            raise StoreError("The database is busy.")
        loop.error = None if tries else loop.error
        return await really(work)

    monkeypatch.setattr(loop.rows, "write", write)
    with capture_logs() as logs:
        async with running(loop):
            await comes(lambda: loop.began)
            if not is_failure:
                loop.goes_on.setdefault(number, asyncio.Event()).set()
                await comes(lambda: row(database, number).status == "over")
            else:
                await comes(lambda: (number, 2) in loop.began)
            await comes(lambda: any(log["event"] == "platform.up" for log in logs))  # logged after the row is written
    assert loop.began == [(number, 1), (number, 2)][: 1 + is_failure]
    assert (row(database, number).failures, row(database, number).losses) == (int(is_failure), 0)
    assert [log["event"] for log in logs if log["event"].startswith("platform")] == ["platform.down", "platform.up"]


@pytest.mark.parametrize("error", [ZeroDivisionError("7"), Unstorable("A text with a NUL character.")])
async def test_a_result_that_can_never_be_recorded_fails_and_holds_up_no_other(
    loop: Tables, database: Database, error: Exception
) -> None:
    (number,) = add(database, "ada")
    loop.goes_on[number] = asyncio.Event()
    loop.goes_on[number].set()
    loop.unrecordable = error
    async with running(loop):
        await comes(lambda: row(database, number).status == "ended")
        loop.unrecordable = None
        (other,) = add(database, "ben")
        loop.goes_on[other] = loop.goes_on[number]
        await comes(lambda: row(database, other).status == "over")
    assert str(error) in row(database, number).reason


async def test_an_idle_process_queries_the_database_only_when_it_is_woken(
    loop: Tables, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_rows, "IDLE_LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(leased_rows, "NOTIFIED_WAKE_SECONDS", 0.0)
    monkeypatch.setattr(leased_rows, "IDLE_WAKE_SECONDS", 0.0)
    files = mock.Mock(wraps=WakeFile(tmp_path / "wakes"))
    monkeypatch.setattr(loop, "_files", files)
    with mock.patch.object(loop.rows, "look", wraps=loop.rows.look) as look:
        async with running(loop):
            await comes(lambda: files.woken.call_count > 50)
            assert look.call_count == 1
            add(database, "ada")
            WakeFile(tmp_path / "wakes").wake()
            await comes(lambda: len(loop.began) == 1)


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not tell")
async def test_the_kernel_tells_an_idle_process_that_it_was_woken(
    loop: Tables, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("IDLE_LOOK_SECONDS", "NOTIFIED_WAKE_SECONDS"):
        monkeypatch.setattr(leased_rows, name, 3600.0)
    async with running(loop):
        await comes(lambda: loop.looks == 1)
        (number,) = add(database, "ada")
        WakeFile(tmp_path / "wakes").wake()
        await comes(lambda: loop.began == [(number, 1)])


async def test_where_the_kernel_does_not_tell_the_process_looks_itself(
    loop: Tables, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_rows, "IDLE_LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(folder_watch, "_watch", lambda _: None)
    async with running(loop):
        await comes(lambda: loop.looks == 1)
        (number,) = add(database, "ada")
        WakeFile(tmp_path / "wakes").wake()
        await comes(lambda: loop.began == [(number, 1)])
