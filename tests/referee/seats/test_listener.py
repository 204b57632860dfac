"""The sockets at which gRPC listens for bots: who may wait there, until when, and what is done about unread floods."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE
from itertools import count
from typing import TYPE_CHECKING

import pytest

from referee.seats import seat_server
from referee.seats.listener import MAX_WAITING, Backlog, Listener
from referee.seats.seat_server import LOOKS, MAX_UNREAD, READS, SeatServer
from referee.seats.verdict import SeatFailure, Verdict
from tests.referee.wires import open_seat, raw_bot
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pigpen import Welcome


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
        with pytest.raises(SeatFailure, match="than the referee reads") as lost:
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

        with pytest.raises(SeatFailure, match="than the referee reads"):
            await asyncio.gather(seat.welcome(welcome), asyncio.wait([asyncio.ensure_future(flood())]))
        writer.transport.abort()


CHURN = """
import os, socket, sys
for _ in range(2):
    os.fork()
os.write(1, b"begun\\n")
while True:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(sys.argv[1])
            connection.send(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n")
    except OSError:
        continue
"""
"""Four processes that connect without end."""


@pytest.fixture
async def churn(tmp_path: Path) -> AsyncIterator[None]:
    """Connections without end to the seat in ``flooded``."""
    (tmp_path / "flooded").mkdir()
    path = tmp_path / "flooded" / "seat.sock"
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHURN, str(path), stdout=PIPE, start_new_session=True
    )
    try:
        assert program.stdout
        assert await program.stdout.readline() == b"begun\n"
        yield
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        await program.communicate()


@pytest.mark.usefixtures("churn")
async def test_connections_without_end_to_one_seat_keep_no_bot_from_another(tmp_path: Path, welcome: Welcome) -> None:
    """Both seats' sockets are served by one thread of gRPC's."""
    (tmp_path / "honest").mkdir()
    async with (
        asyncio.timeout(PATIENCE),
        open_seat(tmp_path / "flooded"),
        open_seat(tmp_path / "honest") as (honest, token),
        raw_bot(tmp_path / "honest", token) as bot,
    ):
        await honest.welcome(welcome)
        assert await bot.receive()


async def test_a_bot_that_keeps_many_connections_waiting_loses_its_seat(
    tmp_path: Path, welcome: Welcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = iter((False, True))
    monkeypatch.setattr(Listener, "has_waiting", lambda _: True)
    monkeypatch.setattr(Listener, "is_full", lambda _: next(tries))
    async with open_seat(tmp_path) as (seat, _):
        with pytest.raises(SeatFailure, match=f"{MAX_WAITING} connections waiting") as lost:
            await seat.welcome(welcome)
        assert lost.value.verdict is Verdict.ABSENT
        assert not (tmp_path / "seat.sock").exists()


async def test_connections_that_are_taken_in_time_are_no_flood(
    tmp_path: Path, welcome: Welcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A try makes one more connection wait, so it comes only after a row of looks at which some waited."""
    looks: list[Listener] = []
    tries = count()

    def all_but_one_in_a_row(listener: Listener) -> bool:
        looks.append(listener)
        return len(looks) % LOOKS > 0

    monkeypatch.setattr(seat_server, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(Listener, "has_waiting", all_but_one_in_a_row)
    monkeypatch.setattr(Listener, "is_full", lambda _: bool(next(tries) + 1))
    async with open_seat(tmp_path) as (seat, token):
        await comes(lambda: len(looks) > 3 * LOOKS)
        async with raw_bot(tmp_path, token) as bot:
            await seat.welcome(welcome)
            assert await bot.receive()
    assert next(tries) == 0


async def test_nobody_connects_any_more_once_the_seat_is_taken(tmp_path: Path, welcome: Welcome) -> None:
    """Also not through a descriptor of the socket's file that was opened before it was removed."""
    async with open_seat(tmp_path) as (seat, token):
        file = os.open(tmp_path / "seat.sock", os.O_PATH)
        with socket.socket(socket.AF_UNIX) as before:
            before.connect(f"/proc/self/fd/{file}")
        async with raw_bot(tmp_path, token) as bot:
            await seat.welcome(welcome)
            with socket.socket(socket.AF_UNIX) as after, pytest.raises(ConnectionRefusedError):
                after.connect(f"/proc/self/fd/{file}")
            assert await bot.receive()  # its own connection stays
        os.close(file)


async def test_a_seat_that_has_stopped_is_closed_at_once(tmp_path: Path) -> None:
    """Whatever gRPC still does with it, the next server's socket is the only one at its path."""
    server = SeatServer(tmp_path / "seat.sock", nobody, nobody)
    await server.listen()
    with socket.socket(socket.AF_UNIX) as before:
        before.connect(str(server.socket))
    stopping = asyncio.ensure_future(server.stop(None))
    await asyncio.sleep(0)
    with socket.socket(socket.AF_UNIX) as after, pytest.raises((ConnectionRefusedError, FileNotFoundError)):
        after.connect(str(server.socket))
    await stopping


async def nobody(*_: object) -> None:
    raise AssertionError("nobody comes")


def test_no_more_connections_wait_than_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "seat.sock"
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as other:
        for each, name in ((listening, path), (other, tmp_path / "other.sock")):
            each.bind(str(name))
            each.listen(100)
        Listener(path, 2)
        assert [waiting_at(path), waiting_at(tmp_path / "other.sock")] == [3, 50]  # Linux lets one more


def test_a_listener_is_full_when_no_more_connections_may_wait(tmp_path: Path) -> None:
    path = tmp_path / "seat.sock"
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as bot:
        listening.bind(str(path))
        listening.listen(100)
        listener = Listener(path, 2)
        assert not listener.has_waiting()
        bot.connect(str(path))
        assert listener.has_waiting()
        # A try is a connection that waits: the bot's is the first of three.
        assert [listener.is_full() for _ in range(3)] == [False, False, True]


def test_a_closed_listener_touches_no_file_that_has_its_number_now(tmp_path: Path) -> None:
    path = tmp_path / "seat.sock"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()
    listener, number = Listener(path), listening.detach()
    os.close(number)
    reading, writing = os.pipe()
    if reading != number:
        os.dup2(reading, number)
    listener.close()
    os.write(writing, b"whole")
    assert os.read(number, 10) == b"whole"
    for each in {number, reading, writing}:
        os.close(each)


def waiting_at(path: Path, most: int = 50) -> int:
    """Count the connections, of *most*, that find a place in the queue."""
    connections = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) for _ in range(most)]
    waiting = [connection.connect_ex(str(path)) for connection in connections].count(0)
    for connection in connections:
        connection.close()
    return waiting
