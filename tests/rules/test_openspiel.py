"""
The sheets against OpenSpiel: who plays, what is legal, who takes each trick, and what Western tricks score.

OpenSpiel's moon always gives 26 to the others, as `hearts-short` has it and as the shooter of `hearts` may choose; the
other choice is compared by taking 26 off instead. It passes three cards, so `hearts-short` is compared after passing.

The scores of the Chinese sheets have nothing in common with its own; its points are compared with those of the cards
that each seat took. `chinese-hearts` has OpenSpiel's play but for CH-3, which bars JD from the first trick too: a hand
without clubs that holds JD is compared with JD taken out there, and not at all when nothing else would be left (C-5).
Passing is left out.

`gongzhu`, nothing exposed, is OpenSpiel's game without restrictions once clubs and spades are renamed: its opening is
then 2C. But GZ-2 lets any card open and OpenSpiel only a club, so at the opening the spades are compared, one of them
is led, and everything after it is compared in full.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from examples.openspiel.bot import GAMES, NUMBERS, load_game, state_of
from pigpen.rules import CARDS, Card, Deal, MoonChoice, Phase, Rules, cards_in, mask_of
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, HEARTS, HEARTS_JACK, HEARTS_SHORT
from pigpen.rules.scoring import card_points, shooter_of
from tests.rules.players import any_action
from tests.rules.spiel import options, penalty_points, play_both, points_with, random_deals
from tests.rules.table import mask, named

DEALS = 600
CHINESE = load_game({"must_break_hearts", "no_pts_on_first_trick"})
"""CH-4: the queen does not break hearts, and a hand of hearts and the queen must lead it."""
UNRESTRICTED = load_game({"can_lead_any_club"})
JACK = Card.parse("JD")


def test_openspiel_agrees_about_play_in_chinese_hearts() -> None:
    jacks = 0
    for deal, chance in random_deals(CHINESE_HEARTS, DEALS):
        state = state_of(CHINESE, deal.hands)
        for _ in range(4):
            jacks += first_trick_play(deal, state, chance)
        play_both(deal, state, chance)
        assert penalty_points(state) == list(card_points(HEARTS_SHORT, deal.taken))
    assert jacks >= 20, "too few hands with JD and no club among the deals"


def first_trick_play(deal: Deal, state: Any, chance: Random) -> bool:
    """One card of the first trick at both tables; whether JD was held back."""
    hand = deal.hands[deal.turn]
    assert state.current_player() == deal.turn
    theirs = options(state)
    barred = JACK in theirs
    if barred:
        theirs.remove(JACK)
    pointed = hand & ~mask("hearts QS JD") == 0
    assert list(deal.legal(deal.turn)) == (list(cards_in(hand)) if pointed and barred else theirs)
    both = sorted(set(options(state)) & set(deal.legal(deal.turn)))
    card = chance.choice(both)
    state.apply_action(NUMBERS[card])
    deal.apply(deal.turn, card)
    return barred


def renamed(card: Card) -> Card:
    """Clubs and spades change places."""
    return CARDS[(card + 39) % 78] if card.suit in (0, 3) else card


def test_openspiel_agrees_about_play_in_gongzhu_with_clubs_and_spades_renamed() -> None:
    assert [str(renamed(Card.parse(name))) for name in ("2S", "TC", "QS", "AH", "JD")] == ["2C", "TS", "QC", "AH", "JD"]
    for deal, chance in random_deals(GONGZHU, DEALS):
        for seat in deal.to_act:
            deal.apply(seat, {})
        state = state_of(UNRESTRICTED, [mask_of(map(renamed, cards_in(hand))) for hand in deal.hands])
        opener = deal.turn
        assert state.current_player() == opener
        assert deal.legal_mask(opener) == deal.hands[opener]
        assert same(options(state), cards_in(deal.hands[opener] & mask("spades")))
        lead = chance.choice(cards_in(deal.hands[opener] & mask("spades")))
        state.apply_action(NUMBERS[renamed(lead)])
        deal.apply(opener, lead)
        while deal.phase is Phase.PLAY:
            assert state.current_player() == deal.turn
            assert same(options(state), deal.legal(deal.turn))
            card = any_action(deal, deal.turn, chance)
            assert isinstance(card, Card)
            state.apply_action(NUMBERS[renamed(card)])
            deal.apply(deal.turn, card)
        taken = [mask_of(map(renamed, cards_in(pile))) for pile in deal.taken]
        assert penalty_points(state) == list(card_points(HEARTS_SHORT, taken))


def same(theirs: list[Card], ours: tuple[Card, ...]) -> bool:
    return sorted(map(renamed, theirs)) == list(ours)


SHORT = {"must_break_hearts"}
"""HA-3: nothing barred; HA-4: the queen does not break, and a hand of hearts and the queen must lead it."""
PLAYED = {name: load_game(true) for name, true in [*GAMES.items(), ("hearts-short", SHORT)]}


def test_cards_are_numbered_as_openspiel_numbers_them() -> None:
    state = PLAYED["hearts"].new_initial_state()
    state.apply_action(0)
    spelled = {state.action_to_string(number): number for number in state.legal_actions()}
    assert {str(card): NUMBERS[card] for card in CARDS} == spelled


@pytest.mark.parametrize("rules", [HEARTS_SHORT, HEARTS, HEARTS_JACK], ids=named)
def test_openspiel_agrees_about_play_and_scores(rules: Rules) -> None:
    moons = bare_points = 0
    for deal, chance in random_deals(rules, DEALS):
        bare_points += any(hand & ~mask("hearts QS") == 0 for hand in deal.hands)
        state = state_of(PLAYED[rules.name], deal.hands)
        play_both(deal, state, chance)
        theirs = penalty_points(state)
        assert points_with(deal, MoonChoice.ADD) == theirs
        shooter = shooter_of(rules, deal.taken)
        if shooter is not None:
            moons += 1
            if rules is not HEARTS_SHORT:
                subtracted = [score - (0 if seat == shooter else 26) for seat, score in enumerate(theirs)]
                subtracted[shooter] -= 26
                assert points_with(deal, MoonChoice.SUBTRACT) == subtracted
    assert moons >= 20, "too few moons among the deals"
    assert bare_points >= 20, "too few hands of points alone among the deals"


def test_openspiel_agrees_about_passing_three_cards() -> None:
    game = load_game(GAMES["hearts"] | {"pass_cards"})
    for deal, chance in random_deals(HEARTS, DEALS, numbers=(0, 1, 2)):
        state = state_of(game, deal.hands, HEARTS.pass_offset(deal.number))
        for seat in range(4):
            assert state.current_player() == seat
            assert options(state) == list(deal.legal(seat))
            passed = any_action(deal, seat, chance)
            assert isinstance(passed, tuple)
            deal.apply(seat, passed)
            for card in passed:
                state.apply_action(NUMBERS[card])
        play_both(deal, state, chance)
        assert points_with(deal, MoonChoice.ADD) == penalty_points(state)
