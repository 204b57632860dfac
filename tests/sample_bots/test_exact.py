"""`exact`: where the view leaves one deal only, it plays what the solution says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from benchmarks.duels import load_bot
from pigpen import View, margin, solve
from pigpen.bot import decide
from pigpen.rules import PRESETS, Rules, seed_from
from pigpen.sim.sampling import Unseen
from tests.rules.table import named
from tests.sample_bots.table import play_deal

TRICKS = 4
DEALS = range(250)
KNOWN = {
    "hearts": (108, 117, 140, 143, 161, 194, 200),
    "gongzhu": (143, 182, 217, 238, 241),
    "gongzhu-partners": (36, 110, 117, 143, 238),
}
"""Those of the deals in which a seat comes to know all hands while its choice still matters."""


@pytest.mark.parametrize(
    "numbers", [pytest.param(KNOWN, id="known"), pytest.param({}, id="all", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("rules", [PRESETS[name] for name in KNOWN], ids=named)
def test_plays_a_card_of_the_solution_when_all_hands_are_known(
    rules: Rules, numbers: Mapping[str, Iterable[int]]
) -> None:
    bot, tried = load_bot("exact")(), 0
    players = [load_bot("cautious")() for _ in range(rules.players)]
    for number in numbers.get(rules.name, DEALS):
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
