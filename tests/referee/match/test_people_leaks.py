"""C-9 for a person at the table: what its seat is sent holds nothing that it may not know."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from pigpen.rules import Phase
from pigpen.v1.referee_pb2 import RefereeMessage
from referee.match.formats import Format, person_clock
from referee.match.observer import PeopleShown
from referee.records.lines import DealLine
from tests.referee.match.test_leaks import every_preset
from tests.referee.other_worlds import again, at, careless, other_world, replay, world_of
from tests.referee.taps import PersonTap, Tap, found, played, spec_of
from tests.rules.players import lumpy_hands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules import Rules
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat

MATCHES = 3
DEALS = 4
"""In every match: the whole cycle of passing."""


def play(rules: Rules, seed: bytes, hands: Sequence[Sequence[int]], taps: Sequence[Seat], person: int) -> list[AnyLine]:
    """A match in which seat *person* is a person's."""
    spec = replace(spec_of(rules, Format(DEALS), seed), people={person: person_clock()})
    shown = PeopleShown(spec.bots)
    tap = taps[person]
    assert isinstance(tap, PersonTap)
    shown.seat(0, {person: tap})
    return asyncio.run(played(spec, hands, taps, deals=len(hands), observer=shown))


@every_preset
def test_C_9_re_dealing_what_a_person_cannot_know_changes_no_byte_it_is_sent(rules: Rules) -> None:
    rng, moved = Random(f"people of {rules.name}"), 0
    for number in range(MATCHES):
        seed, hands = rng.randbytes(32), [lumpy_hands(rules, rng) for _ in range(DEALS)]
        seat = number % rules.players
        taps: list[Tap] = [Tap(careless(rng)) for _ in range(rules.players)]
        taps[seat] = tap = PersonTap(careless(rng))
        lines = play(rules, seed, hands, taps, seat)
        worlds, moons = zip(*[world_of(rules, line) for line in lines if isinstance(line, DealLine)], strict=True)
        for deal in range(DEALS):
            place = rng.choice([place for place, message in enumerate(tap.sent) if message.deal == deal])
            moment = tap.sent[place]
            known = [other_world(each, seat, rng) for each in (*worlds[:deal], at(worlds[deal], moment))]
            others: list[Tap] = [Tap(replay(known, moons, other, rng)) for other in range(rules.players)]
            others[seat] = there = PersonTap(again(tap.answers, rng))
            play(rules, seed, [world.hands for world in known], others, seat)
            where = f"seat {seat}, message {place}, in deal {deal} of the match with seed {seed.hex()}"
            assert there.first(place + 1) == tap.first(place + 1), where
            moved += known[-1].hands != worlds[deal].hands
        everything = b"".join(tap.first(len(tap.sent)))
        assert not found(seed, everything)
    assert moved > MATCHES * DEALS / 2, "the worlds differ"


@every_preset
def test_a_person_sees_every_card_of_a_deal_and_nothing_before_all_have_chosen(rules: Rules) -> None:
    rng = Random(f"sights of {rules.name}")
    taps: list[Tap] = [Tap(careless(rng)) for _ in range(rules.players)]
    taps[1] = tap = PersonTap(careless(rng))
    play(rules, bytes(32), [lumpy_hands(rules, rng)], taps, 1)
    kinds = [(RefereeMessage.FromString(each.data).WhichOneof("body"), each.phase, each.plays) for each in tap.sent]
    plays = [plays for kind, phase, plays in kinds if kind == "seen" and phase >= Phase.PLAY and plays]
    assert plays[: len(rules.deck)] == list(range(1, len(rules.deck) + 1))
    for phase in (Phase.PASS, Phase.EXPOSE):
        assert [kind for kind, then, _ in kinds if then is phase] in ([], ["seen"], ["seen", "request"])
