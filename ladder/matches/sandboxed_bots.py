"""Bots that are ready to play in a sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.matches.play import (
    image_files_of,
    instances_of,
    play_sandboxed,
    runtime_of,
    sandboxed_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from ladder.matches.inline_match import Played
    from ladder.sandbox.base import Program
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine, DealLine, ImageFiles, Instances
    from referee.seats.seat import Seat

    Write = Callable[[AnyLine], None]
    Keep = Callable[[tuple[str, ...]], None]


@dataclass(frozen=True)
class SandboxedBots:
    """Bots that a sandbox has loaded: `Bots`."""

    programs: Sequence[Program]
    names: Sequence[str]

    def only(self, numbers: Sequence[int]) -> SandboxedBots:
        """See `Bots`."""
        return SandboxedBots([self.programs[each] for each in numbers], [self.names[each] for each in numbers])

    async def play(
        self, spec: MatchSpec, write: Write, recorded: Sequence[DealLine] | None = None, concurrency: int = 1
    ) -> Played:
        """See `Bots`."""
        return await play_sandboxed(spec, self.programs, write, recorded, concurrency)

    def table(self, keep: Keep, deals: str | None = None) -> AbstractAsyncContextManager[Sequence[Seat]]:
        """See `Bots`."""
        return sandboxed_table(self.programs, self.names, keep, deals=deals)

    @property
    def image_files(self) -> ImageFiles | None:
        """See `Bots`."""
        return image_files_of(self.programs)

    @property
    def instances(self) -> Instances | None:
        """See `Bots`."""
        return instances_of(self.programs)

    @property
    def runtime(self) -> str | None:
        """See `Bots`."""
        return runtime_of(self.programs)
