"""Reasons that a choice is behind: parts that add up, exact counts, and the share that is right in known endings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from benchmarks.reasons import Sums, deals_of, verdicts
from ladder.matches.estimate import Effort, estimates
from ladder.matches.reasons import MAX_REASONS, Part, leading, parts_of, reasons_of
from pigpen import is_accelerated, margin
from pigpen.rules import PRESETS, Card, Deal, MoonChoice, Phase, Suit, cards_in, deal_hands
from pigpen.sim.playout import Policy, card_by
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.tally import Tally
from tests.rules.table import ODD, named
from tests.sim.test_card_tree import endings, places
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.rules import Rules

accelerated = pytest.mark.skipif(not is_accelerated(), reason="estimates of few deals are not precise enough")
TRIED = Effort(cards=1500, searched=0, sealed=100, first=600)
SEARCHED = Effort(cards=0, searched=200, sealed=100, first=600)


@accelerated
@pytest.mark.parametrize("effort", [TRIED, SEARCHED], ids=["playouts", "tree"])
@pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
def test_the_parts_add_up_to_what_a_choice_is_behind(rules: Rules, effort: Effort) -> None:
    given = 0
    for deal in places(rules, 6, seed=41):
        view = bot_view(deal, deal.turn)
        best, *others = estimates(view, 5, effort)
        assert reasons_of(view, best, best) == ()
        for other in others:
            parts = parts_of(rules, best.tally, other.tally)
            if not view.rules.exposing or not view.rules.exposing.face_down:  # else the cards that lie face down differ
                assert sum(parts.values()) == pytest.approx(other.behind, abs=1e-6)
            found = reasons_of(view, best, other)
            given += bool(found)
            assert len(found) <= MAX_REASONS
            if other.behind <= other.behind_error:
                assert found == ()
            with_points = [each.points for each in found if each.points is not None]
            assert with_points == sorted(with_points, reverse=True)
            if with_points:
                assert abs(other.behind - sum(with_points)) <= other.behind / 2 + 0.01
            assert all(0 <= each.after <= 1 for each in found if each.kind != "points")
    assert given


def test_parts_are_given_until_they_account_for_most_and_not_at_all_if_they_do_not() -> None:
    one, two, three, four = (Part("card", (Card(number),)) for number in range(4))
    assert leading({two: 1.0, one: 9.0}, 10.0) == [one]
    assert leading({two: -3.0, one: 13.0}, 10.0) == [one, two], "a part that speaks for the other choice is shown, too"
    assert leading({one: 6.0, two: 2.0, three: 2.0}, 10.0) == [one, two]
    many = {Part("card", (Card(number),)): 1.0 for number in range(10)}
    assert leading(many, 10.0) == []
    assert leading({four: 10.0}, 10.0) == [four]


def test_cards_of_a_suit_are_one_part_unless_one_of_them_makes_most_of_it() -> None:
    rules = PRESETS["gongzhu"]

    def tally(**points: int) -> Tally:
        found = Tally()
        numbers = [0] * len(found.numbers)
        numbers[0] = 10
        for name, value in points.items():
            numbers[7 + 52 + Card.parse(name)] = value
        found.add(numbers)
        return found

    even = parts_of(rules, tally(), tally(AH=-100, KH=-90, QH=-80))
    assert even == {Part("points", tuple(map(Card.parse, ("QH", "KH", "AH"))), Suit.HEARTS): 27.0}
    ace = parts_of(rules, tally(), tally(AH=-400, KH=-90, QS=-50))
    assert ace == {
        Part("card", (Card.parse("AH"),)): 40.0,
        Part("points", (Card.parse("KH"),), Suit.HEARTS, Card.parse("AH")): 9.0,
        Part("card", (Card.parse("QS"),)): 5.0,
    }


@pytest.mark.parametrize(("behind", "error"), [(1.8e-16, 1.7e-16), (1.8e-16, 0.0), (0.29704, 0.29696), (0.297, 0.2971)])
def test_a_choice_whose_figures_are_not_above_their_error_has_no_reasons(behind: float, error: float) -> None:
    """As the figures are given: of two equally good choices, rounding may leave one behind by the last bits."""
    checked = 0
    for deal in places(PRESETS["gongzhu"], 6, seed=41):
        view = bot_view(deal, deal.turn)
        best, *_, worst = estimates(view, 5, TRIED)
        checked += bool(reasons_of(view, best, worst))
        assert reasons_of(view, best, replace(worst, behind=behind, behind_error=error)) == ()
    assert checked


def test_a_void_is_named_with_the_choice_that_makes_it() -> None:
    """A seat that may throw its only club away, or a spade of two."""
    rules = PRESETS["gongzhu"]
    for number in range(200):
        deal = Deal(rules, deal_hands(rules, bytes(32), number), number=number)
        while deal.phase is Phase.EXPOSE:
            deal.apply(deal.to_act[0], {})
        view = bot_view(deal, deal.turn)
        single = [suit for suit in Suit if (view.hand_mask & suit.mask).bit_count() == 1]
        if not single or len(view.legal) < 13:
            continue
        lone = cards_in(view.hand_mask & single[0].mask)[0]
        found = {each.action: each for each in estimates(view, 1, TRIED)}
        best = max(found.values(), key=lambda each: (each.ahead, each.action != lone))
        voids = {
            action: [each for each in reasons_of(view, best, other) if each.kind == "void"]
            for action, other in found.items()
            if other is not best and other.behind > other.behind_error
        }
        if best.action != lone and voids.get(lone):
            (reason,) = voids[lone]
            assert (reason.suit, reason.after, reason.after_best, reason.points) == (
                single[0].name.lower(), 1.0, 0.0, None,
            )  # fmt: skip
            return
    raise AssertionError("no deal shows it")


class Certain(SimRandom):
    """Random numbers with which the careful policy leaves nothing to chance."""

    def word(self) -> int:
        """Give the largest number."""
        return (1 << 64) - 1


def lines(deal: Deal, chance: float = 1.0) -> Iterator[tuple[Deal, float]]:
    """Give every way in which the careful policy plays a deal on, with its probability."""
    options = deal.playable
    if not options:
        if deal.phase is Phase.MOON:
            deal = deal.copy()
            deal.apply(deal.turn, MoonChoice.SUBTRACT)
        yield deal, chance
        return
    cards = cards_in(options)
    careful = card_by(Policy.CAREFUL, deal, options, Certain(0)) if len(cards) > 1 else cards[0]
    for card in cards:
        after = deal.copy()
        after.play(card)
        yield from lines(after, chance * ((card == careful) * 7 / 8 + 1 / 8 / len(cards)))


@accelerated
@pytest.mark.parametrize("name", ["hearts", "gongzhu", "gongzhu-partners", "gongzhu-five", "chinese-hearts"])
def test_counts_of_playouts_are_those_of_all_deals_and_all_lines(name: str) -> None:
    """The last two tricks: every deal that fits and every line of the policy, with its probability."""
    rules, compared = PRESETS[name], 0
    for deal in endings(rules, 2, 60):
        view = bot_view(deal, deal.turn)
        if rules.pass_offset(view.deal):
            continue
        deals = deals_of(view, 60)
        if deals is None:
            continue
        found = {each.action: each for each in estimates(view, 3, TRIED)}
        for card in view.legal:
            exact, points, margins, tricks = [0.0] * 52, [0.0] * 52, 0.0, 0.0
            for each in deals:
                begun = each.copy()
                begun.play(card)
                for ended, chance in lines(begun):
                    one = Tally()
                    one.note(ended, ended.scores(), view.seat, card)
                    exact = [old + chance * new for old, new in zip(exact, one.taken, strict=True)]
                    points = [old + chance * new for old, new in zip(points, one.points, strict=True)]
                    tricks += chance * one.tricks
                    margins += chance * margin(rules, ended.scores(), view.seat)
            tally = found[card].tally
            near = partial(pytest.approx, abs=4.5 * 0.5 / tally.deals**0.5)
            assert [number / tally.deals for number in tally.taken] == near([number / len(deals) for number in exact])
            assert tally.tricks / tally.deals == near(tricks / len(deals))
            worth = max(1, *map(abs, rules.plan.points)) * 2
            assert [number / tally.deals / worth for number in tally.points] == near(
                [number / len(deals) / worth for number in points]
            )
            compared += 1
    assert compared >= 6


@accelerated
@pytest.mark.parametrize(
    ("name", "boards", "fewest"), [("hearts", 5, 5), pytest.param("gongzhu", 12, 20, marks=pytest.mark.long)]
)
def test_most_reasons_are_right_where_all_deals_are_solved(name: str, boards: int, fewest: int) -> None:
    sums = Sums()
    positions = 0
    for _, found in verdicts(PRESETS[name], boards, (2, 3), 60, 0):
        sums.add(found)
        positions += 1
    assert positions >= fewest
    assert sums.share_right() >= 0.7
