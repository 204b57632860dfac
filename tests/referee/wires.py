"""Bots for tests of the wire: a raw stream to a seat, with no SDK in between."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import grpc.aio

from pigpen.rules import PRESETS, Deal, Phase, deal_hands
from pigpen.v1.referee_pb2 import Answer, BotMessage, RefereeMessage
from pigpen.values.view import View
from pigpen.wire.messages import hello_message
from referee.seats.deadlines import Deadlines
from referee.seats.seat_server import new_token
from referee.seats.stream_seat import StreamSeat
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

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
