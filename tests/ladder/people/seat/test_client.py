"""The client of a person's seat: reconnection, idempotent answers, presence, and nothing hidden in its bytes (C-9)."""

from __future__ import annotations

import asyncio
import math
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from ladder.people.seat.seat_client import PersonClient
from pigpen.client import RETRY_SECONDS, Refused, Unreachable
from pigpen.v1.referee_pb2 import RefereeMessage
from pigpen.values.notices import ClockSetting, DealResult, MatchResult, Welcome
from pigpen.values.view import Seen
from referee.match.formats import NO_CLOCK_SECONDS, Format, person_clock
from referee.match.observer import PeopleShown
from referee.seats.clock import Stopwatch
from referee.seats.person_seat import HELP_SECONDS, PersonSeat
from referee.seats.presence import PersonAway
from referee.seats.seat_server import new_token
from tests.ladder.people.seat.listeners import BotListener, FirstLegal, RecordingListener
from tests.referee.match.test_leaks import PASS_AND_EXPOSE, every_preset
from tests.referee.wires import RULES, PersonTap, Tap, played, question, spec_of
from tests.referee.worlds import any_answer
from tests.rules.players import lumpy_hands
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pigpen.rules import Action, Rules
    from pigpen.values.view import View
    from referee.seats.seat import Seat
    from tests.referee.scripted_seats import Script

WELCOME = Welcome(RULES, 0, "game", ClockSetting(0.0, 30.0, 30.0, 30.0))
SEEN = Seen(question(0), ("you", "b", "c", "d"))


@asynccontextmanager
async def at_table(
    folder: Path, help_seconds: float = HELP_SECONDS
) -> AsyncIterator[tuple[PersonSeat, RecordingListener, PersonClient]]:
    token, listener = new_token(), RecordingListener()
    seat = PersonSeat(folder / "seat.sock", token)
    await seat.listen()
    client = PersonClient(listener, f"unix:{folder / 'seat.sock'}", token, help_seconds=help_seconds)
    playing = asyncio.ensure_future(client.play_match())
    try:
        await seat.welcome(WELCOME)
        yield seat, listener, client
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing
        await seat.close()


async def test_what_the_seat_says_reaches_the_front_in_order(tmp_path: Path) -> None:
    async with at_table(tmp_path) as (seat, listener, client):
        seat.show(SEEN)
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await comes(lambda: listener.questions)
        assert listener.welcomes == [WELCOME]
        assert listener.connections == [True]
        assert [seen.names for seen in listener.sights] == [SEEN.names]
        assert listener.sights[0].view == SEEN.view
        assert client.answer(1, question().legal[0])
        assert await asking == question().legal[0]


async def test_a_second_answer_and_one_to_another_question_change_nothing(tmp_path: Path) -> None:
    async with at_table(tmp_path) as (seat, listener, client):
        asking = asyncio.ensure_future(seat.ask(question(5), Stopwatch(PATIENCE)))
        await comes(lambda: listener.questions)
        assert not client.answer(4, question().legal[0])
        assert client.answer(5, question().legal[0])
        assert not client.answer(5, question().legal[0])
        assert await asking == question().legal[0]


async def test_a_lost_connection_is_made_again_and_an_answer_that_went_with_it_is_sent_again(tmp_path: Path) -> None:
    async with at_table(tmp_path) as (seat, listener, client):
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await comes(lambda: listener.questions)
        await seat._server.stop(None)
        assert client.answer(1, question().legal[0])
        assert await asyncio.wait_for(asking, PATIENCE) == question().legal[0]
        assert listener.connections[:3] == [True, False, True]
        assert len({each.view.decision for each in listener.questions}) == 1


async def test_a_question_that_is_put_again_keeps_its_time(tmp_path: Path) -> None:
    async with at_table(tmp_path) as (seat, listener, client):
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await comes(lambda: listener.questions)
        await seat._server.stop(None)
        await comes(lambda: len(listener.questions) == 2)
        assert listener.questions[0].until == listener.questions[1].until
        client.answer(1, question().legal[0])
        await asking


async def test_a_person_leaves_and_comes_back(tmp_path: Path) -> None:
    async with at_table(tmp_path) as (seat, listener, client):
        seat.show(SEEN)
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await comes(lambda: listener.questions)
        client.leave()
        with pytest.raises(PersonAway):
            await asyncio.wait_for(asking, PATIENCE)
        await comes(lambda: listener.sights[-1].away)
        client.come_back()
        await comes(lambda: not listener.sights[-1].away)
        assert not seat.presence.is_away


@pytest.mark.parametrize(("seconds", "stops"), [(PATIENCE, True), (0.0, False)])
async def test_help_stops_the_clock_that_is_shown_as_long_as_the_referee_stops_its_own(
    tmp_path: Path, seconds: float, *, stops: bool
) -> None:
    async with at_table(tmp_path, help_seconds=seconds) as (seat, listener, client):
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await comes(lambda: listener.questions)
        client.read_help(is_open=True)
        client.read_help(is_open=True)
        assert (listener.questions[-1].until == math.inf) == stops
        await comes(lambda: seat._help._is_open)
        client.read_help(is_open=False)
        assert listener.questions[-1].until < math.inf
        client.answer(1, question().legal[0])
        await asking


async def test_a_question_without_a_clock_has_no_end(tmp_path: Path) -> None:
    async with at_table(tmp_path) as (seat, listener, client):
        asking = asyncio.ensure_future(seat.ask(replace(question(), limit=NO_CLOCK_SECONDS), Stopwatch(PATIENCE)))
        await comes(lambda: listener.questions)
        assert listener.questions[0].until == math.inf
        client.answer(1, question().legal[0])
        await asking


async def test_the_clock_waits_until_the_person_continues(tmp_path: Path) -> None:
    async with at_table(tmp_path) as (seat, listener, client):
        await seat.notify(DealResult(0, 0, (1, 2, 3, 4), (1, 2, 3, 4)))
        await comes(lambda: listener.results)
        client.go_on(0)
        await asyncio.wait_for(seat.presence.looked_within(10 * PATIENCE), PATIENCE)


async def test_the_end_of_the_match_ends_the_client(tmp_path: Path) -> None:
    token, listener = new_token(), RecordingListener()
    seat = PersonSeat(tmp_path / "seat.sock", token)
    await seat.listen()
    client = PersonClient(listener, f"unix:{tmp_path / 'seat.sock'}", token)
    playing = asyncio.ensure_future(client.play_match())
    await seat.welcome(WELCOME)
    await seat.notify(MatchResult(2, 1.5))
    await seat.close()
    await asyncio.wait_for(playing, PATIENCE)
    assert listener.ends == [MatchResult(2, 1.5)]


async def test_a_wrong_token_is_refused_and_nobody_there_is_said_after_a_while(tmp_path: Path) -> None:
    seat = PersonSeat(tmp_path / "seat.sock", new_token())
    await seat.listen()
    with pytest.raises(Refused, match="not the token of"):
        await PersonClient(RecordingListener(), f"unix:{tmp_path / 'seat.sock'}", new_token()).play_match()
    await seat.close()
    with pytest.raises(Unreachable, match="No referee at"):
        await PersonClient(RecordingListener(), f"unix:{tmp_path / 'nowhere'}", new_token(), patience=0.1).play_match()


@pytest.mark.parametrize("has_been_there", [False, True])
async def test_a_referee_is_looked_for_again_and_again_for_the_patience_of_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_been_there: bool
) -> None:
    """The clock stands still but for the pauses of the client; those are not waited for."""
    now, pauses, sleep = 1000.0, list[float](), asyncio.sleep

    async def paused(seconds: float) -> None:
        nonlocal now
        if asyncio.current_task() is playing:  # the seat pauses, too
            now += seconds
            pauses.append(seconds)
            seconds = 0.0
        await sleep(seconds)

    token, listener = new_token(), RecordingListener()
    client = PersonClient(listener, f"unix:{tmp_path / 'seat.sock'}", token, 10.5 * RETRY_SECONDS, lambda: now)
    seat = PersonSeat(tmp_path / "seat.sock", token)
    if has_been_there:
        await seat.listen()
    playing = asyncio.ensure_future(client.play_match())
    if has_been_there:
        await seat.welcome(WELCOME)
        await comes(lambda: listener.welcomes)
        now += 100 * RETRY_SECONDS
    monkeypatch.setattr("ladder.people.seat.seat_client.asyncio.sleep", paused)
    if has_been_there:
        seat._reconnect.close()
        await seat._server.stop(None)
    with pytest.raises(Unreachable):
        await asyncio.wait_for(playing, PATIENCE)
    await seat.close()
    assert pauses == [RETRY_SECONDS] * 11, "the last one ends after the patience"
    assert listener.connections == [True, False] * has_been_there


DEALS = 2


class ListeningClient(PersonClient):
    """Keeps every message as it came."""

    def __init__(self, listener: BotListener, address: str, token: str) -> None:
        super().__init__(listener, address, token)
        self.messages: list[RefereeMessage] = []

    def _receive(self, message: RefereeMessage) -> None:
        self.messages.append(message)
        super()._receive(message)


def scripted(seat: int) -> Script:
    """Anything legal, the same every time."""
    return lambda view: any_answer(view, Random(f"{seat} {view.deal} {view.phase} {len(view.plays)}"))


class Scripted(FirstLegal):
    """The same as a bot."""

    def _any(self, view: View) -> Action:
        return scripted(0)(view)  # type: ignore[return-value]

    play = pass_cards = expose = choose_moon = _any  # type: ignore[assignment]


def timeless(data: bytes) -> bytes:
    """A message without what the referee's clock says."""
    message = RefereeMessage.FromString(data)
    for field in ("last_took", "last_cpu", "bank"):
        message.request.ClearField(field) if message.HasField("request") else None
    return message.SerializeToString(deterministic=True)


def hands_of(rules: Rules) -> list[list[int]]:
    rng = Random(f"hands of {rules.name}")
    return [lumpy_hands(rules, rng) for _ in range(DEALS)]


def kept(rules: Rules) -> list[bytes]:
    """List the bytes that the seat of the leak tests keeps."""
    spec = replace(spec_of(rules, Format(DEALS), bytes(32)), people={0: person_clock()})
    tap = PersonTap(scripted(0))
    seats: list[Seat] = [tap, *(Tap(scripted(seat)) for seat in range(1, rules.players))]
    shown = PeopleShown(spec.bots)
    shown.seat(0, {0: tap})
    asyncio.run(played(spec, hands_of(rules), seats, observer=shown))
    return [timeless(each.data) for each in tap.sent]


async def received(rules: Rules, folder: Path) -> list[bytes]:
    """List the messages that the client receives over the socket."""
    spec = replace(spec_of(rules, Format(DEALS), bytes(32)), people={0: person_clock()})
    token = new_token()
    seat = PersonSeat(folder / "seat.sock", token)
    await seat.listen()
    listener = BotListener(Scripted())
    listener.client = client = ListeningClient(listener, f"unix:{folder / 'seat.sock'}", token)
    playing = asyncio.ensure_future(client.play_match())
    shown = PeopleShown(spec.bots)
    shown.seat(0, {0: seat})
    seats: list[Seat] = [seat, *(Tap(scripted(other)) for other in range(1, rules.players))]
    await played(spec, hands_of(rules), seats, observer=shown)
    await asyncio.wait_for(playing, PATIENCE)
    await seat.close()
    return [timeless(each.SerializeToString()) for each in client.messages]


@every_preset
def test_C_9_what_comes_over_the_socket_is_what_was_looked_at(rules: Rules, tmp_path: Path) -> None:
    messages = asyncio.run(received(rules, tmp_path))
    assert messages == kept(rules)
    assert len(messages) > DEALS * len(rules.deck)
    assert rules is not PASS_AND_EXPOSE or any(
        each.seen.view.exposures for each in map(RefereeMessage.FromString, messages)
    )
