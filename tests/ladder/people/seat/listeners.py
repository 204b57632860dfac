"""Listeners for tests: a bot in the place of the person, and one that only notes what it receives."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ladder.people.seat.seat_client import PersonClient, Question
from pigpen import Bot
from pigpen.bot import decide
from pigpen.values.notices import DealResult, FaultNotice, MatchResult, Welcome
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ladder.people.playing.play_with_people import Sit
    from pigpen.values.notices import Notice
    from pigpen.values.view import Seen, View


class FirstLegal(Bot):
    """Plays the first legal card."""

    def play(self, view: View) -> object:  # type: ignore[override]
        return view.legal[0]


class RecordingListener:
    """Notes what it receives; the test answers."""

    def __init__(self) -> None:
        self.welcomes: list[Welcome] = []
        self.sights: list[Seen] = []
        self.questions: list[Question] = []
        self.notices: list[Notice] = []
        self.connections: list[bool] = []

    def welcomed(self, welcome: Welcome) -> None:
        self.welcomes.append(welcome)

    def saw(self, seen: Seen) -> None:
        self.sights.append(seen)

    def asked(self, question: Question) -> None:
        self.questions.append(question)

    def notified(self, notice: Notice) -> None:
        self.notices.append(notice)

    def connected(self, *, is_there: bool) -> None:
        self.connections.append(is_there)

    @property
    def results(self) -> list[DealResult]:
        return [each for each in self.notices if isinstance(each, DealResult)]

    @property
    def faults(self) -> list[FaultNotice]:
        return [each for each in self.notices if isinstance(each, FaultNotice)]

    @property
    def ends(self) -> list[MatchResult]:
        return [each for each in self.notices if isinstance(each, MatchResult)]


class BotListener(RecordingListener):
    """A bot in the place of the person."""

    def __init__(self, bot: Bot | None = None) -> None:
        super().__init__()
        self._bot = bot or FirstLegal()
        self.client: PersonClient | None = None

    def asked(self, question: Question) -> None:
        super().asked(question)
        assert self.client is not None
        assert self.client.answer(question.view.decision, decide(self._bot, question.view))

    def notified(self, notice: Notice) -> None:
        super().notified(notice)
        if isinstance(notice, DealResult):
            assert self.client is not None
            self.client.go_on(notice.deal)


def sitting(make: Callable[[], BotListener]) -> Sit:
    """Bring a fresh listener to each table, and wait there until the match is over for it."""

    @asynccontextmanager
    async def sit(table: int, address: str, token: str) -> AsyncIterator[None]:
        listener = make()
        listener.client = PersonClient(listener, address, token)
        playing = asyncio.ensure_future(listener.client.play_match())
        try:
            yield
            async with asyncio.timeout(PATIENCE):
                await playing
        finally:
            playing.cancel()

    return sit
