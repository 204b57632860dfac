"""The traces of docs/protocol.md are what a seat and a bot really exchange."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from google.protobuf import text_format

from pigpen import ClockSetting, DealResult, FaultNotice, MatchResult, MoonChoice, Welcome
from pigpen.rules import CARDS, PRESETS, Deal, Face, deal_hands
from pigpen.values.view import View
from pigpen.wire.messages import answer_message, hello_message
from referee.seats.clock import Stopwatch
from referee.seats.stream_seat import StreamSeat
from tests.referee.wires import RawBot, raw_bot
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pigpen.rules import Action
    from pigpen.v1.referee_pb2 import BotMessage, RefereeMessage

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
BLOCK = re.compile(r"<!-- trace: (\w+) -->\n```text\n(.*?)```", flags=re.DOTALL)
REST = "    # … and the rest of the variant"
SHORT = 12
"""Bytes of a message that are shown."""
TOKEN = "0123456789abcdef0123456789abcdef"
CLOCK = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=30.0, deals_per_bank=16)
HEARTS, GONGZHU = PRESETS["hearts"], PRESETS["gongzhu"]


def shown(message: BotMessage | RefereeMessage, way: str) -> str:
    """A message as `protoc --decode` prints it, below its bytes where they are few."""
    data = message.SerializeToString()
    lines = [f"# {way}, {len(data)} bytes" + (f": {data.hex(' ')}" if len(data) <= SHORT else "")]
    for line in text_format.MessageToString(message).splitlines():
        if lines[-1] == REST and line != "  }":
            continue  # within the rules
        lines.append(line)
        if line == "    players: 4":
            lines.append(REST)
    return "\n".join(lines) + "\n"


def view_at(deal: Deal, decision: int) -> View:
    """Give the view of the seat that is asked next."""
    seat = deal.to_act[0]
    view = View(*deal.known_to(seat), decision=decision, limit=1.0, bank=60.0, seed=0xFEED)
    view.last_took = view.last_cpu = 0.25
    return view


async def asked(seat: StreamSeat, bot: RawBot, view: View, action: Action) -> str:
    """A request and its answer."""
    asking = asyncio.ensure_future(seat.ask(view, Stopwatch(PATIENCE)))
    request, answer = await bot.receive(), answer_message(view, action)
    await bot.send(answer)
    assert await asking == action
    return shown(request, "referee → bot") + shown(answer, "bot → referee")


def in_play() -> Deal:
    """A deal of hearts in which the first card is on the table."""
    deal = Deal(HEARTS, deal_hands(HEARTS, bytes(32), 3), number=3)
    deal.apply(deal.turn, deal.legal(deal.turn)[0])
    return deal


async def session(folder: Path) -> dict[str, str]:
    """By name, everything that goes over the wire."""
    seat = StreamSeat(folder / "seat.sock", TOKEN)
    await seat.listen()
    found = {}
    async with raw_bot(folder) as bot:
        hello = hello_message(TOKEN, "mybot", "")
        await bot.send(hello)
        await seat.welcome(Welcome(HEARTS, 2, "boards:16", CLOCK))
        found["start"] = shown(hello, "bot → referee") + shown(await bot.receive(), "referee → bot")
        passing = Deal(HEARTS, deal_hands(HEARTS, bytes(32), 0), number=0)
        found["passing"] = await asked(seat, bot, view_at(passing, 1), passing.legal(passing.to_act[0])[:3])
        deal = in_play()
        found["playing"] = await asked(seat, bot, view_at(deal, 2), deal.legal(deal.turn)[0])
        notices: dict[str, DealResult | FaultNotice | MatchResult] = {
            "fault": FaultNotice("illegal", "QS is not legal: it does not follow the suit led", 1, False),
            "deal_over": DealResult(3, 1, (0, 13, 5, 8), (20, 13, 31, 40)),
            "match_over": MatchResult(2, 6.25),
        }
        for name, notice in notices.items():
            await seat.notify(notice, 2)
            found[name] = shown(await bot.receive(), "referee → bot")
        await seat.close()
    exposing = Deal(GONGZHU, deal_hands(GONGZHU, bytes(32), 0), number=0)
    view = view_at(exposing, 3)
    found["others"] = "".join(
        shown(answer_message(view, action), "bot → referee") for action in ({}, {CARDS[49]: Face.UP}, MoonChoice.ADD)
    )
    return found


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return asyncio.run(session(tmp_path_factory.mktemp("seat")))


def test_the_traces_are_those_of_a_seat(traces: dict[str, str]) -> None:
    assert dict(BLOCK.findall(PAGE.read_text("utf-8"))) == traces
