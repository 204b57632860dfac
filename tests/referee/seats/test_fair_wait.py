"""
A program that hangs is blamed, one that the machine did not let run is not.

While the referee stands still, no time passes for those whom it asks; tests/machine stops a real one.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.seats import fair_wait
from referee.seats.fair_wait import (
    BEAT_SECONDS,
    MAX_TIMES,
    STALL_SECONDS,
    USUAL_CPU_SECONDS,
    FairTime,
    LazyTimer,
    MachineTooBusy,
    StallSelector,
    StallTolerantLoop,
    WitnessStart,
    loop_time,
    pace,
    wait_fairly,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.seats.fair_wait import Witness

SECONDS = 10.0
STARTS = 0.5
"""CPU time of an honest start, the witness's too."""
FOR_EVER = 1e9


class JumpingSelector(selectors.SelectSelector):
    """Waits for nothing: its time jumps to when the next timer fires."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop in which an hour takes no time."""

    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


@dataclass(frozen=True)
class Program:
    """A program that works for *works* seconds of CPU time, and then takes its seat, or sleeps."""

    works: float
    comes: bool = True
    share: float = 1.0
    """The part of the time that it is let run in which it works; it sleeps in the rest."""


HONEST = Program(STARTS)
LARGE = Program(SECONDS * 0.8)
SLEEPS = Program(0.0, comes=False)
SLEEPS_LATER = Program(STARTS, comes=False)
BURNS = Program(FOR_EVER, comes=False)
TRICKLES = Program(FOR_EVER, comes=False, share=0.6)
"""Uses a little more CPU time than what counts as sleep on a busy machine."""


class Machine:
    """A machine on which a program that wants a core gets one for a part of the time."""

    def __init__(self, slowness: Callable[[float], float] | float, reads_cpu: bool = True) -> None:
        self._slowness = slowness
        self._reads_cpu = reads_cpu
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self.witnesses = 0

    def slowness(self) -> float:
        return self._slowness(self.wall) if callable(self._slowness) else self._slowness

    @property
    def wall(self) -> float:
        return self._loop.time() - self._began

    async def run(self, program: Program, used: list[float]) -> None:
        """Let the program work until it takes its seat."""
        step = 0.01
        while used[0] < program.works:
            await asyncio.sleep(step * self.slowness() / program.share)
            used[0] += step
        if not program.comes:
            await asyncio.sleep(FOR_EVER)

    async def start(self) -> WitnessStart:
        """Start a witness."""
        self.witnesses += 1
        began, used = self.wall, [0.0]
        await self.run(HONEST, used)
        return WitnessStart(self.wall - began, used[0] if self._reads_cpu else None)

    async def wait_for(self, program: Program, witness: Witness | None) -> bool:
        """Start the program, and wait for it."""
        used = [0.0]
        running = asyncio.ensure_future(self.run(program, used))
        time = FairTime(SECONDS, lambda: used[0] if self._reads_cpu else None)
        try:
            return await wait_fairly((running,), time, witness)
        finally:
            running.cancel()


def started(
    program: Program,
    slowness: Callable[[float], float] | float,
    reads_cpu: bool = True,
    has_witness: bool = True,
) -> tuple[bool | None, float, int]:
    """Start a program: whether it came, None if the machine was too busy; after how many seconds; witnesses."""

    async def start() -> tuple[bool | None, float, int]:
        machine = Machine(slowness, reads_cpu)
        try:
            came = await machine.wait_for(program, machine if has_witness else None)
        except MachineTooBusy:
            return None, machine.wall, machine.witnesses
        return came, machine.wall, machine.witnesses

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(start())


@pytest.mark.parametrize("slowness", [1.0, 5.0, 20.0, 100.0])
def test_an_honest_program_is_waited_for_on_a_busy_machine(slowness: float) -> None:
    came, after, _ = started(HONEST, slowness)
    assert came
    assert after == pytest.approx(STARTS * slowness)


@pytest.mark.parametrize("slowness", [1.0, 2.0, 5.0, 10.0])
def test_one_that_uses_most_of_its_time_is_waited_for_too(slowness: float) -> None:
    assert started(LARGE, slowness)[0]


@pytest.mark.parametrize("program", [SLEEPS, SLEEPS_LATER, BURNS, TRICKLES])
def test_one_that_hangs_is_blamed_within_its_time_on_a_quiet_machine(program: Program) -> None:
    came, after, witnesses = started(program, 1.0)
    assert came is False
    assert SECONDS <= after <= SECONDS + 2 * STARTS
    assert witnesses <= 4


@pytest.mark.parametrize("slowness", [3.0, 10.0, 30.0])
@pytest.mark.parametrize("program", [SLEEPS, SLEEPS_LATER])
def test_one_that_sleeps_is_blamed_on_a_busy_machine_too(program: Program, slowness: float) -> None:
    came, after, _ = started(program, slowness)
    assert came is False
    assert after < 3 * STARTS * slowness + 2 * SECONDS


@pytest.mark.parametrize("program", [BURNS, TRICKLES])
def test_one_that_works_for_ever_uses_its_time_up(program: Program) -> None:
    came, after, _ = started(program, 5.0)
    assert came is False
    assert after < MAX_TIMES * SECONDS


def test_a_machine_that_becomes_quiet_does_not_count_the_time_before() -> None:
    came, after, _ = started(LARGE, lambda wall: 20.0 if wall < 40.0 else 1.0)
    assert (came, after > 40.0 + SECONDS / 2) == (True, True)
    came, after, _ = started(BURNS, lambda wall: 20.0 if wall < 40.0 else 1.0)
    assert (came, after < 40.0 + SECONDS + 2 * STARTS) == (False, True)


@pytest.mark.parametrize("program", [HONEST, SLEEPS, BURNS])
def test_on_a_machine_that_starts_nothing_no_program_is_blamed(program: Program) -> None:
    came, after, _ = started(program, 1000.0)
    assert came is None
    assert after == pytest.approx(MAX_TIMES * SECONDS, abs=1.0)


@pytest.mark.parametrize(("slowness", "came"), [(1.0, True), (10.0, True), (19.0, True), (30.0, False)])
def test_without_a_witness_all_wall_time_counts(slowness: float, came: bool) -> None:
    assert started(HONEST, slowness, has_witness=False)[0] is came


def test_where_no_cpu_time_can_be_read_the_witness_shows_how_busy_the_machine_is() -> None:
    assert started(HONEST, 30.0, reads_cpu=False)[0]
    came, after, _ = started(SLEEPS, 1.0, reads_cpu=False)
    assert (came, after <= SECONDS + 2 * STARTS) == (False, True)


def test_no_witness_is_started_for_a_program_that_comes_soon() -> None:
    came, _, witnesses = started(HONEST, 4.0)
    assert (came, witnesses) == (True, 0)


@pytest.mark.parametrize(
    ("wall", "cpu", "counts"),
    [
        (STARTS, STARTS, 1.0),
        (STARTS, 2 * STARTS, 1.0),
        (2 * STARTS, STARTS, 0.5),
        (2 * USUAL_CPU_SECONDS, None, 0.5),
        (0.0, 0.0, 1.0),
    ],
)
def test_wall_time_counts_as_far_as_the_witness_was_let_run(wall: float, cpu: float | None, counts: float) -> None:
    assert pace(WitnessStart(wall, cpu)) == pytest.approx(counts)


def test_a_failure_of_the_witness_is_the_sandboxs() -> None:
    class Broken:
        async def start(self) -> WitnessStart:
            raise OSError("no engine")

    async def start() -> bool:
        return await Machine(1.0).wait_for(SLEEPS, Broken())

    with asyncio.Runner(loop_factory=JumpingLoop) as runner, pytest.raises(OSError, match="no engine"):
        runner.run(start())


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


class Times:
    """A thread's clocks, moved by hand."""

    wall = 0.0
    cpu = 0.0


@pytest.fixture
def times() -> Times:
    return Times()


@pytest.fixture
def selector(times: Times) -> StallSelector:
    made = StallSelector(lambda: times.wall, lambda: times.cpu)
    made.select(0)
    return made


@pytest.mark.parametrize(("stood", "counts"), [(STALL_SECONDS + 0.01, True), (STALL_SECONDS - 0.01, False)])
def test_time_in_which_the_thread_neither_works_nor_waits_is_a_standstill_unless_it_is_short(
    selector: StallSelector, times: Times, stood: float, counts: bool
) -> None:
    times.wall += stood
    selector.select(0)
    assert selector.stalled == pytest.approx(stood if counts else 0.0)


def test_a_standstill_in_the_midst_of_work_is_known_at_the_next_look_at_the_clock(
    selector: StallSelector, times: Times
) -> None:
    times.wall += 12.0
    times.cpu += 0.125
    assert selector.look() - selector.stalled == pytest.approx(0.125)
    times.wall += 0.125
    assert selector.look() - selector.stalled == pytest.approx(0.25)
    selector.select(0)
    assert selector.stalled == pytest.approx(11.875)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 20), st.floats(0, 1), st.booleans()), max_size=20))
def test_its_time_never_goes_back(moments: list[tuple[float, float, bool]]) -> None:
    times = Times()
    selector = StallSelector(lambda: times.wall, lambda: times.cpu)
    last = 0.0
    for passed, share, waits in moments:
        times.wall += passed
        times.cpu += passed * share
        if waits:
            selector.select(0)
        now = selector.look() - selector.stalled
        assert now > last - 1e-9
        last = now


def test_work_is_no_standstill(selector: StallSelector, times: Times) -> None:
    times.wall += 5.0
    times.cpu += 5.0
    selector.select(0)
    assert selector.stalled == 0.0


def test_a_long_wait_wakes_again_and_again_so_that_a_standstill_in_it_shows(selector: StallSelector) -> None:
    assert selector.select(3600) == []
    assert BEAT_SECONDS <= STALL_SECONDS


def test_the_loop_keeps_the_ordinary_time_but_for_standstills(monkeypatch: pytest.MonkeyPatch) -> None:
    watching = StallSelector()
    monkeypatch.setattr(fair_wait, "StallSelector", lambda: watching)

    async def measured() -> tuple[float, float, float]:
        await asyncio.sleep(0.05)
        return time.monotonic(), loop_time() + watching.stalled, time.monotonic()

    loop = StallTolerantLoop()
    try:
        before, now, after = loop.run_until_complete(measured())
    finally:
        loop.close()
    assert before <= now <= after
