"""A place at the table. The match never learns what sits there."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Protocol

from pigpen.bot import decide, tell
from referee.verdict import SeatFailure, Verdict

if TYPE_CHECKING:
    from pigpen.bot import Bot
    from pigpen.notices import Notice, Welcome
    from pigpen.rules import Action
    from pigpen.view import View


class Seat(Protocol):
    """Where one instance of a bot, or a person, answers."""

    async def welcome(self, welcome: Welcome) -> None:
        """
        Wait until someone has taken the seat, and say what is played.

        Raises:
            SeatFailure: If nobody comes within the start-up budget.
        """

    async def ask(self, view: View, limit: float, took: float) -> Action:
        """
        Ask for the decision that *view* shows.

        Args:
            view: What the seat may know.
            limit: Seconds to wait for an answer.
            took: How long the seat's answer before took, in seconds.

        Raises:
            SeatFailure: If no answer comes in time, or none that can be read.
        """

    async def tell(self, notice: Notice, decision: int = 0) -> None:
        """Pass on a notice, about *decision* if it is about one; never fails."""

    async def close(self) -> None:
        """The match is over; nothing will be asked again."""


class InlineSeat:
    """A bot in this very process: no wall around it, and no clock that could stop it."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.log = ""
        """The traceback that ended the bot, if one did."""

    async def welcome(self, welcome: Welcome) -> None:
        """Tell the bot what is played."""
        self._bot.match_started(welcome)

    async def ask(self, view: View, limit: float, took: float) -> Action:
        """Ask the bot; the limit is not enforced here, the table holds a late answer against it."""
        try:
            return decide(self._bot, view)
        except Exception as error:  # a bot may raise anything, and the table must go on
            self.log = traceback.format_exc()
            raise SeatFailure(Verdict.GONE, f"the bot raised {type(error).__name__}: {error}") from error

    async def tell(self, notice: Notice, decision: int = 0) -> None:
        """Pass on a notice."""
        tell(self._bot, notice)

    async def close(self) -> None:
        """Nothing to release."""
