"""Invariants of every deal of every variant, wherever play takes it."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from math import comb
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from pigpen.rules import (
    CARDS,
    PRESETS,
    Deal,
    Face,
    IllegalAction,
    MoonChoice,
    Phase,
    Rules,
    cards_in,
    deal_hands,
    mask_of,
)
from tests.rules.naive import RANKS
from tests.rules.players import chances, lumpy_deal, lumpy_hands, many, presets, some, somewhere, walk
from tests.rules.table import mask, named, state

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pigpen.rules import Action

HEARTS_SUMS = {"hearts-short": {26, 78}, "hearts": {26, -26, 78}, "hearts-jack": {16, -36, 68}}


@some
@given(rules=presets, chance=chances)
def test_C_3_cards_are_never_lost(rules: Rules, chance: Random) -> None:
    """Hands, trick and piles always add up to the deck, disjoint."""
    for deal in walk(lumpy_deal(rules, chance), chance):
        table = deal.plays[len(deal.plays) // rules.players * rules.players :]
        parts = [*deal.hands, *deal.taken, mask_of(table)]
        assert sum(part.bit_count() for part in parts) == len(rules.deck)
        assert list(accumulate(parts, int.__or__))[-1] == rules.plan.deck_mask


@some
@given(rules=presets, chance=chances)
def test_C_5_there_is_a_legal_choice_until_the_deal_is_over(rules: Rules, chance: Random) -> None:
    for deal in walk(lumpy_deal(rules, chance), chance):
        assert deal.is_over == (not deal.to_act)
        for seat in deal.to_act:
            assert deal.phase is Phase.MOON or deal.legal_mask(seat)
            assert deal.legal_mask(seat) & ~deal.hands[seat] == 0


@some
@given(rules=presets, chance=chances)
def test_a_seat_is_forced_where_exactly_one_action_is_legal(rules: Rules, chance: Random) -> None:
    for deal in walk(lumpy_deal(rules, chance), chance):
        for seat in range(rules.players):
            assert deal.is_forced(seat) == (seat in deal.to_act and count_of_legal_actions(deal, seat) == 1)


def count_of_legal_actions(deal: Deal, seat: int) -> int:
    """As `Deal.check` sees it; two stands for two or more ways to expose."""
    if deal.phase is Phase.PASS:
        return comb(deal.hands[seat].bit_count(), deal.rules.plan.pass_count)
    tried: dict[Phase, Iterable[Action]] = {
        Phase.EXPOSE: [{}, {deal.legal(seat)[0]: Face.UP}] if deal.phase is Phase.EXPOSE else [],
        Phase.PLAY: CARDS,
        Phase.MOON: MoonChoice,
    }
    return sum(is_legal(deal, seat, action) for action in tried[deal.phase])


def is_legal(deal: Deal, seat: int, action: Action) -> bool:
    try:
        deal.check(seat, action)
    except IllegalAction:
        return False
    return True


def test_a_pass_of_the_whole_hand_is_forced() -> None:
    hearts = PRESETS["hearts"]
    assert hearts.passing
    for cards in (12, 13):
        rules = replace(hearts, name="swap", passing=replace(hearts.passing, cards=cards))
        deal = Deal(rules, deal_hands(rules, bytes(32), 0))
        assert [deal.is_forced(seat) for seat in deal.to_act] == [cards == 13] * 4
    deal.apply(1, deal.default_action(1))
    assert not deal.is_forced(1), "it has answered"


@some
@given(rules=presets, chance=chances)
def test_the_default_action_is_legal_and_first_in_canonical_order(rules: Rules, chance: Random) -> None:
    for deal in walk(lumpy_deal(rules, chance), chance):
        for seat in deal.to_act:
            default = deal.default_action(seat)
            deal.check(seat, default)
            assert (
                default
                == {
                    Phase.PASS: deal.legal(seat)[: deal.view(seat).pass_count],
                    Phase.EXPOSE: {},
                    Phase.PLAY: min(deal.legal(seat), default=None),
                    Phase.MOON: MoonChoice.SUBTRACT,
                }[deal.phase]
            )


@some
@given(rules=presets, chance=chances)
def test_a_deal_of_defaults_comes_to_an_end(rules: Rules, chance: Random) -> None:
    deal = lumpy_deal(rules, chance)
    while not deal.is_over:
        deal.apply(deal.to_act[0], deal.default_action(deal.to_act[0]))
    assert len(deal.plays) == len(rules.deck)


@many
@given(rules=presets, chance=chances)
def test_C_4_the_winner_of_every_trick_played_the_highest_card_of_the_suit_led(rules: Rules, chance: Random) -> None:
    *_, deal = walk(lumpy_deal(rules, chance), chance)
    for trick in deal.view(0).tricks:
        followers = [play for play in trick if str(play.card)[1] == str(trick[0].card)[1]]
        best = max(followers, key=lambda play: RANKS.index(str(play.card)[0]))
        assert all(deal.taken[best.seat] & play.card.mask for play in trick)


@many
@given(rules=presets, chance=chances)
def test_a_copy_is_independent(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    twin, before = deal.copy(), state(deal)
    assert state(twin) == before
    for _ in walk(twin, chance):
        pass
    assert state(deal) == before
    twin = deal.copy()
    for _ in walk(deal, chance):
        pass
    assert state(twin) == before


@pytest.mark.parametrize("preset", HEARTS_SUMS)
@some
@given(chance=chances)
def test_HA_5_HB_7_HB_8_hearts_scores_add_up_to_the_points_in_the_deck(preset: str, chance: Random) -> None:
    *_, deal = walk(lumpy_deal(PRESETS[preset], chance), chance)
    assert sum(deal.scores()) in HEARTS_SUMS[preset]


@pytest.mark.parametrize("preset", ["gongzhu", "gongzhu-five"])
@many
@given(chance=chances)
def test_GZ_6_GZ_7_unexposed_scores_add_up_once_the_ten_of_clubs_is_taken_out(preset: str, chance: Random) -> None:
    deal = Deal(PRESETS[preset], lumpy_hands(PRESETS[preset], chance))
    for seat in deal.to_act:
        deal.apply(seat, {})
    *_, deal = walk(deal, chance)
    doubled = next(seat for seat, taken in enumerate(deal.taken) if taken & mask("TC"))
    scores = list(deal.scores())
    scores[doubled] = scores[doubled] // 2 if deal.taken[doubled] & mask("hearts QS JD") else 0
    moon = next((taken for taken in deal.taken if taken & mask("hearts") == mask("hearts")), None)
    pig = -100 if moon is None or not moon & mask("QS") else 100
    assert sum(scores) == 100 + pig + (-200 if moon is None else 200)


@many
@given(chance=chances)
def test_CH_5_CH_6_chinese_scores_add_up_once_the_ten_of_clubs_is_taken_out(chance: Random) -> None:
    *_, deal = walk(lumpy_deal(PRESETS["chinese-hearts"], chance), chance)
    scores = list(deal.scores())
    doubled = next(seat for seat, taken in enumerate(deal.taken) if taken & mask("TC"))
    shooter = next((seat for seat, taken in enumerate(deal.taken) if taken & mask("hearts") == mask("hearts")), None)
    if shooter is not None:
        flat = 400 if doubled == shooter else 200
        scores = [score - (seat != shooter) * flat for seat, score in enumerate(scores)]
    scores[doubled] //= 2
    pig = 100 if shooter is None or not deal.taken[shooter] & mask("QS") else -100
    assert sum(scores) == pig - 100 + (194 if shooter is None else 0)


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
def test_C_3_hands_that_are_not_the_deck_dealt_evenly_are_refused(rules: Rules) -> None:
    hands = lumpy_hands(rules, Random(1))
    card = cards_in(hands[0])[0].mask
    for wrong in (
        hands[:-1],
        [*hands, 0],
        [hands[0] ^ card, hands[1] | card, *hands[2:]],
        [hands[1], hands[1], *hands[2:]],
    ):
        with pytest.raises(ValueError, match=f"not the deck of {rules.name} dealt evenly"):
            Deal(rules, wrong)
