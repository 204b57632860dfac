"""
The Western sheets against OpenSpiel: who plays, what is legal, who takes each trick, what it scores.

OpenSpiel's moon always gives 26 to the others, as `hearts-short` has it and as the shooter of `hearts` may choose; the
other choice is compared by taking 26 off instead. It passes three cards, so `hearts-short` is compared after passing.
"""

from __future__ import annotations

import pytest

from examples.openspiel.bot import GAMES, NUMBERS, load_game, state_of
from pigpen.rules import CARDS, MoonChoice, Rules
from pigpen.rules.presets import HEARTS, HEARTS_JACK, HEARTS_SHORT
from pigpen.rules.scoring import shooter_of
from tests.rules.players import any_action
from tests.rules.spiel import (
    options,
    penalty_points,
    play_both,
    points_with,
    random_deals,
)
from tests.rules.table import mask, named

DEALS = 600
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
