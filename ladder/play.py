"""One match on this machine: start the bots, seat them, let the referee play, clean up whatever happens."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox.base import SOCKET_NAME, Place
from referee.match import play_match
from referee.seat import InlineSeat
from referee.stream_seat import StreamSeat, new_token

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.sandbox.base import Instance, Program
    from pigpen import Bot
    from referee.match import MatchSpec
    from referee.record import AnyLine, ResultLine

    Write = Callable[[AnyLine], None]


@dataclass(frozen=True)
class Played:
    """A finished match."""

    result: ResultLine
    logs: tuple[str, ...]
    """The end of what each bot wrote to stdout and stderr, by seat."""


async def play_inline(spec: MatchSpec, bots: Sequence[type[Bot]], write: Write) -> Played:
    """Play with bots in this process, a fresh one for each seat."""
    seats = [InlineSeat(bot()) for bot in bots]
    result = await play_match(spec, seats, write)
    return Played(result, tuple(seat.log for seat in seats))


async def play_sandboxed(spec: MatchSpec, programs: Sequence[Program], write: Write) -> Played:
    """
    Play with a fresh instance of each program in its sandbox.

    Raises:
        SandboxError: If the sandbox failed; the match is void.
    """
    with tempfile.TemporaryDirectory(prefix="pigpen-") as root:
        pens = [Pen(program, Path(root) / str(seat), spec.bots[seat]) for seat, program in enumerate(programs)]
        try:
            result = await _play(spec, pens, write)
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            await asyncio.gather(*(pen.close() for pen in pens))
        return Played(result, tuple([await pen.log_tail() for pen in pens]))


async def _play(spec: MatchSpec, pens: Sequence[Pen], write: Write) -> ResultLine:
    """Start all bots at once and play; the first sandbox that fails ends the match."""
    for pen in pens:
        await pen.seat.listen()
    async with asyncio.TaskGroup() as group:
        match = group.create_task(play_match(spec, [pen.seat for pen in pens], write))
        watchers = [group.create_task(pen.run()) for pen in pens]
        await asyncio.wait((match,))
        for watcher in watchers:
            watcher.cancel()
    return match.result()


class Pen:
    """One seat of a match and the instance that sits in it."""

    def __init__(self, program: Program, folder: Path, name: str) -> None:
        folder.mkdir(mode=0o755)
        self._program = program
        self._place = Place(folder, new_token(), {"bot": name, "seat": folder.name})
        self._instance: Instance | None = None
        self.seat = StreamSeat(folder / SOCKET_NAME, self._place.token)

    async def run(self) -> None:
        """Start the instance, wait until it ends, and tell the seat."""
        self._instance = await self._program.start(self._place)
        ended = await self._instance.wait()
        self.seat.lose("it ran out of memory" if ended.oom else f"its program ended with exit code {ended.code}")

    async def close(self) -> None:
        """Stop the instance and close the seat, however far they have come."""
        if self._instance:
            await self._instance.stop()
        await self.seat.close()

    async def log_tail(self) -> str:
        """The end of what the instance wrote."""
        return await self._instance.log_tail() if self._instance else ""
