"""Habits, counted from records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.matches.style import Styles
from ladder.ratings.means import QUANTILE
from pigpen.rules import PRESETS, Card, Face, Phase
from referee.records.recorded import Recorded
from tests.ladder.ladders import played
from tests.referee.recorded import match_lines
from tests.referee.scripted_seats import ScriptedSeat, honest

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.values.bot_comparison import FoundStyle
    from pigpen import View
    from pigpen.rules import Action
    from referee.seats.seat import Seat

BOTS = ("one", "two", "three", "four")


def lowest(view: View) -> Action:
    """Play low always, and expose nothing."""
    return min(view.legal, key=lambda card: card.rank) if view.phase is Phase.PLAY else honest(view)


def highest(view: View) -> Action:
    """Play high always."""
    return max(view.legal, key=lambda card: card.rank) if view.phase is Phase.PLAY else honest(view)


def style_of(first: Callable[[View], Action], bot: str = "one", form: str = "boards:6") -> FoundStyle:
    def seats(players: int) -> list[Seat]:
        return [ScriptedSeat(first), *(ScriptedSeat(lowest) for _ in range(players - 1))]

    recorded = Recorded.of(match_lines("gongzhu", form, seats))
    found = Styles()
    found.take_all(recorded, recorded.deals, "7", BOTS)
    return found.found(bot)


def test_one_that_always_plays_low_ducks_and_one_that_plays_high_does_not() -> None:
    low, high = ({bar.trait: bar for bar in style_of(each).bars} for each in (lowest, highest))
    assert (low["ducks"].share, high["ducks"].share) == (1.0, 0.0)
    assert high["ducks"].of > 10
    assert high["ducks"].median == 1.0, "that of the three others"
    assert high["leads"].share > 0.5 > low["leads"].share
    assert high["leads"].error == pytest.approx(
        QUANTILE * (high["leads"].share * (1 - high["leads"].share) / high["leads"].of) ** 0.5, abs=1e-4
    )


@pytest.mark.parametrize("variant", PRESETS)
def test_of_all_bots_together_each_pig_is_taken_once_and_given_by_at_most_one(variant: str) -> None:
    recorded = Recorded.of(played(variant))
    names = [str(bot) for bot in range(recorded.rules.players)]
    styles = Styles()
    styles.take_all(recorded, recorded.deals, "7", names)
    found = [styles.found(name) for name in names]
    deals = len(recorded.deals)
    assert all(each.deals == deals for each in found)
    taken = [bar.share for each in found for bar in each.bars if bar.trait == "pig"]
    if recorded.rules.plan.pig:
        assert sum(taken) == pytest.approx(1.0, abs=0.01)
    given = [figure.value for each in found for figure in each.figures if figure.name == "pig_given"]
    assert sum(given) <= 1.0
    sign = -1 if recorded.rules.low_is_better else 1
    for bot, each in enumerate(found):
        if len(each.seats) == recorded.rules.players and all(seat.deals > 1 for seat in each.seats):
            scores = [sign * line.scores[(line.seats or range(9)).index(bot)] for line in recorded.deals]
            total = sum(seat.mean * seat.deals for seat in each.seats)
            assert total == pytest.approx(sum(scores), abs=0.01)


def test_what_it_could_expose_and_what_that_brought_is_counted() -> None:
    def bold(view: View) -> Action:
        return honest(view) if view.phase is not Phase.EXPOSE else dict.fromkeys(view.legal, Face.UP)

    bars = {bar.trait: bar for bar in style_of(bold).bars}
    assert bars["exposes"].share == 1.0
    assert {bar.trait: bar for bar in style_of(lowest).bars}["exposes"].share == 0.0

    def sometimes(view: View) -> Action:
        if view.phase is not Phase.EXPOSE:
            return honest(view)
        return dict.fromkeys((card for card in view.legal if card == Card.parse("AH")), Face.UP)

    figures = {figure.name: figure for figure in style_of(sometimes, form="boards:12").figures}
    assert figures["exposing_yield"].of > 1
    assert figures["exposing_yield"].error > 0


def test_deals_in_which_a_bot_was_taken_over_are_left_out() -> None:
    recorded = Recorded.of(played("gongzhu", sinner=1))
    styles = Styles()
    styles.take_all(recorded, recorded.deals, "7", BOTS)
    found = styles.found("one")
    assert (found.sources, found.deals, found.bars, found.seats) == (("7",), 0, (), ())


def test_a_median_is_of_others_and_takes_three_of_them() -> None:
    recorded, styles = Recorded.of(match_lines("gongzhu", "boards:12")), Styles()
    styles.take_all(recorded, recorded.deals, "7", ("one", "two", "two", "three"))
    assert {bar.median for bar in styles.found("one").bars} == {None}
