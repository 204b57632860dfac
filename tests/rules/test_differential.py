"""The engine against the naive referee, over all eight presets: turns, legal actions, winners, scores."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from pigpen.rules import PRESETS, Deal
from tests.rules.naive import NaiveDeal
from tests.rules.pairs import action, asked, naive_twin, options
from tests.rules.players import chances, lumpy_deal, lumpy_hands, some
from tests.rules.table import names


@pytest.mark.parametrize("preset", PRESETS)
@some
@given(chance=chances)
def test_the_naive_referee_agrees_about_everything(preset: str, chance: Random) -> None:
    deal = lumpy_deal(PRESETS[preset], chance)
    assert_agreement(deal, naive_twin(deal), chance)


@pytest.mark.parametrize("preset", [name for name in PRESETS if name.startswith("gongzhu")])
@some
@given(chance=chances)
def test_the_naive_referee_agrees_when_another_seat_leads(preset: str, chance: Random) -> None:
    """GZ-2: the opening of later deals."""
    rules = PRESETS[preset]
    leader = chance.randrange(rules.players)
    deal = Deal(rules, lumpy_hands(rules, chance), leader=leader)
    assert_agreement(deal, naive_twin(deal, leader), chance)


def assert_agreement(deal: Deal, naive: NaiveDeal, chance: Random) -> None:
    while not deal.is_over:
        assert asked(deal) == naive.asked()
        moves = naive.options()
        assert options(deal) == moves
        move = chance.choice((moves[0], moves[-1], chance.choice(moves)))
        deal.apply(min(deal.to_act), action(deal, move))
        naive.do(move)
        assert [set(names(hand).split()) for hand in deal.hands] == naive.hands
        assert [set(names(taken).split()) for taken in deal.taken] == naive.captured
    assert naive.asked() is None
    assert list(deal.scores()) == naive.scores()
