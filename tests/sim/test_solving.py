"""`solve`: against a search that remembers nothing and leaves nothing out, and both engines against each other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from pigpen.rules import PRESETS, Card, Deal, MoonChoice, Phase, Rules
from pigpen.rules.presets import GONGZHU, GONGZHU_PARTNERS, HEARTS
from pigpen.sim import native
from pigpen.sim.solving import Solution, TooLong, solve
from tests.rules.players import any_action, lumpy_deal
from tests.rules.table import ODD, dealt, expose, named, play, small, state
from tests.sim.views import bot_view


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
    with pytest.raises(ValueError, match="a card is to be played"):
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
