from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from referee.seats.fair_wait import LazyTimer

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeLoop:
    """An event loop's clock and timers, moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.started = 0
        self.timers: list[FakeTimer] = []

    def time(self) -> float:
        return self.now

    def call_at(self, due: float, call: Callable[[], None]) -> FakeTimer:
        self.started += 1
        self.timers.append(FakeTimer(self, due, call))
        return self.timers[-1]

    def wait_until(self, now: float) -> None:
        """Let time pass, running what is due in order."""
        while due := [timer for timer in self.timers if timer.due <= now]:
            timer = min(due, key=FakeTimer.when)
            self.timers.remove(timer)
            self.now = timer.due
            timer.call()
        self.now = now


class FakeTimer:
    def __init__(self, loop: FakeLoop, due: float, call: Callable[[], None]) -> None:
        self.loop, self.due, self.call = loop, due, call

    def when(self) -> float:
        return self.due

    def cancel(self) -> None:
        self.loop.timers.remove(self)


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> FakeLoop:
    fake = FakeLoop()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: fake)
    return fake


@pytest.fixture
def fired(loop: FakeLoop) -> list[float]:
    """List the times at which it fired."""
    return []


@pytest.fixture
def timer(loop: FakeLoop, fired: list[float]) -> LazyTimer:
    return LazyTimer(lambda: fired.append(loop.now))


def test_it_fires_once_when_its_time_has_come(loop: FakeLoop, timer: LazyTimer, fired: list[float]) -> None:
    timer.set(3.0)
    loop.wait_until(2.9)
    assert fired == []
    loop.wait_until(100.0)
    assert fired == [3.0]


def test_set_anew_it_fires_at_the_new_time_alone(loop: FakeLoop, timer: LazyTimer, fired: list[float]) -> None:
    timer.set(3.0)
    loop.wait_until(2.0)
    timer.set(3.0)
    loop.wait_until(100.0)
    assert fired == [5.0]


def test_it_can_be_set_to_fire_earlier(loop: FakeLoop, timer: LazyTimer, fired: list[float]) -> None:
    timer.set(30.0)
    timer.set(1.0)
    loop.wait_until(100.0)
    assert fired == [1.0]


def test_stopped_it_does_not_fire(loop: FakeLoop, timer: LazyTimer, fired: list[float]) -> None:
    timer.set(3.0)
    timer.stop()
    loop.wait_until(100.0)
    assert fired == []
    timer.set(3.0)
    loop.wait_until(200.0)
    assert fired == [103.0]


def test_it_may_be_set_anew_while_it_fires(loop: FakeLoop) -> None:
    fired = []

    def callback() -> None:
        fired.append(loop.now)
        if len(fired) < 3:
            setting_again.set(2.0)

    setting_again = LazyTimer(callback)
    setting_again.set(1.0)
    loop.wait_until(100.0)
    assert fired == [1.0, 3.0, 5.0]


def test_a_thousand_decisions_in_a_second_take_two_timers(loop: FakeLoop, timer: LazyTimer, fired: list[float]) -> None:
    for number in range(1000):
        timer.set(1.0)
        loop.wait_until((number + 1) / 1000)
        timer.stop()
    timer.set(1.0)
    loop.wait_until(1.5)
    assert (fired, loop.started) == ([], 2)


def test_closed_it_leaves_no_timer_behind(loop: FakeLoop, timer: LazyTimer) -> None:
    timer.set(3.0)
    timer.close()
    timer.close()
    assert loop.timers == []
