"""Machines that count as quiet, and others."""

from __future__ import annotations

import pytest

from benchmarks import machine


def test_the_busy_share_is_that_of_the_ticks_that_were_neither_idle_nor_waiting_for_disks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = iter([(100, 1000), (130, 1200)])
    monkeypatch.setattr(machine, "_ticks", lambda: next(ticks))
    assert machine.busy_share(0.0) == pytest.approx(1 - 30 / 200)


def test_idle_ticks_are_a_part_of_all() -> None:
    idle, total = machine._ticks()
    assert 0 < idle <= total


@pytest.mark.parametrize(("share", "begins"), [(0.05, "quiet: "), (0.06, "NOT QUIET: ")])
def test_a_machine_is_quiet_up_to_5_percent(share: float, begins: str) -> None:
    assert machine.how_quiet({"engine": 0.0, "wire": share}).startswith(begins)
