"""Habits: deals of a look fit what the seat knows, the true one explains the plays, a planted habit is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.habits import (
    LENGTHS,
    ROLES,
    TELLING,
    Look,
    bits,
    choices_of,
    first_looks,
    hand_places,
    learn_hands,
    looks,
    lost,
    play,
    some_hands,
    telling_cards,
)
from benchmarks.learning import IN_USE, read
from pigpen import View
from pigpen.rules import CARDS, PRESETS, Card, Deal, deal_hands, seed_from
from pigpen.sim import native

accelerated = pytest.mark.skipif(native.engine() is None, reason="the engine in C computes what the policy looks at")
WEIGHTS = ROLES * 4 * LENGTHS << TELLING


@accelerated
@pytest.mark.parametrize("name", ["hearts", "chinese-hearts", "gongzhu", "gongzhu-five"])
def test_with_the_true_hands_the_choices_are_those_that_were_made(name: str) -> None:
    played = play(PRESETS[name], "cautious", seed_from("few"), 1, 0.0)
    now, chosen_by = played.first.copy(), list[int]()
    for card in played.deal.plays:
        made = [each for seat, each in zip(chosen_by, played.decisions, strict=False) if seat != now.turn]
        assert choices_of(played.first, played.first.hands, now) == made
        if not now.is_forced(now.turn):
            chosen_by.append(now.turn)
        now.play(CARDS[card])
    assert len(chosen_by) == len(played.decisions) > 20


@accelerated
@pytest.mark.parametrize("name", ["hearts", "gongzhu", "gongzhu-five"])
def test_each_deal_of_a_look_explains_all_plays(name: str) -> None:
    """A card that was not legal in a deal would have no place among what the policy looks at."""
    played = play(PRESETS[name], "cautious", seed_from("few"), 2, 0.0)
    found = [*looks(played, (0, 2, 5), 20, late=(7,))]
    assert [look.trick for look in found] == [0, 2, 5, 7]
    for look in found:
        assert len(look.choices) == len(look.hands) == 21
        assert all(0 <= chosen < len(cards) for each in look.choices for cards, chosen in each)
        assert bool(look.choices[0]) == (look.trick > 0)
        assert np.isfinite(look.by_plays(read(IN_USE))).all()
        assert look.worth is None or (look.trick == 7 and len(look.worth) == 21 and np.ptp(look.worth[0]) > 0)


@accelerated
def test_from_the_first_tricks_on_no_deal_is_solved() -> None:
    played = play(PRESETS["hearts"], "cautious", seed_from("few"), 3, 0.0)
    assert [look.worth for look in first_looks(played, 5)] == [None] * 4
    assert {look.worth is None for look in looks(played, (0, 8), 5)} == {True}


@pytest.mark.parametrize("name", ["hearts", "gongzhu"])
def test_drawn_hands_are_all_cards_and_hold_what_was_passed(name: str) -> None:
    rules = PRESETS[name]
    deal = Deal(rules, deal_hands(rules, bytes(32), 0), number=0)
    while len(deal.plays) < 9:
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
    view = View(*deal.known_to(deal.turn))
    drawn = some_hands(view, deal, 10)
    assert len({*map(tuple, drawn)}) > 1
    for hands in drawn:
        assert hands[view.seat] == view.hand_mask
        assert sum(hands) == sum(deal.hands)
        assert [*map(int.bit_count, hands)] == [*map(int.bit_count, deal.hands)]
        assert all(hands[seat] & view.held_by(seat) == view.held_by(seat) for seat in range(4))


def test_the_telling_cards_are_those_that_may_be_exposed_and_count_most() -> None:
    assert {*telling_cards(PRESETS["hearts"])[3]} == {*map(Card.parse, ("QS", "KS", "AS"))}
    exposable = PRESETS["gongzhu"].plan.exposable
    for cards in telling_cards(PRESETS["gongzhu"]):
        assert sum(exposable >> card & 1 for card in cards) == 1


def test_the_weights_of_hands_tell_who_passed_to_whom() -> None:
    rules = PRESETS["hearts"]
    places = []
    for number in range(4):
        deal = Deal(replace(rules, passing=None), deal_hands(rules, bytes(32), 0), number=number)
        view = replace(View(*deal.known_to(0)), rules=rules)
        places.append(hand_places(view, deal.hands, telling_cards(rules)))
    assert [len({*each}) for each in places] == [12] * 4
    roles = [[number // (4 * LENGTHS << TELLING) for number in each[::4]] for each in places]
    assert roles == [[1, 3, 2], [2, 3, 1], [3, 1, 3], [0, 0, 0]]


def test_a_planted_habit_is_learned() -> None:
    """The true hand has the place 7 in nine cases of ten; each other hand has it in one of ten."""
    rng = np.random.default_rng(0)

    def planted() -> Look:
        has = rng.random(21) < 0.1
        has[0] = rng.random() < 0.9
        return Look(0, np.where(has, 7, 9)[:, None], [])

    logs = learn_hands([planted() for _ in range(1000)])
    assert logs[7] - logs[9] == pytest.approx(np.log(81), abs=1.0)
    assert (np.delete(logs, [7, 9]) == 0).all()
    assert len(logs) == WEIGHTS
    assert np.mean([bits(planted().by_hands(logs)) for _ in range(300)]) > 1.5


def test_bits_are_the_share_of_the_true_deal_over_chance() -> None:
    assert bits(np.zeros(8)) == 0
    assert bits(np.log([3.0, 1.0, 1.0, 1.0])) == pytest.approx(1.0)
    assert bits(np.array([-800.0, -800.0])) == 0


def test_the_choice_by_the_other_deals_is_judged_by_the_true_one() -> None:
    worth = np.array([[0.0, 5.0], [2.0, 0.0], [0.0, 1.0]])
    assert lost(worth, np.zeros(3)) == 5
    assert lost(worth, np.log([9.0, 1.0, 3.0])) == 0
