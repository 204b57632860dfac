"""The loop of `pigpen ladder compute`: short questions do not wait for long ones, and nothing is lost when it ends."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.computing.asking import BeingComputed, NoAnswer, answer_to, computing_files
from ladder.app.computing.computing_run import run_computing
from ladder.errors import SandboxError, StoreError, UserError
from ladder.results.files import SILENT_SECONDS
from ladder.settings.settings import load_settings
from ladder.store.commands import computations as commands
from ladder.store.computing_models import Computation
from ladder.values.questions import BotDeals, CostliestQuestion, HouseQuestion, Lane, RecordDeals
from tests.ladder.ladders import new_ladder
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from sqlalchemy.orm import Session

    from ladder.app.ladder import Ladder
    from ladder.store.commands.computations import ComputationLease
    from ladder.values.questions import Question
    from ladder.values.value import Computing


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def short(name: str) -> HouseQuestion:
    return HouseQuestion(rules={}, format="board:0:0", seed="", bots=(name,))


def long(name: str) -> CostliestQuestion:
    deals = RecordDeals(record=name, source=name, commitment="")
    return CostliestQuestion(looks=(BotDeals(deals=deals, bots=(0,)),), worst=5)


class Odd:
    """Computes what questions say."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.failures = 0
        self.goes_on = asyncio.Event()
        self.began = asyncio.Event()

    async def compute(self, question: str, advance: Callable[[int, int], None]) -> str:
        """See `Computer`."""
        name = json.loads(question).get("bots", ["long"])[0]
        self.asked.append(name)
        if name == "long":
            advance(1, 4)
            self.began.set()
            await self.goes_on.wait()
        if name == "refused":
            raise UserError("It is too heavy.")
        if name == "fails" and self.asked.count("fails") < 3:
            raise SandboxError("It was killed.")
        return f"answer to {name}"

    async def close(self) -> None:
        """There is nothing to end."""


@asynccontextmanager
async def running(ladder: Ladder, odd: Odd) -> AsyncIterator[None]:
    service = asyncio.ensure_future(run_computing(ladder, computers=dict.fromkeys(Lane, odd), retry_seconds=0.0))
    try:
        yield
    finally:
        service.cancel()
        with suppress(asyncio.CancelledError):
            await service


def progress(ladder: Ladder, question: Question) -> Computing:
    with pytest.raises(BeingComputed) as waits:
        answer_to(ladder, question)
    return waits.value.computing


async def answered(ladder: Ladder, question: Question) -> str:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return answer_to(ladder, question)
            except BeingComputed:
                await asyncio.sleep(0.01)


async def test_a_long_question_keeps_no_short_one_waiting(ladder: Ladder) -> None:
    odd = Odd()
    async with running(ladder, odd):
        assert progress(ladder, long("inbox")).place in (1, None)
        await odd.began.wait()
        assert await answered(ladder, short("why")) == "answer to why"
        assert progress(ladder, long("inbox")).place is None
        assert progress(ladder, long("another")).place == 1
        odd.goes_on.set()
        assert await answered(ladder, long("inbox")) == "answer to long"
    assert odd.asked.count("why") == 1


async def test_what_is_refused_is_told_and_what_fails_is_computed_again(ladder: Ladder) -> None:
    odd = Odd()
    async with running(ladder, odd):
        assert await answered(ladder, short("fails")) == "answer to fails"
        with pytest.raises(NoAnswer, match="It is too heavy"):
            await answered(ladder, short("refused"))
        with pytest.raises(NoAnswer, match="It is too heavy"):
            answer_to(ladder, short("refused"))
    assert odd.asked == ["fails", "fails", "fails", "refused"]


async def test_a_database_that_fails_between_two_lanes_leaves_no_question_leased(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, claim, failures = Odd(), commands.claim, list[str]()
    odd.goes_on.set()

    def failing(session: Session, lane: Lane, holder: str, now: float, seconds: float) -> ComputationLease | None:
        if lane == Lane.LONG and not failures:
            failures.append(lane)
            raise StoreError("The database is busy.")
        return claim(session, lane, holder, now, seconds)

    monkeypatch.setattr(commands, "claim", failing)
    for question in (short("why"), long("inbox")):
        progress(ladder, question)
    async with running(ladder, odd):
        assert await answered(ladder, short("why")) == "answer to why"
        assert await answered(ladder, long("inbox")) == "answer to long"
    assert failures == [Lane.LONG]
    with ladder.database.read() as session:
        assert set(session.execute(select(Computation.attempt, Computation.losses))) == {(1, 0)}


async def test_what_is_under_way_at_the_end_is_computed_by_the_next_run_and_answers_stay(ladder: Ladder) -> None:
    first, second = Odd(), Odd()
    assert not progress(ladder, short("kept")).is_served, "nobody computes"
    async with running(ladder, first):
        assert await answered(ladder, short("kept")) == "answer to kept"
        assert progress(ladder, long("inbox")).is_served
        await first.began.wait()
    assert progress(ladder, long("inbox")).place == 1
    second.goes_on.set()
    async with running(ladder, second):
        assert await answered(ladder, long("inbox")) == "answer to long"
        assert answer_to(ladder, short("kept")) == "answer to kept"
    assert second.asked == ["long"]


def test_a_process_that_is_silent_does_not_run(ladder: Ladder) -> None:
    files, now = computing_files(ladder), time.time()
    assert not files.is_alive(now)
    files.show_alive()
    assert files.is_alive(now)
    assert not files.is_alive(now + SILENT_SECONDS + 1)
