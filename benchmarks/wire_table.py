"""
One table of the real referee in a process of its own, with one way for messages to get to the bots and back.

    python -m benchmarks.wire_table "gRPC as it comes" 0 processes 0    # plays as many deals as a line says

How gRPC runs is settled when it is imported, so each way needs a process. For each line it prints what the deals took.
The third word is a runtime, such as runsc, where the bots are to be in containers: in fresh ones, for the same reason.
The last is the turns of a loop in a millisecond, so that the bots of all tables think alike; 0: it is measured.

`FramedServer` is a sketch of the referee's end of a wire without gRPC: the same messages on a Unix socket, with their
length before each. Seats, clocks and verdicts are the referee's own; only what carries the messages is replaced. It has
no limits and waits for no slow reader: it is measured, and no part of the referee.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import shutil
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pigpen.wire.transport  # noqa: F401  # before gRPC
from benchmarks.bots import ENDLESS, HERE, instant_spec, thinking
from benchmarks.framed_stream import HEADER
from benchmarks.growth import Watched
from benchmarks.lanes import AS_IT_COMES, table
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from referee.seats import stream_seat
from referee.seats.seat_server import SeatServer

# isort: split
import grpc.aio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from benchmarks.lanes import SteppedTable
    from ladder.sandbox.base import Instance
    from pigpen.v1.referee_pb2 import RefereeMessage


PROCESSES = "processes"
WARM_UP = 8
"""Deals."""

LEAN = (
    ("grpc.minimal_stack", 1),
    ("grpc.enable_channelz", 0),
    ("grpc.enable_deadline_checking", 0),
    ("grpc.default_compression_algorithm", 0),
)
"""Parts that gRPC can leave out."""


class FramedContext(asyncio.Protocol):
    """One connection; has what `StreamSeat` uses of gRPC's context."""

    _transport: asyncio.Transport

    def __init__(self, play: Callable[[object, FramedContext], Awaitable[None]]) -> None:
        self._play = play
        self._data = b""
        self._messages: deque[object] = deque()
        self._waiting: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Serve it."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._serving = asyncio.ensure_future(self._play(None, self))
        self._serving.add_done_callback(lambda _: transport.close())

    def data_received(self, data: bytes) -> None:
        """Take the messages that are whole."""
        self._data += data
        while len(self._data) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(self._data)[0]
            if len(self._data) < end:
                return
            self._arrived(self._data[HEADER.size : end])
            self._data = self._data[end:]

    def eof_received(self) -> bool:
        """Pass the end on: nothing more will come; what is to be sent still may be."""
        self._arrived(grpc.aio.EOF)
        return True

    def connection_lost(self, _: Exception | None) -> None:
        """Pass the end on: the bot is gone."""
        self._arrived(grpc.aio.EOF)

    def _arrived(self, message: object) -> None:
        self._messages.append(message)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def read(self) -> object:
        """Wait for the next message."""
        if not self._messages:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        return self._messages.popleft()

    async def write(self, message: RefereeMessage) -> None:
        """Send a message."""
        data = message.SerializeToString()
        self._transport.write(HEADER.pack(len(data)) + data)

    async def send_initial_metadata(self, _: object) -> None:
        """Send nothing: there is none."""

    async def abort(self, _: grpc.StatusCode, reason: str) -> NoReturn:
        """End the connection."""
        self._transport.abort()
        raise asyncio.CancelledError(reason)


class FramedServer:
    """Takes the place of `referee.seats.seat_server.SeatServer`."""

    def __init__(
        self, socket: Path, play: Callable[[object, FramedContext], Awaitable[None]], _: Callable[[], object]
    ) -> None:
        self.socket = socket
        self._play = play
        self._server: asyncio.Server | None = None

    async def listen(self) -> None:
        """Open the socket."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(lambda: FramedContext(self._play), self.socket)
        self.socket.chmod(0o666)

    def has_socket(self) -> bool:
        """Tell whether there is a socket to come to."""
        return self.socket.exists()

    def hide(self) -> None:
        """Remove the socket."""
        self.socket.unlink(missing_ok=True)

    async def stop(self, grace: float | None, patience: float = 0.0) -> None:
        """Stop listening, without waiting for anything."""
        if self._server is not None:
            self._server.close()


@dataclass(frozen=True)
class Way:
    """The way of messages to the bots and back."""

    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Settings of gRPC at both ends."""
    bot: str = ""
    """Lines of the bot's program before its own."""
    server: Any = SeatServer
    """Class that the referee uses in place of `SeatServer`."""


WAYS = {
    "today": Way(),
    "today, a copy": Way(),
    "gRPC as it comes": Way({"GRPC_EXPERIMENTS": AS_IT_COMES}),
    "polling by poll": Way({"GRPC_POLL_STRATEGY": "poll"}),
    "lean options, both ends": Way(
        bot=f"import pigpen.client\npigpen.client.CHANNEL_OPTIONS += {LEAN}\n", server=partial(SeatServer, options=LEAN)
    ),
    "bots in an event loop": Way(bot="import pigpen.client\npigpen.client.CAN_BLOCK = False\n"),
    "bots by blocking stubs": Way(
        bot="import pigpen.client, stub_stream\npigpen.client.BlockingStream = stub_stream.StubStream\n"
    ),
    "frames without gRPC": Way(
        bot="import pigpen.client, framed_stream\npigpen.client.BlockingStream = framed_stream.FramedStream\n",
        server=FramedServer,
    ),
}
"""By name; the others are held against the first."""


@dataclass(frozen=True)
class Deals:
    """Costs of some deals; times in seconds, CPU times of all threads, user and system."""

    wall: float
    referee: float
    bots: float
    steps: int
    """Decisions, forced cards too."""
    asked: int
    """Decisions for which a bot was asked."""


class Lane:
    """The table of this process, and its bots."""

    def __init__(self, lane: SteppedTable, cpu_time: Callable[[], float]) -> None:
        """
        Take over a table.

        Args:
            lane: It.
            cpu_time: Reads the CPU seconds that its bots have used so far.
        """
        self._lane = lane
        self._cpu_time = cpu_time

    async def play(self, deals: int) -> Deals:
        """Play some deals."""
        wall, own, others, asked = time.perf_counter(), time.process_time(), self._cpu_time(), self._lane.asked
        steps = sum([await self._lane.step() for _ in range(deals)])
        wall, own = time.perf_counter() - wall, time.process_time() - own
        return Deals(wall, own, self._cpu_time() - others, steps, self._lane.asked - asked)


def cpu_time_of(processes: set[int]) -> float:
    """Read the CPU seconds that processes have used so far; `clock_getcpuclockid` numbers their clocks so."""
    return sum(time.clock_gettime((~process << 3) | 2) for process in processes)


def cpu_time_in(instances: Sequence[Instance]) -> float:
    """Read the CPU seconds that containers have used so far, a kernel of their own included."""
    return sum(instance.controller.cpu_time() or 0.0 for instance in instances)


def children() -> set[int]:
    """List the processes that this one has started."""
    return {
        int(pid)
        for threads in Path("/proc/self/task").iterdir()
        for pid in (threads / "children").read_text(encoding="ascii").split()
    }


def write_bot(folder: Path, way: Way, millis: int, rate: float) -> BotSource:
    """Write a bot that thinks *millis* milliseconds of CPU time over each card."""
    folder.mkdir()
    for name in ("framed_stream.py", "stub_stream.py"):
        shutil.copy(HERE / name, folder / name)
    settings = f"import os\nos.environ.update({dict(way.environment)})\n"
    (folder / "bot.py").write_text(settings + way.bot + thinking(millis, rate))
    return BotSource("thinking", folder=folder)


@contextlib.asynccontextmanager
async def lane_of(way: Way, millis: int, place: str, rate: float) -> AsyncIterator[Lane]:
    """Yield a table of four bots in *place*, `PROCESSES` or a runtime; how gRPC runs in this process is settled."""
    stream_seat.SeatServer = way.server  # type: ignore[attr-defined]
    others = children()
    async with contextlib.AsyncExitStack() as stack:
        # Fresh, so that each bot is a child of this process, and imports gRPC after its settings.
        is_in_processes = place == PROCESSES
        sandbox = ProcessSandbox(instances="fresh") if is_in_processes else DockerSandbox(place, instances="fresh")
        stack.push_async_callback(sandbox.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pigpen-"))) / "bot"
        watched = Watched(await sandbox.load(write_bot(folder, way, millis, rate)), [])
        lane = await stack.enter_async_context(table(instant_spec(ENDLESS), [watched] * 4))
        bots = children() - others
        yield Lane(lane, lambda: cpu_time_of(bots) if is_in_processes else cpu_time_in(watched.instances))


async def _serve(way: Way, millis: int, place: str, rate: float) -> None:
    async with lane_of(way, millis, place, rate) as lane:
        await lane.play(1 if millis else WARM_UP)
        print(flush=True)
        while deals := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(dataclasses.asdict(await lane.play(int(deals)))), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve(WAYS[sys.argv[1]], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])))
