"""Another version of a bot, in its sandbox, with the questions that a recorded bot was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.matches.check import MAX_STARTS
from referee.seats.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from referee.replay.rerun import RerunAnswer, TableRerun
    from referee.seats.seat import Seat

    Keep = Callable[[tuple[str, ...]], None]
    OpenTable = Callable[[Keep], AbstractAsyncContextManager[Sequence[Seat]]]
    """Seats a fresh instance of the bot, and hands over the end of its output afterwards."""


@dataclass(frozen=True)
class Rerun:
    """The answers of another bot."""

    answers: tuple[RerunAnswer, ...]
    untried: int
    """Number of questions that were not put, because the bot had ended too often."""
    forced: int
    """Number of actions of the recorded bot that were forced, and are no questions."""
    output: str
    """The end of what the last instance at fault wrote."""

    @property
    def different(self) -> tuple[RerunAnswer, ...]:
        """The answers that are others than the recorded ones, and those at fault."""
        return tuple(answer for answer in self.answers if answer.differs)


async def rerun(
    tables: Sequence[TableRerun], open_table: OpenTable, advance: Callable[[], None] = lambda: None
) -> Rerun:
    """
    Put the questions of a recorded bot to another one; each table is played by a fresh instance, as in the match.

    A bot that ends is started again for what is left of the table, `MAX_STARTS` times in all.

    Args:
        tables: The questions.
        open_table: Starts the other bot.
        advance: Called after each answer.

    Raises:
        BadRecord: If a recorded deal makes no sense.
        BotRejected: If the bot cannot be made.
        SandboxError: If the sandbox failed.
    """
    outputs = [""]
    for table in tables:
        for _ in range(MAX_STARTS):
            if table.is_over or _never_came(tables):
                break
            before, logs = len(table.answers), list[tuple[str, ...]]()
            async with open_table(logs.append) as (seat,):
                await table.put(seat, advance)
            if any(answer.verdict for answer in table.answers[before:]):
                outputs += [text for log in logs for text in log]
    answers = tuple(answer for table in tables for answer in table.answers)
    untried = sum(table.questions for table in tables) - len(answers)
    return Rerun(answers, untried, sum(table.forced for table in tables), outputs[-1])


def _never_came(tables: Sequence[TableRerun]) -> bool:
    return any(answer.verdict == Verdict.ABSENT for table in tables for answer in table.answers)
