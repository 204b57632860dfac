"""C-9: what a seat may know, and nothing else; conclusions of a view from the cards that it knows."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pigpen import View
from pigpen.rules import PRESETS, Card, Deal, Face, Phase, Play, Rules, SeatView, Suit, deal_hands, mask_of, seed_from
from pigpen.rules.presets import GONGZHU, GONGZHU_SALE, HEARTS
from tests.rules.perft import parallel, some_world
from tests.rules.players import any_action, chances, lumpy_deal, lumpy_hands, presets, some, somewhere, walk
from tests.rules.table import dealt, expose, named, names, play, small

TABLE = "2S 3S 2D 3D | QS 4S AH 6D | 5S 6S TC 7D | 7S 8S JD 8D"


def test_the_trick_on_the_table_is_seen_card_by_card() -> None:
    deal = expose(small(GONGZHU, TABLE))
    view = deal.view(0)
    assert (view.trick, view.led, view.winning, view.is_last) == ((), None, None, False)
    view = play(deal, "2S QS 6S").view(3)
    assert view.trick == (Play(0, Card.parse("2S")), Play(1, Card.parse("QS")), Play(2, Card.parse("6S")))
    assert (view.led, view.winning, view.is_last) == (Suit.SPADES, Play(1, Card.parse("QS")), True)
    view = play(deal, "7S").view(2)
    assert (view.trick, view.led, view.winning, view.is_last) == ((), None, None, False)
    assert view.tricks[0][3] == Play(3, Card.parse("7S"))
    assert view.winner(0) == 1


def test_a_discard_never_wins() -> None:
    deal = play(expose(small(GONGZHU, TABLE.replace("5S 6S TC", "5C AS TC"))), "2S QS AS")
    assert deal.view(3).winning == Play(2, Card.parse("AS"))
    deal = play(expose(small(GONGZHU, TABLE.replace("5S 6S TC", "5C AC TC"))), "2S 4S AC")
    assert deal.view(3).winning == Play(1, Card.parse("4S"))
    assert deal.view(0).voids(2) == {Suit.SPADES}
    assert deal.view(0).voids(1) == set()


@pytest.mark.parametrize(("number", "receiver"), [(0, 1), (1, 3), (2, 2)])
def test_a_seat_knows_where_the_cards_it_passed_are(number: int, receiver: int) -> None:
    deal = dealt(HEARTS, "2C AH KH", "3C", "4C", "5C", number=number)
    for seat in range(4):
        deal.apply(seat, deal.legal(seat)[:3])
    view = deal.view(0)
    assert view.pass_to == receiver
    assert view.held_by(receiver) == view.passed_mask
    assert [view.held_by(seat) for seat in (1, 2, 3) if seat != receiver] == [0, 0]


def test_exposed_cards_are_known_to_be_held_until_they_are_played() -> None:
    deal = expose(small(GONGZHU, TABLE.replace("4S AH 6D", "5D AH 6D").replace("2D 3D", "2D 4S")), "QS AH")
    assert names(deal.view(0).held_by(1)) == "AH QS"
    assert names(play(deal, "2S QS").view(0).held_by(1)) == "AH"


@some
@given(rules=presets, chance=chances)
def test_unseen_cards_are_those_of_the_others(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    for seat in range(rules.players):
        view = deal.view(seat)
        others = sum(hand for other, hand in enumerate(deal.hands) if other != seat)
        assert view.unseen_mask == others
        assert mask_of(view.unseen) == others
        for other in set(range(rules.players)) - {seat}:
            assert view.held_by(other) & ~deal.hands[other] == 0


@some
@given(rules=presets, chance=chances)
def test_a_shown_void_is_a_true_void(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    for seat in range(rules.players):
        assert all(deal.hands[seat] & suit.mask == 0 for suit in deal.view(0).voids(seat))


@some
@given(rules=presets, chance=chances)
def test_legal_and_hand_are_spelled_both_ways(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    for seat in range(rules.players):
        view = deal.view(seat)
        assert mask_of(view.legal) == view.legal_mask
        assert mask_of(view.hand) == view.hand_mask
        assert view.legal == deal.legal(seat)
        if deal.phase is Phase.PLAY and seat in deal.to_act:
            assert any_action(deal, seat, chance) in view.legal


def test_the_winner_of_the_last_trick_is_seen_too() -> None:
    deal = small(GONGZHU, "2S QS | AS JD | 3S TC | 4S AH")
    play(expose(deal), "2S AS 3S 4S JD TC AH QS")
    assert deal.is_over
    assert [deal.view(3).winner(trick) for trick in (0, 1)] == [1, 1]
    assert names(deal.view(0).taken_mask(1)) == "TC JD AH 2S 3S 4S QS AS"
    assert deal.view(0).unseen_mask == 0


def test_a_view_says_briefly_what_it_is() -> None:
    seen = repr(expose(small(GONGZHU, TABLE)).view(1))
    assert all(part in seen for part in ("seat 1", "play", "6D AH 4S QS"))


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
    referees = {"totals", "decision", "seed", "limit", "bank", "last_took", "last_cpu"}
    own = {"asked_at", "charge_rate", "cpu_rate"}  # by the bot's own clock, and what it was charged
    assert set(View.__slots__) == referees | own | {"_rng", "_possible"}, (
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
