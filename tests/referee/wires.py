"""Wires for tests: bots that speak to a seat without the SDK, and matches in which every byte to a seat is kept."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc
import grpc.aio
import pytest

from pigpen.rules import PRESETS, Deal, Phase, deal_hands
from pigpen.v1.referee_pb2 import Answer, BotMessage, RefereeMessage
from pigpen.values.notices import DealResult, FaultNotice
from pigpen.values.view import View
from pigpen.wire.messages import hello_message, notice_message, request_message, seen_message, welcome_message
from referee.match import table
from referee.match.formats import DEFAULT_CLOCK, MatchSpec
from referee.records.lines import DealLine
from referee.seats.deadlines import Deadlines
from referee.seats.presence import Presence
from referee.seats.seat_server import new_token
from referee.seats.stream_seat import StreamSeat
from referee.seats.verdict import SeatFailure
from tests.referee.scripted_seats import FakeTime
from tests.referee.tables import play_match
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from pigpen.rules import Action, Rules
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import Seen
    from referee.match.formats import Format
    from referee.match.observer import Observer
    from referee.records.lines import AnyLine
    from referee.seats.clock import Stopwatch
    from referee.seats.seat import Seat
    from tests.referee.scripted_seats import Script

RULES = PRESETS["hearts"]
UNHURRIED = Deadlines(reconnect=PATIENCE)
"""A bot comes back in time, however slow the machine."""


class RawBot:
    """One stream to a seat, message by message."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/pigpen.v1.Referee/Play")
        self._call = play(wait_for_ready=True)  # gRPC gives a slow referee's connection up after 20 s, and tries again

    async def send(self, message: BotMessage | bytes) -> None:
        await self._call.write(message if isinstance(message, bytes) else message.SerializeToString())

    async def hello(self, token: str) -> None:
        await self.send(hello_message(token, "raw", "test"))

    async def receive(self) -> RefereeMessage:
        return RefereeMessage.FromString(await self.receive_bytes())

    async def receive_bytes(self) -> bytes:
        data = await asyncio.wait_for(self._call.read(), PATIENCE)
        assert isinstance(data, bytes)
        return data

    async def done(self) -> None:
        """Close this end."""
        await self._call.done_writing()

    async def part(self) -> str:
        """Close this end; all that the referee says besides messages."""
        await self.done()
        last = await self.status()
        return f"{last} {await self._call.initial_metadata()} {await self._call.trailing_metadata()}"

    async def answer(self, request: RefereeMessage, *, card: int | None = None, decision: int | None = None) -> None:
        chosen = request.request.view.legal[0] if card is None else card
        number = request.request.decision if decision is None else decision
        await self.send(BotMessage(answer=Answer(decision=number, card=chosen)))

    async def status(self) -> tuple[grpc.StatusCode, str]:
        code = await asyncio.wait_for(self._call.code(), PATIENCE)
        return code, await self._call.details() or ""

    def hang_up(self) -> None:
        self._call.cancel()


@asynccontextmanager
async def open_seat(folder: Path, deadlines: Deadlines = UNHURRIED) -> AsyncIterator[tuple[StreamSeat, str]]:
    """A seat that listens, and its token."""
    token = new_token()
    seat = StreamSeat(folder / "seat.sock", token, deadlines)
    await seat.listen()
    try:
        yield seat, token
    finally:
        seat.lose("the test is over")
        await seat.close()


@asynccontextmanager
async def raw_bot(folder: Path, token: str = "") -> AsyncIterator[RawBot]:
    """A stream to the seat in *folder*; with a token it has said Hello."""
    async with grpc.aio.insecure_channel(f"unix:{folder / 'seat.sock'}") as channel:
        bot = RawBot(channel)
        if token:
            await bot.hello(token)
        yield bot


def question(decision: int = 1) -> View:
    """Give the view of a deal's leader."""
    deal = Deal(RULES, deal_hands(RULES, bytes(32), 3), number=3)
    assert deal.phase is Phase.PLAY
    return View(*deal.known_to(deal.turn), decision=decision, limit=1.0)


@dataclass(frozen=True)
class Sent:
    """One message to a seat, and when it was sent."""

    data: bytes
    deal: int
    """-1 outside of any deal."""
    phase: Phase
    plays: int
    """Number of cards that had been played in the deal."""

    @property
    def is_sealed(self) -> bool:
        """True if it asks for a sealed choice."""
        return self.phase < Phase.PLAY and RefereeMessage.FromString(self.data).HasField("request")


@dataclass
class Tap:
    """A seat that keeps the bytes the wire would carry, and what was answered."""

    script: Script
    patience: int = 0
    """Number of turns of the event loop that it lets pass before it answers."""
    sent: list[Sent] = field(default_factory=list)
    answers: list[Action | SeatFailure] = field(default_factory=list)
    deck: int = 52
    seeds: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Seeds that it was given to draw random numbers from, deal by deal."""
    time: FakeTime | None = None
    """Its clock counts CPU time by this, as in a container; None: no CPU time can be read."""
    nap: float = 0.0
    """Seconds that it sleeps over a question to expose."""

    received: dict[Phase, list[bytes]] = field(default_factory=dict)
    """All it had been sent when it last answered a question of that phase."""

    def first(self, count: int) -> list[bytes]:
        """The first messages it was sent."""
        return [message.data for message in self.sent[:count]]

    def _keep(self, message: RefereeMessage, deal: int, phase: Phase, plays: int) -> None:
        self.sent.append(Sent(message.SerializeToString(), deal, phase, plays))

    async def welcome(self, welcome: Welcome) -> None:
        self.deck = len(welcome.rules.deck)
        self._keep(welcome_message(welcome), -1, Phase.OVER, 0)

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        self._keep(request_message(view), view.deal, view.phase, len(view.plays))
        self.seeds[view.deal].add(view.seed)
        for _ in range(self.patience):
            await asyncio.sleep(0)
        if view.phase < Phase.PLAY:
            self.received[view.phase] = self.first(len(self.sent))
        self.answers.append(answer := self.script(view))
        if self.time and view.phase is Phase.EXPOSE:
            self.time.seconds += self.nap
        watch.stop()
        if isinstance(answer, SeatFailure):
            raise answer
        return answer

    async def notify(self, notice: Notice, decision: int = 0) -> None:
        message, last = notice_message(notice, decision), self.sent[-1]
        if isinstance(notice, FaultNotice):
            self._keep(message, last.deal, last.phase, last.plays)
        else:
            self._keep(message, notice.deal if isinstance(notice, DealResult) else -1, Phase.OVER, self.deck)

    def cpu_time(self) -> float | None:
        return self.time.cpu if self.time else None

    def freeze(self) -> None:
        pass

    def freeze_if_working(self) -> None:
        pass

    async def close(self) -> None:
        pass


@dataclass
class PersonTap(Tap):
    """The seat of a person, who sees more than it is asked; after faults in a row it is away, and never comes back."""

    presence: Presence = field(default_factory=lambda: Presence(wait=0.0))

    def show(self, seen: Seen) -> None:
        self._keep(seen_message(seen), seen.view.deal, seen.view.phase, len(seen.view.plays))


class _Enough(Exception):
    """The rest of the match is of no interest."""


async def played(
    spec: MatchSpec,
    hands: Sequence[Sequence[int]],
    seats: Sequence[Seat],
    deals: int | None = None,
    observer: Observer | None = None,
) -> list[AnyLine]:
    """Play a match with these hands on a clock that only naps move; with *deals* only as many of them."""
    lines: list[AnyLine] = []
    time = next((seat.time for seat in seats if isinstance(seat, Tap) and seat.time), FakeTime())

    def write(line: AnyLine) -> None:
        lines.append(line)
        if isinstance(line, DealLine) and line.deal + 1 == deals:
            raise _Enough

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(_Enough):
        patch.setattr(table, "deal_hands", lambda rules, seed, number: hands[number])
        await play_match(spec, seats, write, observer, time)
    return lines


def spec_of(rules: Rules, form: Format, seed: bytes) -> MatchSpec:
    """A match with the usual clock."""
    return MatchSpec(rules, tuple(f"bot{seat}" for seat in range(rules.players)), form, DEFAULT_CLOCK, seed)


def found(secret: bytes, sent: bytes) -> bool:
    """True if *secret* is in there: as it is, backwards, or in hex."""
    hexed = sent.lower()
    return any(form in sent or form.hex().encode() in hexed for form in (secret, secret[::-1]))
