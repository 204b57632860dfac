"""`sampling`: it uses its time, and never more than it has."""

from __future__ import annotations

import pytest

from benchmarks.duels import load_bot
from pigpen import ClockSetting, Phase, Rules, Welcome
from pigpen.rules import PRESETS, Deal, deal_hands, seed_from
from pigpen.view import View
from tests.rules.table import named

CLOCK = ClockSetting(bank=60.0, increment=0.0, limit=1.0, start_up=10.0)
SEALED = 5
"""A pass or an exposure gets as much time as so many cards."""


def view_with(rules: Rules, deal: int, bank: float) -> View:
    view = View(rules, *Deal(rules, deal_hands(rules, seed_from("7"), 0)).known_to(0)[1:])
    view.deal, view.limit, view.bank = deal, CLOCK.limit, bank
    return view


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
@pytest.mark.parametrize("clock", [CLOCK, ClockSetting(bank=2.0, increment=0.0, limit=1.0, start_up=10.0)])
def test_all_the_time_that_it_takes_is_in_the_bank(rules: Rules, clock: ClockSetting) -> None:
    """Every decision of 16 deals takes as long as it may, and the bank is never empty."""
    bot = load_bot("sampling")()
    bot.match_started(Welcome(rules, 0, "deals:16", clock))
    bank = clock.bank
    for deal in range(16):
        for share in (SEALED, SEALED, *[1] * rules.hand_size):
            seconds = share * bot.seconds(view_with(rules, deal, bank))  # type: ignore[attr-defined]
            assert 0 < seconds <= clock.limit / 4
            bank -= seconds
            assert bank > 0


def test_without_a_clock_it_thinks_to_the_end() -> None:
    bot = load_bot("sampling")()
    view = view_with(PRESETS["gongzhu"], 0, 0.0)
    view.limit = 0.0
    assert bot.seconds(view) == float("inf")  # type: ignore[attr-defined]


def test_a_slow_machine_gets_an_answer_after_the_first_look() -> None:
    """The clock has run out before the first deal is sampled: the choice is legal all the same."""
    bot = load_bot("sampling")()
    for name in ("hearts", "gongzhu-sale"):
        view = view_with(PRESETS[name], 0, 0.0)
        if view.phase is Phase.PASS:
            assert len(set(bot.pass_cards(view))) == view.pass_count
        else:
            assert set(bot.expose(view)) <= set(view.legal)
