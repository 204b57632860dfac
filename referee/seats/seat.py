"""A seat: what answers for one player at a table. The match never learns what kind of program that is."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Protocol

from pigpen.bot import WrongAnswer, decide, notify
from pigpen.values.notices import NO_ACTION
from referee.seats.verdict import Exit, SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.bot import Bot
    from pigpen.rules import Action
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import View
    from referee.seats.clock import Stopwatch


class Seat(Protocol):
    """The place at which one instance of a bot, or a person, answers."""

    async def welcome(self, welcome: Welcome) -> None:
        """
        Wait until someone has taken the seat, and say what is played.

        Raises:
            SeatFailure: If no bot comes within the start-up budget.
            SeatBroken: If no bot can come; the match is void.
        """

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        """
        Ask for the decision that *view* shows.

        Args:
            view: What the seat may know.
            watch: Runs since the question is there; stopped here when an answer is there, or it is too late for one.

        Raises:
            SeatFailure: If no answer comes in time, or none that can be read.
            SeatBroken: If the seat itself has failed; the match is void.
        """

    def cpu_time(self) -> float | None:
        """Read the seconds of CPU time that the program has used so far; None where that cannot be read."""

    def freeze(self) -> None:
        """Freeze the program until it is asked again, where that can be done: another bot thinks."""

    def freeze_if_working(self) -> None:
        """Do the same if the program has worked since it answered, or that cannot be read."""

    async def notify(self, notice: Notice, decision: int = 0) -> None:
        """Pass on a notice, about *decision* if it is about one; never fails."""

    async def close(self) -> None:
        """Close the seat: the match is over; nothing will be asked again."""


class InlineSeat:
    """A bot in the referee's own process: not isolated, and its time limit cannot be enforced."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._end: SeatFailure | None = None
        self.log = ""
        """Text of stderr, had the bot a program of its own: wrong answers, and the traceback that ended it."""

    async def welcome(self, welcome: Welcome) -> None:
        """Tell the bot what is played."""
        self._run(lambda: self._bot.match_started(welcome))

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        """Ask the bot; no time is enforced here, the player counts a late answer as a fault."""
        answers: list[Action] = []
        self._run(lambda: answers.append(decide(self._bot, view)))
        watch.stop()
        if self._end:
            raise self._end
        if not answers:
            raise SeatFailure(Verdict.MALFORMED, NO_ACTION)
        return answers[0]

    def cpu_time(self) -> None:
        """Read nothing: the bot's time cannot be separated from the referee's."""

    def freeze(self) -> None:
        """Freeze nothing: the bot runs only when it is called."""

    def freeze_if_working(self) -> None:
        """Freeze nothing: the bot does not work unless it is called."""

    async def notify(self, notice: Notice, decision: int = 0) -> None:
        """Pass on a notice."""
        self._run(lambda: notify(self._bot, notice))

    async def close(self) -> None:
        """Release nothing."""

    def _run(self, call: Callable[[], None]) -> None:
        """Let the bot do something; an exception that would end a program ends this bot, and the match continues."""
        if self._end:
            return
        try:
            call()
        except WrongAnswer as wrong:
            self.log += f"{wrong}\n"
        except (Exception, SystemExit) as error:  # a bot may raise anything
            code = error.code if isinstance(error, SystemExit) else 1
            self.log += traceback.format_exc()
            end = Exit(code & 255 if isinstance(code, int) else 0 if code is None else 1)
            self._end = SeatFailure(Verdict.GONE, str(end), end)
