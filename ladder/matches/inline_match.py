"""One match with bots in this process; and what a match is, wherever its bots run."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ladder.errors import BotRejected, ContainerLost, SandboxError
from ladder.sandbox.inline import InlineProgram, as_program
from referee.match.match import Match, MatchSeconds
from referee.seats.seat import InlineSeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from ladder.sandbox.bots.bot_source import BotSource
    from pigpen import Bot
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine, DealLine, ResultLine
    from referee.seats.seat import Seat

    Write = Callable[[AnyLine], None]
    Keep = Callable[[tuple[str, ...]], None]


@dataclass(frozen=True)
class Played:
    """A finished match."""

    result: ResultLine
    logs: Mapping[int, tuple[str, ...]]
    """By table: the end of what each bot wrote to stdout and stderr there, in the order of their numbers."""
    seconds: MatchSeconds
    """The parts of the match's wall time."""


@contextlib.asynccontextmanager
async def void() -> AsyncIterator[None]:
    """Add to a failure of the platform what it means for the match."""
    try:
        yield
    except ContainerLost as error:
        raise ContainerLost(f"{str(error).rstrip('.')}. The match is void.", error.bot) from error
    except SandboxError as error:
        text = str(error).rstrip(".")
        raise SandboxError(f"{text}. The match is void, and nothing is held against any bot.") from error


@void()
async def play_inline(
    spec: MatchSpec, bots: Sequence[BotSource], write: Write, recorded: Sequence[DealLine] | None = None
) -> Played:
    """
    Play with bots in this process, fresh ones for each table, one table after the other.

    Args:
        spec: What is to be played.
        bots: The bots, in the order of their numbers.
        write: Takes the record's lines.
        recorded: The deals in the record of an interrupted match.

    Raises:
        BotRejected: If a bot cannot be made.
        CannotResume: If the recorded deals are not of this match.
        SandboxError: If *write* failed; the match is void.
    """
    logs: dict[int, tuple[str, ...]] = {}

    def open_table(table: int) -> AbstractAsyncContextManager[Sequence[Seat]]:
        return inline_table(bots, partial(logs.__setitem__, table))

    match = Match(spec, open_table, write, recorded)
    return Played(await match.play(), logs, match.seconds)


@contextlib.asynccontextmanager
async def inline_table(bots: Sequence[BotSource], keep: Keep) -> AsyncIterator[list[InlineSeat]]:
    """
    Seat fresh bots in this process.

    Args:
        bots: The bots.
        keep: Takes the end of what each of them wrote to stderr.

    Raises:
        BotRejected: If a bot cannot be made.
    """
    with as_program():
        seats = [InlineSeat(_make(bot)) for bot in bots]
        yield seats
        keep(tuple(seat.log for seat in seats))


def _make(source: BotSource) -> Bot:
    program = InlineProgram(source)
    try:
        return program()
    except Exception as error:  # a bot may raise anything
        raise BotRejected(f"{program.name}() cannot be made: {type(error).__name__}: {error}") from error
