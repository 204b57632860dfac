"""A table that is played in the test's own event loop, and the session of the person there."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ladder.matches.bots import InlineBots
from ladder.people.playing.play_with_people import play_with_people
from ladder.people.sessions.seat_session import SESSION_SECONDS
from ladder.people.sessions.session_pool import SessionPool
from ladder.people.sessions.table_info import FoundSeat
from ladder.results.files import TableFiles
from ladder.sandbox.bots.bot_source import find_bot
from ladder.values.people import ChairKind, SeatPlace, TableChair, TablePurpose, TableState, TableStatus
from ladder.values.value import time_of
from pigpen.rules import PRESETS
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, person_clock
from referee.replay.table_view import card_names
from tests.ladder.people.sessions.states import NAMES, SEED
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ladder.people.sessions.seat_session import SeatSession
    from ladder.values.person_state import PersonState
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine


class TableHere:
    """A table with one person, in seat 0; started and killed at will."""

    def __init__(self, rules: Rules = PRESETS["hearts-short"], deals: int = 1, seconds: float = 600.0) -> None:
        self.rules = rules
        self.status, self.reason, self.attempt = TableStatus.READY, "", 0
        self.address = self.token = ""
        self.lines: list[AnyLine] = []
        self.finds = 0
        names = NAMES[: rules.players]
        self._spec = MatchSpec(rules, names, Format(deals), DEFAULT_CLOCK, SEED, {0: person_clock(seconds)})
        self._task: asyncio.Task[None] | None = None

    def find(self) -> FoundSeat:
        """Find the seat that is reported to a session."""
        self.finds += 1
        kinds = [ChairKind.PERSON, *[ChairKind.HOUSE] * (self.rules.players - 1)]
        is_over = self.status is TableStatus.OVER
        chairs = tuple(
            TableChair(kind=kind, name=name, joined=True, is_account=False, absent=False,
                       points=number if is_over else None, place=number + 1 if is_over else None)
            for number, (kind, name) in enumerate(zip(kinds, NAMES, strict=False))
        )  # fmt: skip
        state = TableState(
            id=1, name="A" * 12, purpose=TablePurpose.FREE, board="", variant=self.rules.name, rules={}, format="game",
            seconds=600.0, pace=0.0, practice=False, assisted=False, status=self.status, reason=self.reason,
            chairs=chairs, mine=0, is_opener=True, opener="", commitment="", seed=None, created=time_of(0),
            finished=None,
        )  # fmt: skip
        place = SeatPlace(
            table=1, chair=0, status=self.status, attempt=self.attempt, address=self.address, token=self.token
        )
        return FoundSeat(state, place)

    def start(self) -> None:
        """Play; a table that was killed begins anew."""
        self.attempt += 1
        self.status = TableStatus.PLAYING
        self._task = asyncio.ensure_future(self._play())

    async def kill(self) -> None:
        """End it as a process ends that is killed."""
        assert self._task
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self.address = ""
        self.status = TableStatus.READY

    async def _play(self) -> None:
        bots = InlineBots([find_bot("cautious")] * (self.rules.players - 1))
        await play_with_people(self._spec, bots, {0: self._sit}, self.lines.append)
        self.status, self.address = TableStatus.OVER, ""

    @asynccontextmanager
    async def _sit(self, table: int, address: str, token: str) -> AsyncIterator[None]:
        self.address, self.token = address, token
        yield


@asynccontextmanager
async def session_at(table: TableHere, seconds: float = SESSION_SECONDS) -> AsyncIterator[SeatSession]:
    """Give the session of the person at a table; it ends when it has had no tab for that many seconds."""
    with TemporaryDirectory() as folder:
        sessions = SessionPool(TableFiles(Path(folder)), seconds)
        try:
            yield await sessions.at("table", "secret", table.find)
        finally:
            await sessions.close()
            if table._task and not table._task.done():
                await table.kill()


async def until(session: SeatSession, condition: Callable[[PersonState], object]) -> PersonState:
    """The first state of which that is true, from now on."""
    tab = session.open_tab()
    try:
        async with asyncio.timeout(PATIENCE):
            async for state in tab:
                if condition(state):
                    return state
    finally:
        tab.close()
    raise AssertionError("the session has ended")


def first_answer(state: PersonState) -> str:
    """Something that may be answered."""
    question = state.question
    assert question
    if question.kind == "pass":
        return card_names(question.legal[: question.count])
    return {"play": card_names(question.legal[:1]), "expose": "", "moon": "add"}[question.kind]


async def play_on(session: SeatSession, until_over: Callable[[PersonState], object]) -> PersonState:
    """Answer whatever is asked, until something is true."""
    tab = session.open_tab()
    try:
        async with asyncio.timeout(PATIENCE):
            async for state in tab:
                if until_over(state):
                    return state
                if state.result:
                    session.say("ready", state.result.deal)
                elif state.question and state.question.decision == _asked(session):
                    session.answer(state.question.decision, first_answer(state))
    finally:
        tab.close()
    raise AssertionError("the session has ended")


def _asked(session: SeatSession) -> int | None:
    return session.tracker.question.view.decision if session.tracker.question else None
