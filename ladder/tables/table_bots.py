"""The bots at one table with people: house bots in this process, bots of the ladder in their sandbox."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.matches.bots import SandboxedBots
from ladder.matches.house_seats import HouseSeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from ladder.matches.bots import Keep
    from ladder.sandbox.base import Program
    from referee.records.lines import ImageFiles, Instances
    from referee.seats.seat import Seat


@dataclass(frozen=True)
class TableBots:
    """The bots of a table, by their order there; see `ladder.matches.bots.BotSeats`."""

    names: Sequence[str]
    programs: Mapping[int, Program]
    """Of those that are bots of the ladder; the others are house bots, by their names."""

    @asynccontextmanager
    async def table(self, keep: Keep, deals: str | None = None) -> AsyncIterator[list[Seat]]:
        """See `BotSeats`."""
        if not self.programs:
            yield self._seated(())
            keep(("",) * len(self.names))
            return
        async with self._sandboxed.table(lambda tails: keep(self._tails(tails)), deals) as others:
            yield self._seated(others)

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
        return SandboxedBots([*self.programs.values()], [self.names[number] for number in self.programs])

    def _seated(self, others: Sequence[Seat]) -> list[Seat]:
        rest = iter(others)
        return [next(rest) if each in self.programs else HouseSeat(name) for each, name in enumerate(self.names)]

    def _tails(self, tails: Sequence[str]) -> tuple[str, ...]:
        rest = iter(tails)
        return tuple(next(rest) if each in self.programs else "" for each in range(len(self.names)))
