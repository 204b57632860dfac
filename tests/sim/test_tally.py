"""Counts over finished deals: both engines count the same, the parts add up, and counting changes nothing."""

from __future__ import annotations

from array import array
from random import Random
from typing import TYPE_CHECKING

import pytest

from pigpen import is_accelerated, margin
from pigpen.rules import PRESETS, Phase, cards_in
from pigpen.rules.scoring import card_weights
from pigpen.search import CardTree
from pigpen.sim.playout import Policy, counted_playout, playouts
from pigpen.sim.possible_deals import PossibleDeals
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.tally import Tally
from tests.rules.players import somewhere
from tests.rules.table import ODD, named
from tests.sim.test_card_tree import begun, places
from tests.sim.test_native import pure
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from pigpen.rules import Deal, Rules

ALL = pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
accelerated = pytest.mark.skipif(not is_accelerated(), reason="both engines are compared")


def counted(deal: Deal, seed: int, seat: int) -> tuple[tuple[int, ...], Tally]:
    tally = Tally()
    return counted_playout(deal, Policy(seed % 2), SimRandom(seed), seat, tally), tally


def total_of(deal: Deal) -> int:
    """Points of all cards by themselves, summed over the scores of all seats."""
    rules = deal.rules
    weights = card_weights(rules, {shown.card: shown.face for shown in deal.exposures})
    counted = [rules.plan.points[card] * weights[card] for card in cards_in(rules.plan.scoring)]
    return sum(counted) * (2 if rules.partners else 1)


@ALL
def test_the_parts_add_up_to_the_margin(rules: Rules) -> None:
    rng = Random(31)
    moons = 0
    for number in range(60):
        deal = somewhere(begun(rules, rng), rng)
        seat = number % rules.players
        scores, tally = counted(deal, number, seat)
        cards = rules.players * sum(tally.points) - total_of(deal)
        cards = -cards if rules.low_is_better else cards
        assert cards + tally.doubled + tally.own_moon + tally.other_moon == margin(rules, scores, seat)
        assert tally.deals == 1
        moons += tally.own_moons + tally.other_moons
        assert bool(tally.own_moon or tally.other_moon) <= bool(tally.own_moons or tally.other_moons)
    assert moons or not rules.moon


@accelerated
@ALL
def test_both_engines_count_the_same(rules: Rules) -> None:
    rng = Random(32)
    for number in range(30):
        deal = somewhere(begun(rules, rng), rng)
        seat = number % rules.players
        assert counted(deal, number, seat) == pure(lambda: counted(deal, number, seat))  # noqa: B023
    for deal in places(rules, 5, seed=33):
        possible = PossibleDeals(bot_view(deal, deal.turn))
        deals = 20 if possible.all_fit else 1  # deals that fit are found by trying: 8 s for one of them

        def tried() -> tuple[object, list[Tally]]:
            options = possible.view.legal_mask  # noqa: B023
            tallies = [Tally() for _ in range(options.bit_count())]
            return playouts(possible, options, deals, Policy.CAREFUL, SimRandom(5), tallies), tallies  # noqa: B023

        assert tried() == pure(tried)


@accelerated
@ALL
def test_a_tree_that_counts_finds_the_same_scores_and_its_parts_add_up_to_them(rules: Rules) -> None:
    for deal in places(rules, 8, seed=34):
        view = bot_view(deal, deal.turn)
        tallies = [Tally() for _ in view.legal]
        counting, other = CardTree(view, Random(7)), CardTree(view, Random(7))
        scores = counting.scores(60, tallies=tallies)
        assert [scores, counting.scores(20)] == [other.scores(60), other.scores(20)]
        totals = []
        for tally, card in zip(tallies, view.legal, strict=True):
            assert tally.deals == 60
            assert 0 <= tally.tricks <= 60
            cards = rules.players * sum(tally.points) * (-1 if rules.low_is_better else 1)
            parts = cards + tally.doubled + tally.own_moon + tally.other_moon
            totals.append(parts - 60 * margin(rules, scores[card], view.seat))
        assert totals == pytest.approx([totals[0]] * len(totals), abs=1e-6)


@accelerated
def test_the_card_that_wins_the_trick_is_counted_as_winning_it() -> None:
    """The last to play to a trick takes it with each card above the best so far, and with no other."""
    seen = set()
    for deal in places(PRESETS["hearts"], 200, seed=35):
        on_table = len(deal.plays) % 4
        if on_table != 3:
            continue
        view = bot_view(deal, deal.turn)
        tallies = [Tally() for _ in view.legal]
        CardTree(view, Random(8)).scores(10, tallies=tallies)
        for tally, card in zip(tallies, view.legal, strict=True):
            assert view.led is not None
            assert view.winning is not None
            wins = card.suit is view.led and card > view.winning.card
            assert tally.tricks == (10 if wins else 0)
            seen.add(wins)
    assert seen == {True, False}


@accelerated
def test_a_tree_refuses_tallies_that_do_not_fit_its_cards() -> None:
    (deal,) = places(PRESETS["hearts"], 1)
    assert deal.phase is Phase.PLAY
    with pytest.raises(ValueError, match="tallies"):
        CardTree(bot_view(deal, deal.turn), Random(1)).scores(10, tallies=[Tally()] * 20)


@accelerated
def test_a_tally_that_is_not_whole_is_refused() -> None:
    """The engine writes all its numbers."""
    (deal,) = places(PRESETS["hearts"], 1)
    view = bot_view(deal, deal.turn)
    tallies = [Tally(array("q")) for _ in view.legal]
    with pytest.raises(ValueError, match="a tally has 111 numbers"):
        view.playouts(10, Random(1), tallies=tallies)
    with pytest.raises(ValueError, match="a tally has 111 numbers"):
        CardTree(view, Random(1)).scores(10, tallies=tallies)
