"""Games for tests, played by a bot in the place of the person, and every state that its browser would be given."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ladder.matches.bots import InlineBots
from ladder.people.playing.play_with_people import play_with_people
from ladder.people.seat.seat_client import PersonClient
from ladder.people.sessions.person_state_tracker import PersonStateTracker
from ladder.people.sessions.table_info import TableInfo
from ladder.sandbox.bots.bot_source import find_bot
from pigpen.bot import decide
from pigpen.values.notices import DealResult
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, person_clock
from tests.ladder.people.seat.listeners import FirstLegal
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ladder.people.seat.seat_client import Question
    from ladder.values.person_state import PersonState
    from pigpen import Bot
    from pigpen.rules import Rules
    from pigpen.values.notices import Notice
    from referee.records.lines import AnyLine

NAMES = ("you", "b", "c", "d", "e")
SEED = bytes(32)


class PlayingTracker(PersonStateTracker):
    """Answers at once, and continues at once."""

    bot: Bot = FirstLegal()

    def asked(self, question: Question) -> None:
        super().asked(question)
        assert self.answer(question.view.decision, decide(self.bot, question.view))

    def notified(self, notice: Notice) -> None:
        super().notified(notice)
        if isinstance(notice, DealResult):
            self.go_on(notice.deal)


def game_of(rules: Rules, deals: int = 2, seed: bytes = SEED) -> tuple[list[PersonState], list[AnyLine]]:
    """Play some deals; the states of seat 0, and the record."""
    states: list[PersonState] = []
    lines: list[AnyLine] = []

    @asynccontextmanager
    async def sit(table: int, address: str, token: str) -> AsyncIterator[None]:
        tracker = PlayingTracker(states.append, TableInfo({NAMES[0]: "person"}))
        tracker.seat = client = PersonClient(tracker, address, token)
        playing = asyncio.ensure_future(client.play_match())
        try:
            yield
            await asyncio.wait_for(playing, PATIENCE)
        finally:
            playing.cancel()

    names = NAMES[: rules.players]
    spec = MatchSpec(rules, names, Format(deals), DEFAULT_CLOCK, seed, {0: person_clock(600.0)})
    bots = InlineBots([find_bot("cautious")] * (rules.players - 1))
    asyncio.run(play_with_people(spec, bots, {0: sit}, lines.append))
    return states, lines
