"""How many connections wait at a seat's socket."""

from __future__ import annotations

import asyncio
import socket
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from pigpen.v1.referee_pb2 import RefereeMessage
from referee.seats.listen_queue import shorten_queues
from referee.seats.seat_server import Context, SeatServer
from tests.waiting import PATIENCE

CHURN = """
import socket, sys, threading
from itertools import count
count = count()
def churn():
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(sys.argv[1])
                connection.send(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n")
        except OSError:
            continue
        if next(count) == 5000:
            print("begun", flush=True)
threading.Thread(target=churn, daemon=True).start()
sys.stdin.read()
"""


CONNECT = """
import sys
import pigpen.wire.transport
import grpc
from pigpen.v1.referee_pb2 import BotMessage
from pigpen.v1.referee_pb2_grpc import RefereeStub
with grpc.insecure_channel(sys.argv[1]) as channel:
    next(RefereeStub(channel).Play(iter([BotMessage()])))
"""


async def welcome(_: object, context: Context) -> None:
    await context.read()
    await context.write(RefereeMessage())


async def test_connections_without_end_to_one_seat_keep_no_bot_from_another(tmp_path: Path) -> None:
    """Both seats' sockets are served by one thread of gRPC's."""
    flooded, honest = SeatServer(tmp_path / "flooded.sock", welcome), SeatServer(tmp_path / "honest.sock", welcome)
    await flooded.listen()
    await honest.listen()
    churn = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHURN, str(flooded.socket), stdin=PIPE, stdout=PIPE
    )
    assert churn.stdout
    assert await churn.stdout.readline() == b"begun\n"
    # In a process of its own: a client in this one would serve the referee's sockets while it waits.
    bot = await asyncio.create_subprocess_exec(sys.executable, "-c", CONNECT, f"unix:{honest.socket}")
    assert await asyncio.wait_for(bot.wait(), PATIENCE) == 0
    assert churn.returncode is None
    churn.kill()
    await churn.communicate()
    await flooded.stop(None)
    await honest.stop(None)


def test_no_more_connections_wait_than_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "seat.sock"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as other:
        for each, name in ((listener, path), (other, tmp_path / "other.sock")):
            each.bind(str(name))
            each.listen(100)
        shorten_queues(path, 2)
        assert [waiting_at(path), waiting_at(tmp_path / "other.sock")] == [3, 50]  # Linux counts one less


def waiting_at(path: Path, most: int = 50) -> int:
    """How many of *most* connections find a place in the queue."""
    connections = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) for _ in range(most)]
    waiting = [connection.connect_ex(str(path)) for connection in connections].count(0)
    for connection in connections:
        connection.close()
    return waiting
