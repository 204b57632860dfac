"""The person at this terminal, if there is a terminal, and a match with that person in it."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console

from ladder.errors import UserError
from ladder.terminal.interrupts import Stopped
from ladder.terminal.options import say

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from contextlib import AbstractAsyncContextManager

    from ladder.app.local.match_plan import MatchPlan
    from ladder.matches.bots import BotSeats
    from ladder.matches.inline_match import Played
    from ladder.sandbox.base import Sandbox
    from ladder.values.local_results import PlayedMatch
    from referee.records.lines import AnyLine, DealLine


def person_here(pace: float) -> PersonHere:
    """
    Find the person at the terminal.

    Args:
        pace: Seconds that a card is shown before the next one.

    Raises:
        UserError: If there is no terminal.
    """
    console = Console(file=sys.stdout, highlight=False)
    if console.is_dumb_terminal or not (console.is_terminal and sys.stdin.isatty()):
        raise UserError("A person (human) needs a terminal to play, and this is not one. Name a bot instead of human.")
    return PersonHere(console, pace)


@dataclass(frozen=True)
class PersonHere:
    """The person at this terminal."""

    console: Console
    pace: float

    async def play(self, plan: MatchPlan, sandbox: AbstractAsyncContextManager[Sandbox | None]) -> PlayedMatch:
        """
        Play a match with this person, who may leave it.

        Raises:
            Stopped: If the person has left.
        """
        from ladder.app.local.play import play_match
        from ladder.people.commands.terminal_person import TerminalPerson  # there are no such terminals on Windows
        from ladder.people.playing.play_with_people import play_with_people

        has_tables = plan.spec.format.boards is not None
        if has_tables:
            say("Each board is played from every seat, so from the second table on you know its cards.")
        say("The bots are being started.")
        person = TerminalPerson(self.console, sys.stdin.fileno(), self.pace, has_tables=has_tables)
        people = dict.fromkeys(plan.spec.people, person.sit)

        def play(
            bots: BotSeats, write: Callable[[AnyLine], None], recorded: Sequence[DealLine] | None
        ) -> Awaitable[Played]:
            return play_with_people(plan.spec, bots, people, write, recorded)

        match = asyncio.ensure_future(play_match(plan, sandbox, _unseen(), say, play_with=play))
        leaving = asyncio.ensure_future(person.left.wait())
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, person.left.set)
        try:
            await asyncio.wait((match, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not match.done():
                raise Stopped("You have left the match.", 0)
            return match.result()
        finally:
            leaving.cancel()
            match.cancel()
            await asyncio.wait({match})


@contextmanager
def _unseen() -> Iterator[Callable[[], None]]:
    """Yield a function that does nothing: the score sheet shows how far the match is."""
    yield lambda: None
