"""
Things measured in turn, deal by deal, in one process: the machine's other work hits all of them alike.

A lane is a table, or a bare ping-pong of the same topology: four programs, each with a server of its own, which shows
what the transport costs without any of Pigpen. Every call of `step` plays one deal on it, and then it stands still.
A ping-pong with gRPC as it comes has a process of its own, as how gRPC runs is settled when it is imported:

    python -m benchmarks.lanes processes    # plays a deal for each line that it reads
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import statistics
import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pigpen.wire.transport  # noqa: F401  # gRPC as the referee uses it
from benchmarks.bots import BARE, request_size
from benchmarks.runtimes import containers
from ladder.matches.play import sandboxed_table
from ladder.sandbox.base import SOCKET_NAME, SeatMount
from ladder.sandbox.host.machine import CORES
from ladder.sandbox.host.scratch import scratch_folder
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from referee.match.table import Table
from referee.records.lines import to_json
from referee.records.steps import was_asked

# isort: split
import grpc
import grpc.aio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from ladder.sandbox.base import Program, Sandbox
    from referee.match.formats import MatchSpec
    from referee.match.observer import Announcer
    from referee.match.player import IdleBots
    from referee.records.lines import DealLine
    from referee.seats.seat import Seat


SEATS = 4

SANDBOXES: dict[str, Callable[[], Sandbox]] = {"processes": ProcessSandbox, "containers": containers}

AS_PIGPEN_SETS_IT, AS_GRPC_COMES = "set", "plain"
"""Settings of gRPC for a bare client, in place of a token; for the server that is settled already."""

TRIPS = 52
"""Round trips in a step of the ping-pong: as many as a deal of gongzhu has cards."""


class Lane(Protocol):
    """Something that can be done a deal at a time."""

    async def step(self) -> int:
        """Do it once; how many decisions that were."""


@dataclass(frozen=True)
class Cost:
    """Costs of one decision, in microseconds: by the clock, and of this process's CPU time."""

    wall: float
    cpu: float


async def cost(*lanes: Lane) -> Cost:
    """Measure what a decision costs when all *lanes* take a step at once."""
    wall, cpu = time.perf_counter(), time.process_time()
    decisions = sum(await asyncio.gather(*(lane.step() for lane in lanes)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Cost(wall / decisions * 1e6, cpu / decisions * 1e6)


async def costs(groups: Sequence[Sequence[Lane]], rounds: int, warm_up: int = 8) -> list[list[Cost]]:
    """Measure the cost of each group of lanes, *rounds* times in turn, after some rounds that do not count."""
    found: list[list[Cost]] = [[] for _ in groups]
    for number in range(warm_up + rounds):
        for lanes, values in zip(groups, found, strict=True):
            value = await cost(*lanes)
            if number >= warm_up:
                values.append(value)
    return found


def typical(values: Sequence[float], parts: int = 10) -> list[float]:
    """Give the median of each of *parts* parts of the measurement, in order; with fewer values, the values."""
    parts = min(parts, len(values))
    cuts = [len(values) * part // parts for part in range(parts + 1)]
    return [statistics.median(values[begin:end]) for begin, end in pairwise(cuts)]


@contextlib.asynccontextmanager
async def table(spec: MatchSpec, programs: Sequence[Program]) -> AsyncIterator[SteppedTable]:
    """Yield a table of the real referee with bots in their sandbox."""
    async with sandboxed_table(programs, spec.bots, lambda logs: None) as seats, playing(spec, seats) as lane:
        yield lane


@contextlib.asynccontextmanager
async def playing(spec: MatchSpec, seats: Sequence[Seat]) -> AsyncIterator[SteppedTable]:
    """Yield a table whose bots sit in *seats*; what they play is written down, and the match is given up in the end."""
    lane, record = SteppedTable(spec, 0), io.StringIO()
    match = asyncio.ensure_future(lane.play(seats, lambda line: print(to_json(line), file=record)))
    try:
        yield lane
    finally:
        match.cancel()
        await asyncio.wait((match,))


class SteppedTable(Table):
    """A table that plays one deal at each step."""

    def __init__(self, spec: MatchSpec, number: int) -> None:
        super().__init__(spec, number)
        self._go = asyncio.Semaphore(0)
        self._done = asyncio.Semaphore(0)
        self._decisions = 0
        self.asked = 0
        """Decisions for which a bot was asked, of all deals so far."""

    def announce_to(self, announcer: Announcer | None) -> None:
        """Set the announcer of the deals that begin from now on."""
        self._announcer = announcer

    async def step(self) -> int:
        """Play a deal."""
        self._go.release()
        await self._done.acquire()
        return self._decisions

    async def _play_deal(self, idle_bots: IdleBots) -> DealLine:
        await self._go.acquire()
        line = await super()._play_deal(idle_bots)
        self._decisions = len(line.steps)
        self.asked += sum(was_asked(step.by) for step in line.steps)
        self._done.release()
        return line


class _BareLane:
    """One message after the other to each client in turn, and back."""

    def __init__(self, servers: Sequence[BareServer], message: bytes) -> None:
        self._servers = servers
        self._message = message

    async def step(self) -> int:
        """Make as many round trips as a deal has decisions."""
        for number in range(TRIPS):
            await self._servers[number % SEATS].ask(0, self._message)
        return TRIPS


@contextlib.asynccontextmanager
async def bare(program: Program, size: int, way: str = AS_PIGPEN_SETS_IT) -> AsyncIterator[Lane]:
    """
    Yield four bare clients in the same sandbox as bots, on the same core, each with a server and a folder of its own.

    Args:
        program: The client.
        size: Bytes of a message to it.
        way: How gRPC is to run in it.
    """
    with scratch_folder() as root, CORES.lease() as core:
        folders = [Path(root) / str(seat) for seat in range(SEATS)]
        for folder in folders:
            folder.mkdir(mode=0o755)
        servers = [BareServer(f"{folder / SOCKET_NAME}") for folder in folders]
        instances = []
        try:
            for server, folder in zip(servers, folders, strict=True):
                await server.start()
                (folder / SOCKET_NAME).chmod(0o666)
            instances = await asyncio.gather(*(program.start(SeatMount(folder, way, {}, core)) for folder in folders))
            for server, instance in zip(servers, instances, strict=True):
                await server.connected(1)
                instance.controller.seated()
            yield _BareLane(servers, bytes(size))
        finally:
            await asyncio.gather(*(instance.stop() for instance in instances))
            for server in servers:
                await server.stop()


class BareServer:
    """One socket for all clients; asks them in turn."""

    def __init__(self, path: str) -> None:
        self._streams: list[grpc.aio.ServicerContext[bytes, bytes]] = []
        self._over = asyncio.Event()
        self._server = grpc.aio.server()
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        service = grpc.method_handlers_generic_handler("bare.Bare", {"Play": handler})
        self._server.add_generic_rpc_handlers((service,))
        self._server.add_insecure_port(f"unix:{path}")

    async def _play(self, _: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await context.read()
        self._streams.append(context)
        await self._over.wait()

    async def start(self) -> None:
        """Listen."""
        await self._server.start()

    async def connected(self, clients: int) -> None:
        """Wait until *clients* clients have sent their first byte."""
        while len(self._streams) < clients:
            await asyncio.sleep(0.002)

    async def ask(self, client: int, message: bytes) -> None:
        """Make one round trip."""
        stream = self._streams[client]
        await stream.write(message)
        await stream.read()

    async def stop(self) -> None:
        """End all streams."""
        self._over.set()
        await self._server.stop(None)


AS_IT_COMES = "event_engine_client,event_engine_listener"
"""GRPC_EXPERIMENTS for what grpcio 1.80 and later does by default; `pigpen.wire.transport` leaves it so."""


class AskedProcess:
    """Another process of a benchmark, which answers each line with one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, line: str = "") -> bytes:
        """Send a line; give the answer."""
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n".encode())
        return await self.line()

    async def line(self) -> bytes:
        """
        Read the next line that the process prints.

        Raises:
            RuntimeError: If it has ended.
        """
        assert self._process.stdout
        if not (line := await self._process.stdout.readline()):
            raise RuntimeError(f"a process has ended with exit code {await self._process.wait()}")
        return line


@contextlib.asynccontextmanager
async def asked_process(module: str, *arguments: str, environment: Mapping[str, str]) -> AsyncIterator[AskedProcess]:
    """Yield a process that runs a module, after it has printed its first line; it ends when its input does."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, stdin=pipe, stdout=pipe, env=os.environ | environment
    )
    try:
        asked = AskedProcess(process)
        await asked.line()
        yield asked
    finally:
        assert process.stdin
        process.stdin.close()
        await process.wait()


class PlainLane:
    """A ping-pong that another process plays, a deal at a time."""

    def __init__(self, process: AskedProcess) -> None:
        self._process = process

    async def step(self) -> int:
        """Make as many round trips as a deal has decisions."""
        return int(await self._process.ask())


@contextlib.asynccontextmanager
async def plain(kind: str) -> AsyncIterator[PlainLane]:
    """Yield four bare clients, in `processes` or `containers`, with a server each, and with gRPC as it comes."""
    environment = {"GRPC_EXPERIMENTS": AS_IT_COMES, "GRPC_VERBOSITY": "ERROR"}
    async with asked_process("benchmarks.lanes", kind, environment=environment) as process:
        yield PlainLane(process)


async def _serve(kind: str) -> None:
    """Print a number when all is there, and for each line read how many round trips that was."""
    async with contextlib.AsyncExitStack() as stack:
        sandbox = SANDBOXES[kind]()
        stack.push_async_callback(sandbox.close)
        lane = await stack.enter_async_context(bare(await sandbox.load(BARE), request_size(), AS_GRPC_COMES))
        print(0, flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(await lane.step(), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
