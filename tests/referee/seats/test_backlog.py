"""Bytes that come over a seat's connections and are not read: a flood of frames that are no messages."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest

from referee.seats import seat_server
from referee.seats.listener import Backlog
from referee.seats.seat_server import MAX_UNREAD, READS
from referee.seats.verdict import SeatFailure, Verdict
from tests.referee.wires import open_seat, raw_bot
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from pathlib import Path

    from pigpen.values.notices import Welcome


def test_the_bytes_of_the_connection_with_most_are_counted_until_they_are_read(tmp_path: Path) -> None:
    backlog = Backlog(tmp_path / "seat.sock")
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as other:
        listening.bind(str(tmp_path / "seat.sock"))
        listening.listen()
        other.bind(str(tmp_path / "other.sock"))
        ends = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for end in ends:
            end.connect(str(tmp_path / "seat.sock"))
        taken = [listening.accept()[0] for _ in ends]
        backlog.find()
        assert backlog.unread() == 0
        ends[0].sendall(bytes(10))
        ends[1].sendall(bytes(20))
        assert backlog.unread() == 20
        taken[1].recv(15)
        assert backlog.unread() == 10
        taken[0].close()
        assert backlog.unread() == 5
        for each in (*ends, *taken):
            each.close()
        backlog.find()
        assert backlog.unread() == 0


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Give the results of the looks to come, the next one last; a look finds nothing when the list is empty."""
    found: list[int] = []
    monkeypatch.setattr(seat_server, "READ_SECONDS", 0.0)
    monkeypatch.setattr(Backlog, "unread", lambda _: found.pop() if found else 0)
    return found


async def test_a_bot_that_sends_faster_than_the_referee_reads_loses_its_seat(
    tmp_path: Path, welcome: Welcome, looks: list[int]
) -> None:
    looks += [MAX_UNREAD + 1] * READS
    async with open_seat(tmp_path) as (seat, _):
        with pytest.raises(SeatFailure, match="it sent more than the referee reads") as lost:
            await seat.welcome(welcome)
    assert lost.value.verdict is Verdict.ABSENT


async def test_what_waits_now_and_then_or_is_no_more_than_a_bot_may_send_is_no_flood(
    tmp_path: Path, welcome: Welcome, looks: list[int]
) -> None:
    looks += [*[MAX_UNREAD + 1] * (READS - 1), MAX_UNREAD] * 5
    async with asyncio.timeout(PATIENCE), open_seat(tmp_path) as (seat, token):
        await comes(lambda: not looks)
        async with raw_bot(tmp_path, token) as bot:
            await seat.welcome(welcome)
            assert await bot.receive()


async def test_a_real_flood_is_found_and_its_connection_broken(tmp_path: Path, welcome: Welcome) -> None:
    """Frames that open a window byte by byte: hundreds of megabytes, of which few are read."""
    update = b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x01"
    async with asyncio.timeout(PATIENCE), open_seat(tmp_path) as (seat, _):
        _, writer = await asyncio.open_unix_connection(tmp_path / "seat.sock")
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")

        async def flood() -> None:
            while True:
                writer.write(update * 10_000)
                await writer.drain()

        with pytest.raises(SeatFailure, match="it sent more than the referee reads"):
            await asyncio.gather(seat.welcome(welcome), asyncio.wait([asyncio.ensure_future(flood())]))
        writer.transport.abort()
