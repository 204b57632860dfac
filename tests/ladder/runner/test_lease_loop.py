"""The loop of a process that leases: it works on what it holds, and on nothing that it has lost."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from ladder.errors import SandboxError, StoreError
from ladder.results import files as folder_watch
from ladder.results.files import WakeFile
from ladder.runner import lease_loop
from ladder.runner.lease_loop import LeasedRows, LeaseLoop
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


class Loop(LeaseLoop[Lease]):
    """Works on tables, two at once, until it is told to end one."""

    name = "table"

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.rows = LeasedRows(database, TRIED.queue, lambda: NOW)
        super().__init__(self.rows, WakeFile(folder), retry_seconds=0.0)
        self.began: list[tuple[int, int]] = []
        self.cancelled: list[int] = []
        self.goes_on: dict[int, asyncio.Event] = {}
        self.error: Exception | None = None
        self.cleared = asyncio.Event()
        self.looks = 0

    async def check(self) -> None:
        self.looks += 1

    async def claim(self) -> Sequence[Lease]:
        room = 2 - len(self.running)
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
        await self.rows.write(lambda session: TRIED.finish(session, lease))


@pytest.fixture
def loop(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setattr(lease_loop, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(lease_loop, "IDLE_LOOK_SECONDS", 0.0)
    return Loop(database, tmp_path / "wakes")


@asynccontextmanager
async def running(loop: Loop) -> AsyncIterator[None]:
    task = asyncio.ensure_future(loop.run())
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
    loop: Loop, database: Database
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
    loop: Loop, database: Database
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
    loop: Loop, database: Database
) -> None:
    (number,) = add(database, "ada")
    async with running(loop):
        await comes(lambda: len(loop.began) == 1)
        old = loop.running[number].task
        with database.write() as session:
            TRIED.queue.requeue_dead(session, NOW, lambda holder: True)
        add(database, "ben")  # something is ready, so the loop claims
        await comes(lambda: (number, 2) in loop.began)
        loop.cleared.set()
        await comes(old.done)
        await asyncio.sleep(0)  # what is called when it is done
        assert loop.running[number].lease.attempt == 2
        loop.goes_on[number].set()
        await comes(lambda: number not in loop.running)
    assert row(database, number).status == "over"


@pytest.mark.parametrize("error", [SandboxError("No engine answers."), ZeroDivisionError("7")])
async def test_what_fails_is_tried_a_limited_number_of_times(loop: Loop, database: Database, error: Exception) -> None:
    (number,) = add(database, "ada")
    loop.error = error
    async with running(loop):
        await comes(lambda: row(database, number).status == "ended")
    assert loop.began == [(number, attempt + 1) for attempt in range(MAX_FAILURES)]
    assert str(error) in row(database, number).reason


async def test_a_lease_whose_failure_could_not_be_stored_is_put_back_and_those_under_way_are_kept(
    loop: Loop, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RENEW_SECONDS", "NOTIFIED_WAKE_SECONDS", "WAKE_SECONDS", "IDLE_WAKE_SECONDS"):
        monkeypatch.setattr(lease_loop, name, 0.0)
    (number,) = add(database, "ada")
    loop.error = SandboxError("No engine answers.")

    async def fail(lease: Lease, reason: str) -> None:
        loop.error = None
        raise StoreError("The database is busy.")

    monkeypatch.setattr(loop.rows, "fail", fail)
    async with running(loop):
        await comes(lambda: loop.began == [(number, 1), (number, 2)])
        looks = loop.looks
        await comes(lambda: loop.looks > looks + 2)
        assert loop.began == [(number, 1), (number, 2)]
    found = row(database, number)
    assert (found.status, found.failures, found.losses) == ("ready", 0, 1)


async def test_an_idle_process_queries_the_database_only_when_it_is_woken(
    loop: Loop, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_loop, "IDLE_LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(lease_loop, "NOTIFIED_WAKE_SECONDS", 0.0)
    monkeypatch.setattr(lease_loop, "IDLE_WAKE_SECONDS", 0.0)
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
    loop: Loop, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("IDLE_LOOK_SECONDS", "NOTIFIED_WAKE_SECONDS"):
        monkeypatch.setattr(lease_loop, name, 3600.0)
    async with running(loop):
        await comes(lambda: loop.looks == 1)
        (number,) = add(database, "ada")
        WakeFile(tmp_path / "wakes").wake()
        await comes(lambda: loop.began == [(number, 1)])


async def test_where_the_kernel_does_not_tell_the_process_looks_itself(
    loop: Loop, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_loop, "IDLE_LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(folder_watch, "_watch", lambda _: None)
    async with running(loop):
        await comes(lambda: loop.looks == 1)
        (number,) = add(database, "ada")
        WakeFile(tmp_path / "wakes").wake()
        await comes(lambda: loop.began == [(number, 1)])
