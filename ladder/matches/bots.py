"""Bots that are ready to play, wherever they run: in a sandbox, or in this process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ladder.matches.inline_match import inline_table, play_inline
from ladder.matches.kinds import load_program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from ladder.matches.inline_match import Played
    from ladder.sandbox.base import Sandbox
    from ladder.sandbox.bots.bot_source import BotSource
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine, DealLine, ImageFiles, Instances
    from referee.seats.seat import Seat

    Write = Callable[[AnyLine], None]
    Keep = Callable[[tuple[str, ...]], None]


class BotSeats(Protocol):
    """The seats of the bots of a match, by their numbers."""

    def table(self, keep: Keep, deals: str | None = None) -> AbstractAsyncContextManager[Sequence[Seat]]:
        """
        Seat a fresh instance of each.

        Args:
            keep: Takes the end of what each of them printed.
            deals: Names the deals that will be played (`SeatMount.deals`).
        """

    @property
    def image_files(self) -> ImageFiles | None:
        """The protection of their images' files, for the record."""

    @property
    def instances(self) -> Instances | None:
        """The way in which their instances are started, for the record."""

    @property
    def runtime(self) -> str | None:
        """The runtime of their containers, for the record."""


class Bots(BotSeats, Protocol):
    """The bots of a match, by their numbers."""

    def only(self, numbers: Sequence[int]) -> Bots:
        """Choose some of them, in another order."""

    async def play(
        self, spec: MatchSpec, write: Write, recorded: Sequence[DealLine] | None = None, concurrency: int = 1
    ) -> Played:
        """
        Play a match with fresh instances at each table.

        Args:
            spec: What is to be played.
            write: Takes the record's lines.
            recorded: The deals in the record of an interrupted match.
            concurrency: How many tables to play at once; bots in this process play one table after the other.

        Raises:
            BotRejected: If a bot cannot be made.
            CannotResume: If the recorded deals are not those of this match.
            SandboxError: If the platform failed; the match is void.
        """


@dataclass(frozen=True)
class InlineBots:
    """Bots in this process."""

    sources: Sequence[BotSource]

    def only(self, numbers: Sequence[int]) -> Bots:
        """See `Bots`."""
        return InlineBots([self.sources[number] for number in numbers])

    async def play(
        self, spec: MatchSpec, write: Write, recorded: Sequence[DealLine] | None = None, concurrency: int = 1
    ) -> Played:
        """See `Bots`."""
        return await play_inline(spec, self.sources, write, recorded)

    def table(self, keep: Keep, deals: str | None = None) -> AbstractAsyncContextManager[Sequence[Seat]]:
        """See `Bots`."""
        return inline_table(self.sources, keep)

    @property
    def image_files(self) -> None:
        """There are no images."""

    @property
    def instances(self) -> None:
        """There are no containers."""

    @property
    def runtime(self) -> None:
        """There are no containers."""


async def load_bots(
    sources: Sequence[BotSource], sandbox: Sandbox | None, report: Callable[[str], None] = lambda line: None
) -> Bots:
    """
    Make bots ready to play.

    Args:
        sources: The bots, in the order of their numbers.
        sandbox: Where they run; None: in this process.
        report: Takes the sentence that asks the user to start a program.

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the sandbox failed.
    """
    if sandbox is None:
        return InlineBots(sources)
    from ladder.matches.sandboxed_bots import SandboxedBots  # with gRPC, which bots in this process do not need

    programs = [await load_program(sandbox, source, report) for source in sources]
    return SandboxedBots(programs, [source.name for source in sources])
