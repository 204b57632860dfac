"""`uct` searches open deals as the solver does, passes what is dangerous, and keeps to its clock."""

from __future__ import annotations

from itertools import count

import pytest

from pigpen import Card, View, margin, solve
from pigpen.bot import decide
from pigpen.rules import PRESETS, Deal, Rules, deal_hands, seed_from
from sample_bots.uct.bot import Node, Uct, results_scale
from tests.rules.table import named
from tests.sample_bots.test_deals import TWO_HANDED

ENDING = 3
"""Tricks that are left."""
DEALS = 12
TRIALS = 2_000


def ending(rules: Rules, number: int) -> Deal:
    """Play a deal by the first legal card of each seat until its last tricks; the seat to act has a choice."""
    deal = Deal(rules, deal_hands(rules, seed_from("uct"), number), number=3)
    while deal.hands[deal.turn].bit_count() > ENDING or len(deal.legal(deal.turn)) == 1:
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
    return deal


@pytest.mark.parametrize("rules", [PRESETS["gongzhu-partners"], TWO_HANDED], ids=named)
def test_a_tree_finds_what_the_solver_finds(rules: Rules) -> None:
    """Of two sides: with more, a seat that does not care which card it plays may decide what another one gets."""
    decisive = 0
    for number in range(DEALS):
        deal, root, bot = ending(rules, number), Node(), Uct()
        view = View(*deal.known_to(deal.turn), seed=number)
        for _ in range(TRIALS):
            bot._try_card(view, deal.copy(), root, results_scale(view))
        worth = {card: margin(rules, scores, deal.turn) for card, scores in solve(deal).choices.items()}
        decisive += len(set(worth.values())) > 1
        assert worth[max(root.after, key=lambda node: node.visits).choice] == max(worth.values())
        assert sum(node.visits for node in root.after) == root.visits == TRIALS
    assert decisive > 1


def test_the_queen_of_spades_is_passed_where_she_is_hardly_guarded() -> None:
    deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], bytes(32), 0))
    view = View(*deal.known_to(1), seed=7)
    assert Card.parse("QS") in view.hand
    assert Card.parse("QS") in Uct().pass_cards(view)


@pytest.mark.parametrize("name", ["hearts", "gongzhu-sale"])
def test_no_trial_begins_after_the_time_is_over(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, played = PRESETS[name], 0
    deal = Deal(rules, deal_hands(rules, seed_from("uct"), 0))

    def note(*arguments: object) -> tuple[int, ...]:
        nonlocal played
        played += 1
        return (0,) * rules.players

    monkeypatch.setattr("sample_bots.uct.bot.playout", note)
    monkeypatch.setattr("sample_bots.uct.bot.sealed_trial", lambda *_: [note()[0]])
    ticks = count()
    bot = Uct()
    bot.clock = lambda: next(ticks)
    bot.seconds = lambda view: 2.5  # type: ignore[method-assign]
    while not deal.plays:
        for seat in deal.to_act:
            played = 0
            view = View(*deal.known_to(seat), seed=1)
            if deal.is_forced(seat):
                deal.apply(seat, deal.default_action(seat))
                continue
            deal.apply(seat, decide(bot, view))
            assert played == 3
