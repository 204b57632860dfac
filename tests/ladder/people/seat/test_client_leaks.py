"""C-9 at the person's client: the bytes that come over the socket are those that the leak tests look at."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from ladder.people.seat.client import PersonClient
from pigpen.v1.referee_pb2 import RefereeMessage
from referee.match.formats import Format, person_clock
from referee.match.observer import PeopleShown
from referee.seats.person_seat import PersonSeat
from referee.seats.seat_server import new_token
from tests.ladder.people.seat.listeners import BotListener, FirstLegal
from tests.referee.match.test_leaks import PASS_AND_EXPOSE, every_preset
from tests.referee.wires import PersonTap, Tap, played, spec_of
from tests.referee.worlds import any_answer
from tests.rules.players import lumpy_hands
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from pigpen.rules import Action, Rules
    from pigpen.values.view import View
    from referee.seats.seat import Seat
    from tests.referee.scripted_seats import Script

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
    for field in ("last_took", "bank"):
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
