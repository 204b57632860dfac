"""C-9 for a person's browser: the states that it is given hold nothing that the person may not know."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from ladder.people.seat.client import Question
from ladder.people.sessions.person_state_tracker import PersonStateTracker
from ladder.people.sessions.table_info import TableInfo
from pigpen.v1.referee_pb2 import RefereeMessage
from pigpen.values.notices import DealResult
from pigpen.wire.messages import notice_of, seen_of, view_of
from referee.match.formats import Format, person_clock
from referee.match.observer import PeopleShown
from referee.records.lines import DealLine
from tests.referee.match.test_leaks import every_preset
from tests.referee.wires import PersonTap, Tap, played, spec_of
from tests.referee.worlds import again, at, careless, other_world, replay, world_of
from tests.rules.players import lumpy_hands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.person_state import PersonState
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat

MATCHES, DEALS = 2, 2


def play(rules: Rules, seed: bytes, hands: Sequence[Sequence[int]], taps: Sequence[Seat]) -> list[AnyLine]:
    """A match in which seat 0 is a person's."""
    spec = replace(spec_of(rules, Format(DEALS), seed), people={0: person_clock()})
    shown = PeopleShown(spec.bots)
    tap = taps[0]
    assert isinstance(tap, PersonTap)
    shown.seat(0, {0: tap})
    return asyncio.run(played(spec, hands, taps, deals=len(hands), observer=shown))


def bytes_of(rules: Rules, messages: Sequence[bytes]) -> list[bytes]:
    """Give the bytes that a browser is sent of these messages; its person continues at the end of each deal."""
    states: list[PersonState] = []
    tracker = PersonStateTracker(states.append, TableInfo({}), now=lambda: 0.0, clock=lambda: 0.0)
    tracker.connected(is_there=True)
    for data in messages:
        message = RefereeMessage.FromString(data)
        kind = message.WhichOneof("body")
        if kind == "seen":
            tracker.saw(seen_of(message.seen, rules))
        elif kind == "request":
            view = view_of(message.request, rules)
            tracker.asked(Question(view, view.limit))
        elif notice := notice_of(message):
            tracker.notified(notice)
            if isinstance(notice, DealResult):
                tracker.go_on(notice.deal)
    return [state.model_dump_json().encode() for state in states]


@every_preset
def test_C_9_re_dealing_what_a_person_cannot_know_changes_no_byte_of_its_page(rules: Rules) -> None:
    rng, moved = Random(f"pages of {rules.name}"), 0
    for _ in range(MATCHES):
        if moved:
            break
        seed, hands = rng.randbytes(32), [lumpy_hands(rules, rng) for _ in range(DEALS)]
        taps: list[Tap] = [PersonTap(careless(rng)), *(Tap(careless(rng)) for _ in range(rules.players - 1))]
        lines = play(rules, seed, hands, taps)
        worlds, moons = zip(*[world_of(rules, line) for line in lines if isinstance(line, DealLine)], strict=True)
        for deal in range(DEALS):
            place = rng.choice([place for place, message in enumerate(taps[0].sent) if message.deal == deal])
            known = [other_world(each, 0, rng) for each in (*worlds[:deal], at(worlds[deal], taps[0].sent[place]))]
            others: list[Tap] = [PersonTap(again(taps[0].answers, rng))]
            others += [Tap(replay(known, moons, other, rng)) for other in range(1, rules.players)]
            play(rules, seed, [world.hands for world in known], others)
            one, other = (bytes_of(rules, each.first(place + 1)) for each in (taps[0], others[0]))
            assert one == other
            moved += known[-1].hands != worlds[deal].hands
        assert seed.hex().encode() not in b"".join(bytes_of(rules, taps[0].first(len(taps[0].sent))))
    assert moved
