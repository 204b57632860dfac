from __future__ import annotations

import pytest

from pigpen import ClockSetting
from referee.seats.clock import IDLE_SECONDS, MARGIN, MAX_UNASKED_CPU, UNASKED_EACH, WALL_CAP, Clock, Stopwatch


def clock(bank: float = 10.0, increment: float = 0.5, limit: float = 2.0) -> Clock:
    made = Clock(ClockSetting(bank, increment, limit, start_up=10.0))
    made.begin_deal()
    return made


def test_a_decision_may_take_the_limit_while_the_bank_is_full() -> None:
    assert clock().allowance == 2.0


def test_a_decision_may_take_what_the_bank_and_the_increment_hold() -> None:
    assert clock(bank=1.0, increment=0.25).allowance == 1.25


def test_what_a_decision_is_rated_at_is_drawn_on_the_bank() -> None:
    used = clock(increment=0.0)
    used.charge(1.0)
    assert used.bank == 9.0


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


class Times:
    """Readings of a stopwatch."""

    def __init__(self, cpu: float | None) -> None:
        self.wall = 100.0
        self.used = cpu

    def pass_(self, wall: float, cpu: float = 0.0) -> None:
        self.wall += wall
        if self.used is not None:
            self.used += cpu

    def watch(self, limit: float = 1.0, concurrent: int = 1) -> Stopwatch:
        return Stopwatch(limit, lambda: self.used, lambda: self.wall, concurrent)


def test_wall_time_counts_but_for_the_margin_where_no_cpu_time_can_be_read() -> None:
    times = Times(None)
    watch = times.watch()
    times.pass_(MARGIN / 2)
    assert (watch.rated, watch.cpu) == (0.0, None)
    times.pass_(MARGIN / 2 + 0.5)
    assert [watch.rated, watch.thought, watch.left] == pytest.approx([0.5, 0.5 + MARGIN, 0.5])


def test_cpu_time_counts_where_it_can_be_read() -> None:
    times = Times(7.0)
    watch = times.watch()
    times.pass_(wall=1.2, cpu=0.75)
    assert [watch.rated, watch.thought, watch.wall] == pytest.approx([0.75, 0.75, 1.2])
    assert watch.left == pytest.approx(0.25)
    assert not watch.is_late


def test_a_sleeper_is_rated_at_a_third_of_the_wall_time() -> None:
    times = Times(7.0)
    watch = times.watch()
    times.pass_(wall=MARGIN + 1.5, cpu=0.01)
    assert watch.rated == pytest.approx(1.5 / WALL_CAP)
    assert watch.left == pytest.approx(0.99)
    times.pass_(wall=1.5001)
    assert watch.is_late
    assert watch.left < 0


@pytest.mark.parametrize("concurrent", [1, 4])
@pytest.mark.parametrize("core", [1 / WALL_CAP, 0.5, 1.0])
def test_a_bot_with_a_third_of_a_core_is_late_by_its_cpu_time_alone(core: float, concurrent: int) -> None:
    """Less is the one case in which wall time is held against a bot that works (docs/faults.md)."""
    for cpu, is_late in ((0.999, False), (1.001, True)):
        times = Times(0.0)
        watch = times.watch(concurrent=concurrent)
        times.pass_(wall=cpu * concurrent / core, cpu=cpu)
        assert watch.is_late is is_late
    times = Times(0.0)
    watch = times.watch(concurrent=concurrent)
    times.pass_(wall=1.1 * WALL_CAP * concurrent, cpu=0.9)
    assert watch.is_late


@pytest.mark.parametrize("cpu", [0.0, 0.01])
def test_a_bot_that_sleeps_loses_whatever_the_machine_does(cpu: float) -> None:
    times = Times(0.0)
    watch = times.watch()
    times.pass_(wall=WALL_CAP + MARGIN - 0.01, cpu=cpu)
    assert not watch.is_late
    times.pass_(wall=0.02)
    assert watch.is_late


def test_those_who_are_asked_at_once_share_the_wall_time() -> None:
    times = Times(7.0)
    watch = times.watch(concurrent=4)
    times.pass_(wall=4 * WALL_CAP * 0.5 + MARGIN, cpu=0.1)
    assert watch.rated == pytest.approx(0.5)


def test_a_stopwatch_that_was_stopped_stands() -> None:
    times = Times(7.0)
    watch = times.watch()
    times.pass_(wall=0.5, cpu=0.25)
    watch.stop()
    times.pass_(wall=99.0, cpu=99.0)
    watch.stop()
    assert [watch.wall, watch.cpu, watch.rated] == [0.5, 0.25, 0.25]


def test_a_stopwatch_that_is_paused_stands_and_then_runs_on() -> None:
    times = Times(None)
    watch = times.watch()
    times.pass_(wall=0.5)
    watch.pause()
    times.pass_(wall=99.0)
    watch.pause()
    assert watch.wall == 0.5
    watch.resume()
    watch.resume()
    times.pass_(wall=0.25)
    assert watch.wall == pytest.approx(0.75)
    watch.pause()
    times.pass_(wall=99.0)
    watch.stop()
    watch.resume()
    assert watch.wall == pytest.approx(0.75)


def test_being_late_is_told_by_both_clocks() -> None:
    assert Times(None).watch().late == "no answer within 1.000 s"
    late = Times(0.0).watch().late
    assert "1.000 s of CPU time" in late
    assert late.endswith("3.000 s in all")


@pytest.mark.parametrize(("cpu", "sure"), [(None, 1.0 + MARGIN), (0.0, 1.0)])
def test_what_is_sure_from_the_start_needs_no_look_at_any_clock(cpu: float | None, sure: float) -> None:
    watch = Times(cpu).watch()
    assert watch.sure == pytest.approx(sure)
    assert watch.left == pytest.approx(sure)


def test_what_the_programs_clock_said_before_and_after_is_kept() -> None:
    times = Times(5.0)
    watch = times.watch()
    times.pass_(1.0, 0.5)
    watch.stop()
    times.pass_(1.0, 0.5)
    assert (watch.cpu_before, watch.cpu_after) == (5.0, 5.5)


def test_a_little_that_is_used_unasked_costs_nothing() -> None:
    quiet = clock()
    for _ in range(1000):
        quiet.charge_unasked(UNASKED_EACH)
    quiet.charge_unasked(MAX_UNASKED_CPU + UNASKED_EACH)
    assert quiet.bank == 10.0


def test_what_is_used_unasked_beyond_that_is_drawn_on_the_bank() -> None:
    busy = clock()
    busy.charge_unasked(MAX_UNASKED_CPU + UNASKED_EACH + 1.0)
    busy.charge_unasked(UNASKED_EACH + 0.5)
    assert busy.bank == pytest.approx(8.5)


def test_what_was_not_used_unasked_is_not_saved_up() -> None:
    quiet = clock()
    for _ in range(1000):
        quiet.charge_unasked(0.0)
    quiet.charge_unasked(MAX_UNASKED_CPU + UNASKED_EACH + 1.0)
    assert quiet.bank == pytest.approx(9.0)


def test_whoever_owes_time_has_none_until_it_has_come_back() -> None:
    busy = clock(increment=0.5)
    busy.charge_unasked(MAX_UNASKED_CPU + UNASKED_EACH + 11.25)
    assert [busy.bank, busy.allowance] == pytest.approx([-1.25, 0.0])
    assert busy.is_used_up
    busy.charge(0.0)
    assert busy.is_used_up
    busy.charge(0.0)
    assert busy.allowance == pytest.approx(0.25)
    assert not busy.is_used_up


def test_a_bank_is_used_up_as_soon_as_it_holds_nothing() -> None:
    spent = clock(bank=1.0, increment=0.0)
    assert not spent.is_used_up
    spent.charge(1.0)
    assert (spent.bank, spent.is_used_up) == (0.0, True)
    assert not clock(bank=0.0).is_used_up, "the increment is left"


def test_sleep_is_drawn_on_the_bank_in_full_and_no_further_than_it_goes() -> None:
    sleepy = clock(bank=5.0, increment=0.0)
    assert [sleepy.charge(1.0, slept=3.0), sleepy.charge(1.0, slept=3.0)] == [3.0, 2.0]
    assert sleepy.bank == 0.0


@pytest.mark.parametrize(
    ("cpu", "concurrent", "slept"), [(0.01, 1, 2.8), (0.01, 2, 1.3), (0.3, 1, 0.0), (0.15, 1, 0.0), (None, 1, 0.0)]
)
def test_a_bot_sleeps_if_it_works_for_less_than_a_twentieth_of_its_share(
    cpu: float | None, concurrent: int, slept: float
) -> None:
    times = Times(None if cpu is None else 7.0)
    watch = times.watch(limit=9.0, concurrent=concurrent)
    times.pass_(wall=IDLE_SECONDS + 3.0, cpu=cpu or 0.0)
    assert watch.slept == pytest.approx(slept)
