"""House bots at a table with people: in this process, without a clock, and in nobody's way."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from ladder.matches.house import SEARCHING_BOTS, house_bot
from referee.seats.seat import InlineSeat

if TYPE_CHECKING:
    from pigpen.rules import Action
    from pigpen.values.view import View
    from referee.seats.clock import Stopwatch


class HouseSeat(InlineSeat):
    """The seat of a house bot: trusted, so its time is not measured; one that simulates does so in another thread."""

    def __init__(self, name: str) -> None:
        super().__init__(house_bot(name))
        self._searches = name in SEARCHING_BOTS

    async def ask(self, view: View, watch: Stopwatch, took: float) -> Action:
        """Ask the bot; others play meanwhile."""
        watch.stop()
        if not self._searches:
            return await super().ask(view, watch, took)
        answer = asyncio.get_running_loop().run_in_executor(_searching(), self._ask, view, watch, took)
        return await answer

    def _ask(self, view: View, watch: Stopwatch, took: float) -> Action:
        question = super().ask(view, watch, took)
        try:
            question.send(None)  # it waits for nothing
        except StopIteration as answer:
            return answer.value  # type: ignore[no-any-return]
        raise AssertionError("a bot in this process waits for nothing")


@cache
def _searching() -> ThreadPoolExecutor:
    """
    One thread for all, so that they take one core at most.

    It has the priority of the others: one that is kept waiting while it holds Python's lock would hold all tables up.
    """
    return ThreadPoolExecutor(1, "house-bots")
