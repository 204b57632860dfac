"""People at tables of a ladder, for tests: each finds the seat as the site does, and plays there."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from ladder.people.playing.table_work import RETRY_SECONDS, play_tables
from ladder.people.seat.seat_client import PersonClient
from ladder.people.tables.chairs import seat_of, table_page
from ladder.values.people import TableStatus
from pigpen.client import Refused, Unreachable
from referee.seats.fair_wait import new_loop
from tests.waiting import comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from ladder.app.ladder import Ladder
    from ladder.values.people import OpenedTable, SeatPlace, TableState
    from tests.ladder.people.seat.listeners import BotListener

ENDED = (TableStatus.OVER, TableStatus.ENDED)


def in_loop(work: Coroutine[object, object, None]) -> None:
    """Run it in an event loop like that of the process."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(work)


@asynccontextmanager
async def tables_process(ladder: Ladder, retry_seconds: float = RETRY_SECONDS) -> AsyncIterator[None]:
    """Run in this process as `pigpen ladder tables` does."""
    playing = asyncio.ensure_future(play_tables(ladder, retry_seconds=retry_seconds))
    try:
        yield
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


async def place_of(ladder: Ladder, opened: OpenedTable, chair: int, after: int = 0) -> SeatPlace | None:
    """Find the address of the seat in an attempt after that one; None if the table has ended."""
    while True:
        place = seat_of(ladder, opened.name, opened.secrets[chair])
        if place.status in ENDED:
            return None
        if place.address and place.attempt > after:
            return place
        await asyncio.sleep(0.02)


async def play_chair(ladder: Ladder, opened: OpenedTable, chair: int, listener: BotListener) -> None:
    """Play in a chair to the end of the table, through however many attempts."""
    attempt = 0
    while place := await place_of(ladder, opened, chair, attempt):
        listener.client = PersonClient(listener, place.address, place.token, patience=5.0)
        try:
            await listener.client.play_match()
            attempt = place.attempt
        except (Refused, Unreachable):  # the attempt has ended, or this machine is slow
            await asyncio.sleep(0.02)


async def ended(ladder: Ladder, opened: OpenedTable) -> TableState:
    """The table, once it has ended."""
    return await until(lambda: table_page(ladder, opened.name), lambda page: page.status in ENDED)


async def until(look: Callable[[], TableState], is_so: Callable[[TableState], bool]) -> TableState:
    """Wait for such a state of the table, and give it."""
    return await comes(lambda: page if is_so(page := look()) else None)
