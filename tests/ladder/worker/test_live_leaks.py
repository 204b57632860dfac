"""C-9 for spectators: re-dealing what cannot be seen at the table changes no byte of the events."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

from ladder.worker.live_observer import LiveObserver
from pigpen.rules import Phase
from referee.match.formats import Format
from referee.records.lines import DealLine
from tests.ladder.worker.live_events import read, unexpected
from tests.referee.match.test_leaks import every_preset
from tests.referee.wires import Sent, Tap, played, spec_of
from tests.referee.worlds import at, careless, other_world, replay, world_of
from tests.rules.players import lumpy_hands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.live_events import AnyLive
    from pigpen.rules import MoonChoice, Rules
    from referee.records.lines import AnyLine
    from tests.rules.perft import World

MATCHES = 3
DEALS = 4
"""In every match: the whole cycle of passing."""
PHASES = {"deal": Phase.PASS, "passed": Phase.EXPOSE, "exposed": Phase.PLAY, "play": Phase.PLAY}


def watch(
    rules: Rules, seed: bytes, hands: Sequence[Sequence[int]], seats: Sequence[Tap]
) -> tuple[list[str], list[AnyLine]]:
    spec = spec_of(rules, Format(DEALS), seed)
    sent: list[str] = []
    observer = LiveObserver(spec, "played", sent.append, unexpected)
    lines = asyncio.run(played(spec, hands, seats, deals=len(hands), observer=observer))
    return sent, lines


def moment_of(events: Sequence[AnyLive], place: int, deal: int) -> Sent:
    """Give the moment at which the event was sent."""
    plays = sum(each.type == "play" and each.deal == deal for each in events[: place + 1])
    return Sent(b"", deal, PHASES[events[place].type], plays)


def shuffled(rules: Rules, world: World, rng: Random) -> World:
    """A world that looks the same to the public: the same to one seat, then the same to another."""
    for seat in rng.sample(range(rules.players), rules.players):
        world = other_world(world, seat, rng)
    return world


def closed(sent: Sequence[str]) -> list[str]:
    """Without the first event, which holds the time, and the deals that are open."""
    return [line for line in sent[1:] if not line.startswith('{"type":"opened"')]


@every_preset
def test_C_9_re_dealing_what_is_hidden_from_spectators_changes_no_byte(rules: Rules) -> None:
    rng, moved = Random(f"spectators of {rules.name}"), 0
    for _ in range(MATCHES):
        seed, hands = rng.randbytes(32), [lumpy_hands(rules, rng) for _ in range(DEALS)]
        sent, lines = watch(rules, seed, hands, [Tap(careless(rng)) for _ in range(rules.players)])
        worlds: list[World] = []
        moons: list[MoonChoice] = []
        for line in lines:
            if isinstance(line, DealLine):
                world, moon = world_of(rules, line)
                worlds.append(world)
                moons.append(moon)
        events = read(sent)
        for deal in range(DEALS):
            places = [place for place, each in enumerate(events) if each.type in PHASES and each.deal == deal]  # type: ignore[union-attr]
            place = rng.choice(places)
            now = at(worlds[deal], moment_of(events, place, deal))
            known = [*worlds[:deal], shuffled(rules, now, rng)]
            taps = [Tap(replay(known, moons, seat, rng)) for seat in range(rules.players)]
            again, _ = watch(rules, seed, [world.hands for world in known], taps)
            until = len(closed(sent[: place + 1]))
            assert closed(again)[:until] == closed(sent[: place + 1]), f"event {place} of the match {seed.hex()}"
            moved += known[-1].hands != worlds[deal].hands
    assert moved > MATCHES * DEALS / 2
