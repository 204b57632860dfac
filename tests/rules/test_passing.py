from __future__ import annotations

import pytest

from pigpen.rules import PRESETS, Deal, IllegalAction, Phase, Rules, cards_in, deal_hands, seed_from
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU_FIVE, HEARTS, HEARTS_JACK, HEARTS_SHORT
from tests.rules.table import mask, named, small

SEED = seed_from("7")
TO = {"left": 1, "right": -1, "across": 2}


def passing_deal(rules: Rules, number: int) -> Deal:
    return Deal(rules, deal_hands(rules, SEED, number), number=number)


def assert_passes(rules: Rules, deal: int, cards: int, direction: str) -> None:
    """Number *deal*, counted from 1 as the sheets do, passes that many cards that way."""
    state = passing_deal(rules, deal - 1)
    if direction == "none":
        assert state.phase is Phase.PLAY
        assert state.passed == (0, 0, 0, 0)
        return
    assert state.phase is Phase.PASS
    before = list(state.hands)
    for seat in range(4):
        state.apply(seat, state.legal(seat)[-cards:])
    assert [passed.bit_count() for passed in state.passed] == [cards] * 4
    for seat in range(4):
        receiver = (seat + TO[direction]) % 4
        assert state.received[receiver] == state.passed[seat]
        assert state.hands[seat] == before[seat] & ~state.passed[seat] | state.received[seat]
        assert state.view(seat).received_mask == state.received[seat]


@pytest.mark.parametrize(("deal", "direction"), [(1, "left"), (2, "right"), (3, "across"), (4, "none")])
def test_HA_1_two_cards_go_left_right_across_and_none(deal: int, direction: str) -> None:
    assert_passes(HEARTS_SHORT, deal, 2, direction)


CYCLE = ["left", "right", "across", "none", "left", "right", "across", "none", "left"]


@pytest.mark.parametrize(("deal", "direction"), list(enumerate(CYCLE, start=1)))
@pytest.mark.parametrize("rules", [HEARTS, HEARTS_JACK], ids=named)
def test_HB_1_three_cards_go_left_right_across_none_and_left_again(rules: Rules, deal: int, direction: str) -> None:
    assert_passes(rules, deal, 3, direction)


@pytest.mark.parametrize(("deal", "direction"), list(enumerate(CYCLE, start=1)))
def test_CH_1_three_cards_go_left_right_across_none_and_left_again(deal: int, direction: str) -> None:
    assert_passes(CHINESE_HEARTS, deal, 3, direction)


@pytest.mark.parametrize("rules", [rules for rules in PRESETS.values() if rules.exposing], ids=named)
@pytest.mark.parametrize("number", range(4))
def test_GZ_1_no_cards_are_passed(rules: Rules, number: int) -> None:
    assert passing_deal(rules, number).phase is Phase.EXPOSE


def test_C_2_the_left_neighbour_sits_one_seat_higher() -> None:
    deal = passing_deal(HEARTS, 0)
    chosen = [deal.legal(seat)[:3] for seat in range(4)]
    for seat in range(4):
        deal.apply(seat, chosen[seat])
    assert [deal.view(seat).pass_to for seat in range(4)] == [1, 2, 3, 0]
    assert [deal.view(seat).received for seat in (1, 2, 3, 0)] == chosen


@pytest.mark.parametrize("rules", [HEARTS, GONGZHU_FIVE], ids=["four", "five"])
def test_C_2_play_goes_clockwise(rules: Rules) -> None:
    deal = Deal(rules, deal_hands(rules, SEED, 3), number=3)
    for seat in deal.to_act if deal.phase is Phase.EXPOSE else ():
        deal.apply(seat, {})
    first = deal.turn
    for place in range(rules.players):
        assert deal.to_act == ((first + place) % rules.players,)
        deal.apply(deal.turn, deal.default_action(deal.turn))


def test_C_6_every_seat_passes_at_once_and_sees_nothing_of_it_before_all_have() -> None:
    deal = passing_deal(HEARTS, 0)
    before = [deal.view(seat) for seat in range(4)]
    for answered, seat in enumerate((2, 0, 3)):
        deal.apply(seat, deal.legal(seat)[:3])
        assert seat not in deal.to_act
        assert len(deal.to_act) == 3 - answered
        assert deal.view(1) == before[1]
        assert deal.view(seat).hand == before[seat].hand
        assert deal.view(seat).received == ()
    with pytest.raises(IllegalAction, match="not asked"):
        deal.apply(2, deal.view(2).hand[:3])
    deal.apply(1, deal.legal(1)[:3])
    assert deal.view(2).received == before[1].hand[:3]


def test_C_6_received_cards_cannot_be_passed_on() -> None:
    deal = passing_deal(HEARTS, 0)
    deal.apply(0, deal.legal(0)[:3])
    with pytest.raises(IllegalAction, match="not in the hand"):
        deal.apply(1, cards_in(deal.dealt[0])[:3])


def test_HB_2_after_passing_the_new_holder_of_the_two_of_clubs_leads() -> None:
    deal = small(HEARTS, "2C 3C 4C 2D 3D | 5C 6C 7C 4D 5D | 8C 9C TC 6D QS | JC QC KC AC 2H", number=0)
    for seat in range(4):
        deal.apply(seat, deal.legal(seat)[:3])
    assert deal.hands[1] & mask("2C")
    assert deal.turn == 1
