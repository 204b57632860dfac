"""The seat of a person over its socket: what it is sent, how it leaves, how it comes back, and if it is there."""

from __future__ import annotations

import asyncio
import math
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import pytest

from pigpen.values.notices import ClockSetting, DealResult, MatchResult, Welcome
from pigpen.values.view import Seen
from pigpen.wire.messages import ASKS_WHY, AWAY, HERE, PLAYS, READS, READY, presence_message, seen_of
from referee.seats import person_seat as person_seat_module
from referee.seats.clock import Stopwatch
from referee.seats.deadlines import Deadlines
from referee.seats.person_seat import HELP_SECONDS, MAX_MESSAGES, PersonSeat
from referee.seats.presence import PersonAway, Presence
from referee.seats.seat_server import new_token
from tests.referee.wires import RULES, open_seat, question, raw_bot
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pigpen.v1.referee_pb2 import RefereeMessage
    from tests.referee.wires import RawBot

QUICK = Deadlines(reconnect=0.2)
WELCOME = Welcome(RULES, 0, "game", ClockSetting(0.0, 30.0, 30.0, 30.0))
SEEN = Seen(question(0), ("you", "b", "c", "d"))


@asynccontextmanager
async def person_seat(
    folder: Path, deadlines: Deadlines = QUICK, max_messages: int = MAX_MESSAGES
) -> AsyncIterator[tuple[PersonSeat, str]]:
    token = new_token()
    seat = PersonSeat(folder / "seat.sock", token, deadlines, max_messages)
    await seat.listen()
    try:
        yield seat, token
    finally:
        await seat.close()


async def kinds(person: RawBot, count: int) -> list[str | None]:
    return [(await person.receive()).WhichOneof("body") for _ in range(count)]


async def away_of(person: RawBot) -> bool:
    message: RefereeMessage = await person.receive()
    return seen_of(message.seen, RULES).away


async def test_a_person_hears_what_it_sees_before_it_is_asked(tmp_path: Path) -> None:
    async with person_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as person:
        await seat.welcome(WELCOME)
        seat.show(SEEN)
        seat.show(SEEN)
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        assert await kinds(person, 3) == ["welcome", "seen", "seen"]
        request = await person.receive()
        await person.answer(request)
        assert await asking == question().legal[0]


@pytest.mark.parametrize("practice", [True, False])
async def test_the_clock_stops_when_a_person_asks_why_in_practice_alone(tmp_path: Path, *, practice: bool) -> None:
    token, now = new_token(), [0.0]
    seat = PersonSeat(tmp_path / "seat.sock", token, practice=practice)
    await seat.listen()
    try:
        async with raw_bot(tmp_path, token) as person:
            await seat.welcome(WELCOME)
            watch = Stopwatch(PATIENCE, now=lambda: now[0])
            asking = asyncio.ensure_future(seat.ask(question(), watch))
            await kinds(person, 1)
            request = await person.receive()
            await person.send(presence_message(ASKS_WHY))
            seat.presence.show_end_of(3)
            await person.send(presence_message(READY, 3))
            await seat.presence.looked_within(PATIENCE)
            now[0] = 2 * PATIENCE
            await person.answer(request)
            assert await asking == question().legal[0]
            assert watch.is_late == (not practice)
    finally:
        await seat.close()


class Ticking:
    """A clock that a test moves, for a watch and for the seat's help."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        loop = asyncio.get_running_loop()
        began = float(int(loop.time()))  # whole seconds: their sums and differences are exact
        monkeypatch.setattr(loop, "time", lambda: began + self.now)

    def watch(self) -> Stopwatch:
        return Stopwatch(PATIENCE, now=lambda: self.now)


def test_the_clock_stands_while_help_is_read_and_for_no_more_than_its_seconds_of_a_match() -> None:
    async def read(monkeypatch: pytest.MonkeyPatch) -> None:
        ticking, help_ = Ticking(monkeypatch), person_seat_module._Help()
        first, second, third = (ticking.watch() for _ in range(3))
        help_.watch(first)
        help_.open(is_open=True)
        ticking.now += HELP_SECONDS - 1.0
        assert first.wall == 0.0
        help_.open(is_open=False)
        ticking.now += 2.0
        assert first.wall == 2.0
        help_.watch(None)
        help_.open(is_open=True)
        ticking.now += 50.0  # no question is open: that costs nothing
        second = ticking.watch()
        help_.watch(second)
        ticking.now += 1.0
        help_.watch(None)
        assert second.wall == 0.0
        third = ticking.watch()
        help_.watch(third)
        ticking.now += 1.0
        assert third.wall == 1.0, "all is used up"
        help_.close()

    with pytest.MonkeyPatch.context() as monkeypatch:
        asyncio.run(read(monkeypatch))


@pytest.mark.parametrize("waits", [True, False])
async def test_help_stops_the_clock_of_a_seat_without_a_limit_where_the_table_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, waits: bool
) -> None:
    monkeypatch.setattr(person_seat_module, "HELP_SECONDS", 0.0)
    now = [0.0]
    async with person_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as person:
        seat.presence.wait = math.inf if waits else 0.0
        await seat.welcome(WELCOME)
        watch = Stopwatch(PATIENCE, now=lambda: now[0])
        asking = asyncio.ensure_future(seat.ask(question(), watch))
        await kinds(person, 1)
        request = await person.receive()
        await person.send(presence_message(READS))
        await comes(lambda: seat._help._is_open)
        now[0] = 2 * PATIENCE
        await person.send(presence_message(PLAYS))
        await comes(lambda: not seat._help._is_open)
        await person.answer(request)
        assert await asking == question().legal[0]
        assert watch.is_late == (not waits)


async def test_a_person_may_come_back_with_its_token_and_hears_all_results_again(tmp_path: Path) -> None:
    async with person_seat(tmp_path, Deadlines(reconnect=PATIENCE)) as (seat, token):
        async with raw_bot(tmp_path, token) as person:
            await seat.welcome(WELCOME)
            seat.show(SEEN)
            await seat.notify(DealResult(0, 0, (1, 2, 3, 4), (1, 2, 3, 4)))
            asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
            assert await kinds(person, 4) == ["welcome", "seen", "deal_over", "request"]
            person.hang_up()
        await comes((tmp_path / "seat.sock").exists)
        async with raw_bot(tmp_path, token) as again:
            assert await kinds(again, 3) == ["welcome", "deal_over", "seen"]
            await again.answer(await again.receive())
            assert await asking == question().legal[0]
            assert not seat.presence.is_away


async def test_one_whose_connection_is_lost_is_away_until_there_is_another(tmp_path: Path) -> None:
    async with person_seat(tmp_path) as (seat, token):
        async with raw_bot(tmp_path, token) as person:
            await seat.welcome(WELCOME)
            seat.show(SEEN)
            await kinds(person, 2)
            asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
            await person.receive()
            person.hang_up()
        with pytest.raises(PersonAway):
            await asyncio.wait_for(asking, PATIENCE)
        with pytest.raises(PersonAway):
            await seat.ask(question(2), Stopwatch(PATIENCE))
        await comes((tmp_path / "seat.sock").exists)
        async with raw_bot(tmp_path, token) as again:
            await kinds(again, 1)
            assert not await away_of(again)
            assert not seat.presence.is_away


async def test_nobody_at_the_start_is_no_fault(tmp_path: Path) -> None:
    async with person_seat(tmp_path) as (seat, token):
        await seat.welcome(Welcome(RULES, 0, "game", ClockSetting(0.0, 30.0, 30.0, 0.1)))
        assert seat.presence.is_away
        async with raw_bot(tmp_path, token) as person:
            assert await kinds(person, 1) == ["welcome"]
            assert not seat.presence.is_away


async def test_who_leaves_with_a_question_open_is_asked_nothing_until_it_says_that_it_is_back(tmp_path: Path) -> None:
    async with person_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as person:
        await seat.welcome(WELCOME)
        seat.show(SEEN)
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await kinds(person, 3)
        await person.send(presence_message(AWAY))
        with pytest.raises(PersonAway):
            await asyncio.wait_for(asking, PATIENCE)
        assert await away_of(person)
        await person.send(presence_message(HERE))
        assert not await away_of(person)
        assert not seat.presence.is_away


async def test_an_answer_to_an_old_question_changes_nothing(tmp_path: Path) -> None:
    async with person_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as person:
        await seat.welcome(WELCOME)
        await person.receive()
        asking = asyncio.ensure_future(seat.ask(question(2), Stopwatch(PATIENCE)))
        request = await person.receive()
        await person.answer(request, decision=1, card=51)
        await person.answer(request)
        assert await asking == question().legal[0]


async def test_a_person_says_that_it_has_looked_at_the_end_of_a_deal(tmp_path: Path) -> None:
    async with person_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as person:
        await seat.welcome(WELCOME)
        await seat.notify(DealResult(3, 0, (1, 2, 3, 4), (1, 2, 3, 4)))
        waiting = asyncio.ensure_future(seat.presence.looked_within(10 * PATIENCE))
        await asyncio.sleep(0)
        assert not waiting.done()
        await person.send(presence_message(READY, 3))
        await asyncio.wait_for(waiting, PATIENCE)


async def test_a_flood_is_refused_and_the_match_goes_on(tmp_path: Path) -> None:
    async with person_seat(tmp_path, max_messages=8) as (seat, token), raw_bot(tmp_path, token) as person:
        await seat.welcome(WELCOME)
        await person.receive()
        for _ in range(9):
            await person.send(presence_message(HERE))
        code, why = await person.status()
        assert code in (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.UNAVAILABLE), why
        await comes(lambda: seat.presence.is_away)
        with pytest.raises(PersonAway):
            await seat.ask(question(), Stopwatch(PATIENCE))
        await seat.notify(MatchResult(1, 0.0))


async def test_a_bot_that_says_it_is_away_is_malformed(tmp_path: Path) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(WELCOME)
        await bot.receive()
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await bot.receive()
        await bot.send(presence_message(AWAY))
        failure = (await asyncio.gather(asking, return_exceptions=True))[0]
        assert str(failure).endswith("not an Answer")


def test_a_connection_brings_back_only_whoever_was_lost_with_one() -> None:
    presence = Presence()
    presence.lose()
    assert presence.is_away
    presence.connected()
    assert not presence.is_away
    presence.leave()
    presence.lose()
    presence.connected()
    assert presence.is_away, "it sent that it left"
    presence.come_back()
    assert not presence.is_away


def test_changes_are_told_once() -> None:
    noted: list[bool] = []
    presence = Presence(lambda: noted.append(presence.is_away))
    presence.leave()
    presence.leave()
    presence.come_back()
    presence.come_back()
    assert noted == [True, False]


def test_whoever_waits_for_a_person_goes_on_when_it_is_back_or_the_time_is_up() -> None:
    async def waiting() -> None:
        presence = Presence(wait=0.01)
        presence.leave()
        assert not await presence.back_in_time()
        presence = Presence(wait=30)
        presence.leave()
        asyncio.get_running_loop().call_soon(presence.come_back)
        assert await presence.back_in_time()

    asyncio.run(waiting())


def test_nobody_waits_for_the_end_of_a_deal_that_was_looked_at_or_not_shown_or_for_one_who_is_away() -> None:
    async def waiting() -> None:
        presence = Presence()
        await presence.looked_within(10 * PATIENCE)
        presence.show_end_of(0)
        presence.look_at_end_of(0)
        await presence.looked_within(10 * PATIENCE)
        presence.show_end_of(1)
        asyncio.get_running_loop().call_soon(presence.leave)
        await presence.looked_within(10 * PATIENCE)

    asyncio.run(asyncio.wait_for(waiting(), PATIENCE))
