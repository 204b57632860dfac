"""
A bare ping-pong with gRPC as it comes, in a process of its own: how gRPC runs is settled when it is imported.

    python -m benchmarks.plain processes    # plays a deal for each line that it reads
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

AS_IT_COMES = "event_engine_client,event_engine_listener"
"""GRPC_EXPERIMENTS for what grpcio 1.80 and later does by default; `pigpen.wire.transport` leaves it so."""


class PlainLane:
    """A ping-pong that another process plays, a deal at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def step(self) -> int:
        """Make as many round trips as a deal has decisions."""
        assert self._process.stdin
        self._process.stdin.write(b"\n")
        return await self.number()

    async def number(self) -> int:
        """Read the next number that the process prints."""
        assert self._process.stdout
        return int(await self._process.stdout.readline())


@contextlib.asynccontextmanager
async def plain(kind: str) -> AsyncIterator[PlainLane]:
    """Yield four bare clients, in `processes` or `containers`, with a server each, and with gRPC as it comes."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.plain", kind, stdin=pipe, stdout=pipe,
        env=os.environ | {"GRPC_EXPERIMENTS": AS_IT_COMES, "GRPC_VERBOSITY": "ERROR"},
    )  # fmt: skip
    try:
        lane = PlainLane(process)
        await lane.number()
        yield lane
    finally:
        assert process.stdin
        process.stdin.close()
        await process.wait()


async def _serve(kind: str) -> None:
    """Print a number when all is there, and for each line read how many round trips that was."""
    from benchmarks.decision import BARE, SANDBOXES, request_size  # it imports this module
    from benchmarks.lanes import AS_GRPC_COMES, bare

    async with contextlib.AsyncExitStack() as stack:
        sandbox = SANDBOXES[kind]()
        stack.push_async_callback(sandbox.close)
        lane = await stack.enter_async_context(bare(await sandbox.load(BARE), request_size(), AS_GRPC_COMES))
        print(0, flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(await lane.step(), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
