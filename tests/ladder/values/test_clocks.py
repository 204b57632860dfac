"""Clocks that people type."""

from __future__ import annotations

import pytest

from ladder.values.clocks import read_clock
from pigpen import ClockSetting


@pytest.mark.parametrize(("limit", "start_up"), [(0.001, 10.0), (10.0, 10.0), (30.0, 30.0), (3600.0, 60.0)])
def test_a_bot_has_as_long_for_its_start_as_for_a_decision_but_10_to_60_seconds(limit: float, start_up: float) -> None:
    assert read_clock("60+0.1", limit) == ClockSetting(60.0, 0.1, limit, start_up)
    assert read_clock("900", limit) == ClockSetting(900.0, 0.0, limit, start_up)
