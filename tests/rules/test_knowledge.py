"""C-9: what a seat may know, and nothing else."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pigpen import View
from pigpen.rules import PRESETS, Deal, Face, Phase, Rules, SeatView, deal_hands, mask_of, seed_from
from pigpen.rules.presets import GONGZHU, GONGZHU_SALE, HEARTS
from tests.rules.parallel import parallel, some_world
from tests.rules.players import any_action, chances, lumpy_deal, lumpy_hands, presets, some, somewhere, walk
from tests.rules.table import dealt, expose, named, names, play, small


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
@some
@given(chance=chances)
def test_C_9_a_view_is_the_same_whatever_the_others_hold(rules: Rules, chance: Random) -> None:
    seat = chance.randrange(rules.players)
    world = some_world(rules, chance)
    other = parallel(world, seat, chance)
    assume(world != other)
    assert world.deal().view(seat) == other.deal().view(seat)


@some
@given(chance=chances)
def test_C_9_GS_2_a_view_is_the_same_whichever_cards_lie_face_down(chance: Random) -> None:
    """Seat 1 holds all four and puts the same number of them face down in both worlds."""
    hands = dealt(GONGZHU_SALE, "", "AH QS JD TC").dealt
    views = []
    count = chance.randrange(1, 4)
    for _ in range(2):
        deal = Deal(GONGZHU_SALE, hands)
        chosen = chance.sample(deal.legal(1), count)
        deal.apply(1, dict.fromkeys(chosen, Face.DOWN))
        views.append([deal.view(seat) for seat in (0, 2, 3)])
        assert deal.view(0).hidden == (0, count, 0, 0)
    assert views[0] == views[1]


@some
@given(rules=presets, chance=chances)
def test_C_6_C_9_no_view_changes_with_a_sealed_answer_of_another_seat(rules: Rules, chance: Random) -> None:
    deal = lumpy_deal(rules, chance)
    while deal.phase in (Phase.PASS, Phase.EXPOSE):
        phase, views = deal.phase, [deal.view(seat) for seat in range(rules.players)]
        seat = chance.choice(deal.to_act)
        deal.apply(seat, any_action(deal, seat, chance))
        if deal.phase is phase and deal.to_act:
            for other in set(range(rules.players)) - {seat}:
                assert deal.view(other) == views[other]


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
def test_C_9_a_view_holds_exactly_what_the_sheet_allows(rules: Rules) -> None:
    chance = Random(5)
    for deal in walk(lumpy_deal(rules, chance), chance):
        for seat in range(rules.players):
            view = deal.view(seat)
            assert view.hand_mask == deal.hands[seat]
            assert (view.passed_mask, view.received_mask) == (deal.passed[seat], deal.received[seat])
            assert view.plays == bytes(deal.plays)
            assert view.leaders == bytes(deal.leaders)
            assert view.phase is deal.phase
            assert view.legal_mask == (deal.legal_mask(seat) if seat in deal.to_act else 0)
            assert [view.taken_mask(other) for other in range(rules.players)] == deal.taken


def test_C_9_a_view_has_no_other_contents() -> None:
    """`known` and the rules are all that it holds, so the tests that compare views compare everything."""
    view = Deal(HEARTS, deal_hands(HEARTS, seed_from("7"), 0)).view(2)
    assert len(SeatView.__slots__) == len(view.known()) + 1
    assert {getattr(view, name) for name in SeatView.__slots__ if name != "rules"} == set(view.known())
    assert not hasattr(view, "__dict__")
    referees = {"totals", "decision", "seed", "limit", "bank", "asked_at"}  # the last one by the bot's own clock
    assert set(View.__slots__) == referees | {"_rng", "_possible"}, (
        "the last two are made from the rest, when asked for"
    )
    assert {field.name for field in dataclasses.fields(HEARTS)}.isdisjoint({"seed", "hands"})


@some
@given(rules=presets, chance=chances)
def test_C_9_a_view_is_a_picture_that_later_play_does_not_change(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    seat = chance.randrange(rules.players)
    view = deal.view(seat)
    before = view.known()
    for _ in walk(deal, chance):
        pass
    assert view.known() == before


@some
@given(rules=presets, chance=chances, seat=st.integers(0, 3))
def test_GZ_14_the_captured_cards_of_every_seat_are_public(rules: Rules, chance: Random, seat: int) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    view = deal.view(seat)
    for other in range(rules.players):
        assert view.taken_mask(other) == deal.taken[other]
        assert mask_of(view.taken(other)) == deal.taken[other]


def test_GZ_14_the_taker_of_the_pig_is_seen_by_all() -> None:
    deal = play(expose(small(GONGZHU, "2S TC 3D | 3S JD AH | QS 4D 5D | 4S 6D 7D")), "2S 3S QS 4S")
    for view in map(deal.view, range(4)):
        assert view.winner(0) == 2
        assert names(view.taken(2)) == "2S 3S 4S QS"


@some
@given(chance=chances)
def test_C_9_equal_knowledge_is_equal_and_any_difference_is_not(chance: Random) -> None:
    deal = Deal(HEARTS, lumpy_hands(HEARTS, chance), number=0)
    assert deal.view(0) == deal.copy().view(0)
    assert deal.view(0) != deal.view(1)
    assert deal.view(0) != deal.known_to(0)
