"""`pigpen.playout`: quick policies, and one's own."""

from __future__ import annotations

from collections import Counter
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from pigpen.rules import PRESETS, Deal, Phase, deal_hands, seed_from
from pigpen.rules.presets import GONGZHU, GONGZHU_PARTNERS, HEARTS
from pigpen.sim.playout import Policy, _careful, playout
from pigpen.sim.sim_random import SimRandom
from tests.rules.players import any_action, chances, lumpy_deal, some, somewhere
from tests.rules.table import dealt, expose, named, play, small, state
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from pigpen.rules import Action, Rules


@pytest.mark.parametrize("policy", Policy)
@some
@given(rng=chances)
def test_a_playout_leaves_the_deal_as_it_is_and_the_same_seed_plays_the_same(policy: Policy, rng: Random) -> None:
    deal = somewhere(lumpy_deal(rng.choice(list(PRESETS.values())), rng), rng)
    before, seed = state(deal), rng.getrandbits(64)
    scores = playout(deal, policy, Random(seed))
    assert state(deal) == before
    assert scores == playout(deal, policy, Random(seed))
    if deal.is_over:
        assert scores == deal.scores()


def test_without_a_source_of_chance_playouts_differ() -> None:
    deal = dealt(GONGZHU, "2S")
    assert len({playout(deal, Policy.RANDOM) for _ in range(50)}) > 5


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_a_policy_of_ones_own_decides_everything(rules: Rules) -> None:
    asked = []

    def policy(deal: Deal, seat: int) -> Action:
        asked.append(deal.phase)
        return deal.default_action(seat)

    deal = Deal(rules, deal_hands(rules, seed_from("7"), 0))
    scores = playout(deal, policy)
    while not deal.is_over:
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
    assert scores == deal.scores()
    assert asked.count(Phase.PLAY) == len(rules.deck)
    assert asked.count(Phase.PASS) == (rules.players if rules.passing else 0)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_careful_players_do_better_than_random_ones_at_their_table(rules: Rules) -> None:
    rng, sign = Random(5), -1 if rules.low_is_better else 1
    margins = []
    for number in range(400):

        def policy(deal: Deal, seat: int, team: int = number % 2) -> Action:
            if deal.phase is Phase.PLAY and seat % 2 == team:
                return _careful(deal, deal.playable, SimRandom.of(rng))
            return any_action(deal, seat, rng)

        scores = playout(Deal(rules, deal_hands(rules, seed_from("careful"), number), number=number), policy)
        careful, others = ([sign * scores[seat] for seat in range(rules.players) if seat % 2 == team]
                           for team in (number % 2, 1 - number % 2))  # fmt: skip
        margins.append(fmean(careful) - fmean(others))
    assert fmean(margins) > 3 * stdev(margins) / len(margins) ** 0.5


def usual(deal: Deal) -> str:
    """Name the card that a careful player plays now, when it is not one of the random cards, as one in eight is."""
    cards = (_careful(deal, deal.playable, SimRandom(seed << 60)) for seed in range(1, 60))
    return str(Counter(cards).most_common(1)[0][0])


LOW = "KC 3D 2S | QS 5C 6C | JD TC 2H | AD AH 7C"
DUCK = "9D 2S 4C | QS 5C 6C | JD TC 2H | AD 8D AH"
MATES = "AD 2S 4C | 3D AH 5C | QS 6C 2H | JD TC 7C"


@pytest.mark.parametrize(
    ("rules", "table", "cards", "card"),
    [
        (GONGZHU, LOW, "", "2S"),
        (GONGZHU, LOW, "3D", "QS"),
        (GONGZHU, DUCK, "9D QS JD", "8D"),
        (GONGZHU, DUCK, "9D 5C JD", "AD"),
        (GONGZHU, MATES, "AD 3D", "QS"),
        (GONGZHU_PARTNERS, MATES, "AD 3D", "2H"),
    ],
)
def test_a_careful_player_leads_low_ducks_sheds_and_takes_what_is_worth_having(
    rules: Rules, table: str, cards: str, card: str
) -> None:
    assert usual(play(expose(small(rules, table, number=0)), cards)) == card


def test_a_shooter_who_is_asked_takes_the_26_off() -> None:
    """Seat 0 has all the clubs and takes every trick."""
    deal = dealt(HEARTS, "clubs", "diamonds")
    assert {playout(deal, policy, Random(1)) for policy in Policy} == {(-26, 0, 0, 0)}


def test_only_legal_cards_are_tried() -> None:
    view = bot_view(small(HEARTS, "2C 3C 4D | AC 4C 5C | 6C 7C QS | 8C 9C AS"), 0)
    assert [str(card) for card in view.legal] == ["2C"]
    for cards in ((), view.hand, view.hand[2:], view.unseen[:1]):
        with pytest.raises(ValueError, match="playouts need a seat that is to play a card"):
            view.playouts(5, Random(1), cards=cards)
    assert [*view.playouts(5, Random(1), cards=view.legal)] == [*view.legal]
