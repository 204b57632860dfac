"""Values of choices by playouts: plain cases come out plainly, and hidden cards do not matter."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from ladder.matches import estimate
from ladder.matches.estimate import (
    BATCHES,
    FULL,
    KEPT,
    MAX_CHOICES,
    QUICK,
    Effort,
    TooManyChoices,
    choices,
    count_choices,
    estimates,
    judged,
    played_out,
)
from pigpen import View, is_accelerated, mask_of
from pigpen.rules import PRESETS, Card, Deal, MoonChoice, Phase, deal_hands, seed_from
from pigpen.search import CardTree
from pigpen.sim.tally import Tally
from referee.records.recorded import Recorded
from referee.records.steps import words_of
from referee.replay.deal_replay import decision_at
from tests.referee.bots import moon_lines
from tests.sim.views import bot_view

FEW = Effort(cards=40, searched=20, sealed=48, first=300)


def to_play(rules: str, plays: int = 0, number: int = 3) -> Deal:
    """A deal without a pass, after some cards."""
    deal = Deal(PRESETS[rules], deal_hands(PRESETS[rules], seed_from("why"), number), number=number)
    while deal.phase is not Phase.PLAY:
        deal.apply(deal.to_act[0], {})
    while len(deal.plays) < plays or deal.is_forced(deal.turn):
        deal.apply(deal.turn, deal.default_action(deal.turn))
    return deal


def pigs_to_take() -> list[View]:
    """Hearts, played at random: the queen of spades lies on the table, and the last to play may take it or duck."""
    rules, rng, found = PRESETS["hearts"], random.Random(1), []
    pig = Card.parse("QS")
    for number in range(3, 400, 4):
        deal = Deal(rules, deal_hands(rules, seed_from("pig"), number), number=number)
        while not deal.is_over:
            view = bot_view(deal, deal.turn)
            if len(view.trick) == 3 and view.led is pig.suit and pig in [play.card for play in view.trick]:
                takes = [view.winning is not None and card > view.winning.card for card in view.legal]
                if any(takes) and not all(takes) and view.legal[0].suit is pig.suit:
                    found.append(view)
            deal.apply(deal.turn, rng.choice(deal.legal(deal.turn)) if deal.phase is Phase.PLAY else MoonChoice.ADD)
    return found


def test_a_plainly_best_choice_comes_out_best() -> None:
    views = pigs_to_take()
    assert len(views) >= 3
    for view in views:
        best, *_, worst = estimates(view, 1)
        assert view.winning
        assert (best.action < view.winning.card, worst.action > view.winning.card) == (True, True)  # type: ignore[operator]
        assert worst.behind > 5 > worst.behind_error


@pytest.mark.parametrize("plays", [0, 17, 40])
def test_hidden_cards_do_not_change_the_estimate(plays: int) -> None:
    deal = to_play("gongzhu", plays)
    view = bot_view(deal, deal.turn)
    other = view.sample(random.Random(5))
    assert other.hands != deal.hands
    assert estimates(bot_view(other, other.turn), 7) == estimates(view, 7)


def test_the_same_question_gives_the_same_answer_and_another_seed_another() -> None:
    deal = to_play("hearts", 9)
    first = estimates(bot_view(deal, deal.turn), 7)
    assert estimates(bot_view(deal, deal.turn), 7) == first
    assert estimates(bot_view(deal, deal.turn), 8) != first


@pytest.mark.parametrize("rules", PRESETS)
def test_every_kind_of_decision_of_every_variant_is_estimated(rules: str) -> None:
    deal = Deal(PRESETS[rules], deal_hands(PRESETS[rules], seed_from("kinds"), 0))
    kinds = set()
    while not deal.is_over:
        seat = deal.to_act[0]
        if not deal.is_forced(seat) and deal.phase not in kinds:
            kinds.add(deal.phase)
            view = bot_view(deal, seat)
            found = estimates(view, 3, FEW)
            assert len(found) == (len(view.legal) if deal.phase is Phase.PLAY else min(KEPT, count_choices(view)))
            for each in found:
                deal.check(seat, each.action)
            assert [each.behind for each in found] == sorted(each.behind for each in found)
            assert (found[0].behind, found[0].behind_error) == (0, 0)
        deal.apply(seat, deal.default_action(seat))
    assert kinds >= {Phase.PLAY, Phase.PASS if PRESETS[rules].passing else Phase.EXPOSE}


def test_cards_are_searched_where_there_is_time_and_all_else_is_played_out(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = to_play("gongzhu", 9)
    card, exposure = bot_view(deal, deal.turn), bot_view(Deal(deal.rules, deal.dealt), deal.turn)
    assert exposure.phase is Phase.EXPOSE
    assert FULL.search(card) == ("tree" if is_accelerated() else "playouts")
    assert (FULL.search(exposure), QUICK.search(card)) == ("playouts", "playouts")
    assert {each.points for each in estimates(card, 1, FEW)} != {
        each.points for each in estimates(card, 1, replace(FEW, searched=0))
    }
    monkeypatch.setattr(estimate, "is_accelerated", lambda: False)
    assert FULL.search(card) == "playouts"


def test_the_batches_of_a_search_are_independent_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a tree of its own: one that has grown would move all later batches in the same direction."""
    trees: list[int] = []

    class Noted(CardTree):
        def scores(
            self, deals: int, cards: Iterable[Card] | None = None, tallies: Sequence[Tally] | None = None
        ) -> dict[Card, tuple[float, ...]]:
            trees.append(id(self))
            kept.append(self)
            return super().scores(deals, cards, tallies)

    kept: list[CardTree] = []
    monkeypatch.setattr(estimate, "CardTree", Noted)
    deal = to_play("hearts", 9)
    estimates(bot_view(deal, deal.turn), 1, FEW)
    assert len({*trees}) == BATCHES


def test_both_moon_choices_are_as_good_and_nothing_is_sampled() -> None:
    match = Recorded.of(moon_lines())
    line = match.deals[2]
    decision = decision_at(match, line, len(line.steps))
    found = estimates(decision.view(), 1)
    assert {each.action: each.points for each in found} == {MoonChoice.SUBTRACT: -26.0, MoonChoice.ADD: 0.0}
    assert {(each.behind, each.error, each.behind_error) for each in found} == {(0.0, 0.0, 0.0)}
    assert played_out(decision.after(MoonChoice.ADD), decision.seat, 1) == line.scores[decision.seat]


def test_what_is_wanted_is_estimated_though_it_does_badly() -> None:
    deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], seed_from("pass"), 0))
    view = bot_view(deal, 0)
    usual = estimates(view, 1, FEW)
    kept = {words_of(each.action)[1] for each in usual}
    left_out = next(words for pass_ in choices(view) if (words := words_of(pass_)[1]) not in kept)
    found = estimates(view, 1, FEW, {left_out})
    assert {words_of(each.action)[1] for each in found} == kept | {left_out}


def test_more_deals_make_the_error_smaller() -> None:
    deal = to_play("gongzhu", 5)
    view = bot_view(deal, deal.turn)
    quick, full = (estimates(view, 2, effort) for effort in (QUICK, FULL))
    assert max(each.behind_error for each in full) < max(each.behind_error for each in quick) / 2


def test_the_differences_are_those_of_the_margins_and_paired() -> None:
    view = bot_view(to_play("hearts"), to_play("hearts").turn)
    cards = view.legal[:2]
    batches = []
    for number in range(BATCHES):  # the second card costs 4 points more, whatever luck there is
        first = [float(number)] * 4
        second = [float(number)] * 4
        second[view.seat] += 4
        batches.append([first, second])
    best, other = judged(view, cards, batches, [Tally(), Tally()])
    assert (best.action, other.action) == cards
    assert (other.points - best.points, other.behind, other.behind_error) == (4.0, 3.0, 0.0)
    assert best.error == pytest.approx(math.sqrt(35 / BATCHES))


def test_too_many_choices_are_refused_before_they_are_listed() -> None:
    sale = PRESETS["gongzhu-sale"]
    assert sale.exposing
    every = {str(card): (str(card),) for card in sale.deck[:10]}
    rules = replace(sale, name="mine", exposing=replace(sale.exposing, cards=every))
    deal = Deal(rules, [mask_of(sale.deck[seat * 13 : seat * 13 + 13]) for seat in range(4)])
    view = View(*deal.known_to(0))
    assert count_choices(view) == 3**10 > MAX_CHOICES
    with pytest.raises(TooManyChoices, match=r"59,049 legal choices, .* 5,000"):
        estimates(view, 1)


def test_without_the_engine_in_c_fewer_deals_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "is_accelerated", lambda: False)
    deal = to_play("hearts", 40)
    view = bot_view(deal, deal.turn)
    assert FULL.deals(view, 2) == FULL.cards // 200
    assert QUICK.deals(view, 13) == 1
