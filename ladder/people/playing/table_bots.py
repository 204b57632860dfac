"""The bots at one table with people: house bots in one process with limits, bots of the ladder in their sandbox."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ladder.matches.bots import SandboxedBots
from ladder.matches.play import SeatedBot, played_at
from ladder.people.playing.house_seats import HouseSeats
from ladder.sandbox.host.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

    from ladder.matches.bots import Keep
    from ladder.sandbox.base import Program
    from ladder.sandbox.bots.bot_source import BotSource
    from referee.records.lines import ImageFiles, Instances
    from referee.seats.seat import Seat


@dataclass(frozen=True)
class TableBots:
    """The bots of a table, by their order there; see `ladder.matches.bots.BotSeats`."""

    names: Sequence[str]
    house: Mapping[int, BotSource]
    """Those that are house bots."""
    house_program: Program
    """Plays all of them."""
    ladder: Mapping[int, Program]
    """Programs of those that are bots of the ladder."""

    @asynccontextmanager
    async def table(self, keep: Keep, deals: str | None = None) -> AsyncIterator[list[Seat]]:
        """See `BotSeats`."""
        logs = [""] * len(self.names)
        seats: dict[int, Seat] = {}
        async with self._house_table(logs, deals) as house, self._ladder_table(logs, deals) as others:
            seats.update(zip(self.house, house, strict=True))
            seats.update(zip(self.ladder, others, strict=True))
            yield [seats[number] for number in range(len(self.names))]
        keep(tuple(logs))

    @property
    def image_files(self) -> ImageFiles | None:
        """See `BotSeats`."""
        return self._sandboxed.image_files

    @property
    def instances(self) -> Instances | None:
        """See `BotSeats`."""
        return self._sandboxed.instances

    @property
    def runtime(self) -> str | None:
        """See `BotSeats`."""
        return self._sandboxed.runtime

    @property
    def _sandboxed(self) -> SandboxedBots:
        return SandboxedBots([*self.ladder.values()], [self.names[number] for number in self.ladder])

    @asynccontextmanager
    async def _house_table(self, logs: list[str], deals: str | None) -> AsyncIterator[Sequence[Seat]]:
        if not self.house:
            yield ()
            return
        make = partial(HouseSeats, [*self.house.values()])
        with scratch_folder() as root:
            bots = SeatedBot(self.house_program, root / "0", "house", make, deals=deals)
            for seat in bots.seat.seats:
                seat.stop_program = bots.stop
            async with played_at([bots], lambda tails: _keep(logs, self.house, [*tails] * len(self.house))):
                yield bots.seat.seats

    @asynccontextmanager
    async def _ladder_table(self, logs: list[str], deals: str | None) -> AsyncIterator[Sequence[Seat]]:
        if not self.ladder:
            yield ()
            return
        async with self._sandboxed.table(lambda tails: _keep(logs, self.ladder, tails), deals) as seats:
            yield seats


def _keep(logs: list[str], numbers: Iterable[int], tails: Sequence[str]) -> None:
    for number, tail in zip(numbers, tails, strict=True):
        logs[number] = tail
