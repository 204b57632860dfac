"""GZ-2: who leads to the first trick of the first and of later deals."""

from __future__ import annotations

from random import Random

import pytest

from pigpen.rules import PRESETS, Deal, Game, Rules, deal_hands, seed_from
from tests.rules.players import lumpy_hands, walk
from tests.rules.table import choices, dealt, expose, mask, named, small

GONGZHU_KIND = [rules for rules in PRESETS.values() if rules.exposing]
HEARTS_KIND = [rules for rules in PRESETS.values() if not rules.exposing]


def finished(deal: Deal) -> Deal:
    *_, last = walk(deal, Random(7))
    return last


@pytest.mark.parametrize("rules", GONGZHU_KIND, ids=named)
@pytest.mark.parametrize("seat", range(4))
def test_GZ_2_the_holder_of_the_two_of_spades_leads_any_card_to_the_first_deal(rules: Rules, seat: int) -> None:
    hand = "3C 4C 2S TD 9H JC QC KC AC" + (" KD" if rules.players == 5 else "")
    deal = expose(dealt(rules, *(hand if place == seat else "" for place in range(4))))
    assert deal.turn == seat
    assert deal.legal(seat) == deal.view(seat).hand
    assert Game(rules).next_deal(deal.dealt).dealt == deal.dealt


@pytest.mark.parametrize("rules", GONGZHU_KIND, ids=named)
def test_GZ_2_who_took_the_pig_leads_any_card_to_the_next_deal(rules: Rules) -> None:
    chance = Random(1)
    game = Game(rules)
    taker, leaders = -1, set()
    for number in range(12):
        hands = lumpy_hands(rules, chance)
        deal = expose(game.next_deal(hands))
        if number:
            leaders.add(taker)
            assert deal.turn == taker
            assert deal.legal_mask(taker) == hands[taker]
        else:
            assert hands[deal.turn] & mask("2S")
        game.add(finished(deal))
        taker = next(seat for seat in range(rules.players) if deal.taken[seat] & mask("QS"))
    assert len(leaders) > 1


@pytest.mark.parametrize("rules", HEARTS_KIND, ids=named)
def test_HA_2_HB_2_CH_2_the_two_of_clubs_opens_later_deals_too(rules: Rules) -> None:
    game = Game(rules)
    for number in range(3):
        deal = finished(game.next_deal(deal_hands(rules, seed_from("7"), number)))
        opener = deal.leaders[0]
        assert str(mask("2C").bit_length() - 1) == str(deal.plays[0])
        assert (deal.dealt[opener] & ~deal.passed[opener] | deal.received[opener]) & mask("2C")
        game.add(deal)


def test_GZ_2_the_two_of_spades_itself_need_not_be_led() -> None:
    deal = expose(small(GONGZHU_KIND[0], "3C 2S TC | QS 4C 5C | AH 6C 7C | JD 8C 9C"))
    assert choices(deal) == "3C TC 2S"
