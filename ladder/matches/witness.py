"""
Programs of ours that start beside bots that are late: what they need shows how busy the machine is.

One is started in the sandbox of the late bot, as a bot is: on its runtime, with its limits, in a container of its own.
It imports the SDK and takes a seat at which no match is played (docs/adr/0013-the-time-of-a-match.md).
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.base import SOCKET_NAME, SeatMount
from ladder.sandbox.host.scratch import disk_errors, scratch_folder
from referee.seats.fair_wait import WitnessStart, loop_time
from referee.seats.seat_server import new_token
from referee.seats.stream_seat import StreamSeat

if TYPE_CHECKING:
    from ladder.sandbox.base import Program

LABELS = {"pigpen.witness": "1"}


class SharedWitness:
    """A `referee.seats.fair_wait.Witness` for all seats of a table: those that are late together share one start."""

    def __init__(self, program: Program) -> None:
        """
        Prepare; nothing is started yet.

        Args:
            program: Of ours, in the sandbox of the bots (`Program.witness`).
        """
        self._program = program
        self._starting: asyncio.Task[WitnessStart] | None = None
        self._waiting = 0

    async def start(self) -> WitnessStart:
        """
        Start one, or wait for the one that is starting; it goes when no seat waits for it any more.

        Raises:
            SandboxError: If the sandbox fails.
        """
        if self._starting is None or self._starting.done():
            self._starting = asyncio.ensure_future(start_witness(self._program))
        self._waiting += 1
        try:
            return await asyncio.shield(self._starting)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._starting.cancel()

    async def close(self) -> None:
        """Wait until nothing of it is left."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)


async def start_witness(program: Program) -> WitnessStart:
    """
    Start a program, wait until it has taken its seat, and remove it.

    Raises:
        SandboxError: If the sandbox fails, or the program ends before.
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(scratch_folder()) / "seat"
        with disk_errors(folder):
            folder.mkdir(mode=0o700)
        token = new_token()
        seat = StreamSeat(folder / SOCKET_NAME, token)
        stack.push_async_callback(seat.close)
        await seat.listen()
        began = loop_time()  # on a busy machine a program runs before the engine has said that it has started it
        instance = await program.start(SeatMount(folder, token, LABELS))
        stack.push_async_callback(instance.stop)
        ended, taken = asyncio.ensure_future(instance.wait()), asyncio.ensure_future(seat.taken.wait())
        try:
            await asyncio.wait((ended, taken), return_when=asyncio.FIRST_COMPLETED)
            if not seat.taken.is_set():
                raise SandboxError(f"A program of ours did not get to its seat: {ended.result()}.")
            return WitnessStart(loop_time() - began, instance.controller.cpu_time())
        finally:
            ended.cancel()
            taken.cancel()
