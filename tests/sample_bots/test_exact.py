"""`exact`: where the view leaves one deal only, it plays what the solution says."""

from __future__ import annotations

import pytest

from benchmarks.duels import load_bot
from pigpen import View, margin, solve
from pigpen.bot import decide
from pigpen.rules import PRESETS, Rules, seed_from
from pigpen.sim.sampling import Unseen
from tests.rules.table import named
from tests.sample_bots.table import play_deal

TRICKS = 4


@pytest.mark.parametrize("rules", [PRESETS["hearts"], PRESETS["gongzhu"], PRESETS["gongzhu-partners"]], ids=named)
def test_plays_a_card_of_the_solution_when_all_hands_are_known(rules: Rules) -> None:
    bot, tried = load_bot("exact")(), 0
    players = [load_bot("cautious")() for _ in range(rules.players)]
    for number in range(250):
        deal = play_deal(rules, players, seed_from("endings"), number, cards=len(rules.deck) - TRICKS * rules.players)
        while deal.playable:
            view = View(*deal.known_to(deal.turn), seed=number)
            choices = solve(deal).choices
            values = {card: margin(rules, scores, view.seat) for card, scores in choices.items()}
            if len(set(values.values())) > 1 and Unseen(view).ways() == 1:
                tried += 1
                assert values[decide(bot, view)] == max(values.values())  # type: ignore[index]
            deal.play(solve(deal).card)
    assert tried > 3
