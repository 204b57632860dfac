"""Deals in a row: who leads to their first tricks (GZ-2), the sums of scores, the end and the winner."""

from __future__ import annotations

from random import Random

import pytest

from pigpen.rules import PRESETS, Deal, Game, Rules, deal_hands, seed_from
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_FIVE, GONGZHU_SALE, HEARTS, HEARTS_JACK, HEARTS_SHORT
from tests.rules.players import lumpy_hands, walk
from tests.rules.table import choices, dealt, expose, mask, named, small

ALL = list(PRESETS.values())


def game_at(rules: Rules, totals: tuple[int, ...], deals: int = 1) -> Game:
    game = Game(rules)
    game.totals, game.deals = totals, deals
    return game


@pytest.mark.parametrize(
    ("totals", "deals", "over"),
    [
        ((99, 3, 0, 2), 3, False),
        ((100, 4, 0, 0), 1, True),
        ((0, 3, 101, 0), 2, True),
        ((20, 30, 20, 34), 4, True),
        ((0, 0, 0, 0), 4, True),
    ],
)
def test_HA_7_the_short_form_ends_at_100_or_after_four_deals(totals: tuple[int, ...], deals: int, over: bool) -> None:
    assert game_at(HEARTS_SHORT, totals, deals).is_over is over


@pytest.mark.parametrize(
    ("totals", "deals", "over"),
    [((99, 99, 99, 99), 9, False), ((100, 0, 0, 0), 4, True), ((-30, 5, 126, 0), 4, True), ((0, -200, 0, 0), 5, False)],
)
@pytest.mark.parametrize("rules", [HEARTS, HEARTS_JACK], ids=named)
def test_HB_9_hearts_ends_when_a_total_is_at_least_100(
    rules: Rules, totals: tuple[int, ...], deals: int, over: bool
) -> None:
    assert game_at(rules, totals, deals).is_over is over


@pytest.mark.parametrize(
    ("totals", "over"),
    [
        ((-999, -999, 3000, 0), False),
        ((-1000, 0, 0, 0), True),
        ((0, -1200, -1000, 50), True),
        ((1000, 1000, 1000, 1000), False),
    ],
)
@pytest.mark.parametrize("rules", [GONGZHU, GONGZHU_SALE, GONGZHU_FIVE], ids=named)
def test_GZ_13_gongzhu_ends_when_somebody_is_at_minus_1000(rules: Rules, totals: tuple[int, ...], over: bool) -> None:
    padded = totals + (0,) * (rules.players - 4)
    assert game_at(rules, padded).is_over is over


def test_GZ_13_several_may_have_lost_and_the_ranking_is_by_total() -> None:
    game = game_at(GONGZHU, (-1000, 500, -1300, -20))
    assert game.is_over
    assert game.places == (3, 1, 4, 2)


@pytest.mark.parametrize(
    ("totals", "over"),
    [((1000, 0, 0, 0), False), ((1001, 0, 0, 0), True), ((999, 1002, 0, 0), True), ((-1500, 0, 0, 0), False)],
)
def test_CH_9_chinese_hearts_ends_strictly_above_1000(totals: tuple[int, ...], over: bool) -> None:
    game = game_at(CHINESE_HEARTS, totals)
    assert game.is_over is over
    assert game.places[totals.index(min(totals))] == 1


@pytest.mark.parametrize(
    ("rules", "totals", "places"),
    [
        (HEARTS, (10, 20, 30, 40), (1, 2, 3, 4)),
        (HEARTS, (30, 10, 30, 10), (3, 1, 3, 1)),
        (HEARTS, (5, 5, 5, 5), (1, 1, 1, 1)),
        (HEARTS, (7, 3, 7, 7), (2, 1, 2, 2)),
        (GONGZHU, (10, 20, 30, 40), (4, 3, 2, 1)),
        (GONGZHU, (-50, 0, 0, -1000), (3, 1, 1, 4)),
        (GONGZHU_FIVE, (0, -10, 0, 10, -10), (2, 4, 2, 1, 4)),
    ],
)
def test_C_7_equal_totals_share_a_rank(rules: Rules, totals: tuple[int, ...], places: tuple[int, ...]) -> None:
    assert game_at(rules, totals).places == places


@pytest.mark.parametrize("rules", ALL, ids=named)
def test_C_7_the_end_is_tested_after_whole_deals_and_scores_add_up(rules: Rules) -> None:
    game, chance = Game(rules), Random(3)
    sums = [0] * rules.players
    while not game.is_over:
        for deal in walk(game.next_deal(lumpy_hands(rules, chance)), chance):
            if not deal.is_over:
                before = game.totals
                with pytest.raises(ValueError, match="not over"):
                    game.add(deal)
                assert game.totals == before
        assert deal.number == game.deals
        game.add(deal)
        sums = [total + score for total, score in zip(sums, deal.scores(), strict=True)]
        assert game.totals == tuple(sums)
    worst = max(sums) if rules.low_is_better else -min(sums)
    assert worst >= abs(rules.end.limit) or game.deals == (rules.end.deals or rules.end.cap)


@pytest.mark.parametrize("rules", [rules for rules in ALL if rules is not HEARTS_SHORT], ids=named)
def test_C_8_a_game_that_does_not_end_by_score_ends_after_200_deals(rules: Rules) -> None:
    level = (0,) * rules.players
    assert not game_at(rules, level, deals=199).is_over
    assert game_at(rules, level, deals=200).is_over
    assert game_at(rules, level, deals=200).places == (1,) * rules.players


@pytest.mark.parametrize("rules", ALL, ids=named)
def test_a_new_game_is_level_and_not_over(rules: Rules) -> None:
    game = Game(rules)
    assert not game.is_over
    assert game.totals == (0,) * rules.players
    assert game.next_deal(deal_hands(rules, seed_from("7"), 0)).number == 0


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
