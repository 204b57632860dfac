from __future__ import annotations

import pytest

from pigpen import ClockSetting
from referee.clock import MARGIN, Clock


def clock(bank: float = 10.0, increment: float = 0.5, limit: float = 2.0) -> Clock:
    made = Clock(ClockSetting(bank, increment, limit, start_up=10.0))
    made.begin_deal()
    return made


def test_a_decision_may_take_the_limit_while_the_bank_is_full() -> None:
    assert clock().allowance == 2.0


def test_a_decision_may_take_what_the_bank_and_the_increment_hold() -> None:
    assert clock(bank=1.0, increment=0.25).allowance == 1.25


def test_the_margin_is_never_charged() -> None:
    full = clock(increment=0.0)
    assert full.charge(MARGIN) == 0.0
    assert full.bank == 10.0


def test_time_beyond_the_margin_is_drawn_on_the_bank() -> None:
    used = clock(increment=0.0)
    assert used.charge(1.0 + MARGIN) == pytest.approx(1.0)
    assert used.bank == pytest.approx(9.0)


def test_every_decision_adds_the_increment() -> None:
    quick = clock()
    quick.charge(0.0)
    assert quick.bank == 10.5


def test_an_empty_bank_leaves_only_the_increment() -> None:
    empty = clock(bank=0.0, increment=0.25)
    empty.charge(99.0)
    assert (empty.bank, empty.allowance) == (0.0, 0.25)


def test_the_bank_is_filled_for_every_sixteen_deals_begun() -> None:
    long_match = clock()
    for _ in range(15):
        long_match.begin_deal()
    assert long_match.bank == 10.0
    long_match.begin_deal()
    assert long_match.bank == 20.0
