"""`pigpen.playout` and `pigpen.solve`: quick policies and one's own, and both engines against a plain search."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from pigpen.rules import PRESETS, Card, Deal, MoonChoice, Phase, Rules, deal_hands, seed_from
from pigpen.rules.presets import GONGZHU, GONGZHU_PARTNERS, HEARTS
from pigpen.sim import native
from pigpen.sim.playout import Policy, _careful, playout
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.solving import Solution, TooLong, solve
from tests.rules.players import any_action, chances, lumpy_deal, some, somewhere
from tests.rules.table import ODD, dealt, expose, named, play, small, state
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from pigpen.rules import Action


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
        with pytest.raises(ValueError, match="a seat that is"):
            view.playouts(5, Random(1), cards=cards)
    assert [*view.playouts(5, Random(1), cards=view.legal)] == [*view.legal]


def ending(rules: Rules, tricks: int, rng: Random) -> Deal:
    """A deal of any shape, *tricks* before its end, or a card or two into the first of them."""
    deal = lumpy_deal(rules, rng)
    left = tricks * rules.players - rng.choice((0, 0, 1, 2))
    while len(deal.plays) < len(rules.deck) - left:
        deal.apply(deal.to_act[0], any_action(deal, deal.to_act[0], rng))
    return deal


def brute_force(deal: Deal) -> tuple[tuple[int, ...], Card | None]:
    """The scores when everybody plays for the largest lead over the mean, and the card to play now."""
    if deal.is_over:
        return deal.scores(), None
    seat, best, found = deal.turn, None, None
    options = deal.legal(seat) if deal.phase is Phase.PLAY else (MoonChoice.SUBTRACT, MoonChoice.ADD)
    for option in options:
        after = deal.copy()
        after.apply(seat, option)
        scores, _ = brute_force(after)
        lead = scores[seat] - sum(scores) / len(scores)
        lead = -lead if deal.rules.low_is_better else lead
        if best is None or lead > best[0] + 1e-9:
            best, found = (lead, scores), option
    assert best
    return best[1], found if isinstance(found, Card) else None


def pure(deal: Deal, limit: int | None = None) -> Solution:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "engine", lambda: None)
        return solve(deal, limit)


@pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
def test_the_solution_is_that_of_brute_force(rules: Rules) -> None:
    rng = Random(21)
    for number in range(4):
        deal = ending(rules, 2 if rules.players > 4 else 3 - number % 2, rng)
        before = state(deal)
        solution = solve(deal)
        assert state(deal) == before
        assert (solution.scores, solution.card) == brute_force(deal)
        assert solution == pure(deal)


@pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
def test_both_engines_find_the_same_after_every_card(rules: Rules) -> None:
    rng = Random(22)
    for _ in range(2):
        deal = ending(rules, 2 if rules.players > 5 else 3, rng)
        assert solve(deal) == pure(deal)


@pytest.mark.parametrize(
    ("rules", "table", "number"),
    [
        (HEARTS, "2C 3H QS | 4H 5S KC | 6C 7H AS | KS 9D TC", 3),
        (GONGZHU, "2S JD 6S | 3S 4S AH | TC 5H AS | 7D QS 8C", 0),
    ],
)
def test_a_deal_from_its_first_trick_is_solved_too(rules: Rules, table: str, number: int) -> None:
    """Bars, broken hearts and the opening card are those of the deal."""
    deal = expose(small(rules, table, number=number), up="QS AH")
    solution = solve(deal)
    assert (solution.scores, solution.card) == brute_force(deal)
    assert solution == pure(deal)


def test_partners_play_for_their_team() -> None:
    """Seat 2 gives the sheep to its partner's trick, and not to that of an opponent."""
    table = "AD 2S 4C | 3D AH 5C | JD QS 2H | 6D TC 7C"
    deal = play(expose(small(GONGZHU_PARTNERS, table, number=0)), "AD 3D")
    assert str(solve(deal).card) == "JD"
    assert solve(deal).scores[0] == solve(deal).scores[2]


def test_the_shooter_takes_what_is_better() -> None:
    """Both are 26 a head for every other; ties go to the −26."""
    deal = dealt(HEARTS, "clubs", "diamonds")
    for _ in range(44):
        deal.apply(deal.turn, deal.default_action(deal.turn))
    assert solve(deal).scores == (-26, 0, 0, 0)


def test_a_limit_ends_a_search_that_takes_too_long() -> None:
    deal = expose(dealt(GONGZHU, "2S"))
    with pytest.raises(TooLong):
        solve(deal, limit=50)
    with pytest.raises(TooLong):
        pure(deal, limit=50)


def test_only_a_card_to_be_played_can_be_solved() -> None:
    with pytest.raises(ValueError, match="is to be played"):
        solve(dealt(GONGZHU, "2S QS"))


def test_endings_solved_in_several_threads_at_once_are_those_of_one_thread() -> None:
    """The engine remembers positions in memory that it uses again, and no two threads may have the same at once."""
    rng = Random(26)
    deal = ending(GONGZHU, 5, rng)
    view = bot_view(deal, deal.turn)
    deals = [view.sample(rng) for _ in range(24)]  # a position is remembered by the cards that are left
    expected = [solve(deal) for deal in deals]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(solve, deals * 8)) == expected * 8
