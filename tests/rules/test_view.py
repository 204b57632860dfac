"""Conclusions of a view from the cards that it knows."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from pigpen.rules import Card, Phase, Play, Rules, Suit, mask_of
from pigpen.rules.presets import GONGZHU, HEARTS
from tests.rules.players import any_action, chances, lumpy_deal, presets, some, somewhere
from tests.rules.table import dealt, expose, names, play, small

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
    assert repr(expose(small(GONGZHU, TABLE)).view(1)) == "<View of seat 1, play, hand 6D AH 4S QS>"
